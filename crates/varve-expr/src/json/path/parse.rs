//! Paths from text.

use varve_types::{Error, Result, SqlState};

use super::lex::{Lexer, Token};
use super::{Chain, FLAG_EXPANDED, FLAG_QUOTE, FLAGS, Item, Method, Operator, Path};
use crate::json::parse::too_deep;

/// Deepest nesting of parentheses, filters and subscripts.
const NESTING_MAX: usize = 60;
/// Most operators and steps: the tree is walked by recursion.
const ITEMS_MAX: usize = 500;

/// The input function of `jsonpath`: `42601`, `22P02`.
pub(crate) fn parse_path(text: &str) -> Result<Path> {
    let mut parser = Parser {
        lexer: Lexer::new(text)?,
        depth: 0,
        items: 0,
    };
    let mut lax = true;
    if let Token::Word(word) = &parser.lexer.token {
        let word = word.to_ascii_lowercase();
        if word == "strict" || word == "lax" {
            lax = word == "lax";
            parser.lexer.advance()?;
        }
    }
    if parser.lexer.token == Token::End && text.trim().is_empty() {
        return Err(Error::new(
            SqlState::INVALID_TEXT_REPRESENTATION,
            format!("invalid input syntax for type jsonpath: \"{text}\""),
        ));
    }
    let (chain, _) = parser.binary(0)?;
    if parser.lexer.token != Token::End {
        return Err(parser.lexer.unexpected());
    }
    check(&chain, false, false)?;
    Ok(Path { lax, chain })
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    depth: usize,
    items: usize,
}

/// A chain, and whether it is a predicate and not a value.
type Parsed = (Chain, bool);

fn word_is(token: &Token, word: &str) -> bool {
    matches!(token, Token::Word(found) if found.eq_ignore_ascii_case(word))
}

