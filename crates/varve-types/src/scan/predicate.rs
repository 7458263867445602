//! Tests of one column against constants, which the run reader can answer on encoded data and zone
//! maps.

use core::cmp::Ordering;

use crate::column::ColumnData;
use crate::{Column, Selection, Value};

/// A comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompareOp {
    /// `=`
    Eq,
    /// `<>`
    NotEq,
    /// `<`
    Lt,
    /// `<=`
    LtEq,
    /// `>`
    Gt,
    /// `>=`
    GtEq,
}

impl CompareOp {
    /// Whether the operator holds for two values in this order.
    pub fn holds(self, ordering: Ordering) -> bool {
        match self {
            CompareOp::Eq => ordering.is_eq(),
            CompareOp::NotEq => ordering.is_ne(),
            CompareOp::Lt => ordering.is_lt(),
            CompareOp::LtEq => ordering.is_le(),
            CompareOp::Gt => ordering.is_gt(),
            CompareOp::GtEq => ordering.is_ge(),
        }
    }

    /// The operator with its sides swapped: `a < b` is `b > a`.
    #[must_use]
    pub fn flipped(self) -> CompareOp {
        match self {
            CompareOp::Lt => CompareOp::Gt,
            CompareOp::LtEq => CompareOp::GtEq,
            CompareOp::Gt => CompareOp::Lt,
            CompareOp::GtEq => CompareOp::LtEq,
            same => same,
        }
    }

    /// The operator that SQL spells so.
    pub fn of_symbol(symbol: &str) -> Option<CompareOp> {
        use CompareOp::{Eq, Gt, GtEq, Lt, LtEq, NotEq};
        let all = [Eq, NotEq, Lt, LtEq, Gt, GtEq];
        all.into_iter().find(|op| op.symbol() == symbol)
    }

    /// The operator as SQL spells it.
    pub fn symbol(self) -> &'static str {
        match self {
            CompareOp::Eq => "=",
            CompareOp::NotEq => "<>",
            CompareOp::Lt => "<",
            CompareOp::LtEq => "<=",
            CompareOp::Gt => ">",
            CompareOp::GtEq => ">=",
        }
    }
}

/// What an index can be on, and what a scan of a table can test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyPart {
    /// A column: a position in the schema of the table's tree.
    Column(usize),
    /// An expression that an index is on: a position among those of the table.
    Expression(usize),
}

impl KeyPart {
    /// Columns by their positions.
    pub fn columns(positions: &[usize]) -> Vec<KeyPart> {
        positions.iter().copied().map(KeyPart::Column).collect()
    }

    /// The same with the position that a column has elsewhere; an expression stays as it is.
    #[must_use]
    pub fn moved(self, place: &dyn Fn(usize) -> usize) -> KeyPart {
        match self {
            KeyPart::Column(at) => KeyPart::Column(place(at)),
            KeyPart::Expression(_) => self,
        }
    }

    /// The position of a column; `None` for an expression.
    pub fn column(self) -> Option<usize> {
        match self {
            KeyPart::Column(at) => Some(at),
            KeyPart::Expression(_) => None,
        }
    }
}

/// A test of what `C` names; a conjunction of them is pushed into scans.
#[derive(Clone, Debug, PartialEq)]
pub struct Predicate<C> {
    /// What is tested.
    pub column: C,
    /// What is asked of it.
    pub test: PredicateTest,
}

/// A test of one column: a position in the schema of the tree that is scanned.
pub type ColumnPredicate = Predicate<usize>;

/// A test of a column of a table, or of an expression of its indexes.
pub type PartPredicate = Predicate<KeyPart>;

impl PartPredicate {
    /// The test of the column, if it is one of a column.
    pub fn of_column(self) -> Result<ColumnPredicate, PartPredicate> {
        match self.column {
            KeyPart::Column(column) => Ok(Predicate {
                column,
                test: self.test,
            }),
            KeyPart::Expression(_) => Err(self),
        }
    }
}

/// What a [`Predicate`] asks. A row passes when the answer is true, never when it is NULL.
#[derive(Clone, Debug, PartialEq)]
pub enum PredicateTest {
    /// Compare with a non-null constant of the column's type.
    Compare(CompareOp, Value),
    /// Equal to one of these non-null constants of the column's type.
    In(Vec<Value>),
    /// `IS NULL`
    IsNull,
    /// `IS NOT NULL`
    IsNotNull,
}

impl PredicateTest {
    /// Whether one value passes.
    pub fn accepts(&self, value: &Value) -> bool {
        match self {
            PredicateTest::Compare(op, constant) => value
                .compare(constant)
                .is_some_and(|ordering| op.holds(ordering)),
            PredicateTest::In(constants) => constants
                .iter()
                .any(|constant| value.compare(constant) == Some(Ordering::Equal)),
            PredicateTest::IsNull => value.is_null(),
            PredicateTest::IsNotNull => !value.is_null(),
        }
    }

    /// The comparison with an integer that this is for a column of its type.
    fn compared(&self, column: &Column) -> Option<(CompareOp, i64)> {
        match self {
            PredicateTest::Compare(op, constant) if constant.is_of(column.logical_type()) => {
                Some((*op, constant.integer()?))
            }
            _ => None,
        }
    }

    /// The rows of `column` that pass, each distinct value of an encoded form tested once.
    pub fn select(&self, column: &Column) -> Selection {
        let rows = column.len();
        let keep = |passes: &dyn Fn(usize) -> bool| {
            let chosen = (0..rows).filter(|row| passes(*row));
            Selection::new(chosen.filter_map(|row| u32::try_from(row).ok()).collect())
        };
        match column.data() {
            ColumnData::Constant(value) if self.accepts(&value.value(0)) => Selection::all(rows),
            ColumnData::Constant(_) => Selection::default(),
            ColumnData::Dictionary { codes, values } => {
                let passing: Vec<bool> = (0..values.len())
                    .map(|code| self.accepts(&values.value(code)))
                    .collect();
                let null_passes = self.accepts(&Value::Null);
                keep(&|row| {
                    if column.is_null(row) {
                        return null_passes;
                    }
                    let code = codes.get(row).map_or(usize::MAX, |code| *code as usize);
                    passing.get(code).copied().unwrap_or(false)
                })
            }
            ColumnData::Int32(values) => match self.compared(column) {
                Some((op, constant)) => match i32::try_from(constant) {
                    Ok(constant) => compare_ints(values, op, constant, column),
                    Err(_) => keep(&|row| self.accepts(&column.value(row))),
                },
                None => keep(&|row| self.accepts(&column.value(row))),
            },
            ColumnData::Int64(values) => match self.compared(column) {
                Some((op, constant)) => compare_ints(values, op, constant, column),
                None => keep(&|row| self.accepts(&column.value(row))),
            },
            _ => keep(&|row| self.accepts(&column.value(row))),
        }
    }
}

fn compare_ints<T: Ord>(values: &[T], op: CompareOp, constant: T, column: &Column) -> Selection {
    let valid = column.validity();
    let mut rows = Vec::new();
    for (row, value) in values.iter().enumerate() {
        if op.holds(value.cmp(&constant))
            && valid.is_none_or(|bits| bits.get(row))
            && let Ok(row) = u32::try_from(row)
        {
            rows.push(row);
        }
    }
    Selection::new(rows)
}
