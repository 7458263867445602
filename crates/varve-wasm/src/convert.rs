//! Values and errors on their way between JavaScript and the engine.

use js_sys::{Array, BigInt, JsString, Object, Reflect, Uint8Array};
use varve_kv::KvError;
use varve_types::{Error, LogicalType, Result, SqlState, Value};
use wasm_bindgen::{JsCast, JsValue};

/// Integers up to here are exact as doubles.
const SAFE_INTEGER_MAX: f64 = 9_007_199_254_740_991.0;

/// A parameter of a known type. What the type decides of comes in several forms: for most types, as
/// JSON, and where the first is no array of the database, as one; empty where it has no such form.
pub fn typed_parameter(value: &JsValue, ty: Option<&LogicalType>) -> Result<Value> {
    if !Array::is_array(value) {
        return parameter(value);
    }
    let forms: &Array = value.unchecked_ref();
    let of_type = match ty {
        Some(LogicalType::Json | LogicalType::Jsonb) => forms.get(1),
        Some(LogicalType::Array(_)) => forms.get(2),
        _ => JsValue::NULL,
    };
    parameter(&match of_type.is_string() {
        true => of_type,
        false => forms.get(0),
    })
}

/// A parameter. Bytes are `bytea`, a whole number becomes a `bigint`, and one beyond 64 bits its
/// digits, which only a type that can hold them accepts.
pub fn parameter(value: &JsValue) -> Result<Value> {
    if value.is_null() || value.is_undefined() {
        return Ok(Value::Null);
    }
    if let Some(bit) = value.as_bool() {
        return Ok(Value::Boolean(bit));
    }
    if let Some(number) = value.as_f64() {
        return Ok(number_value(number));
    }
    if let Some(text) = value.as_string() {
        return Ok(Value::text(text));
    }
    if let Some(bytes) = value.dyn_ref::<Uint8Array>() {
        return Ok(Value::Bytea(bytes.to_vec().into()));
    }
    if value.is_bigint() {
        let number: BigInt = value.clone().unchecked_into();
        return Ok(match i64::try_from(number.clone()) {
            Ok(small) => Value::Int8(small),
            Err(_) => number
                .to_string(10)
                .ok()
                .and_then(|digits: JsString| digits.as_string())
                .map_or(Value::Null, Value::text),
        });
    }
    Err(Error::new(
        SqlState::INVALID_PARAMETER_VALUE,
        "a parameter is of no supported type",
    ))
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the number is known to be a safe integer"
)]
fn number_value(number: f64) -> Value {
    let is_negative_zero = number == 0.0 && number.is_sign_negative();
    if number.fract() == 0.0 && number.abs() <= SAFE_INTEGER_MAX && !is_negative_zero {
        Value::Int8(number as i64)
    } else {
        Value::Float8(number)
    }
}

/// An error as a plain object; missing fields are left out.
pub fn error_object(error: &Error) -> JsValue {
    let fields = error.fields();
    let object = Object::new();
    let set = |name: &str, value: JsValue| {
        // Setting a property of a fresh plain object cannot fail.
        drop(Reflect::set(&object, &name.into(), &value));
    };
    set("code", fields.state.code().into());
    set("message", fields.message.as_str().into());
    if let Some(failure) = fields.failure {
        set("failure", failure.name().into());
    }
    if let Some(position) = fields.position {
        set("position", position.into());
    }
    let texts = [
        ("detail", &fields.detail),
        ("hint", &fields.hint),
        ("where", &fields.context),
        ("table", &fields.table),
        ("column", &fields.column),
        ("constraint", &fields.constraint),
        ("dataType", &fields.data_type),
    ];
    for (name, text) in texts {
        if let Some(text) = text {
            set(name, text.as_str().into());
        }
    }
    object.into()
}

/// The error of one of several statements, with its number.
pub fn batch_error_object(error: &Error, index: Option<usize>) -> JsValue {
    let object = error_object(error);
    if let Some(index) = index.and_then(|index| u32::try_from(index).ok()) {
        // Setting a property of a fresh plain object cannot fail.
        drop(Reflect::set(
            &object,
            &"statementIndex".into(),
            &index.into(),
        ));
    }
    object
}

/// A failure of the backend before there is a store to word it.
pub fn backend_error(error: &KvError) -> Error {
    Error::failed(varvedb::backend_failure(error), error.to_string())
}

/// Counts of rows stay far below 2^53, from where on doubles have gaps.
#[expect(clippy::cast_precision_loss, reason = "see above")]
pub fn number(count: u64) -> f64 {
    count as f64
}
