//! Sets of characters.

/// A named class of characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Alnum,
    Alpha,
    Blank,
    Cntrl,
    Digit,
    Graph,
    Lower,
    Print,
    Punct,
    Space,
    Upper,
    Xdigit,
    Word,
    Ascii,
}

impl Class {
    pub(super) fn named(name: &str) -> Option<Class> {
        Some(match name {
            "alnum" => Class::Alnum,
            "alpha" => Class::Alpha,
            "ascii" => Class::Ascii,
            "blank" => Class::Blank,
            "cntrl" => Class::Cntrl,
            "digit" => Class::Digit,
            "graph" => Class::Graph,
            "lower" => Class::Lower,
            "print" => Class::Print,
            "punct" => Class::Punct,
            "space" => Class::Space,
            "upper" => Class::Upper,
            "word" => Class::Word,
            "xdigit" => Class::Xdigit,
            _ => return None,
        })
    }

    fn has(self, c: char) -> bool {
        match self {
            Class::Alnum => c.is_alphanumeric(),
            Class::Alpha => c.is_alphabetic(),
            Class::Ascii => c.is_ascii(),
            Class::Blank => c == ' ' || c == '\t',
            Class::Cntrl => c.is_control(),
            Class::Digit => c.is_ascii_digit(),
            Class::Graph => !c.is_control() && !c.is_whitespace(),
            Class::Lower => c.is_lowercase(),
            Class::Print => !c.is_control() && (c == ' ' || !c.is_whitespace()),
            Class::Punct => c.is_ascii_punctuation(),
            Class::Space => c.is_whitespace(),
            Class::Upper => c.is_uppercase(),
            Class::Word => is_word(c),
            Class::Xdigit => c.is_ascii_hexdigit(),
        }
    }
}

pub(super) fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// The characters that one place of an expression matches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CharSet {
    pub(super) ranges: Vec<(char, char)>,
    /// Classes, and whether they are taken the other way round.
    pub(super) classes: Vec<(Class, bool)>,
    pub(super) negated: bool,
    pub(super) ignore_case: bool,
    /// A line break is not in it, whatever the rest says.
    pub(super) without_newline: bool,
}

impl CharSet {
    pub(super) fn one(c: char, ignore_case: bool) -> CharSet {
        CharSet {
            ranges: vec![(c, c)],
            ignore_case,
            ..CharSet::default()
        }
    }

    /// Every character.
    pub(super) fn any() -> CharSet {
        CharSet {
            negated: true,
            ..CharSet::default()
        }
    }

    pub(super) fn has(&self, c: char) -> bool {
        if self.without_newline && c == '\n' {
            return false;
        }
        let is_in = self.lists(c)
            || (self.ignore_case
                && cases(c).is_some_and(|both| both.iter().any(|c| self.lists(*c))));
        is_in != self.negated
    }

    fn lists(&self, c: char) -> bool {
        let in_range = |(first, last): &(char, char)| *first <= c && c <= *last;
        let in_class = |(class, inverted): &(Class, bool)| class.has(c) != *inverted;
        self.ranges.iter().any(in_range) || self.classes.iter().any(in_class)
    }
}

/// The lower and upper case of a letter, where each is one character.
fn cases(c: char) -> Option<[char; 2]> {
    let mut lower = c.to_lowercase();
    let mut upper = c.to_uppercase();
    let pair = [lower.next()?, upper.next()?];
    (lower.next().is_none() && upper.next().is_none()).then_some(pair)
}

/// Whether two characters are the same but for their case.
pub(super) fn same_but_case(a: char, b: char) -> bool {
    a == b || cases(a).is_some_and(|both| both.contains(&b))
}
