//! The actions of ALTER TABLE.

use sqlparser::ast::{Ident, SequenceOptions};
use varve_types::{Error, Result};

use crate::alter::{Action, ColumnChange};
use crate::keyword::Keyword;
use crate::parser::Parser;
use crate::token::{Lexeme, Token};

impl Parser<'_> {
    /// One of the actions with commas between them.
    pub(crate) fn table_action(&mut self) -> Result<Action> {
        let next = self.next_token();
        match next.keyword {
            Keyword::ADD => self.alter_add(),
            Keyword::DROP => self.alter_drop(),
            Keyword::ALTER => self.alter_column(),
            Keyword::VALIDATE => {
                self.expect_keyword(Keyword::CONSTRAINT)?;
                Ok(Action::Validate(self.parse_identifier()?))
            }
            Keyword::OWNER => {
                self.expect_keyword(Keyword::TO)?;
                self.parse_role().map(Action::Owner)
            }
            Keyword::SET => self.alter_set(),
            Keyword::RESET => Ok(Action::Options(self.parse_storage_options()?)),
            Keyword::CLUSTER => {
                self.expect_keyword(Keyword::ON)?;
                let index = self.parse_identifier()?;
                Ok(Action::Storage("CLUSTER ON", Some(index)))
            }
            Keyword::REPLICA => {
                self.expect_keyword(Keyword::IDENTITY)?;
                let mut index = None;
                if self.parse_keyword(Keyword::USING) {
                    self.expect_keyword(Keyword::INDEX)?;
                    index = Some(self.parse_identifier()?);
                } else {
                    let kinds = [Keyword::DEFAULT, Keyword::FULL, Keyword::NOTHING];
                    self.expect_one_of_keywords(&kinds)?;
                }
                Ok(Action::Storage("REPLICA IDENTITY", index))
            }
            Keyword::NO if self.peek_keyword(Keyword::FORCE) => {
                self.next_token();
                self.row_security("NO FORCE ROW LEVEL SECURITY")
            }
            Keyword::INHERIT | Keyword::NO => {
                let joins = next.keyword == Keyword::INHERIT;
                if !joins {
                    self.expect_keyword(Keyword::INHERIT)?;
                }
                let parent = self.parse_object_name(false)?;
                Ok(Action::Inherit { parent, joins })
            }
            Keyword::ATTACH => {
                self.expect_keyword(Keyword::PARTITION)?;
                let partition = self.parse_object_name(false)?;
                let values = Box::new(self.for_values()?);
                Ok(Action::Attach { partition, values })
            }
            Keyword::DETACH => {
                self.expect_keyword(Keyword::PARTITION)?;
                let partition = self.parse_object_name(false)?;
                // Nobody waits for a lock here.
                let _ = self.parse_keyword(Keyword::CONCURRENTLY);
                Ok(Action::Detach(partition))
            }
            Keyword::ENABLE if self.peek_keyword(Keyword::ROW) => {
                self.row_security("ENABLE ROW LEVEL SECURITY")
            }
            Keyword::DISABLE if self.peek_keyword(Keyword::ROW) => {
                self.row_security("DISABLE ROW LEVEL SECURITY")
            }
            Keyword::FORCE => self.row_security("FORCE ROW LEVEL SECURITY"),
            Keyword::ENABLE | Keyword::DISABLE | Keyword::OF | Keyword::NOT => {
                let what = format!("ALTER TABLE ... {}", next.keyword.as_str());
                Err(Error::unsupported(what).at(next.position))
            }
            _ => Err(self.error_at(next)),
        }
    }

    fn row_security(&mut self, words: &'static str) -> Result<Action> {
        self.expect_keywords(&[Keyword::ROW, Keyword::LEVEL, Keyword::SECURITY])?;
        Ok(Action::Storage(words, None))
    }

    fn alter_add(&mut self) -> Result<Action> {
        if let Some(constraint) = self.parse_optional_table_constraint()? {
            return Ok(Action::AddConstraint {
                constraint: Box::new(constraint),
                not_valid: self.parse_keywords(&[Keyword::NOT, Keyword::VALID]),
            });
        }
        let _ = self.parse_keyword(Keyword::COLUMN);
        Ok(Action::AddColumn {
            if_not_exists: self.parse_if_not_exists()?,
            column: Box::new(self.parse_column_def()?),
        })
    }

    fn alter_drop(&mut self) -> Result<Action> {
        let is_constraint = self.parse_keyword(Keyword::CONSTRAINT);
        if !is_constraint {
            let _ = self.parse_keyword(Keyword::COLUMN);
        }
        let if_exists = self.if_exists();
        let name = self.parse_identifier()?;
        let behavior = self.parse_one_of_keywords(&[Keyword::CASCADE, Keyword::RESTRICT]);
        let cascade = behavior == Some(Keyword::CASCADE);
        Ok(match is_constraint {
            true => Action::DropConstraint {
                name,
                if_exists,
                cascade,
            },
            false => Action::DropColumn {
                name,
                if_exists,
                cascade,
            },
        })
    }

    fn alter_column(&mut self) -> Result<Action> {
        if self.peek_keyword(Keyword::CONSTRAINT) {
            let what = Error::unsupported("ALTER TABLE ... ALTER CONSTRAINT");
            return Err(what.at(self.peek_token().position));
        }
        let _ = self.parse_keyword(Keyword::COLUMN);
        if let Token::Number = self.peek() {
            let what = Error::unsupported("ALTER INDEX ... ALTER COLUMN");
            return Err(what.at(self.peek_token().position));
        }
        let name = self.parse_identifier()?;
        let next = self.peek_token();
        let change = match (next.keyword, self.peek_nth_token(1).keyword) {
            (Keyword::RESTART, _)
            | (
                Keyword::SET,
                Keyword::GENERATED
                | Keyword::INCREMENT
                | Keyword::MINVALUE
                | Keyword::MAXVALUE
                | Keyword::NO
                | Keyword::START
                | Keyword::CACHE
                | Keyword::CYCLE
                | Keyword::RESTART,
            ) => self.identity_changes()?,
            _ => {
                self.next_token();
                self.column_change(next)?
            }
        };
        Ok(Action::Column { name, change })
    }

    fn column_change(&mut self, first: Lexeme) -> Result<ColumnChange> {
        Ok(match first.keyword {
            Keyword::TYPE => self.alter_type()?,
            Keyword::SET if self.peek() == Token::LParen => {
                ColumnChange::Options(self.parse_storage_options()?)
            }
            Keyword::RESET => ColumnChange::Options(self.parse_storage_options()?),
            Keyword::SET => {
                let what = self.next_token();
                match what.keyword {
                    Keyword::NOT => {
                        self.expect_keyword(Keyword::NULL)?;
                        ColumnChange::SetNotNull
                    }
                    Keyword::DEFAULT => ColumnChange::SetDefault(Box::new(self.parse_expr()?)),
                    Keyword::DATA => {
                        self.expect_keyword(Keyword::TYPE)?;
                        self.alter_type()?
                    }
                    Keyword::STATISTICS => {
                        self.parse_number()?;
                        ColumnChange::Statistics
                    }
                    Keyword::STORAGE => ColumnChange::Storage("STORAGE", self.parse_label()?),
                    Keyword::COMPRESSION => {
                        ColumnChange::Storage("COMPRESSION", self.parse_label()?)
                    }
                    _ => return Err(self.error_at(what)),
                }
            }
            Keyword::DROP => {
                let what = self.next_token();
                match what.keyword {
                    Keyword::NOT => {
                        self.expect_keyword(Keyword::NULL)?;
                        ColumnChange::DropNotNull
                    }
                    Keyword::DEFAULT => ColumnChange::DropDefault,
                    Keyword::EXPRESSION => ColumnChange::DropExpression {
                        if_exists: self.if_exists(),
                    },
                    Keyword::IDENTITY => ColumnChange::DropIdentity {
                        if_exists: self.if_exists(),
                    },
                    _ => return Err(self.error_at(what)),
                }
            }
            Keyword::ADD => {
                self.expect_keyword(Keyword::GENERATED)?;
                let always = self.always()?;
                self.expect_keywords(&[Keyword::AS, Keyword::IDENTITY])?;
                let (name, options) = self.identity_options()?;
                ColumnChange::AddIdentity {
                    always,
                    name,
                    options,
                }
            }
            _ => return Err(self.error_at(first)),
        })
    }

    /// `ALWAYS`, else `BY DEFAULT`.
    fn always(&mut self) -> Result<bool> {
        let always = self.parse_keyword(Keyword::ALWAYS);
        if !always {
            self.expect_keywords(&[Keyword::BY, Keyword::DEFAULT])?;
        }
        Ok(always)
    }

    fn identity_changes(&mut self) -> Result<ColumnChange> {
        let mut always = None;
        let mut options: Vec<SequenceOptions> = Vec::new();
        let mut restart = None;
        loop {
            let set = self.parse_keyword(Keyword::SET);
            if self.parse_keyword(Keyword::RESTART) {
                let number = self.parse_keyword(Keyword::WITH) || self.peek() == Token::Number;
                restart = Some(match number {
                    true => Some(Box::new(self.parse_number()?)),
                    false => None,
                });
            } else if !set {
                return Ok(ColumnChange::SetIdentity {
                    always,
                    options,
                    restart,
                });
            } else if self.parse_keyword(Keyword::GENERATED) {
                always = Some(self.always()?);
            } else {
                let more = self.parse_sequence_options()?;
                if more.is_empty() {
                    return self.unexpected();
                }
                options.extend(more);
            }
        }
    }

    fn alter_type(&mut self) -> Result<ColumnChange> {
        let ty = Box::new(self.parse_data_type()?);
        let collation = match self.parse_keyword(Keyword::COLLATE) {
            true => Some(self.parse_object_name(false)?),
            false => None,
        };
        let using = match self.parse_keyword(Keyword::USING) {
            true => Some(Box::new(self.parse_expr()?)),
            false => None,
        };
        Ok(ColumnChange::Type {
            ty,
            collation,
            using,
        })
    }

    /// The role that something is given to; `None` for that of the session.
    pub fn parse_role(&mut self) -> Result<Option<Ident>> {
        let roles = [
            Keyword::CURRENT_ROLE,
            Keyword::CURRENT_USER,
            Keyword::SESSION_USER,
        ];
        match self.parse_one_of_keywords(&roles) {
            Some(_) => Ok(None),
            None => self.parse_nonreserved().map(Some),
        }
    }

    fn alter_set(&mut self) -> Result<Action> {
        if self.peek() == Token::LParen {
            return Ok(Action::Options(self.parse_storage_options()?));
        }
        let next = self.next_token();
        match next.keyword {
            // As they are, and stay.
            Keyword::LOGGED => Ok(Action::Options(Vec::new())),
            Keyword::UNLOGGED => Ok(Action::Storage("UNLOGGED", None)),
            Keyword::WITHOUT => {
                self.expect_one_of_keywords(&[Keyword::CLUSTER, Keyword::OIDS])?;
                Ok(Action::Options(Vec::new()))
            }
            Keyword::TABLESPACE => {
                self.prev_token();
                self.expect_tablespace()?;
                Ok(Action::Options(Vec::new()))
            }
            Keyword::ACCESS => {
                let what = format!("ALTER TABLE ... SET {}", next.keyword.as_str());
                Err(Error::unsupported(what).at(next.position))
            }
            _ => Err(self.error_at(next)),
        }
    }
}
