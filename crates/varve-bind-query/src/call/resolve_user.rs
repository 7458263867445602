//! Which function of users a call means, and the values of its arguments.

use core::cmp::Ordering;
use std::sync::Arc;

use varve_ast::{ArgumentMode, Expr as Ast, Query as AstQuery, QueryBody, SelectItem};
use varve_catalog::model::function_def::{ArgumentDef, FunctionDef, Returns};
use varve_catalog::model::schema::RelationName;
use varve_catalog::text::kept_text::Meaning;
use varve_catalog::text::name::undefined_schema;
use varve_catalog::types::polymorphic::{ANY, bound, element_of, pseudo_name};
use varve_expr::{Expr, implicit_cast_allowed, resolve_call};
use varve_parser::plpgsql::Code;
use varve_plan::build::array::form;
use varve_plan::build::operand::{CastContext, Operand, literal};
use varve_plan::build::routine::only_query;
use varve_plan::scope::error::located;
use varve_plan::scope::tables::Scope;
use varve_types::{Error, LogicalType, Result, RowTypeId, SqlState, Value};

use crate::context::arguments::{Arguments, Candidates};
use crate::context::binder::{NO_SOURCE, QueryBinder};
use crate::context::scope::ExprScope;

/// Where the value of an argument of a function comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// The argument at this place of the call.
    Given(usize),
    /// The arguments from this place on, as an array.
    Rest(usize),
    /// Its default.
    Default,
}

/// A function that fits a call, and how well.
struct Fit {
    sources: Vec<Source>,
    /// Arguments of the very type, or that as well as those of its category's preferred one,
    /// arguments without a type that are taken as text, no VARIADIC: more is better.
    rank: (usize, usize, usize, bool),
}

