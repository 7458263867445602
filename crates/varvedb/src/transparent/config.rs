//! What is said of one column: a row of `_zstd_configs`.

use std::sync::Arc;

use varve_bind::nearest;
use varve_catalog::{Catalog, ColumnDef, PUBLIC, RelationName, TableDef, folded_path};
use varve_types::{Error, Result, SqlState, SqlText, Value};

/// The fields of a configuration, given as `$1`: their names, types and values.
pub(crate) const FIELDS: &str =
    "SELECT key, json_typeof(value), value #>> '{}' FROM json_each(CAST($1 AS json))";

/// The configurations that there are.
pub(crate) const ALL: &str =
    "SELECT id, CAST(config AS text) FROM public._zstd_configs ORDER BY id";

const KEYS: [&str; 8] = [
    "table",
    "column",
    "compression_level",
    "dict_chooser",
    "min_dict_size_bytes_for_training",
    "dict_size_ratio",
    "train_dict_samples_ratio",
    "incremental_compression_step_bytes",
];

/// How a column is compressed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Config {
    /// The table, as SQL writes it.
    pub table: String,
    /// The column, as SQL writes it.
    pub column: String,
    /// The level of zstd.
    pub level: u8,
    /// The expression that chooses dictionaries.
    pub chooser: String,
    /// Smaller dictionaries are not trained.
    pub dictionary_bytes_min: u64,
    /// Bytes of a dictionary to those of the values that it is for.
    pub dictionary_ratio: f64,
    /// Bytes of samples to those of the dictionary.
    pub samples_ratio: f64,
    /// About how much a step takes.
    pub step_bytes: u64,
}

impl Config {
    /// The configuration of fields as [`FIELDS`] gives them.
    pub fn of_fields(fields: &[Vec<Value>]) -> Result<Config> {
        let mut given = Fields::default();
        for field in fields {
            given.add(field)?;
        }
        Ok(Config {
            table: given.text("table")?,
            column: given.text("column")?,
            level: given.level()?,
            chooser: given.text("dict_chooser")?,
            dictionary_bytes_min: given.count("min_dict_size_bytes_for_training", 5000, 0)?,
            dictionary_ratio: given.ratio("dict_size_ratio", 0.01)?,
            samples_ratio: given.ratio("train_dict_samples_ratio", 100.0)?,
            step_bytes: given.count("incremental_compression_step_bytes", 5_000_000 / 3, 1)?,
        })
    }

    /// The table and the column that it names.
    pub fn target<'c>(&self, catalog: &'c Catalog) -> Option<(&'c Arc<TableDef>, &'c ColumnDef)> {
        let table = named(&self.table, |name| {
            let schema = name.schema.clone().or_else(|| Some("public".to_owned()));
            let name = RelationName {
                schema,
                name: name.name.clone(),
            };
            catalog.table_named(&name)
        })?;
        let column = column_named(table, &self.column)?;
        Some((table, column))
    }
}

/// What a text names: as it stands, or as SQL folds it.
pub(crate) fn named<T>(text: &str, find: impl Fn(&RelationName) -> Option<T>) -> Option<T> {
    let exact = RelationName {
        schema: None,
        name: text.to_owned(),
    };
    find(&exact).or_else(|| find(&folded_path(text).ok()?))
}

/// The column that a text names.
pub(crate) fn column_named<'t>(table: &'t TableDef, text: &str) -> Option<&'t ColumnDef> {
    let find = |name: &str| table.columns.iter().find(|column| column.name == name);
    let folded = || folded_path(text).ok().filter(|path| path.schema.is_none());
    find(text).or_else(|| find(&folded()?.name))
}

/// The name of a table, whatever schemas are looked in.
pub(crate) fn whole_name(catalog: &Catalog, table: &TableDef) -> SqlText {
    SqlText::name_in(catalog.schema_name(table.schema), &table.name)
}

/// The name of a table as configurations have it: without a schema where that is `public`.
pub(crate) fn shown_name(catalog: &Catalog, table: &TableDef) -> SqlText {
    match table.schema == PUBLIC {
        true => SqlText::name(&table.name),
        false => whole_name(catalog, table),
    }
}

