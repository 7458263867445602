//! The options of COPY, checked as PostgreSQL checks them.

use varve_ast::{CopyOption, CopyValue};
use varve_catalog::model::table::TableDef;
use varve_plan::plan::statement::{CopyFormat, CopyHeader, CopyOptions};
use varve_plan::scope::error::{located, unsupported_at};
use varve_types::{Error, Result, SqlState};

use crate::binder::DmlBinder;

/// The characters that separate no fields in text format: they may stand behind a backslash.
const NO_DELIMITERS: &[u8] = b"\\.abcdefghijklmnopqrstuvwxyz0123456789";

/// The columns that a COPY reads or writes.
pub struct CopyColumns<'a> {
    /// The table; `None` for a query.
    pub table: Option<&'a TableDef>,
    /// Their names in order.
    pub names: Vec<String>,
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

impl Given<'_> {
    fn format(&self) -> CopyFormat {
        self.format.unwrap_or(CopyFormat::Text)
    }

    fn is_csv(&self) -> bool {
        self.format() == CopyFormat::Csv
    }

    fn null(&self) -> &str {
        self.null.unwrap_or(match self.is_csv() {
            true => "",
            false => "\\N",
        })
    }

    /// Refuses what only texts have.
    fn refuse_in_binary(&self) -> Result<()> {
        if self.format() != CopyFormat::Binary {
            return Ok(());
        }
        for (what, value) in [
            ("DELIMITER", self.delimiter),
            ("NULL", self.null),
            ("DEFAULT", self.default),
        ] {
            if value.is_some() {
                let message = format!("cannot specify {what} in BINARY mode");
                return Err(Error::new(SqlState::SYNTAX_ERROR, message));
            }
        }
        Ok(())
    }

    /// What stands between fields.
    fn delimiter(&self) -> Result<u8> {
        let delimiter = one_byte(self.delimiter, "delimiter")?;
        let delimiter = delimiter.unwrap_or(if self.is_csv() { b',' } else { b'\t' });
        if matches!(delimiter, b'\r' | b'\n') {
            return Err(invalid(
                "COPY delimiter cannot be newline or carriage return",
            ));
        }
        let has_line_end = |text: &str| text.contains(['\r', '\n']);
        if has_line_end(self.null()) {
            let message = "COPY null representation cannot use newline or carriage return";
            return Err(invalid(message));
        }
        if self.default.is_some_and(has_line_end) {
            let message = "COPY default representation cannot use newline or carriage return";
            return Err(invalid(message));
        }
        if !self.is_csv() && NO_DELIMITERS.contains(&delimiter) {
            let message = format!("COPY delimiter cannot be \"{}\"", char::from(delimiter));
            return Err(invalid(&message));
        }
        Ok(delimiter)
    }

    fn header(&self) -> Result<CopyHeader> {
        let header = self.header.unwrap_or(CopyHeader::None);
        match self.format() == CopyFormat::Binary && header != CopyHeader::None {
            true => Err(refused("cannot specify HEADER in BINARY mode")),
            false => Ok(header),
        }
    }

    /// Refuses what only CSV has.
    fn only_in_csv(&self, is_given: bool, what: &str) -> Result<()> {
        match is_given && !self.is_csv() {
            true => Err(refused(&format!("COPY {what} available only in CSV mode"))),
            false => Ok(()),
        }
    }

    /// What stands around fields, and before that in it.
    fn quotes(&self, delimiter: u8) -> Result<(u8, u8)> {
        self.only_in_csv(self.quote.is_some(), "quote")?;
        let quote = one_byte(self.quote, "quote")?.unwrap_or(b'"');
        if self.is_csv() && delimiter == quote {
            return Err(invalid("COPY delimiter and quote must be different"));
        }
        self.only_in_csv(self.escape.is_some(), "escape")?;
        let escape = one_byte(self.escape, "escape")?.unwrap_or(quote);
        Ok((quote, escape))
    }

    /// Refuses lists of columns that have no meaning here.
    fn check_forced(&self, is_from: bool) -> Result<()> {
        for (is_given, what, of_from) in [
            (self.force_quote.is_some(), "force quote", false),
            (self.force_not_null.is_some(), "force not null", true),
            (self.force_null.is_some(), "force null", true),
        ] {
            self.only_in_csv(is_given, what)?;
            if is_given && is_from != of_from {
                let words = if of_from { "COPY FROM" } else { "COPY TO" };
                let message = format!("COPY {what} only available using {words}");
                return Err(refused(&message));
            }
        }
        Ok(())
    }

    /// Refuses texts for NULL and for defaults that could be parts of others.
    fn check_texts(&self, delimiter: u8, quote: u8, is_from: bool) -> Result<()> {
        let has = |text: &str, wanted: u8| text.bytes().any(|byte| byte == wanted);
        let check = |text: &str, what: &str| {
            if has(text, delimiter) {
                let message = format!("COPY delimiter must not appear in the {what} specification");
                return Err(refused(&message));
            }
            if self.is_csv() && has(text, quote) {
                let message =
                    format!("CSV quote character must not appear in the {what} specification");
                return Err(refused(&message));
            }
            Ok(())
        };
        let null = self.null();
        check(null, "NULL")?;
        let Some(default) = self.default else {
            return Ok(());
        };
        if !is_from {
            return Err(refused("COPY DEFAULT only available using COPY FROM"));
        }
        check(default, "DEFAULT")?;
        if default == null {
            let message = "NULL specification and DEFAULT specification cannot be the same";
            return Err(refused(message));
        }
        Ok(())
    }
}

