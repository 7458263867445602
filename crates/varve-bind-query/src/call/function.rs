//! Function calls, those with keywords inside included.

use varve_ast::{Call, Expr as Ast, ExprKind, Over, Query, QueryBody, SelectItem, SpecialCall};
use varve_catalog::model::schema::RelationName;
use varve_catalog::text::name::simple_name;
use varve_catalog::text::type_name::internal_name;
use varve_expr::{
    Expr, Function, Slot, is_aggregate, is_function, is_set_function, repeats_any, resolve_call,
    resolve_function,
};
use varve_plan::build::operand::{CastContext, Operand, literal};
use varve_plan::scope::error::{located, refuse};
use varve_plan::scope::name::trim_name;
use varve_types::{Error, LogicalType, Result, SqlState, Value};

use crate::call::zstd::{is_zstd, refuse_writing};
use crate::context::arguments::{AggregateSyntax, Arguments};
use crate::context::binder::QueryBinder;
use crate::context::scope::ExprScope;
use crate::expr::record::reads_rows;

/// A call whose name and arguments were looked at.
struct Written<'a> {
    call: &'a Call,
    /// Its name in messages: of the system's own functions without a schema.
    name: String,
    path: RelationName,
    args: Arguments<'a>,
    position: u32,
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
    wrong(message, position)
}

/// `42809`
fn wrong(message: impl Into<String>, position: u32) -> Error {
    located(Error::new(SqlState::WRONG_OBJECT_TYPE, message), position)
}

fn not_a_window_function(name: &str, position: u32) -> Error {
    let message =
        format!("OVER specified, but {name} is not a window function nor an aggregate function");
    wrong(message, position)
}

