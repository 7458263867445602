//! ALTER TABLE.

use sqlparser::ast::{
    AlterColumnOperation, AlterTable, AlterTableOperation, DropBehavior, GeneratedAs, Owner,
    RenameTableNameKind, SqlOption,
};
use varve_types::{Error, Result};

use crate::keyword::Keyword;
use crate::name::single;
use crate::parser::Parser;
use crate::token::Token;

impl Parser<'_> {
    /// What follows `ALTER TABLE`.
    pub fn parse_alter_table(&mut self) -> Result<AlterTable> {
        if self.peek_keyword(Keyword::ALL) && self.second_is(Keyword::IN) {
            let what = Error::unsupported("ALTER TABLE ALL IN TABLESPACE");
            return Err(what.at(self.peek_token().position));
        }
        let if_exists = self.parse_keywords(&[Keyword::IF, Keyword::EXISTS]);
        let only = self.parse_keyword(Keyword::ONLY);
        let name = self.parse_object_name(false)?;
        let _ = self.consume_token(&Token::Mul);
        let operations = match self.peek_token().keyword {
            Keyword::RENAME => vec![self.rename_table()?],
            _ => self.parse_comma_separated(Parser::parse_alter_table_operation)?,
        };
        Ok(AlterTable {
            name,
            if_exists,
            only,
            operations,
            location: None,
            on_cluster: None,
            table_type: None,
            end_token: self.next_attached(),
        })
    }

    fn rename_table(&mut self) -> Result<AlterTableOperation> {
        self.next_token();
        if self.parse_keyword(Keyword::TO) {
            return Ok(AlterTableOperation::RenameTable {
                table_name: RenameTableNameKind::To(single(self.parse_identifier()?)),
            });
        }
        if self.parse_keyword(Keyword::CONSTRAINT) {
            let old_name = self.parse_identifier()?;
            self.expect_keyword(Keyword::TO)?;
            let new_name = self.parse_identifier()?;
            return Ok(AlterTableOperation::RenameConstraint { old_name, new_name });
        }
        let _ = self.parse_keyword(Keyword::COLUMN);
        let old_column_name = self.parse_identifier()?;
        self.expect_keyword(Keyword::TO)?;
        Ok(AlterTableOperation::RenameColumn {
            old_column_name,
            new_column_name: self.parse_identifier()?,
        })
    }

    /// CASCADE or RESTRICT.
    pub fn parse_optional_drop_behavior(&mut self) -> Option<DropBehavior> {
        match self.parse_one_of_keywords(&[Keyword::CASCADE, Keyword::RESTRICT])? {
            Keyword::CASCADE => Some(DropBehavior::Cascade),
            _ => Some(DropBehavior::Restrict),
        }
    }

    /// One of the operations with commas between them.
    pub fn parse_alter_table_operation(&mut self) -> Result<AlterTableOperation> {
        let next = self.next_token();
        match next.keyword {
            Keyword::ADD => self.alter_add(),
            Keyword::DROP => self.alter_drop(),
            Keyword::ALTER => self.alter_column(),
            Keyword::VALIDATE => {
                self.expect_keyword(Keyword::CONSTRAINT)?;
                let name = self.parse_identifier()?;
                Ok(AlterTableOperation::ValidateConstraint { name })
            }
            Keyword::OWNER => {
                self.expect_keyword(Keyword::TO)?;
                Ok(AlterTableOperation::OwnerTo {
                    new_owner: self.owner()?,
                })
            }
            Keyword::SET => self.alter_set(),
            Keyword::ENABLE | Keyword::DISABLE => {
                let enable = next.keyword == Keyword::ENABLE;
                self.alter_triggers(enable)
            }
            Keyword::FORCE => {
                self.expect_keyword(Keyword::ROW)?;
                self.row_level_security()?;
                Ok(AlterTableOperation::ForceRowLevelSecurity)
            }
            Keyword::INHERIT
            | Keyword::NO
            | Keyword::OF
            | Keyword::NOT
            | Keyword::CLUSTER
            | Keyword::REPLICA
            | Keyword::RESET
            | Keyword::ATTACH
            | Keyword::DETACH => {
                let what = format!("ALTER TABLE ... {}", next.keyword.as_str());
                Err(Error::unsupported(what).at(next.position))
            }
            _ => Err(self.error_at(next)),
        }
    }

    fn alter_add(&mut self) -> Result<AlterTableOperation> {
        if let Some(constraint) = self.parse_optional_table_constraint()? {
            let not_valid = self.parse_keywords(&[Keyword::NOT, Keyword::VALID]);
            return Ok(AlterTableOperation::AddConstraint {
                constraint,
                not_valid,
            });
        }
        let column_keyword = self.parse_keyword(Keyword::COLUMN);
        Ok(AlterTableOperation::AddColumn {
            column_keyword,
            if_not_exists: self.parse_if_not_exists()?,
            column_def: self.parse_column_def()?,
            column_position: None,
        })
    }

    fn alter_drop(&mut self) -> Result<AlterTableOperation> {
        if self.parse_keyword(Keyword::CONSTRAINT) {
            let if_exists = self.parse_keywords(&[Keyword::IF, Keyword::EXISTS]);
            return Ok(AlterTableOperation::DropConstraint {
                if_exists,
                name: self.parse_identifier()?,
                drop_behavior: self.parse_optional_drop_behavior(),
            });
        }
        let has_column_keyword = self.parse_keyword(Keyword::COLUMN);
        let if_exists = self.parse_keywords(&[Keyword::IF, Keyword::EXISTS]);
        Ok(AlterTableOperation::DropColumn {
            has_column_keyword,
            column_names: vec![self.parse_identifier()?],
            if_exists,
            drop_behavior: self.parse_optional_drop_behavior(),
        })
    }

    fn alter_column(&mut self) -> Result<AlterTableOperation> {
        if self.peek_keyword(Keyword::CONSTRAINT) {
            let what = Error::unsupported("ALTER TABLE ... ALTER CONSTRAINT");
            return Err(what.at(self.peek_token().position));
        }
        let _ = self.parse_keyword(Keyword::COLUMN);
        let column_name = self.parse_identifier()?;
        let next = self.next_token();
        let op = match next.keyword {
            Keyword::TYPE => self.alter_type(false)?,
            Keyword::SET if self.peek() == Token::LParen => {
                let what = Error::unsupported("ALTER TABLE ... ALTER COLUMN ... SET (...)");
                return Err(what.at(next.position));
            }
            Keyword::SET => {
                let what = self.next_token();
                match what.keyword {
                    Keyword::NOT => {
                        self.expect_keyword(Keyword::NULL)?;
                        AlterColumnOperation::SetNotNull
                    }
                    Keyword::DEFAULT => AlterColumnOperation::SetDefault {
                        value: self.parse_expr()?,
                    },
                    Keyword::DATA => {
                        self.expect_keyword(Keyword::TYPE)?;
                        self.alter_type(true)?
                    }
                    Keyword::STATISTICS
                    | Keyword::STORAGE
                    | Keyword::COMPRESSION
                    | Keyword::GENERATED
                    | Keyword::INCREMENT
                    | Keyword::MINVALUE
                    | Keyword::MAXVALUE
                    | Keyword::START
                    | Keyword::CACHE
                    | Keyword::CYCLE => {
                        let what = format!(
                            "ALTER TABLE ... ALTER COLUMN ... SET {}",
                            what.keyword.as_str()
                        );
                        return Err(Error::unsupported(what).at(next.position));
                    }
                    _ => return Err(self.error_at(what)),
                }
            }
            Keyword::DROP => {
                let what = self.next_token();
                match what.keyword {
                    Keyword::NOT => {
                        self.expect_keyword(Keyword::NULL)?;
                        AlterColumnOperation::DropNotNull
                    }
                    Keyword::DEFAULT => AlterColumnOperation::DropDefault,
                    Keyword::EXPRESSION | Keyword::IDENTITY => {
                        let what = format!(
                            "ALTER TABLE ... ALTER COLUMN ... DROP {}",
                            what.keyword.as_str()
                        );
                        return Err(Error::unsupported(what).at(next.position));
                    }
                    _ => return Err(self.error_at(what)),
                }
            }
            Keyword::ADD => {
                self.expect_keyword(Keyword::GENERATED)?;
                let always = self.parse_keyword(Keyword::ALWAYS);
                if !always {
                    self.expect_keywords(&[Keyword::BY, Keyword::DEFAULT])?;
                }
                self.expect_keywords(&[Keyword::AS, Keyword::IDENTITY])?;
                let mut sequence_options = None;
                if self.consume_token(&Token::LParen) {
                    sequence_options = Some(self.parse_sequence_options()?);
                    self.expect_token(&Token::RParen)?;
                }
                AlterColumnOperation::AddGenerated {
                    generated_as: Some(match always {
                        true => GeneratedAs::Always,
                        false => GeneratedAs::ByDefault,
                    }),
                    sequence_options,
                }
            }
            Keyword::RESTART | Keyword::RESET => {
                let what = format!("ALTER TABLE ... ALTER COLUMN ... {}", next.keyword.as_str());
                return Err(Error::unsupported(what).at(next.position));
            }
            _ => return Err(self.error_at(next)),
        };
        Ok(AlterTableOperation::AlterColumn { column_name, op })
    }

    fn alter_type(&mut self, had_set: bool) -> Result<AlterColumnOperation> {
        let data_type = self.parse_data_type()?;
        if self.peek_keyword(Keyword::COLLATE) {
            let what = Error::unsupported("COLLATE");
            return Err(what.at(self.peek_token().position));
        }
        let using = match self.parse_keyword(Keyword::USING) {
            true => Some(self.parse_expr()?),
            false => None,
        };
        Ok(AlterColumnOperation::SetDataType {
            data_type,
            using,
            had_set,
        })
    }

    /// The role that something is given to.
    pub(crate) fn owner(&mut self) -> Result<Owner> {
        let next = self.peek_token();
        let owner = match next.keyword {
            Keyword::CURRENT_ROLE => Owner::CurrentRole,
            Keyword::CURRENT_USER => Owner::CurrentUser,
            Keyword::SESSION_USER => Owner::SessionUser,
            _ => return Ok(Owner::Ident(self.parse_nonreserved()?)),
        };
        self.next_token();
        Ok(owner)
    }

    /// What follows SET. SET SCHEMA is a renaming with AS, which PostgreSQL has not.
    fn alter_set(&mut self) -> Result<AlterTableOperation> {
        if self.peek() == Token::LParen {
            let options: Vec<SqlOption> = self.parse_storage_options()?;
            return Ok(AlterTableOperation::SetOptionsParens { options });
        }
        let next = self.next_token();
        match next.keyword {
            Keyword::SCHEMA => Ok(AlterTableOperation::RenameTable {
                table_name: RenameTableNameKind::As(single(self.parse_identifier()?)),
            }),
            Keyword::LOGGED => Ok(AlterTableOperation::SetLogged),
            Keyword::UNLOGGED => Ok(AlterTableOperation::SetUnlogged),
            Keyword::TABLESPACE | Keyword::WITHOUT | Keyword::ACCESS => {
                let what = format!("ALTER TABLE ... SET {}", next.keyword.as_str());
                Err(Error::unsupported(what).at(next.position))
            }
            _ => Err(self.error_at(next)),
        }
    }

    fn row_level_security(&mut self) -> Result<()> {
        self.expect_keyword(Keyword::LEVEL)?;
        self.expect_keyword_is(Keyword::SECURITY)
    }

    fn alter_triggers(&mut self, enable: bool) -> Result<AlterTableOperation> {
        use AlterTableOperation as Op;
        let kinds = [Keyword::REPLICA, Keyword::ALWAYS];
        let kind = match enable {
            true => self.parse_one_of_keywords(&kinds),
            false => None,
        };
        let next = self.next_token();
        if next.keyword == Keyword::ROW && kind.is_none() {
            self.row_level_security()?;
            return Ok(match enable {
                true => Op::EnableRowLevelSecurity,
                false => Op::DisableRowLevelSecurity,
            });
        }
        let rule = next.keyword == Keyword::RULE;
        if !rule && next.keyword != Keyword::TRIGGER {
            return Err(self.error_at(next));
        }
        // ALL and USER are reserved words that stand for triggers here.
        let name = self.parse_label()?;
        Ok(match (enable, kind, rule) {
            (false, _, true) => Op::DisableRule { name },
            (false, _, false) => Op::DisableTrigger { name },
            (true, None, true) => Op::EnableRule { name },
            (true, None, false) => Op::EnableTrigger { name },
            (true, Some(Keyword::ALWAYS), true) => Op::EnableAlwaysRule { name },
            (true, Some(Keyword::ALWAYS), false) => Op::EnableAlwaysTrigger { name },
            (true, Some(_), true) => Op::EnableReplicaRule { name },
            (true, Some(_), false) => Op::EnableReplicaTrigger { name },
        })
    }
}
