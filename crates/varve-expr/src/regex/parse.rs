//! Reads an expression.

use varve_types::Result;

use super::set::CharSet;
use super::syntax::{Kind, Node, Parsed, Place, Prefers};
use super::{Options, Syntax, invalid, too_complex};

/// The most that a repetition may count.
const REPEAT_MAX: u32 = 255;
const DEPTH_MAX: usize = 100;

/// The characters of an expression and what was met so far.
pub(super) struct Parser<'p> {
    pub(super) rest: core::str::Chars<'p>,
    pub(super) options: Options,
    pub(super) groups: usize,
    /// The groups that are closed: those that a back reference may mean.
    pub(super) closed: Vec<bool>,
    pub(super) has_references: bool,
    pub(super) in_look: bool,
    depth: usize,
}

pub(super) const PARENTHESES: &str = "parentheses () not balanced";
pub(super) const OPERAND: &str = "quantifier operand invalid";
const COUNTS: &str = "invalid repetition count(s)";

/// The longest expression: no longer one has an automaton of a size that is allowed.
const PATTERN_BYTES_MAX: usize = 256 * 1024;

pub(super) fn parse(pattern: &str, mut options: Options) -> Result<Parsed> {
    if pattern.len() > PATTERN_BYTES_MAX {
        return Err(super::too_complex());
    }
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
    pub(super) fn one(&self, c: char) -> Node {
        Node::plain(Kind::Set(CharSet::one(c, self.options.ignore_case)))
    }

    pub(super) fn is_advanced(&self) -> bool {
        self.options.syntax == Syntax::Advanced
    }

    pub(super) fn is_basic(&self) -> bool {
        self.options.syntax == Syntax::Basic
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest.clone().next()
    }

    pub(super) fn eat(&mut self, c: char) -> bool {
        let is_next = self.peek() == Some(c);
        if is_next {
            self.rest.next();
        }
        is_next
    }

    /// What follows the next character, if that is `first`.
    pub(super) fn follows(&self, first: char, second: char) -> bool {
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

    pub(super) fn place(place: Place) -> Result<Node> {
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

    pub(super) fn capture(&mut self) -> Result<Node> {
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
}
