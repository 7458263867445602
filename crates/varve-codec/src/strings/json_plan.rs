//! How the documents of a block are written.

use crate::integers::{IntegerKind, IntegerPlan};
use crate::string_data::StringsRef;
use crate::strings::json::split::{Column, Parts, Rows, Shape, split};
use crate::strings::{StringCodec, StringPlan, same};
use crate::tags::{TAG_JSON, TAG_SAME};
use crate::writer::put_nested;

/// The shapes of a block and the cascades of their fields.
#[derive(Debug)]
pub(crate) struct JsonPlan {
    pub(crate) resource: u8,
    pub(crate) shapes: Vec<Shape>,
    /// For each shape the plans of its fields.
    pub(crate) fields: Vec<Vec<FieldPlan>>,
    pub(crate) codes: IntegerPlan,
    pub(crate) exceptions: StringPlan,
}

/// How a field is written.
#[derive(Clone, Debug)]
pub(crate) enum FieldPlan {
    Text(StringPlan),
    Integers(IntegerPlan),
    /// As another field of the template but for some values.
    Same {
        of: u8,
        differing: StringPlan,
    },
}

impl StringCodec for JsonPlan {
    fn tag(&self) -> u8 {
        TAG_JSON
    }

    /// Holds no vector of which too few documents have a shape.
    fn put(&self, strings: StringsRef<'_>, out: &mut Vec<u8>) -> Option<()> {
        let parts = split(&self.shapes, strings);
        if parts.exceptions.as_ref().len() * 2 > strings.len() {
            return None;
        }
        self.write(&parts, out)
    }

    fn decode_cost(&self) -> u64 {
        1
    }
}

impl JsonPlan {
    fn write(&self, parts: &Parts, out: &mut Vec<u8>) -> Option<()> {
        out.push(self.resource);
        put_nested(out, |out| {
            self.codes.encode(IntegerKind::Int32, &parts.codes, out);
        });
        for (rows, plans) in parts.shapes.iter().zip(&self.fields) {
            if rows.count == 0 {
                continue;
            }
            for (column, plan) in rows.columns.iter().zip(plans) {
                let mut fits = None;
                put_nested(out, |out| fits = plan.encode(column, rows, out));
                fits?;
            }
        }
        let exceptions = parts.exceptions.as_ref();
        if !exceptions.is_empty() {
            self.exceptions.encode(exceptions, out);
        }
        Some(())
    }
}

impl FieldPlan {
    fn encode(&self, column: &Column, rows: &Rows, out: &mut Vec<u8>) -> Option<()> {
        match (self, column) {
            (FieldPlan::Text(plan), Column::Text(strings)) => {
                plan.encode(strings.as_ref(), out);
            }
            (FieldPlan::Integers(plan), Column::Integers(integers)) => {
                plan.encode(IntegerKind::Int64, integers, out);
            }
            (FieldPlan::Same { of, differing }, Column::Text(strings)) => {
                let Column::Text(reference) = rows.columns.get(usize::from(*of))? else {
                    return None;
                };
                out.extend_from_slice(&[TAG_SAME, *of]);
                same::encode(reference.as_ref(), strings.as_ref(), differing, out);
            }
            _ => return None,
        }
        Some(())
    }
}
