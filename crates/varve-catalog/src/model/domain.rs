//! Domains, and their bytes in the catalog:
//!
//! | field | bytes |
//! |---|---|
//! | version of this layout | 1: 1 |
//! | kind of object | 1, 20 = domain |
//! | object id | 8 |
//! | name | 2 (length) + UTF-8 |
//! | base type | its code, as types are stored |
//! | its modifier | 4 |
//! | flags: 1 NOT NULL, 2 a default | 1 |
//! | the default as in `expr_codec.rs` | bytes |
//! | number of CHECK constraints, each: name, condition over the value | 2, then 2 + UTF-8, then bytes |
//!
//! A column of a domain has the base type, and a CHECK without a name whose condition is a call of
//! [`FORM`]: it names the domain, and fails in the words of the domain. One of arrays of a domain
//! has a call of [`ARRAY_FORM`], which asks the catalog for what each element must be.

use varve_expr::walk::substitute;
use varve_expr::{Expr, Function};
use varve_types::{ColumnId, EnumId, Error, LogicalType, ObjectId, Result, TypeMod, Value};

use crate::model::bytes::{Input, broken, put_count, put_name, schema_head};
use crate::model::expr_codec::{put_expr, take_default};
use crate::model::table::{CheckDef, ColumnDef, TableDef};

const LAYOUT_VERSION: u8 = 1;
/// The kind of object that a domain is.
pub(crate) const KIND_DOMAIN: u8 = 20;
/// The form that checks a value: the value, the OID of the domain, then by turns the names of
/// constraints and what must hold; NOT NULL has no name. It is true, or fails.
pub(crate) const FORM: &str = "\0domain";
/// The form that checks the elements of an array: the array, the OID of the domain's array type.
const ARRAY_FORM: &str = "\0domains";
const NOT_NULL: u8 = 1;
const DEFAULT: u8 = 2;

/// A domain.
#[derive(Clone, Debug, PartialEq)]
pub struct DomainDef {
    /// Its catalog object.
    pub object: ObjectId,
    /// The schema that it is in.
    pub schema: ObjectId,
    /// Its name, as it was folded.
    pub name: String,
    /// The type whose values it takes.
    pub base: LogicalType,
    /// What that type is bounded by.
    pub modifier: TypeMod,
    /// Whether NULL is refused.
    pub not_null: bool,
    /// What a column of it gets where nothing is given and it has no default of its own.
    pub default: Option<Expr>,
    /// Its constraints over column 0, the value.
    pub checks: Vec<CheckDef>,
}

impl DomainDef {
    /// The OID of the type.
    pub fn oid(&self) -> u32 {
        u32::try_from(self.object.0).map_or(0, |id| EnumId(id).oid())
    }

    /// The OID of the type of arrays of it.
    pub fn array_oid(&self) -> u32 {
        u32::try_from(self.object.0).map_or(0, |id| EnumId(id).array_oid())
    }

    /// The condition that a value is one of the domain, or an array of such ones.
    pub fn condition(&self, value: &Expr) -> Result<Expr> {
        let text = |text: &str| Expr::Literal {
            value: Value::text(text),
            ty: LogicalType::Text,
        };
        let is_array = Some(value.logical_type()) == self.base.array();
        let (form, number) = match is_array {
            true => (ARRAY_FORM, self.array_oid()),
            false => (FORM, self.oid()),
        };
        let mut args = vec![
            value.clone(),
            Expr::Literal {
                value: Value::Oid(number),
                ty: LogicalType::Oid,
            },
        ];
        if is_array {
            return form_call(form, args);
        }
        if self.not_null {
            args.push(text(""));
            args.push(Expr::IsNull {
                input: Box::new(value.clone()),
                negated: true,
            });
        }
        for check in &self.checks {
            let mut holds = check.expr.clone();
            substitute(&mut holds, &|expr| match expr {
                Expr::Column { .. } => Some(value.clone()),
                _ => None,
            });
            args.push(text(&check.name));
            args.push(holds);
        }
        form_call(form, args)
    }
}

fn form_call(form: &str, args: Vec<Expr>) -> Result<Expr> {
    let function = Function::form(form, None);
    let function = function.ok_or_else(|| Error::internal("a form without a function"))?;
    Ok(Expr::Call {
        function,
        args,
        position: 0,
    })
}

