//! What INSERT, UPDATE and DELETE write: a table, or a view that can be written through.

use std::sync::Arc;

use varve_ast::{Alias, ChangedTable, Name, ObjectName};
use varve_catalog::model::catalog::Named;
use varve_catalog::model::table::{CheckDef, ColumnDef, TableDef};
use varve_catalog::model::trigger_def::{Event, TriggerDef};
use varve_catalog::model::view::{ViewDef, shape_of};
use varve_catalog::relation_oid;
use varve_expr::Expr;
use varve_expr::walk::{for_each_column, map_columns, substitute};
use varve_plan::build::operand::literal;
use varve_plan::build::subquery::used_subqueries;
use varve_plan::build::table::{ChildRows, column_exprs, named_types};
use varve_plan::optimize::taken;
use varve_plan::plan::{ChildTable, Plan};
use varve_plan::scope::error::{located, unsupported_at};
use varve_plan::scope::tables::Scope;
use varve_types::{ColumnId, Error, LogicalType, Result, SqlState, Value};

use crate::binder::DmlBinder;

/// What a statement does to a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Insert,
    Update,
    Delete,
}

impl Verb {
    fn doing(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Verb::Insert => ("insert into", "inserting into", "INSERT"),
            Verb::Update => ("update", "updating", "UPDATE"),
            Verb::Delete => ("delete from", "deleting from", "DELETE"),
        }
    }

    fn event(self) -> Event {
        match self {
            Verb::Insert => Event::Insert,
            Verb::Update => Event::Update,
            Verb::Delete => Event::Delete,
        }
    }

    /// `55000`: the view cannot be written through.
    pub fn refused(self, view: &ViewDef, detail: &str) -> Error {
        let (what, doing, event) = self.doing();
        let message = format!("cannot {what} view \"{}\"", view.name);
        let hint = format!(
            "To enable {doing} the view, provide an INSTEAD OF {event} trigger or an \
             unconditional ON {event} DO INSTEAD rule."
        );
        Error::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, message)
            .with_detail(detail)
            .with_hint(hint)
    }

    fn refused_column(self, view: &str, column: &str) -> Error {
        let (what, ..) = self.doing();
        let message = format!("cannot {what} column \"{column}\" of view \"{view}\"");
        let detail = "View columns that are not columns of their base relation are not updatable.";
        Error::new(SqlState::FEATURE_NOT_SUPPORTED, message).with_detail(detail)
    }
}

/// What a statement writes.
pub struct Target {
    /// The table whose rows change.
    pub table: Arc<TableDef>,
    /// What the statement names: the table, or a view with its columns as if it were one.
    pub shape: Arc<TableDef>,
    /// Where the statement names a view.
    pub view: Option<Box<Through>>,
    /// Where rows of several tables change: which.
    pub children: Vec<ChildTable>,
    rows: Plan,
    tableoid: Option<usize>,
    /// Whether it is a view whose triggers write instead.
    pub is_instead: bool,
}

/// The way from a view to its table.
pub struct Through {
    /// The columns of the table, the position of the row, then the columns of the view.
    pub plan: Plan,
    pub columns: Vec<ThroughColumn>,
    /// The conditions of the view and of those under it, the innermost first; `None` where
    /// subqueries decide.
    pub conditions: Vec<(String, Option<Expr>)>,
    /// Those of them that new rows must pass.
    pub checked: Vec<bool>,
    pub(crate) children: Vec<ChildTable>,
}

/// A column of a view.
#[derive(Clone)]
pub struct ThroughColumn {
    pub name: String,
    pub ty: LogicalType,
    /// What it is, over the columns of the table; `None` where subqueries decide.
    pub expr: Option<Expr>,
}

impl ThroughColumn {
    /// The column of the table that it is.
    pub fn base(&self) -> Option<usize> {
        match self.expr {
            Some(Expr::Column { index, .. }) => Some(index),
            _ => None,
        }
    }
}

impl Target {
    fn of_table(table: Arc<TableDef>, rows: ChildRows) -> Target {
        Target {
            shape: Arc::clone(&table),
            table,
            view: None,
            children: rows.children,
            rows: rows.plan,
            tableoid: rows.tableoid,
            is_instead: false,
        }
    }

    fn of_view(name: &str, table: Arc<TableDef>, mut through: Through) -> Target {
        let columns = (1..).zip(&through.columns).map(|(id, column)| {
            let known = column.base().and_then(|at| table.columns.get(at));
            let unknown = || ColumnDef::new(ColumnId(id), "", column.ty, true);
            ColumnDef {
                id: ColumnId(id),
                name: column.name.clone(),
                ..known.cloned().unwrap_or_else(unknown)
            }
        });
        let shape = TableDef {
            schema: table.schema,
            ..TableDef::new(name, columns.collect(), Vec::new())
        };
        Target {
            table,
            shape: Arc::new(shape),
            children: core::mem::take(&mut through.children),
            rows: taken(&mut through.plan),
            tableoid: None,
            is_instead: false,
            view: Some(Box::new(through)),
        }
    }

