//! The options of COPY, checked as PostgreSQL checks them.

use varve_parser::{CopyOption, CopyValue};
use varve_types::{Error, Result, SqlState};

use crate::bind::{Binder, fold_name, located, unsupported_at};
use crate::catalog::TableDef;
use crate::statement::{CopyFormat, CopyHeader, CopyOptions};

/// The characters that separate no fields in text format: they may stand behind a backslash.
const NO_DELIMITERS: &[u8] = b"\\.abcdefghijklmnopqrstuvwxyz0123456789";

/// The columns that a COPY reads or writes.
pub(crate) struct CopyColumns<'a> {
    /// The table; `None` for a query.
    pub(crate) table: Option<&'a TableDef>,
    /// Their names in order.
    pub(crate) names: Vec<String>,
}

/// What is said of the format so far.
#[derive(Default)]
struct Given<'a> {
    format: Option<CopyFormat>,
    header: Option<CopyHeader>,
    /// Rows are as good as frozen once they are in a run: it only has to be right.
    freeze: bool,
    delimiter: Option<&'a str>,
    null: Option<&'a str>,
    default: Option<&'a str>,
    quote: Option<&'a str>,
    escape: Option<&'a str>,
    force_quote: Option<&'a CopyValue>,
    force_not_null: Option<&'a CopyValue>,
    force_null: Option<&'a CopyValue>,
}

