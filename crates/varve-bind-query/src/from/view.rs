//! The queries of views, where views are read.

use std::sync::Arc;

use varve_catalog::model::catalog::Named;
use varve_catalog::model::schema::RelationName;
use varve_catalog::model::view::{ViewDef, ViewRead};
use varve_lexer::too_deep;
use varve_plan::plan::{Query, RowLock};
use varve_plan::scope::syntax::view_query;
use varve_types::{ColumnId, Error, ObjectId, Result, SqlState, meter};

use crate::context::binder::{NESTING_MAX, NO_SOURCE, QueryBinder};
use crate::context::query_context::QueryContext;

impl QueryBinder<'_> {
    /// Binds something of the query of a view, around which nothing is in its reach.
    pub fn in_view<T>(
        &mut self,
        view: &Arc<ViewDef>,
        bind: impl FnOnce(&mut Self, &varve_ast::Query) -> Result<T>,
    ) -> Result<T> {
        self.outputs.found.borrow_mut().add_view(view);
        self.in_view_text(view, bind)
    }

    /// The same of a text that need not be that of a view in the catalog.
    pub(super) fn in_view_text<T>(
        &mut self,
        view: &Arc<ViewDef>,
        bind: impl FnOnce(&mut Self, &varve_ast::Query) -> Result<T>,
    ) -> Result<T> {
        let parsed = view.parsed()?;
        let ast = view_query(&parsed)?;
        let nesting = self.context.nesting + parsed.nesting + 2;
        if nesting > NESTING_MAX {
            return Err(too_deep());
        }
        meter::planned(view.text.len())?;
        let context = QueryContext {
            source: &NO_SOURCE,
            names_tableoid: parsed.names_tableoid,
            view: Some(Arc::clone(view)),
            ..self.context.of_text(nesting)
        };
        self.in_text(context, |binder| bind(binder, ast))
    }

    /// The query of a view, with its columns under their names; `lock` is how its rows are locked.
    pub fn view_plan(&mut self, view: &Arc<ViewDef>, lock: Option<RowLock>) -> Result<Query> {
        let mut query = self.in_view(view, |binder, ast| binder.locked_query(ast, lock))?;
        let is_same = query.fields.len() == view.columns.len()
            && (query.fields.iter().zip(&view.columns))
                .all(|(field, column)| field.ty == column.ty);
        if !is_same {
            let message = format!("the columns of view \"{}\" have changed", view.name);
            return Err(Error::new(SqlState::WRONG_OBJECT_TYPE, message));
        }
        for (field, column) in query.fields.iter_mut().zip(&view.columns) {
            field.name.clone_from(&column.name);
        }
        Ok(query)
    }

    /// What a name in FROM means; inside of a view as it was when the view was made.
    pub fn read_name(&mut self, name: &RelationName) -> Option<(Named, Option<ViewRead>)> {
        if let Some(view) = &self.context.view {
            let mut reads = view.reads.iter();
            let read = reads.find(|read| read.written == *name)?.clone();
            let of = read.object;
            let named = if self.statement.catalog.tables.contains_key(&of) {
                Named::Table(of)
            } else if self.statement.catalog.sequences.contains_key(&of) {
                Named::Sequence(of)
            } else {
                Named::View(of)
            };
            return Some((named, Some(read)));
        }
        Some((self.find(name)?, None))
    }

    /// Notes for a view that is being made what a name means.
    pub fn note_read(
        &mut self,
        written: &RelationName,
        object: ObjectId,
        columns: impl FnOnce() -> Vec<(ColumnId, String)>,
    ) {
        if let Some(reads) = &mut self.context.reads
            && !reads.iter().any(|read| read.written == *written)
        {
            reads.push(ViewRead {
                written: written.clone(),
                object,
                columns: columns(),
            });
        }
    }
}
