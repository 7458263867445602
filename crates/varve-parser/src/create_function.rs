//! CREATE, ALTER and DROP FUNCTION.
//!
//! The body is kept as text: what language it is in decides who reads it.

use sqlparser::ast::{DataType, Ident, ObjectName};
use varve_types::{Error, Result, SqlState};

use crate::keyword::Keyword;
use crate::parser::Parser;
use crate::token::Token;

/// `CREATE [OR REPLACE] FUNCTION`
#[derive(Debug)]
pub struct CreateFunction {
    /// `OR REPLACE`
    pub or_replace: bool,
    /// Its name.
    pub name: ObjectName,
    /// Its arguments, and the columns of RETURNS TABLE.
    pub arguments: Vec<FunctionArgument>,
    /// `RETURNS`
    pub returns: Option<FunctionReturns>,
    /// What is said of it beside.
    pub options: FunctionOptions,
    /// Its body.
    pub body: Option<FunctionBody>,
}

/// The body of a function.
#[derive(Debug)]
pub struct FunctionBody {
    /// Its text: statements.
    pub text: String,
    /// How many characters stand before it in the statement; `None` where it does not stand there
    /// as it is.
    pub behind: Option<u32>,
    /// Whether it is statements, else a text.
    pub is_statements: bool,
}

impl FunctionBody {
    /// What was found of the text, errors at their places in the statement.
    pub fn placed<T>(&self, found: Result<T>) -> Result<T> {
        found.map_err(|error| match self.behind {
            Some(behind) => error.moved(behind),
            None => error.without_position(),
        })
    }
}

/// `DO`
#[derive(Debug)]
pub struct DoBlock {
    /// The block.
    pub body: FunctionBody,
    /// `LANGUAGE`, in lower case.
    pub language: Option<String>,
}

/// An argument of a function, where it is made or named.
#[derive(Debug)]
pub struct FunctionArgument {
    /// What it is for.
    pub mode: ArgumentMode,
    /// Its name.
    pub name: Option<Ident>,
    /// Its type.
    pub data_type: Box<DataType>,
    /// The text of its default, and where it stands.
    pub default: Option<(String, u32)>,
    /// Where it stands.
    pub position: u32,
}

/// What an argument is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentMode {
    /// It is given.
    In,
    /// It is a column of the result.
    Out,
    /// Both.
    InOut,
    /// What is given from its place on, as an array.
    Variadic,
    /// It is a column of `RETURNS TABLE`.
    Table,
}

/// `RETURNS [SETOF] type`, `RETURNS TABLE (...)`
#[derive(Debug)]
pub struct FunctionReturns {
    /// Whether it gives any number of rows.
    pub set: bool,
    /// The type; `None` for TABLE.
    pub data_type: Option<Box<DataType>>,
    /// Where it stands.
    pub position: u32,
}

/// What is said of a function; `None` where nothing is.
#[derive(Debug, Default)]
pub struct FunctionOptions {
    /// `LANGUAGE`
    pub language: Option<String>,
    /// `IMMUTABLE`, `STABLE`, `VOLATILE`, by its first letter.
    pub volatility: Option<char>,
    /// `STRICT`
    pub strict: Option<bool>,
    /// What changes no result here, since there is one role and no plan is chosen by costs: with
    /// its words, and the number that is given.
    pub unused: Vec<(&'static str, Option<String>)>,
}

/// A function that a statement names.
#[derive(Debug)]
pub struct FunctionName {
    /// Its name.
    pub name: ObjectName,
    /// Its arguments, where they are written.
    pub arguments: Option<Vec<FunctionArgument>>,
}

/// What ALTER FUNCTION does.
#[derive(Debug)]
pub enum FunctionAction {
    /// `RENAME TO`
    RenameTo(Ident),
    /// `SET SCHEMA`
    SetSchema(Ident),
    /// `OWNER TO`, as [`Parser::parse_role`] has it.
    Owner(Option<Ident>),
    /// Other options.
    Options(FunctionOptions),
}

impl Parser<'_> {
    /// What follows `CREATE [OR REPLACE] FUNCTION`.
    pub fn parse_create_function(&mut self, or_replace: bool) -> Result<Box<CreateFunction>> {
        let name = self.parse_function_name()?;
        let mut arguments = self.function_arguments(true)?;
        let mut returns = None;
        let next = self.peek_token();
        if self.parse_keyword(Keyword::RETURNS) {
            let position = next.position;
            returns = Some(if self.parse_keyword(Keyword::TABLE) {
                let columns = self.parse_parenthesized(|parser| {
                    let position = parser.peek_token().position;
                    Ok(FunctionArgument {
                        mode: ArgumentMode::Table,
                        name: Some(parser.parse_label()?),
                        data_type: Box::new(parser.parse_data_type()?),
                        default: None,
                        position,
                    })
                })?;
                arguments.extend(columns);
                FunctionReturns {
                    set: true,
                    data_type: None,
                    position,
                }
            } else {
                FunctionReturns {
                    set: self.parse_word("setof"),
                    data_type: Some(Box::new(self.parse_data_type()?)),
                    position,
                }
            });
        }
        let mut options = FunctionOptions::default();
        let mut body = None;
        loop {
            let next = self.peek_token();
            if self.function_option(&mut options)? {
                continue;
            }
            let found = if self.parse_keyword(Keyword::AS) {
                let text = self.function_text()?;
                if self.peek_token().token == Token::Comma {
                    let what = "an object file as the body of a function";
                    return Err(Error::unsupported(what).at(next.position));
                }
                text
            } else if self.parse_word("return") {
                let start = self.peek_token();
                self.parse_expr()?;
                let text = self.text_between(start, self.peek_token()).trim_end();
                let select = "SELECT ";
                let taken = u32::try_from(select.len()).unwrap_or(u32::MAX);
                FunctionBody {
                    text: format!("{select}{text}"),
                    behind: start.position.checked_sub(taken.saturating_add(1)),
                    is_statements: true,
                }
            } else if self.peek_keyword(Keyword::BEGIN) && self.second_is(Keyword::ATOMIC) {
                self.atomic_body()?
            } else {
                break;
            };
            if body.replace(found).is_some() {
                return Err(redundant(next.position));
            }
        }
        Ok(Box::new(CreateFunction {
            or_replace,
            name,
            arguments,
            returns,
            options,
            body,
        }))
    }

