//! ALTER of tables and of what else has a name beside them: the trees, and what comes before the
//! actions.

use sqlparser::ast::{
    ColumnDef, DataType, Expr, ForValues, Ident, ObjectName, SequenceOptions, SqlOption,
    TableConstraint,
};
use varve_types::{Error, Result};

use crate::keyword::Keyword;
use crate::parser::Parser;
use crate::token::Token;

/// `ALTER kind [IF EXISTS] name action, ...`
#[derive(Debug)]
pub struct Alter {
    /// The kind that the statement names.
    pub kind: Altered,
    /// `IF EXISTS`
    pub if_exists: bool,
    /// `ONLY`: not the tables below.
    pub only: bool,
    /// What is altered.
    pub name: ObjectName,
    /// What is done to it.
    pub actions: Vec<Action>,
}

/// What kind of object is altered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Altered {
    /// A table; statements may say so of all the others but schemas too.
    Table,
    /// An index.
    Index,
    /// A view.
    View,
    /// A materialized view.
    MaterializedView,
    /// A sequence.
    Sequence,
    /// A schema.
    Schema,
}

/// What is done to a table or another object.
#[derive(Debug)]
pub enum Action {
    /// `ADD [COLUMN] [IF NOT EXISTS] column`
    AddColumn {
        /// The column.
        column: Box<ColumnDef>,
        /// `IF NOT EXISTS`
        if_not_exists: bool,
    },
    /// `ADD constraint [NOT VALID]`
    AddConstraint {
        /// The constraint.
        constraint: Box<TableConstraint>,
        /// Rows that are there are not checked.
        not_valid: bool,
    },
    /// `DROP [COLUMN] [IF EXISTS] name [CASCADE]`
    DropColumn {
        /// The column.
        name: Ident,
        /// `IF EXISTS`
        if_exists: bool,
        /// `CASCADE`
        cascade: bool,
    },
    /// `DROP CONSTRAINT [IF EXISTS] name [CASCADE]`
    DropConstraint {
        /// The constraint.
        name: Ident,
        /// `IF EXISTS`
        if_exists: bool,
        /// `CASCADE`
        cascade: bool,
    },
    /// `ALTER [COLUMN] name change`
    Column {
        /// The column.
        name: Ident,
        /// What is done to it.
        change: ColumnChange,
    },
    /// `VALIDATE CONSTRAINT name`
    Validate(Ident),
    /// `RENAME [COLUMN] name TO name`
    RenameColumn {
        /// Its name.
        from: Ident,
        /// Its new name.
        to: Ident,
    },
    /// `RENAME CONSTRAINT name TO name`
    RenameConstraint {
        /// Its name.
        from: Ident,
        /// Its new name.
        to: Ident,
    },
    /// `RENAME TO name`
    RenameTo(Ident),
    /// `SET SCHEMA name`
    SetSchema(Ident),
    /// `[NO] INHERIT table`
    Inherit {
        /// The table.
        parent: ObjectName,
        /// Without `NO`.
        joins: bool,
    },
    /// `ATTACH PARTITION table bound`
    Attach {
        /// The table.
        partition: ObjectName,
        /// Which rows it takes.
        values: Box<ForValues>,
    },
    /// `ATTACH PARTITION index` of an index.
    AttachIndex(ObjectName),
    /// `DETACH PARTITION table`
    Detach(ObjectName),
    /// `OWNER TO`, as [`Parser::parse_role`] has it.
    Owner(Option<Ident>),
    /// `SET (...)`, `RESET (...)`
    Options(Vec<SqlOption>),
    /// What says how rows are stored, logged or guarded, by its words, and the index that it names.
    Storage(&'static str, Option<Ident>),
}

/// What is done to a column.
#[derive(Debug)]
pub enum ColumnChange {
    /// `TYPE type [COLLATE collation] [USING expression]`
    Type {
        /// The type.
        ty: Box<DataType>,
        /// How its values are ordered.
        collation: Option<ObjectName>,
        /// What values are made by.
        using: Option<Box<Expr>>,
    },
    /// `SET DEFAULT expression`
    SetDefault(Box<Expr>),
    /// `DROP DEFAULT`
    DropDefault,
    /// `SET NOT NULL`
    SetNotNull,
    /// `DROP NOT NULL`
    DropNotNull,
    /// `DROP EXPRESSION [IF EXISTS]`
    DropExpression {
        /// `IF EXISTS`
        if_exists: bool,
    },
    /// `ADD GENERATED ... AS IDENTITY`
    AddIdentity {
        /// `ALWAYS`, else `BY DEFAULT`.
        always: bool,
        /// `SEQUENCE NAME`
        name: Option<ObjectName>,
        /// Options of its sequence.
        options: Vec<SequenceOptions>,
    },
    /// `SET GENERATED ...`, `SET option`, `RESTART`, any of them together
    SetIdentity {
        /// `ALWAYS` or `BY DEFAULT`, where it is said.
        always: Option<bool>,
        /// Options of its sequence.
        options: Vec<SequenceOptions>,
        /// `RESTART [WITH n]`
        restart: Option<Option<Box<Expr>>>,
    },
    /// `DROP IDENTITY [IF EXISTS]`
    DropIdentity {
        /// `IF EXISTS`
        if_exists: bool,
    },
    /// `SET (...)`, `RESET (...)`
    Options(Vec<SqlOption>),
    /// `SET STORAGE`, `SET COMPRESSION`, by its word.
    Storage(&'static str, Ident),
    /// `SET STATISTICS`
    Statistics,
}

impl Parser<'_> {
    /// The kind of object that comes next, if ALTER of it may be read here.
    pub fn parse_altered(&mut self) -> Option<Altered> {
        if self.parse_keywords(&[Keyword::MATERIALIZED, Keyword::VIEW]) {
            return Some(Altered::MaterializedView);
        }
        let words = [
            Keyword::TABLE,
            Keyword::INDEX,
            Keyword::VIEW,
            Keyword::SEQUENCE,
            Keyword::SCHEMA,
        ];
        Some(match self.parse_one_of_keywords(&words)? {
            Keyword::TABLE => Altered::Table,
            Keyword::INDEX => Altered::Index,
            Keyword::VIEW => Altered::View,
            Keyword::SEQUENCE => Altered::Sequence,
            _ => Altered::Schema,
        })
    }