impl Parser<'_> {
    fn at(&self, symbol: &str) -> bool {
        matches!(self.lexer.token, Token::Symbol(found) if found == symbol)
    }

    fn at_word(&self, word: &str) -> bool {
        word_is(&self.lexer.token, word)
    }

    fn take(&mut self, symbol: &str) -> Result<bool> {
        let found = self.at(symbol);
        if found {
            self.lexer.advance()?;
        }
        Ok(found)
    }

    fn expect(&mut self, symbol: &str) -> Result<()> {
        match self.take(symbol)? {
            true => Ok(()),
            false => Err(self.lexer.unexpected()),
        }
    }

    fn expect_word(&mut self, word: &str) -> Result<()> {
        if !self.at_word(word) {
            return Err(self.lexer.unexpected());
        }
        self.lexer.advance()
    }

    /// Refuses what was parsed last unless it is a predicate, or a value.
    fn want(&self, parsed: Parsed, predicate: bool) -> Result<Chain> {
        if parsed.1 == predicate {
            Ok(parsed.0)
        } else {
            Err(self.lexer.unexpected())
        }
    }

    fn count(&mut self) -> Result<()> {
        self.items += 1;
        if self.items > ITEMS_MAX {
            return Err(too_deep());
        }
        Ok(())
    }

    /// A value or predicate of operators that bind at least so tightly.
    fn binary(&mut self, least: u8) -> Result<Parsed> {
        let mut left = self.unary()?;
        loop {
            if self.at_word("like_regex") && least <= 2 {
                let input = self.want(left, false)?;
                left = (vec![self.like_regex(input)?], true);
                continue;
            }
            let operator = match &self.lexer.token {
                Token::Symbol(symbol) => match *symbol {
                    "||" => Operator::Or,
                    "&&" => Operator::And,
                    "==" => Operator::Equal,
                    "!=" | "<>" => Operator::NotEqual,
                    "<" => Operator::Less,
                    "<=" => Operator::LessOrEqual,
                    ">" => Operator::Greater,
                    ">=" => Operator::GreaterOrEqual,
                    "+" => Operator::Plus,
                    "-" => Operator::Minus,
                    "*" => Operator::Times,
                    "/" => Operator::Divide,
                    "%" => Operator::Modulo,
                    _ => return Ok(left),
                },
                word if word_is(word, "starts") => Operator::StartsWith,
                _ => return Ok(left),
            };
            let priority = operator.priority();
            if priority < least {
                return Ok(left);
            }
            let of_predicates = matches!(operator, Operator::Or | Operator::And);
            let first = self.want(left, of_predicates)?;
            self.lexer.advance()?;
            self.count()?;
            let second = if operator == Operator::StartsWith {
                self.expect_word("with")?;
                let start = match &self.lexer.token {
                    Token::String(text) => Item::String(text.clone()),
                    Token::Variable(name) => Item::Variable(name.clone()),
                    _ => return Err(self.lexer.unexpected()),
                };
                self.lexer.advance()?;
                vec![start]
            } else {
                let second = self.binary(priority + 1)?;
                self.want(second, of_predicates)?
            };
            let item = Item::Binary(operator, Box::new((first, second)));
            left = (vec![item], operator.is_predicate());
        }
    }

    fn like_regex(&mut self, input: Chain) -> Result<Item> {
        self.lexer.advance()?;
        let Token::String(pattern) = self.lexer.token.clone() else {
            return Err(self.lexer.unexpected());
        };
        self.lexer.advance()?;
        let mut flags = 0;
        if self.at_word("flag") {
            self.lexer.advance()?;
            let Token::String(letters) = self.lexer.token.clone() else {
                return Err(self.lexer.unexpected());
            };
            self.lexer.advance()?;
            for letter in letters.chars() {
                let Some(bit) = FLAGS.iter().position(|flag| *flag == letter) else {
                    return Err(Error::new(
                        SqlState::SYNTAX_ERROR,
                        "invalid input syntax for type jsonpath",
                    )
                    .with_detail(format!(
                        "Unrecognized flag character \"{letter}\" in LIKE_REGEX predicate."
                    )));
                };
                flags |= 1 << bit;
            }
        }
        if flags & FLAG_EXPANDED != 0 && flags & FLAG_QUOTE == 0 {
            return Err(Error::new(
                SqlState::FEATURE_NOT_SUPPORTED,
                "XQuery \"x\" flag (expanded regular expressions) is not implemented",
            ));
        }
        super::regex(&pattern, flags)?;
        Ok(Item::LikeRegex {
            input,
            pattern,
            flags,
        })
    }

    fn unary(&mut self) -> Result<Parsed> {
        self.depth += 1;
        if self.depth > NESTING_MAX {
            return Err(too_deep());
        }
        let parsed = if self.take("+")? {
            self.sign(Operator::Plus)
        } else if self.take("-")? {
            self.sign(Operator::Minus)
        } else if self.take("!")? {
            self.negation()
        } else {
            self.path()
        };
        self.depth -= 1;
        parsed
    }

    fn sign(&mut self, operator: Operator) -> Result<Parsed> {
        let input = self.unary()?;
        let input = self.want(input, false)?;
        if let [Item::Number(number)] = input.as_slice() {
            let number = match operator {
                Operator::Minus => number.negated(),
                _ => *number,
            };
            return Ok((vec![Item::Number(number)], false));
        }
        Ok((vec![Item::Unary(operator, input)], false))
    }

    /// What follows `!`: a predicate in parentheses, or `exists`.
    fn negation(&mut self) -> Result<Parsed> {
        if !self.at("(") && !self.at_word("exists") {
            return Err(self.lexer.unexpected());
        }
        let input = self.primary()?;
        let input = self.want(input, true)?;
        Ok((vec![Item::Unary(Operator::Not, input)], true))
    }

    /// Something with the steps behind it.
    fn path(&mut self) -> Result<Parsed> {
        let (mut chain, mut is_predicate) = self.primary()?;
        let is_delimited = !matches!(chain.as_slice(), [Item::Unary(Operator::Exists, _)]);
        if is_predicate && self.at_word("is") {
            self.lexer.advance()?;
            self.expect_word("unknown")?;
            return Ok((vec![Item::Unary(Operator::IsUnknown, chain)], true));
        }
        while is_delimited && let Some(step) = self.step()? {
            self.count()?;
            chain.push(step);
            is_predicate = false;
        }
        Ok((chain, is_predicate))
    }

    fn primary(&mut self) -> Result<Parsed> {
        let item = match self.lexer.token.clone() {
            Token::String(text) => Item::String(text),
            Token::Number(number) => Item::Number(number),
            Token::Variable(name) => Item::Variable(name),
            Token::Symbol("$") => Item::Root,
            Token::Symbol("@") => Item::Current,
            Token::Symbol("(") => {
                self.lexer.advance()?;
                let inner = self.binary(0)?;
                self.expect(")")?;
                return Ok(inner);
            }
            // The literals are words in lower case only.
            Token::Word(word) if word == "null" => Item::Null,
            Token::Word(word) if word == "true" => Item::Boolean(true),
            Token::Word(word) if word == "false" => Item::Boolean(false),
            Token::Word(word) if word.eq_ignore_ascii_case("last") => Item::Last,
            Token::Word(word) if word.eq_ignore_ascii_case("exists") => {
                self.lexer.advance()?;
                self.expect("(")?;
                let inner = self.binary(0)?;
                let inner = self.want(inner, false)?;
                self.expect(")")?;
                return Ok((vec![Item::Unary(Operator::Exists, inner)], true));
            }
            _ => return Err(self.lexer.unexpected()),
        };
        self.lexer.advance()?;
        Ok((vec![item], false))
    }

    fn step(&mut self) -> Result<Option<Item>> {
        if self.take("?")? {
            self.expect("(")?;
            let condition = self.binary(0)?;
            let condition = self.want(condition, true)?;
            self.expect(")")?;
            return Ok(Some(Item::Filter(condition)));
        }
        if self.take("[")? {
            return self.subscripts().map(Some);
        }
        if !self.take(".")? {
            return Ok(None);
        }
        if self.take("*")? {
            return Ok(Some(Item::AnyKey));
        }
        if self.take("**")? {
            return self.any_depth().map(Some);
        }
        let (Token::Word(name) | Token::String(name)) = self.lexer.token.clone() else {
            return Err(self.lexer.unexpected());
        };
        let is_word = matches!(self.lexer.token, Token::Word(_));
        self.lexer.advance()?;
        let lower = name.to_ascii_lowercase();
        let method = Method::named(&lower).filter(|_| is_word);
        if !self.at("(") || (method.is_none() && !(is_word && lower == "datetime")) {
            return Ok(Some(Item::Key(name)));
        }
        self.lexer.advance()?;
        let item = match method {
            Some(method) => Item::Method(method),
            None => {
                let mut template = None;
                if let Token::String(text) = &self.lexer.token {
                    template = Some(text.clone());
                    self.lexer.advance()?;
                }
                Item::Datetime(template)
            }
        };
        self.expect(")")?;
        Ok(Some(item))
    }

    fn subscripts(&mut self) -> Result<Item> {
        if self.take("*")? {
            self.expect("]")?;
            return Ok(Item::AnyElement);
        }
        let mut subscripts = Vec::new();
        loop {
            let from = self.binary(0)?;
            let from = self.want(from, false)?;
            let mut to = None;
            if self.at_word("to") {
                self.lexer.advance()?;
                let end = self.binary(0)?;
                to = Some(self.want(end, false)?);
            }
            subscripts.push((from, to));
            if self.take("]")? {
                return Ok(Item::Elements(subscripts));
            }
            self.expect(",")?;
        }
    }

    fn any_depth(&mut self) -> Result<Item> {
        let (mut first, mut last) = (0, u32::MAX);
        if self.take("{")? {
            first = self.level()?;
            last = first;
            if self.at_word("to") {
                self.lexer.advance()?;
                last = self.level()?;
            }
            self.expect("}")?;
        }
        Ok(Item::AnyDepth { first, last })
    }

    fn level(&mut self) -> Result<u32> {
        let level = match &self.lexer.token {
            Token::Number(number) if number.scale() == 0 => {
                number.to_i64().and_then(|level| u32::try_from(level).ok())
            }
            token if word_is(token, "last") => Some(u32::MAX),
            _ => None,
        };
        let level = level.ok_or_else(|| self.lexer.unexpected())?;
        self.lexer.advance()?;
        Ok(level)
    }
}

/// Refuses `@` outside filters and `last` outside subscripts.
fn check(chain: &[Item], in_filter: bool, in_subscript: bool) -> Result<()> {
    let misplaced = |message: &str| Err(Error::new(SqlState::SYNTAX_ERROR, message));
    for item in chain {
        match item {
            Item::Current if !in_filter => {
                return misplaced("@ is not allowed in root expressions");
            }
            Item::Last if !in_subscript => {
                return misplaced("LAST is allowed only in array subscripts");
            }
            Item::Filter(condition) => check(condition, true, in_subscript)?,
            Item::Elements(subscripts) => {
                for (from, to) in subscripts {
                    check(from, in_filter, true)?;
                    check(to.as_deref().unwrap_or_default(), in_filter, true)?;
                }
            }
            Item::Binary(_, sides) => {
                check(&sides.0, in_filter, in_subscript)?;
                check(&sides.1, in_filter, in_subscript)?;
            }
            Item::Unary(_, input) | Item::LikeRegex { input, .. } => {
                check(input, in_filter, in_subscript)?;
            }
            _ => {}
        }
    }
    Ok(())
}
