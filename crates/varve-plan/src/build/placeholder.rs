//! Parts of expressions that are computed elsewhere stand in them as columns of high numbers until
//! their place is known.

/// Placeholders of one kind.
const KIND: usize = usize::MAX / 32;
/// Most columns of one subquery.
const SUBQUERY_WIDTH_MAX: usize = 2048;

/// Aggregates, by number.
pub const AGGREGATE_COLUMNS: usize = usize::MAX / 2;
/// Columns of subqueries.
const SUBQUERY_COLUMNS: usize = AGGREGATE_COLUMNS + KIND;
/// Calls of window functions, by number.
pub const WINDOW_COLUMNS: usize = SUBQUERY_COLUMNS + KIND;
/// Calls of set-returning functions, by number.
pub const SET_COLUMNS: usize = WINDOW_COLUMNS + KIND;
/// Calls of `grouping()`, by number.
pub const GROUPING_COLUMNS: usize = SET_COLUMNS + KIND;

/// What a column number stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A column of the input.
    Column,
    /// An aggregate by its number.
    Aggregate(usize),
    /// The value of a subquery by its number.
    Subquery(usize),
    /// A window function by its number.
    Window(usize),
    /// A function that gives rows by its number.
    Set(usize),
    /// A GROUPING by its number.
    Grouping(usize),
}

/// What a column number stands for.
pub fn place(column: usize) -> Place {
    let within = |first: usize| column.checked_sub(first).filter(|at| *at < KIND);
    if column < AGGREGATE_COLUMNS {
        Place::Column
    } else if let Some(at) = within(AGGREGATE_COLUMNS) {
        Place::Aggregate(at)
    } else if let Some(at) = within(SUBQUERY_COLUMNS) {
        Place::Subquery(at / SUBQUERY_WIDTH_MAX)
    } else if let Some(at) = within(WINDOW_COLUMNS) {
        Place::Window(at)
    } else if let Some(at) = within(SET_COLUMNS) {
        Place::Set(at)
    } else {
        Place::Grouping(column - GROUPING_COLUMNS)
    }
}

/// The number of a column of a subquery.
pub fn subquery_column(subquery: usize, column: usize) -> usize {
    SUBQUERY_COLUMNS + subquery * SUBQUERY_WIDTH_MAX + column
}

/// Which column of its subquery a number of [`subquery_column`] is.
pub fn column_of_subquery(number: usize) -> usize {
    number.saturating_sub(SUBQUERY_COLUMNS) % SUBQUERY_WIDTH_MAX
}
