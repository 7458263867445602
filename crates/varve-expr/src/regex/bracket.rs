//! Bracket expressions: `[a-z[:digit:]]`.

use varve_types::Result;

use super::invalid;
use super::parse::Parser;
use super::set::{CharSet, Class};
use super::syntax::{Kind, Node, Place};

const BRACKETS: &str = "brackets [] not balanced";
const RANGE: &str = "invalid character range";

impl Parser<'_> {
    /// What stands behind an opening bracket.
    pub(super) fn bracket(&mut self) -> Result<Node> {
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
