//! Transactions and savepoints.

use varve_ast::{Command, Isolation, StatementBody, TransactionModes};
use varve_lexer::{Keyword, Token};
use varve_types::Result;

use crate::parser::Parser;
use crate::statement::command;

impl Parser<'_> {
    /// What follows a word that is about transactions, which is `first`.
    pub(crate) fn transaction(&mut self, first: Keyword) -> Result<StatementBody> {
        Ok(command(match first {
            Keyword::BEGIN => {
                self.transaction_word();
                Command::Begin(self.transaction_modes(true)?)
            }
            Keyword::START => {
                self.expect_keyword(Keyword::TRANSACTION)?;
                Command::Begin(self.transaction_modes(true)?)
            }
            Keyword::COMMIT | Keyword::END => {
                self.transaction_word();
                if first == Keyword::COMMIT && self.parse_keyword(Keyword::PREPARED) {
                    return Ok(self.unsupported(Some("COMMIT PREPARED")));
                }
                Command::Commit {
                    chain: self.and_chain()?,
                }
            }
            Keyword::SAVEPOINT => Command::Savepoint(self.parse_identifier()?.text),
            Keyword::RELEASE => Command::Release(self.savepoint()?),
            _ => {
                if self.parse_keyword(Keyword::PREPARED) {
                    return Ok(self.unsupported(Some("ROLLBACK PREPARED")));
                }
                self.transaction_word();
                match self.parse_keyword(Keyword::TO) {
                    true => Command::RollbackTo(self.savepoint()?),
                    false => Command::Rollback {
                        chain: self.and_chain()?,
                    },
                }
            }
        }))
    }

    /// Takes a word that says nothing.
    fn transaction_word(&mut self) {
        let _ = self.parse_one_of_keywords(&[Keyword::TRANSACTION, Keyword::WORK]);
    }

    /// `[SAVEPOINT] name`
    fn savepoint(&mut self) -> Result<String> {
        let _ = self.parse_keyword(Keyword::SAVEPOINT);
        Ok(self.parse_identifier()?.text)
    }

    /// `AND [NO] CHAIN`
    fn and_chain(&mut self) -> Result<bool> {
        if !self.parse_keyword(Keyword::AND) {
            return Ok(false);
        }
        let chain = !self.parse_keyword(Keyword::NO);
        self.expect_keyword(Keyword::CHAIN)?;
        Ok(chain)
    }

    /// What a transaction is asked to be, up to the end of the statement.
    pub(crate) fn transaction_modes(&mut self, may_be_empty: bool) -> Result<TransactionModes> {
        let mut modes = TransactionModes::default();
        let mut may_end = may_be_empty;
        loop {
            if !self.transaction_mode(&mut modes)? {
                return match may_end {
                    true => Ok(modes),
                    false => self.unexpected(),
                };
            }
            may_end = false;
            let comma = self.consume_token(&Token::Comma);
            if !comma && self.peek() == Token::EOF {
                return Ok(modes);
            }
        }
    }

    /// One mode; `false` where none comes next.
    fn transaction_mode(&mut self, modes: &mut TransactionModes) -> Result<bool> {
        if self.parse_keyword(Keyword::ISOLATION) {
            self.expect_keyword(Keyword::LEVEL)?;
            modes.isolation = Some(self.isolation()?);
        } else if self.parse_keyword(Keyword::READ) {
            let read_only = self.parse_keyword(Keyword::ONLY);
            if !read_only {
                self.expect_keyword(Keyword::WRITE)?;
            }
            modes.read_only = Some(read_only);
        } else if self.parse_keyword(Keyword::NOT) {
            self.expect_keyword(Keyword::DEFERRABLE)?;
            modes.deferrable = Some(false);
        } else if self.parse_keyword(Keyword::DEFERRABLE) {
            modes.deferrable = Some(true);
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn isolation(&mut self) -> Result<Isolation> {
        if self.parse_keyword(Keyword::SERIALIZABLE) {
            return Ok(Isolation::Serializable);
        }
        if self.parse_keyword(Keyword::REPEATABLE) {
            self.expect_keyword(Keyword::READ)?;
            return Ok(Isolation::RepeatableRead);
        }
        self.expect_keyword(Keyword::READ)?;
        if self.parse_keyword(Keyword::UNCOMMITTED) {
            return Ok(Isolation::ReadUncommitted);
        }
        self.expect_keyword(Keyword::COMMITTED)?;
        Ok(Isolation::ReadCommitted)
    }
}
