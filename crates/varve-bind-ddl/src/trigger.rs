//! CREATE, ALTER and DROP TRIGGER.

use std::sync::Arc;

use varve_ast::{CreateTrigger, Name, NamedTrigger, ObjectName, StatementBody, TriggerTiming};
use varve_bind_query::context::binder::QueryBinder;
use varve_bind_query::context::variables::{Variable, Variables, row_variables};
use varve_catalog::model::catalog::Named;
use varve_catalog::model::function_def::{ParsedBody, Returns};
use varve_catalog::model::table::TableDef;
use varve_catalog::model::trigger_def::TriggerDef;
use varve_catalog::model::view::shape_of;
use varve_catalog::text::name::undefined_schema;
use varve_expr::{Expr, Parameter};
use varve_plan::optimize::optimize;
use varve_plan::plan::Statement;
use varve_plan::plan::statement::utility;
use varve_plan::plan::utility::{Dropped, Message, Utility};
use varve_types::{Error, LogicalType, ObjectId, Result, SqlState};

use crate::binder::DdlBinder;

impl DdlBinder<'_, '_> {
    pub(crate) fn create_trigger(&mut self, create: &CreateTrigger) -> Result<Statement> {
        let name = self.query.new_name(&create.name)?;
        let table = self.table_of_triggers(&create.table)?;
        let is_view = self.catalog.views.contains_key(&table.object);
        check_kind(create, &table, is_view)?;
        let function = self.trigger_function(&create.function)?;
        let places = create.columns.iter();
        let places = places.map(|column| self.query.target_column(&table, column));
        let places = places.collect::<Result<Vec<usize>>>()?;
        let columns = places.iter().filter_map(|at| table.columns.get(*at));
        let mut def = TriggerDef {
            object: ObjectId(0),
            schema: table.schema,
            table: table.object,
            function,
            name,
            before: create.timing == TriggerTiming::Before,
            instead: create.timing == TriggerTiming::InsteadOf,
            insert: create.on_insert,
            update: create.on_update,
            delete: create.on_delete,
            truncate: create.on_truncate,
            for_each_row: create.for_each_row,
            is_enabled: true,
            columns: columns.map(|column| column.id).collect(),
            condition: create.condition.clone(),
            arguments: create.arguments.clone(),
            parsed: ParsedBody::default(),
        };
        if let Some(known) = self.trigger_named(table.object, &def.name) {
            if !create.or_replace {
                let (name, table) = (&def.name, &table.name);
                let message = format!("trigger \"{name}\" for relation \"{table}\" already exists");
                return Err(Error::new(SqlState::DUPLICATE_OBJECT, message));
            }
            def.object = known.object;
        }
        self.check_condition(&def, &table)?;
        let def = self.texts.trigger(self.catalog, def)?;
        Ok(utility(Utility::PutTrigger(vec![def], "CREATE")))
    }

    /// The function that a trigger calls.
    fn trigger_function(&self, name: &ObjectName) -> Result<ObjectId> {
        let written = self.query.relation_name(name)?;
        let known = self.catalog.functions_named(&written).into_iter();
        let function = known.into_iter().find(|def| def.inputs().next().is_none());
        let Some(function) = function else {
            if let Some(schema) = &written.schema
                && self.catalog.schema(schema).is_none()
            {
                return Err(undefined_schema(schema));
            }
            let message = format!("function {written}() does not exist");
            return Err(Error::new(SqlState::UNDEFINED_FUNCTION, message));
        };
        if function.returns != Returns::Trigger {
            let message = format!("function {} must return type trigger", function.name);
            return Err(Error::new(SqlState::INVALID_OBJECT_DEFINITION, message));
        }
        Ok(function.object)
    }

