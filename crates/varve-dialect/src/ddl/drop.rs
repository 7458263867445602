//! DROP.

use sqlparser::ast::{ObjectName, ObjectType};
use varve_types::{SqlText, sql};

use crate::names::{key, last, spelled};
use crate::script::{Fault, Result};
use crate::translator::Translator;

impl<'s> Translator<'s> {
    pub(crate) fn drop_objects(
        &mut self,
        kind: ObjectType,
        if_exists: bool,
        names: &[ObjectName],
        at: u64,
    ) -> Result<()> {
        // Neither source minds what refers to a table that a dump drops.
        let (word, cascade) = match kind {
            ObjectType::Table => ("DROP TABLE ", " CASCADE"),
            ObjectType::View => ("DROP VIEW ", ""),
            ObjectType::Index => ("DROP INDEX ", ""),
            _ => return Err(Fault::new(at, "a DROP that has no counterpart")),
        };
        let exists = if if_exists { "IF EXISTS " } else { "" };
        for name in names {
            let name = last(name)?;
            let spelled = match self.schema.table(&name.value) {
                Some(table) => table.name.clone(),
                None => spelled(name),
            };
            match kind {
                ObjectType::Table => {
                    self.later.drop_table(&spelled);
                    self.dropped.insert(key(&spelled));
                }
                ObjectType::View => self.later.drop_view(&spelled),
                _ => {
                    self.taken.remove(&key(&spelled));
                }
            }
            self.write(at, sql![word, exists, SqlText::name(&spelled), cascade]);
        }
        Ok(())
    }
}
