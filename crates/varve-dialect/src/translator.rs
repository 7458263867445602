//! What is known while a script is translated, and the translation so far.

use std::collections::BTreeSet;

use varve_types::SqlText;

use crate::dialect::Dialect;
use crate::later::Later;
use crate::names::key;
use crate::schema::Schema;
use crate::script::{Remark, Script, Statement};

/// What is known while a script is translated.
pub(crate) struct Translator<'s> {
    pub schema: &'s Schema,
    pub dialect: Dialect,
    pub script: Script,
    pub later: Later,
    /// Keys of the names of tables that the script has dropped.
    pub dropped: BTreeSet<String>,
    /// Keys of the names of indexes.
    pub taken: BTreeSet<String>,
    /// The database that USE named.
    pub database: Option<String>,
    has_told_collation: bool,
}

impl<'s> Translator<'s> {
    /// Before the first statement.
    pub(crate) fn new(schema: &'s Schema, dialect: Dialect) -> Translator<'s> {
        Translator {
            schema,
            dialect,
            script: Script::default(),
            later: Later::default(),
            dropped: BTreeSet::new(),
            taken: BTreeSet::new(),
            database: None,
            has_told_collation: false,
        }
    }

    pub(crate) fn write(&mut self, line: u64, text: SqlText) {
        let sql = text.into_string();
        self.script.statements.push(Statement { line, sql });
    }

    pub(crate) fn remark(&mut self, line: u64, message: String) {
        self.script.remarks.push(Remark { line, message });
    }

    /// Once is enough: every text column of a dump of MySQL's may have a collation.
    pub(crate) fn tell_collation(&mut self, line: u64) {
        if !self.has_told_collation {
            self.has_told_collation = true;
            let message = "collations are left out: texts are compared letter by letter here";
            self.remark(line, message.to_owned());
        }
    }

    /// Whether no table or index has this name yet; an index has it then.
    pub(crate) fn take_name(&mut self, name: &str) -> bool {
        let name = key(name);
        !self.schema.tables.contains_key(&name) && self.taken.insert(name)
    }
}
