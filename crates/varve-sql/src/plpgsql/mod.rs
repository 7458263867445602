//! The part of PL/pgSQL that trigger functions are written in, as flat code with jumps.
//!
//! DECLARE, assignments, IF, RETURN, RAISE, PERFORM, NULL, statements of SQL and `INTO`. What
//! stands between the words of the language is SQL: it is parsed once, as a piece of its own, and
//! its position in the body is kept for errors. Anything else answers `0A000` with its name.

use varve_parser::{Keyword, Lexeme, Parser, Token, tokenize};
use varve_types::{Error, Result, SqlState};

use crate::parse::{ParsedStatement, parse};

/// Most steps of a body.
const STEPS_MAX: usize = 10_000;
/// Deepest nesting of IF.
const DEPTH_MAX: u32 = 50;

/// A body that was read.
#[derive(Debug, Default)]
pub struct Code {
    /// What is done, one after the other.
    pub steps: Vec<Step>,
    /// The pieces of SQL that steps name by number.
    pub pieces: Vec<ParsedStatement>,
    /// The variables of DECLARE.
    pub variables: Vec<Declared>,
}

/// A variable of DECLARE.
#[derive(Debug)]
pub struct Declared {
    /// Its name, as it was folded.
    pub name: String,
    /// Its type, as it is written.
    pub type_text: String,
    /// The piece that gives its first value.
    pub value: Option<usize>,
}

/// The name of a variable, or of a field of NEW.
pub type Target = (Option<String>, String);

/// A step of a body; numbers are of pieces, or for jumps of steps.
#[derive(Debug)]
pub enum Step {
    /// `target := piece`
    Assign(Target, usize),
    /// Goes on elsewhere where the piece is not true.
    JumpUnless(usize, usize),
    /// Goes on elsewhere.
    Jump(usize),
    /// A statement; its first row goes to the targets. With STRICT there is one row only.
    Sql {
        /// The statement.
        piece: usize,
        /// `INTO`
        into: Vec<Target>,
        /// `STRICT`
        strict: bool,
    },
    /// `RETURN`, of a value, of a record by its name, or of nothing.
    Return(Returned),
    /// `RAISE`
    Raise(Raise),
}

/// What is returned.
#[derive(Debug)]
pub enum Returned {
    /// The row as it is, by the end of a body in SQL.
    Unchanged,
    /// The row with what a query has of its columns, none where that gives no row.
    Row(usize),
    /// Nothing.
    Nothing,
    /// `NEW` or `OLD`.
    Record(String),
    /// A value.
    Value(usize),
}

/// `RAISE level 'format', values USING option = value`
#[derive(Debug)]
pub struct Raise {
    /// `NOTICE` and so on, in upper case.
    pub level: String,
    /// With `%` for each value.
    pub format: String,
    /// The values.
    pub values: Vec<usize>,
    /// The names of options, in lower case, and their values.
    pub options: Vec<(String, usize)>,
    /// A SQLSTATE or the name of a condition.
    pub condition: Option<String>,
}

impl Code {
    /// The body in SQL: statements, the last of which may give rows.
    pub(crate) fn of_statements(text: &str) -> Result<Code> {
        let pieces = parse(text)?;
        let last = pieces.len().checked_sub(1);
        let steps = (0..pieces.len()).map(|piece| match Some(piece) == last {
            true => Step::Return(Returned::Row(piece)),
            false => Step::Sql {
                piece,
                into: Vec::new(),
                strict: false,
            },
        });
        let mut steps: Vec<Step> = steps.collect();
        steps.push(Step::Return(Returned::Unchanged));
        Ok(Code {
            steps,
            pieces,
            variables: Vec::new(),
        })
    }

    /// A body that returns a value.
    pub(crate) fn of_value(text: &str) -> Result<Code> {
        Ok(Code {
            steps: vec![Step::Return(Returned::Value(0))],
            pieces: parse(&format!("SELECT {text}"))?,
            variables: Vec::new(),
        })
    }
}

/// Reads a body.
pub(crate) fn parse_body(text: &str) -> Result<Code> {
    let lexemes = tokenize(text);
    let (end, tokens) = lexemes
        .split_last()
        .ok_or_else(|| Error::internal("a text without an end"))?;
    let mut reader = Reader {
        parser: Parser::new(text, tokens, *end),
        code: Code::default(),
        depth: 0,
    };
    reader.body()?;
    Ok(reader.code)
}

