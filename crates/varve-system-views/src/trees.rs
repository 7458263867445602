//! Where relations are stored.

use varve_catalog::model::catalog::Catalog;
use varve_catalog::model::oid::object_of;
use varve_catalog::model::table::TableDef;
use varve_types::TreeId;

use crate::relations::keys;

/// The trees with the rows and the indexes of a relation by its OID, or of all relations; and
/// whether each is an index. `None` where there is no such relation.
pub fn trees_of(catalog: &Catalog, relation: Option<u32>) -> Option<Vec<(TreeId, bool)>> {
    let of_table = |table: &TableDef| {
        let indexes = table.indexes.iter().map(|index| (index.tree, true));
        let mut trees = vec![(table.tree, false)];
        trees.extend(indexes);
        trees
    };
    let Some(number) = relation else {
        let tables = catalog.tables.values();
        return Some(tables.flat_map(|table| of_table(table)).collect());
    };
    if let Some(object) = object_of(number) {
        if let Some(table) = catalog.tables.get(&object) {
            return Some(of_table(table));
        }
        if let Some(sequence) = catalog.sequences.get(&object) {
            return Some(vec![(sequence.tree, false)]);
        }
        return catalog.views.contains_key(&object).then(Vec::new);
    }
    catalog.tables.values().find_map(|table| {
        let key = keys(table).into_iter().find(|key| key.oid == number)?;
        let mut indexes = table.indexes.iter();
        let index = indexes.find(|index| index.name == key.index.name);
        // Rows are in the order of the primary key, which has no tree of its own.
        Some(index.map(|index| (index.tree, false)).into_iter().collect())
    })
}
