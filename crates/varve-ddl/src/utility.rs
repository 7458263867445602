//! Carries out statements that define other objects than tables, or a table by a query.

use varve_catalog::{
    CommentDef, DomainDef, EnumDef, FunctionDef, SchemaDef, TableDef, TriggerDef, ViewDef,
    ViewKind, encode_chunk, encode_comment, encode_domain, encode_enum, encode_function,
    encode_schema, encode_trigger, encode_view,
};
use varve_dml::{StatementRunner, StatementTxn, Writer};
use varve_plan::{Definition, NewTable, Query, Utility};
use varve_store::Transaction;
use varve_types::{Batch, Error, ObjectId, Result};

use crate::continuous::version_of;
use crate::define::{alter_sequence, create_table, emptied, misplaced, put_table};
use crate::definer::{Defined, Definer};
use crate::drop::drop_objects;

impl Definer<'_> {
    pub(crate) async fn utility(
        &self,
        txn: &mut StatementTxn,
        utility: &Utility,
    ) -> Result<Defined> {
        match utility {
            Utility::CreateView(view) => {
                let mut view = view.clone();
                view.object = number(&mut txn.store, view.object);
                put_view(&mut txn.store, &view)?;
                Ok(Defined::command("CREATE"))
            }
            Utility::CreateMaterializedView { view, table, query } => {
                let (table, count) = self.filled_table(txn, table, query.as_ref()).await?;
                let mut view = view.clone();
                view.object = txn.store.new_object_id();
                if let ViewKind::Materialized { rows, .. } = &mut view.kind {
                    *rows = table.object;
                }
                put_view(&mut txn.store, &view)?;
                Ok(made_of(count))
            }
            Utility::CreateTableAs { table, query } => {
                let (_, count) = self.filled_table(txn, table, query.as_ref()).await?;
                Ok(made_of(count))
            }
            Utility::CreateAggregate(new) => self.create_aggregate(txn, new).await,
            Utility::RefreshRange(range) => self.refresh_range(txn, range).await,
            Utility::Refresh { view, query } => {
                self.refresh(txn, view, query.as_ref()).await?;
                Ok(Defined::command("REFRESH"))
            }
            Utility::Drop(objects) => {
                self.empty_chunks(txn, objects).await?;
                drop_objects(&mut txn.store, self.catalog, objects)?;
                Ok(Defined::command("DROP"))
            }
            Utility::DropColumns(changes, objects) => {
                for change in changes {
                    Box::pin(self.alter_table(txn, change)).await?;
                }
                drop_objects(&mut txn.store, self.catalog, objects)?;
                Ok(Defined::command("DROP"))
            }
            Utility::CreateDomain(def) => put_domain(&mut txn.store, def),
            Utility::PutEnum(def, word) => put_enum(&mut txn.store, def, word),
            Utility::PutFunction(def, word) => put_function(&mut txn.store, def, word),
            Utility::PutTrigger(defs, word) => put_triggers(&mut txn.store, defs, word),
            Utility::CreateSchema(schema) => {
                create_schema(&mut txn.store, schema)?;
                Ok(Defined::command("CREATE"))
            }
            Utility::Alter(definitions) => self.alter_definitions(txn, definitions).await,
            Utility::Comment(def, known) => put_comment(&mut txn.store, def, known),
            Utility::Do(_) | Utility::LockTable | Utility::Analyze | Utility::Nothing => {
                Err(misplaced())
            }
        }
    }

    /// Puts definitions that were changed, once the rows of their tables fit them.
    async fn alter_definitions(
        &self,
        txn: &mut StatementTxn,
        definitions: &[Definition],
    ) -> Result<Defined> {
        for definition in definitions {
            if let Definition::Table(table, verified) = definition {
                txn.store.guard_tree(table.tree, table.version)?;
                self.verify_domains(&mut txn.store, table, verified).await?;
            }
        }
        put_definitions(&mut txn.store, definitions).await?;
        Ok(Defined::command("ALTER"))
    }

    /// A new table with the rows of a query, and their number.
    async fn filled_table(
        &self,
        txn: &mut StatementTxn,
        definition: &NewTable,
        query: Option<&Query>,
    ) -> Result<(TableDef, Option<u64>)> {
        let rows = match query {
            Some(query) => Some(self.session.rows_of(&txn.store, &query.plan).await?),
            None => None,
        };
        let table = create_table(&mut txn.store, definition).await?;
        let Some(rows) = rows else {
            return Ok((table, None));
        };
        let count = self.fill(txn, &table, &rows).await?;
        Ok((table, Some(count)))
    }

    pub(crate) async fn fill(
        &self,
        txn: &mut StatementTxn,
        table: &TableDef,
        rows: &[Batch],
    ) -> Result<u64> {
        let runner = Some(self.session as &dyn StatementRunner);
        let mut writer = Writer::new(self.catalog, txn, self.context, self.cancel, runner);
        let rows = writer.checked(table, rows)?;
        writer.insert(table, &rows).await?;
        Ok(rows.iter().map(Batch::rows).sum::<usize>() as u64)
    }

    /// Replaces the rows of a materialized view.
    async fn refresh(
        &self,
        txn: &mut StatementTxn,
        view: &ViewDef,
        query: Option<&Query>,
    ) -> Result<()> {
        let rows = match query {
            Some(query) => self.session.rows_of(&txn.store, &query.plan).await?,
            None => Vec::new(),
        };
        let table = view.rows().and_then(|rows| self.catalog.tables.get(&rows));
        let table = table.ok_or_else(|| Error::internal("a view without its table"))?;
        let table = emptied(&mut txn.store, table)?;
        put_view(&mut txn.store, view)?;
        self.fill(txn, &table, &rows).await?;
        Ok(())
    }
}