impl Binder<'_> {
    pub(crate) fn copy_options(
        &self,
        options: &[CopyOption],
        is_from: bool,
        columns: &CopyColumns<'_>,
    ) -> Result<CopyOptions> {
        let given = given(options, is_from)?;
        let format = given.format.unwrap_or(CopyFormat::Text);
        let is_csv = format == CopyFormat::Csv;
        let header = given.header.unwrap_or(CopyHeader::None);
        if format == CopyFormat::Binary {
            for (what, value) in [
                ("DELIMITER", given.delimiter),
                ("NULL", given.null),
                ("DEFAULT", given.default),
            ] {
                if value.is_some() {
                    let message = format!("cannot specify {what} in BINARY mode");
                    return Err(Error::new(SqlState::SYNTAX_ERROR, message));
                }
            }
        }
        let null = given.null.unwrap_or(match is_csv {
            true => "",
            false => "\\N",
        });
        let delimiter = one_byte(given.delimiter, "delimiter")?;
        let delimiter = delimiter.unwrap_or(if is_csv { b',' } else { b'\t' });
        if matches!(delimiter, b'\r' | b'\n') {
            return Err(invalid(
                "COPY delimiter cannot be newline or carriage return",
            ));
        }
        if null.contains(['\r', '\n']) {
            let message = "COPY null representation cannot use newline or carriage return";
            return Err(invalid(message));
        }
        let has_line_end = |text: &str| text.contains(['\r', '\n']);
        if given.default.is_some_and(has_line_end) {
            let message = "COPY default representation cannot use newline or carriage return";
            return Err(invalid(message));
        }
        if !is_csv && NO_DELIMITERS.contains(&delimiter) {
            let message = format!("COPY delimiter cannot be \"{}\"", char::from(delimiter));
            return Err(invalid(&message));
        }
        if format == CopyFormat::Binary && header != CopyHeader::None {
            return Err(refused("cannot specify HEADER in BINARY mode"));
        }
        let only = |present: bool, what: &str| match present && !is_csv {
            true => Err(refused(&format!("COPY {what} available only in CSV mode"))),
            false => Ok(()),
        };
        only(given.quote.is_some(), "quote")?;
        let quote = one_byte(given.quote, "quote")?.unwrap_or(b'"');
        if is_csv && delimiter == quote {
            return Err(invalid("COPY delimiter and quote must be different"));
        }
        only(given.escape.is_some(), "escape")?;
        let escape = one_byte(given.escape, "escape")?.unwrap_or(quote);
        let direction = |present: bool, what: &str, wanted: bool| {
            let words = if wanted { "COPY FROM" } else { "COPY TO" };
            match present && is_from != wanted {
                true => Err(refused(&format!(
                    "COPY {what} only available using {words}"
                ))),
                false => Ok(()),
            }
        };
        only(given.force_quote.is_some(), "force quote")?;
        direction(given.force_quote.is_some(), "force quote", false)?;
        only(given.force_not_null.is_some(), "force not null")?;
        direction(given.force_not_null.is_some(), "force not null", true)?;
        only(given.force_null.is_some(), "force null")?;
        direction(given.force_null.is_some(), "force null", true)?;
        if null.bytes().any(|byte| byte == delimiter) {
            let message = "COPY delimiter must not appear in the NULL specification";
            return Err(refused(message));
        }
        if is_csv && null.bytes().any(|byte| byte == quote) {
            let message = "CSV quote character must not appear in the NULL specification";
            return Err(refused(message));
        }
        if let Some(default) = given.default {
            if !is_from {
                return Err(refused("COPY DEFAULT only available using COPY FROM"));
            }
            if default.bytes().any(|byte| byte == delimiter) {
                let message = "COPY delimiter must not appear in the DEFAULT specification";
                return Err(refused(message));
            }
            if is_csv && default.bytes().any(|byte| byte == quote) {
                let message = "CSV quote character must not appear in the DEFAULT specification";
                return Err(refused(message));
            }
            if default == null {
                let message = "NULL specification and DEFAULT specification cannot be the same";
                return Err(refused(message));
            }
        }
        if given.freeze && !is_from {
            return Err(refused("COPY freeze only available using COPY FROM"));
        }
        Ok(CopyOptions {
            format,
            header,
            delimiter,
            quote,
            escape,
            null: null.to_owned(),
            default: given.default.map(str::to_owned),
            force_quote: self.forced(given.force_quote, "FORCE_QUOTE", columns)?,
            force_not_null: self.forced(given.force_not_null, "FORCE_NOT_NULL", columns)?,
            force_null: self.forced(given.force_null, "FORCE_NULL", columns)?,
        })
    }

    /// Places of named columns among those that are copied.
    fn forced(
        &self,
        value: Option<&CopyValue>,
        option: &str,
        columns: &CopyColumns<'_>,
    ) -> Result<Vec<usize>> {
        let idents = match value {
            Some(CopyValue::All) => return Ok((0..columns.names.len()).collect()),
            Some(CopyValue::Columns(idents)) => idents,
            _ => return Ok(Vec::new()),
        };
        let mut places = Vec::with_capacity(idents.len());
        for ident in idents {
            let name = fold_name(ident);
            let place = columns.names.iter().position(|known| *known == name);
            let Some(place) = place else {
                let is_known = columns.table.is_some_and(|table| {
                    let mut known = table.columns.iter();
                    known.any(|column| column.name == name)
                });
                return Err(match (columns.table, is_known) {
                    (_, true) => {
                        let message = format!("{option} column \"{name}\" not referenced by COPY");
                        Error::new(SqlState::INVALID_COLUMN_REFERENCE, message)
                    }
                    (Some(table), false) => {
                        let table = &table.name;
                        let message =
                            format!("column \"{name}\" of relation \"{table}\" does not exist");
                        Error::new(SqlState::UNDEFINED_COLUMN, message)
                    }
                    (None, false) => {
                        let message = format!("column \"{name}\" does not exist");
                        Error::new(SqlState::UNDEFINED_COLUMN, message)
                    }
                });
            };
            if places.contains(&place) {
                let message = format!("column \"{name}\" specified more than once");
                return Err(Error::new(SqlState::DUPLICATE_COLUMN, message));
            }
            places.push(place);
        }
        Ok(places)
    }
}

