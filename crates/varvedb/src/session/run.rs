//! Carries out one bound statement in a transaction.

use std::cell::Cell;
use std::sync::Arc;

use varve_exec::{Cancel, ExecContext, execute};
use varve_expr::{EvalContext, Expr, Locale};
use varve_sql::{
    Catalog, Field, NewIndex, NewTable, Plan, Returning, SequenceDef, Statement, TableDef, Utility,
    encode_sequence, encode_table, explain,
};
use varve_store::Transaction;
use varve_types::{
    Batch, Column, Error, LogicalType, MemoryAccount, ObjectId, Reservation, Result, SqlState,
    TreeId, TypeMod, VECTOR_ROWS, Value,
};

use super::direct::direct_rows;
use super::{CancelFlag, Scope};
use crate::database::Shared;
use crate::deferred::Deferred;
use crate::host::SessionHost;
use crate::scratch::StoreScratch;
use crate::source::TransactionSource;
use crate::write::Writer;
use crate::{Notice, ResultSet, index, sequences, write};

/// What one statement runs with.
pub(super) struct Run<'a> {
    pub shared: &'a Shared,
    pub host: &'a SessionHost,
    pub catalog: &'a Arc<Catalog>,
    pub cancel: &'a CancelFlag,
    pub parameters: &'a [Value],
    pub locale: &'a Locale,
    pub scope: Scope,
    /// Set to table and tree of an index that is to be built once the transaction is committed.
    pub building: Cell<Option<(ObjectId, TreeId)>>,
}

