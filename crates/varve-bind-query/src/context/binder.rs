//! What binding one statement knows.

use std::sync::{Arc, LazyLock};

use varve_ast::Span;
use varve_expr::Locale;
use varve_parser::{ParsedStatement, Source, too_deep};
use varve_types::{LogicalType, Result};

use crate::bind::names::error::located;
use crate::bind::plans::statement::utility;
use crate::bind::query::context::outputs::Outputs;
use crate::bind::query::context::query_context::QueryContext;
use crate::bind::query::context::statement_context::StatementContext;
use crate::catalog::TableDef;
use crate::plan::Statement;
use crate::schema::{Catalog, Named, RelationName};
use crate::utility::{Message, Utility};

/// Most parameters of a statement, as in PostgreSQL's protocol.
pub(crate) const PARAMETERS_MAX: usize = 65_535;

/// Most of the stack that binding takes: a browser gives 1 MiB for everything.
pub(crate) const STACK_KIB_MAX: u32 = 640;

/// Binds a statement that changes rows and stands where a query may; `None` for what WITH cannot
/// name. The layer above passes it down where WITH is that of a whole statement.
pub(crate) type BindChange =
    fn(&mut QueryBinder<'_>, &varve_ast::Query) -> Result<Option<Statement>>;

/// Binds queries and expressions, and collects what is found out on the way.
pub(crate) struct QueryBinder<'a> {
    pub(crate) statement: StatementContext<'a>,
    pub(crate) context: QueryContext<'a>,
    pub(crate) outputs: Outputs,
    /// Number of slots that values of enclosing queries have taken.
    pub(crate) slots: usize,
    /// Number of named queries met so far.
    pub(crate) cte_ids: usize,
    /// Number of relations met that have no name.
    pub(crate) unnamed: usize,
    /// KiB of the stack that the calls down to this place take, about.
    pub(crate) stack_kib: u32,
}

impl<'a> QueryBinder<'a> {
    pub(crate) fn new(
        statement: &'a ParsedStatement,
        catalog: &'a Catalog,
        parameter_types: &[Option<LogicalType>],
        locale: &'a Locale,
    ) -> QueryBinder<'a> {
        QueryBinder {
            statement: StatementContext {
                catalog,
                locale,
                own_source: &statement.source,
            },
            context: QueryContext::new(statement),
            outputs: Outputs::new(catalog, parameter_types),
            slots: 0,
            cte_ids: 0,
            unnamed: 0,
            stack_kib: 0,
        }
    }

    /// Binds a text of its own, such as the query of a view, in a context of its own.
    pub(crate) fn in_text<T>(
        &mut self,
        context: QueryContext<'a>,
        bind: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let around = core::mem::replace(&mut self.context, context);
        let bound = bind(self);
        self.context = around;
        bound
    }
}

impl QueryBinder<'_> {
    /// Where a part of the statement starts: in characters of the whole text, from 1.
    pub(crate) fn at(&self, span: Span) -> u32 {
        self.context.source.position(span)
    }

    /// Where the statement starts.
    pub(crate) fn first(&self) -> u32 {
        self.context.source.first()
    }

    /// Refuses to go deeper where the stack would end; what is taken is given back by the caller.
    pub(crate) fn take_stack(&mut self, kib: u32, position: u32) -> Result<()> {
        self.stack_kib += kib;
        if self.stack_kib > STACK_KIB_MAX {
            self.stack_kib -= kib;
            return Err(located(too_deep(), position));
        }
        Ok(())
    }

    /// What a name means.
    pub(crate) fn find(&self, name: &RelationName) -> Option<Named> {
        self.outputs
            .found
            .borrow_mut()
            .find(self.statement.catalog, name)
    }

    /// The table of a name.
    pub(crate) fn known_table(&self, name: &RelationName) -> Option<&Arc<TableDef>> {
        match self.find(name)? {
            Named::Table(object) => self.statement.catalog.tables.get(&object),
            _ => None,
        }
    }
}

/// Most levels that a statement and the views in it nest, as parentheses do.
pub(crate) const NESTING_MAX: usize = 50;

/// The text of a view has no places in that of the statement.
pub(crate) static NO_SOURCE: LazyLock<Source> = LazyLock::new(Source::default);

impl QueryBinder<'_> {
    /// A statement that does nothing but say so.
    pub(crate) fn nothing(&mut self, message: Message) -> Statement {
        self.outputs.messages.push(message);
        utility(Utility::Nothing)
    }
}
