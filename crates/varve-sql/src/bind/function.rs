//! Function calls, those with keywords inside included.

use sqlparser::ast::{
    CeilFloorKind, DateTimeField, DuplicateTreatment, Expr as Ast, Function as AstFunction,
    FunctionArg, FunctionArgExpr, FunctionArgOperator, FunctionArgumentClause,
    FunctionArgumentList, FunctionArguments, OrderByExpr, SelectItem, SetExpr, TrimWhereField,
};
use varve_expr::{
    Expr, Function, Slot, is_aggregate, is_function, is_set_function, repeats_any, resolve_call,
    resolve_function,
};
use varve_types::{Error, LogicalType, Result, SqlState};

use crate::bind::aggregate::AggregateSyntax;
use crate::bind::array::RowsOf;
use crate::bind::expr::ExprScope;
use crate::bind::literal::{CastContext, Operand};
use crate::bind::names::{fold_name, simple_name};
use crate::bind::record::reads_rows;
use crate::bind::{Binder, internal_name, located, refuse, unsupported_at};
use varve_parser::marker::VARIADIC;

/// The arguments of a call as they are written.
#[derive(Default)]
pub(crate) struct Arguments<'a> {
    pub(crate) list: Vec<&'a Ast>,
    /// The names of the last of them: `f(name => value)`.
    pub(crate) names: Vec<String>,
    /// `f(VARIADIC array)`
    pub(crate) spread: bool,
    /// `f(*)`
    star: bool,
    distinct: bool,
    /// `f(x ORDER BY y)`
    order: Option<&'a [OrderByExpr]>,
}

/// The functions that need OVER.
const WINDOW_FUNCTIONS: [&str; 11] = [
    "row_number",
    "rank",
    "dense_rank",
    "percent_rank",
    "cume_dist",
    "ntile",
    "lag",
    "lead",
    "first_value",
    "last_value",
    "nth_value",
];

/// An aggregate without arguments, which `*` should stand for.
fn parameterless(name: &str, position: u32) -> Error {
    let message = format!("{name}(*) must be used to call a parameterless aggregate function");
    located(Error::new(SqlState::WRONG_OBJECT_TYPE, message), position)
}