    /// What follows `DO`.
    pub fn parse_do(&mut self) -> Result<DoBlock> {
        let (mut body, mut language) = (None, None);
        loop {
            let next = self.peek_token();
            let was_said = if self.parse_word("language") {
                language.replace(self.language()?).is_some()
            } else if Parser::is_string(next.token) {
                body.replace(self.function_text()?).is_some()
            } else {
                break;
            };
            if was_said {
                return Err(redundant(next.position));
            }
        }
        match body {
            Some(body) => Ok(DoBlock { body, language }),
            None => self.unexpected(),
        }
    }

    /// What follows `LANGUAGE`.
    fn language(&mut self) -> Result<String> {
        let name = match Parser::is_string(self.peek_token().token) {
            true => self.parse_literal_string()?,
            false => self.parse_label()?.value,
        };
        Ok(name.to_ascii_lowercase())
    }

    /// A body in quotes.
    fn function_text(&mut self) -> Result<FunctionBody> {
        let start = self.peek_token();
        let text = self.parse_literal_string()?;
        let written = self.text_of(start);
        let before = written.find(&text).filter(|_| !text.contains('\''));
        let before = before.and_then(|bytes| written.get(..bytes));
        let before = before.map(|before| before.chars().count());
        let before = before.and_then(|count| u32::try_from(count).ok());
        Ok(FunctionBody {
            text,
            behind: before.map(|count| start.position.saturating_sub(1) + count),
            is_statements: false,
        })
    }

    /// The text of the statements between `BEGIN ATOMIC` and the END of them.
    fn atomic_body(&mut self) -> Result<FunctionBody> {
        self.next_token();
        self.next_token();
        let start = self.peek_token();
        let mut depth = 1_u32;
        loop {
            let next = self.next_token();
            match next.keyword {
                Keyword::CASE => depth += 1,
                Keyword::END => depth -= 1,
                _ if next.token == Token::EOF => return Err(self.error_at(next)),
                _ => {}
            }
            if depth == 0 {
                return Ok(FunctionBody {
                    text: self.text_between(start, next).trim_end().to_owned(),
                    behind: Some(start.position.saturating_sub(1)),
                    is_statements: true,
                });
            }
        }
    }

    /// One of the words that say something of a function; `false` where none comes next.
    fn function_option(&mut self, options: &mut FunctionOptions) -> Result<bool> {
        let next = self.peek_token();
        let word = self.text_of(next).to_ascii_lowercase();
        let was_said = match word.as_str() {
            "language" => {
                self.next_token();
                options.language.replace(self.language()?).is_some()
            }
            "immutable" | "stable" | "volatile" => {
                self.next_token();
                let first = word.chars().next().unwrap_or('v');
                options.volatility.replace(first).is_some()
            }
            "strict" => {
                self.next_token();
                options.strict.replace(true).is_some()
            }
            "called" | "returns" => {
                self.next_token();
                if word == "returns" {
                    self.expect_word("null")?;
                }
                self.expect_word("on")?;
                self.expect_word("null")?;
                self.expect_word("input")?;
                options.strict.replace(word == "returns").is_some()
            }
            "leakproof" | "not" | "external" | "security" | "parallel" | "cost" | "rows" => {
                self.next_token();
                let unused = self.unused_option(&word)?;
                let known = |known: &(&str, _)| known.0 == unused.0;
                let was_said = options.unused.iter().any(known);
                options.unused.push(unused);
                was_said
            }
            "window" | "transform" | "support" | "set" | "reset" => {
                let what = format!("{} of a function", word.to_ascii_uppercase());
                return Err(Error::unsupported(what).at(next.position));
            }
            _ => return Ok(false),
        };
        match was_said {
            true => Err(redundant(next.position)),
            false => Ok(true),
        }
    }