fn given(options: &[CopyOption], is_from: bool) -> Result<Given<'_>> {
    let mut given = Given::default();
    for (at, option) in options.iter().enumerate() {
        let CopyOption {
            name,
            position,
            value,
        } = option;
        let earlier = options.iter().take(at);
        if earlier.into_iter().any(|earlier| earlier.name == *name) {
            let message = "conflicting or redundant options";
            return Err(located(
                Error::new(SqlState::SYNTAX_ERROR, message),
                *position,
            ));
        }
        match name.as_str() {
            "format" => given.format = Some(format_of(text_of(option)?, *position)?),
            "freeze" => {
                let on = flag_of(value);
                let message = "freeze requires a Boolean value";
                given.freeze = on.ok_or_else(|| Error::new(SqlState::SYNTAX_ERROR, message))?;
            }
            "header" => given.header = Some(header_of(value, is_from)?),
            "delimiter" => given.delimiter = Some(text_of(option)?),
            "null" => given.null = Some(text_of(option)?),
            "quote" => given.quote = Some(text_of(option)?),
            "escape" => given.escape = Some(text_of(option)?),
            "force_quote" | "force_not_null" | "force_null" => {
                let fits = match value {
                    CopyValue::Columns(_) => true,
                    CopyValue::All => name == "force_quote",
                    _ => false,
                };
                if !fits {
                    let message =
                        format!("argument to option \"{name}\" must be a list of column names");
                    return Err(located(invalid(&message), *position));
                }
                match name.as_str() {
                    "force_quote" => given.force_quote = Some(value),
                    "force_null" => given.force_null = Some(value),
                    _ => given.force_not_null = Some(value),
                }
            }
            "encoding" => {
                let encoding = text_of(option)?.to_ascii_lowercase();
                match encoding.as_str() {
                    "utf8" | "utf-8" | "unicode" => {}
                    "sql_ascii" | "latin1" | "win1252" | "euc_jp" | "sjis" => {
                        return Err(unsupported_at("COPY with another ENCODING", *position));
                    }
                    _ => {
                        let message =
                            "argument to option \"encoding\" must be a valid encoding name";
                        return Err(located(invalid(message), *position));
                    }
                }
            }
            "default" => given.default = Some(text_of(option)?),
            _ => {
                let message = format!("option \"{name}\" not recognized");
                return Err(located(
                    Error::new(SqlState::SYNTAX_ERROR, message),
                    *position,
                ));
            }
        }
    }
    Ok(given)
}

fn format_of(name: &str, position: u32) -> Result<CopyFormat> {
    match name {
        "text" => Ok(CopyFormat::Text),
        "csv" => Ok(CopyFormat::Csv),
        "binary" => Ok(CopyFormat::Binary),
        other => {
            let message = format!("COPY format \"{other}\" not recognized");
            Err(located(invalid(&message), position))
        }
    }
}

/// The value of an option that needs one.
fn text_of(option: &CopyOption) -> Result<&str> {
    match &option.value {
        CopyValue::Text(text) => Ok(text),
        _ => {
            let message = format!("{} requires a parameter", option.name);
            Err(Error::new(SqlState::SYNTAX_ERROR, message))
        }
    }
}

/// The value of an option that is on or off: on where none is written.
fn flag_of(value: &CopyValue) -> Option<bool> {
    match value {
        CopyValue::None => Some(true),
        CopyValue::Text(text) => match text.to_ascii_lowercase().as_str() {
            "true" | "on" | "1" => Some(true),
            "false" | "off" | "0" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

fn header_of(value: &CopyValue, is_from: bool) -> Result<CopyHeader> {
    match (flag_of(value), value) {
        (Some(true), _) => Ok(CopyHeader::Line),
        (Some(false), _) => Ok(CopyHeader::None),
        (None, CopyValue::Text(text)) if text.eq_ignore_ascii_case("match") => match is_from {
            true => Ok(CopyHeader::Match),
            false => Err(refused("cannot use \"match\" with HEADER in COPY TO")),
        },
        _ => {
            let message = "header requires a Boolean value or \"match\"";
            Err(Error::new(SqlState::SYNTAX_ERROR, message))
        }
    }
}

/// A value of exactly one byte.
fn one_byte(value: Option<&str>, what: &str) -> Result<Option<u8>> {
    match value.map(str::as_bytes) {
        None => Ok(None),
        Some([byte]) => Ok(Some(*byte)),
        Some(_) => {
            let message = format!("COPY {what} must be a single one-byte character");
            Err(refused(&message))
        }
    }
}

fn invalid(message: &str) -> Error {
    Error::new(SqlState::INVALID_PARAMETER_VALUE, message)
}

fn refused(message: &str) -> Error {
    Error::new(SqlState::FEATURE_NOT_SUPPORTED, message)
}
