//! Expressions over the columns of a table as bytes, for the catalog.
//!
//! | byte | expression | what follows |
//! |---|---|---|
//! | 0 | column | position, 2 |
//! | 1 | constant | type code, 1; length, 4; key bytes |
//! | 14 | number with more digits than its value needs | length, 1; bytes as in `Decimal::write_bytes` |
//! | 2 | comparison | operator, 1; two expressions |
//! | 3 | IS DISTINCT FROM | negated, 1; two expressions |
//! | 4, 5 | AND, OR | list |
//! | 6 | NOT | expression |
//! | 7 | IS NULL | negated, 1; expression |
//! | 8 | IN | negated, 1; expression; list |
//! | 9 | function or operator | name; number of argument types, 2; their codes; list |
//! | 10, 15 | cast that is written, that is not | type code, 1; expression |
//! | 11 | CASE | type code, 1; list of conditions; list of results; list of ELSE |
//! | 12 | COALESCE | type code, 1; list |
//!
//! A list is a number, 2, and as many expressions. Names, counts and operators are those of the
//! catalog (`catalog_codec.rs`).

use varve_expr::walk::for_each_child;
use varve_expr::{Expr, Function, explicit_cast_allowed};
use varve_types::{
    Decimal, Error, LogicalType, Result, TypeMod, Value, decode_key_value, encode_key_value,
};

use crate::model::bytes::{Input, OPS, broken, code, put_count, put_long, put_name, too_long};
use crate::model::table::ColumnDef;

/// Deepest nesting of an expression in the catalog.
pub const DEPTH_MAX: u32 = 64;

/// How deep an expression is nested: 1 without parts.
pub fn depth(expr: &Expr) -> u32 {
    let mut deepest = 0;
    for_each_child(expr, &mut |child| deepest = deepest.max(depth(child)));
    deepest + 1
}

/// Whether key bytes would lose digits of a number that it is shown with.
fn has_digits_to_show(number: Decimal) -> bool {
    number.is_finite() && number.normalized().scale() != number.scale()
}

/// Appends an expression without parameters.
pub fn put_expr(bytes: &mut Vec<u8>, expr: &Expr) -> Result<()> {
    match expr {
        Expr::Column { index, .. } => {
            bytes.push(0);
            put_count(bytes, *index)?;
        }
        Expr::Literal {
            value: Value::Numeric(number),
            ..
        } if has_digits_to_show(*number) => {
            bytes.push(14);
            let mut written = Vec::new();
            number.write_bytes(&mut written);
            let len = u8::try_from(written.len());
            bytes.push(len.map_err(|_| too_long(written.len()))?);
            bytes.extend(written);
        }
        Expr::Literal { value, ty } => {
            bytes.push(1);
            ty.encode(bytes);
            let mut key = Vec::new();
            encode_key_value(value, &mut key);
            put_long(bytes, &key)?;
        }
        Expr::Placeholder { .. } | Expr::Parameter { .. } | Expr::Outer { .. } => {
            return Err(Error::internal(
                "an expression of the catalog reads what only a statement knows",
            ));
        }
        Expr::Compare { op, left, right } => {
            bytes.extend([2, code(&OPS, op)?]);
            put_expr(bytes, left)?;
            put_expr(bytes, right)?;
        }
        Expr::Distinct {
            left,
            right,
            negated,
        } => {
            bytes.extend([3, u8::from(*negated)]);
            put_expr(bytes, left)?;
            put_expr(bytes, right)?;
        }
        Expr::And(items) => {
            bytes.push(4);
            put_list(bytes, items)?;
        }
        Expr::Or(items) => {
            bytes.push(5);
            put_list(bytes, items)?;
        }
        Expr::Not(input) => {
            bytes.push(6);
            put_expr(bytes, input)?;
        }
        Expr::IsNull { input, negated } => {
            bytes.extend([7, u8::from(*negated)]);
            put_expr(bytes, input)?;
        }
        Expr::InList {
            input,
            list,
            negated,
        } => {
            bytes.extend([8, u8::from(*negated)]);
            put_expr(bytes, input)?;
            put_list(bytes, list)?;
        }
        Expr::Call { function, args, .. } => {
            bytes.push(9);
            put_name(bytes, function.name())?;
            let types = function.arg_types();
            put_count(bytes, types.len())?;
            types.iter().for_each(|ty| ty.encode(bytes));
            put_list(bytes, args)?;
        }
        Expr::Cast {
            input,
            to,
            modifier,
            explicit,
            ..
        } => {
            if modifier.is_none() {
                bytes.push(if *explicit { 10 } else { 15 });
            } else {
                bytes.push(13);
                bytes.extend(modifier.0.to_le_bytes());
                bytes.push(u8::from(*explicit));
            }
            to.encode(bytes);
            put_expr(bytes, input)?;
        }
        Expr::Case {
            branches,
            otherwise,
            ty,
        } => {
            bytes.push(11);
            ty.encode(bytes);
            put_count(bytes, branches.len())?;
            for (condition, _) in branches {
                put_expr(bytes, condition)?;
            }
            put_count(bytes, branches.len())?;
            for (_, result) in branches {
                put_expr(bytes, result)?;
            }
            put_list(
                bytes,
                otherwise.as_deref().map_or(&[], core::slice::from_ref),
            )?;
        }
        Expr::Coalesce { args, ty } => {
            bytes.push(12);
            ty.encode(bytes);
            put_list(bytes, args)?;
        }
    }
    Ok(())
}

