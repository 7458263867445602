//! IF, CASE, loops, EXIT and CONTINUE.

use varve_lexer::{Lexeme, Token};
use varve_types::{Error, Result, SqlState};

use super::block::target;
use super::code::{DeclaredType, Source, Step};
use super::{Around, Reader, unsupported};

impl Reader<'_> {
    /// What follows IF.
    pub(super) fn branches(&mut self, at: Lexeme) -> Result<()> {
        let end = self.label();
        loop {
            let condition = self.value(&["then"])?;
            self.parser.expect_word("then")?;
            self.branch(
                condition,
                end,
                ("at IF", at),
                &["elsif", "elseif", "else", "end"],
            )?;
            if self.parser.parse_word("elsif") || self.parser.parse_word("elseif") {
                continue;
            }
            if self.parser.parse_word("else") {
                self.steps(&["end"])?;
            }
            break;
        }
        self.place(end);
        self.parser.expect_word("end")?;
        self.parser.expect_word("if")
    }

    /// Steps that are taken where a condition holds, and go on at a label then.
    fn branch(
        &mut self,
        condition: usize,
        end: usize,
        (what, at): (&'static str, Lexeme),
        ends: &[&str],
    ) -> Result<()> {
        let otherwise = self.label();
        self.push(Step::JumpUnless(condition, otherwise), what, at);
        self.steps(ends)?;
        self.push(Step::Jump(end, self.open), what, at);
        self.place(otherwise);
        Ok(())
    }

    /// What follows CASE.
    pub(super) fn cases(&mut self, at: Lexeme) -> Result<()> {
        let what = ("at CASE", at);
        let end = self.label();
        let scope = self.scope;
        let mut before = "SELECT ".to_owned();
        if !self.parser.peek_word("when") {
            // The value that is looked for is computed once.
            let value = self.value(&["when"])?;
            self.scope = self.code.scope(scope, String::new());
            let name = format!("case {}", self.scope);
            self.declare(&name, DeclaredType::Any);
            self.push(Step::Assign((None, name.clone()), value), what.0, at);
            before = format!("SELECT \"{name}\" IN (");
        }
        while self.parser.parse_word("when") {
            let (start, behind) = self.sql(&["then"]);
            let mut text = self.parser.text_between(start, behind).to_owned();
            if before.ends_with('(') {
                text.push(')');
            }
            let condition = self.piece(&before, &text, start, false)?;
            self.parser.expect_word("then")?;
            self.branch(condition, end, what, &["when", "else", "end"])?;
        }
        if self.parser.parse_word("else") {
            self.steps(&["end"])?;
        } else {
            let hint = "CASE statement is missing ELSE part.";
            let fail = Step::Fail(SqlState::CASE_NOT_FOUND, "case not found", hint);
            self.push(fail, what.0, at);
        }
        self.place(end);
        self.scope = scope;
        self.parser.expect_word("end")?;
        self.parser.expect_word("case")
    }

    /// A loop, whose first word was read.
    pub(super) fn repeated(&mut self, label: String, word: &str, at: Lexeme) -> Result<()> {
        let scope = self.scope;
        self.scope = self.code.scope(scope, label.clone());
        let (next, end) = (self.label(), self.label());
        let open = self.open;
        match word {
            "while" => {
                self.place(next);
                let condition = self.value(&["loop"])?;
                self.push(Step::JumpUnless(condition, end), "at WHILE", at);
            }
            "for" => self.for_each(next, end, at)?,
            "foreach" => {
                let targets = self.targets()?;
                let slice = self.parser.peek_token();
                if self.parser.peek_word("slice") {
                    return Err(unsupported("SLICE", slice));
                }
                self.parser.expect_word("in")?;
                self.parser.expect_word("array")?;
                let array = self.value(&["loop"])?;
                let what = "at FOREACH over array";
                self.push(Step::Elements(array), what, at);
                self.place(next);
                self.open += 1;
                self.push(Step::Next(targets, end), what, at);
            }
            _ => {
                self.place(next);
                self.parser.prev_token();
            }
        }
        self.parser.expect_word("loop")?;
        self.around.push(Around {
            label: label.clone(),
            is_loop: true,
            open: self.open,
            next,
            open_behind: open,
            end,
        });
        self.steps(&["end"])?;
        self.push(Step::Jump(next, self.open), "", at);
        self.around.pop();
        self.open = open;
        // What leaves the loop closes it on its way.
        self.place(end);
        self.scope = scope;
        self.parser.expect_word("end")?;
        self.parser.expect_word("loop")?;
        self.end_label(&label)
    }

    /// What follows FOR, up to LOOP.
    fn for_each(&mut self, next: usize, end: usize, at: Lexeme) -> Result<()> {
        let mut targets = self.parser.parse_comma_separated(target)?;
        self.parser.expect_word("in")?;
        let mut what = "at FOR over SELECT rows";
        let opened = if self.parser.parse_word("execute") {
            what = "at FOR over EXECUTE statement";
            Step::Rows(self.dynamic(&["using", "loop"])?)
        } else {
            let reverse = self.parser.parse_word("reverse");
            let (first, behind) = self.sql(&["..", "loop"]);
            let text = self.parser.text_between(first, behind).to_owned();
            if behind.token == Token::Period && targets.len() == 1 {
                what = "at FOR with integer loop variable";
                let from = self.piece("SELECT ", &text, first, false)?;
                self.parser.next_token();
                self.parser.next_token();
                let to = self.value(&["by", "loop"])?;
                let by = match self.parser.parse_word("by") {
                    true => Some(self.value(&["loop"])?),
                    false => None,
                };
                Step::Numbers {
                    from,
                    to,
                    by,
                    reverse,
                }
            } else {
                Step::Rows(Source::Piece(self.piece("", &text, first, true)?))
            }
        };
        let is_number = matches!(opened, Step::Numbers { .. });
        self.push(opened, what, at);
        for (_, name) in targets.iter().take(usize::from(is_number)) {
            self.declare(name, DeclaredType::Named("integer".to_owned()));
        }
        for target in &targets {
            self.check_target(target, at)?;
        }
        self.place(next);
        self.open += 1;
        self.push(Step::Next(core::mem::take(&mut targets), end), what, at);
        Ok(())
    }

    /// What follows EXIT or CONTINUE.
    pub(super) fn leave(&mut self, word: &str, at: Lexeme) -> Result<()> {
        let is_exit = word == "exit";
        let next = self.parser.peek_token();
        let label = match next.token {
            Token::SemiColon => None,
            _ if self.parser.peek_word("when") => None,
            _ => Some(self.parser.parse_label()?.text),
        };
        let mut around = self.around.iter().rev();
        let found = around.find(|around| match &label {
            Some(label) => around.label == *label,
            None => around.is_loop,
        });
        let wrong = |message: String| {
            Err(Error::new(SqlState::SYNTAX_ERROR, message).at(match label {
                Some(_) => next.position,
                None => at.position,
            }))
        };
        let step = match (found, &label) {
            (Some(around), Some(label)) if !is_exit && !around.is_loop => {
                return wrong(format!(
                    "block label \"{label}\" cannot be used in CONTINUE"
                ));
            }
            (Some(around), _) if is_exit => Step::Jump(around.end, around.open_behind),
            (Some(around), _) => Step::Jump(around.next, around.open),
            (None, Some(label)) => {
                let message = format!(
                    "there is no label \"{label}\" attached to any block or loop enclosing this \
                     statement"
                );
                return wrong(message);
            }
            (None, None) if is_exit => {
                let message = "EXIT cannot be used outside a loop, unless it has a label";
                return wrong(message.to_owned());
            }
            (None, None) => return wrong("CONTINUE cannot be used outside a loop".to_owned()),
        };
        let what = if is_exit { "at EXIT" } else { "at CONTINUE" };
        if self.parser.parse_word("when") {
            let condition = self.value(&[])?;
            let behind = self.label();
            self.push(Step::JumpUnless(condition, behind), what, at);
            self.push(step, what, at);
            self.place(behind);
        } else {
            self.push(step, what, at);
        }
        Ok(())
    }

    /// The label that may follow the end of a block or loop.
    pub(super) fn end_label(&mut self, label: &str) -> Result<()> {
        let next = self.parser.peek_token();
        if !matches!(next.token, Token::Word | Token::QuotedWord) {
            return Ok(());
        }
        let written = self.parser.parse_label()?.text;
        if written == label {
            return Ok(());
        }
        let message = match label.is_empty() {
            true => format!("end label \"{written}\" specified for unlabeled block"),
            false => {
                format!("end label \"{written}\" differs from block's label \"{label}\"")
            }
        };
        Err(Error::new(SqlState::SYNTAX_ERROR, message).at(next.position))
    }
}