    /// Number of the first of the columns that the statement may name among those of
    /// [`DmlBinder::changed_rows`].
    pub fn first(&self) -> usize {
        match self.view {
            Some(_) => self.head(),
            None => 0,
        }
    }

    /// How many columns of [`DmlBinder::changed_rows`] say which row it is and what it is: those of
    /// the table, the position, the number of its child.
    pub fn head(&self) -> usize {
        head(&self.table, &self.children)
    }

    /// The names that UPDATE and DELETE may use.
    pub fn names(&self, alias: Option<&Name>) -> Scope {
        let name = alias.map_or(&self.shape.name, |alias| &alias.text);
        let names = Scope::table(name.clone(), self.first(), named_types(&self.shape));
        let mut names = names.hiding(&self.shape.name);
        for table in &mut names.tables {
            table.tableoid = self.tableoid;
            table.changed = Some(self.shape.object);
            table.key = self.shape.declared_key();
        }
        names
    }

    /// Where INSERT answers the OID of the table that a row is in.
    pub fn inserted_names(&self, alias: Option<&Name>) -> Scope {
        let mut names = varve_plan::build::table::target_scope(&self.shape, alias);
        for table in &mut names.tables {
            table.tableoid = self.tableoid.map(|_| self.shape.columns.len());
        }
        names
    }

    /// Puts the OID of the one table that new rows go to in its place.
    pub fn settle_tableoid(&self, expr: &mut Expr) {
        if self.table.partitioning().is_some() || self.tableoid.is_none() {
            return;
        }
        let at = self.table.columns.len();
        substitute(expr, &|expr| match expr {
            Expr::Column { index, .. } if *index == at => Some(Expr::Literal {
                value: Value::Oid(relation_oid(self.table.object)),
                ty: LogicalType::Oid,
            }),
            _ => None,
        });
    }

    /// The rows to be changed, as [`DmlBinder::changed_rows`] has them.
    pub fn take_rows(&mut self) -> Plan {
        taken(&mut self.rows)
    }

    /// An expression over the columns that the statement names as one over those of the table;
    /// see [`over_table`].
    pub fn on_table(&self, expr: Expr, places: &[(usize, usize)]) -> Result<Expr> {
        match &self.view {
            None => Ok(expr),
            Some(through) => over_table(&through.columns, &expr, places)
                .ok_or_else(|| Error::unsupported("a subquery of a view in this place")),
        }
    }

    /// The columns of the view that are columns of the table, and which ones.
    pub fn bases(&self) -> impl Iterator<Item = (usize, usize)> {
        let columns = self.view.iter().flat_map(|through| &through.columns);
        let columns = columns.enumerate();
        columns.filter_map(|(at, column)| Some((at, column.base()?)))
    }

    /// The columns of the table that these of the view are, which a statement gives values.
    pub fn assigned(&self, assigned: &[usize], verb: Verb) -> Result<Vec<usize>> {
        let Some(through) = &self.view else {
            return Ok(assigned.to_vec());
        };
        let mut places: Vec<usize> = Vec::with_capacity(assigned.len());
        for (number, at) in assigned.iter().enumerate() {
            let Some(column) = through.columns.get(*at) else {
                continue;
            };
            let place = column.base();
            let place = place.ok_or_else(|| verb.refused_column(&self.shape.name, &column.name))?;
            // A part of a column may be assigned to beside another one.
            let mut earlier = places.iter().zip(assigned).take(number);
            if earlier.any(|(known, other)| *known == place && other != at) {
                let name = self.table.columns.get(place).map(|column| &column.name);
                let name = name.map_or("", |name| name);
                let message = format!("multiple assignments to same column \"{name}\"");
                return Err(Error::new(SqlState::SYNTAX_ERROR, message));
            }
            places.push(place);
        }
        Ok(places)
    }

    /// What rows written through the view must pass.
    pub fn checks(&self) -> Result<Vec<CheckDef>> {
        let Some(through) = &self.view else {
            return Ok(Vec::new());
        };
        let mut checks = Vec::new();
        for ((name, expr), checked) in through.conditions.iter().zip(&through.checked) {
            if *checked {
                let expr = expr.clone().ok_or_else(|| {
                    Error::unsupported("WITH CHECK OPTION of a view with a subquery")
                })?;
                let name = name.clone();
                checks.push(CheckDef { name, expr });
            }
        }
        Ok(checks)
    }
}