fn put_list(bytes: &mut Vec<u8>, items: &[Expr]) -> Result<()> {
    put_count(bytes, items.len())?;
    for item in items {
        put_expr(bytes, item)?;
    }
    Ok(())
}

/// The expression that [`put_expr`] wrote, over these columns and well typed.
pub(crate) fn take_expr(input: &mut Input<'_>, columns: &[ColumnDef]) -> Result<Expr> {
    let mut reader = Reader {
        input,
        columns,
        any_function: false,
    };
    reader.expr(DEPTH_MAX)
}

/// As [`take_expr`]; functions need not be immutable.
pub(crate) fn take_default(input: &mut Input<'_>, columns: &[ColumnDef]) -> Result<Expr> {
    let mut reader = Reader {
        input,
        columns,
        any_function: true,
    };
    reader.expr(DEPTH_MAX)
}

struct Reader<'r, 'i> {
    input: &'r mut Input<'i>,
    columns: &'r [ColumnDef],
    any_function: bool,
}

impl Reader<'_, '_> {
    fn expr(&mut self, depth: u32) -> Result<Expr> {
        let depth = depth.checked_sub(1).ok_or_else(|| wrong("depth"))?;
        let boolean = LogicalType::Boolean;
        Ok(match self.input.u8()? {
            0 => {
                let index = self.input.count()?;
                let column = self.columns.get(index).ok_or_else(|| wrong("column"))?;
                let ty = column.ty;
                Expr::Column { index, ty }
            }
            1 => {
                let ty = self.ty()?;
                let len = u32::from_le_bytes(self.input.array()?);
                let len = usize::try_from(len).map_err(|_| wrong("constant"))?;
                let mut key = self.input.take(len)?;
                let value = decode_key_value(ty, &mut key).filter(|_| key.is_empty());
                let value = value.ok_or_else(|| wrong("constant"))?;
                Expr::Literal { value, ty }
            }
            14 => {
                let len = usize::from(self.input.u8()?);
                let bytes = self.input.take(len)?;
                let number = Decimal::from_bytes(bytes).filter(|number| {
                    let mut again = Vec::new();
                    number.write_bytes(&mut again);
                    again == bytes && has_digits_to_show(*number)
                });
                Expr::Literal {
                    value: Value::Numeric(number.ok_or_else(|| wrong("constant"))?),
                    ty: LogicalType::Numeric,
                }
            }
            2 => {
                let op = self.input.u8()?;
                let op = *OPS.get(usize::from(op)).ok_or_else(|| wrong("operator"))?;
                let (left, right) = self.sides(depth)?;
                Expr::Compare { op, left, right }
            }
            3 => {
                let negated = self.flag()?;
                let (left, right) = self.sides(depth)?;
                Expr::Distinct {
                    left,
                    right,
                    negated,
                }
            }
            4 => Expr::And(self.list(depth, Some(boolean), 2)?),
            5 => Expr::Or(self.list(depth, Some(boolean), 2)?),
            6 => Expr::Not(Box::new(self.typed(depth, boolean)?)),
            7 => Expr::IsNull {
                negated: self.flag()?,
                input: Box::new(self.expr(depth)?),
            },
            8 => {
                let negated = self.flag()?;
                let input = Box::new(self.expr(depth)?);
                Expr::InList {
                    list: self.list(depth, Some(input.logical_type()), 1)?,
                    input,
                    negated,
                }
            }
            9 => self.call(depth)?,
            kind @ (10 | 13 | 15) => {
                let (mut modifier, mut explicit) = (TypeMod::NONE, kind == 10);
                if kind == 13 {
                    modifier = TypeMod(i32::from_le_bytes(self.input.array()?));
                    explicit = self.flag()?;
                }
                let to = self.ty()?;
                let input = Box::new(self.expr(depth)?);
                if !explicit_cast_allowed(input.logical_type(), to) {
                    return Err(wrong("cast"));
                }
                Expr::Cast {
                    input,
                    to,
                    modifier,
                    explicit,
                    position: 0,
                }
            }
            11 => {
                let ty = self.ty()?;
                let conditions = self.list(depth, Some(boolean), 1)?;
                let results = self.list(depth, Some(ty), 1)?;
                let mut otherwise = self.list(depth, Some(ty), 0)?;
                if conditions.len() != results.len() || otherwise.len() > 1 {
                    return Err(wrong("CASE"));
                }
                Expr::Case {
                    branches: conditions.into_iter().zip(results).collect(),
                    otherwise: otherwise.pop().map(Box::new),
                    ty,
                }
            }
            12 => {
                let ty = self.ty()?;
                let args = self.list(depth, Some(ty), 1)?;
                Expr::Coalesce { args, ty }
            }
            _ => return Err(wrong("kind")),
        })
    }

