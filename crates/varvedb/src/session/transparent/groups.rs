//! Trains dictionaries for the groups of rows that have none.

use varve_catalog::{Catalog, ColumnDef, TableDef};
use varve_types::{Error, LogicalType, Notice, Result, SqlState, SqlText, Value, sql};

use crate::transparent::config::whole_name;
use crate::transparent::{Chooser, Config};

/// Larger dictionaries are not trained: more of them is of little use, and each reader keeps it.
const DICTIONARY_BYTES_MAX: u64 = 112 << 10;
/// The trainer takes no fewer samples.
const SAMPLES_MIN: u64 = 7;
/// The function takes no more samples.
const SAMPLES_MAX: u64 = 1 << 20;
/// What the samples of a dictionary may take.
const SAMPLE_BYTES_MAX: f64 = (32 << 20) as f64;

/// A column under transparent compression.
pub(super) struct Target<'a> {
    pub catalog: &'a Catalog,
    pub table: &'a TableDef,
    pub column: &'a ColumnDef,
    pub config: &'a Config,
}

/// The rows of a key.
pub(super) struct Group {
    pub key: String,
    rows: u64,
    bytes: u64,
}

impl Target<'_> {
    /// The rows of groups that have no dictionary: key, number of rows and of bytes.
    pub fn groups(&self) -> SqlText {
        sql![
            "SELECT k, count(*), sum(octet_length(v))::bigint FROM (SELECT ",
            Chooser::sql(&self.config.chooser),
            " AS k, ",
            self.value(),
            " AS v FROM ONLY ",
            whole_name(self.catalog, self.table),
            ") r WHERE v IS NOT NULL AND k <> '[nodict]' AND NOT EXISTS (SELECT FROM \
             public._zstd_dicts d WHERE d.chooser_key = k) GROUP BY k ORDER BY k",
        ]
    }

    /// Trains the dictionary of the key `$1`, unless it is there by now.
    pub fn train(&self, group: &Group) -> SqlText {
        sql![
            "INSERT INTO public._zstd_dicts (chooser_key, dict) SELECT $1, d FROM (SELECT \
             zstd_train_dict(v, ",
            self.dictionary_bytes(group),
            ", ",
            self.samples(group),
            ") AS d FROM (SELECT ",
            Chooser::sql(&self.config.chooser),
            " AS k, ",
            self.value(),
            " AS v FROM ONLY ",
            whole_name(self.catalog, self.table),
            ") r WHERE k = $1) t WHERE d IS NOT NULL ON CONFLICT (chooser_key) DO NOTHING",
        ]
    }

    /// Whether a group is large enough for a dictionary.
    pub fn is_large(&self, group: &Group) -> bool {
        self.dictionary_bytes(group) >= self.config.dictionary_bytes_min.max(256)
    }

    /// Says that a group is compressed without a dictionary.
    pub fn left_alone(&self, group: &Group, why: &str) -> Notice {
        let text = format!(
            "{}.{}: {} rows with key \"{}\", {} bytes, are compressed without a dictionary: {why}",
            self.config.table, self.config.column, group.rows, group.key, group.bytes
        );
        Notice::info(SqlState::SUCCESSFUL_COMPLETION, text)
    }

    /// The text of the values.
    fn value(&self) -> SqlText {
        let name = SqlText::name(&self.column.name);
        match self.column.ty {
            LogicalType::Json | LogicalType::Jsonb => sql!["CAST(", name, " AS text)"],
            _ => name,
        }
    }

    fn dictionary_bytes(&self, group: &Group) -> u64 {
        let bytes = float(group.bytes) * self.config.dictionary_ratio;
        whole(bytes).min(DICTIONARY_BYTES_MAX)
    }

    fn samples(&self, group: &Group) -> u64 {
        let bytes = float(self.dictionary_bytes(group)) * self.config.samples_ratio;
        let each = float(group.bytes.max(1)) / float(group.rows.max(1));
        let samples = whole(bytes.min(SAMPLE_BYTES_MAX) / each.max(1.0));
        samples.clamp(SAMPLES_MIN, SAMPLES_MAX)
    }
}

impl Group {
    /// The groups of rows as [`Target::groups`] gives them.
    pub fn of_row(row: &[Value]) -> Result<Group> {
        let [key, rows, bytes] = row else {
            return Err(Error::internal("a group with other columns"));
        };
        let count = |value: &Value| value.integer().and_then(|count| u64::try_from(count).ok());
        Ok(Group {
            key: key.str().unwrap_or_default().to_owned(),
            rows: count(rows).unwrap_or_default(),
            bytes: count(bytes).unwrap_or_default(),
        })
    }
}

/// Numbers here need not be exact.
#[expect(clippy::cast_precision_loss, reason = "see above")]
fn float(number: u64) -> f64 {
    number as f64
}

/// The whole part of a number that is not negative.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of floats saturates"
)]
fn whole(number: f64) -> u64 {
    number as u64
}
