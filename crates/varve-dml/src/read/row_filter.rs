//! Tests of rows beside those that the store makes: of expressions, and of columns that an index
//! does not have.

use varve_catalog::{TableDef, renumbered};
use varve_expr::{DEFAULT_LOCALE, EvalContext, Expr, Parameters, evaluate};
use varve_types::{Batch, PartPredicate, PredicateTest, Result};

/// What expressions of indexes are evaluated with: they are immutable.
pub const IMMUTABLE: EvalContext<'static> = EvalContext {
    params: Parameters::NONE,
    outer: &[],
    locale: &DEFAULT_LOCALE,
    host: None,
};

/// Where a column is among those that are read, to which it is added if it is not there.
pub fn place_in(read: &mut Vec<usize>, column: usize) -> usize {
    let place = read.iter().position(|read| *read == column);
    place.unwrap_or_else(|| {
        read.push(column);
        read.len() - 1
    })
}

/// Tests of rows that are read with the columns which they need.
pub struct RowFilter {
    /// The columns to be read of the table: those that are wanted, then further ones.
    pub read: Vec<usize>,
    wanted: usize,
    tests: Vec<(Expr, PredicateTest)>,
}

impl RowFilter {
    /// A filter of rows of a table that gives `wanted` columns.
    pub fn new<'a>(
        table: &TableDef,
        wanted: &[usize],
        tests: impl Iterator<Item = &'a PartPredicate>,
    ) -> Result<RowFilter> {
        let mut read = wanted.to_vec();
        let mut own_tests = Vec::new();
        for PartPredicate { column, test } in tests {
            let expr = table.part_expr(*column)?;
            own_tests.push((renumbered(expr, &mut read), test.clone()));
        }
        Ok(RowFilter {
            wanted: wanted.len(),
            read,
            tests: own_tests,
        })
    }

    /// Whether every row passes.
    pub fn is_empty(&self) -> bool {
        self.tests.is_empty()
    }

    /// The rows that pass, of the wanted columns and what follows those that were read.
    pub fn apply(&self, rows: Batch) -> Result<Batch> {
        if self.tests.is_empty() && self.read.len() == self.wanted {
            return Ok(rows);
        }
        let mut rows = rows;
        for (expr, test) in &self.tests {
            let tested = evaluate(expr, &rows, &IMMUTABLE)?;
            rows = rows.select(&test.select(&tested));
        }
        let rows = rows.compact();
        let all = rows.physical_columns();
        let kept = (0..self.wanted).chain(self.read.len()..all.len());
        let kept = kept.filter_map(|at| all.get(at).cloned()).collect();
        Ok(Batch::new(kept, rows.rows()))
    }
}
