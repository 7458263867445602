//! Carries out statements that define tables, indexes and sequences.

use std::sync::Arc;

use varve_catalog::{Catalog, SequenceDef, TableDef, encode_sequence, encode_table};
use varve_dml::index;
use varve_dml::notes::note_emptied;
use varve_expr::Expr;
use varve_plan::{NewIndex, NewTable, Statement};
use varve_sort::VecMap;
use varve_store::Transaction;
use varve_types::{
    Error, LogicalType, Notice, ObjectId, Result, SqlState, StorageMode, TreeId, TypeMod,
};

use crate::chunks::forget_chunks;
use crate::definer::{Defined, Definer};
use crate::sequences::create_state;

/// Tables on their way to other definitions.
pub(crate) struct ChangedTables<'a> {
    catalog: &'a Catalog,
    tables: VecMap<ObjectId, TableDef>,
}

impl<'a> ChangedTables<'a> {
    pub fn new(catalog: &'a Catalog) -> ChangedTables<'a> {
        ChangedTables {
            catalog,
            tables: VecMap::new(),
        }
    }

    /// Changes a table, if it is there.
    pub fn change(&mut self, table: ObjectId, change: impl FnOnce(&mut TableDef)) {
        if let Some(known) = self.catalog.tables.get(&table) {
            let table = self.tables.entry(table);
            change(table.or_insert_with(|| TableDef::clone(known)));
        }
    }

    pub fn put(self, transaction: &mut Transaction) -> Result<()> {
        for table in self.tables.values() {
            put_table(transaction, table)?;
        }
        Ok(())
    }
}

pub(crate) fn put_table(transaction: &mut Transaction, table: &TableDef) -> Result<()> {
    check_content(table)?;
    transaction.put_object(table.object, table.version, encode_table(table)?);
    Ok(())
}

/// Rows are found by their keys, so these lie in the rows.
fn check_content(table: &TableDef) -> Result<()> {
    let keys = table.primary_key.iter();
    let mut keys = keys.filter_map(|at| table.columns.get(*at));
    let found = keys.find(|column| column.storage.mode == StorageMode::ContentAddressed);
    let Some(column) = found else {
        return Ok(());
    };
    let message = format!(
        "column \"{}\" of the primary key cannot have storage CONTENT_ADDRESSED",
        column.name
    );
    let hint = "Make another column the primary key, and a unique index on this one.";
    Err(Error::new(SqlState::FEATURE_NOT_SUPPORTED, message).with_hint(hint))
}

impl Definer<'_> {
    /// Runs a statement that defines something.
    pub(crate) async fn define(
        &self,
        transaction: &mut Transaction,
        statement: &Statement,
    ) -> Result<Defined> {
        match statement {
            Statement::CreateTable { definition, exists } => {
                let mut result = Defined::command("CREATE");
                match exists {
                    true => result.notices.push(exists_notice(&definition.table.name)),
                    false => {
                        let table = create_table(transaction, definition).await?;
                        let zstd = table.wants_zstd();
                        result
                            .notices
                            .extend(zstd_notice(transaction, zstd, &table.name).await);
                        self.join_inheritance(transaction, &table).await?;
                    }
                }
                Ok(result)
            }
            Statement::Truncate {
                tables,
                named,
                sequences,
            } => self.truncate(transaction, tables, *named, sequences).await,
            Statement::CreateSequence { definition, exists } => {
                let mut result = Defined::command("CREATE");
                match exists {
                    true => result.notices.push(exists_notice(&definition.name)),
                    false => {
                        create_sequence(transaction, definition).await?;
                    }
                }
                Ok(result)
            }
            Statement::AlterSequence {
                changed,
                name,
                restart,
            } => {
                let mut result = Defined::command("ALTER");
                match changed {
                    Some(changed) => alter_sequence(transaction, changed, *restart).await?,
                    None => result.notices.push(missing_notice("relation", name)),
                }
                Ok(result)
            }
            Statement::CreateIndex {
                table,
                definition,
                name,
            } => match definition {
                Some(definition) => self.define_index(transaction, table, definition).await,
                None => Ok(Defined {
                    notices: vec![exists_notice(name)],
                    ..Defined::command("CREATE")
                }),
            },
            Statement::DropIndex { indexes, missing } => {
                self.drop_indexes(transaction, indexes, missing)
            }
            _ => Err(misplaced()),
        }
    }

