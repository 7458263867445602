//! Loops over rows, elements and numbers.

use varve_parser::plpgsql::{Source, Target};
use varve_types::{ArrayValue, Error, LogicalType, Result, SqlState, Value};

use crate::body::{Body, Open, columns_of};

impl Body<'_, '_> {
    /// Opens a loop over rows.
    pub(super) async fn open_rows(&mut self, source: &Source) -> Result<()> {
        let result = self.rows(source).await?;
        self.found(false)?;
        let rows = result.rows().into_iter();
        self.open.push(Open::Rows(columns_of(&result), rows));
        Ok(())
    }

    /// Opens a loop over the elements of an array.
    pub(super) async fn open_elements(&mut self, piece: usize) -> Result<()> {
        let (array, ty) = self.value(piece).await?;
        let (LogicalType::Array(element), Value::Array(_, stored)) = (ty, &array) else {
            let (state, message) = match array {
                Value::Null => (
                    SqlState::NULL_VALUE_NOT_ALLOWED,
                    "FOREACH expression must not be null".to_owned(),
                ),
                _ => (
                    SqlState::DATATYPE_MISMATCH,
                    format!("FOREACH expression must yield an array, not type {ty}"),
                ),
            };
            return Err(Error::new(state, message));
        };
        self.found(false)?;
        let elements = ArrayValue::read(element, stored)?.values;
        let rows: Vec<_> = elements.into_iter().map(|value| vec![value]).collect();
        self.open.push(Open::Rows(Vec::new(), rows.into_iter()));
        Ok(())
    }

    /// Opens a loop over numbers.
    pub(super) async fn open_numbers(
        &mut self,
        (from, to): (usize, usize),
        by: Option<usize>,
        reverse: bool,
    ) -> Result<()> {
        let from = self.number(from, "lower bound").await?;
        let to = self.number(to, "upper bound").await?;
        let by = match by {
            Some(by) => self.number(by, "BY value").await?,
            None => 1,
        };
        if by <= 0 {
            let message = "BY value of FOR loop must be greater than zero";
            return Err(Error::new(SqlState::INVALID_PARAMETER_VALUE, message));
        }
        self.found(false)?;
        let by = if reverse { -by } else { by };
        self.open.push(Open::Numbers(Some(from), to, by));
        Ok(())
    }

    /// A bound of a loop over numbers.
    async fn number(&mut self, piece: usize, what: &str) -> Result<i32> {
        let (value, _) = self.value(piece).await?;
        let value = varve_expr::cast_value(&value, LogicalType::Int4, true, &self.locale)?;
        match value {
            Value::Int4(number) => Ok(number),
            _ => {
                let message = format!("{what} of FOR loop cannot be null");
                Err(Error::new(SqlState::NULL_VALUE_NOT_ALLOWED, message))
            }
        }
    }

    /// Gives the targets of the innermost loop their next values; `false` where there are none.
    pub(super) fn next(&mut self, targets: &[Target]) -> Result<bool> {
        match self.open.last_mut() {
            Some(Open::Numbers(next, last, by)) => {
                let is_past = |next: i32| if *by > 0 { next > *last } else { next < *last };
                let Some(number) = next.filter(|next| !is_past(*next)) else {
                    return Ok(false);
                };
                *next = number.checked_add(*by);
                for target in targets {
                    self.set(target, &Value::Int4(number))?;
                }
                Ok(true)
            }
            Some(Open::Rows(columns, rows)) => {
                let Some(row) = rows.next() else {
                    return Ok(false);
                };
                let columns = columns.clone();
                self.assign(targets, &columns, &row)?;
                Ok(true)
            }
            _ => Err(Error::internal("a loop that is not open")),
        }
    }
}
