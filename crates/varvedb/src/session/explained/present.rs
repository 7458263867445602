//! What EXPLAIN tells of the present moment.

use varve_catalog::ChunkDef;
use varve_exec::tests_of;
use varve_plan::{KeyAccess, Present, ScanNode};
use varve_types::{CompareOp, KeyPart, PredicateTest, TreeId, Value};

use crate::session::run::Run;

impl Present for Run<'_> {
    fn key_access(&self, tree: TreeId) -> KeyAccess {
        match self.shared.store.tree_storage(tree) {
            Ok(storage) if storage.runs == 0 => KeyAccess::Memtable,
            Ok(storage) if storage.memtable_rows > 0 => KeyAccess::MemtableAndRuns,
            // A damaged run is one, too.
            Ok(_) | Err(_) => KeyAccess::Runs,
        }
    }

    fn chunks(&self, scan: &ScanNode) -> Option<(usize, usize)> {
        let table = scan.table.as_deref()?;
        let (time, _) = table.time_column()?;
        let catalog = self.catalog;
        let chunks = catalog.chunks_of(table.object);
        let mut tests = Vec::new();
        for predicate in &scan.predicates {
            match tests_of(predicate, &self.eval()) {
                Ok(Some(known)) => tests.extend(known),
                Ok(None) => return Some((0, chunks.len())),
                // It is not known before the plan runs.
                Err(_) => {}
            }
        }
        tests.retain(|test| test.column == KeyPart::Column(time));
        let reads = |chunk: &ChunkDef| tests.iter().all(|test| may_hold(&test.test, chunk));
        let read = chunks.iter().filter(|chunk| reads(chunk)).count();
        Some((read, chunks.len()))
    }
}

/// Whether a value in the range of a chunk may pass.
fn may_hold(test: &PredicateTest, chunk: &ChunkDef) -> bool {
    let last = chunk.end.saturating_sub(1);
    match test {
        PredicateTest::Compare(op, value) => {
            let Some(value) = value.integer() else {
                // A comparison with NULL holds for none.
                return !value.is_null();
            };
            match op {
                CompareOp::Eq => chunk.covers(value),
                CompareOp::Lt => chunk.start < value,
                CompareOp::LtEq => chunk.start <= value,
                CompareOp::Gt => last > value || chunk.end == i64::MAX,
                CompareOp::GtEq => last >= value || chunk.end == i64::MAX,
                _ => true,
            }
        }
        PredicateTest::In(values) => {
            let mut values = values.iter().filter_map(Value::integer);
            values.any(|value| chunk.covers(value))
        }
        PredicateTest::IsNull => false,
        PredicateTest::IsNotNull => true,
    }
}
