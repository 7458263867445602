//! One relation of FROM: a table, a view, a named query; its sample and its alias.

use varve_ast::{Alias, FunctionRelation, Name, ObjectName, RowsCall, RowsFunction, TableSample};
use varve_catalog::built_in::{OWN_SCHEMA, built_in_routines};
use varve_catalog::model::catalog::Named;
use varve_catalog::model::schema::RelationName;
use varve_catalog::model::table::TableDef;
use varve_catalog::model::view::{ViewDef, ViewKind, ViewRead};
use varve_catalog::text::name::undefined_table;
use varve_expr::Expr;
use varve_plan::build::operand::{CastContext, Operand, literal};
use varve_plan::build::table::{ChildRows, full_scan};
use varve_plan::optimize::push_down::one_row;
use varve_plan::plan::{Plan, Query, Relation, RowLock};
use varve_plan::scope::error::{located, refuse};
use varve_plan::scope::locked_relation::LockedRelation;
use varve_plan::scope::tables::{Scope, TABLEOID};
use varve_system_views::{is_of_session, system_view_columns};
use varve_types::{
    ColumnId, CompareOp, Error, LogicalType, ObjectId, Result, RowTypeId, SqlState, Value,
};

use crate::context::binder::QueryBinder;
use crate::context::ctes::Columns;
use crate::context::scope::ExprScope;
use crate::from::Bound;

/// What is read of a table.
struct TableRows {
    plan: Plan,
    columns: Columns,
    /// Which columns are its key.
    key: Vec<usize>,
    /// Number of the column with the OID of the row's table.
    tableoid: Option<usize>,
    locked: Option<LockedRelation>,
}

impl TableRows {
    /// Rows of which nothing more is known than their columns.
    fn plain(plan: Plan, columns: Columns) -> TableRows {
        TableRows {
            plan,
            columns,
            key: Vec::new(),
            tableoid: None,
            locked: None,
        }
    }

    /// The rows of a table as a view knows them.
    fn seen(self, table: &TableDef, read: ViewRead, written: &RelationName) -> Result<TableRows> {
        let places = read.columns.iter().map(|(id, name)| {
            let at = table.columns.iter().position(|column| column.id == *id);
            at.ok_or_else(|| {
                let message = format!("column \"{name}\" of relation \"{written}\" was dropped");
                Error::new(SqlState::UNDEFINED_COLUMN, message)
            })
        });
        let places = places.collect::<Result<Vec<usize>>>()?;
        let width = places.len();
        let mut locked = self.locked;
        let picks = places
            .iter()
            .copied()
            .chain(self.tableoid)
            .chain(locked.iter().flat_map(|locked| &locked.columns).copied())
            .collect::<Vec<usize>>();
        let (plan, columns) = picked(self.plan, &picks, read);
        let place_of = |at: &usize| places.iter().position(|place| place == at);
        let key: Option<Vec<usize>> = self.key.iter().map(place_of).collect();
        let tableoid = self.tableoid.map(|_| width);
        if let Some(locked) = &mut locked {
            let first = width + usize::from(tableoid.is_some());
            locked.columns = (first..).take(locked.columns.len()).collect();
        }
        Ok(TableRows {
            plan,
            columns,
            key: key.unwrap_or_default(),
            tableoid,
            locked,
        })
    }
}