struct Reader<'a> {
    parser: Parser<'a>,
    code: Code,
    depth: u32,
}

impl Reader<'_> {
    fn body(&mut self) -> Result<()> {
        if self.parser.parse_word("declare") {
            while !self.parser.peek_word("begin") {
                self.declaration()?;
            }
        }
        self.parser.expect_word("begin")?;
        self.steps(&["end", "exception"])?;
        let next = self.parser.peek_token();
        if self.parser.peek_word("exception") {
            return Err(unsupported("EXCEPTION", next));
        }
        self.parser.expect_word("end")?;
        let _ = self.parser.consume_token(&Token::SemiColon);
        let next = self.parser.peek_token();
        match next.token {
            Token::EOF => Ok(()),
            _ => Err(self.parser.error_at(next)),
        }
    }

    fn declaration(&mut self) -> Result<()> {
        let name = self.parser.parse_identifier()?;
        let _ = self.parser.parse_word("constant");
        let start = self.parser.peek_token();
        self.parser.parse_data_type()?;
        let behind = self.parser.peek_token();
        let type_text = self
            .parser
            .text_between(start, behind)
            .trim_end()
            .to_owned();
        let has_value = self.parser.parse_word("default") || self.assignment();
        let value = match has_value {
            true => Some(self.value(&[])?),
            false => None,
        };
        self.parser.expect_token(&Token::SemiColon)?;
        self.code.variables.push(Declared {
            name: crate::bind::fold_name(&name),
            type_text,
            value,
        });
        Ok(())
    }

    fn assignment(&mut self) -> bool {
        self.parser.consume_token(&Token::Assignment) || self.parser.consume_token(&Token::Eq)
    }

    /// Steps up to one of these words.
    fn steps(&mut self, ends: &[&str]) -> Result<()> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(crate::parse::too_deep().at(self.parser.peek_token().position));
        }
        while !ends.iter().any(|word| self.parser.peek_word(word)) {
            let next = self.parser.peek_token();
            if next.token == Token::EOF {
                return Err(self.parser.error_at(next));
            }
            if self.code.steps.len() > STEPS_MAX {
                let message = "the body of the function is too long";
                return Err(Error::new(SqlState::PROGRAM_LIMIT_EXCEEDED, message));
            }
            self.step(next)?;
        }
        self.depth -= 1;
        Ok(())
    }

    fn step(&mut self, first: Lexeme) -> Result<()> {
        let word = match first.token {
            Token::Word => self.parser.text_of(first).to_ascii_lowercase(),
            _ => String::new(),
        };
        match word.as_str() {
            "if" => {
                self.parser.next_token();
                self.branches()?;
            }
            "return" => {
                self.parser.next_token();
                let returned = self.returned()?;
                self.code.steps.push(Step::Return(returned));
            }
            "raise" => {
                self.parser.next_token();
                let raise = self.raise()?;
                self.code.steps.push(Step::Raise(raise));
            }
            "null" => {
                self.parser.next_token();
            }
            "perform" => {
                self.parser.next_token();
                let piece = self.value(&[])?;
                self.code.steps.push(Step::Sql {
                    piece,
                    into: Vec::new(),
                    strict: false,
                });
            }
            "loop" | "while" | "for" | "foreach" | "exit" | "continue" | "case" | "execute"
            | "get" | "open" | "fetch" | "close" | "move" | "declare" | "begin" | "assert"
            | "call" | "commit" | "rollback" => {
                return Err(unsupported(&word.to_ascii_uppercase(), first));
            }
            _ => match self
                .parser
                .maybe_parse(|parser| target_of_assignment(parser))?
            {
                Some(target) => {
                    let piece = self.value(&[])?;
                    self.code.steps.push(Step::Assign(target, piece));
                }
                None => self.statement()?,
            },
        }
        self.parser.expect_token(&Token::SemiColon)?;
        Ok(())
    }

    /// What follows IF.
    fn branches(&mut self) -> Result<()> {
        let mut ends = Vec::new();
        loop {
            let condition = self.value(&["then"])?;
            self.parser.expect_word("then")?;
            let test = self.code.steps.len();
            self.code.steps.push(Step::JumpUnless(condition, 0));
            self.steps(&["elsif", "elseif", "else", "end"])?;
            ends.push(self.code.steps.len());
            self.code.steps.push(Step::Jump(0));
            let next = self.code.steps.len();
            if let Some(step) = self.code.steps.get_mut(test) {
                *step = Step::JumpUnless(condition, next);
            }
            if self.parser.parse_word("elsif") || self.parser.parse_word("elseif") {
                continue;
            }
            if self.parser.parse_word("else") {
                self.steps(&["end"])?;
            }
            break;
        }
        let behind = self.code.steps.len();
        for end in ends {
            if let Some(step) = self.code.steps.get_mut(end) {
                *step = Step::Jump(behind);
            }
        }
        self.parser.expect_word("end")?;
        self.parser.expect_word("if")
    }

    fn returned(&mut self) -> Result<Returned> {
        let next = self.parser.peek_token();
        if next.token == Token::SemiColon {
            return Ok(Returned::Nothing);
        }
        for word in ["next", "query"] {
            if self.parser.peek_word(word) {
                let what = format!("RETURN {}", word.to_ascii_uppercase());
                return Err(unsupported(&what, next));
            }
        }
        let ends = self.parser.peek_nth_token(1).token == Token::SemiColon;
        for record in ["new", "old"] {
            if ends && self.parser.parse_word(record) {
                return Ok(Returned::Record(record.to_owned()));
            }
        }
        self.value(&[]).map(Returned::Value)
    }

    fn raise(&mut self) -> Result<Raise> {
        let first = self.parser.peek_token();
        let levels = ["debug", "log", "info", "notice", "warning", "exception"];
        let level = levels.iter().find(|level| self.parser.parse_word(level));
        let mut raise = Raise {
            level: level.unwrap_or(&"exception").to_ascii_uppercase(),
            format: String::new(),
            values: Vec::new(),
            options: Vec::new(),
            condition: None,
        };
        let next = self.parser.peek_token();
        match next.token {
            Token::SemiColon => return Err(unsupported("RAISE without a message", first)),
            Token::Word if self.parser.peek_word("using") => {}
            Token::Word if self.parser.parse_word("sqlstate") => {
                raise.condition = Some(self.parser.parse_literal_string()?);
            }
            Token::Word => {
                let name = self.parser.parse_label()?;
                raise.condition = Some(crate::bind::fold_name(&name));
            }
            _ => {
                raise.format = self.parser.parse_literal_string()?;
                while self.parser.consume_token(&Token::Comma) {
                    let value = self.value(&[",", "using"])?;
                    raise.values.push(value);
                }
            }
        }
        if self.parser.parse_word("using") {
            loop {
                let name = self.parser.parse_label()?.value.to_ascii_lowercase();
                if !self.assignment() {
                    return Err(self.parser.error_at(self.parser.peek_token()));
                }
                let value = self.value(&[","])?;
                raise.options.push((name, value));
                if !self.parser.consume_token(&Token::Comma) {
                    break;
                }
            }
        }
        let places = raise.format.replace("%%", "").matches('%').count();
        if raise.condition.is_none() && places != raise.values.len() {
            let message = match places > raise.values.len() {
                true => "too few parameters specified for RAISE",
                false => "too many parameters specified for RAISE",
            };
            return Err(Error::new(SqlState::SYNTAX_ERROR, message).at(first.position));
        }
        Ok(raise)
    }

    /// A value: SQL up to a semicolon or, outside of parentheses and CASE, one of these words.
    fn value(&mut self, ends: &[&str]) -> Result<usize> {
        let (start, behind) = self.sql(ends);
        if start.position == behind.position {
            return Err(self.parser.error_at(behind));
        }
        let text = self.parser.text_between(start, behind).to_owned();
        self.piece("SELECT ", &text, start)
    }

    /// A statement of SQL, with INTO or without.
    fn statement(&mut self) -> Result<()> {
        let first = self.parser.peek_token();
        let at = self.parser.index();
        let (start, behind) = self.sql(&[]);
        let end = self.parser.index();
        while self.parser.index() > at {
            self.parser.prev_token();
        }
        let mut into = Vec::new();
        let mut strict = false;
        let mut depth = 0_i32;
        let mut cut: Option<(Lexeme, Lexeme)> = None;
        let has_target = |keyword| matches!(keyword, Keyword::INSERT | Keyword::MERGE);
        let mut before = Keyword::NoKeyword;
        while self.parser.index() < end {
            let next = self.parser.next_token();
            match next.token {
                Token::LParen => depth += 1,
                Token::RParen => depth -= 1,
                Token::Word
                    if depth == 0
                        && next.keyword == Keyword::INTO
                        && !has_target(before)
                        && cut.is_none() =>
                {
                    strict = self.parser.parse_word("strict");
                    loop {
                        into.push(target(&mut self.parser)?);
                        if !self.parser.consume_token(&Token::Comma) {
                            break;
                        }
                    }
                    cut = Some((next, self.parser.peek_token()));
                }
                _ => {}
            }
            before = next.keyword;
        }
        let text = match cut {
            None => self.parser.text_between(start, behind).to_owned(),
            Some((from, to)) => {
                let head = self.parser.text_between(start, from);
                // The words behind keep their places.
                let blank = self.parser.text_between(from, to).chars().map(|_| ' ');
                let blank: String = blank.collect();
                format!("{head}{blank}{}", self.parser.text_between(to, behind))
            }
        };
        let piece = self.piece("", &text, first)?;
        self.code.steps.push(Step::Sql {
            piece,
            into,
            strict,
        });
        Ok(())
    }

    /// Passes over SQL; answers its first token and the one behind it.
    fn sql(&mut self, ends: &[&str]) -> (Lexeme, Lexeme) {
        let start = self.parser.peek_token();
        let (mut depth, mut cases) = (0_i32, 0_u32);
        loop {
            let next = self.parser.peek_token();
            let text = self.parser.text_of(next);
            let is_end = ends.iter().any(|word| text.eq_ignore_ascii_case(word));
            match next.token {
                Token::SemiColon | Token::EOF | Token::Invalid(_) => return (start, next),
                Token::LParen | Token::LBracket => depth += 1,
                Token::RParen | Token::RBracket => depth -= 1,
                _ if depth == 0 && cases == 0 && is_end => return (start, next),
                _ => match next.keyword {
                    Keyword::CASE => cases += 1,
                    Keyword::END => cases = cases.saturating_sub(1),
                    _ => {}
                },
            }
            self.parser.next_token();
        }
    }

    /// Parses a piece of SQL that stands in the body from a token on.
    fn piece(&mut self, before: &str, text: &str, start: Lexeme) -> Result<usize> {
        let place = |error: Error| {
            let own = u32::try_from(before.len()).unwrap_or(u32::MAX);
            let position = error.position().unwrap_or(1).saturating_sub(own).max(1);
            let position = start.position.saturating_add(position).saturating_sub(1);
            error.without_position().at(position)
        };
        let mut parsed = parse(&format!("{before}{}", text.trim_end())).map_err(place)?;
        let (Some(piece), true) = (parsed.pop(), parsed.is_empty()) else {
            return Err(self.parser.error_at(start));
        };
        self.code.pieces.push(piece);
        Ok(self.code.pieces.len() - 1)
    }
}

/// `name`, `record.field`
fn target(parser: &mut Parser<'_>) -> Result<Target> {
    let first = crate::bind::fold_name(&parser.parse_label()?);
    if !parser.consume_token(&Token::Period) {
        return Ok((None, first));
    }
    let field = crate::bind::fold_name(&parser.parse_label()?);
    Ok((Some(first), field))
}

fn target_of_assignment(parser: &mut Parser<'_>) -> Result<Target> {
    let target = target(parser)?;
    let found = parser.consume_token(&Token::Assignment) || parser.consume_token(&Token::Eq);
    match found {
        true => Ok(target),
        false => Err(parser.error_at(parser.peek_token())),
    }
}

/// `0A000`
fn unsupported(what: &str, at: Lexeme) -> Error {
    Error::unsupported(format!("{what} in PL/pgSQL")).at(at.position)
}
