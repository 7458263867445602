//! What is found out while a statement is bound.

use std::cell::RefCell;
use varve_expr::Placeholder;

use varve_types::LogicalType;

use varve_catalog::Dependencies;
use varve_catalog::model::catalog::Catalog;
use varve_catalog::text::kept_text::NameUse;
use varve_plan::build::open_literal::OpenUse;
use varve_plan::build::row_value::Field;
use varve_plan::plan::statement::{Change, RoutineCall};
use varve_plan::plan::utility::Message;

/// What is found out while a statement is bound.
pub struct Outputs {
    /// Types of the parameters met so far; `None` until a place tells.
    pub parameters: Vec<Option<LogicalType>>,
    /// Those of them that stand for literals which are left open: all or none.
    pub open: Vec<OpenUse>,
    /// How often open literals were bound.
    pub met: usize,
    /// What names were resolved to.
    pub found: RefCell<Dependencies>,
    /// What the names in the text mean, where that is asked for.
    pub uses: RefCell<Option<Vec<NameUse>>>,
    /// The statements that change rows, named by WITH before this one.
    pub changes: Vec<Change>,
    /// The functions that run before the statement.
    pub calls: Vec<RoutineCall>,
    /// Whether functions are to be called for rows.
    pub has_pending_calls: bool,
    /// Whether the settings of the session decided what a literal is.
    pub reads_locale: bool,
    /// Whether a function asks for settings.
    pub reads_settings: bool,
    /// The fields of the rows that functions give, by what stands for the call.
    pub records: Vec<(Placeholder, Vec<Field>)>,
    /// What the user should know.
    pub messages: Vec<Message>,
}

impl Outputs {
    /// Nothing yet, but the types of parameters that the caller knows.
    pub fn new(catalog: &Catalog, parameter_types: &[Option<LogicalType>]) -> Outputs {
        Outputs {
            parameters: parameter_types.to_vec(),
            open: Vec::new(),
            met: 0,
            found: RefCell::new(Dependencies::of(catalog)),
            uses: RefCell::default(),
            changes: Vec::new(),
            calls: Vec::new(),
            has_pending_calls: false,
            reads_locale: false,
            reads_settings: false,
            records: Vec::new(),
            messages: Vec::new(),
        }
    }
}