impl QueryBinder<'_> {
    /// `TABLESAMPLE method (percent) [REPEATABLE (seed)]`.
    pub fn sampled(&mut self, plan: Plan, sample: &TableSample, position: u32) -> Result<Plan> {
        // Rows are chosen one by one, whichever the method.
        let TableSample {
            method: _,
            percentage,
            seed,
        } = sample;
        let names = Scope::default();
        let mut scope = ExprScope::plain(&names, "TABLESAMPLE");
        let percent = self.expr(percentage, &mut scope)?;
        let seed = match seed {
            None => None,
            Some(seed) => Some(self.expr(seed, &mut scope)?),
        };
        let mut number = |operand| {
            let context = CastContext::Assignment;
            let expr = self.convert(operand, LogicalType::Float8, context, position)?;
            let error = Error::new(
                SqlState::DATATYPE_MISMATCH,
                "argument of TABLESAMPLE must be a number",
            );
            expr.map(varve_expr::fold).ok_or(located(error, position))
        };
        Ok(Plan::Sample {
            input: Box::new(plan),
            percent: number(percent)?,
            seed: seed.map(number).transpose()?,
        })
    }

    /// A relation by its name, which may be that of a query of WITH.
    pub fn named_relation(
        &mut self,
        name: &ObjectName,
        alias: Option<&Alias>,
        only: bool,
    ) -> Result<Bound> {
        if name.qualifiers.is_empty()
            && let Some(bound) = self.named_query(&name.name, alias)?
        {
            return Ok(bound);
        }
        let written = self.relation_name(name)?;
        let row_lock = self.row_lock_of(alias.map_or(&written.name, |alias| &alias.name.text));
        let found = self.read_name(&written);
        if let Some((named, read)) = &found {
            self.use_relation((name, alias), *named, read.as_ref());
        }
        let position = self.at(name.span());
        if let Some((named, Some(read))) = &found
            && let Some((plan, columns)) = self.restricted(*named, read)?
        {
            return self.named_rows(TableRows::plain(plan, columns), written, alias);
        }
        let rows = match found {
            Some((Named::Table(table), read)) => {
                let rows = self.table_rows(table, read, &written, (only, row_lock))?;
                if self.statement.catalog.view_of(table).is_some() {
                    refuse_lock(row_lock, "materialized view", &written)?;
                }
                rows
            }
            Some((Named::View(view), read)) => {
                let (plan, columns) = self.view_rows(view, read, &written, row_lock)?;
                TableRows {
                    locked: row_lock.map(LockedRelation::below),
                    ..TableRows::plain(plan, columns)
                }
            }
            Some((Named::Chunk(chunk), _)) => {
                refuse_lock(row_lock, "chunk", &written)?;
                let (plan, columns) = self.chunk_rows(chunk, &written, position)?;
                TableRows::plain(plan, columns)
            }
            Some((Named::Index(_), _)) => {
                let message = format!("cannot open relation \"{}\"", written.name);
                let error = Error::new(SqlState::WRONG_OBJECT_TYPE, message);
                let detail = "This operation is not supported for indexes.";
                return Err(located(error.with_detail(detail), position));
            }
            Some((Named::Sequence(object), _)) => {
                refuse_lock(row_lock, "sequence", &written)?;
                self.note_read(&written, object, Vec::new);
                let (plan, columns) = self.sequence_row(object, position)?;
                TableRows::plain(plan, columns)
            }
            None => {
                if let Some(call) = view_function(&written, name, alias) {
                    return self.table_function(&call, 0);
                }
                self.system_rows(&written, position)?
            }
        };
        self.named_rows(rows, written, alias)
    }

    /// A query of WITH by its name.
    fn named_query(&mut self, name: &Name, alias: Option<&Alias>) -> Result<Option<Bound>> {
        let Some((plan, columns, hidden)) = self.cte_scan(&name.text, self.at(name.span))? else {
            return Ok(None);
        };
        self.check_returning(name)?;
        let (plan, mut names) = self.named_plan(plan, name.text.clone(), columns, alias)?;
        self.refuse_row_lock(&names, "a WITH query")?;
        names.star.truncate(names.star.len() - hidden);
        for table in &mut names.tables {
            table.hidden = hidden;
        }
        Ok(Some((plan, names)))
    }

    /// The rows of a view of the system.
    fn system_rows(&mut self, written: &RelationName, position: u32) -> Result<TableRows> {
        let view = self
            .system_view(written)
            .ok_or_else(|| undefined_table(written, position));
        let view = view.map_err(|error| self.beside_ctes(&written.name, error))?;
        // They tell of the session.
        self.outputs.reads_settings |= is_of_session(&written.name);
        let mut columns: Columns = system_view_columns(view)
            .into_iter()
            .map(|field| (field.name, field.ty))
            .collect();
        let scan = full_scan(Relation::System(view), written.name.clone(), &columns);
        let has_tableoid = columns.pop_if(|(name, _)| name == TABLEOID).is_some();
        Ok(TableRows {
            tableoid: has_tableoid.then_some(columns.len()),
            ..TableRows::plain(Plan::Scan(scan), columns)
        })
    }

    /// The rows of a relation under the names that it gives.
    fn named_rows(
        &mut self,
        rows: TableRows,
        written: RelationName,
        alias: Option<&Alias>,
    ) -> Result<Bound> {
        let TableRows {
            plan,
            columns,
            key,
            tableoid,
            locked,
        } = rows;
        let row_type = match self.statement.catalog.row_type(&written) {
            Some(LogicalType::Row(id)) => id,
            _ => RowTypeId::RECORD,
        };
        let schema = self.schema_of(&written);
        let hidden_name = written.name.clone();
        let (plan, names) = self.named_plan(plan, written.name, columns, alias)?;
        let mut names = names.hiding(&hidden_name).in_schema(&schema);
        for table in &mut names.tables {
            table.key.clone_from(&key);
            table.row_type = row_type;
            table.tableoid = tableoid;
            table.locked.clone_from(&locked);
        }
        Ok((plan, names))
    }

    /// The name of the schema that a relation was found in.
    fn schema_of(&self, written: &RelationName) -> String {
        let object = match (&written.schema, self.find(written)) {
            (Some(schema), _) => return schema.clone(),
            (None, Some(Named::Table(object))) => {
                self.statement.catalog.tables.get(&object).map(|t| t.schema)
            }
            (None, Some(Named::View(object))) => {
                self.statement.catalog.views.get(&object).map(|v| v.schema)
            }
            (None, _) => None,
        };
        object
            .map_or("pg_catalog", |object| {
                self.statement.catalog.schema_name(object)
            })
            .to_owned()
    }

    /// What a sequence is as a relation: one row.
    fn sequence_row(&mut self, sequence: ObjectId, position: u32) -> Result<(Plan, Columns)> {
        let int8 = |value| literal(Value::Int8(value), LogicalType::Int8);
        let mut of_sequence = |name: &str| {
            let id = Operand::Known(int8(sequence.0.cast_signed()));
            self.named(name, vec![id], position)
        };
        let last = of_sequence("\0last value")?;
        let is_called = Expr::Compare {
            op: CompareOp::Eq,
            left: Box::new(of_sequence("\0is called")?),
            right: Box::new(int8(1)),
        };
        let plan = Plan::Project {
            input: Box::new(one_row()),
            exprs: vec![last, int8(0), is_called],
        };
        let columns = [
            ("last_value", LogicalType::Int8),
            ("log_cnt", LogicalType::Int8),
            ("is_called", LogicalType::Boolean),
        ];
        let columns = columns.map(|(name, ty)| (name.to_owned(), ty));
        Ok((plan, columns.to_vec()))
    }

    /// The rows of a table; `row_lock`: how they are locked.
    fn table_rows(
        &mut self,
        object: ObjectId,
        read: Option<ViewRead>,
        written: &RelationName,
        (only, row_lock): (bool, Option<RowLock>),
    ) -> Result<TableRows> {
        let table = self.statement.catalog.tables.get(&object);
        let table = table.ok_or_else(|| undefined_table(written, 0))?;
        self.outputs.found.borrow_mut().add_table(table);
        if let Some(view) = self.statement.catalog.view_of(object) {
            self.outputs.found.borrow_mut().add_view(view);
            if !self.context.is_defining {
                check_populated(view)?;
            }
        }
        let columns: Columns = table
            .columns
            .iter()
            .map(|column| (column.name.clone(), column.ty))
            .collect();
        let ChildRows {
            plan,
            tableoid,
            children,
        } = self.child_rows(table, only, row_lock.is_some());
        let trees = match children.as_slice() {
            [] => vec![table.tree],
            children => children.iter().map(|child| child.table.tree).collect(),
        };
        let locked = row_lock.map(|lock| LockedRelation {
            lock,
            name: table.name.clone(),
            columns: (columns.len()..)
                .take(1 + usize::from(trees.len() > 1))
                .collect(),
            trees,
        });
        // Rows of several tables may have the same key.
        let primary_key = match children.as_slice() {
            [] => table.declared_key(),
            _ if table.partitioning().is_some() => table.declared_key(),
            _ => Vec::new(),
        };
        let rows = match self.real_time(object, written)? {
            Some(plan) => TableRows::plain(plan, columns),
            None => TableRows {
                key: primary_key,
                plan,
                columns,
                tableoid,
                locked,
            },
        };
        if let Some(read) = read {
            return rows.seen(table, read, written);
        }
        let object = self
            .statement
            .catalog
            .view_of(object)
            .map_or(object, |view| view.object);
        self.note_read(written, object, || {
            let columns = table.columns.iter();
            columns
                .map(|column| (column.id, column.name.clone()))
                .collect()
        });
        Ok(rows)
    }

    /// The rows of a view, and its columns.
    fn view_rows(
        &mut self,
        object: ObjectId,
        read: Option<ViewRead>,
        written: &RelationName,
        lock: Option<RowLock>,
    ) -> Result<(Plan, Columns)> {
        let view = self.statement.catalog.views.get(&object).cloned();
        let view = view.ok_or_else(|| undefined_table(written, 0))?;
        if let Some(rows) = view.rows() {
            let rows = self.table_rows(rows, read, written, (false, None))?;
            return Ok((rows.plan, rows.columns));
        }
        let Query { plan, fields, .. } = self.view_plan(&view, lock)?;
        let columns: Columns = fields
            .into_iter()
            .map(|field| (field.name, field.ty))
            .collect();
        let Some(read) = read else {
            self.note_read(written, object, || {
                let columns = (1..).zip(&view.columns);
                columns
                    .map(|(at, column)| (ColumnId(at), column.name.clone()))
                    .collect()
            });
            return Ok((plan, columns));
        };
        // A view only gets more columns, at its end.
        let places: Vec<usize> = (0..read.columns.len()).collect();
        Ok(picked(plan, &places, read))
    }

    /// A plan under the names that its alias gives.
    pub fn named_plan(
        &mut self,
        plan: Plan,
        name: String,
        mut columns: Vec<(String, LogicalType)>,
        alias: Option<&Alias>,
    ) -> Result<Bound> {
        let name = match alias {
            Some(alias) => self.apply_alias(alias, &mut columns)?,
            None => name,
        };
        Ok((plan, Scope::table(name, 0, columns)))
    }

    /// The name of an alias; its column names replace the first columns' names.
    pub fn apply_alias(
        &self,
        alias: &Alias,
        columns: &mut [(String, LogicalType)],
    ) -> Result<String> {
        let Alias {
            name,
            columns: new_names,
        } = alias;
        let has_types = new_names.iter().any(|column| column.type_name.is_some());
        let new_names = new_names.iter().map(|column| &column.name);
        rename_columns(&name.text, new_names, columns)?;
        refuse(has_types, "a column definition list", self.at(name.span))?;
        Ok(name.text.clone())
    }
}

