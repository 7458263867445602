//! What the rows of a hypertable are sorted by: `tsdb.segmentby` and `tsdb.orderby`, as texts with
//! columns, and what is chosen where one of them is not given.

use varve_ast::OptionValue;
use varve_catalog::model::hypertable::{HypertableDef, Segments};
use varve_catalog::model::index::IndexDef;
use varve_catalog::model::table::{ColumnDef, TableDef};
use varve_catalog::text::name::folded_path;
use varve_plan::build::output::check_comparable;
use varve_types::{ColumnId, Compression, Error, KeyOrder, Result, SqlState};

/// A parameter that names columns.
pub struct SortOption<'o> {
    name: &'o str,
    columns: &'o str,
}

/// What options say of the order of rows.
#[derive(Default)]
pub struct Sorted<'o> {
    pub by: Option<SortOption<'o>>,
    pub order: Option<SortOption<'o>>,
    /// Whether somebody asks for chunks that can be compressed, and so for an order.
    pub is_asked: bool,
}

impl<'o> SortOption<'o> {
    /// `22023` for a parameter without a value; an empty one names no columns.
    pub fn of(name: &'o str, value: Option<&'o OptionValue>) -> Result<SortOption<'o>> {
        match value {
            Some(value) => Ok(SortOption {
                name,
                columns: &value.text,
            }),
            None => {
                let message = format!("parameter \"{name}\" has no value");
                Err(Error::new(SqlState::INVALID_PARAMETER_VALUE, message))
            }
        }
    }

    /// Puts it where it belongs; `22023` where it was given by another name already.
    pub fn put(self, place: &mut Option<SortOption<'o>>) -> Result<()> {
        if place.is_some() {
            let message = format!("parameter \"{}\" specified more than once", self.name);
            return Err(Error::new(SqlState::INVALID_PARAMETER_VALUE, message));
        }
        *place = Some(self);
        Ok(())
    }

    fn malformed(&self, part: &str) -> Error {
        let message = format!("invalid value for parameter \"{}\": \"{part}\"", self.name);
        Error::new(SqlState::INVALID_PARAMETER_VALUE, message).with_hint(
            "Name columns with commas between them, as in 'device, \"Room Number\"'; those of an \
             order as in 'time DESC NULLS LAST, value'.",
        )
    }

    /// The columns that are named, with what is written behind each.
    fn items(&self, table: &TableDef) -> Result<Vec<(ColumnId, Vec<&'o str>)>> {
        let mut items: Vec<(ColumnId, Vec<&str>)> = Vec::new();
        if self.columns.trim().is_empty() {
            return Ok(items);
        }
        for part in split(self.columns) {
            let part = part.trim();
            let (name, words) = part.split_at(name_end(part));
            let path = folded_path(name).map_err(|_| self.malformed(part))?;
            if path.schema.is_some() {
                return Err(self.malformed(part));
            }
            let column = self.column(table, &path.name)?;
            if items.iter().any(|(known, _)| *known == column.id) {
                let message = format!(
                    "column \"{}\" appears more than once in \"{}\"",
                    column.name, self.name
                );
                return Err(Error::new(SqlState::DUPLICATE_COLUMN, message));
            }
            items.push((column.id, words.split_ascii_whitespace().collect()));
        }
        Ok(items)
    }

    fn column<'t>(&self, table: &'t TableDef, name: &str) -> Result<&'t ColumnDef> {
        let mut columns = table.columns.iter();
        columns.find(|column| column.name == name).ok_or_else(|| {
            let message = format!("column \"{name}\" does not exist");
            let hint = format!(
                "\"{}\" names columns of table \"{}\"; quote names with capital letters.",
                self.name, table.name
            );
            Error::new(SqlState::UNDEFINED_COLUMN, message).with_hint(hint)
        })
    }

    fn segments(&self, table: &TableDef) -> Result<Vec<ColumnId>> {
        let items = self.items(table)?.into_iter();
        let column = |(column, words): (ColumnId, Vec<&str>)| match words.as_slice() {
            [] => Ok(column),
            _ => Err(self.malformed(self.columns)),
        };
        items.map(column).collect()
    }

    fn order(&self, table: &TableDef) -> Result<Vec<(ColumnId, KeyOrder)>> {
        let items = self.items(table)?.into_iter();
        let column = |(column, words): (ColumnId, Vec<&str>)| {
            let order = order_of(&words).ok_or_else(|| self.malformed(self.columns))?;
            Ok((column, order))
        };
        items.map(column).collect()
    }
}

/// What is between commas outside of quotes.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    text.split(move |character| {
        is_quoted ^= character == '"';
        character == ',' && !is_quoted
    })
}

/// Where the name ends with which a text begins.
fn name_end(text: &str) -> usize {
    let mut is_quoted = false;
    let end = text.find(|character: char| {
        is_quoted ^= character == '"';
        character.is_ascii_whitespace() && !is_quoted
    });
    end.unwrap_or(text.len())
}

