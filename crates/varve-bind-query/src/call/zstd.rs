//! sqlite-zstd's functions: 0 and 1 are booleans in them, a dictionary may be named by its number
//! in `_zstd_dicts`, and what `zstd_decompress` gives depends on an argument.

use std::sync::{Arc, LazyLock};

use varve_expr::walk::is_volatile;
use varve_expr::{Expr, Function, fold};
use varve_parser::plpgsql::Code;
use varve_plan::build::operand::{CastContext, Operand, literal};
use varve_plan::build::routine::only_query;
use varve_plan::scope::error::{located, refuse, unsupported_at};
use varve_types::{Error, LogicalType, Result, SqlState, Value};

use crate::context::arguments::Arguments;
use crate::context::binder::{NO_SOURCE, QueryBinder};
use crate::context::query_context::QueryContext;
use crate::context::scope::ExprScope;
use crate::context::variables::{Variable, Variables};

/// The number that stands for no dictionary.
const NO_DICTIONARY: Value = Value::Int8(-1);

/// The dictionary of a number.
static DICTIONARY: LazyLock<Result<Code>> = LazyLock::new(|| {
    Code::of_statements("SELECT CAST(dict AS bytea) FROM _zstd_dicts WHERE id = $1")
});

/// Whether a function is one of sqlite-zstd's.
pub fn is_zstd(name: &str) -> bool {
    matches!(
        name,
        "zstd_compress" | "zstd_decompress" | "zstd_compress_col" | "zstd_decompress_col"
    )
}

/// `0A000` for functions that write, where they are not the whole of a statement's select list: the
/// parser makes statements of their own of that.
pub fn refuse_writing(name: &str, position: u32) -> Result<()> {
    let call = match name {
        "zstd_train_dict_and_save" => {
            "SELECT zstd_train_dict_and_save(sample, size, sample_count, key) FROM ..."
        }
        "zstd_enable_transparent" => "SELECT zstd_enable_transparent(config)",
        "zstd_incremental_maintenance" => "SELECT zstd_incremental_maintenance(duration, load)",
        _ => return Ok(()),
    };
    let error = unsupported_at(format!("{name} in this place"), position);
    Err(error.with_hint(format!("It writes, so it stands alone: {call}")))
}