/// The call that gives the rows of a view of `timescaledb_information` that reads tables: of a
/// built-in function that is named like it.
fn view_function(
    written: &RelationName,
    name: &ObjectName,
    alias: Option<&Alias>,
) -> Option<FunctionRelation> {
    if written.schema.as_deref() != Some("timescaledb_information") {
        return None;
    }
    let function = RelationName {
        schema: Some(OWN_SCHEMA.to_owned()),
        name: written.name.clone(),
    };
    built_in_routines(&function).next()?;
    let schema = Name {
        text: OWN_SCHEMA.to_owned(),
        ..name.name.clone()
    };
    let called = ObjectName {
        qualifiers: vec![schema],
        name: name.name.clone(),
    };
    let alias = alias.cloned().unwrap_or_else(|| Alias {
        name: name.name.clone(),
        columns: Vec::new(),
    });
    Some(FunctionRelation {
        is_lateral: false,
        functions: vec![RowsFunction {
            call: RowsCall::Call {
                name: called,
                arguments: Vec::new(),
            },
            columns: Vec::new(),
        }],
        is_rows_from: false,
        with_ordinality: false,
        alias: Some(alias),
        span: name.span(),
    })
}

/// Refuses to read a materialized view without rows.
fn check_populated(view: &ViewDef) -> Result<()> {
    let ViewKind::Materialized {
        is_populated: false,
        ..
    } = view.kind
    else {
        return Ok(());
    };
    let message = format!("materialized view \"{}\" has not been populated", view.name);
    let error = Error::new(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, message);
    Err(error.with_hint("Use the REFRESH MATERIALIZED VIEW command."))
}

