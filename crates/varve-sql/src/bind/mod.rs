//! Syntax trees to plans: every name resolved, every type known.
//!
//! Syntax trees are taken apart without `..`, so that a clause which is not supported answers
//! `0A000` and none is passed over.

mod aggregate;
mod alter;
mod alter_column;
mod alter_drop;
mod alter_family;
mod alter_function;
mod alter_name;
mod array;
mod change_cte;
mod check;
mod columns;
mod comment;
mod composite;
mod conflict;
mod copy;
mod copy_options;
mod create_function;
mod cte;
mod data_type;
mod ddl;
mod delete;
mod domain;
mod drop;
mod drop_columns;
mod expr;
mod foreign_key;
mod from;
mod function;
mod function_rows;
mod gapfill;
mod grouped;
mod grouping;
mod index;
mod inheritance;
mod insert;
mod json_call;
pub(crate) mod kept;
mod like;
mod limit;
mod literal;
pub(crate) mod lock;
mod members;
mod merge;
mod modifier;
mod names;
mod operator;
pub(crate) mod operator_class;
mod order;
mod outer;
mod partition;
mod placeholder;
mod query;
mod record;
mod relation;
mod resolve_user;
mod routine_body;
mod routine_call;
mod row;
mod same_plan;
mod schema;
mod search;
mod select;
mod select_list;
mod sequence;
mod session;
mod set_function;
mod set_operation;
mod sets;
mod stage;
mod statement;
mod storage;
mod subquery;
mod table_function;
mod target;
mod text;
mod through;
mod trigger;
mod truncate;
mod type_def;
mod update;
mod upkeep;
mod user_function;
mod utility;
mod values;
pub(crate) mod variables;
mod view;
mod window;

use std::cell::RefCell;
use std::sync::Arc;

use varve_ast::Span;
use varve_expr::Locale;
use varve_parser::{ParsedStatement, Source, too_deep};
use varve_types::{Error, LogicalType, Result, SqlState, meter};

pub use routine_body::{RoutineVariable, Shape, bind_piece, declared_shape, row_variables};
pub use session::bind_arguments;
pub(crate) use through::updatable_columns;
pub(crate) use varve_catalog::model::polymorphic;
pub(crate) use varve_catalog::text::type_name::internal_name;

use cte::CteBinding;
use lock::Claim;
use outer::OuterLevel;
use variables::Variables;

use crate::catalog::TableDef;
use crate::following::names_of;
use crate::found::Found;
use crate::function_def::FunctionDef;
use crate::kept_text::NameUse;
use crate::plan::{Bound, RowLock, Statement};
use crate::schema::{Catalog, Named, RelationName};
use crate::statement::{Change, FIRST_CALL, RoutineCall};
use crate::utility::Message;
use crate::view::{ViewDef, ViewRead};

/// Most parameters of a statement, as in PostgreSQL's protocol.
const PARAMETERS_MAX: usize = 65_535;

/// Resolves the names and types of a statement against a catalogue.
///
/// `parameter_types` fixes the types of the first parameters; where it has `None` or ends, the
/// type follows from the parameter's place. Literals mean what they mean in `locale`.
pub fn bind(
    statement: &ParsedStatement,
    catalog: &Arc<Catalog>,
    parameter_types: &[Option<LogicalType>],
    locale: &Locale,
) -> Result<Bound> {
    bind_with(statement, catalog, parameter_types, locale, None)
}