impl QueryBinder<'_> {
    /// `name(arguments)`: an aggregate, one of the constructs that look like functions, or a
    /// function of the function table.
    pub fn function(&mut self, call: &Call, scope: &mut ExprScope<'_>) -> Result<Operand> {
        let around = self.context.reads_rows;
        self.context.reads_rows |= simple_name(&call.name).is_some_and(reads_rows);
        let called = self.plain_or_aggregate(call, scope);
        self.context.reads_rows = around;
        called
    }

    fn plain_or_aggregate(&mut self, call: &Call, scope: &mut ExprScope<'_>) -> Result<Operand> {
        let position = self.at(call.name.span());
        let own = simple_name(&call.name);
        let path = self.relation_name(&call.name)?;
        let candidates = match own {
            Some(name) if self.is_built_in(name) => Vec::new(),
            _ => self.candidates(&path),
        };
        let written = Written {
            call,
            name: own.map_or_else(|| path.to_string(), str::to_owned),
            args: Arguments::of(&call.arguments, position)?,
            path,
            position,
        };
        let name = written.name.as_str();
        if own.is_none() || !candidates.is_empty() {
            if call.over.is_some() {
                return Err(not_a_window_function(name, position));
            }
            written.refuse_clauses()?;
            return self.user_call((&written.path, &candidates), &written.args, position, scope);
        }
        if let Some(over) = &call.over {
            return self.called_over(&written, over, scope);
        }
        let within_group = !call.within_group.is_empty();
        if WINDOW_FUNCTIONS.contains(&name) && !within_group {
            let message = match is_aggregate(name, true) && !written.args.list.is_empty() {
                true => format!("WITHIN GROUP is required for ordered-set aggregate {name}"),
                false => format!("window function {name} requires an OVER clause"),
            };
            return Err(wrong(message, position));
        }
        if is_set_function(name) {
            return self.set_returning(name, &written.args, position, scope);
        }
        if name == "grouping" {
            return self.grouping(&written.args.list, position, scope);
        }
        match is_aggregate(name, within_group) {
            true => self.aggregate_or_plain(&written, scope),
            false => self.called_plain(&written, scope),
        }
    }

    /// A call of a name that is an aggregate's, and may be a function's of other arguments too:
    /// `sum(stats_agg(x))` is no nested aggregate.
    fn aggregate_or_plain(
        &mut self,
        written: &Written<'_>,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let subqueries = scope.subqueries.as_ref().map_or(0, Vec::len);
        let error = match self.called_aggregate(written, scope) {
            Err(error) => error,
            called => return called,
        };
        let states = [SqlState::UNDEFINED_FUNCTION, SqlState::GROUPING_ERROR];
        let users = self.candidates(&written.path);
        if !states.contains(&error.state()) || !is_function(&written.name) && users.is_empty() {
            return Err(error);
        }
        if let Some(all) = &mut scope.subqueries {
            all.truncate(subqueries);
        }
        let called = match is_function(&written.name) {
            true => self.called_plain(written, scope),
            false => written.refuse_clauses().and_then(|()| {
                let called = (&written.path, &users);
                self.user_call(called, &written.args, written.position, scope)
            }),
        };
        called.map_err(|_| error)
    }

    /// A call with OVER.
    fn called_over(
        &mut self,
        written: &Written<'_>,
        over: &Over,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let (call, name) = (written.call, written.name.as_str());
        let refused = [
            (
                call.is_distinct,
                "DISTINCT is not implemented for window functions".to_owned(),
            ),
            (
                !call.order_by.is_empty(),
                "aggregate ORDER BY is not implemented for window functions".to_owned(),
            ),
            (
                !call.within_group.is_empty(),
                format!("OVER is not supported for ordered-set aggregate {name}"),
            ),
        ];
        if let Some((_, message)) = refused.into_iter().find(|(present, _)| *present) {
            let error = Error::new(SqlState::FEATURE_NOT_SUPPORTED, message);
            return Err(located(error, written.position));
        }
        if is_aggregate(name, false) && written.args.list.is_empty() && !call.has_star {
            return Err(parameterless(name, written.position));
        }
        self.window_call(&written.as_aggregate(), over, scope)
    }

    fn called_aggregate(
        &mut self,
        written: &Written<'_>,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let Written {
            call,
            name,
            args,
            position,
            ..
        } = written;
        let within_group = !call.within_group.is_empty();
        if call.has_star && within_group {
            let message =
                format!("{name} is not an ordered-set aggregate, so it cannot have WITHIN GROUP");
            return Err(wrong(message, *position));
        }
        if args.list.is_empty() && !call.has_star && !within_group {
            return Err(parameterless(name, *position));
        }
        refuse(args.spread, "VARIADIC of an aggregate", *position)?;
        let named = !args.names.is_empty();
        refuse(named, "a named argument of an aggregate", *position)?;
        self.aggregate(&written.as_aggregate(), scope)
    }

    /// A call of a function that computes one value of its arguments.
    fn called_plain(
        &mut self,
        written: &Written<'_>,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let Written {
            call,
            name,
            path,
            args,
            position,
        } = written;
        let (name, position) = (name.as_str(), *position);
        refuse_writing(name, position)?;
        if written.misplaced().is_some() {
            // A function that is not there is the first thing to be said.
            let mut operands = self.operands(args, scope)?;
            for key in &call.within_group {
                operands.push(self.expr(&key.expr, scope)?);
            }
            self.called(name, args, operands, position)?;
            written.refuse_clauses()?;
        }
        let mut operands = match name {
            "interpolate" => self.lookups(&args.list, scope)?,
            _ => self.operands(args, scope)?,
        };
        if matches!(name, "nextval" | "currval" | "setval") {
            self.sequence_argument(&mut operands)?;
        }
        match (name, operands.len()) {
            ("coalesce", 1..) => {
                let places = self.places(&mut args.list.iter().copied());
                let (args, ty) = self.unify(operands, "COALESCE", &places)?;
                Ok(Operand::Known(Expr::Coalesce { args, ty }))
            }
            ("nullif", 2) => self.nullif(operands, position),
            (name, _) if is_zstd(name) => {
                let call = self.zstd_call(name, args, operands, position, scope);
                call.map(Operand::Known)
            }
            // SQLite's functions of these names are called with more arguments.
            (type_name, 1)
                if args.names.is_empty()
                    && (!is_function(type_name) || matches!(type_name, "date" | "time")) =>
            {
                self.cast_call(type_name, args, operands, position)
            }
            _ => {
                let users = self.candidates(path);
                let kept = (!users.is_empty()).then(|| operands.clone());
                match (self.called(name, args, operands, position), kept) {
                    (Err(error), Some(operands))
                        if error.state() == SqlState::UNDEFINED_FUNCTION =>
                    {
                        self.user_call_of((path, &users), args, operands, position, scope)
                    }
                    (call, _) => call.map(Operand::Known),
                }
            }
        }
    }

    /// Whether a name is that of a function which no user's of the same arguments can hide.
    pub fn is_built_in(&self, name: &str) -> bool {
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
    pub fn operands(
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
            match looked_up(arg) {
                Some((query, row)) => {
                    self.context.spread_row = Some(row.span);
                    operands.extend(self.row_subquery(query, 2, self.at(arg.span), scope)?);
                }
                None => operands.push(self.expr(arg, scope)?),
            }
        }
        Ok(operands)
    }

    /// A function of the function table, its arguments as they are written.
    pub fn called(
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
            return Err(located(error, self.at(last.span)));
        }
        let written = varve_expr::Arguments {
            types: &types,
            names: &args.names,
            spread: args.spread,
        };
        let (function, slots) = resolve_call(name, written, position)?;
        self.outputs.reads_settings |= matches!(name, "current_setting" | "set_config");
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
    pub fn named(&mut self, name: &str, operands: Vec<Operand>, position: u32) -> Result<Expr> {
        let types: Vec<Option<LogicalType>> = operands.iter().map(Operand::ty).collect();
        let function = resolve_function(name, &types, position)?;
        self.call(function, operands, position)
    }

    /// A call, each argument in the type of the signature.
    pub fn call(
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
    pub fn special_call(
        &mut self,
        call: &SpecialCall,
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let (name, args): (&str, Vec<&Ast>) = match call {
            SpecialCall::Extract { field, operand } => {
                let field = field.text.to_ascii_lowercase();
                let operands = vec![Operand::Text(field, position), self.expr(operand, scope)?];
                return Ok(Operand::Known(self.named("extract", operands, position)?));
            }
            SpecialCall::Position { part, operand } => ("strpos", vec![operand, part]),
            SpecialCall::Substring {
                operand,
                from: None,
                length: Some(length),
            } => {
                let operands = vec![
                    self.expr(operand, scope)?,
                    Operand::Known(literal(Value::Int4(1), LogicalType::Int4)),
                    self.expr(length, scope)?,
                ];
                let call = self.named("substring", operands, position)?;
                return Ok(Operand::Known(call));
            }
            SpecialCall::Substring {
                operand,
                from,
                length,
            } => {
                let args = [operand].into_iter().chain(from).chain(length);
                ("substring", args.collect())
            }
            SpecialCall::Overlay {
                operand,
                placing,
                from,
                length,
            } => {
                let args = [operand, placing, from].into_iter().chain(length);
                ("overlay", args.collect())
            }
            SpecialCall::Trim {
                side,
                operand,
                characters,
                listed,
            } => {
                let args = [operand].into_iter().chain(characters).chain(listed);
                (trim_name(*side), args.collect())
            }
        };
        let mut operands = Vec::with_capacity(args.len());
        for arg in args {
            operands.push(self.expr(arg, scope)?);
        }
        Ok(Operand::Known(self.named(name, operands, position)?))
    }
}

