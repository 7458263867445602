//! Blocks: declarations, statements, handlers of errors.

use varve_lexer::{Keyword, Lexeme, Token, too_deep};
use varve_types::{Error, Result, SqlState};

use super::code::{Declared, DeclaredType, Returned, Source, SqlStep, Step, Target};
use super::condition::code_named;
use super::{Around, Reader, ReturnKind, unsupported};
use crate::Parser;

/// Most steps of a body.
const STEPS_MAX: usize = 10_000;
/// Deepest nesting of statements.
const DEPTH_MAX: u32 = 50;

impl Reader<'_> {
    /// A block from its first word on.
    pub(super) fn block(&mut self, label: String) -> Result<()> {
        let around = self.scope;
        self.scope = self.code.scope(around, label.clone());
        let start = self.parser.peek_token();
        if self.parser.parse_word("declare") {
            let first = self.scope;
            while !self.parser.peek_word("begin") {
                self.declaration(start, first, &label)?;
            }
        }
        self.parser.expect_word("begin")?;
        let end = self.label();
        self.around.push(Around {
            label: label.clone(),
            is_loop: false,
            open: self.open,
            next: end,
            open_behind: self.open,
            end,
        });
        // What is caught is seen behind the statements.
        let opened = self.code.steps.len();
        self.push(Step::Try(Vec::new()), "at statement block", start);
        self.open += 1;
        self.steps(&["end", "exception"])?;
        self.open -= 1;
        let next = self.parser.peek_token();
        self.push(Step::Jump(end, self.open), "", next);
        if self.parser.parse_word("exception") {
            let handlers = self.handlers(end)?;
            if let Some((step, _)) = self.code.steps.get_mut(opened) {
                *step = Step::Try(handlers);
            }
        }
        self.place(end);
        self.around.pop();
        self.scope = around;
        self.parser.expect_word("end")?;
        self.end_label(&label)
    }

    /// The handlers of a block; their ends go on behind it.
    fn handlers(&mut self, end: usize) -> Result<Vec<(Vec<String>, usize)>> {
        let around = self.scope;
        let mut handlers = Vec::new();
        let next = self.parser.peek_token();
        self.scope = self.code.scope(around, String::new());
        for name in ["sqlstate", "sqlerrm"] {
            self.declare(name, DeclaredType::Named("text".to_owned()));
        }
        self.open += 1;
        while self.parser.parse_word("when") {
            let mut conditions = Vec::new();
            loop {
                conditions.push(self.condition()?);
                if !self.parser.parse_word("or") {
                    break;
                }
            }
            self.parser.expect_word("then")?;
            let begin = self.label();
            self.place(begin);
            handlers.push((conditions, begin));
            self.steps(&["when", "end"])?;
            self.push(Step::Jump(end, self.open - 1), "", next);
        }
        self.open -= 1;
        self.scope = around;
        match handlers.is_empty() {
            true => Err(self.parser.error_at(self.parser.peek_token())),
            false => Ok(handlers),
        }
    }

    /// The SQLSTATE of a condition, empty for all others.
    fn condition(&mut self) -> Result<String> {
        if self.parser.parse_word("others") {
            return Ok(String::new());
        }
        if self.parser.parse_word("sqlstate") {
            return self.parser.parse_literal_string();
        }
        let name = self.parser.parse_label()?.text;
        match code_named(&name) {
            Some(code) => Ok(code.to_owned()),
            None => {
                let message = format!("unrecognized exception condition \"{name}\"");
                Err(Error::new(SqlState::UNDEFINED_OBJECT, message))
            }
        }
    }

    /// A variable of this scope, without a value of its own.
    pub(super) fn declare(&mut self, name: &str, kind: DeclaredType) {
        self.code.variables.push(Declared {
            name: name.to_owned(),
            scope: self.scope,
            kind,
            value: None,
            is_constant: false,
            not_null: false,
        });
    }

    /// A variable of the block whose scope is `first`; it is known behind its declaration.
    fn declaration(&mut self, block: Lexeme, first: usize, label: &str) -> Result<()> {
        let at = self.parser.peek_token();
        let name = self.parser.parse_identifier()?.text;
        let mut known = self.code.variables.iter();
        if known.any(|known| known.scope > first && known.name == name) {
            let error = self.parser.error_at(at);
            let message = error
                .message()
                .replacen("syntax error", "duplicate declaration", 1);
            return Err(error.with_message(message));
        }
        let is_constant = self.parser.parse_word("constant");
        let kind = self.declared_type()?;
        let not_null = self.parser.parse_keywords(&[Keyword::NOT, Keyword::NULL]);
        let has_value = self.parser.parse_word("default") || self.assignment();
        let value = match has_value {
            true => Some(self.value(&[])?),
            false => None,
        };
        self.parser.expect_token(&Token::SemiColon)?;
        self.scope = self.code.scope(self.scope, label.to_owned());
        let number = self.code.variables.len();
        self.code.variables.push(Declared {
            name,
            scope: self.scope,
            kind,
            value,
            is_constant,
            not_null,
        });
        let what = "during statement block local variable initialization";
        self.push(Step::Declare(number), what, block);
        Ok(())
    }

    fn declared_type(&mut self) -> Result<DeclaredType> {
        let start = self.parser.peek_token();
        for word in ["cursor", "alias", "scroll"] {
            if self.parser.peek_word(word) {
                return Err(unsupported(&word.to_ascii_uppercase(), start));
            }
        }
        let copied = self.parser.maybe_parse(|parser| {
            let mut names = vec![parser.parse_label()?.text];
            while parser.consume_token(&Token::Period) {
                names.push(parser.parse_label()?.text);
            }
            parser.expect_token(&Token::Mod)?;
            match parser.parse_word("type") {
                true => Ok(DeclaredType::Same(names)),
                false => {
                    parser.expect_word("rowtype")?;
                    Ok(DeclaredType::RowOf(names))
                }
            }
        })?;
        if let Some(copied) = copied {
            return Ok(copied);
        }
        self.parser.parse_data_type()?;
        let behind = self.parser.peek_token();
        let text = self.parser.text_between(start, behind).trim_end();
        Ok(match text.eq_ignore_ascii_case("record") {
            true => DeclaredType::Record,
            false => DeclaredType::Named(text.to_owned()),
        })
    }

    pub(super) fn assignment(&mut self) -> bool {
        self.parser.consume_token(&Token::Assignment) || self.parser.consume_token(&Token::Eq)
    }

    /// Steps up to one of these words.
    pub(super) fn steps(&mut self, ends: &[&str]) -> Result<()> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(too_deep().at(self.parser.peek_token().position));
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
            self.parser.expect_token(&Token::SemiColon)?;
        }
        self.depth -= 1;
        Ok(())
    }

    fn step(&mut self, first: Lexeme) -> Result<()> {
        let found = self.parser.maybe_parse(target_of_assignment)?;
        if let Some(target) = found {
            self.check_target(&target, first)?;
            let piece = self.value(&[])?;
            self.push(Step::Assign(target, piece), "at assignment", first);
            return Ok(());
        }
        if self.parser.peek_nth_token(1).token == Token::LBracket {
            return Err(unsupported("assignment to an element of an array", first));
        }
        let label = self.begin_label()?;
        let next = self.parser.next_token();
        let word = match next.token {
            Token::Word => self.parser.text_of(next).to_ascii_lowercase(),
            _ => String::new(),
        };
        if !label.is_empty()
            && !matches!(
                word.as_str(),
                "declare" | "begin" | "loop" | "while" | "for" | "foreach"
            )
        {
            return Err(self.parser.error_at(next));
        }
        match word.as_str() {
            "declare" | "begin" => {
                self.parser.prev_token();
                return self.block(label);
            }
            "loop" | "while" | "for" | "foreach" => return self.repeated(label, &word, next),
            "if" => return self.branches(next),
            "case" => return self.cases(next),
            "exit" | "continue" => return self.leave(&word, next),
            "return" => return self.returned(next),
            "raise" => return self.raise(next),
            "assert" => return self.assert(next),
            "get" => return self.diagnostics(next),
            "null" => return Ok(()),
            "perform" => {
                let (start, behind) = self.sql(&[]);
                let text = self.parser.text_between(start, behind).to_owned();
                let piece = self.piece("SELECT ", &text, start, true)?;
                self.push(SqlStep::of(Source::Piece(piece)), "at PERFORM", next);
            }
            "execute" => self.execute(next)?,
            "open" | "fetch" | "close" | "move" | "commit" | "rollback" => {
                return Err(unsupported(&word.to_ascii_uppercase(), next));
            }
            _ => {
                self.parser.prev_token();
                self.statement()?;
            }
        }
        Ok(())
    }

    /// What follows EXECUTE.
    fn execute(&mut self, at: Lexeme) -> Result<()> {
        let mut source = self.dynamic(&["into", "using"])?;
        let (mut into, mut strict) = (Vec::new(), false);
        while self.parser.parse_word("into") {
            strict = self.parser.parse_word("strict");
            into = self.targets()?;
            self.using(&mut source)?;
        }
        let step = SqlStep {
            source,
            into,
            strict,
            must_take: false,
        };
        self.push(Step::Sql(step), "at EXECUTE", at);
        Ok(())
    }

    /// The label before a block or loop; empty where there is none.
    pub(super) fn begin_label(&mut self) -> Result<String> {
        let is_next = |reader: &Self, operator: &str| {
            reader.parser.text_of(reader.parser.peek_token()) == operator
        };
        if !is_next(self, "<<") {
            return Ok(String::new());
        }
        self.parser.next_token();
        let label = self.parser.parse_label()?.text;
        if !is_next(self, ">>") {
            return Err(self.parser.error_at(self.parser.peek_token()));
        }
        self.parser.next_token();
        Ok(label)
    }

    /// What follows RETURN.
    fn returned(&mut self, at: Lexeme) -> Result<()> {
        let next = self.parser.peek_token();
        let of_set = self.header.returns_set;
        let has = |reader: &Self| reader.parser.peek_token().token != Token::SemiColon;
        let is_next = self.parser.parse_word("next");
        if is_next || self.parser.parse_word("query") {
            if !of_set {
                let word = if is_next { "NEXT" } else { "QUERY" };
                let message = format!("cannot use RETURN {word} in a non-SETOF function");
                return Err(Error::new(SqlState::DATATYPE_MISMATCH, message).at(at.position));
            }
            let (step, what) = if !is_next {
                let source = match self.parser.parse_word("execute") {
                    true => self.dynamic(&["using"])?,
                    false => Source::Piece(self.query(&[])?),
                };
                (Step::ReturnQuery(source), "at RETURN QUERY")
            } else {
                let value = match has(self) {
                    true => Some(self.value(&[])?),
                    false => None,
                };
                (Step::ReturnNext(value), "at RETURN NEXT")
            };
            self.push(step, what, at);
            return Ok(());
        }
        let returned = if has(self) {
            if of_set || self.is_void() {
                let of = if of_set { "set" } else { "void" };
                let message = format!("RETURN cannot have a parameter in function returning {of}");
                let error = Error::new(SqlState::DATATYPE_MISMATCH, message).at(next.position);
                return Err(match of_set {
                    true => error.with_hint("Use RETURN NEXT or RETURN QUERY."),
                    false => error,
                });
            }
            let ends = self.parser.peek_nth_token(1).token == Token::SemiColon;
            let mut records = ["new", "old"].into_iter();
            let record = records.find(|record| ends && self.parser.parse_word(record));
            match record {
                Some(record) => Returned::Record(record.to_owned()),
                None => Returned::Value(self.value(&[])?),
            }
        } else {
            Returned::Nothing
        };
        self.push(Step::Return(returned), "at RETURN", at);
        Ok(())
    }

    /// Targets with commas between them.
    pub(super) fn targets(&mut self) -> Result<Vec<Target>> {
        let mut targets = Vec::new();
        loop {
            let at = self.parser.peek_token();
            let target = target(&mut self.parser)?;
            self.check_target(&target, at)?;
            targets.push(target);
            if !self.parser.consume_token(&Token::Comma) {
                return Ok(targets);
            }
        }
    }

    /// Refuses to assign to what is no variable, or a constant.
    pub(super) fn check_target(&self, (record, name): &Target, at: Lexeme) -> Result<()> {
        let first = record.as_ref().unwrap_or(name);
        let mut known = self.code.variables.iter().rev();
        let own =
            known.find(|known| known.name == *first && self.code.is_in(known.scope, self.scope));
        if own.is_some_and(|own| own.is_constant) {
            let message = format!("variable \"{first}\" is declared CONSTANT");
            return Err(Error::new(SqlState::ERROR_IN_ASSIGNMENT, message).at(at.position));
        }
        let mut scopes = self.code.scopes.iter().enumerate();
        let of_trigger = self.header.returns == ReturnKind::Trigger
            && (matches!(first.as_str(), "new" | "old") || first.starts_with("tg_"));
        let is_known = own.is_some()
            || of_trigger
            || first == "found"
            || self.header.arguments.contains(&first.as_str())
            || scopes.any(|(at, scope)| {
                scope.label == *first && record.is_some() && self.code.is_in(at, self.scope)
            });
        match is_known {
            true => Ok(()),
            false => {
                let shown = match record {
                    Some(record) => format!("{record}.{name}"),
                    None => name.clone(),
                };
                let message = format!("\"{shown}\" is not a known variable");
                Err(Error::new(SqlState::SYNTAX_ERROR, message).at(at.position))
            }
        }
    }
}

/// `name`, `record.field`
pub(super) fn target(parser: &mut Parser<'_>) -> Result<Target> {
    let first = parser.parse_label()?.text;
    if !parser.consume_token(&Token::Period) {
        return Ok((None, first));
    }
    let field = parser.parse_label()?.text;
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