impl Run<'_> {
    /// Runs a statement that neither begins nor ends a block and is no COPY.
    pub async fn statement(
        &self,
        transaction: &mut Transaction,
        deferred: &mut Deferred,
        statement: &Statement,
    ) -> Result<ResultSet> {
        if self.scope.read_only
            && let Some(command) = writing_command(statement)
        {
            return Err(read_only_error(command));
        }
        match statement {
            Statement::Query(query) => {
                let mut batches = self.rows_of(transaction, &query.plan).await?;
                if let Some(lock) = query.lock {
                    batches = write::claim(transaction, lock, &batches).await?;
                }
                Ok(ResultSet {
                    batches,
                    command: "SELECT",
                    ..ResultSet::default()
                })
            }
            Statement::Insert(insert) => {
                let rows = self.rows_of(transaction, &insert.source).await?;
                let mut writer = self.writer(transaction, deferred);
                let table = &insert.table;
                let mut rows = writer.checked(table, &rows)?;
                match &insert.on_conflict {
                    None => writer.insert(table, &rows).await?,
                    Some(conflict) => rows = writer.insert_or(table, conflict, &rows).await?,
                }
                answer(&writer, "INSERT", insert.returning.as_ref(), &rows)
            }
            Statement::Update(update) => {
                let rows = self.rows_of(transaction, &update.source).await?;
                let mut writer = self.writer(transaction, deferred);
                let rows = writer.update_rows(update, rows).await?;
                answer(&writer, "UPDATE", update.returning.as_ref(), &rows)
            }
            Statement::Delete(delete) => {
                let rows = self.rows_of(transaction, &delete.source).await?;
                let mut writer = self.writer(transaction, deferred);
                let rows = writer.delete_rows(delete, rows).await?;
                answer(&writer, "DELETE", delete.returning.as_ref(), &rows)
            }
            Statement::CreateTable { definition, exists } => {
                let mut result = ResultSet::command("CREATE");
                match exists {
                    true => result.notices.push(exists_notice(&definition.table.name)),
                    false => {
                        create_table(transaction, definition).await?;
                    }
                }
                Ok(result)
            }
            Statement::CreateSequence { definition, exists } => {
                let mut result = ResultSet::command("CREATE");
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
                let Some(mut changed) = changed.clone() else {
                    let message = format!("relation \"{name}\" does not exist, skipping");
                    let mut result = ResultSet::command("ALTER");
                    result
                        .notices
                        .push(Notice::info(SqlState::UNDEFINED_TABLE, message));
                    return Ok(result);
                };
                if let Some(first) = restart {
                    transaction.drop_tree(changed.tree)?;
                    changed.tree = transaction.new_tree_id();
                    sequences::create(transaction, &changed, *first).await?;
                }
                transaction.put_object(changed.object, 1, encode_sequence(&changed));
                Ok(ResultSet::command("ALTER"))
            }
            Statement::DropSequence {
                sequences,
                missing,
                defaults,
            } => {
                let mut result = ResultSet::command("DROP");
                result.notices.extend(missing.iter().map(|name| {
                    Notice::info(
                        SqlState::UNDEFINED_TABLE,
                        format!("sequence \"{name}\" does not exist, skipping"),
                    )
                }));
                let mut changed: Vec<TableDef> = Vec::new();
                for (object, at) in defaults {
                    let Some(table) = self.catalog.tables.get(object) else {
                        continue;
                    };
                    if changed
                        .last()
                        .is_none_or(|last| last.object != table.object)
                    {
                        changed.push(TableDef::clone(table));
                    }
                    if let Some(table) = changed.last_mut()
                        && let Some(column) = table.columns.get_mut(*at)
                    {
                        column.default = None;
                        let message = format!(
                            "drop cascades to default value for column {} of table {}",
                            column.name, table.name
                        );
                        let notice = Notice::info(SqlState::SUCCESSFUL_COMPLETION, message);
                        result.notices.push(notice);
                    }
                }
                for table in changed {
                    transaction.put_object(table.object, table.version, encode_table(&table));
                }
                for sequence in sequences {
                    transaction.delete_object(sequence.object);
                    transaction.drop_tree(sequence.tree)?;
                }
                Ok(result)
            }
            Statement::CreateIndex {
                table,
                definition,
                name,
            } => {
                let mut result = ResultSet::command("CREATE");
                match definition {
                    Some(definition) => self.create_index(transaction, table, definition).await?,
                    None => result.notices.push(Notice::info(
                        SqlState::DUPLICATE_TABLE,
                        format!("relation \"{name}\" already exists, skipping"),
                    )),
                }
                Ok(result)
            }
            Statement::DropIndex { indexes, missing } => {
                for (table, tree) in indexes {
                    transaction.drop_tree(*tree)?;
                    let dropped: Vec<TreeId> = indexes
                        .iter()
                        .filter(|(of, _)| of == table)
                        .map(|(_, tree)| *tree)
                        .collect();
                    if let Some(table) = self.catalog.tables.get(table) {
                        let mut table = TableDef::clone(table);
                        table.retain_indexes(|index| !dropped.contains(&index.tree));
                        transaction.put_object(table.object, table.version, encode_table(&table));
                    }
                }
                let mut result = ResultSet::command("DROP");
                result.notices.extend(missing.iter().map(|name| {
                    Notice::info(
                        SqlState::UNDEFINED_OBJECT,
                        format!("index \"{name}\" does not exist, skipping"),
                    )
                }));
                Ok(result)
            }
            Statement::Utility(utility) => self.utility(transaction, deferred, utility).await,
            Statement::Explain { statement, analyze } => {
                self.explain(transaction, deferred, statement, *analyze)
                    .await
            }
            Statement::Command(_) | Statement::CopyFrom(_) => {
                Err(Error::internal("statement in the wrong place"))
            }
        }
    }

    async fn create_index(
        &self,
        transaction: &mut Transaction,
        table: &TableDef,
        definition: &NewIndex,
    ) -> Result<()> {
        let mut index = definition.with_tree(transaction.new_tree_id());
        index.is_building = self.scope.is_alone;
        let mut table = table.clone();
        table.expressions.clone_from(&definition.expressions);
        transaction.create_tree(index.tree_schema(&table))?;
        if index.is_building {
            // Rows get their entries after the commit from which on every write maintains it.
            self.building.set(Some((table.object, index.tree)));
            table.indexes.push(index);
            transaction.put_object(table.object, table.version, encode_table(&table));
            return Ok(());
        }
        index::fill(transaction, &table, &index, self.cancel).await?;
        table.indexes.push(index);
        transaction.put_object(table.object, table.version, encode_table(&table));
        Ok(())
    }

    fn eval(&self) -> EvalContext<'_> {
        self.host.context(self.parameters, self.locale)
    }

    pub(super) fn writer<'w>(
        &'w self,
        transaction: &'w mut Transaction,
        deferred: &'w mut Deferred,
    ) -> Writer<'w> {
        Writer {
            shared: self.shared,
            catalog: self.catalog,
            transaction,
            deferred,
            context: self.eval(),
        }
    }

    /// All rows of a plan, within the memory limit.
    pub(super) async fn rows_of(
        &self,
        transaction: &Transaction,
        plan: &Plan,
    ) -> Result<Vec<Batch>> {
        self.cancel.check()?;
        let eval = self.eval();
        if let Some(batches) = direct_rows(transaction, plan, &eval).await? {
            return Ok(batches);
        }
        let source = TransactionSource {
            shared: self.shared,
            transaction,
            catalog: self.catalog,
        };
        let scratch = StoreScratch::new(&self.shared.store);
        let account: Arc<dyn MemoryAccount> = self.shared.memory.clone();
        let context = ExecContext {
            source: &source,
            scratch: &scratch,
            env: &*self.shared.env,
            memory: Arc::clone(&account),
            params: self.parameters,
            locale: self.locale,
            host: Some(self.host),
            cancel: self.cancel,
        };
        let mut stream = execute(plan, &context)?;
        let mut held = Reservation::new(account);
        let mut batches = Vec::new();
        while let Some(batch) = stream.next().await? {
            let batch = batch.compact();
            let bytes = u64::try_from(batch.memory_bytes()).unwrap_or(u64::MAX);
            held.resize(held.bytes().saturating_add(bytes))?;
            batches.push(batch);
        }
        Ok(batches)
    }

    async fn explain(
        &self,
        transaction: &mut Transaction,
        deferred: &mut Deferred,
        statement: &Statement,
        analyze: bool,
    ) -> Result<ResultSet> {
        let mut lines = explain(statement);
        if analyze {
            let start_us = self.shared.env.monotonic_us();
            let result = Box::pin(self.statement(transaction, deferred, statement)).await?;
            let us = self.shared.env.monotonic_us().saturating_sub(start_us);
            let rows = result.affected_rows.unwrap_or(result.row_count() as u64);
            lines.push(format!("Rows: {rows}"));
            lines.push(format!("Execution Time: {}.{:03} ms", us / 1000, us % 1000));
        }
        let values: Vec<Value> = lines.into_iter().map(Value::text).collect();
        let batches = values
            .chunks(VECTOR_ROWS)
            .map(|chunk| {
                let column = Column::from_values(LogicalType::Text, chunk);
                Batch::new(vec![Arc::new(column)], chunk.len())
            })
            .collect();
        let fields = vec![Field {
            name: "QUERY PLAN".to_owned(),
            ty: LogicalType::Text,
        }];
        Ok(ResultSet {
            fields: fields.into(),
            batches,
            command: "EXPLAIN",
            ..ResultSet::default()
        })
    }
}

