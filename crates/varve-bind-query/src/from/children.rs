//! The rows of a table with those of the tables below it.

use std::sync::Arc;

use varve_catalog::model::table::TableDef;
use varve_catalog::relation_oid;
use varve_expr::Expr;
use varve_plan::build::table::{ChildRows, full_scan, named_types};
use varve_plan::plan::statement::ChildTable;
use varve_plan::plan::{Plan, Relation};
use varve_types::{LogicalType, Value};

use crate::context::binder::QueryBinder;

impl QueryBinder<'_> {
    /// The rows of a table, and unless it is meant only, of those below it.
    pub fn child_rows(&self, table: &Arc<TableDef>, only: bool, with_position: bool) -> ChildRows {
        let is_parent = table.partitioning().is_some() || !(only || table.children().is_empty());
        if !is_parent && !self.context.names_tableoid {
            return ChildRows {
                plan: scan_of(table, with_position),
                tableoid: None,
                children: Vec::new(),
            };
        }
        let mut tables = vec![Arc::clone(table)];
        if is_parent {
            for child in self.statement.catalog.inheritance_of(table) {
                self.outputs.found.borrow_mut().add_table(&child);
            }
            tables = match only {
                true => Vec::new(),
                false => self.statement.catalog.inheritance_with_rows(table),
            };
        }
        let mut types: Vec<LogicalType> = table.columns.iter().map(|column| column.ty).collect();
        if with_position {
            types.push(LogicalType::Int8);
        }
        if is_parent && with_position {
            types.push(LogicalType::Int8);
        }
        let tableoid = self.context.names_tableoid.then_some(types.len());
        types.extend(tableoid.map(|_| LogicalType::Oid));
        let mut inputs = Vec::with_capacity(tables.len());
        let mut children = Vec::new();
        for (number, child) in (0..).zip(tables) {
            let Some(places) = table.places_in(&child) else {
                continue;
            };
            let literal = |value, ty| Expr::Literal { value, ty };
            let number = literal(Value::Int8(number), LogicalType::Int8);
            let oid = Value::Oid(relation_oid(child.object));
            let mut exprs = row_of_child(table, (&child, &places), with_position);
            exprs.extend((is_parent && with_position).then_some(number));
            exprs.extend(tableoid.map(|_| literal(oid, LogicalType::Oid)));
            inputs.push(Plan::Project {
                input: Box::new(scan_of(&child, with_position)),
                exprs,
            });
            if is_parent {
                children.push(ChildTable {
                    table: child,
                    places,
                });
            }
        }
        let plan = match inputs.len() {
            1 => inputs.remove(0),
            0 => Plan::Values {
                rows: Vec::new(),
                types,
            },
            _ => Plan::Append { inputs, types },
        };
        ChildRows {
            plan,
            tableoid,
            children,
        }
    }
}

/// What a row of a child is of the table above it: its columns at their places there, and its
/// position where it is wanted.
fn row_of_child(
    table: &TableDef,
    (child, places): (&TableDef, &[usize]),
    with_position: bool,
) -> Vec<Expr> {
    let columns = places.iter().zip(&table.columns);
    let columns = columns.map(|(index, column)| Expr::Column {
        index: *index,
        ty: column.ty,
    });
    let position = with_position.then_some(Expr::Column {
        index: child.columns.len(),
        ty: LogicalType::Int8,
    });
    columns.chain(position).collect()
}

/// All columns of a table's rows, and the position of each.
fn scan_of(table: &Arc<TableDef>, with_position: bool) -> Plan {
    let columns = named_types(table);
    let mut scan = full_scan(Relation::Tree(table.tree), table.name.clone(), &columns);
    scan.table = Some(Arc::clone(table));
    scan.with_position = with_position;
    Plan::Scan(scan)
}
