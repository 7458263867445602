//! ALTER: of what has a name, and what comes before the actions of ALTER TABLE.

use varve_ast::{Alter, AlterAction, AlterKind, Ddl, StatementBody};
use varve_lexer::{Keyword, Token};
use varve_types::{Error, Result};

use crate::parser::Parser;

impl Parser<'_> {
    /// What follows `ALTER`.
    pub(crate) fn alter_statement(&mut self) -> Result<StatementBody> {
        if self.parse_keyword(Keyword::DEFAULT) {
            return self.default_privileges();
        }
        if self.role_word() {
            return self.alter_role();
        }
        if let Some(kind) = self.routine_kind() {
            let alter = Box::new(self.alter_function(kind)?);
            return Ok(StatementBody::Ddl(Ddl::AlterFunction(alter)));
        }
        let start = self.index();
        let ddl = match self.next_token().keyword {
            Keyword::TYPE => self.alter_type()?,
            Keyword::DOMAIN => self.alter_domain()?,
            Keyword::TABLE => self.maybe_parse(Parser::enable_triggers)?,
            Keyword::TRIGGER => Some(self.rename_trigger()?),
            _ => None,
        };
        if let Some(ddl) = ddl {
            return Ok(StatementBody::Ddl(ddl));
        }
        self.rewind(start);
        let Some(kind) = self.altered_kind() else {
            return Ok(self.unsupported(None));
        };
        Ok(StatementBody::Ddl(match self.alter(kind)? {
            Some(alter) => Ddl::Alter(Box::new(alter)),
            None => Ddl::Sequence(Box::new(self.alter_sequence()?)),
        }))
    }

    /// The kind of object that comes next, if ALTER of it may be read here.
    fn altered_kind(&mut self) -> Option<AlterKind> {
        if self.parse_keywords(&[Keyword::MATERIALIZED, Keyword::VIEW]) {
            return Some(AlterKind::MaterializedView);
        }
        let words = [
            Keyword::TABLE,
            Keyword::INDEX,
            Keyword::VIEW,
            Keyword::SEQUENCE,
            Keyword::SCHEMA,
        ];
        Some(match self.parse_one_of_keywords(&words)? {
            Keyword::TABLE => AlterKind::Table,
            Keyword::INDEX => AlterKind::Index,
            Keyword::VIEW => AlterKind::View,
            Keyword::SEQUENCE => AlterKind::Sequence,
            _ => AlterKind::Schema,
        })
    }

    /// The rest of ALTER of an object. Of a sequence `None` where its options follow, with nothing
    /// taken.
    fn alter(&mut self, kind: AlterKind) -> Result<Option<Alter>> {
        let start = self.index();
        if self.peek_keyword(Keyword::ALL) && self.second_is(Keyword::IN) {
            let what = Error::unsupported("ALTER ... ALL IN TABLESPACE");
            return Err(what.at(self.peek_token().position));
        }
        let if_exists = kind != AlterKind::Schema && self.if_exists();
        let only = kind == AlterKind::Table && self.parse_keyword(Keyword::ONLY);
        let name = self.parse_object_name()?;
        if kind == AlterKind::Table {
            let _ = self.consume_token(&Token::Mul);
        }
        let actions = match self.peek_token().keyword {
            Keyword::RENAME => vec![self.renamed(kind)?],
            Keyword::ATTACH if kind == AlterKind::Index => {
                self.next_token();
                self.expect_keyword(Keyword::PARTITION)?;
                vec![AlterAction::AttachIndex(self.parse_object_name()?)]
            }
            Keyword::SET if self.second_is(Keyword::SCHEMA) && kind != AlterKind::Schema => {
                self.next_token();
                self.next_token();
                vec![AlterAction::SetSchema(self.parse_identifier()?)]
            }
            Keyword::OWNER if kind == AlterKind::Schema => vec![self.table_action()?],
            Keyword::OWNER | Keyword::SET if kind == AlterKind::Sequence => {
                vec![self.table_action()?]
            }
            _ if kind == AlterKind::Sequence => {
                self.rewind(start);
                return Ok(None);
            }
            _ if kind == AlterKind::Schema => return self.unexpected(),
            _ => self.parse_comma_separated(Parser::table_action)?,
        };
        Ok(Some(Alter {
            kind,
            if_exists,
            only,
            name,
            actions,
        }))
    }

    fn renamed(&mut self, kind: AlterKind) -> Result<AlterAction> {
        self.next_token();
        if self.parse_keyword(Keyword::TO) {
            return Ok(AlterAction::RenameTo(self.parse_identifier()?));
        }
        let is_constraint = kind == AlterKind::Table && self.parse_keyword(Keyword::CONSTRAINT);
        if matches!(
            kind,
            AlterKind::Sequence | AlterKind::Index | AlterKind::Schema
        ) {
            return self.unexpected();
        }
        if !is_constraint {
            let _ = self.parse_keyword(Keyword::COLUMN);
        }
        let from = self.parse_identifier()?;
        self.expect_keyword(Keyword::TO)?;
        let to = self.parse_identifier()?;
        Ok(match is_constraint {
            true => AlterAction::RenameConstraint { from, to },
            false => AlterAction::RenameColumn { from, to },
        })
    }

    /// What follows `ALTER TRIGGER`.
    fn rename_trigger(&mut self) -> Result<Ddl> {
        let trigger = self.named_trigger(false)?;
        self.expect_words(&["RENAME", "TO"])?;
        let to = self.parse_identifier()?;
        Ok(Ddl::RenameTrigger { trigger, to })
    }

    /// What follows `ALTER TABLE`, if it is ENABLE or DISABLE TRIGGER.
    fn enable_triggers(&mut self) -> Result<Ddl> {
        let _only = self.parse_keyword(Keyword::ONLY);
        let table = self.parse_object_name()?;
        let is_enabled = self.parse_keyword(Keyword::ENABLE);
        let _always = is_enabled && self.parse_keyword(Keyword::ALWAYS);
        if !is_enabled {
            self.expect_keyword(Keyword::DISABLE)?;
        }
        self.expect_keyword(Keyword::TRIGGER)?;
        let name = match self.parse_keyword(Keyword::ALL) || self.parse_keyword(Keyword::USER) {
            true => None,
            false => Some(self.parse_identifier()?),
        };
        Ok(Ddl::EnableTriggers {
            table,
            name,
            is_enabled,
        })
    }

    /// Takes IF EXISTS if it comes next.
    pub(crate) fn if_exists(&mut self) -> bool {
        self.parse_keywords(&[Keyword::IF, Keyword::EXISTS])
    }
}