    /// The rest of ALTER of an object. Of a sequence `None` where its options follow, with nothing
    /// taken.
    pub fn parse_alter(&mut self, kind: Altered) -> Result<Option<Alter>> {
        let start = self.index();
        if self.peek_keyword(Keyword::ALL) && self.second_is(Keyword::IN) {
            let what = Error::unsupported("ALTER ... ALL IN TABLESPACE");
            return Err(what.at(self.peek_token().position));
        }
        let if_exists = kind != Altered::Schema && self.if_exists();
        let only = kind == Altered::Table && self.parse_keyword(Keyword::ONLY);
        let name = self.parse_object_name(false)?;
        if kind == Altered::Table {
            let _ = self.consume_token(&Token::Mul);
        }
        let actions = match self.peek_token().keyword {
            Keyword::RENAME => vec![self.renamed(kind)?],
            Keyword::ATTACH if kind == Altered::Index => {
                self.next_token();
                self.expect_keyword(Keyword::PARTITION)?;
                vec![Action::AttachIndex(self.parse_object_name(false)?)]
            }
            Keyword::SET if self.second_is(Keyword::SCHEMA) && kind != Altered::Schema => {
                self.next_token();
                self.next_token();
                vec![Action::SetSchema(self.parse_identifier()?)]
            }
            Keyword::OWNER if kind == Altered::Schema => vec![self.table_action()?],
            Keyword::OWNER | Keyword::SET if kind == Altered::Sequence => {
                vec![self.table_action()?]
            }
            _ if kind == Altered::Sequence => {
                while self.index() > start {
                    self.prev_token();
                }
                return Ok(None);
            }
            _ if kind == Altered::Schema => return self.unexpected(),
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

    fn renamed(&mut self, kind: Altered) -> Result<Action> {
        self.next_token();
        if self.parse_keyword(Keyword::TO) {
            return Ok(Action::RenameTo(self.parse_identifier()?));
        }
        let is_constraint = kind == Altered::Table && self.parse_keyword(Keyword::CONSTRAINT);
        if matches!(kind, Altered::Sequence | Altered::Index | Altered::Schema) {
            return self.unexpected();
        }
        if !is_constraint {
            let _ = self.parse_keyword(Keyword::COLUMN);
        }
        let from = self.parse_identifier()?;
        self.expect_keyword(Keyword::TO)?;
        let to = self.parse_identifier()?;
        Ok(match is_constraint {
            true => Action::RenameConstraint { from, to },
            false => Action::RenameColumn { from, to },
        })
    }

    /// Takes IF EXISTS if it comes next.
    pub(crate) fn if_exists(&mut self) -> bool {
        self.parse_keywords(&[Keyword::IF, Keyword::EXISTS])
    }
}