impl CheckDef {
    /// The column whose domain the constraint stands for, and the OID of that or of its arrays.
    pub fn domain(&self) -> Option<(usize, u32)> {
        match &self.expr {
            Expr::Call { function, args, .. } if [FORM, ARRAY_FORM].contains(&function.name()) => {
                match args.as_slice() {
                    [
                        Expr::Column { index, .. },
                        Expr::Literal {
                            value: Value::Oid(number),
                            ..
                        },
                        ..,
                    ] => Some((*index, *number)),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

impl TableDef {
    /// The OID of the domain of a column, or of the arrays of one.
    pub fn domain_of(&self, column: usize) -> Option<u32> {
        let domains = self.checks.iter().filter_map(CheckDef::domain);
        let mut domains = domains.filter(|(at, _)| *at == column);
        domains.next().map(|(_, number)| number)
    }
}

/// The bytes of a domain in the catalog.
pub fn encode_domain(def: &DomainDef) -> Result<Vec<u8>> {
    let mut bytes = schema_head(def.schema);
    bytes.extend([LAYOUT_VERSION, KIND_DOMAIN]);
    bytes.extend(def.object.0.to_le_bytes());
    put_name(&mut bytes, &def.name)?;
    def.base.encode(&mut bytes);
    bytes.extend(def.modifier.0.to_le_bytes());
    let has_default = u8::from(def.default.is_some()) * DEFAULT;
    let not_null = u8::from(def.not_null) * NOT_NULL;
    bytes.push(not_null | has_default);
    if let Some(default) = &def.default {
        put_expr(&mut bytes, default)?;
    }
    put_count(&mut bytes, def.checks.len())?;
    for check in &def.checks {
        put_name(&mut bytes, &check.name)?;
        put_expr(&mut bytes, &check.expr)?;
    }
    Ok(bytes)
}

/// The domain that [`encode_domain`] wrote; `XX001` for any other bytes.
pub(crate) fn decode_domain(bytes: &[u8]) -> Result<DomainDef> {
    let (schema, mut input) = Input::behind(bytes, [LAYOUT_VERSION, KIND_DOMAIN])?;
    let object = ObjectId(u64::from_le_bytes(input.array()?));
    let name = input.name()?;
    let base = input.ty().ok_or_else(|| broken("base type"))?;
    let modifier = TypeMod(i32::from_le_bytes(input.array()?));
    let flags = input.u8()?;
    if flags > NOT_NULL | DEFAULT {
        return Err(broken("flags of a domain"));
    }
    let value = value_column(base);
    let mut default = None;
    if flags & DEFAULT != 0 {
        default = Some(take_default(&mut input, &[])?);
    }
    let mut checks = Vec::new();
    for _ in 0..input.count()? {
        let name = input.name()?;
        let expr = take_default(&mut input, core::slice::from_ref(&value))?;
        if expr.logical_type() != LogicalType::Boolean {
            return Err(broken("CHECK"));
        }
        checks.push(CheckDef { name, expr });
    }
    let def = DomainDef {
        object,
        schema,
        name,
        base,
        modifier,
        not_null: flags & NOT_NULL != 0,
        default,
        checks,
    };
    // One domain has one form only.
    if !input.0.is_empty() || encode_domain(&def)? != bytes {
        return Err(broken("end"));
    }
    Ok(def)
}

/// The value of a domain as the column that its constraints read.
pub fn value_column(base: LogicalType) -> ColumnDef {
    ColumnDef::new(ColumnId(0), "value".to_owned(), base, true)
}

#[cfg(test)]
mod tests {
    use super::{DomainDef, decode_domain, encode_domain};
    use crate::model::table::CheckDef;
    use varve_expr::Expr;
    use varve_types::{CompareOp, LogicalType, ObjectId, TypeMod, Value};

    #[test]
    fn every_damaged_domain_is_refused_or_sound() {
        let value = Expr::Column {
            index: 0,
            ty: LogicalType::Int4,
        };
        let zero = Expr::Literal {
            value: Value::Int4(0),
            ty: LogicalType::Int4,
        };
        let def = DomainDef {
            object: ObjectId(9),
            schema: ObjectId(0),
            name: "positive".to_owned(),
            base: LogicalType::Int4,
            modifier: TypeMod::NONE,
            not_null: true,
            default: Some(zero.clone()),
            checks: vec![CheckDef {
                name: "positive_check".to_owned(),
                expr: Expr::Compare {
                    op: CompareOp::Gt,
                    left: Box::new(value),
                    right: Box::new(zero),
                },
            }],
        };
        let good = encode_domain(&def).unwrap();
        assert_eq!(decode_domain(&good), Ok(def));
        for len in 0..good.len() {
            assert!(decode_domain(&good[..len]).is_err(), "{len}");
        }
        for at in 0..good.len() {
            for byte in 0..=255 {
                let mut bad = good.clone();
                bad[at] = byte;
                if let Ok(def) = decode_domain(&bad) {
                    assert_eq!(encode_domain(&def).unwrap(), bad);
                }
            }
        }
    }
}
