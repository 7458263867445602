//! A table without one of its columns.

use varve_expr::Expr;
use varve_expr::walk::{for_each_column, map_columns};
use varve_types::KeyPart;

use crate::model::table::{Filled, TableDef};

impl TableDef {
    /// Takes a column out, with the indexes and constraints that are on it.
    pub fn remove_column(&mut self, at: usize) {
        let moved = |position: usize| match position {
            position if position > at => position - 1,
            position => position,
        };
        let expressions = self.expressions.iter();
        let gone: Vec<bool> = expressions.map(|expr| reads(expr, at)).collect();
        if self.primary_key.contains(&at) {
            self.primary_key = Vec::new();
            self.key_name = None;
        }
        self.retain_indexes(|index| {
            let is_gone = |part: KeyPart| match part {
                KeyPart::Column(column) => column == at,
                KeyPart::Expression(expr) => gone.get(expr) == Some(&true),
            };
            !index.keys.iter().any(|(key, _)| is_gone(*key))
                && !index.include.contains(&at)
                && !index.predicate.iter().any(|test| is_gone(test.column))
        });
        self.checks.retain(|check| !reads(&check.expr, at));
        self.foreign_keys
            .retain(|key| !(key.columns.contains(&at) || key.set_columns.contains(&at)));
        self.columns.remove(at);
        for position in &mut self.primary_key {
            *position = moved(*position);
        }
        for index in &mut self.indexes {
            for part in index.parts_mut() {
                if let KeyPart::Column(position) = part {
                    *position = moved(*position);
                }
            }
            for position in &mut index.include {
                *position = moved(*position);
            }
        }
        for expr in &mut self.expressions {
            map_columns(expr, &moved);
        }
        for check in &mut self.checks {
            map_columns(&mut check.expr, &moved);
        }
        for column in &mut self.columns {
            if let (Filled::Generated, Some(expr)) = (column.filled, &mut column.default) {
                map_columns(expr, &moved);
            }
        }
        let partitioning = self
            .inheritance
            .as_mut()
            .and_then(|inheritance| inheritance.partitioning.as_mut());
        for key in partitioning.into_iter().flat_map(|by| &mut by.keys) {
            map_columns(key, &moved);
        }
        for key in &mut self.foreign_keys {
            for position in key.columns.iter_mut().chain(&mut key.set_columns) {
                *position = moved(*position);
            }
        }
    }
}

/// Whether an expression reads a column.
pub fn reads(expr: &Expr, at: usize) -> bool {
    let mut found = false;
    for_each_column(expr, &mut |column| found |= column == at);
    found
}

#[cfg(test)]
mod tests {
    use varve_expr::Expr;
    use varve_types::{
        ColumnId, CompareOp, KeyOrder, KeyPart, LogicalType, PartPredicate, PredicateTest, TreeId,
        Value,
    };

    use crate::model::index::{IndexDef, IndexOptions};
    use crate::model::table::{ColumnDef, TableDef};

    fn index(tree: u64, keys: &[KeyPart], test: Option<KeyPart>) -> IndexDef {
        let keys = keys.iter().map(|part| (*part, KeyOrder::default()));
        let is_true = PredicateTest::Compare(CompareOp::Eq, Value::Boolean(true));
        let options = IndexOptions::default();
        IndexDef {
            tree: TreeId(tree),
            predicate: test
                .into_iter()
                .map(|column| PartPredicate {
                    column,
                    test: is_true.clone(),
                })
                .collect(),
            ..IndexDef::new(format!("i{tree}"), options, keys.collect())
        }
    }

    /// Three columns `a`, `b`, `c` and the expressions `a IS NULL`, `b IS NULL`, `c IS NULL`.
    fn table(indexes: Vec<IndexDef>) -> TableDef {
        let column = |(id, name)| ColumnDef::new(ColumnId(id), name, LogicalType::Int8, true);
        let is_null = |index| Expr::IsNull {
            input: Box::new(Expr::Column {
                index,
                ty: LogicalType::Int8,
            }),
            negated: false,
        };
        let columns = [(1, "a"), (2, "b"), (3, "c")].map(column);
        TableDef {
            expressions: (0..3).map(is_null).collect(),
            indexes,
            ..TableDef::new("t", columns.to_vec(), Vec::new())
        }
    }

    fn labels(table: &TableDef) -> Vec<Vec<String>> {
        let label = |part| table.label_of(part).into_string();
        let parts = |index: &IndexDef| {
            let tests = index.predicate.iter().map(|test| test.column);
            index.key_parts().chain(tests).map(label).collect()
        };
        table.indexes.iter().map(parts).collect()
    }

    #[test]
    fn indexes_on_a_column_go_with_it_and_the_others_mean_what_they_meant() {
        use KeyPart::{Column, Expression};
        let mut table = table(vec![
            index(1, &[Column(0), Expression(0)], None),
            index(2, &[Expression(1), Column(2)], None),
            index(3, &[Column(2)], Some(Expression(0))),
            index(4, &[Expression(2), Column(1)], Some(Expression(1))),
            index(5, &[Expression(2), Column(2)], Some(Expression(2))),
        ]);
        let before = labels(&table);
        table.remove_column(0);
        let kept = [1, 3, 4].map(|at: usize| before[at].clone());
        assert_eq!(labels(&table), kept);
        assert_eq!(table.expressions.len(), 2);
    }

    #[test]
    fn expressions_go_with_the_last_index_on_them() {
        use KeyPart::{Column, Expression};
        let mut table = table(vec![
            index(1, &[Column(0), Expression(0)], Some(Expression(1))),
            index(2, &[Expression(2), Expression(1)], None),
            index(3, &[Column(1)], Some(Expression(2))),
        ]);
        let before = labels(&table);
        table.retain_indexes(|index| index.tree != TreeId(1));
        assert_eq!(labels(&table), before[1..]);
        assert_eq!(table.expressions.len(), 2);
        table.retain_indexes(|index| index.tree != TreeId(2));
        assert_eq!(labels(&table), before[2..]);
        assert_eq!(table.expressions.len(), 1);
    }
}
