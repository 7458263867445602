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
mod tests {
    use proptest::prelude::{Just, Strategy, any, prop, prop_assert_eq, prop_oneof, proptest};
    use varve_expr::{Expr, Function};
    use varve_types::{ColumnId, CompareOp, LogicalType, Value};

    use super::{DEPTH_MAX, depth, put_expr, take_expr};
    use crate::model::bytes::Input;
    use crate::model::table::ColumnDef;

    fn columns() -> Vec<ColumnDef> {
        let column = |(id, ty)| ColumnDef::new(ColumnId(id), format!("c{id}"), ty, true);
        let types = [LogicalType::Int4, LogicalType::Text, LogicalType::Boolean];
        (0..).zip(types).map(column).collect()
    }

    fn call(name: &str, types: &[LogicalType], args: Vec<Expr>) -> Expr {
        Expr::Call {
            function: Function::find(name, types, args.len()).unwrap(),
            args,
            position: 0,
        }
    }

    fn column(index: usize) -> Expr {
        let ty = columns()[index].ty;
        Expr::Column { index, ty }
    }

    /// Expressions of type integer.
    fn integers() -> impl Strategy<Value = Expr> {
        let ty = LogicalType::Int4;
        let null = Just(Value::Null);
        let leaf = prop_oneof![
            Just(column(0)),
            prop_oneof![any::<i32>().prop_map(Value::Int4), null]
                .prop_map(move |value| Expr::Literal { value, ty }),
            "[a-z']{0,3}".prop_map(|text| {
                let text = Expr::Literal {
                    value: Value::text(text),
                    ty: LogicalType::Text,
                };
                let two = call("||", &[LogicalType::Text; 2], vec![column(1), text]);
                call("length", &[LogicalType::Text], vec![two])
            }),
        ];
        leaf.prop_recursive(4, 24, 3, move |inner| {
            let condition = (inner.clone(), inner.clone(), any::<bool>(), 0..6_usize);
            let condition = condition.prop_map(|(left, right, negated, kind)| {
                let sides = (Box::new(left.clone()), Box::new(right.clone()));
                let (one, other) = sides;
                match kind {
                    0 => Expr::Distinct {
                        left: one,
                        right: other,
                        negated,
                    },
                    1 => Expr::And(vec![column(2), Expr::Not(Box::new(column(2)))]),
                    2 => Expr::IsNull {
                        input: one,
                        negated,
                    },
                    3 => Expr::InList {
                        input: one,
                        list: vec![right],
                        negated,
                    },
                    4 => Expr::Or(vec![column(2), column(2), column(2)]),
                    _ => Expr::Compare {
                        op: CompareOp::GtEq,
                        left: one,
                        right: other,
                    },
                }
            });
            prop_oneof![
                (inner.clone(), inner.clone()).prop_map(move |(a, b)| call(
                    "+",
                    &[ty, ty],
                    vec![a, b]
                )),
                prop::collection::vec(inner.clone(), 1..4)
                    .prop_map(move |args| Expr::Coalesce { args, ty }),
                prop::collection::vec(inner.clone(), 1..4).prop_map(move |args| call(
                    "greatest",
                    &[ty],
                    args
                )),
                inner.clone().prop_map(move |input| Expr::Cast {
                    modifier: varve_types::TypeMod::NONE,
                    explicit: true,
                    input: Box::new(input),
                    to: ty,
                    position: 0,
                }),
                (condition, inner.clone(), prop::option::of(inner)).prop_map(
                    move |(condition, result, otherwise)| Expr::Case {
                        branches: vec![(condition, result)],
                        otherwise: otherwise.map(Box::new),
                        ty,
                    }
                ),
            ]
        })
    }

    proptest! {
        #[test]
        fn expressions_come_back(expr in integers()) {
            let mut bytes = Vec::new();
            put_expr(&mut bytes, &expr).unwrap();
            let mut input = Input(&bytes);
            prop_assert_eq!(take_expr(&mut input, &columns()).unwrap(), expr);
            proptest::prop_assert!(input.0.is_empty());
        }

        #[test]
        fn damaged_bytes_are_read_without_a_panic(
            expr in integers(),
            at in any::<prop::sample::Index>(),
            byte in any::<u8>(),
        ) {
            let mut bytes = Vec::new();
            put_expr(&mut bytes, &expr).unwrap();
            let at = at.index(bytes.len());
            bytes[at] = byte;
            let _ = take_expr(&mut Input(&bytes), &columns());
        }
    }

    #[test]
    fn golden_bytes_and_what_does_not_decode() {
        let lowered = call("lower", &[LogicalType::Text], vec![column(1)]);
        let mut bytes = Vec::new();
        put_expr(&mut bytes, &lowered).unwrap();
        let text = LogicalType::Text.code();
        let golden = [&[9, 5, 0][..], b"lower", &[1, 0, text, 1, 0, 0, 1, 0]].concat();
        assert_eq!(bytes, golden);
        let refused: [&[u8]; 6] = [
            &[],
            &[99],
            &[0, 3, 0],
            &[9, 3, 0, b'n', b'o', b'w', 0, 0, 0, 0],
            &[2, 0, 0, 0, 0, 0, 1, 0],
            &[6; 100],
        ];
        for bytes in refused {
            assert!(
                take_expr(&mut Input(bytes), &columns()).is_err(),
                "{bytes:?}"
            );
        }
        let mut deep = column(2);
        for _ in 0..DEPTH_MAX {
            deep = Expr::Not(Box::new(deep));
        }
        assert_eq!(depth(&deep), DEPTH_MAX + 1);
        let mut bytes = Vec::new();
        put_expr(&mut bytes, &deep).unwrap();
        assert!(take_expr(&mut Input(&bytes), &columns()).is_err());
        assert!(take_expr(&mut Input(&bytes[1..]), &columns()).is_ok());
    }
}