/// As [`bind`], with names that stand for more than columns.
fn bind_with(
    statement: &ParsedStatement,
    catalog: &Arc<Catalog>,
    parameter_types: &[Option<LogicalType>],
    locale: &Locale,
    variables: Option<Variables>,
) -> Result<Bound> {
    let locale = &with_names(catalog, locale);
    let mut binder = Binder::new(statement, catalog, parameter_types, locale);
    binder.variables = variables;
    let bound = binder.parsed(&statement.statement, &statement.command);
    let bound = bound.and_then(|bound| binder.with_changes(bound));
    meter::refusal()?;
    let bound = bound.map_err(|error| catalog.named_types(error))?;
    if !binder.calls.is_empty() || binder.has_uncalled {
        check_calls(&bound, binder.parameters.len())?;
    }
    let parameters = binder
        .parameters
        .into_iter()
        .zip(1..)
        .map(|(ty, number)| {
            ty.ok_or_else(|| {
                Error::new(
                    SqlState::INDETERMINATE_DATATYPE,
                    format!("could not determine data type of parameter ${number}"),
                )
            })
        })
        .collect::<Result<Vec<LogicalType>>>()?;
    Ok(Bound {
        statement: bound,
        parameters,
        reads_locale: binder.reads_locale,
        reads_settings: binder.reads_settings,
        outside_block: binder.outside_block,
        calls: binder.calls,
        has_uncalled: binder.has_uncalled,
        found: binder.found.into_inner(),
        messages: binder.messages,
    })
}

/// Refuses statements before which no function can run.
fn check_calls(statement: &Statement, parameters: usize) -> Result<()> {
    if parameters > FIRST_CALL {
        let message =
            format!("a statement that calls functions has at most {FIRST_CALL} parameters");
        return Err(Error::new(SqlState::PROGRAM_LIMIT_EXCEEDED, message));
    }
    match statement {
        Statement::Query(_)
        | Statement::Insert(_)
        | Statement::Update(_)
        | Statement::Delete(_)
        | Statement::Merge(_) => Ok(()),
        _ => Err(Error::unsupported(
            "a function in PL/pgSQL, or of several statements, in this statement",
        )),
    }
}

/// The locale with the names of a catalogue.
fn with_names(catalog: &Arc<Catalog>, locale: &Locale) -> Locale {
    Locale {
        enums: catalog.enums().cloned(),
        names: Some(names_of(catalog)),
        ..locale.clone()
    }
}

/// What binding one statement knows.
pub(crate) struct Binder<'a> {
    catalog: &'a Catalog,
    /// What literals mean depends on it.
    locale: &'a Locale,
    source: &'a Source,
    /// The source of the statement itself.
    own_source: &'a Source,
    /// Where a text is kept: what the names in it mean.
    uses: RefCell<Option<Vec<NameUse>>>,
    /// Whether the text at hand names the system column `tableoid`.
    names_tableoid: bool,
    /// Types of the parameters met so far; `None` until a place tells.
    parameters: Vec<Option<LogicalType>>,
    /// What names were resolved to.
    found: RefCell<Found>,
    /// What subqueries may read of the queries around them, outermost first.
    outer: Vec<OuterLevel>,
    /// Number of slots that values of enclosing queries have taken.
    slots: usize,
    /// The named queries in reach, the nearest last.
    ctes: Vec<CteBinding>,
    /// Number of named queries met so far.
    cte_ids: usize,
    /// Where the named query is named that is bound now.
    cte_position: u32,
    /// The item of WITH RECURSIVE that was named before it is bound.
    later: Option<usize>,
    /// What makes names of recursive queries refused here; empty where nothing does.
    recursion_place: &'static str,
    /// The recursive query that the SELECT which is bound next reads, where its hidden columns are
    /// to be columns of the result.
    carries: Option<String>,
    /// The statements that change rows, named by WITH before this one.
    changes: Vec<Change>,
    /// Whether the next WITH is that of the whole statement.
    is_first_with: bool,
    /// How the relations of the FROM clause at hand are claimed.
    claims: Vec<Claim>,
    /// How the query that is bound next is claimed by the one around it.
    claim_below: Option<RowLock>,
    /// Number of relations met that have no name.
    unnamed: usize,
    /// Whether the settings of the session decided what a literal is.
    reads_locale: bool,
    /// Whether a function asks for settings.
    reads_settings: bool,
    /// What cannot run inside a transaction block.
    outside_block: Option<&'static str>,
    /// How deep the statement and the views around this place nest.
    nesting: usize,
    /// About what the calls down to this place take of the stack.
    stack_kib: u32,
    /// The view whose query is bound.
    view: Option<Arc<ViewDef>>,
    /// What names mean beside columns: the arguments of the function whose body is bound.
    variables: Option<Variables>,
    /// The functions that run before the statement.
    calls: Vec<RoutineCall>,
    /// Whether functions are to be called for rows.
    has_uncalled: bool,
    /// The function whose definition is checked.
    defined: Option<Arc<FunctionDef>>,
    /// Where a view is made: what the names in its query mean.
    reads: Option<Vec<ViewRead>>,
    /// Whether a function of JSON is around: rows are objects there.
    reads_rows: bool,
    /// Whether a view is made: its query does not run, so what it reads need not have rows.
    is_defining: bool,
    /// The SELECT whose INTO makes a table of the statement's rows.
    into: Option<Span>,
    /// The row value in a select list whose fields are columns of the result.
    spread_row: Option<Span>,
    /// The fields of the rows that functions give, by the column that stands for the call.
    records: Vec<(usize, Vec<composite::Field>)>,
    /// What the user should know.
    messages: Vec<Message>,
}