/// The query and the row of `(SELECT (time, value) ...)`.
fn looked_up(arg: &Ast) -> Option<(&Query, &Ast)> {
    let ExprKind::Subquery(query) = &arg.kind else {
        return None;
    };
    let QueryBody::Select(select) = &*query.body else {
        return None;
    };
    let [SelectItem::Expr { expr, alias: None }] = select.items.as_slice() else {
        return None;
    };
    let is_row = matches!(
        expr.kind,
        ExprKind::Row {
            is_explicit: false,
            ..
        }
    );
    is_row.then_some((query, expr))
}

impl Written<'_> {
    /// The call as one of an aggregate or window function.
    fn as_aggregate(&self) -> AggregateSyntax<'_> {
        AggregateSyntax {
            name: &self.name,
            args: &self.args.list,
            entries: &[],
            call: self.call,
            position: self.position,
        }
    }

    /// What may be said of the arguments of aggregates only.
    fn misplaced(&self) -> Option<&'static str> {
        let call = self.call;
        let misplaced = [
            (call.has_star, "(*)"),
            (call.is_distinct, "DISTINCT"),
            (!call.within_group.is_empty(), "WITHIN GROUP"),
            (!call.order_by.is_empty(), "ORDER BY"),
            (call.filter.is_some(), "FILTER"),
        ];
        let mut misplaced = misplaced.into_iter().filter(|(present, _)| *present);
        misplaced.next().map(|(_, what)| what)
    }

    /// Refuses what may be said of the arguments of aggregates only.
    fn refuse_clauses(&self) -> Result<()> {
        let Some(what) = self.misplaced() else {
            return Ok(());
        };
        let name = &self.name;
        let before = if self.call.has_star { name } else { "" };
        let message = format!("{before}{what} specified, but {name} is not an aggregate function");
        Err(wrong(message, self.position))
    }
}
