//! The enumerations of a catalog: their labels, which values of them are places of.

use varve_sort::VecMap;
use varve_types::{EnumId, Error, Result, SqlState, Value};

/// An enumeration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumLabels {
    /// Its name, for messages.
    pub name: String,
    /// Its labels in order, with the places that grow along it.
    pub labels: Vec<(i32, String)>,
}

/// Enumerations by id.
pub type Enums = VecMap<EnumId, EnumLabels>;

impl EnumLabels {
    /// The label of a place.
    pub fn label(&self, place: i32) -> Option<&str> {
        let at = self
            .labels
            .binary_search_by_key(&place, |(place, _)| *place);
        at.ok()
            .and_then(|at| self.labels.get(at))
            .map(|(_, label)| label.as_str())
    }

    /// The value with a label; `22P02` where there is none.
    pub(crate) fn value(&self, id: EnumId, label: &str) -> Result<Value> {
        let found = self.labels.iter().find(|(_, known)| known == label);
        let found = found.map(|(place, _)| Value::Enum(id, *place));
        found.ok_or_else(|| {
            let name = &self.name;
            Error::new(
                SqlState::INVALID_TEXT_REPRESENTATION,
                format!("invalid input value for enum {name}: \"{label}\""),
            )
        })
    }
}
