//! Values of every type for tests.

#![expect(clippy::cast_possible_truncation, reason = "small numbers")]

use crate::{ArrayValue, Decimal, EnumId, Interval, Json, LogicalType, RowTypeId, RowValue, Value};

/// Every type, an enumeration and rows among them, and the arrays of all.
pub fn sample_types() -> Vec<LogicalType> {
    let scalars = LogicalType::ALL.into_iter();
    let users = [LogicalType::Enum(EnumId(3)), LogicalType::Row(RowTypeId(4))];
    let scalars = scalars.chain(users);
    scalars
        .flat_map(|ty| [Some(ty), ty.array()])
        .flatten()
        .collect()
}

/// A value of the type made of these bits or this text. Values of few bits are few, so that equal
/// ones occur.
pub fn sample_value(ty: LogicalType, bits: u64, text: &str) -> Value {
    let number = bits.cast_signed();
    let decimal = || match bits % 16 {
        0 => Decimal::NAN,
        1 => Decimal::INFINITY,
        2 => Decimal::NEG_INFINITY,
        3 => Decimal::new(0, 3).unwrap_or(Decimal::ZERO),
        _ => {
            let wide = i128::from(number >> (bits % 60)) * 10_i128.pow(bits as u32 % 19);
            Decimal::new(wide, (bits >> 8) as u8 % 40).unwrap_or(Decimal::ONE)
        }
    };
    match ty {
        LogicalType::Boolean => Value::Boolean(bits & 1 == 1),
        LogicalType::Float8 => Value::Float8(f64::from_bits(bits)),
        LogicalType::Float4 => Value::Float4(f32::from_bits(bits as u32)),
        LogicalType::Numeric => Value::Numeric(decimal()),
        LogicalType::Bpchar => Value::Bpchar(text.into()),
        LogicalType::Bytea => Value::Bytea(text.as_bytes().into()),
        LogicalType::Uuid => Value::Uuid(u128::from(bits).rotate_left(40).to_be_bytes()),
        LogicalType::Interval => Value::Interval(Interval {
            months: (number >> 48) as i32,
            days: i32::from((number >> 32) as i16),
            us: number << 16 >> 16,
        }),
        LogicalType::Jsonb => Value::json(&sample_json(bits, text)),
        LogicalType::Array(element) => {
            let cell = |i: u64| match bits >> i & 3 {
                0 => Value::Null,
                _ => sample_value(element.logical(), bits >> i, text),
            };
            let values = (0..bits % 4).map(cell).collect();
            Value::array(&ArrayValue::of(element, values))
        }
        LogicalType::Row(id) => {
            let types = [LogicalType::Numeric, LogicalType::Text];
            let field = |ty| match bits & 7 {
                0 => (ty, Value::Null),
                _ => (ty, sample_value(ty, bits >> 3, text)),
            };
            let fields = types.map(field).to_vec();
            Value::row(id, &RowValue { fields })
        }
        LogicalType::Oid => Value::Oid(bits as u32),
        ty if ty.is_reg() => Value::Reg(ty, bits as u32),
        LogicalType::Int2 => Value::Int2(bits as i16),
        ty => Value::of_integer(ty, number)
            .or_else(|| Value::of_integer(ty, i64::from(number as i32)))
            .unwrap_or_else(|| Value::text(text)),
    }
}

fn sample_json(bits: u64, text: &str) -> Json {
    let inner = || sample_json(bits >> 4, text);
    match bits % 8 {
        0 => Json::Null,
        1 => Json::Boolean(bits & 8 == 8),
        2 | 3 => {
            let number = Decimal::new(i128::from(bits >> 50), (bits >> 4) as u8 % 4);
            number.map_or(Json::Null, Json::Number)
        }
        4 => Json::String(text.to_owned()),
        5 => Json::Array((0..bits >> 4 & 3).map(|_| inner()).collect()),
        _ => Json::object(vec![
            (text.to_owned(), inner()),
            ("k".to_owned(), Json::Null),
        ]),
    }
}