impl QueryBinder<'_> {
    /// A call of one of these functions.
    pub fn zstd_call(
        &mut self,
        name: &str,
        args: &Arguments<'_>,
        mut operands: Vec<Operand>,
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Expr> {
        let decompresses = name.starts_with("zstd_decompress");
        let positional = operands.len().saturating_sub(args.names.len());
        for (at, operand) in operands.iter_mut().enumerate() {
            let own = at.checked_sub(positional).and_then(|at| args.names.get(at));
            match (own.map(String::as_str), at) {
                (Some("is_text" | "compact"), _) | (None, 3) => {
                    self.zstd_flag(operand, position)?;
                }
                (None, 1) if decompresses => self.zstd_flag(operand, position)?,
                (Some("dictionary"), _) | (None, 2) => {
                    self.zstd_dictionary(operand, position, scope)?;
                }
                _ => {}
            }
        }
        let call = self.called(name, args, operands, position)?;
        match (decompresses, call) {
            (true, call) => decompressed_as(name, call, position),
            (false, call) => Ok(call),
        }
    }

    /// SQLite has no booleans.
    fn zstd_flag(&mut self, operand: &mut Operand, position: u32) -> Result<()> {
        if !operand.ty().is_some_and(is_integer) {
            return Ok(());
        }
        let given = core::mem::replace(operand, Operand::Null);
        let flag = self.convert(given, LogicalType::Boolean, CastContext::Explicit, position)?;
        let flag = flag.ok_or_else(|| Error::internal("an integer is no boolean"))?;
        *operand = Operand::Known(flag);
        Ok(())
    }

    /// Looks a number up; a dictionary itself stays.
    fn zstd_dictionary(
        &mut self,
        operand: &mut Operand,
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<()> {
        if !operand.ty().is_some_and(is_integer) {
            return Ok(());
        }
        let given = core::mem::replace(operand, Operand::Null);
        let number = self.convert(given, LogicalType::Int8, CastContext::Implicit, position)?;
        let number = fold(number.ok_or_else(|| Error::internal("an integer is no bigint"))?);
        let volatile = is_volatile(&number);
        refuse(volatile, "a volatile number of a dictionary", position)?;
        let bytes = match &number {
            Expr::Literal { value, .. } if *value == NO_DICTIONARY => Value::Bytea([].into()),
            Expr::Literal { value, .. } if value.is_null() => Value::Null,
            _ => {
                let found = self.zstd_dictionary_of(&number, position, scope)?;
                let form = Function::form("\0zstd_dictionary", None);
                *operand = Operand::Known(Expr::Call {
                    function: form.ok_or_else(|| Error::internal("no form of dictionaries"))?,
                    args: vec![number, found],
                    position,
                });
                return Ok(());
            }
        };
        *operand = Operand::Known(literal(bytes, LogicalType::Bytea));
        Ok(())
    }

    fn zstd_dictionary_of(
        &mut self,
        number: &Expr,
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Expr> {
        if scope.subqueries.is_none() {
            let what = format!("a dictionary by its number in {}", scope.clause);
            return Err(unsupported_at(what, position));
        }
        let code = DICTIONARY.as_ref().map_err(Clone::clone)?;
        let query = only_query(&code.pieces);
        let (ast, nesting) = query.ok_or_else(|| Error::internal("no query of dictionaries"))?;
        let (values, outer) = self.as_slots(vec![number.clone()]);
        let variables = values.into_iter().map(|value| Variable {
            qualifier: String::new(),
            name: String::new(),
            is_plain: false,
            value,
        });
        let context = QueryContext {
            variables: Some(Arc::new(Variables::new(variables.collect(), 1))),
            reads_rows: false,
            source: &NO_SOURCE,
            ..self.context.of_text(self.context.nesting + nesting + 1)
        };
        let query = self.in_text(context, |binder| binder.query(ast, None));
        let query = query.map_err(|error| {
            let error = located(error.without_position(), position);
            match error.state() {
                SqlState::UNDEFINED_TABLE => error.with_hint(
                    "Dictionaries are rows of the table _zstd_dicts (id integer PRIMARY KEY \
                     GENERATED BY DEFAULT AS IDENTITY, chooser_key text UNIQUE, dict bytea).",
                ),
                _ => error,
            }
        })?;
        Ok(self.row_of_subquery(query.plan, LogicalType::Bytea, outer, scope))
    }
}

/// Text where `is_text` is true, bytea where it is false.
fn decompressed_as(name: &str, call: Expr, position: u32) -> Result<Expr> {
    let Expr::Call {
        mut function,
        mut args,
        position: place,
    } = call
    else {
        return Err(Error::internal("a call that is none"));
    };
    let is_text = args.get_mut(1);
    let is_text = is_text.ok_or_else(|| Error::internal("a call without is_text"))?;
    *is_text = fold(is_text.clone());
    match is_text {
        Expr::Literal {
            value: Value::Boolean(true),
            ..
        } => {}
        Expr::Literal {
            value: Value::Boolean(false),
            ..
        } => {
            let form = Function::form(&format!("\0{name}"), None);
            function = form.ok_or_else(|| Error::internal("no form of bytes"))?;
        }
        _ => {
            let message = format!("argument \"is_text\" of {name} must be true or false");
            let error = Error::new(SqlState::FEATURE_NOT_SUPPORTED, message);
            let error = error.with_hint(
                "It decides the type of the result: a constant, or an expression for each in \
                 CASE.",
            );
            return Err(located(error, position));
        }
    }
    Ok(Expr::Call {
        function,
        args,
        position: place,
    })
}

fn is_integer(ty: LogicalType) -> bool {
    matches!(
        ty,
        LogicalType::Int2 | LogicalType::Int4 | LogicalType::Int8
    )
}
