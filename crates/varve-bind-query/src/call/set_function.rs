//! Set-returning functions, in FROM and in the select list.

use varve_ast::{Alias, Expr as Ast, Name, TypeName};
use varve_expr::{Expr, Function, Placeholder, fold};
use varve_plan::build::operand::{Operand, literal};
use varve_plan::build::row_value::object;
use varve_plan::optimize::push_down::one_row;
use varve_plan::plan::{Plan, SetCall};
use varve_plan::scope::error::{located, unsupported_at};
use varve_plan::scope::name::result_name;
use varve_plan::scope::tables::Scope;
use varve_types::{Error, LogicalType, Result, RowTypeId, SqlState, TypeMod, Value};

use crate::context::arguments::Arguments;
use crate::context::binder::QueryBinder;
use crate::context::scope::{ExprScope, count_sets, no_sets};

/// Names and types of columns.
pub type Columns = Vec<(String, LogicalType)>;

/// A column that a call in FROM defines.
pub type Definition<'a> = (&'a Name, &'a TypeName);

/// Refuses definitions of columns where a function has its own, and a function without any.
pub fn check_definitions(
    is_record: bool,
    has_own: &str,
    defined: Option<u32>,
    position: u32,
) -> Result<()> {
    let message = match (is_record, defined) {
        (true, None) => {
            "a column definition list is required for functions returning \"record\"".to_owned()
        }
        (false, Some(_)) => format!("a column definition list{has_own}"),
        _ => return Ok(()),
    };
    let error = Error::new(SqlState::SYNTAX_ERROR, message);
    Err(located(error, defined.unwrap_or(position)))
}

impl QueryBinder<'_> {
    /// A set-returning function in an expression: a column of its own.
    pub fn set_returning(
        &mut self,
        name: &str,
        args: &Arguments<'_>,
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        if scope.sets.is_none() {
            return Err(no_sets(scope.clause, position));
        }
        let operands = self.operands(args, scope)?;
        let (mut call, columns) = self.set_call(name, args, operands, &[], position)?;
        let ty = match *columns.as_slice() {
            [(_, ty)] => ty,
            _ => LogicalType::Row(RowTypeId::RECORD),
        };
        call.types = vec![ty];
        let part = Placeholder::Set(count_sets(scope));
        scope.sets.get_or_insert_default().push(call);
        self.row_of(Expr::Placeholder { part, ty }, columns, position)
    }

    /// The value of a function of these columns: where there are several, a row whose fields have
    /// their names.
    pub fn row_of(&mut self, value: Expr, columns: Columns, position: u32) -> Result<Operand> {
        let Expr::Placeholder { part, .. } = value else {
            return Ok(Operand::Known(value));
        };
        if columns.len() < 2 {
            return Ok(Operand::Known(value));
        }
        if self.context.reads_rows {
            let mut fields = Vec::with_capacity(columns.len());
            for (place, (name, ty)) in columns.into_iter().enumerate() {
                fields.push((name, self.field_at(&value, (place, ty), position)?));
            }
            return object(fields, position);
        }
        let fields = columns.into_iter();
        let fields = fields.map(|(name, ty)| (name, ty, TypeMod::NONE));
        self.outputs.records.push((part, fields.collect()));
        Ok(Operand::Known(value))
    }

    /// A call of a function that stands where rows do, with the names and types of its columns.
    pub fn set_call(
        &mut self,
        name: &str,
        args: &Arguments<'_>,
        operands: Vec<Operand>,
        definitions: &[Definition<'_>],
        position: u32,
    ) -> Result<(SetCall, Columns)> {
        let call = self.called(name, args, operands, position)?;
        let Expr::Call { function, args, .. } = call else {
            return Err(unsupported_at("this function in FROM", position));
        };
        let is_record = function.returns_record();
        check_definitions(
            is_record,
            match function.columns().is_empty() {
                true => " is only allowed for functions returning \"record\"",
                false => " is redundant for a function with OUT parameters",
            },
            definitions.first().map(|(name, _)| self.at(name.span)),
            position,
        )?;
        if is_record {
            return self.defined_record(function.name(), args, definitions, position);
        }
        let columns = function.columns().into_iter();
        let mut columns: Columns = columns.map(|(name, ty)| (name.to_owned(), ty)).collect();
        if columns.is_empty() {
            columns.push((name.to_owned(), function.result_type()));
        }
        let call = SetCall {
            function,
            args: args.into_iter().map(fold).collect(),
            types: columns.iter().map(|(_, ty)| *ty).collect(),
            position,
            routine: None,
        };
        Ok((call, columns))
    }

    /// A call of a function whose columns the alias defines.
    fn defined_record(
        &mut self,
        name: &str,
        args: Vec<Expr>,
        defined: &[Definition<'_>],
        position: u32,
    ) -> Result<(SetCall, Columns)> {
        let int4 = |number| literal(Value::Int4(number), LogicalType::Int4);
        let mut columns: Columns = Vec::with_capacity(defined.len());
        let mut all: Vec<Expr> = args.into_iter().take(1).map(fold).collect();
        all.push(int4(i32::from(name.ends_with("set"))));
        for (name, type_name) in defined {
            let name = self.new_name(name)?;
            let (ty, modifier) = self.data_type(type_name)?;
            all.push(literal(Value::text(name.as_str()), LogicalType::Text));
            all.push(literal(Value::Null, ty));
            all.push(int4(modifier.0));
            columns.push((name, ty));
        }
        let function = Function::form("\0json records", None);
        let call = SetCall {
            function: function.ok_or_else(|| Error::internal("no records of JSON"))?,
            args: all,
            types: columns.iter().map(|(_, ty)| *ty).collect(),
            position,
            routine: None,
        };
        Ok((call, columns))
    }

    /// Rows of one column that is a row, with its fields as columns; other columns stay behind.
    pub fn spread_rows(
        &self,
        plan: Plan,
        fields: usize,
        columns: &Columns,
        position: u32,
    ) -> Result<Plan> {
        let ty = plan.types().first().copied().unwrap_or(LogicalType::Text);
        let row = Expr::Column { index: 0, ty };
        let mut exprs = Vec::with_capacity(columns.len());
        for (place, (_, ty)) in columns.iter().enumerate() {
            exprs.push(match place.checked_sub(fields) {
                None => self.field_at(&row, (place, *ty), position)?,
                Some(behind) => Expr::Column {
                    index: behind + 1,
                    ty: *ty,
                },
            });
        }
        Ok(Plan::Project {
            input: Box::new(plan),
            exprs,
        })
    }
}

impl QueryBinder<'_> {
    /// A value as a relation of one row: `FROM current_schema()`.
    pub fn table_value(
        &mut self,
        ast: &Ast,
        alias: Option<&Alias>,
        base: usize,
    ) -> Result<(Plan, Scope)> {
        let names = Scope::default();
        let value = self.lateral(base, |binder| {
            let mut scope = ExprScope::plain(&names, "a function in FROM");
            let operand = binder.expr(ast, &mut scope)?;
            binder.settle(operand)
        })?;
        let own = result_name(ast);
        let column = alias.map_or_else(|| own.clone(), |alias| alias.name.text.clone());
        let mut columns: Columns = vec![(column, value.logical_type())];
        let name = match alias {
            Some(alias) => self.apply_alias(alias, &mut columns)?,
            None => own,
        };
        let plan = Plan::Project {
            input: Box::new(one_row()),
            exprs: vec![fold(value)],
        };
        Ok((plan, Scope::table(name, 0, columns)))
    }
}
