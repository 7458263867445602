//! What a statement answers.

use std::sync::Arc;

use varve_copy::CopyData;
use varve_expr::{Locale, write_cell};
use varve_plan::Message;
use varve_system_views::Field;
use varve_types::{Batch, Notice, Value};

/// The answer to one statement.
#[derive(Clone, Debug, Default)]
pub struct ResultSet {
    /// The columns; none for statements that give no rows.
    pub fields: Arc<[Field]>,
    /// The rows.
    pub batches: Vec<Batch>,
    /// The first word of PostgreSQL's command tag, for example `SELECT`; empty for an empty
    /// statement.
    pub command: &'static str,
    /// Rows inserted, updated, deleted or copied.
    pub affected_rows: Option<u64>,
    /// How the session writes values as text.
    pub locale: Locale,
    /// What the user should know, in order.
    pub notices: Vec<Notice>,
    /// What `COPY ... TO STDOUT` gives.
    pub copied: Option<Box<CopyData>>,
}

/// A message of a statement that was bound.
pub(crate) fn notice_of(message: &Message) -> Notice {
    Notice {
        detail: message.detail.clone(),
        ..Notice::info(message.state, message.text.clone())
    }
}

impl ResultSet {
    /// A statement without rows.
    pub(crate) fn command(command: &'static str) -> ResultSet {
        ResultSet {
            command,
            ..ResultSet::default()
        }
    }

    /// A statement that changed rows.
    pub(crate) fn changed(command: &'static str, rows: u64) -> ResultSet {
        ResultSet {
            command,
            affected_rows: Some(rows),
            ..ResultSet::default()
        }
    }

    /// The result with what COPY gives as rows of one column, `copy`: text, or bytes of the binary
    /// format.
    pub fn with_copied_rows(mut self) -> ResultSet {
        match self.copied.take() {
            Some(copied) => {
                let (ty, batches) = copied.into_rows();
                let field = Field {
                    name: "copy".to_owned(),
                    ty,
                };
                ResultSet {
                    fields: [field].into(),
                    batches,
                    ..self
                }
            }
            None => self,
        }
    }

    /// Number of rows.
    pub fn row_count(&self) -> usize {
        self.batches.iter().map(Batch::rows).sum()
    }

    /// Whether the statement gives rows: a query may have no columns, but it has rows all the same.
    pub fn gives_rows(&self) -> bool {
        !self.fields.is_empty() || (self.command == "SELECT" && self.affected_rows.is_none())
    }

    /// The rows as PostgreSQL would print them in the session; `None` is NULL.
    pub fn text_rows(&self) -> impl Iterator<Item = Vec<Option<String>>> {
        self.batches.iter().flat_map(move |batch| {
            let batch = batch.compact();
            (0..batch.rows()).map(move |row| {
                let columns = batch.physical_columns().iter();
                let cells = columns.map(|column| {
                    (!column.is_null(row)).then(|| {
                        let mut text = String::new();
                        write_cell(column, row, &self.locale, &mut text);
                        text
                    })
                });
                cells.collect()
            })
        })
    }

    /// All rows as values: for tests and small results.
    pub fn rows(&self) -> Vec<Vec<Value>> {
        varve_dml::values_of(&self.batches)
    }
}
