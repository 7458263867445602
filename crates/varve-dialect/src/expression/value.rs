//! Values as literals for a column of a type.

use varve_types::{SqlText, sql};

use crate::ddl::types::Type;
use crate::expression::literal::{Literal, hex};
use crate::expression::number;
use crate::script::{Fault, Result};
use crate::seen::{is_zero_date, moment_zone};

/// A value for a column of type `ty`; of none that is known where that is `Any`.
pub(crate) fn write(value: &Literal, ty: &Type) -> Result<SqlText> {
    let fault = |message: String| Err(Fault::new(0, message));
    Ok(match (value, ty) {
        (Literal::Null, _) => sql!["NULL"],
        (Literal::Default, _) => sql!["DEFAULT"],
        (value, Type::Bool) => match truth(value) {
            Some(true) => sql!["true"],
            Some(false) => sql!["false"],
            None => return fault("a value that is neither true nor false".to_owned()),
        },
        (Literal::Text(text), Type::Timestamp(_) | Type::TimestampTz(_) | Type::Date)
            if is_zero_date(text) =>
        {
            sql!["NULL"]
        }
        // mysqldump sets the time zone to UTC.
        (Literal::Text(text), Type::TimestampTz(_)) if moment_zone(text) == Some("") => {
            SqlText::literal(&format!("{text}+00"))
        }
        (value, Type::Bytea) => SqlText::literal(&format!("\\x{}", hex(&bytes(value)))),
        // Bits are numbers here, and hexadecimal digits are one where a number is wanted.
        (Literal::Bytes(bytes), Type::Int2 | Type::Int4 | Type::Int8) => match number_of(bytes) {
            Some(number) => sql![number],
            None => return fault("a number with too many digits".to_owned()),
        },
        (Literal::Bool(value), _) => sql![if *value { "true" } else { "false" }],
        (Literal::Number(number), Type::Text | Type::Varchar(_) | Type::Enum(_)) => {
            SqlText::literal(&settled(number))
        }
        (Literal::Number(number), Type::Int2 | Type::Int4 | Type::Int8) => {
            let whole = number.strip_suffix(".0").unwrap_or(number);
            SqlText::number(settled(whole))
        }
        (Literal::Number(number), _) => match number::settled(number) {
            Some(number) => SqlText::number(number),
            None => sql![SqlText::literal(&settled(number)), "::double precision"],
        },
        (Literal::Text(text), _) if text.contains('\0') => {
            return fault("a text with the character of code 0".to_owned());
        }
        (Literal::Text(text), _) => SqlText::literal(text),
        (Literal::Bytes(bytes), Type::Any) => {
            sql![SqlText::literal(&format!("\\x{}", hex(bytes))), "::bytea"]
        }
        (Literal::Bytes(bytes), _) => match core::str::from_utf8(bytes) {
            Ok(text) if !text.contains('\0') => SqlText::literal(text),
            _ => return fault("bytes in a column of another type".to_owned()),
        },
        (Literal::Bits(digits), _) => match i64::from_str_radix(digits, 2) {
            Ok(number) => sql![number],
            Err(_) => return fault("bits in a column of another type".to_owned()),
        },
    })
}

fn settled(number: &str) -> String {
    let infinity = if number.starts_with('-') {
        "-Infinity"
    } else {
        "Infinity"
    };
    number::settled(number).unwrap_or_else(|| infinity.to_owned())
}

fn truth(value: &Literal) -> Option<bool> {
    match value {
        Literal::Bool(value) => Some(*value),
        Literal::Number(number) => match number.as_str() {
            "0" => Some(false),
            "1" => Some(true),
            _ => None,
        },
        Literal::Text(text) => match text.to_ascii_lowercase().as_str() {
            "0" | "false" | "f" | "\0" => Some(false),
            "1" | "true" | "t" | "\u{1}" => Some(true),
            _ => None,
        },
        Literal::Bytes(bytes) => match bytes.as_slice() {
            [0] => Some(false),
            [1] => Some(true),
            _ => None,
        },
        Literal::Bits(digits) => Some(digits.contains('1')),
        Literal::Null | Literal::Default => None,
    }
}

fn bytes(value: &Literal) -> Vec<u8> {
    match value {
        Literal::Bytes(bytes) => bytes.clone(),
        Literal::Text(text) | Literal::Bits(text) => text.clone().into_bytes(),
        Literal::Number(number) => settled(number).into_bytes(),
        Literal::Bool(value) => vec![u8::from(*value)],
        Literal::Null | Literal::Default => Vec::new(),
    }
}

fn number_of(bytes: &[u8]) -> Option<i64> {
    let digits = hex(bytes);
    i64::from_str_radix(&digits, 16).ok()
}