    /// Refuses a condition that could not be tested.
    fn check_condition(&self, def: &TriggerDef, table: &TableDef) -> Result<()> {
        let Some(code) = def.condition_code()? else {
            return Ok(());
        };
        let mut variables = Vec::new();
        let wrong = |message: &str| Err(Error::new(SqlState::INVALID_OBJECT_DEFINITION, message));
        if def.for_each_row {
            variables.extend(row_variables(table, "new"));
            variables.extend(row_variables(table, "old"));
        }
        let values = variables.iter().enumerate();
        let values = values.map(|(index, variable)| Variable {
            qualifier: variable.qualifier.clone(),
            name: variable.name.clone(),
            is_plain: false,
            value: Expr::Parameter {
                parameter: Parameter::Given(index),
                ty: variable.ty,
            },
        });
        let Some(piece) = code.pieces.first() else {
            return Ok(());
        };
        let piece = &piece.statement;
        let mut inner = QueryBinder::new(piece, self.catalog, &[], self.query.statement.locale);
        inner.context.variables = Some(Arc::new(Variables::new(values.collect(), 0)));
        let StatementBody::Query(ast) = &piece.statement.body else {
            return Err(Error::internal("a condition is no query"));
        };
        let query = inner.query(ast, None).map_err(Error::without_position)?;
        let plan = optimize(query.plan);
        let (mut reads_new, mut reads_old) = (false, false);
        let width = table.columns.len();
        plan.for_each_expr(&mut |expr| {
            for_each_parameter(expr, &mut |index| match index < width {
                true => reads_new = true,
                false => reads_old = true,
            });
        });
        match query.fields.first().map(|field| field.ty) {
            Some(LogicalType::Boolean) => {}
            ty => {
                let ty = ty.unwrap_or(LogicalType::Text);
                let message = format!("argument of WHEN must be type boolean, not type {ty}");
                return Err(Error::new(SqlState::DATATYPE_MISMATCH, message));
            }
        }
        if reads_old && def.insert {
            return wrong("INSERT trigger's WHEN condition cannot reference OLD values");
        }
        if reads_new && def.delete {
            return wrong("DELETE trigger's WHEN condition cannot reference NEW values");
        }
        Ok(())
    }

    /// A table, or a view as if it were one.
    fn table_of_triggers(&self, name: &ObjectName) -> Result<Arc<TableDef>> {
        let written = self.query.relation_name(name)?;
        match self.query.find(&written) {
            Some(Named::View(object)) => {
                let view = self.catalog.views.get(&object);
                view.map(|view| Arc::new(shape_of(view)))
                    .ok_or_else(|| Error::internal("a view that is not there"))
            }
            _ => self.query.writable_table(name),
        }
    }

    fn trigger_named(&self, table: ObjectId, name: &str) -> Option<&Arc<TriggerDef>> {
        let mut known = self.catalog.triggers_of(table).iter();
        known.find(|def| def.name == name)
    }

    pub(crate) fn named_trigger(&mut self, trigger: &NamedTrigger) -> Result<Arc<TriggerDef>> {
        let table = self.table_of_triggers(&trigger.table)?;
        let name = &trigger.name.text;
        let found = self.trigger_named(table.object, name).cloned();
        found.ok_or_else(|| {
            let table = &table.name;
            let message = format!("trigger \"{name}\" for table \"{table}\" does not exist");
            Error::new(SqlState::UNDEFINED_OBJECT, message)
        })
    }

    pub(crate) fn drop_trigger(
        &mut self,
        trigger: &NamedTrigger,
        cascade: bool,
    ) -> Result<Statement> {
        match self.named_trigger(trigger) {
            Ok(def) => self.drop_all(vec![Dropped::Trigger(def.table, def.object)], cascade),
            Err(error)
                if trigger.if_exists
                    && matches!(
                        error.state(),
                        SqlState::UNDEFINED_OBJECT
                            | SqlState::UNDEFINED_TABLE
                            | SqlState::INVALID_SCHEMA_NAME
                    ) =>
            {
                let message = error.message();
                let message = message.replace("for table", "for relation");
                let text = format!("{message}, skipping");
                Ok(self.query.nothing(Message::new(error.state(), text)))
            }
            Err(error) => Err(error),
        }
    }

