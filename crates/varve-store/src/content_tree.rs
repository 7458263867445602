//! The tree of content, which every store has: large values of content-addressed columns, each
//! once. `content` tells what is done with it.

use std::sync::Arc;

use varve_types::{
    Column, ColumnId, ColumnStorage, LogicalType, SortKey, TreeColumn, TreeId, TreeOptions,
    TreeSchema, Value,
};

use crate::tree::Tree;

/// The tree of content. Trees that are created begin at 1.
pub(crate) const TREE: TreeId = TreeId(0);

/// Among the stored columns of content the number of a value.
pub(crate) const NUMBER: usize = 0;
/// Its hash.
pub(crate) const HASH: usize = 1;
/// Its bytes.
pub(crate) const DATA: usize = 2;

/// The shape of the tree of content.
pub(crate) fn tree() -> Arc<Tree> {
    let column = |id| TreeColumn {
        id: ColumnId(id),
        ty: LogicalType::Bytea,
        nullable: false,
        missing: Value::Null,
        storage: ColumnStorage::default(),
    };
    Arc::new(Tree::of_sound(TreeSchema {
        tree: TREE,
        version: 1,
        columns: vec![column(1), column(2)],
        key: SortKey::RowId,
        options: TreeOptions::default(),
    }))
}

/// Bytes of a value of a column that can be content; `None` for NULL.
pub(crate) fn bytes_at(column: &Column, row: usize) -> Option<&[u8]> {
    match column.str_at(row) {
        Some(text) => Some(text.as_bytes()),
        None => column.binary_at(row),
    }
}
