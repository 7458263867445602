//! The actions of ALTER TABLE.

use varve_ast::{AlterAction, ColumnChange, Identity};
use varve_lexer::{Keyword, Lexeme, Token};
use varve_types::{Error, Result};

use crate::parser::Parser;

impl Parser<'_> {
    /// One of the actions with commas between them.
    pub(crate) fn table_action(&mut self) -> Result<AlterAction> {
        let next = self.next_token();
        match next.keyword {
            Keyword::ADD => self.alter_add(),
            Keyword::DROP => self.alter_drop(),
            Keyword::ALTER => self.alter_column(),
            Keyword::VALIDATE => {
                self.expect_keyword(Keyword::CONSTRAINT)?;
                Ok(AlterAction::Validate(self.parse_identifier()?))
            }
            Keyword::OWNER => {
                self.expect_keyword(Keyword::TO)?;
                self.parse_role().map(AlterAction::Owner)
            }
            Keyword::SET => self.alter_set(),
            Keyword::RESET => Ok(AlterAction::ResetOptions(self.parse_storage_options()?)),
            Keyword::CLUSTER => {
                self.expect_keyword(Keyword::ON)?;
                let index = self.parse_identifier()?;
                Ok(AlterAction::Storage("CLUSTER ON", Some(index)))
            }
            Keyword::REPLICA => self.replica_identity(),
            Keyword::NO if self.peek_keyword(Keyword::FORCE) => {
                self.next_token();
                self.row_security("NO FORCE ROW LEVEL SECURITY")
            }
            Keyword::INHERIT | Keyword::NO => {
                let joins = next.keyword == Keyword::INHERIT;
                if !joins {
                    self.expect_keyword(Keyword::INHERIT)?;
                }
                let parent = self.parse_object_name()?;
                Ok(AlterAction::Inherit { parent, joins })
            }
            Keyword::ATTACH => {
                self.expect_keyword(Keyword::PARTITION)?;
                let partition = self.parse_object_name()?;
                let values = Box::new(self.partition_values()?);
                Ok(AlterAction::Attach { partition, values })
            }
            Keyword::DETACH => {
                self.expect_keyword(Keyword::PARTITION)?;
                let partition = self.parse_object_name()?;
                // Nobody waits for a lock here.
                let _ = self.parse_keyword(Keyword::CONCURRENTLY);
                Ok(AlterAction::Detach(partition))
            }
            _ => self.guarding_action(next),
        }
    }

    /// An action that says who sees which rows, and what is not supported.
    fn guarding_action(&mut self, first: Lexeme) -> Result<AlterAction> {
        match first.keyword {
            Keyword::ENABLE if self.peek_keyword(Keyword::ROW) => {
                self.row_security("ENABLE ROW LEVEL SECURITY")
            }
            Keyword::DISABLE if self.peek_keyword(Keyword::ROW) => {
                self.row_security("DISABLE ROW LEVEL SECURITY")
            }
            Keyword::FORCE => self.row_security("FORCE ROW LEVEL SECURITY"),
            Keyword::ENABLE | Keyword::DISABLE | Keyword::OF | Keyword::NOT => {
                let what = format!("ALTER TABLE ... {}", first.keyword.as_str());
                Err(Error::unsupported(what).at(first.position))
            }
            _ => Err(self.error_at(first)),
        }
    }

    fn row_security(&mut self, words: &'static str) -> Result<AlterAction> {
        self.expect_keywords(&[Keyword::ROW, Keyword::LEVEL, Keyword::SECURITY])?;
        Ok(AlterAction::Storage(words, None))
    }

    fn replica_identity(&mut self) -> Result<AlterAction> {
        self.expect_keyword(Keyword::IDENTITY)?;
        let mut index = None;
        if self.parse_keyword(Keyword::USING) {
            self.expect_keyword(Keyword::INDEX)?;
            index = Some(self.parse_identifier()?);
        } else {
            let kinds = [Keyword::DEFAULT, Keyword::FULL, Keyword::NOTHING];
            self.expect_one_of_keywords(&kinds)?;
        }
        Ok(AlterAction::Storage("REPLICA IDENTITY", index))
    }

    fn alter_add(&mut self) -> Result<AlterAction> {
        if let Some(constraint) = self.parse_optional_table_constraint()? {
            return Ok(AlterAction::AddConstraint {
                constraint: Box::new(constraint),
                not_valid: self.parse_keywords(&[Keyword::NOT, Keyword::VALID]),
            });
        }
        let _ = self.parse_keyword(Keyword::COLUMN);
        Ok(AlterAction::AddColumn {
            if_not_exists: self.parse_if_not_exists()?,
            column: Box::new(self.parse_column_def()?),
        })
    }

    fn alter_drop(&mut self) -> Result<AlterAction> {
        let is_constraint = self.parse_keyword(Keyword::CONSTRAINT);
        if !is_constraint {
            let _ = self.parse_keyword(Keyword::COLUMN);
        }
        let if_exists = self.if_exists();
        let name = self.parse_identifier()?;
        let is_cascade = self.cascade();
        Ok(match is_constraint {
            true => AlterAction::DropConstraint {
                name,
                if_exists,
                is_cascade,
            },
            false => AlterAction::DropColumn {
                name,
                if_exists,
                is_cascade,
            },
        })
    }

    fn alter_column(&mut self) -> Result<AlterAction> {
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
            _ => self.column_change()?,
        };
        Ok(AlterAction::Column { name, change })
    }

    fn column_change(&mut self) -> Result<ColumnChange> {
        let first = self.next_token();
        Ok(match first.keyword {
            Keyword::TYPE => self.column_type()?,
            Keyword::SET if self.peek() == Token::LParen => {
                ColumnChange::Options(self.parse_storage_options()?)
            }
            Keyword::RESET => ColumnChange::Options(self.parse_storage_options()?),
            Keyword::SET => self.column_set()?,
            Keyword::DROP => self.column_drop()?,
            Keyword::ADD => {
                self.expect_keyword(Keyword::GENERATED)?;
                let is_always = self.always_or_by_default()?;
                self.expect_keywords(&[Keyword::AS, Keyword::IDENTITY])?;
                let (sequence, options) = self.identity_options()?;
                ColumnChange::AddIdentity(Identity {
                    is_always,
                    sequence,
                    options,
                })
            }
            _ => return Err(self.error_at(first)),
        })
    }

    /// What follows `SET` of a column.
    fn column_set(&mut self) -> Result<ColumnChange> {
        let what = self.next_token();
        Ok(match what.keyword {
            Keyword::NOT => {
                self.expect_keyword(Keyword::NULL)?;
                ColumnChange::SetNotNull
            }
            Keyword::DEFAULT => ColumnChange::SetDefault(Box::new(self.parse_expr()?)),
            Keyword::DATA => {
                self.expect_keyword(Keyword::TYPE)?;
                self.column_type()?
            }
            Keyword::STATISTICS => {
                self.parse_number()?;
                ColumnChange::Statistics
            }
            Keyword::STORAGE => ColumnChange::Storage(self.parse_label()?),
            Keyword::COMPRESSION => ColumnChange::Compression(self.parse_compression()?),
            _ => return Err(self.error_at(what)),
        })
    }

    /// What follows `DROP` of a column.
    fn column_drop(&mut self) -> Result<ColumnChange> {
        let what = self.next_token();
        Ok(match what.keyword {
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
        })
    }

    fn identity_changes(&mut self) -> Result<ColumnChange> {
        let mut is_always = None;
        let mut options = Vec::new();
        let mut restart = None;
        loop {
            let is_set = self.parse_keyword(Keyword::SET);
            if self.parse_keyword(Keyword::RESTART) {
                let number = self.parse_keyword(Keyword::WITH) || self.peek() == Token::Number;
                restart = Some(match number {
                    true => Some(self.parse_number()?),
                    false => None,
                });
            } else if !is_set {
                return Ok(ColumnChange::SetIdentity {
                    is_always,
                    options,
                    restart,
                });
            } else if self.parse_keyword(Keyword::GENERATED) {
                is_always = Some(self.always_or_by_default()?);
            } else {
                let more = self.sequence_options()?;
                if more.is_empty() {
                    return self.unexpected();
                }
                options.extend(more);
            }
        }
    }

    /// `type [COLLATE collation] [USING expression]`
    fn column_type(&mut self) -> Result<ColumnChange> {
        let type_name = Box::new(self.parse_data_type()?);
        let collation = match self.parse_keyword(Keyword::COLLATE) {
            true => {
                let word = self.last_span();
                Some((self.parse_object_name()?, word))
            }
            false => None,
        };
        let using = match self.parse_keyword(Keyword::USING) {
            true => Some(Box::new(self.parse_expr()?)),
            false => None,
        };
        Ok(ColumnChange::Type {
            type_name,
            collation,
            using,
        })
    }

    fn alter_set(&mut self) -> Result<AlterAction> {
        if self.peek() == Token::LParen {
            return Ok(AlterAction::Options(self.parse_storage_options()?));
        }
        let next = self.next_token();
        match next.keyword {
            // As they are, and stay.
            Keyword::LOGGED => Ok(AlterAction::Options(Vec::new())),
            Keyword::UNLOGGED => Ok(AlterAction::Storage("UNLOGGED", None)),
            Keyword::WITHOUT => {
                self.expect_one_of_keywords(&[Keyword::CLUSTER, Keyword::OIDS])?;
                Ok(AlterAction::Options(Vec::new()))
            }
            Keyword::TABLESPACE => {
                self.prev_token();
                self.expect_tablespace()?;
                Ok(AlterAction::Options(Vec::new()))
            }
            Keyword::ACCESS => {
                let what = format!("ALTER TABLE ... SET {}", next.keyword.as_str());
                Err(Error::unsupported(what).at(next.position))
            }
            _ => Err(self.error_at(next)),
        }
    }
}
