//! CREATE and ALTER of functions and procedures, and DO.

use varve_ast::{
    AlterFunction, ArgumentMode, CreateFunction, DoBlock, FunctionAction, FunctionArgument,
    FunctionBody, FunctionName, FunctionOptions, FunctionReturns, Name, RoutineKind, TypeName,
};
use varve_lexer::{Keyword, Lexeme, Token};
use varve_types::{Error, Result};

use crate::option::redundant;
use crate::parser::Parser;

impl Parser<'_> {
    /// What follows `CREATE [OR REPLACE]`: a function or a procedure, if one comes next.
    #[inline(never)]
    pub(crate) fn create_function(
        &mut self,
        or_replace: bool,
    ) -> Result<Option<Box<CreateFunction>>> {
        let kinds = [Keyword::FUNCTION, Keyword::PROCEDURE];
        let Some(kind) = self.parse_one_of_keywords(&kinds) else {
            return Ok(None);
        };
        let is_procedure = kind == Keyword::PROCEDURE;
        let name = self.parse_function_name()?;
        let mut arguments = self.function_arguments(true)?;
        let returns = match is_procedure {
            true => None,
            false => self.function_returns(&mut arguments)?,
        };
        let mut options = FunctionOptions::default();
        let mut body = None;
        loop {
            let next = self.peek_token();
            if self.function_option(&mut options)? {
                continue;
            }
            match self.function_body(next)? {
                Some(found) if body.is_none() => body = Some(found),
                Some(_) => return Err(redundant(next.position)),
                None => break,
            }
        }
        Ok(Some(Box::new(CreateFunction {
            is_procedure,
            or_replace,
            name,
            arguments,
            returns,
            options,
            body,
        })))
    }

    /// `RETURNS`, if it comes next; the columns of a table are put with the arguments.
    fn function_returns(
        &mut self,
        arguments: &mut Vec<FunctionArgument>,
    ) -> Result<Option<FunctionReturns>> {
        let first = self.next_span();
        if !self.parse_keyword(Keyword::RETURNS) {
            return Ok(None);
        }
        let (is_set, type_name) = if self.parse_keyword(Keyword::TABLE) {
            arguments.extend(self.parse_parenthesized(Parser::table_argument)?);
            (true, None)
        } else {
            let is_set = self.parse_word("setof");
            (is_set, Some(self.parse_data_type()?))
        };
        Ok(Some(FunctionReturns {
            is_set,
            type_name,
            span: self.since(first),
        }))
    }

    /// A column of `RETURNS TABLE`.
    fn table_argument(&mut self) -> Result<FunctionArgument> {
        let first = self.next_span();
        Ok(FunctionArgument {
            mode: ArgumentMode::Table,
            name: Some(self.parse_label()?),
            type_name: self.parse_data_type()?,
            default: None,
            span: self.since(first),
        })
    }

    /// A body, if one comes next, at `first`.
    fn function_body(&mut self, first: Lexeme) -> Result<Option<FunctionBody>> {
        if self.parse_keyword(Keyword::AS) {
            let text = self.function_text()?;
            if self.peek() == Token::Comma {
                let what = "an object file as the body of a function";
                return Err(Error::unsupported(what).at(first.position));
            }
            return Ok(Some(text));
        }
        if self.parse_word("return") {
            let start = self.peek_token();
            let text = self.expr_text()?;
            let select = "SELECT ";
            let taken = u32::try_from(select.len()).unwrap_or(u32::MAX);
            return Ok(Some(FunctionBody {
                text: format!("{select}{text}"),
                behind: start.position.checked_sub(taken.saturating_add(1)),
                is_statements: true,
            }));
        }
        match self.peek_keyword(Keyword::BEGIN) && self.second_is(Keyword::ATOMIC) {
            true => self.atomic_body().map(Some),
            false => Ok(None),
        }
    }

    /// The text of an expression.
    pub(crate) fn expr_text(&mut self) -> Result<String> {
        let start = self.peek_token();
        self.parse_expr()?;
        let text = self.text_between(start, self.peek_token()).trim_end();
        Ok(text.to_owned())
    }

    /// What follows `DO`.
    pub(crate) fn do_block(&mut self) -> Result<DoBlock> {
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
        let name = match Parser::is_string(self.peek()) {
            true => self.parse_literal_string()?,
            false => self.parse_label()?.text,
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
                options.is_strict.replace(true).is_some()
            }
            "called" | "returns" => {
                self.next_token();
                if word == "returns" {
                    self.expect_word("null")?;
                }
                self.expect_word("on")?;
                self.expect_word("null")?;
                self.expect_word("input")?;
                options.is_strict.replace(word == "returns").is_some()
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
            "parallel" => ("PARALLEL", Some(self.parse_label()?.text)),
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
            arguments.push(self.function_argument(with_defaults)?);
            if !self.consume_token(&Token::Comma) {
                self.expect_token(&Token::RParen)?;
                return Ok(arguments);
            }
        }
    }

    fn function_argument(&mut self, with_default: bool) -> Result<FunctionArgument> {
        let first = self.next_span();
        let mut mode = self.argument_mode();
        let unnamed = self.maybe_parse(Parser::unnamed_argument)?;
        let (name, type_name) = match unnamed {
            Some(type_name) => (None, type_name),
            None => {
                let name = self.argument_name()?;
                mode = mode.or_else(|| self.argument_mode());
                (Some(name), self.parse_data_type()?)
            }
        };
        let mut default = None;
        if with_default && (self.parse_keyword(Keyword::DEFAULT) || self.consume_token(&Token::Eq))
        {
            let start = self.next_span();
            default = Some((self.expr_text()?, self.since(start)));
        }
        Ok(FunctionArgument {
            mode: mode.unwrap_or(ArgumentMode::In),
            name,
            type_name,
            default,
            span: self.since(first),
        })
    }

    /// A type that is the whole argument, but for its default.
    fn unnamed_argument(&mut self) -> Result<TypeName> {
        let type_name = self.parse_data_type()?;
        let next = self.peek_token();
        let is_whole = matches!(next.token, Token::Comma | Token::RParen | Token::Eq)
            || next.keyword == Keyword::DEFAULT;
        match is_whole {
            true => Ok(type_name),
            false => self.unexpected(),
        }
    }

    /// The name of an argument: also words that name types.
    fn argument_name(&mut self) -> Result<Name> {
        match self.peek() {
            Token::Word | Token::QuotedWord => self.parse_label(),
            _ => self.unexpected(),
        }
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

    /// `FUNCTION`, `PROCEDURE` or `ROUTINE`, if one of them comes next.
    pub(crate) fn routine_kind(&mut self) -> Option<RoutineKind> {
        let kinds = [Keyword::FUNCTION, Keyword::PROCEDURE, Keyword::ROUTINE];
        Some(match self.parse_one_of_keywords(&kinds)? {
            Keyword::FUNCTION => RoutineKind::Function,
            Keyword::PROCEDURE => RoutineKind::Procedure,
            _ => RoutineKind::Any,
        })
    }

    /// A function by its name, and by its arguments where they follow.
    pub(crate) fn named_function(&mut self, kind: RoutineKind) -> Result<FunctionName> {
        let name = self.parse_function_name()?;
        let arguments = match self.peek() {
            Token::LParen => Some(self.function_arguments(false)?),
            _ => None,
        };
        Ok(FunctionName {
            kind,
            name,
            arguments,
        })
    }

    /// What follows `ALTER FUNCTION` and the like.
    pub(crate) fn alter_function(&mut self, kind: RoutineKind) -> Result<AlterFunction> {
        Ok(AlterFunction {
            function: self.named_function(kind)?,
            action: self.function_action()?,
        })
    }

    fn function_action(&mut self) -> Result<FunctionAction> {
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
