//! Reads an expression.

use varve_types::Result;

use super::set::{CharSet, Class};
use super::syntax::{Kind, Node, Parsed, Place, Prefers};
use super::{Options, Syntax, invalid, too_complex};

/// The most that a repetition may count.
const REPEAT_MAX: u32 = 255;
const DEPTH_MAX: usize = 100;

/// The characters of an expression and what was met so far.
struct Parser<'p> {
    rest: core::str::Chars<'p>,
    options: Options,
    groups: usize,
    /// The groups that are closed: those that a back reference may mean.
    closed: Vec<bool>,
    has_references: bool,
    in_look: bool,
    depth: usize,
}

const PARENTHESES: &str = "parentheses () not balanced";
const BRACKETS: &str = "brackets [] not balanced";
const ESCAPE: &str = "invalid escape \\ sequence";
const RANGE: &str = "invalid character range";
const OPERAND: &str = "quantifier operand invalid";
const COUNTS: &str = "invalid repetition count(s)";

pub(super) fn parse(pattern: &str, mut options: Options) -> Result<Parsed> {
    let mut pattern = pattern;
    if options.syntax == Syntax::Advanced
        && let Some(directed) = pattern.strip_prefix("***")
    {
        pattern = if let Some(literal) = directed.strip_prefix('=') {
            options.syntax = Syntax::Literal;
            literal
        } else if let Some(advanced) = directed.strip_prefix(':') {
            advanced
        } else {
            return Err(invalid(OPERAND));
        };
    }
    if options.syntax == Syntax::Advanced
        && let Some(embedded) = pattern.strip_prefix("(?")
        && embedded.starts_with(|c: char| c.is_ascii_alphabetic())
    {
        let Some((letters, behind)) = embedded.split_once(')') else {
            return Err(invalid("invalid embedded option"));
        };
        if !letters.chars().all(|letter| options.apply(letter)) {
            return Err(invalid("invalid embedded option"));
        }
        pattern = behind;
    }
    let mut parser = Parser {
        rest: pattern.chars(),
        options,
        groups: 0,
        closed: vec![true],
        has_references: false,
        in_look: false,
        depth: 0,
    };
    let node = if options.syntax == Syntax::Literal {
        let parts = pattern.chars().map(|c| parser.one(c));
        Node::concat(parts.collect())
    } else {
        parser.alternatives(false)?
    };
    if options.syntax != Syntax::Literal && parser.rest.next().is_some() {
        return Err(invalid(PARENTHESES));
    }
    Ok(Parsed {
        node,
        groups: parser.groups,
        has_references: parser.has_references,
    })
}