/// `SELECT n`, as PostgreSQL answers a table that is made of rows.
pub(crate) fn made_of(count: Option<u64>) -> Defined {
    match count {
        Some(count) => Defined {
            rows: Some(count),
            ..Defined::command("SELECT")
        },
        None => Defined::command("CREATE"),
    }
}

pub(crate) fn put_view(transaction: &mut Transaction, view: &ViewDef) -> Result<()> {
    transaction.put_object(view.object, version_of(view), encode_view(view)?);
    Ok(())
}

/// Gives objects other definitions.
pub(crate) async fn put_definitions(
    transaction: &mut Transaction,
    definitions: &[Definition],
) -> Result<()> {
    for definition in definitions {
        match definition {
            Definition::View(view) => put_view(transaction, view)?,
            Definition::Sequence(sequence, restart) => {
                alter_sequence(transaction, sequence, *restart).await?;
            }
            Definition::Domain(domain) => {
                transaction.put_object(domain.object, 1, encode_domain(domain)?);
            }
            Definition::Comment(def) => {
                transaction.put_object(def.object, 1, encode_comment(def)?);
            }
            Definition::Chunk { chunk, merged } => {
                if let Some(merged) = merged {
                    transaction.delete_object(*merged);
                }
                transaction.put_object(chunk.object, 1, encode_chunk(chunk));
            }
            Definition::Table(table, _) => put_table(transaction, table)?,
            Definition::Schema(schema) => {
                transaction.put_object(schema.object, 1, encode_schema(schema)?);
            }
        }
    }
    Ok(())
}

fn create_schema(transaction: &mut Transaction, schema: &SchemaDef) -> Result<()> {
    if schema.object != ObjectId(0) {
        transaction.delete_object(schema.object);
        return Ok(());
    }
    let schema = SchemaDef {
        object: transaction.new_object_id(),
        ..schema.clone()
    };
    transaction.put_object(schema.object, 1, encode_schema(&schema)?);
    Ok(())
}

/// The number of an object: a new one where it has none yet.
fn number(transaction: &mut Transaction, object: ObjectId) -> ObjectId {
    match object {
        ObjectId(0) => transaction.new_object_id(),
        object => object,
    }
}

fn put_domain(transaction: &mut Transaction, def: &DomainDef) -> Result<Defined> {
    let def = DomainDef {
        object: transaction.new_object_id(),
        ..def.clone()
    };
    transaction.put_object(def.object, 1, encode_domain(&def)?);
    Ok(Defined::command("CREATE"))
}

fn put_enum(transaction: &mut Transaction, def: &EnumDef, word: &'static str) -> Result<Defined> {
    let mut def = def.clone();
    def.object = number(transaction, def.object);
    transaction.put_object(def.object, 1, encode_enum(&def)?);
    Ok(Defined::command(word))
}

fn put_function(
    transaction: &mut Transaction,
    def: &FunctionDef,
    word: &'static str,
) -> Result<Defined> {
    let mut def = def.clone();
    def.object = number(transaction, def.object);
    transaction.put_object(def.object, 1, encode_function(&def)?);
    Ok(Defined::command(word))
}

fn put_triggers(
    transaction: &mut Transaction,
    defs: &[TriggerDef],
    word: &'static str,
) -> Result<Defined> {
    for def in defs {
        let mut def = def.clone();
        def.object = number(transaction, def.object);
        transaction.put_object(def.object, 1, encode_trigger(&def)?);
    }
    Ok(Defined::command(word))
}

/// Puts a comment in place of the `known` ones; an empty one only takes these away.
fn put_comment(
    transaction: &mut Transaction,
    def: &CommentDef,
    known: &[ObjectId],
) -> Result<Defined> {
    let mut known = known.iter().copied();
    if !def.text.is_empty() {
        let mut def = def.clone();
        let object = known.next();
        def.object = object.unwrap_or_else(|| transaction.new_object_id());
        transaction.put_object(def.object, 1, encode_comment(&def)?);
    }
    known.for_each(|object| transaction.delete_object(object));
    Ok(Defined::command("COMMENT"))
}
