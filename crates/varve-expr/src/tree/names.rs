//! What the catalog tells of its objects: values whose text is a name, and functions that answer
//! from it.

use core::fmt::Debug;
use std::sync::Arc;

use varve_types::{LogicalType, Result, RowTypeId, TypeMod, Value};

use super::expr::Expr;

/// The catalog that a statement sees.
pub trait Names: Debug + Send + Sync {
    /// The text of a value of a type such as `regclass`; `None` where there is no such object.
    fn reg_name(&self, ty: LogicalType, oid: u32) -> Option<String>;

    /// The object of such a type that a name means; an error where there is none.
    fn reg_oid(&self, ty: LogicalType, name: &str) -> Result<u32>;

    /// The type that a text names, as SQL writes it.
    fn type_named(&self, text: &str) -> Result<(LogicalType, TypeMod)>;

    /// The names and types of the fields of a type of rows; `None` where there is no such type.
    fn row_fields(&self, id: RowTypeId) -> Option<Vec<(String, LogicalType, TypeMod)>>;

    /// What each element of a domain's arrays must be, as a condition over column 0; the arrays by
    /// the OID of their type.
    fn element_condition(&self, array_type: u32) -> Result<Expr>;

    /// What a function of the catalog answers.
    fn answer(&self, function: &str, args: &[Value]) -> Result<Value>;
}

/// A catalog, which equals itself only.
#[derive(Clone, Debug)]
pub struct NamesRef(pub Arc<dyn Names>);

impl PartialEq for NamesRef {
    fn eq(&self, other: &NamesRef) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for NamesRef {}
