//! Answers of engines and of references, and where two of them differ.

use std::cmp::Ordering;

/// How far apart two figures may be that are sums of the same numbers, as a part of them.
const TOLERANCE: f64 = 1e-9;

/// A value of an answer.
#[derive(Clone, Debug)]
pub enum Cell {
    /// NULL.
    Null,
    /// Integers, truth values, and times in microseconds since 1970.
    Int(i64),
    /// Doubles, and decimals as the nearest of them.
    Float(f64),
    /// Texts.
    Text(String),
}

impl Cell {
    /// The figure, or NULL.
    pub fn float(value: Option<f64>) -> Cell {
        value.map_or(Cell::Null, Cell::Float)
    }

    /// A text.
    pub fn text(text: &str) -> Cell {
        Cell::Text(text.to_owned())
    }

    fn equals(&self, other: &Cell) -> bool {
        let near = |a: f64, b: f64| (a - b).abs() <= TOLERANCE * a.abs().max(b.abs());
        match (self, other) {
            (Cell::Null, Cell::Null) => true,
            (Cell::Int(a), Cell::Int(b)) => a == b,
            (Cell::Float(a), Cell::Float(b)) => near(*a, *b),
            (Cell::Int(a), Cell::Float(b)) | (Cell::Float(b), Cell::Int(a)) => near(*a as f64, *b),
            (Cell::Text(a), Cell::Text(b)) => a == b,
            _ => false,
        }
    }

    /// By what names a row: figures are not compared.
    fn order(&self, other: &Cell) -> Ordering {
        match (self, other) {
            (Cell::Int(a), Cell::Int(b)) => a.cmp(b),
            (Cell::Text(a), Cell::Text(b)) => a.cmp(b),
            _ => Ordering::Equal,
        }
    }
}

/// The rows of an answer.
pub type Answer = Vec<Vec<Cell>>;

/// Where the second answer is not the first one, if anywhere. Without an order, rows are compared
/// by their times, texts and integers.
pub fn difference(expected: &Answer, got: &Answer, is_ordered: bool) -> Option<String> {
    if expected.len() != got.len() {
        return Some(format!("{} rows instead of {}", got.len(), expected.len()));
    }
    let sorted = |answer: &Answer| {
        let mut rows = answer.clone();
        if !is_ordered {
            rows.sort_by(|a, b| order_of_rows(a, b));
        }
        rows
    };
    let (expected, got) = (sorted(expected), sorted(got));
    let pairs = expected.iter().zip(&got).enumerate();
    let equal =
        |a: &[Cell], b: &[Cell]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.equals(b));
    pairs
        .filter(|(_, (expected, got))| !equal(expected, got))
        .map(|(row, (expected, got))| format!("row {row} is {got:?} instead of {expected:?}"))
        .next()
}

fn order_of_rows(a: &[Cell], b: &[Cell]) -> Ordering {
    let by_cell = a.iter().zip(b).map(|(a, b)| a.order(b));
    by_cell.fold(Ordering::Equal, Ordering::then)
}
