//! The columns of tables, as names, expressions and scans.

use varve_ast::Name;
use varve_catalog::model::table::TableDef;
use varve_expr::Expr;
use varve_types::LogicalType;

use crate::plan::statement::ChildTable;
use crate::plan::{Plan, Relation, ScanNode};
use crate::scope::tables::Scope;

/// The columns of a table as they are.
pub fn column_exprs(table: &TableDef) -> Vec<Expr> {
    let columns = table.columns.iter().enumerate();
    let columns = columns.map(|(index, column)| Expr::Column {
        index,
        ty: column.ty,
    });
    columns.collect()
}

/// The names that UPDATE and DELETE may use.
pub fn target_scope(table: &TableDef, alias: Option<&Name>) -> Scope {
    let name = alias.map_or(&table.name, |alias| &alias.text);
    let mut names = Scope::table(name.clone(), 0, named_types(table)).hiding(&table.name);
    for known in &mut names.tables {
        known.changed = Some(table.object);
        known.key = table.declared_key();
    }
    names
}

/// The columns of a table as names know them.
pub fn named_types(table: &TableDef) -> Vec<(String, LogicalType)> {
    table
        .columns
        .iter()
        .map(|column| (column.name.clone(), column.ty))
        .collect()
}

/// A scan of all columns.
pub fn full_scan(relation: Relation, name: String, columns: &[(String, LogicalType)]) -> ScanNode {
    ScanNode {
        relation,
        table: None,
        name,
        column_names: columns.iter().map(|(name, _)| name.clone()).collect(),
        columns: (0..columns.len()).collect(),
        types: columns.iter().map(|(_, ty)| *ty).collect(),
        predicates: Vec::new(),
        with_position: false,
        order: Vec::new(),
        first_of: 0,
    }
}

/// The rows of a table, and where in them is what else is known.
pub struct ChildRows {
    /// The columns of the table, the position of the row where it is wanted, the number of its
    /// child where there are several, its OID where the statement names it.
    pub plan: Plan,
    /// Number of the column with the OID.
    pub tableoid: Option<usize>,
    /// The tables with the rows, where they may be in several.
    pub children: Vec<ChildTable>,
}