impl QueryBinder<'_> {
    /// The function that a call means, and the values of its arguments in order.
    pub fn resolve_user(
        &mut self,
        (name, candidates): (&RelationName, &Candidates),
        args: &Arguments<'_>,
        operands: Vec<Operand>,
        position: u32,
    ) -> Result<(Arc<FunctionDef>, Vec<Expr>)> {
        let types: Vec<Option<LogicalType>> = operands.iter().map(Operand::ty).collect();
        let written = varve_expr::Arguments {
            types: &types,
            names: &args.names,
            spread: args.spread,
        };
        let (def, sources) = match best_fit(candidates, written) {
            Some((def, fit, true)) => (def, fit.sources),
            Some(_) => return Err(located(not_unique(name, &types), position)),
            None => return Err(self.no_function(name, written, position)),
        };
        let mut def = Arc::clone(def);
        self.check_kind(&def, position)?;
        if def.is_polymorphic() {
            def = self.real_function(&def, &sources, &types)?;
        }
        if def.returns == Returns::Trigger {
            let message = "trigger functions can only be called as triggers";
            return Err(located(
                Error::new(SqlState::FEATURE_NOT_SUPPORTED, message),
                position,
            ));
        }
        if let Some(LogicalType::Row(id)) = def.row_type() {
            self.fields_of_type(id);
        }
        if !def.is_built_in() {
            // A view depends on it; the signature is no name of a relation.
            self.note_read(
                &RelationName::unqualified(&def.signature()),
                def.object,
                Vec::new,
            );
            self.use_name(position, || Meaning::Function(Arc::clone(&def)));
        }
        let values = self.argument_values(&def, sources, args, operands, position)?;
        Ok((def, values))
    }

    /// Whether the name here is that of the procedure of a CALL.
    pub fn is_called_at(&self, position: u32) -> bool {
        let call = self.context.call.as_ref();
        call.is_some_and(|call| call.position == position)
    }

    /// Refuses procedures but in CALL, and functions there.
    fn check_kind(&mut self, def: &Arc<FunctionDef>, position: u32) -> Result<()> {
        let is_call = self.is_called_at(position);
        if let Some(call) = self.context.call.as_mut().filter(|_| is_call) {
            call.procedure = Some(Arc::clone(def));
        }
        if def.is_procedure == is_call {
            return Ok(());
        }
        let signature = def.signature().replace(',', ", ");
        let (message, hint) = match is_call {
            true => (
                format!("{signature} is not a procedure"),
                "To call a function, use SELECT.",
            ),
            false => (
                format!("{signature} is a procedure"),
                "To call a procedure, use CALL.",
            ),
        };
        let error = Error::new(SqlState::WRONG_OBJECT_TYPE, message).with_hint(hint);
        Err(located(error, position))
    }

    /// Why no function fits a call.
    fn no_function(
        &self,
        name: &RelationName,
        written: varve_expr::Arguments<'_>,
        position: u32,
    ) -> Error {
        // The words of a function that there is not; this name is none of those built in.
        if let Some(schema) = &name.schema
            && self.statement.catalog.schema(schema).is_none()
        {
            return located(undefined_schema(schema), position);
        }
        let error = match resolve_call(&format!("\0{name}"), written, position) {
            Err(error) => error,
            Ok(_) => Error::internal("a name that nobody can write"),
        };
        let message = error.message().replace('\0', "");
        if self.is_called_at(position) {
            let message = message.replacen("function", "procedure", 1);
            let hint = "No procedure matches the given name and argument types. You might need to \
                        add explicit type casts.";
            return error.with_message(message).with_hint(hint);
        }
        error.with_message(message)
    }

    /// The values of the arguments of a function, in order.
    fn argument_values(
        &mut self,
        def: &FunctionDef,
        sources: Vec<Source>,
        args: &Arguments<'_>,
        operands: Vec<Operand>,
        position: u32,
    ) -> Result<Vec<Expr>> {
        let mut operands: Vec<Option<Operand>> = operands.into_iter().map(Some).collect();
        let mut values = Vec::with_capacity(sources.len());
        for (argument, source) in def.inputs().zip(sources) {
            let mut take = |at: usize| operands.get_mut(at).and_then(Option::take);
            let value = match source {
                Source::Given(at) => {
                    let operand = take(at).ok_or_else(lost_argument)?;
                    let place = args.list.get(at).map(|arg| self.at(arg.span));
                    self.as_argument(operand, argument.ty, place.unwrap_or(position))?
                }
                Source::Rest(from) => {
                    let mut elements = Vec::new();
                    let element = element_of(argument.ty);
                    for operand in operands.iter_mut().skip(from).filter_map(Option::take) {
                        elements.push(self.as_argument(operand, element, position)?);
                    }
                    form("\0array", Some(element), elements, position)?
                }
                Source::Default => {
                    let text = argument.default.as_deref().unwrap_or("NULL");
                    self.argument_default(text, argument.ty)?
                }
            };
            // Of a procedure: only its place is given.
            let value = match argument.is_input() {
                true => value,
                false => literal(Value::Null, argument.ty),
            };
            values.push(self.of_domain(value, argument.domain)?);
        }
        Ok(values)
    }

    fn as_argument(&mut self, operand: Operand, ty: LogicalType, position: u32) -> Result<Expr> {
        let context = match (operand.ty(), ty) {
            // A row as it is written has the type of its place.
            (Some(LogicalType::Row(RowTypeId::RECORD)), LogicalType::Row(_)) => {
                CastContext::Assignment
            }
            _ => CastContext::Implicit,
        };
        let converted = self.convert(operand, ty, context, position)?;
        converted.ok_or_else(lost_argument)
    }

    /// A polymorphic function with the types that a call gives it.
    fn real_function(
        &mut self,
        def: &FunctionDef,
        sources: &[Source],
        types: &[Option<LogicalType>],
    ) -> Result<Arc<FunctionDef>> {
        // Whatever is called, it is parsed once.
        def.code()?;
        let mut pairs = Vec::with_capacity(types.len());
        for (argument, source) in def.inputs().zip(sources) {
            match (source, &argument.default) {
                (Source::Default, Some(text)) if pseudo_name(argument.ty).is_some() => {
                    pairs.push((argument.ty, self.default_operand(text)?.ty()));
                }
                _ => pairs.extend(given(argument, source, types)),
            }
        }
        let mut def = def.clone();
        // Only arguments that are given have such a type, and they stand first.
        for (argument, source) in def.arguments.iter_mut().zip(sources) {
            if argument.ty == ANY {
                let given = match source {
                    Source::Given(at) => types.get(*at).copied().flatten(),
                    Source::Rest(_) | Source::Default => None,
                };
                argument.ty = given.unwrap_or(LogicalType::Text);
            }
        }
        let real = bound(&pairs).map(|bound| def.real(&bound));
        let real = real.unwrap_or_else(|| Err(lost_argument()));
        real.map(Arc::new)
    }

    /// The default of an argument, from its text.
    pub fn argument_default(&mut self, text: &str, ty: LogicalType) -> Result<Expr> {
        let operand = self.default_operand(text)?;
        let from = operand.ty();
        let converted = self.convert(operand, ty, CastContext::Assignment, 0)?;
        converted.ok_or_else(|| {
            let from = from.unwrap_or(LogicalType::Text);
            let message = format!("argument of DEFAULT must be type {ty}, not type {from}");
            Error::new(SqlState::DATATYPE_MISMATCH, message)
        })
    }

    /// The default of an argument before it is converted.
    pub fn default_operand(&mut self, text: &str) -> Result<Operand> {
        let code = Code::of_value(text)?;
        let value = only_query(&code.pieces).and_then(|(query, _)| selected(query));
        let value = value.ok_or_else(|| Error::internal("a default is no expression"))?;
        let source = core::mem::replace(&mut self.context.source, &NO_SOURCE);
        let outer = core::mem::take(&mut self.context.outer);
        let names = Scope::default();
        let mut scope = ExprScope::plain(&names, "DEFAULT expressions");
        let operand = self.expr(value, &mut scope);
        self.context.outer = outer;
        self.context.source = source;
        operand
    }
}