    /// What changes no result, behind its first word.
    fn unused_option(&mut self, word: &str) -> Result<(&'static str, Option<String>)> {
        Ok(match word {
            "leakproof" => ("LEAKPROOF", None),
            "not" => {
                self.expect_word("leakproof")?;
                ("LEAKPROOF", Some("not".to_owned()))
            }
            "external" | "security" => {
                if word == "external" {
                    self.expect_word("security")?;
                }
                let is_definer = self.parse_word("definer");
                if !is_definer {
                    self.expect_word("invoker")?;
                }
                ("SECURITY DEFINER", (!is_definer).then(|| "not".to_owned()))
            }
            "parallel" => ("PARALLEL", Some(self.parse_label()?.value)),
            word => {
                let number = self.expect_token(&Token::Number)?;
                let name = if word == "cost" { "COST" } else { "ROWS" };
                (name, Some(self.text_of(number).to_owned()))
            }
        })
    }

    /// Arguments in parentheses.
    fn function_arguments(&mut self, with_defaults: bool) -> Result<Vec<FunctionArgument>> {
        self.expect_token(&Token::LParen)?;
        let mut arguments = Vec::new();
        if self.consume_token(&Token::RParen) {
            return Ok(arguments);
        }
        loop {
            let position = self.peek_token().position;
            let mut mode = self.argument_mode();
            let unnamed = self.maybe_parse(|parser| {
                let data_type = parser.parse_data_type()?;
                match parser.at_argument_end() {
                    true => Ok(data_type),
                    false => parser.unexpected(),
                }
            })?;
            let (name, data_type) = match unnamed {
                Some(data_type) => (None, data_type),
                None => {
                    let name = parser_name(self)?;
                    mode = mode.or_else(|| self.argument_mode());
                    (Some(name), self.parse_data_type()?)
                }
            };
            let mut default = None;
            if with_defaults
                && (self.parse_keyword(Keyword::DEFAULT) || self.consume_token(&Token::Eq))
            {
                let start = self.peek_token();
                self.parse_expr()?;
                let text = self.text_between(start, self.peek_token()).trim_end();
                default = Some((text.to_owned(), start.position));
            }
            arguments.push(FunctionArgument {
                mode: mode.unwrap_or(ArgumentMode::In),
                name,
                data_type: Box::new(data_type),
                default,
                position,
            });
            if !self.consume_token(&Token::Comma) {
                self.expect_token(&Token::RParen)?;
                return Ok(arguments);
            }
        }
    }

    fn at_argument_end(&self) -> bool {
        let next = self.peek_token();
        matches!(next.token, Token::Comma | Token::RParen | Token::Eq)
            || next.keyword == Keyword::DEFAULT
    }

    fn argument_mode(&mut self) -> Option<ArgumentMode> {
        let modes = [
            ("in", ArgumentMode::In),
            ("out", ArgumentMode::Out),
            ("inout", ArgumentMode::InOut),
            ("variadic", ArgumentMode::Variadic),
        ];
        let (_, mode) = modes.into_iter().find(|(word, _)| self.parse_word(word))?;
        Some(match mode {
            ArgumentMode::In if self.parse_word("out") => ArgumentMode::InOut,
            mode => mode,
        })
    }

    /// A function by its name, and by its arguments where they follow.
    pub fn parse_named_function(&mut self) -> Result<FunctionName> {
        let name = self.parse_function_name()?;
        let arguments = match self.peek_token().token {
            Token::LParen => Some(self.function_arguments(false)?),
            _ => None,
        };
        Ok(FunctionName { name, arguments })
    }

    /// What follows the name in ALTER FUNCTION.
    pub fn parse_function_action(&mut self) -> Result<FunctionAction> {
        if self.parse_keywords(&[Keyword::RENAME, Keyword::TO]) {
            return Ok(FunctionAction::RenameTo(self.parse_identifier()?));
        }
        if self.parse_keywords(&[Keyword::SET, Keyword::SCHEMA]) {
            return Ok(FunctionAction::SetSchema(self.parse_identifier()?));
        }
        if self.parse_keywords(&[Keyword::OWNER, Keyword::TO]) {
            return self.parse_role().map(FunctionAction::Owner);
        }
        let mut options = FunctionOptions::default();
        if !self.function_option(&mut options)? {
            return self.unexpected();
        }
        while self.function_option(&mut options)? {}
        let _ = self.parse_keyword(Keyword::RESTRICT);
        Ok(FunctionAction::Options(options))
    }
}

/// The name of an argument: also words that name types.
fn parser_name(parser: &mut Parser<'_>) -> Result<Ident> {
    match parser.peek_token().token {
        Token::Word | Token::QuotedWord => parser.parse_label(),
        _ => parser.unexpected(),
    }
}

pub(crate) fn redundant(position: u32) -> Error {
    Error::new(SqlState::SYNTAX_ERROR, "conflicting or redundant options").at(position)
}