/// How many rows a statement has changed, and what it says of them.
fn answer(
    writer: &Writer<'_>,
    command: &'static str,
    returning: Option<&Returning>,
    rows: &[Batch],
) -> Result<ResultSet> {
    let count = rows.iter().map(Batch::rows).sum::<usize>() as u64;
    let mut result = ResultSet::changed(command, count);
    if let Some(returning) = returning {
        result.batches = writer.returned(returning, rows)?;
    }
    Ok(result)
}

/// The name of a statement that writes.
fn writing_command(statement: &Statement) -> Option<&'static str> {
    match statement {
        Statement::Insert(_) => Some("INSERT"),
        Statement::Update(_) => Some("UPDATE"),
        Statement::Delete(_) => Some("DELETE"),
        Statement::CreateTable { .. } => Some("CREATE TABLE"),
        Statement::Utility(utility) => match utility.as_ref() {
            Utility::Nothing => None,
            Utility::Drop(_) => Some("DROP"),
            Utility::CreateView(_) => Some("CREATE VIEW"),
            Utility::CreateMaterializedView { .. } => Some("CREATE MATERIALIZED VIEW"),
            Utility::Refresh { .. } => Some("REFRESH MATERIALIZED VIEW"),
            Utility::CreateTableAs { .. } => Some("CREATE TABLE AS"),
            Utility::CreateSchema(_) => Some("CREATE SCHEMA"),
        },
        Statement::CreateSequence { .. } => Some("CREATE SEQUENCE"),
        Statement::AlterSequence { .. } => Some("ALTER SEQUENCE"),
        Statement::DropSequence { .. } => Some("DROP SEQUENCE"),
        Statement::CreateIndex { .. } => Some("CREATE INDEX"),
        Statement::DropIndex { .. } => Some("DROP INDEX"),
        Statement::CopyFrom(_) => Some("COPY FROM"),
        Statement::Query(query) => query.lock.map(|lock| match lock.update {
            true => "SELECT FOR UPDATE",
            false => "SELECT FOR SHARE",
        }),
        Statement::Explain { .. } | Statement::Command(_) => None,
    }
}

/// `25006`
pub(super) fn read_only_error(command: &str) -> Error {
    Error::new(
        SqlState::READ_ONLY_SQL_TRANSACTION,
        format!("cannot execute {command} in a read-only transaction"),
    )
}

fn exists_notice(name: &str) -> Notice {
    Notice::info(
        SqlState::DUPLICATE_TABLE,
        format!("relation \"{name}\" already exists, skipping"),
    )
}

async fn create_sequence(
    transaction: &mut Transaction,
    definition: &SequenceDef,
) -> Result<ObjectId> {
    let sequence = SequenceDef {
        object: transaction.new_object_id(),
        tree: transaction.new_tree_id(),
        ..definition.clone()
    };
    sequences::create(transaction, &sequence, sequence.start).await?;
    transaction.put_object(sequence.object, 1, encode_sequence(&sequence));
    Ok(sequence.object)
}

pub(super) async fn create_table(
    transaction: &mut Transaction,
    definition: &NewTable,
) -> Result<TableDef> {
    let mut table = TableDef {
        object: transaction.new_object_id(),
        tree: transaction.new_tree_id(),
        ..definition.table.clone()
    };
    transaction.create_tree(table.tree_schema())?;
    for (at, sequence) in &definition.sequences {
        let Some(column) = table.columns.get_mut(*at) else {
            continue;
        };
        let owned = SequenceDef {
            owner: Some((table.object, column.id)),
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
    }
    for index in &definition.indexes {
        let index = index.with_tree(transaction.new_tree_id());
        transaction.create_tree(index.tree_schema(&table))?;
        table.indexes.push(index);
    }
    transaction.put_object(table.object, table.version, encode_table(&table));
    Ok(table)
}