/// The fields that are given: key, type and value.
#[derive(Default)]
struct Fields(Vec<(&'static str, String, String)>);

impl Fields {
    fn add(&mut self, field: &[Value]) -> Result<()> {
        let text = |at: usize| field.get(at).and_then(Value::str).unwrap_or_default();
        let key = text(0);
        let Some(known) = KEYS.iter().find(|known| **known == key) else {
            let error = invalid(format!("unknown key \"{key}\""));
            return Err(error.with_hint(match nearest(key, &KEYS) {
                Some(near) => format!("Did you mean \"{near}\"?"),
                None => format!("The keys are {}.", KEYS.join(", ")),
            }));
        };
        if self.find(known).is_some() {
            return Err(invalid(format!("key \"{key}\" is given twice")));
        }
        self.0.push((known, text(1).to_owned(), text(2).to_owned()));
        Ok(())
    }

    fn find(&self, key: &str) -> Option<(&str, &str)> {
        let mut all = self.0.iter();
        let (_, ty, value) = all.find(|(known, ..)| *known == key)?;
        Some((ty, value))
    }

    fn text(&self, key: &str) -> Result<String> {
        match self.find(key) {
            Some(("string", value)) if !value.is_empty() => Ok(value.to_owned()),
            Some(_) => Err(invalid(format!(
                "\"{key}\" must be a string that is not empty"
            ))),
            None => Err(invalid(format!("\"{key}\" is missing"))),
        }
    }

    fn count(&self, key: &str, default: u64, least: u64) -> Result<u64> {
        let Some((ty, value)) = self.find(key) else {
            return Ok(default);
        };
        let number = value.parse().ok().filter(|_| ty == "number");
        number
            .filter(|number| *number >= least)
            .ok_or_else(|| invalid(format!("\"{key}\" must be a whole number, {least} or more")))
    }

    fn level(&self) -> Result<u8> {
        let level = self.count("compression_level", 3, 1).ok();
        let level = level.and_then(|level| u8::try_from(level).ok());
        level.filter(|level| *level <= 19).ok_or_else(|| {
            invalid("\"compression_level\" must be a whole number from 1 to 19".to_owned())
        })
    }

    fn ratio(&self, key: &str, default: f64) -> Result<f64> {
        let Some((ty, value)) = self.find(key) else {
            return Ok(default);
        };
        let number: Option<f64> = value.parse().ok().filter(|_| ty == "number");
        let number = number.filter(|number| *number > 0.0 && number.is_finite());
        number.ok_or_else(|| invalid(format!("\"{key}\" must be a number above 0")))
    }
}

/// `22023`
fn invalid(what: String) -> Error {
    let message = format!("invalid configuration of transparent compression: {what}");
    Error::new(SqlState::INVALID_PARAMETER_VALUE, message)
}

/// An error in a row of `_zstd_configs`.
pub(crate) fn of_row(error: Error, id: &Value) -> Error {
    let number = id.integer().unwrap_or_default();
    let message = format!("row {number} of \"_zstd_configs\": {}", error.message());
    error.without_position().with_message(message)
}

#[cfg(test)]
mod tests {
    use varve_types::Value;

    use super::Config;

    fn field(key: &str, ty: &str, value: &str) -> Vec<Value> {
        [key, ty, value].map(Value::text).into()
    }

    fn config(more: &[(&str, &str, &str)]) -> Result<Config, String> {
        let mut fields = vec![
            field("table", "string", "events"),
            field("column", "string", "data"),
            field("dict_chooser", "string", "'a'"),
        ];
        fields.extend(more.iter().map(|(key, ty, value)| field(key, ty, value)));
        Config::of_fields(&fields).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn what_is_not_said_has_the_defaults_of_sqlite_zstd() {
        let expected = Config {
            table: "events".to_owned(),
            column: "data".to_owned(),
            level: 3,
            chooser: "'a'".to_owned(),
            dictionary_bytes_min: 5000,
            dictionary_ratio: 0.01,
            samples_ratio: 100.0,
            step_bytes: 1_666_666,
        };
        assert_eq!(config(&[]), Ok(expected));
    }

    #[test]
    fn values_that_make_no_sense_are_refused() {
        for (key, ty, value) in [
            ("compression_level", "number", "0"),
            ("compression_level", "number", "20"),
            ("compression_level", "number", "3.5"),
            ("compression_level", "string", "3"),
            ("dict_size_ratio", "number", "0"),
            ("train_dict_samples_ratio", "number", "-1"),
            ("min_dict_size_bytes_for_training", "number", "-5"),
            ("incremental_compression_step_bytes", "number", "0"),
            ("table", "string", "again"),
            ("colunm", "string", "data"),
        ] {
            let error = config(&[(key, ty, value)]).unwrap_err();
            assert!(error.contains(key), "{error}");
        }
    }
}