/// An expression over some columns, over what these are; `None` where subqueries decide. Each of
/// `places` is where these columns are numbered from, and where those of the table then are.
pub fn over_table(
    columns: &[ThroughColumn],
    expr: &Expr,
    places: &[(usize, usize)],
) -> Option<Expr> {
    let place = |index: usize| {
        let mut places = places.iter();
        places.find_map(|(first, shift)| Some((columns.get(index.checked_sub(*first)?)?, *shift)))
    };
    let mut is_known = used_subqueries(expr).is_empty();
    for_each_column(expr, &mut |index| {
        is_known &= place(index).is_none_or(|(column, _)| column.expr.is_some());
    });
    let mut over = expr.clone();
    substitute(&mut over, &|expr| match expr {
        Expr::Column { index, .. } => {
            let (column, shift) = place(*index)?;
            let mut over = column.expr.clone()?;
            map_columns(&mut over, &|index| index + shift);
            Some(over)
        }
        _ => None,
    });
    is_known.then_some(over)
}

/// See [`Target::head`].
pub fn head(table: &TableDef, children: &[ChildTable]) -> usize {
    table.columns.len() + 1 + usize::from(!children.is_empty())
}

/// The columns of [`head`] as they are.
pub fn head_exprs(table: &TableDef, children: &[ChildTable]) -> Vec<Expr> {
    let mut exprs = column_exprs(table);
    let number = |index| Expr::Column {
        index,
        ty: LogicalType::Int8,
    };
    exprs.extend((table.columns.len()..head(table, children)).map(number));
    exprs
}

impl DmlBinder<'_, '_> {
    /// The alias of the table that a statement changes.
    pub fn changed_alias<'t>(&self, table: &'t ChangedTable) -> Result<Option<&'t Name>> {
        match &table.alias {
            None => Ok(None),
            Some(Alias { name, columns }) if columns.is_empty() => Ok(Some(name)),
            Some(alias) => {
                let what = "this form of alias here";
                Err(unsupported_at(what, self.query.at(alias.name.span)))
            }
        }
    }

    /// What a statement writes.
    pub fn target(&mut self, name: &ObjectName, only: bool, verb: Verb) -> Result<Target> {
        let folded = self.query.relation_name(name)?;
        let Some(Named::View(view)) = self.query.find(&folded) else {
            let table = self.query.writable_table(name)?;
            self.query.use_target(name, table.object);
            let rows = self.query.child_rows(&table, only, true);
            return Ok(Target::of_table(table, rows));
        };
        let view = self.catalog.views.get(&view).cloned();
        let view = view.ok_or_else(|| Error::internal("a view that is not there"))?;
        self.query.use_target(name, view.object);
        if let Some(target) = self.instead_of(&view, verb)? {
            return Ok(target);
        }
        let position = self.query.at(name.span());
        let bound = self.through(&view, verb, false);
        let (table, through) = bound.map_err(|error| match error.fields().position {
            None => error,
            Some(_) => located(error, position),
        })?;
        let has_updatable = through.columns.iter().any(|column| column.base().is_some());
        if verb != Verb::Delete && !has_updatable {
            let detail = "Views that have no updatable columns are not automatically updatable.";
            return Err(verb.refused(&view, detail));
        }
        Ok(Target::of_view(&view.name, table, through))
    }

    /// A view whose triggers write instead; `None` where it has none for what is done.
    fn instead_of(&mut self, view: &Arc<ViewDef>, verb: Verb) -> Result<Option<Target>> {
        let triggers = self.catalog.triggers_of(view.object);
        self.query
            .outputs
            .found
            .borrow_mut()
            .add_triggers(view.object, triggers);
        let shape = shape_of(view);
        let fires = |def: &Arc<TriggerDef>| def.instead && def.fires(verb.event(), &shape, &[]);
        if !triggers.iter().any(fires) {
            return Ok(None);
        }
        self.query.outputs.found.borrow_mut().add_view(view);
        let plan = self.query.view_plan(view, None)?.plan;
        let mut exprs = column_exprs(&shape);
        // In the place of the position of a row, which it has not.
        exprs.push(literal(Value::Int8(0), LogicalType::Int8));
        let rows = ChildRows {
            plan: Plan::Project {
                input: Box::new(plan),
                exprs,
            },
            tableoid: None,
            children: Vec::new(),
        };
        Ok(Some(Target {
            is_instead: true,
            ..Target::of_table(Arc::new(shape), rows)
        }))
    }
}