/// Refuses to lock the rows of what is no table.
fn refuse_lock(row_lock: Option<RowLock>, what: &str, written: &RelationName) -> Result<()> {
    match row_lock {
        None => Ok(()),
        Some(_) => {
            let message = format!("cannot lock rows in {what} \"{}\"", written.name);
            Err(Error::new(SqlState::WRONG_OBJECT_TYPE, message))
        }
    }
}

/// Gives the first columns of a relation new names.
pub fn rename_columns<'n>(
    relation: &str,
    new_names: impl ExactSizeIterator<Item = &'n Name>,
    columns: &mut [(String, LogicalType)],
) -> Result<()> {
    if new_names.len() > columns.len() {
        let message = format!(
            "table \"{relation}\" has {} columns available but {} columns specified",
            columns.len(),
            new_names.len()
        );
        return Err(Error::new(SqlState::INVALID_COLUMN_REFERENCE, message));
    }
    for (column, new_name) in columns.iter_mut().zip(new_names) {
        column.0.clone_from(&new_name.text);
    }
    Ok(())
}

/// The columns of a plan that a view knows, under the names that it knows them by.
fn picked(plan: Plan, places: &[usize], read: ViewRead) -> (Plan, Columns) {
    let types = plan.types();
    let picked: Vec<(usize, LogicalType)> = places
        .iter()
        .filter_map(|at| Some((*at, *types.get(*at)?)))
        .collect();
    let names = read.columns.into_iter().zip(&picked);
    let columns = names.map(|((_, name), (_, ty))| (name, *ty)).collect();
    if places.len() == types.len() && places.iter().enumerate().all(|(at, place)| at == *place) {
        return (plan, columns);
    }
    let exprs = picked.into_iter();
    let exprs = exprs.map(|(index, ty)| Expr::Column { index, ty });
    let plan = Plan::Project {
        input: Box::new(plan),
        exprs: exprs.collect(),
    };
    (plan, columns)
}
