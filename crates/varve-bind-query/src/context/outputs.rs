//! What is found out while a statement is bound.

use std::cell::RefCell;

use varve_types::LogicalType;

use crate::bind::plans::row_value::Field;
use crate::found::Found;
use crate::kept_text::NameUse;
use crate::schema::Catalog;
use crate::statement::{Change, RoutineCall};
use crate::utility::Message;

/// What is found out while a statement is bound.
pub(crate) struct Outputs {
    /// Types of the parameters met so far; `None` until a place tells.
    pub(crate) parameters: Vec<Option<LogicalType>>,
    /// What names were resolved to.
    pub(crate) found: RefCell<Found>,
    /// What the names in the text mean, where that is asked for.
    pub(crate) uses: RefCell<Option<Vec<NameUse>>>,
    /// The statements that change rows, named by WITH before this one.
    pub(crate) changes: Vec<Change>,
    /// The functions that run before the statement.
    pub(crate) calls: Vec<RoutineCall>,
    /// Whether functions are to be called for rows.
    pub(crate) has_uncalled: bool,
    /// Whether the settings of the session decided what a literal is.
    pub(crate) reads_locale: bool,
    /// Whether a function asks for settings.
    pub(crate) reads_settings: bool,
    /// The fields of the rows that functions give, by the column that stands for the call.
    pub(crate) records: Vec<(usize, Vec<Field>)>,
    /// What the user should know.
    pub(crate) messages: Vec<Message>,
}

impl Outputs {
    pub(crate) fn new(catalog: &Catalog, parameter_types: &[Option<LogicalType>]) -> Outputs {
        Outputs {
            parameters: parameter_types.to_vec(),
            found: RefCell::new(Found::of(catalog)),
            uses: RefCell::default(),
            changes: Vec::new(),
            calls: Vec::new(),
            has_uncalled: false,
            reads_locale: false,
            reads_settings: false,
            records: Vec::new(),
            messages: Vec::new(),
        }
    }
}
