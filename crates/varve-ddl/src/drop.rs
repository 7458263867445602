//! Takes objects, and parts of them, out of the catalog, and their trees out of the store.

use varve_catalog::{
    Catalog, CatalogObject, Dropped, PUBLIC, SchemaDef, SequenceDef, TableDef, decode_object,
    encode_schema,
};
use varve_store::Transaction;
use varve_types::{ObjectId, Result};

use crate::catalog_cache::catalog_now;
use crate::define::ChangedTables;

/// Drops objects, and parts of others.
pub(crate) fn drop_objects(
    transaction: &mut Transaction,
    catalog: &Catalog,
    objects: &[Dropped],
) -> Result<()> {
    for object in objects {
        drop_object(transaction, catalog, *object)?;
    }
    drop_parts(transaction, catalog, objects)?;
    Ok(())
}

fn drop_object(transaction: &mut Transaction, catalog: &Catalog, object: Dropped) -> Result<()> {
    match object {
        Dropped::Table(object) => match catalog.tables.get(&object) {
            Some(table) => drop_table(transaction, table)?,
            None => transaction.delete_object(object),
        },
        Dropped::View(object)
        | Dropped::Type(object)
        | Dropped::Function(object)
        | Dropped::Chunk(object)
        | Dropped::Trigger(_, object) => transaction.delete_object(object),
        Dropped::Sequence(object) => match catalog.sequences.get(&object) {
            Some(sequence) => drop_sequence(transaction, sequence)?,
            None => transaction.delete_object(object),
        },
        Dropped::Schema(object) => match object == PUBLIC {
            true => {
                let gone = SchemaDef {
                    object: transaction.new_object_id(),
                    name: "public".to_owned(),
                    is_gone: true,
                };
                transaction.put_object(gone.object, 1, encode_schema(&gone)?);
            }
            false => transaction.delete_object(object),
        },
        Dropped::Default(..) | Dropped::Column(..) | Dropped::Key(..) => {}
    }
    Ok(())
}

/// Takes tables that go out of the inheritance of those that stay.
fn leave_inheritance(changed: &mut ChangedTables<'_>, catalog: &Catalog, all: &[Dropped]) {
    for object in all {
        let Dropped::Table(object) = object else {
            continue;
        };
        let table = catalog.tables.get(object);
        for parent in table.map_or(&[][..], |table| table.parents()) {
            if !all.contains(&Dropped::Table(*parent)) {
                changed.change(*parent, |parent| {
                    parent.change_inheritance(|inheritance| {
                        inheritance.children.retain(|child| child != object)
                    });
                });
            }
        }
    }
}

/// Changes the tables that stay without some of their defaults or foreign keys.
fn drop_parts(transaction: &mut Transaction, catalog: &Catalog, all: &[Dropped]) -> Result<()> {
    let mut changed = ChangedTables::new(catalog);
    let mut keys: Vec<(ObjectId, usize)> = Vec::new();
    leave_inheritance(&mut changed, catalog, all);
    for object in all {
        match *object {
            Dropped::Default(table, at) if !all.contains(&Dropped::Table(table)) => {
                changed.change(table, |table| {
                    if let Some(column) = table.columns.get_mut(at) {
                        column.default = None;
                    }
                });
            }
            Dropped::Key(table, at) if !all.contains(&Dropped::Table(table)) => {
                keys.push((table, at));
            }
            _ => {}
        }
    }
    varve_sort::sort(&mut keys);
    for (table, at) in keys.into_iter().rev() {
        changed.change(table, |table| {
            if at < table.foreign_keys.len() {
                table.foreign_keys.remove(at);
            }
        });
    }
    changed.put(transaction)
}

/// Drops a table, its rows and its indexes.
pub fn drop_table(transaction: &mut Transaction, table: &TableDef) -> Result<()> {
    for index in &table.indexes {
        transaction.drop_tree(index.tree)?;
    }
    transaction.drop_tree(table.tree)?;
    transaction.delete_object(table.object);
    Ok(())
}

/// Drops a sequence and its values.
pub fn drop_sequence(transaction: &mut Transaction, sequence: &SequenceDef) -> Result<()> {
    transaction.delete_object(sequence.object);
    Ok(transaction.drop_tree(sequence.tree)?)
}

/// Drops everything that is in some schemas.
pub fn drop_relations(
    transaction: &mut Transaction,
    is_gone: &dyn Fn(ObjectId) -> bool,
) -> Result<()> {
    for (object, _, definition) in &transaction.objects() {
        let decoded = decode_object(definition)?;
        if !decoded.schema().is_some_and(is_gone) {
            continue;
        }
        match decoded {
            CatalogObject::Table(table) => drop_table(transaction, &table)?,
            CatalogObject::Sequence(sequence) => {
                drop_sequence(transaction, &sequence)?;
            }
            _ => transaction.delete_object(*object),
        }
    }
    Ok(())
}

/// Drops the comments on what is not there any more.
pub(crate) fn drop_comments(transaction: &mut Transaction, catalog: &Catalog) -> Result<()> {
    if catalog.comments.is_empty() {
        return Ok(());
    }
    let catalog = catalog_now(transaction, catalog)?;
    for comment in catalog.comments.iter() {
        if !varve_system_views::is_described(&catalog, comment) {
            transaction.delete_object(comment.object);
        }
    }
    Ok(())
}