/// The order that words behind a column ask for, as ORDER BY has it.
fn order_of(words: &[&str]) -> Option<KeyOrder> {
    let is = |word: &str, wanted: &str| word.eq_ignore_ascii_case(wanted);
    let (descending, rest) = match words {
        [first, rest @ ..] if is(first, "DESC") => (true, rest),
        [first, rest @ ..] if is(first, "ASC") => (false, rest),
        rest => (false, rest),
    };
    let nulls_first = match rest {
        [] => descending,
        [nulls, first] if is(nulls, "NULLS") && is(first, "FIRST") => true,
        [nulls, last] if is(nulls, "NULLS") && is(last, "LAST") => false,
        _ => return None,
    };
    Some(KeyOrder {
        descending,
        nulls_first,
    })
}

impl Sorted<'_> {
    /// What the rows of a table are sorted by from now on: what is given here, or was before, and
    /// where only one of the two is given, a choice for the other one. `None` for no such order.
    pub fn segments(
        &self,
        table: &TableDef,
        def: &HypertableDef,
        indexes: &[IndexDef],
    ) -> Result<Option<Segments>> {
        let before = def.segments.as_ref();
        let by = match &self.by {
            Some(given) => Some(given.segments(table)?),
            None => before
                .filter(|known| known.is_by_given)
                .map(|known| known.by.clone()),
        };
        let order = match &self.order {
            Some(given) => Some(given.order(table)?),
            None => before
                .filter(|known| known.is_order_given)
                .map(|known| known.order.clone()),
        };
        if by.is_none() && order.is_none() {
            // A primary key is an order too.
            let is_chosen = self.is_asked && table.declared_key().is_empty();
            if before.is_some() || !is_chosen {
                return Ok(before.cloned());
            }
        }
        let (is_by_given, is_order_given) = (by.is_some(), order.is_some());
        let mut order = order.unwrap_or_default();
        let by = by.unwrap_or_else(|| chosen_segments(table, def, indexes, &order));
        if let Some((both, _)) = order.iter().find(|(column, _)| by.contains(column)) {
            return Err(in_both(table, *both));
        }
        let has_time = by.contains(&def.column) || order.iter().any(|(id, _)| *id == def.column);
        if !has_time {
            let newest_first = KeyOrder {
                descending: true,
                nulls_first: true,
            };
            order.push((def.column, newest_first));
        }
        Ok(Some(Segments {
            by,
            order,
            is_by_given,
            is_order_given,
        }))
    }
}

fn in_both(table: &TableDef, id: ColumnId) -> Error {
    let mut columns = table.columns.iter();
    let column = columns.find(|column| column.id == id);
    let name = column.map_or("", |column| column.name.as_str());
    let message = format!("column \"{name}\" is in both the segments and the order of rows");
    let error = Error::new(SqlState::INVALID_PARAMETER_VALUE, message);
    error.with_hint("All rows of a segment have the same value in it: leave it out of the order.")
}

/// The column of segments where none is given: the first one of a key or an index that is on the
/// time behind it, since what is looked up so has several rows.
fn chosen_segments(
    table: &TableDef,
    def: &HypertableDef,
    new: &[IndexDef],
    order: &[(ColumnId, KeyOrder)],
) -> Vec<ColumnId> {
    let is_ordered = |column: &ColumnId| order.iter().any(|(known, _)| known == column);
    let id = |at: usize| table.columns.get(at).map(|column| column.id);
    let key: Vec<Option<ColumnId>> = table.primary_key.iter().map(|at| id(*at)).collect();
    let whole = |index: &IndexDef| index.predicate.is_empty();
    let indexes = table.indexes.iter().chain(new).filter(|index| whole(index));
    let indexes = indexes.map(|index| -> Vec<Option<ColumnId>> {
        let parts = index.key_parts();
        parts.map(|part| part.column().and_then(id)).collect()
    });
    let mut keys = core::iter::once(key).chain(indexes);
    let found = keys.find_map(|key| {
        let (first, rest) = key.split_first()?;
        let first = (*first).filter(|first| *first != def.column && !is_ordered(first))?;
        rest.contains(&Some(def.column)).then_some(first)
    });
    found.into_iter().collect()
}

/// Refuses a hypertable that is to be sorted by values that have no order, or are not to be read
/// for it.
pub fn check_sorted(table: &TableDef) -> Result<()> {
    for column in table
        .columns
        .iter()
        .filter(|column| table.is_sorted_by(column.id))
    {
        check_comparable(column.ty, true, 0).map_err(Error::without_position)?;
        if column.storage.compression == Compression::ZstdValues {
            let name = &column.name;
            let what =
                format!("sorting rows by \"{name}\", whose values are compressed one by one,");
            return Err(Error::unsupported(what));
        }
    }
    Ok(())
}

/// `0A000` for the end of a column that rows are sorted by.
pub fn refuse_drop_of_sorted(table: &TableDef, column: &ColumnDef) -> Result<()> {
    if !table.is_sorted_by(column.id) {
        return Ok(());
    }
    let what = format!(
        "dropping column \"{}\", which the rows of hypertable \"{}\" are sorted by,",
        column.name, table.name
    );
    let hint = "Name others first: ALTER TABLE ... SET (tsdb.segmentby = ..., tsdb.orderby = ...).";
    Err(Error::unsupported(what).with_hint(hint))
}