    /// Gives tables new trees, without rows.
    async fn truncate(
        &self,
        transaction: &mut Transaction,
        tables: &[Arc<TableDef>],
        named: usize,
        sequences: &[Arc<SequenceDef>],
    ) -> Result<Defined> {
        let mut result = Defined::command("TRUNCATE TABLE");
        for (at, table) in tables.iter().enumerate() {
            if at >= named {
                let message = format!("truncate cascades to table \"{}\"", table.name);
                let notice = Notice::info(SqlState::SUCCESSFUL_COMPLETION, message);
                result.notices.push(notice);
            }
            note_emptied(transaction, self.catalog, table).await?;
            emptied(transaction, table)?;
            forget_chunks(transaction, self.catalog, table);
        }
        for sequence in sequences {
            alter_sequence(transaction, sequence, Some(sequence.start)).await?;
        }
        Ok(result)
    }

    fn drop_indexes(
        &self,
        transaction: &mut Transaction,
        indexes: &[(ObjectId, TreeId)],
        missing: &[String],
    ) -> Result<Defined> {
        let mut changed = ChangedTables::new(self.catalog);
        for (table, tree) in indexes {
            transaction.drop_tree(*tree)?;
            changed.change(*table, |table| {
                table.retain_indexes(|index| index.tree != *tree)
            });
        }
        changed.put(transaction)?;
        let mut result = Defined::command("DROP");
        result.notices.extend(missing.iter().map(|name| {
            Notice::info(
                SqlState::UNDEFINED_OBJECT,
                format!("index \"{name}\" does not exist, skipping"),
            )
        }));
        Ok(result)
    }

    /// Makes a new table the child of those that it inherits from. Where another partition took the
    /// rows of no other one, it must have none of the new one.
    async fn join_inheritance(
        &self,
        transaction: &mut Transaction,
        table: &TableDef,
    ) -> Result<()> {
        let mut changed = ChangedTables::new(self.catalog);
        for parent in table.parents() {
            changed.change(*parent, |parent| {
                parent.change_inheritance(|inheritance| inheritance.children.push(table.object));
            });
            self.check_default(transaction, *parent, table).await?;
        }
        changed.put(transaction)?;
        Ok(())
    }

    async fn define_index(
        &self,
        transaction: &mut Transaction,
        table: &TableDef,
        definition: &NewIndex,
    ) -> Result<Defined> {
        let building = self.create_index(transaction, table, definition).await?;
        let NewIndex { index, .. } = definition;
        let notice = zstd_notice(transaction, index.wants_zstd(), &index.name).await;
        Ok(Defined {
            building,
            notices: notice.into_iter().collect(),
            ..Defined::command("CREATE")
        })
    }

    /// Makes an index. It answers table and tree if the rows of the table get their entries only
    /// after the commit, from which on every write maintains the index.
    async fn create_index(
        &self,
        transaction: &mut Transaction,
        table: &TableDef,
        definition: &NewIndex,
    ) -> Result<Option<(ObjectId, TreeId)>> {
        // Not only when its entries are written, for which it would exist already.
        transaction.check_room()?;
        let mut index = definition.index.with_tree(transaction.new_tree_id());
        index.is_building = self.is_alone;
        let mut table = table.clone();
        table.expressions.clone_from(&definition.expressions);
        transaction.create_tree(index.tree_schema(&table))?;
        if index.is_building {
            let building = (table.object, index.tree);
            table.indexes.push(index);
            put_table(transaction, &table)?;
            return Ok(Some(building));
        }
        index::fill(
            transaction,
            &table,
            self.catalog.enums(),
            &index,
            self.cancel,
        )
        .await?;
        table.indexes.push(index);
        put_table(transaction, &table)?;
        Ok(None)
    }
}

/// A statement that defines nothing.
pub(crate) fn misplaced() -> Error {
    Error::internal("statement in the wrong place")
}

