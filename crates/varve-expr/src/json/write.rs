//! Jsonb as text.

use core::fmt::Write;

use varve_types::Json;

/// Appends a value as PostgreSQL's output function of jsonb writes it.
pub(crate) fn write_json(json: &Json, text: &mut String) {
    match json {
        Json::Null => text.push_str("null"),
        Json::Boolean(bit) => text.push_str(if *bit { "true" } else { "false" }),
        Json::Number(number) => {
            // Writing to a string cannot fail.
            let _ = write!(text, "{number}");
        }
        Json::String(string) => write_string(string, text),
        Json::Array(values) => {
            text.push('[');
            for (i, value) in values.iter().enumerate() {
                if i > 0 {
                    text.push_str(", ");
                }
                write_json(value, text);
            }
            text.push(']');
        }
        Json::Object(pairs) => {
            text.push('{');
            for (i, (key, value)) in pairs.iter().enumerate() {
                if i > 0 {
                    text.push_str(", ");
                }
                write_string(key, text);
                text.push_str(": ");
                write_json(value, text);
            }
            text.push('}');
        }
    }
}

/// Appends a value as `jsonb_pretty` gives it, a member a line.
pub(crate) fn write_pretty(json: &Json, indent: usize, text: &mut String) {
    let line = |indent: usize, text: &mut String| {
        text.push('\n');
        text.extend(core::iter::repeat_n(' ', indent * 4));
    };
    match json {
        Json::Array(values) => {
            text.push('[');
            for (i, value) in values.iter().enumerate() {
                if i > 0 {
                    text.push(',');
                }
                line(indent + 1, text);
                write_pretty(value, indent + 1, text);
            }
            line(indent, text);
            text.push(']');
        }
        Json::Object(pairs) => {
            text.push('{');
            for (i, (key, value)) in pairs.iter().enumerate() {
                if i > 0 {
                    text.push(',');
                }
                line(indent + 1, text);
                write_string(key, text);
                text.push_str(": ");
                write_pretty(value, indent + 1, text);
            }
            line(indent, text);
            text.push('}');
        }
        scalar => write_json(scalar, text),
    }
}

/// Appends a string in quotes, with escapes where it needs them.
pub(crate) fn write_string(string: &str, text: &mut String) {
    text.push('"');
    for character in string.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\u{8}' => text.push_str("\\b"),
            '\u{c}' => text.push_str("\\f"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            control if control < ' ' => {
                let _ = write!(text, "\\u{:04x}", u32::from(control));
            }
            other => text.push(other),
        }
    }
    text.push('"');
}