    fn call(&mut self, depth: u32) -> Result<Expr> {
        let name = self.input.name()?;
        let mut types = Vec::new();
        for _ in 0..self.input.count()? {
            types.push(self.ty()?);
        }
        let args = self.list(depth, None, 0)?;
        let function = Function::find(&name, &types, args.len());
        let function = function.ok_or_else(|| wrong("function"))?;
        let fits = |(at, arg): (usize, &Expr)| {
            let wanted = function.arg_type(at);
            wanted.is_none_or(|wanted| wanted == arg.logical_type())
        };
        let is_allowed = self.any_function || function.is_immutable();
        if !is_allowed || !args.iter().enumerate().all(fits) {
            return Err(wrong("arguments"));
        }
        Ok(Expr::Call {
            function,
            args,
            position: 0,
        })
    }

    fn sides(&mut self, depth: u32) -> Result<(Box<Expr>, Box<Expr>)> {
        let left = self.expr(depth)?;
        let right = self.typed(depth, left.logical_type())?;
        Ok((Box::new(left), Box::new(right)))
    }

    fn typed(&mut self, depth: u32, ty: LogicalType) -> Result<Expr> {
        let expr = self.expr(depth)?;
        if expr.logical_type() != ty {
            return Err(wrong("type"));
        }
        Ok(expr)
    }

    /// At least so many expressions, all of a type where one is given.
    fn list(&mut self, depth: u32, ty: Option<LogicalType>, min: usize) -> Result<Vec<Expr>> {
        let mut items = Vec::new();
        for _ in 0..self.input.count()? {
            items.push(match ty {
                Some(ty) => self.typed(depth, ty)?,
                None => self.expr(depth)?,
            });
        }
        if items.len() < min {
            return Err(wrong("list"));
        }
        Ok(items)
    }

    fn ty(&mut self) -> Result<LogicalType> {
        self.input.ty().ok_or_else(|| wrong("type"))
    }

    fn flag(&mut self) -> Result<bool> {
        match self.input.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(wrong("flag")),
        }
    }
}

fn wrong(what: &str) -> varve_types::Error {
    broken(&format!("{what} of an expression"))
}

#[cfg(test)]
#[path = "expr_codec_tests.rs"]
mod tests;