impl DmlBinder<'_, '_> {
    pub(crate) fn copy_options(
        &self,
        options: &[CopyOption],
        is_from: bool,
        columns: &CopyColumns<'_>,
    ) -> Result<CopyOptions> {
        let given = self.given(options, is_from)?;
        given.refuse_in_binary()?;
        let delimiter = given.delimiter()?;
        let header = given.header()?;
        let (quote, escape) = given.quotes(delimiter)?;
        given.check_forced(is_from)?;
        given.check_texts(delimiter, quote, is_from)?;
        if given.freeze && !is_from {
            return Err(refused("COPY freeze only available using COPY FROM"));
        }
        Ok(CopyOptions {
            format: given.format(),
            header,
            delimiter,
            quote,
            escape,
            null: given.null().to_owned(),
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
        let names = match value {
            Some(CopyValue::All) => return Ok((0..columns.names.len()).collect()),
            Some(CopyValue::Columns(names)) => names,
            _ => return Ok(Vec::new()),
        };
        let mut places = Vec::with_capacity(names.len());
        for name in names {
            let name = &name.text;
            let place = columns.names.iter().position(|known| known == name);
            let Some(place) = place else {
                let is_known = columns.table.is_some_and(|table| {
                    let mut known = table.columns.iter();
                    known.any(|column| column.name == *name)
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

    /// What options say, each once.
    fn given<'o>(&self, options: &'o [CopyOption], is_from: bool) -> Result<Given<'o>> {
        let mut given = Given::default();
        for (at, option) in options.iter().enumerate() {
            let CopyOption { name, value, span } = option;
            let position = self.query.at(*span);
            let mut earlier = options.iter().take(at);
            if earlier.any(|earlier| earlier.name == *name) {
                let error = Error::new(SqlState::SYNTAX_ERROR, "conflicting or redundant options");
                return Err(located(error, position));
            }
            match name.as_str() {
                "format" => given.format = Some(format_of(text_of(option)?, position)?),
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
                "force_quote" => given.force_quote = Some(columns_of(option, position)?),
                "force_not_null" => given.force_not_null = Some(columns_of(option, position)?),
                "force_null" => given.force_null = Some(columns_of(option, position)?),
                "encoding" => check_encoding(text_of(option)?, position)?,
                "default" => given.default = Some(text_of(option)?),
                _ => {
                    let message = format!("option \"{name}\" not recognized");
                    let error = Error::new(SqlState::SYNTAX_ERROR, message);
                    return Err(located(error, position));
                }
            }
        }
        Ok(given)
    }
}

/// The columns that an option names.
fn columns_of(option: &CopyOption, position: u32) -> Result<&CopyValue> {
    let fits = match option.value {
        CopyValue::Columns(_) => true,
        CopyValue::All => option.name == "force_quote",
        CopyValue::None | CopyValue::Text(_) => false,
    };
    match fits {
        true => Ok(&option.value),
        false => {
            let name = &option.name;
            let message = format!("argument to option \"{name}\" must be a list of column names");
            Err(located(invalid(&message), position))
        }
    }
}

/// Refuses encodings but UTF-8.
fn check_encoding(name: &str, position: u32) -> Result<()> {
    match name.to_ascii_lowercase().as_str() {
        "utf8" | "utf-8" | "unicode" => Ok(()),
        "sql_ascii" | "latin1" | "win1252" | "euc_jp" | "sjis" => {
            Err(unsupported_at("COPY with another ENCODING", position))
        }
        _ => {
            let message = "argument to option \"encoding\" must be a valid encoding name";
            Err(located(invalid(message), position))
        }
    }
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