/// The expression of `SELECT expression`.
fn selected(query: &AstQuery) -> Option<&Ast> {
    match query.body.as_ref() {
        QueryBody::Select(select) => match select.items.as_slice() {
            [SelectItem::Expr { expr, alias: None }] => Some(expr),
            _ => None,
        },
        _ => None,
    }
}

/// The function that fits a call best, how it does, and whether it is the only one that fits so.
fn best_fit<'a>(
    candidates: &'a Candidates,
    written: varve_expr::Arguments<'_>,
) -> Option<(&'a Arc<FunctionDef>, Fit, bool)> {
    let mut best: Option<(&Arc<FunctionDef>, Fit)> = None;
    let mut is_unique = true;
    for def in candidates {
        let Some(fit) = fit(def, written) else {
            continue;
        };
        let known = best.as_ref();
        let order = known.map(|(_, known)| fit.rank.cmp(&known.rank));
        // A function hides those of the same arguments further on in the path.
        let hidden = known.is_some_and(|(known, _)| known.input_types() == def.input_types());
        match order {
            Some(Ordering::Less) => {}
            Some(Ordering::Equal) => is_unique &= hidden,
            _ => {
                best = Some((def, fit));
                is_unique = true;
            }
        }
    }
    best.map(|(def, fit)| (def, fit, is_unique))
}

/// `42725`
fn not_unique(name: &RelationName, types: &[Option<LogicalType>]) -> Error {
    let shown = types.iter().map(|ty| match ty {
        Some(ty) => ty.to_string(),
        None => "unknown".to_owned(),
    });
    let shown: Vec<String> = shown.collect();
    let message = format!("function {name}({}) is not unique", shown.join(", "));
    let hint = "Could not choose a best candidate function. You might need to add explicit type \
                casts.";
    Error::new(SqlState::AMBIGUOUS_FUNCTION, message).with_hint(hint)
}

/// How a call fits a function; `None` where it does not.
fn fit(def: &FunctionDef, args: varve_expr::Arguments<'_>) -> Option<Fit> {
    let inputs: Vec<&ArgumentDef> = def.inputs().collect();
    let positional = args.types.len().checked_sub(args.names.len())?;
    let has_rest = |argument: &&ArgumentDef| argument.mode == ArgumentMode::Variadic;
    let is_variadic = inputs.last().is_some_and(has_rest) && !args.spread;
    let single = inputs.len() - usize::from(is_variadic);
    let mut sources = Vec::with_capacity(inputs.len());
    for (at, argument) in inputs.iter().enumerate() {
        let named = args.names.iter().position(|name| *name == argument.name);
        sources.push(match named {
            _ if is_variadic && at == single && positional > single => Source::Rest(at),
            Some(_) if at < positional || (is_variadic && at == single) => return None,
            Some(place) => Source::Given(positional + place),
            None if at < positional && at < single => Source::Given(at),
            None if argument.default.is_some() => Source::Default,
            None => return None,
        });
    }
    let count = sources.iter().map(|source| match source {
        Source::Given(_) => 1,
        Source::Rest(from) => positional - from,
        Source::Default => 0,
    });
    if count.sum::<usize>() != args.types.len() {
        return None;
    }
    let mut rank = (0, 0, 0, !is_variadic);
    let pairs = inputs.iter().zip(&sources);
    let pairs = pairs.flat_map(|(argument, source)| given(argument, source, args.types));
    let pairs: Vec<(LogicalType, Option<LogicalType>)> = pairs.collect();
    for (ty, written) in &pairs {
        let Some(written) = written else {
            rank.2 += usize::from(*ty == LogicalType::Text);
            continue;
        };
        let is_preferred = ty.is_preferred() && ty.category() == written.category();
        rank.0 += usize::from(written == ty);
        rank.1 += usize::from(written == ty || is_preferred);
        let fits = written == ty
            || pseudo_name(*ty).is_some()
            || implicit_cast_allowed(*written, *ty)
            || (*written == LogicalType::Row(RowTypeId::RECORD)
                && matches!(ty, LogicalType::Row(_)));
        if !fits {
            return None;
        }
    }
    bound(&pairs)?;
    Some(Fit { sources, rank })
}

/// The types that an argument is declared and written with, for each value that it is given.
fn given(
    argument: &ArgumentDef,
    source: &Source,
    types: &[Option<LogicalType>],
) -> Vec<(LogicalType, Option<LogicalType>)> {
    let (written, ty) = match source {
        Source::Given(at) => (types.get(*at..*at + 1), argument.ty),
        Source::Rest(from) => (types.get(*from..), element_of(argument.ty)),
        Source::Default => (None, argument.ty),
    };
    let written = written.unwrap_or_default().iter();
    written.map(|written| (ty, *written)).collect()
}

fn lost_argument() -> Error {
    Error::internal("an argument does not convert to the type that was chosen by it")
}