/// Most of the stack that binding takes: a browser gives 1 MiB for everything.
const STACK_KIB_MAX: u32 = 640;

impl<'a> Binder<'a> {
    fn new(
        statement: &'a ParsedStatement,
        catalog: &'a Catalog,
        parameter_types: &[Option<LogicalType>],
        locale: &'a Locale,
    ) -> Binder<'a> {
        Binder {
            catalog,
            locale,
            source: &statement.source,
            own_source: &statement.source,
            uses: RefCell::default(),
            names_tableoid: statement.names_tableoid,
            parameters: parameter_types.to_vec(),
            found: RefCell::new(Found::of(catalog)),
            outer: Vec::new(),
            slots: 0,
            ctes: Vec::new(),
            cte_ids: 0,
            cte_position: 0,
            later: None,
            recursion_place: "",
            changes: Vec::new(),
            is_first_with: false,
            carries: None,
            claims: Vec::new(),
            claim_below: None,
            unnamed: 0,
            reads_locale: false,
            reads_settings: false,
            outside_block: None,
            nesting: statement.nesting,
            stack_kib: 0,
            view: None,
            variables: None,
            calls: Vec::new(),
            has_uncalled: false,
            defined: None,
            reads: None,
            reads_rows: false,
            is_defining: false,
            into: None,
            spread_row: None,
            records: Vec::new(),
            messages: Vec::new(),
        }
    }
}

impl Binder<'_> {
    /// Where a part of the statement starts: in characters of the whole text, from 1.
    fn at(&self, span: Span) -> u32 {
        self.source.position(span)
    }

    /// Where the statement starts.
    fn first(&self) -> u32 {
        self.source.first()
    }

    /// Refuses to go deeper where the stack would end; what is taken is given back by the caller.
    fn take_stack(&mut self, kib: u32, position: u32) -> Result<()> {
        self.stack_kib += kib;
        if self.stack_kib > STACK_KIB_MAX {
            self.stack_kib -= kib;
            return Err(located(too_deep(), position));
        }
        Ok(())
    }

    /// What a name means.
    fn find(&self, name: &RelationName) -> Option<Named> {
        self.found.borrow_mut().find(self.catalog, name)
    }

    /// The table of a name.
    fn known_table(&self, name: &RelationName) -> Option<&Arc<TableDef>> {
        match self.find(name)? {
            Named::Table(object) => self.catalog.tables.get(&object),
            _ => None,
        }
    }
}

/// `0A000` at a place, unless the place is unknown.
fn unsupported_at(what: impl core::fmt::Display, position: u32) -> Error {
    located(Error::unsupported(what), position)
}

/// The error at a place, unless the place is unknown.
fn located(error: Error, position: u32) -> Error {
    if position == 0 {
        error
    } else {
        error.at(position)
    }
}

/// Refuses a clause that is there.
fn refuse(present: bool, what: &str, position: u32) -> Result<()> {
    if present {
        return Err(unsupported_at(what, position));
    }
    Ok(())
}
