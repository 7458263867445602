//! ALTER TABLE.

use sqlparser::ast::{AlterTable, AlterTableOperation, RenameTableNameKind};
use varve_types::{SqlText, sql};

use crate::ddl::column::counts;
use crate::names::{last, spelled};
use crate::script::{Fault, Result};
use crate::translator::Translator;

impl<'s> Translator<'s> {
    pub(crate) fn alter_table(&mut self, alter: &AlterTable, at: u64) -> Result<()> {
        let table = self.schema.named(&alter.name)?;
        let mut texts = Vec::new();
        for operation in &alter.operations {
            let change = match operation {
                AlterTableOperation::AddConstraint { constraint, .. } => {
                    let constraint = self.constraint(table, constraint, at)?;
                    constraint.map(|constraint| sql!["ADD ", constraint])
                }
                AlterTableOperation::AddColumn { column_def, .. } => {
                    Some(sql!["ADD COLUMN ", self.column(table, column_def)?])
                }
                AlterTableOperation::DropColumn { column_names, .. } => {
                    let names = column_names.iter();
                    let drops: Vec<SqlText> = names
                        .map(|name| sql!["DROP COLUMN ", SqlText::name(&spelled(name))])
                        .collect();
                    Some(SqlText::joined(&drops, ", "))
                }
                AlterTableOperation::RenameTable {
                    table_name: RenameTableNameKind::To(name) | RenameTableNameKind::As(name),
                } => Some(sql!["RENAME TO ", SqlText::name(&spelled(last(name)?))]),
                // The first reading has made the column an identity.
                AlterTableOperation::ModifyColumn { options, .. } if counts(options.iter()) => None,
                AlterTableOperation::AutoIncrement { .. } => None,
                _ => {
                    return Err(Fault::new(
                        at,
                        "a change of ALTER TABLE that has no counterpart",
                    ));
                }
            };
            texts.extend(change);
        }
        for text in texts {
            self.write(
                at,
                sql!["ALTER TABLE ", SqlText::name(&table.name), " ", text],
            );
        }
        Ok(())
    }
}