/// Tells of a relation which asks for zstd that no encoder can be fetched.
pub(crate) async fn zstd_notice(
    transaction: &Transaction,
    wants_zstd: bool,
    relation: &str,
) -> Option<Notice> {
    let waits = wants_zstd && !transaction.fetch_zstd().await;
    waits.then(|| {
        let text = format!(
            "there is no encoder of zstd now: pages of \"{relation}\" are under LZ4 until one \
             compresses them"
        );
        Notice::info(SqlState::SUCCESSFUL_COMPLETION, text)
    })
}

pub(crate) fn exists_notice(name: &str) -> Notice {
    Notice::info(
        SqlState::DUPLICATE_TABLE,
        format!("relation \"{name}\" already exists, skipping"),
    )
}

pub(crate) fn missing_notice(what: &str, name: &str) -> Notice {
    Notice::info(
        SqlState::UNDEFINED_TABLE,
        format!("{what} \"{name}\" does not exist, skipping"),
    )
}

pub(crate) async fn create_sequence(
    transaction: &mut Transaction,
    definition: &SequenceDef,
) -> Result<ObjectId> {
    let sequence = SequenceDef {
        object: transaction.new_object_id(),
        tree: transaction.new_tree_id(),
        ..definition.clone()
    };
    create_state(transaction, &sequence, sequence.start).await?;
    transaction.put_object(sequence.object, 1, encode_sequence(&sequence)?);
    Ok(sequence.object)
}

/// Gives a sequence another definition, and a value that comes next.
pub(crate) async fn alter_sequence(
    transaction: &mut Transaction,
    changed: &SequenceDef,
    restart: Option<i64>,
) -> Result<()> {
    let mut changed = changed.clone();
    if let Some(first) = restart {
        transaction.drop_tree(changed.tree)?;
        changed.tree = transaction.new_tree_id();
        create_state(transaction, &changed, first).await?;
    }
    transaction.put_object(changed.object, 1, encode_sequence(&changed)?);
    Ok(())
}

/// Makes the sequence of a column and lets the column take its values from it.
pub(crate) async fn column_sequence(
    transaction: &mut Transaction,
    table: &mut TableDef,
    at: usize,
    sequence: &SequenceDef,
) -> Result<()> {
    let object = table.object;
    let Some(column) = table.columns.get_mut(at) else {
        return Ok(());
    };
    let owned = SequenceDef {
        owner: Some((object, column.id)),
        ..sequence.clone()
    };
    let object = create_sequence(transaction, &owned).await?;
    let next = SequenceDef::next_value(object);
    column.default = next.map(|next| match column.ty {
        LogicalType::Int8 => next,
        to => Expr::Cast {
            modifier: TypeMod::NONE,
            explicit: false,
            input: Box::new(next),
            to,
            position: 0,
        },
    });
    Ok(())
}

pub(crate) async fn create_table(
    transaction: &mut Transaction,
    definition: &NewTable,
) -> Result<TableDef> {
    let mut table = TableDef {
        object: transaction.new_object_id(),
        tree: transaction.new_tree_id(),
        ..definition.table.clone()
    };
    for key in &mut table.foreign_keys {
        if key.parent == definition.table.object {
            key.parent = table.object;
        }
    }
    transaction.create_tree(table.tree_schema())?;
    for (at, sequence) in &definition.sequences {
        column_sequence(transaction, &mut table, *at, sequence).await?;
    }
    for index in &definition.indexes {
        let index = index.with_tree(transaction.new_tree_id());
        transaction.create_tree(index.tree_schema(&table))?;
        table.indexes.push(index);
    }
    put_table(transaction, &table)?;
    Ok(table)
}

/// Gives a table new trees, which are empty.
pub fn emptied(transaction: &mut Transaction, table: &TableDef) -> Result<TableDef> {
    let mut table = table.clone();
    transaction.drop_tree(table.tree)?;
    table.tree = transaction.new_tree_id();
    transaction.create_tree(table.tree_schema())?;
    let mut indexes = core::mem::take(&mut table.indexes);
    for index in &mut indexes {
        transaction.drop_tree(index.tree)?;
        index.tree = transaction.new_tree_id();
        transaction.create_tree(index.tree_schema(&table))?;
    }
    table.indexes = indexes;
    put_table(transaction, &table)?;
    Ok(table)
}
