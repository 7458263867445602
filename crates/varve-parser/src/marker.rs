//! Names that stand for what the trees cannot say.

use sqlparser::ast::{CastFormat, Ident, Value};

use crate::parser::span_at;

/// The name of the argument behind VARIADIC, before the name that it has itself.
pub const VARIADIC: &str = "\0variadic";
/// What stands before the alias of JOIN USING, which is the last of its columns.
pub const USING_ALIAS: &str = "\0as";
/// The name of the function that ROWS FROM becomes.
pub const ROWS_FROM: &str = "\0rows";
/// The item of PARTITION BY that tells where a window with a name or a frame starts, before all
/// other items.
pub const WINDOW: &str = "\0window";
/// Items of PARTITION BY that stand for EXCLUDE in a window frame, before those that are written.
pub const EXCLUDE_CURRENT_ROW: &str = "\0row";
/// `EXCLUDE GROUP`
pub const EXCLUDE_GROUP: &str = "\0group";
/// `EXCLUDE TIES`
pub const EXCLUDE_TIES: &str = "\0ties";
/// `EXCLUDE NO OTHERS`
pub const EXCLUDE_NO_OTHERS: &str = "\0none";

/// The name of the lower bound behind BETWEEN SYMMETRIC.
pub const SYMMETRIC: &str = "\0symmetric";

/// The name of the column that stands for LIKE in CREATE TABLE: its type is the table, with what
/// is included (`+DEFAULTS`) and excluded (`-INDEXES`) as modifiers.
pub const LIKE: &str = "\0like";

/// The name of the call that FORMAT JSON puts around a value; its second argument is the encoding.
pub const FORMAT_JSON: &str = "\0format json";
/// The name of the call that holds the query of `JSON_ARRAY(SELECT ...)`.
pub const JSON_ROWS: &str = "\0json rows";
/// The name of the argument that WITH UNIQUE KEYS becomes.
pub const UNIQUE_KEYS: &str = "\0unique keys";
/// The name of the only partition of a table that stands behind ONLY.
pub const ONLY: &str = "\0only";

/// What stands before the name behind OF, if any, in FOR NO KEY UPDATE.
pub const NO_KEY_UPDATE: &str = "\0no key";
/// As [`NO_KEY_UPDATE`], in FOR KEY SHARE.
pub const KEY_SHARE: &str = "\0key";

/// The name of the setting of a query that its SEARCH DEPTH FIRST becomes: a tuple of the columns,
/// themselves a tuple, and the one that is added.
pub const DEPTH_FIRST: &str = "\0depth";
/// As [`DEPTH_FIRST`], of SEARCH BREADTH FIRST.
pub const BREADTH_FIRST: &str = "\0breadth";
/// The name of the setting that CYCLE becomes: a tuple of the columns, the mark, the path, and
/// where they are written, the values behind TO and DEFAULT.
pub const CYCLE: &str = "\0cycle";

/// A marker as a quoted identifier.
pub(crate) fn marker(name: &str, position: u32) -> Ident {
    Ident {
        value: name.to_owned(),
        quote_style: Some('"'),
        span: span_at(position),
    }
}

/// Where the type of a cast stands, as its format.
pub(crate) fn type_at(position: u32) -> Option<CastFormat> {
    let place = Value::Null.with_span(span_at(position));
    Some(CastFormat::Value(place))
}