impl Parser<'_> {
    fn one(&self, c: char) -> Node {
        Node::plain(Kind::Set(CharSet::one(c, self.options.ignore_case)))
    }

    fn is_advanced(&self) -> bool {
        self.options.syntax == Syntax::Advanced
    }

    fn is_basic(&self) -> bool {
        self.options.syntax == Syntax::Basic
    }

    fn peek(&self) -> Option<char> {
        self.rest.clone().next()
    }

    fn eat(&mut self, c: char) -> bool {
        let is_next = self.peek() == Some(c);
        if is_next {
            self.rest.next();
        }
        is_next
    }

    /// What follows the next character, if that is `first`.
    fn follows(&self, first: char, second: char) -> bool {
        let mut rest = self.rest.clone();
        rest.next() == Some(first) && rest.next() == Some(second)
    }

    /// Leaves out what the expanded syntax ignores, and comments.
    fn skip_ignored(&mut self) {
        loop {
            if self.is_advanced() && self.follows('(', '?') {
                let mut rest = self.rest.clone();
                if rest.nth(2) == Some('#') {
                    while self.rest.next().is_some_and(|c| c != ')') {}
                    continue;
                }
            }
            match self.peek() {
                Some(c) if self.options.expanded && c.is_whitespace() => {
                    self.rest.next();
                }
                Some('#') if self.options.expanded => {
                    while self.rest.next().is_some_and(|c| c != '\n') {}
                }
                _ => return,
            }
        }
    }

    /// Branches up to the end or, inside of parentheses, to the closing one.
    fn alternatives(&mut self, inside: bool) -> Result<Node> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(too_complex());
        }
        let mut branches = vec![self.branch(inside)?];
        while !self.is_basic() && self.eat('|') {
            branches.push(self.branch(inside)?);
        }
        self.depth -= 1;
        if branches.len() == 1 {
            return Ok(branches.swap_remove(0));
        }
        Ok(Node {
            prefers: Prefers::Longer,
            is_complex: branches.iter().any(|branch| branch.is_complex),
            kind: Kind::Alternatives(branches),
        })
    }

    fn at_branch_end(&mut self, inside: bool) -> bool {
        self.skip_ignored();
        if self.is_basic() {
            return self.peek().is_none() || (inside && self.follows('\\', ')'));
        }
        match self.peek() {
            None | Some('|') => true,
            Some(')') => inside || self.is_advanced(),
            _ => false,
        }
    }

    fn branch(&mut self, inside: bool) -> Result<Node> {
        let mut parts = Vec::new();
        while !self.at_branch_end(inside) {
            let is_first = parts.is_empty();
            let atom = self.atom(is_first, inside)?;
            parts.push(self.quantified(atom)?);
        }
        Ok(Node::concat(parts))
    }

    /// A part with the repetition behind it.
    fn quantified(&mut self, atom: Node) -> Result<Node> {
        self.skip_ignored();
        let (min, max) = match self.peek() {
            Some('*') => (0, None),
            Some('+') if !self.is_basic() => (1, None),
            Some('?') if !self.is_basic() => (0, Some(1)),
            Some('{') if !self.is_basic() => {
                let mut rest = self.rest.clone();
                rest.next();
                if self.is_advanced() && !rest.next().is_some_and(|c| c.is_ascii_digit()) {
                    return Ok(atom);
                }
                self.rest.next();
                let bounds = self.bounds()?;
                if !self.eat('}') {
                    return Err(invalid("braces {} not balanced"));
                }
                return self.repeated(atom, bounds.0, bounds.1, bounds.2);
            }
            Some('\\') if self.is_basic() && self.follows('\\', '{') => {
                self.rest.next();
                self.rest.next();
                let bounds = self.bounds()?;
                if !(self.eat('\\') && self.eat('}')) {
                    return Err(invalid("braces {} not balanced"));
                }
                return self.repeated(atom, bounds.0, bounds.1, bounds.2);
            }
            _ => return Ok(atom),
        };
        self.rest.next();
        self.repeated(atom, min, max, false)
    }

    /// `m`, `m,` or `m,n`, and whether it is one number.
    fn bounds(&mut self) -> Result<(u32, Option<u32>, bool)> {
        let min = self.number()?.ok_or_else(|| invalid(COUNTS))?;
        if !self.eat(',') {
            return Ok((min, Some(min), true));
        }
        let max = self.number()?;
        if max.is_some_and(|max| max < min) {
            return Err(invalid(COUNTS));
        }
        Ok((min, max, false))
    }

    fn number(&mut self) -> Result<Option<u32>> {
        let mut number = None;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            self.rest.next();
            let next = number.unwrap_or(0) * 10 + digit;
            if next > REPEAT_MAX {
                return Err(invalid(COUNTS));
            }
            number = Some(next);
        }
        Ok(number)
    }

    fn repeated(&mut self, atom: Node, min: u32, max: Option<u32>, fixed: bool) -> Result<Node> {
        let shorter = self.is_advanced() && self.eat('?');
        self.skip_ignored();
        let is_place = matches!(atom.kind, Kind::Place(_) | Kind::Look { .. });
        let repeats_again = match self.peek() {
            Some('*') => true,
            Some('+' | '?') => !self.is_basic(),
            Some('{') => {
                let mut rest = self.rest.clone();
                rest.next();
                rest.next().is_some_and(|c| c.is_ascii_digit()) && !self.is_basic()
            }
            _ => false,
        };
        if is_place || repeats_again {
            return Err(invalid(OPERAND));
        }
        let prefers = match (fixed, shorter) {
            (true, _) => atom.prefers,
            (false, true) => Prefers::Shorter,
            (false, false) => Prefers::Longer,
        };
        if max == Some(0) {
            return Ok(Node::plain(Kind::Empty));
        }
        if (min, max) == (1, Some(1)) {
            return Ok(Node { prefers, ..atom });
        }
        Ok(Node {
            prefers,
            is_complex: atom.is_complex,
            kind: Kind::Repeat {
                inside: Box::new(atom),
                min,
                max,
            },
        })
    }

    fn place(place: Place) -> Result<Node> {
        Ok(Node::plain(Kind::Place(place)))
    }

    fn atom(&mut self, is_first: bool, inside: bool) -> Result<Node> {
        let Some(c) = self.rest.next() else {
            return Err(invalid(OPERAND));
        };
        match c {
            '.' => {
                let mut any = CharSet::any();
                any.without_newline = self.options.stop_at_newline;
                Ok(Node::plain(Kind::Set(any)))
            }
            '[' => self.bracket(),
            '\\' => self.escape(inside),
            '^' if !self.is_basic() || is_first => {
                Parser::place(if self.options.anchor_at_newline {
                    Place::LineStart
                } else {
                    Place::TextStart
                })
            }
            '$' if !self.is_basic() || self.is_last(inside) => {
                Parser::place(if self.options.anchor_at_newline {
                    Place::LineEnd
                } else {
                    Place::TextEnd
                })
            }
            '*' if self.is_basic() && is_first => Ok(self.one('*')),
            '(' if !self.is_basic() => self.group(),
            '*' => Err(invalid(OPERAND)),
            '+' | '?' if !self.is_basic() => Err(invalid(OPERAND)),
            '{' if !self.is_basic() => {
                let is_count = self.peek().is_some_and(|c| c.is_ascii_digit());
                if is_count || !self.is_advanced() {
                    return Err(invalid(OPERAND));
                }
                Ok(self.one('{'))
            }
            other => Ok(self.one(other)),
        }
    }

    fn is_last(&mut self, inside: bool) -> bool {
        self.peek().is_none() || (inside && self.follows('\\', ')'))
    }

    /// What stands behind an opening parenthesis.
    fn group(&mut self) -> Result<Node> {
        if self.is_advanced() && self.eat('?') {
            let look = match self.rest.next() {
                Some(':') => {
                    let node = self.alternatives(true)?;
                    return self.closed_by(node);
                }
                Some('=') => (true, false),
                Some('!') => (true, true),
                Some('<') => match self.rest.next() {
                    Some('=') => (false, false),
                    Some('!') => (false, true),
                    _ => return Err(invalid(OPERAND)),
                },
                _ => return Err(invalid(OPERAND)),
            };
            let was_in_look = core::mem::replace(&mut self.in_look, true);
            let node = self.alternatives(true)?;
            self.in_look = was_in_look;
            let inside = Box::new(self.closed_by(node)?);
            let (ahead, negated) = look;
            return Ok(Node::plain(Kind::Look {
                ahead,
                negated,
                inside,
            }));
        }
        self.capture()
    }

    fn capture(&mut self) -> Result<Node> {
        if self.in_look {
            let node = self.alternatives(true)?;
            return self.closed_by(node);
        }
        self.groups += 1;
        let number = self.groups;
        self.closed.push(false);
        let node = self.alternatives(true)?;
        let node = self.closed_by(node)?;
        if let Some(closed) = self.closed.get_mut(number) {
            *closed = true;
        }
        Ok(Node {
            prefers: node.prefers,
            is_complex: true,
            kind: Kind::Capture(number, Box::new(node)),
        })
    }

    fn closed_by(&mut self, node: Node) -> Result<Node> {
        let closed = (!self.is_basic() || self.eat('\\')) && self.eat(')');
        if closed {
            Ok(node)
        } else {
            Err(invalid(PARENTHESES))
        }
    }

    /// What stands behind a backslash, outside of brackets.
    fn escape(&mut self, inside: bool) -> Result<Node> {
        let Some(c) = self.peek() else {
            return Err(invalid(ESCAPE));
        };
        if self.is_basic() {
            self.rest.next();
            return match c {
                '(' => self.capture(),
                ')' if !inside => Err(invalid(PARENTHESES)),
                '{' => Err(invalid(OPERAND)),
                '<' => Parser::place(Place::WordStart),
                '>' => Parser::place(Place::WordEnd),
                '1'..='9' => self.reference(c.to_digit(10).unwrap_or(0)),
                other => Ok(self.one(other)),
            };
        }
        if !self.is_advanced() {
            self.rest.next();
            return Ok(self.one(c));
        }
        match c {
            'A' | 'Z' | 'm' | 'M' | 'y' | 'Y' => {
                self.rest.next();
                Parser::place(match c {
                    'A' => Place::TextStart,
                    'Z' => Place::TextEnd,
                    'm' => Place::WordStart,
                    'M' => Place::WordEnd,
                    'y' => Place::WordBorder,
                    _ => Place::NoWordBorder,
                })
            }
            '1'..='9' => self.reference_or_octal(),
            _ => {
                let mut set = CharSet::default();
                self.escaped(&mut set)?;
                set.ignore_case = self.options.ignore_case;
                let inverts = matches!(set.classes.as_slice(), [(_, true)]);
                set.without_newline = inverts && self.options.stop_at_newline;
                Ok(Node::plain(Kind::Set(set)))
            }
        }
    }

    /// A number is a reference where there are so many groups, or it is one digit; else octal.
    fn reference_or_octal(&mut self) -> Result<Node> {
        let mut rest = self.rest.clone();
        let (mut number, mut digits) = (0_u32, 0);
        while let Some(digit) = rest.next().and_then(|c| c.to_digit(10)) {
            number = number.saturating_mul(10).saturating_add(digit);
            digits += 1;
        }
        if digits == 1 || number as usize <= self.groups {
            for _ in 0..digits {
                self.rest.next();
            }
            return self.reference(number);
        }
        let mut octal = self.digits(8, 3).unwrap_or(0);
        if octal > 0xff {
            octal /= 8;
        }
        let c = char::from_u32(octal).ok_or_else(|| invalid(ESCAPE))?;
        Ok(self.one(c))
    }

    fn reference(&mut self, number: u32) -> Result<Node> {
        let group = number as usize;
        let is_known = self.closed.get(group).copied().unwrap_or(false);
        if group == 0 || !is_known || self.in_look {
            return Err(invalid("invalid backreference number"));
        }
        self.has_references = true;
        Ok(Node {
            prefers: Prefers::Neither,
            is_complex: true,
            kind: Kind::Reference {
                group,
                ignore_case: self.options.ignore_case,
            },
        })
    }

    /// Up to so many digits as a number.
    fn digits(&mut self, radix: u32, count: usize) -> Option<u32> {
        let mut number = None;
        for _ in 0..count {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(radix)) else {
                break;
            };
            self.rest.next();
            number = Some(number.unwrap_or(0_u32).saturating_mul(radix) + digit);
        }
        number
    }

    /// Adds the character or the class that an escape means.
    fn escaped(&mut self, set: &mut CharSet) -> Result<()> {
        let c = self.rest.next().ok_or_else(|| invalid(ESCAPE))?;
        let class = match c {
            'd' | 'D' => Some(Class::Digit),
            's' | 'S' => Some(Class::Space),
            'w' | 'W' => Some(Class::Word),
            _ => None,
        };
        if let Some(class) = class {
            set.classes.push((class, c.is_ascii_uppercase()));
            return Ok(());
        }
        let c = self.escaped_char(c)?;
        set.ranges.push((c, c));
        Ok(())
    }

    fn escaped_char(&mut self, c: char) -> Result<char> {
        let exactly = |number: Option<u32>| {
            number
                .and_then(char::from_u32)
                .ok_or_else(|| invalid(ESCAPE))
        };
        match c {
            'a' => Ok('\u{7}'),
            'b' => Ok('\u{8}'),
            'B' => Ok('\\'),
            'c' => {
                let letter = self.rest.next().ok_or_else(|| invalid(ESCAPE))?;
                exactly(Some(u32::from(letter) & 0x1f))
            }
            'e' => Ok('\u{1b}'),
            'f' => Ok('\u{c}'),
            'n' => Ok('\n'),
            'r' => Ok('\r'),
            't' => Ok('\t'),
            'v' => Ok('\u{b}'),
            'u' | 'U' => {
                let wanted = if c == 'u' { 4 } else { 8 };
                let mut rest = self.rest.clone();
                let is_whole =
                    (0..wanted).all(|_| rest.next().is_some_and(|c| c.is_ascii_hexdigit()));
                let number = self.digits(16, wanted);
                exactly(number.filter(|_| is_whole))
            }
            'x' => {
                let number = self.digits(16, 255);
                exactly(number)
            }
            '0'..='7' => {
                let mut number = c.to_digit(8).unwrap_or(0);
                for _ in 0..2 {
                    let Some(digit) = self.digits(8, 1) else {
                        break;
                    };
                    number = number * 8 + digit;
                }
                exactly(Some(number))
            }
            other if other.is_ascii_alphanumeric() => Err(invalid(ESCAPE)),
            other => Ok(other),
        }
    }

    /// What stands behind an opening bracket.
    fn bracket(&mut self) -> Result<Node> {
        // [[:<:]] and [[:>:]] are places, and only as the whole of a bracket.
        let rest: String = self.rest.clone().take(6).collect();
        let place = match rest.as_str() {
            "[:<:]]" => Some(Place::WordStart),
            "[:>:]]" => Some(Place::WordEnd),
            _ => None,
        };
        if let Some(place) = place {
            self.rest.nth(5);
            return Parser::place(place);
        }
        let mut set = CharSet {
            ignore_case: self.options.ignore_case,
            negated: self.eat('^'),
            ..CharSet::default()
        };
        set.without_newline = set.negated && self.options.stop_at_newline;
        let mut is_first = true;
        loop {
            let Some(c) = self.rest.next() else {
                return Err(invalid(BRACKETS));
            };
            if c == ']' && !is_first {
                break;
            }
            // A hyphen in the middle is neither a character nor the start of a range.
            if c == '-' && !is_first && self.peek() != Some(']') {
                return Err(invalid(RANGE));
            }
            is_first = false;
            let start = self.bracket_item(c, &mut set)?;
            if self.peek() != Some('-') || self.follows('-', ']') {
                set.ranges.extend(start.map(|start| (start, start)));
                continue;
            }
            self.rest.next();
            let Some(c) = self.rest.next() else {
                return Err(invalid(BRACKETS));
            };
            let end = self.bracket_item(c, &mut CharSet::default())?;
            let range = start.zip(end).filter(|(start, end)| start <= end);
            set.ranges.push(range.ok_or_else(|| invalid(RANGE))?);
        }
        Ok(Node::plain(Kind::Set(set)))
    }

    /// One character of a bracket, or `None` where a class was added.
    fn bracket_item(&mut self, c: char, set: &mut CharSet) -> Result<Option<char>> {
        match (c, self.peek()) {
            ('[', Some(':')) => {
                let name = self.named(':')?;
                let class = Class::named(&name);
                let class = class.ok_or_else(|| invalid("invalid character class"))?;
                let class = match class {
                    Class::Lower | Class::Upper if self.options.ignore_case => Class::Alpha,
                    other => other,
                };
                set.classes.push((class, false));
                Ok(None)
            }
            ('[', Some('.' | '=')) => {
                let mark = self.peek().unwrap_or('.');
                let name = self.named(mark)?;
                let c = collating_element(&name);
                let c = c.ok_or_else(|| invalid("invalid collating element"))?;
                if mark == '=' {
                    set.ranges.push((c, c));
                    return Ok(None);
                }
                Ok(Some(c))
            }
            ('\\', _) if self.is_advanced() => {
                let mut one = CharSet::default();
                self.escaped(&mut one)?;
                if let Some((c, _)) = one.ranges.first() {
                    return Ok(Some(*c));
                }
                set.classes.append(&mut one.classes);
                Ok(None)
            }
            _ => Ok(Some(c)),
        }
    }

    /// What stands between `[:` and `:]`.
    fn named(&mut self, mark: char) -> Result<String> {
        self.rest.next();
        let mut name = String::new();
        loop {
            match self.rest.next() {
                None => return Err(invalid(BRACKETS)),
                Some(c) if c == mark && self.eat(']') => return Ok(name),
                Some(c) => name.push(c),
            }
        }
    }
}

/// The character of a name in `[.x.]`.
fn collating_element(name: &str) -> Option<char> {
    let mut chars = name.chars();
    if let (Some(c), None) = (chars.next(), chars.next()) {
        return Some(c);
    }
    Some(match name {
        "NUL" => '\0',
        "tab" => '\t',
        "newline" => '\n',
        "carriage-return" => '\r',
        "space" => ' ',
        "hyphen" | "hyphen-minus" => '-',
        "period" | "full-stop" => '.',
        "left-square-bracket" => '[',
        "right-square-bracket" => ']',
        "backslash" | "reverse-solidus" => '\\',
        "circumflex" | "circumflex-accent" => '^',
        _ => return None,
    })
}
