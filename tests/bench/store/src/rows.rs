//! The rows of D13 `orders` that all engines are given.

use varve_bench::generate::{Size, generator};
use varve_bench::set::{Column, Set, Texts, Values};

/// Set D13, columns in the order of the table.
pub struct Orders {
    /// The columns as generated.
    pub set: Set,
}

/// One order, borrowed from the set.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a> {
    /// The primary key.
    pub id: i64,
    /// Milliseconds since 1970.
    pub ts: i64,
    /// Who ordered.
    pub customer_id: i64,
    /// One of six.
    pub status: &'a str,
    /// One of eight.
    pub region: &'a str,
    /// Unique.
    pub email: &'a str,
    /// With two decimals.
    pub price: f64,
    /// NULL in 60 of 100.
    pub note: Option<&'a str>,
}

impl Orders {
    /// The set at a size.
    pub fn new(size: Size) -> Orders {
        let generator = generator("D13").expect("D13 is a set");
        Orders {
            set: generator.set(size),
        }
    }

    /// Number of rows; their ids are 1 to this.
    pub fn rows(&self) -> usize {
        self.set.rows()
    }

    /// Row `row`, from 0, under another id.
    pub fn order(&self, row: usize, id: i64) -> Order<'_> {
        let column = |name: &str| self.column(name);
        Order {
            id,
            ts: int(column("ts"), row),
            customer_id: int(column("customer_id"), row),
            status: text(column("status"), row),
            region: text(column("region"), row),
            email: text(column("email"), row),
            price: double(column("price"), row),
            note: column("note")
                .is_valid(row)
                .then(|| text(column("note"), row)),
        }
    }

    /// A column by its name.
    pub fn column(&self, name: &str) -> &Column {
        let found = self.set.columns.iter().find(|column| column.name == name);
        found.expect("a column of D13")
    }
}

fn int(column: &Column, row: usize) -> i64 {
    match &column.values {
        Values::Int32(ints) | Values::Int64(ints) => ints[row],
        other => panic!("{other:?} are no integers"),
    }
}

fn double(column: &Column, row: usize) -> f64 {
    match &column.values {
        Values::Float64(doubles) => doubles[row],
        other => panic!("{other:?} are no doubles"),
    }
}

fn text(column: &Column, row: usize) -> &str {
    text_of(texts(column), row)
}

/// The strings of a text column.
pub fn texts(column: &Column) -> &Texts {
    match &column.values {
        Values::Text(texts) => texts,
        other => panic!("{other:?} are no texts"),
    }
}

/// One string of them.
pub fn text_of(texts: &Texts, row: usize) -> &str {
    std::str::from_utf8(texts.get(row)).expect("D13 is UTF-8")
}
