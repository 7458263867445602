//! COPY FROM STDIN.

use sqlparser::ast::{CopyLegacyCsvOption, CopyLegacyOption, CopyOption, CopySource, CopyTarget};
use varve_types::{Error, Result, SqlState};

use crate::bind::names::fold_name;
use crate::bind::{Binder, located, refuse, unsupported_at};
use crate::plan::{CopyPlan, CsvOptions, Statement};

impl Binder<'_> {
    pub(crate) fn copy_from(
        &mut self,
        source: &CopySource,
        target: &CopyTarget,
        options: &[CopyOption],
        legacy_options: &[CopyLegacyOption],
    ) -> Result<Statement> {
        let position = self.source.first();
        let CopySource::Table {
            table_name,
            columns,
        } = source
        else {
            return Err(unsupported_at("COPY of a query", position));
        };
        let stdin = matches!(target, CopyTarget::Stdin);
        refuse(!stdin, "COPY from anything but STDIN", position)?;
        let table = self.writable_table(table_name)?;
        let mut positions = Vec::with_capacity(columns.len());
        for ident in columns {
            let column = self.target_column(&table, ident)?;
            if positions.contains(&column) {
                return Err(self.named_twice(ident, &fold_name(ident)));
            }
            positions.push(column);
        }
        if positions.is_empty() {
            positions.extend(0..table.columns.len());
        }
        let options = self.csv_options(options, legacy_options)?;
        Ok(Statement::CopyFrom(CopyPlan {
            table,
            columns: positions,
            options,
        }))
    }

    fn csv_options(
        &self,
        options: &[CopyOption],
        legacy_options: &[CopyLegacyOption],
    ) -> Result<CsvOptions> {
        let position = self.source.first();
        let mut csv = CsvOptions {
            header: false,
            delimiter: b',',
            quote: b'"',
            null: String::new(),
        };
        let mut is_csv = false;
        for option in options {
            match option {
                CopyOption::Format(format) => match fold_name(format).as_str() {
                    "csv" => is_csv = true,
                    "text" | "binary" => is_csv = false,
                    other => {
                        let error = Error::new(
                            SqlState::INVALID_PARAMETER_VALUE,
                            format!("COPY format \"{other}\" not recognized"),
                        );
                        return Err(located(error, self.source.ident(format)));
                    }
                },
                CopyOption::Header(header) => csv.header = *header,
                CopyOption::Delimiter(delimiter) => {
                    csv.delimiter = one_byte(*delimiter, "delimiter", position)?;
                }
                CopyOption::Quote(quote) => csv.quote = one_byte(*quote, "quote", position)?,
                CopyOption::Escape(escape) => {
                    let doubled = u8::try_from(*escape).is_ok_and(|escape| escape == csv.quote);
                    refuse(!doubled, "COPY with an ESCAPE other than QUOTE", position)?;
                }
                CopyOption::Null(null) => csv.null.clone_from(null),
                CopyOption::Freeze(false) => {}
                CopyOption::Encoding(encoding) => {
                    let utf8 = matches!(
                        encoding.to_ascii_lowercase().as_str(),
                        "utf8" | "utf-8" | "unicode"
                    );
                    refuse(!utf8, "COPY with an ENCODING other than UTF8", position)?;
                }
                CopyOption::Freeze(true) => return Err(unsupported_at("FREEZE", position)),
                CopyOption::ForceQuote(_) => {
                    return Err(unsupported_at("FORCE_QUOTE", position));
                }
                CopyOption::ForceNotNull(_) => {
                    return Err(unsupported_at("FORCE_NOT_NULL", position));
                }
                CopyOption::ForceNull(_) => return Err(unsupported_at("FORCE_NULL", position)),
            }
        }
        for option in legacy_options {
            match option {
                CopyLegacyOption::Csv(inner) => {
                    is_csv = true;
                    for option in inner {
                        match option {
                            CopyLegacyCsvOption::Header => csv.header = true,
                            CopyLegacyCsvOption::Quote(quote) => {
                                csv.quote = one_byte(*quote, "quote", position)?;
                            }
                            _ => {
                                return Err(unsupported_at("this option of COPY CSV", position));
                            }
                        }
                    }
                }
                CopyLegacyOption::Header => csv.header = true,
                CopyLegacyOption::Delimiter(delimiter) => {
                    csv.delimiter = one_byte(*delimiter, "delimiter", position)?;
                }
                CopyLegacyOption::Null(null) => csv.null.clone_from(null),
                _ => return Err(unsupported_at("this option of COPY", position)),
            }
        }
        if !is_csv {
            return Err(unsupported_at("COPY in a format other than CSV", position)
                .with_hint("Say WITH (FORMAT csv)."));
        }
        if csv.delimiter == csv.quote {
            let message = "COPY delimiter and quote must be different";
            let error = Error::new(SqlState::INVALID_PARAMETER_VALUE, message);
            return Err(located(error, position));
        }
        if csv.null.contains(['\r', '\n']) {
            let message = "COPY null representation cannot use newline or carriage return";
            let error = Error::new(SqlState::INVALID_PARAMETER_VALUE, message);
            return Err(located(error, position));
        }
        Ok(csv)
    }
}

/// A character that separates fields: one byte, no line end.
fn one_byte(character: char, what: &str, position: u32) -> Result<u8> {
    match u8::try_from(character) {
        Ok(byte) if byte.is_ascii() && !matches!(byte, b'\r' | b'\n' | 0) => Ok(byte),
        _ => {
            let error = Error::new(
                SqlState::INVALID_PARAMETER_VALUE,
                format!("COPY {what} must be a single one-byte character"),
            );
            Err(located(error, position))
        }
    }
}
