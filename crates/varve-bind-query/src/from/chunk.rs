//! A chunk of a hypertable in FROM: the rows of the table in the range of the chunk.

use varve_catalog::model::schema::RelationName;
use varve_catalog::text::name::undefined_table;
use varve_expr::Expr;
use varve_plan::plan::Plan;
use varve_plan::scope::error::{located, refuse};
use varve_types::{ObjectId, Result};

use crate::context::binder::QueryBinder;
use crate::context::ctes::Columns;

impl QueryBinder<'_> {
    /// The rows of a chunk.
    pub fn chunk_rows(
        &mut self,
        chunk: ObjectId,
        written: &RelationName,
        position: u32,
    ) -> Result<(Plan, Columns)> {
        let is_kept = self.context.reads.is_some();
        refuse(
            is_kept,
            "a chunk in the query of a view or function",
            position,
        )?;
        let catalog = self.statement.catalog;
        let chunk = catalog.chunk(chunk);
        let found = chunk.and_then(|chunk| Some((chunk, catalog.tables.get(&chunk.table)?)));
        let Some((chunk, table)) = found else {
            return Err(located(undefined_table(written, position), position));
        };
        self.outputs.found.borrow_mut().add_table(table);
        let columns = table.columns.iter();
        let columns: Columns = columns
            .map(|column| (column.name.clone(), column.ty))
            .collect();
        let mut plan = self.child_rows(table, true, false).plan;
        let time = table
            .time_column()
            .map(|(index, column)| (index, column.ty));
        for (op, value) in table.chunk_tests(chunk) {
            let Some((index, ty)) = time else { continue };
            plan = Plan::Filter {
                input: Box::new(plan),
                predicate: Expr::Compare {
                    op,
                    left: Box::new(Expr::Column { index, ty }),
                    right: Box::new(Expr::Literal { value, ty }),
                },
            };
        }
        Ok((plan, columns))
    }
}