    pub(crate) fn rename_trigger(
        &mut self,
        trigger: &NamedTrigger,
        to: &Name,
    ) -> Result<Statement> {
        let mut def = TriggerDef::clone(&*self.named_trigger(trigger)?);
        def.name = self.query.new_name(to)?;
        if self.trigger_named(def.table, &def.name).is_some() {
            let name = &def.name;
            let table = self.catalog.tables.get(&def.table);
            let table = table.map_or("", |table| table.name.as_str());
            let message = format!("trigger \"{name}\" for relation \"{table}\" already exists");
            return Err(Error::new(SqlState::DUPLICATE_OBJECT, message));
        }
        Ok(utility(Utility::PutTrigger(vec![def], "ALTER")))
    }

    /// `ALTER TABLE ... ENABLE | DISABLE TRIGGER`, of one or of all.
    pub fn enable_triggers(
        &mut self,
        table: &ObjectName,
        name: Option<&Name>,
        is_enabled: bool,
    ) -> Result<Statement> {
        let table = self.query.writable_table(table)?;
        let name = name.map(|name| &name.text);
        let known = self.catalog.triggers_of(table.object).iter();
        let known = known.filter(|def| name.is_none_or(|name| def.name == *name));
        let changed = known.map(|def| TriggerDef {
            is_enabled,
            ..TriggerDef::clone(def)
        });
        let changed: Vec<TriggerDef> = changed.collect();
        if let (Some(name), true) = (name, changed.is_empty()) {
            let table = &table.name;
            let message = format!("trigger \"{name}\" for table \"{table}\" does not exist");
            return Err(Error::new(SqlState::UNDEFINED_OBJECT, message));
        }
        Ok(utility(Utility::PutTrigger(changed, "ALTER")))
    }
}

/// Refuses a trigger that no table or view can have.
fn check_kind(create: &CreateTrigger, table: &TableDef, is_view: bool) -> Result<()> {
    let of_what = |what: &str, detail: &str| {
        let message = format!("\"{}\" is a {what}", table.name);
        Err(Error::new(SqlState::WRONG_OBJECT_TYPE, message).with_detail(detail))
    };
    let is_instead = create.timing == TriggerTiming::InsteadOf;
    match (is_view, is_instead) {
        (false, true) => return of_what("table", "Tables cannot have INSTEAD OF triggers."),
        (true, false) if create.for_each_row => {
            let detail = "Views cannot have row-level BEFORE or AFTER triggers.";
            return of_what("view", detail);
        }
        (true, _) if create.on_truncate => {
            return of_what("view", "Views cannot have TRUNCATE triggers.");
        }
        (true, false) => return Err(Error::unsupported("a statement trigger of a view")),
        _ => {}
    }
    let not = |message: &str| Err(Error::new(SqlState::FEATURE_NOT_SUPPORTED, message));
    if create.on_truncate && create.for_each_row {
        return not("TRUNCATE FOR EACH ROW triggers are not supported");
    }
    if is_instead && !create.for_each_row {
        return not("INSTEAD OF triggers must be FOR EACH ROW");
    }
    if is_instead && create.condition.is_some() {
        return not("INSTEAD OF triggers cannot have WHEN conditions");
    }
    if is_instead && !create.columns.is_empty() {
        return not("INSTEAD OF triggers cannot have column lists");
    }
    if create.for_each_row && table.partitioning().is_some() {
        return Err(Error::unsupported("a row trigger of a partitioned table"));
    }
    Ok(())
}

/// Calls `visit` for each parameter that an expression reads.
fn for_each_parameter(expr: &Expr, visit: &mut dyn FnMut(usize)) {
    if let Expr::Parameter {
        parameter: Parameter::Given(index),
        ..
    } = expr
    {
        visit(*index);
    }
    varve_expr::walk::for_each_child(expr, &mut |child| for_each_parameter(child, visit));
}
