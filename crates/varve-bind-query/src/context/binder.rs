//! What binding one statement knows.

use std::sync::{Arc, LazyLock};

use varve_ast::Span;
use varve_catalog::model::catalog::{Catalog, Named};
use varve_catalog::model::schema::RelationName;
use varve_catalog::model::table::TableDef;
use varve_expr::Locale;
use varve_lexer::too_deep;
use varve_parser::{ParsedStatement, Source};
use varve_plan::plan::Statement;
use varve_plan::plan::statement::utility;
use varve_plan::plan::utility::{Message, Utility};
use varve_plan::scope::error::located;
use varve_types::{LogicalType, Result};

use crate::context::outputs::Outputs;
use crate::context::query_context::QueryContext;
use crate::context::statement_context::StatementContext;

/// Most parameters of a statement, as in PostgreSQL's protocol.
pub const PARAMETERS_MAX: usize = 65_535;

/// Most of the stack that binding takes: a browser gives 1 MiB for everything.
pub const STACK_KIB_MAX: u32 = 640;

/// Binds a statement that changes rows and stands where a query may; `None` for what WITH cannot
/// name. The layer above passes it down where WITH is that of a whole statement.
pub type BindChange = fn(&mut QueryBinder<'_>, &varve_ast::Query) -> Result<Option<Statement>>;

/// Binds queries and expressions, and collects what is found out on the way.
pub struct QueryBinder<'a> {
    /// What holds for the whole statement.
    pub statement: StatementContext<'a>,
    /// What is around the place that is bound.
    pub context: QueryContext<'a>,
    /// What is found out on the way.
    pub outputs: Outputs,
    /// Number of slots that values of enclosing queries have taken.
    pub slots: usize,
    /// Number of named queries met so far.
    pub cte_ids: usize,
    /// Number of relations met that have no name.
    pub unnamed: usize,
    /// KiB of the stack that the calls down to this place take, about.
    pub stack_kib: u32,
}

impl<'a> QueryBinder<'a> {
    /// A binder of a statement. `parameter_types` are those that the caller knows.
    pub fn new(
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
                open: &[],
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
    pub fn in_text<T>(
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
    pub fn at(&self, span: Span) -> u32 {
        self.context.source.position(span)
    }

    /// Where the statement starts.
    pub fn first(&self) -> u32 {
        self.context.source.first()
    }

    /// Refuses to go deeper where the stack would end; what is taken is given back by the caller.
    pub fn take_stack(&mut self, kib: u32, position: u32) -> Result<()> {
        self.stack_kib += kib;
        if self.stack_kib > STACK_KIB_MAX {
            self.stack_kib -= kib;
            return Err(located(too_deep(), position));
        }
        Ok(())
    }

    /// What a name means.
    pub fn find(&self, name: &RelationName) -> Option<Named> {
        self.outputs
            .found
            .borrow_mut()
            .find(self.statement.catalog, name)
    }

    /// The table of a name.
    pub fn known_table(&self, name: &RelationName) -> Option<&Arc<TableDef>> {
        match self.find(name)? {
            Named::Table(object) => self.statement.catalog.tables.get(&object),
            _ => None,
        }
    }
}

/// Most levels that a statement and the views in it nest, as parentheses do.
pub const NESTING_MAX: usize = 50;

/// The text of a view has no places in that of the statement.
pub static NO_SOURCE: LazyLock<Source> = LazyLock::new(Source::default);

impl QueryBinder<'_> {
    /// A statement that does nothing but say so.
    pub fn nothing(&mut self, message: Message) -> Statement {
        self.outputs.messages.push(message);
        utility(Utility::Nothing)
    }
}
