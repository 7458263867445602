//! What DevOps and IoT have in common.

use varve_bench::random::Random;

use crate::answer::{Answer, Cell};
use crate::dialect::Dialect;
use crate::window::Window;

/// Rows of some tables, and what is asked of them.
pub trait DataSet: Sized + 'static {
    /// A type of query.
    type Query: Copy + 'static;

    /// The tables, in the order in which they are made.
    const TABLES: &'static [&'static str];
    /// Those that are hypertables.
    const HYPERTABLES: &'static [&'static str];
    /// All types, by name.
    const QUERIES: &'static [(&'static str, Self::Query)];

    /// What makes the tables, with chunks of so many hours.
    fn create(dialect: Dialect, chunk_hours: u32) -> String;
    /// Gives the rows of a table, in the order in which they come in.
    fn each_row(&self, table: &str, take: &mut dyn FnMut(&[Cell]));
    /// A window for a query of that type.
    fn window(&self, query: Self::Query, random: &mut Random) -> Window;
    /// The query as SQL.
    fn sql(&self, query: Self::Query, dialect: Dialect, window: &Window) -> String;
    /// Whether rows of the answer have an order.
    fn is_ordered(query: Self::Query) -> bool;
    /// The answer, by loops over all rows.
    fn reference(&self, query: Self::Query, window: &Window) -> Answer;
    /// Updates, deletions, and rows that come late.
    fn changes(&self) -> Vec<Change<Self>>;
}

/// A change as SQL, and what it does to the rows.
pub struct Change<D> {
    /// As a statement.
    pub sql: String,
    /// The same for the generated rows.
    pub apply: Box<dyn Fn(&mut D)>,
}

impl<D> Change<D> {
    /// A change.
    pub fn new(sql: String, apply: impl Fn(&mut D) + 'static) -> Change<D> {
        Change {
            sql,
            apply: Box::new(apply),
        }
    }
}

/// An INSERT of these rows, with their first column a time.
pub fn insert(table: &str, rows: &[Vec<Cell>]) -> String {
    let value = |cell: &Cell| match cell {
        Cell::Null => "NULL".to_owned(),
        Cell::Int(int) => int.to_string(),
        Cell::Float(float) => float.to_string(),
        Cell::Text(text) => format!("'{text}'"),
    };
    let row = |cells: &Vec<Cell>| {
        let mut values: Vec<String> = cells.iter().map(value).collect();
        if let Some(Cell::Int(time)) = cells.first() {
            values[0] = Dialect::Varve.time(*time);
        }
        format!("({})", values.join(", "))
    };
    let rows: Vec<String> = rows.iter().map(row).collect();
    format!("INSERT INTO {table} VALUES {}", rows.join(", "))
}