impl Binder<'_> {
    /// `name(arguments)`: an aggregate, one of the constructs that look like functions, or a
    /// function of the function table.
    pub(crate) fn function(
        &mut self,
        ast: &AstFunction,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let around = self.reads_rows;
        self.reads_rows |= simple_name(&ast.name).is_some_and(|name| reads_rows(&name));
        let called = self.plain_or_aggregate(ast, scope);
        self.reads_rows = around;
        called
    }

    fn plain_or_aggregate(
        &mut self,
        ast: &AstFunction,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let AstFunction {
            name,
            uses_odbc_syntax,
            parameters,
            args,
            within_group,
            filter,
            null_treatment,
            over,
        } = ast;
        let position = self.source.name(name);
        refuse(
            null_treatment.is_some(),
            "IGNORE or RESPECT NULLS",
            position,
        )?;
        refuse(*uses_odbc_syntax, "ODBC syntax", position)?;
        refuse(
            !matches!(parameters, FunctionArguments::None),
            "a function with parameters",
            position,
        )?;
        let path = name;
        let own = simple_name(path);
        let written = self.relation_name(path)?;
        let candidates = match &own {
            Some(name) if self.is_built_in(name) => Vec::new(),
            _ => self.candidates(&written),
        };
        let is_user = own.is_none() || !candidates.is_empty();
        let name = own.unwrap_or_else(|| written.to_string());
        if let (FunctionArguments::Subquery(query), "array") = (args, name.as_str()) {
            return self.array_of_rows(query, RowsOf::Array, position, scope);
        }
        if let Some(made) = self.json_constructor(&name, ast, position, scope)? {
            return Ok(made);
        }
        let args = Arguments::of_call(args, position)?;
        if is_user {
            if over.is_some() {
                let message = format!(
                    "OVER specified, but {name} is not a window function nor an aggregate function"
                );
                let error = Error::new(SqlState::WRONG_OBJECT_TYPE, message);
                return Err(located(error, position));
            }
            args.refuse_clauses(&name, !within_group.is_empty(), filter.is_some(), position)?;
            return self.user_call((&written, &candidates), &args, position, scope);
        }
        if let Some(over) = over {
            let refused = [
                (
                    args.distinct,
                    "DISTINCT is not implemented for window functions".to_owned(),
                ),
                (
                    args.order.is_some(),
                    "aggregate ORDER BY is not implemented for window functions".to_owned(),
                ),
                (
                    !within_group.is_empty(),
                    format!("OVER is not supported for ordered-set aggregate {name}"),
                ),
            ];
            if let Some((_, message)) = refused.into_iter().find(|(present, _)| *present) {
                let error = Error::new(SqlState::FEATURE_NOT_SUPPORTED, message);
                return Err(located(error, position));
            }
            if is_aggregate(&name, false) && args.list.is_empty() && !args.star {
                return Err(parameterless(&name, position));
            }
            let filter = filter.as_deref();
            return self.window_call(&name, &args.list, filter, over, position, scope);
        }
        if WINDOW_FUNCTIONS.contains(&name.as_str()) && within_group.is_empty() {
            let message = match is_aggregate(&name, true) && !args.list.is_empty() {
                true => format!("WITHIN GROUP is required for ordered-set aggregate {name}"),
                false => format!("window function {name} requires an OVER clause"),
            };
            return Err(located(
                Error::new(SqlState::WRONG_OBJECT_TYPE, message),
                position,
            ));
        }
        if is_set_function(&name) {
            return self.set_returning(&name, &args, position, scope);
        }
        if name == "grouping" {
            return self.grouping(&args.list, position, scope);
        }
        if is_aggregate(&name, !within_group.is_empty()) {
            if args.star && !within_group.is_empty() {
                let message = format!(
                    "{name} is not an ordered-set aggregate, so it cannot have WITHIN GROUP"
                );
                let error = Error::new(SqlState::WRONG_OBJECT_TYPE, message);
                return Err(located(error, position));
            }
            if args.list.is_empty() && !args.star && within_group.is_empty() {
                return Err(parameterless(&name, position));
            }
            refuse(args.spread, "VARIADIC of an aggregate", position)?;
            let named = !args.names.is_empty();
            refuse(named, "a named argument of an aggregate", position)?;
            let call = AggregateSyntax {
                name: &name,
                args: &args.list,
                star: args.star,
                distinct: args.distinct,
                order: args.order.unwrap_or(within_group),
                within_group: !within_group.is_empty(),
                filter: filter.as_deref(),
                position,
            };
            return self.aggregate(call, scope);
        }
        let is_aggregate_like = args.star
            || args.distinct
            || args.order.is_some()
            || !within_group.is_empty()
            || filter.is_some();
        if is_aggregate_like {
            // A function that is not there is the first thing to be said.
            let mut operands = self.operands(&args, scope)?;
            for key in within_group {
                operands.push(self.expr(&key.expr, scope)?);
            }
            self.called(&name, &args, operands, position)?;
            args.refuse_clauses(&name, !within_group.is_empty(), filter.is_some(), position)?;
        }
        let mut operands = match name.as_str() {
            "interpolate" => self.lookups(&args.list, scope)?,
            _ => self.operands(&args, scope)?,
        };
        if matches!(name.as_str(), "nextval" | "currval" | "setval") {
            self.sequence_argument(&mut operands)?;
        }
        match (name.as_str(), operands.len()) {
            ("coalesce", 1..) => {
                let places = self.places(&mut args.list.iter().copied());
                let (args, ty) = self.unify(operands, "COALESCE", &places)?;
                Ok(Operand::Known(Expr::Coalesce { args, ty }))
            }
            ("nullif", 2) => self.nullif(operands, position),
            (type_name, 1) if args.names.is_empty() && !is_function(type_name) => {
                self.cast_call(type_name, &args, operands, position)
            }
            _ => {
                let users = self.candidates(&written);
                let kept = (!users.is_empty()).then(|| operands.clone());
                match (self.called(&name, &args, operands, position), kept) {
                    (Err(error), Some(operands))
                        if error.state() == SqlState::UNDEFINED_FUNCTION =>
                    {
                        self.user_call_of((&written, &users), &args, operands, position, scope)
                    }
                    (call, _) => call.map(Operand::Known),
                }
            }
        }
    }

    /// Whether a name is that of a function which no user's of the same arguments can hide.
    pub(crate) fn is_built_in(&self, name: &str) -> bool {
        is_function(name)
            || is_aggregate(name, false)
            || is_aggregate(name, true)
            || is_set_function(name)
            || WINDOW_FUNCTIONS.contains(&name)
            || matches!(name, "coalesce" | "nullif" | "grouping" | "array")
    }

    /// `int4(x)`: a cast, or `field(row)`, where no function has the name of the type or field.
    fn cast_call(
        &mut self,
        name: &str,
        args: &Arguments<'_>,
        operands: Vec<Operand>,
        position: u32,
    ) -> Result<Operand> {
        if let [Operand::Known(row)] = operands.as_slice()
            && let Ok(field) = self.row_field(row, name, position)
        {
            return Ok(Operand::Known(field));
        }
        let ty = LogicalType::ALL.into_iter();
        let mut ty = ty.filter(|ty| internal_name(*ty) == name);
        if let (Some(ty), [operand]) = (ty.next(), operands.as_slice()) {
            let cast = self.convert(operand.clone(), ty, CastContext::Explicit, position)?;
            if let Some(cast) = cast {
                return Ok(Operand::Known(cast));
            }
        }
        let call = self.called(name, args, operands, position)?;
        Ok(Operand::Known(call))
    }

    /// The arguments of a call, bound.
    pub(crate) fn operands(
        &mut self,
        args: &Arguments<'_>,
        scope: &mut ExprScope<'_>,
    ) -> Result<Vec<Operand>> {
        args.list.iter().map(|arg| self.expr(arg, scope)).collect()
    }

    /// The arguments of `interpolate`: a subquery `SELECT (time, value) ...` gives two.
    fn lookups(&mut self, args: &[&Ast], scope: &mut ExprScope<'_>) -> Result<Vec<Operand>> {
        let mut operands = Vec::with_capacity(args.len());
        for arg in args {
            let row = match arg {
                Ast::Subquery(query) => match query.body.as_ref() {
                    SetExpr::Select(select) => match select.projection.as_slice() {
                        [SelectItem::UnnamedExpr(row @ Ast::Tuple(_))] => Some((query, row)),
                        _ => None,
                    },
                    _ => None,
                },
                _ => None,
            };
            match row {
                Some((query, row)) => {
                    self.spread_row = Some(row);
                    operands.extend(self.row_subquery(query, 2, scope)?);
                }
                None => operands.push(self.expr(arg, scope)?),
            }
        }
        Ok(operands)
    }

    /// A function of the function table, its arguments as they are written.
    pub(crate) fn called(
        &mut self,
        name: &str,
        args: &Arguments<'_>,
        operands: Vec<Operand>,
        position: u32,
    ) -> Result<Expr> {
        let types: Vec<Option<LogicalType>> = operands.iter().map(Operand::ty).collect();
        let spread = args.list.last().filter(|_| args.spread);
        if let Some(last) = spread
            && !matches!(types.last(), Some(Some(LogicalType::Array(_))))
            && repeats_any(name)
        {
            let message = "VARIADIC argument must be an array";
            let error = Error::new(SqlState::DATATYPE_MISMATCH, message);
            return Err(located(error, self.source.expr(last)));
        }
        let written = varve_expr::Arguments {
            types: &types,
            names: &args.names,
            spread: args.spread,
        };
        let (function, slots) = resolve_call(name, written, position)?;
        self.reads_settings |= matches!(name, "current_setting" | "set_config");
        let mut operands: Vec<Option<Operand>> = operands.into_iter().map(Some).collect();
        let ordered = slots.into_iter().filter_map(|slot| match slot {
            Slot::Given(place) => operands.get_mut(place)?.take(),
            Slot::Default("NULL") => Some(Operand::Null),
            Slot::Default(text) => Some(Operand::Text(text.to_owned(), position)),
        });
        let ordered = ordered.collect();
        self.call(function, ordered, position)
    }

    /// A function of the function table.
    pub(crate) fn named(
        &mut self,
        name: &str,
        operands: Vec<Operand>,
        position: u32,
    ) -> Result<Expr> {
        let types: Vec<Option<LogicalType>> = operands.iter().map(Operand::ty).collect();
        let function = resolve_function(name, &types, position)?;
        self.call(function, operands, position)
    }

    /// A call, each argument in the type of the signature.
    pub(crate) fn call(
        &mut self,
        function: Function,
        operands: Vec<Operand>,
        position: u32,
    ) -> Result<Expr> {
        let mut args = Vec::with_capacity(operands.len());
        for (index, operand) in operands.into_iter().enumerate() {
            let arg = match function.arg_type(index) {
                None => self.settle(operand)?,
                Some(ty) => self
                    .convert(operand, ty, CastContext::Implicit, position)?
                    .ok_or_else(|| {
                        Error::internal(format!(
                            "argument {index} of {} does not convert to {ty}",
                            function.name()
                        ))
                    })?,
            };
            args.push(arg);
        }
        Ok(Expr::Call {
            function,
            args,
            position,
        })
    }

    /// The calls that SQL writes with keywords: `EXTRACT(year FROM x)`, `SUBSTRING(x FROM 2)`.
    pub(crate) fn keyword_function(
        &mut self,
        ast: &Ast,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let position = self.source.before(self.source.expr(ast));
        let (name, args): (&str, Vec<&Ast>) = match ast {
            Ast::Extract {
                field,
                syntax: _,
                expr,
            } => {
                let field = match field {
                    DateTimeField::Custom(name) => name.value.to_ascii_lowercase(),
                    field => field.to_string().to_ascii_lowercase(),
                };
                let operands = vec![Operand::Text(field, position), self.expr(expr, scope)?];
                return Ok(Operand::Known(self.named("extract", operands, position)?));
            }
            Ast::Ceil {
                expr,
                field: CeilFloorKind::DateTimeField(DateTimeField::NoDateTime),
            } => ("ceil", vec![expr]),
            Ast::Floor {
                expr,
                field: CeilFloorKind::DateTimeField(DateTimeField::NoDateTime),
            } => ("floor", vec![expr]),
            Ast::Position { expr, r#in } => ("strpos", vec![r#in, expr]),
            Ast::Substring {
                expr,
                substring_from: None,
                substring_for: Some(length),
                special: _,
                shorthand: _,
            } => {
                let one = varve_types::Value::Int4(1);
                let operands = vec![
                    self.expr(expr, scope)?,
                    Operand::Known(super::literal::literal(one, LogicalType::Int4)),
                    self.expr(length, scope)?,
                ];
                let call = self.named("substring", operands, position)?;
                return Ok(Operand::Known(call));
            }
            Ast::Overlay {
                expr,
                overlay_what,
                overlay_from,
                overlay_for,
            } => {
                let mut args: Vec<&Ast> = vec![expr, overlay_what, overlay_from];
                args.extend(overlay_for.as_deref());
                ("overlay", args)
            }
            Ast::Substring {
                expr,
                substring_from: Some(from),
                substring_for,
                special: _,
                shorthand,
            } => {
                let mut args: Vec<&Ast> = vec![expr, from];
                args.extend(substring_for.as_deref());
                (if *shorthand { "substr" } else { "substring" }, args)
            }
            Ast::Trim {
                trim_where,
                trim_what,
                expr,
                trim_characters,
            } => {
                let name = match trim_where {
                    Some(TrimWhereField::Leading) => "ltrim",
                    Some(TrimWhereField::Trailing) => "rtrim",
                    Some(TrimWhereField::Both) | None => "btrim",
                };
                let mut args: Vec<&Ast> = vec![expr];
                args.extend(trim_what.as_deref());
                args.extend(trim_characters.iter().flatten());
                (name, args)
            }
            Ast::AtTimeZone {
                timestamp,
                time_zone,
            } => ("timezone", vec![time_zone, timestamp]),
            _ => return Err(unsupported_at("this form of function call", position)),
        };
        let mut operands = Vec::with_capacity(args.len());
        for arg in args {
            operands.push(self.expr(arg, scope)?);
        }
        Ok(Operand::Known(self.named(name, operands, position)?))
    }
}

impl<'a> Arguments<'a> {
    /// Refuses what may be said of the arguments of aggregates only.
    fn refuse_clauses(
        &self,
        name: &str,
        within_group: bool,
        filter: bool,
        position: u32,
    ) -> Result<()> {
        let misplaced = [
            (self.star, "(*)"),
            (self.distinct, "DISTINCT"),
            (within_group, "WITHIN GROUP"),
            (self.order.is_some(), "ORDER BY"),
            (filter, "FILTER"),
        ];
        let Some((_, what)) = misplaced.into_iter().find(|(present, _)| *present) else {
            return Ok(());
        };
        let before = if self.star { name } else { "" };
        let message = format!("{before}{what} specified, but {name} is not an aggregate function");
        Err(located(
            Error::new(SqlState::WRONG_OBJECT_TYPE, message),
            position,
        ))
    }

    fn of_call(args: &'a FunctionArguments, position: u32) -> Result<Arguments<'a>> {
        let FunctionArgumentList {
            duplicate_treatment,
            args,
            clauses,
        } = match args {
            FunctionArguments::None => return Ok(Arguments::default()),
            FunctionArguments::Subquery(_) => {
                return Err(unsupported_at("a subquery as an argument", position));
            }
            FunctionArguments::List(list) => list,
        };
        let mut order = None;
        for clause in clauses {
            match clause {
                FunctionArgumentClause::OrderBy(keys) if order.is_none() => {
                    order = Some(keys.as_slice());
                }
                _ => return Err(unsupported_at("this clause among arguments", position)),
            }
        }
        Ok(Arguments {
            distinct: matches!(duplicate_treatment, Some(DuplicateTreatment::Distinct)),
            order,
            ..Arguments::of(args, position)?
        })
    }

    /// The arguments between the parentheses.
    pub(crate) fn of(args: &'a [FunctionArg], position: u32) -> Result<Arguments<'a>> {
        let mut written = Arguments::default();
        for argument in args {
            let (name, value) = match argument {
                FunctionArg::Unnamed(value) => (None, value),
                FunctionArg::Named {
                    name,
                    arg,
                    operator: FunctionArgOperator::RightArrow | FunctionArgOperator::Assignment,
                }
                | FunctionArg::ExprNamed {
                    name: Ast::Identifier(name),
                    arg,
                    operator: FunctionArgOperator::RightArrow | FunctionArgOperator::Assignment,
                } => (Some(fold_name(name)), arg),
                _ => return Err(unsupported_at("this form of argument", position)),
            };
            match value {
                FunctionArgExpr::Expr(expr) => written.list.push(expr),
                FunctionArgExpr::Wildcard if args.len() == 1 && name.is_none() => {
                    written.star = true;
                }
                _ => return Err(unsupported_at("* among arguments", position)),
            }
            match name {
                Some(name) => match name.strip_prefix(VARIADIC) {
                    Some(name) => {
                        written.spread = true;
                        let name = Some(name).filter(|name| !name.is_empty());
                        written.names.extend(name.map(str::to_owned));
                    }
                    None => written.names.push(name),
                },
                None if written.names.is_empty() && !written.spread => {}
                None => {
                    let message = "positional argument cannot follow named argument";
                    let error = Error::new(SqlState::SYNTAX_ERROR, message);
                    return Err(located(error, position));
                }
            }
        }
        Ok(written)
    }
}
