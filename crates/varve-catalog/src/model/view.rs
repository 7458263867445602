//! Views: what is known of them, and their bytes in the catalog.
//!
//! A view is kept as the text of its query. The relations that the text names are kept beside it,
//! each with the columns that it had: so a view means the same when they are renamed or get more
//! columns.
//!
//! | field | bytes |
//! |---|---|
//! | version of this layout | 1: 1 |
//! | kind of object | 1, 18 = view |
//! | object id | 8 |
//! | name | 2 (length) + UTF-8 |
//! | flags: 1 is materialized, 2 and has no rows yet, 4 and 8 check rows (local, cascaded), 16 is a continuous aggregate | 1 |
//! | where it is materialized: object of the table with its rows | 8 |
//! | of a continuous aggregate: see `continuous.rs` | |
//! | length of the text, the text | 4 + UTF-8 |
//! | number of columns, each: type code, modifier, name | 2, then bytes + 4 + 2 + UTF-8 |
//! | number of relations that it reads, each: schema as written (empty for none), name as written | 2, then 2 + UTF-8 + 2 + UTF-8 |
//! | their object, number of columns, each: id, name | 8 + 2, then 4 + 2 + UTF-8 |

use std::sync::{Arc, OnceLock};

pub use varve_ast::ViewCheck;
use varve_parser::{ParsedStatement, parse};
use varve_types::{ColumnId, LogicalType, ObjectId, Result, TypeMod};

use crate::model::bytes::schema_head;
use crate::model::bytes::{Input, broken, put_count, put_long, put_name};
use crate::model::continuous::{ContinuousDef, put_continuous, take_continuous};
use crate::model::schema::RelationName;
use crate::model::table::{ColumnDef, TableDef};

const LAYOUT_VERSION: u8 = 1;
/// The kind of object that a view is.
pub(crate) const KIND_VIEW: u8 = 18;

/// A view.
#[derive(Clone, Debug, PartialEq)]
pub struct ViewDef {
    /// Its catalog object.
    pub object: ObjectId,
    /// The schema that it is in.
    pub schema: ObjectId,
    /// Its name, as it was folded.
    pub name: String,
    /// Its columns in order.
    pub columns: Vec<ViewColumn>,
    /// The text of its query.
    pub text: String,
    /// What the names in the text mean.
    pub reads: Vec<ViewRead>,
    /// What it is beside its query.
    pub kind: ViewKind,
    /// What makes a materialized one a continuous aggregate.
    pub continuous: Option<Box<ContinuousDef>>,
    /// The syntax tree of the text, once it was needed.
    pub parsed: ParsedView,
}

/// A column of a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewColumn {
    /// Its name, as it was folded.
    pub name: String,
    /// Its type.
    pub ty: LogicalType,
    /// What the type is bounded by.
    pub modifier: TypeMod,
}

/// A relation that a view reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewRead {
    /// The name in the text.
    pub written: RelationName,
    /// What it means.
    pub object: ObjectId,
    /// The columns that it had, with their names at that time.
    pub columns: Vec<(ColumnId, String)>,
}

/// What a view is beside its query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewKind {
    /// Its query is run where it is read.
    Plain {
        /// What rows that are written through it must pass.
        check: ViewCheck,
    },
    /// It has rows.
    Materialized {
        /// The table that holds them.
        rows: ObjectId,
        /// Whether its query was run.
        is_populated: bool,
    },
}

/// The syntax tree of the text, once it was needed.
#[derive(Clone, Default)]
pub struct ParsedView(OnceLock<Arc<ParsedStatement>>);

impl PartialEq for ParsedView {
    fn eq(&self, _: &ParsedView) -> bool {
        true
    }
}

impl core::fmt::Debug for ParsedView {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("ParsedView")
    }
}

impl ViewDef {
    /// Whether it has rows of its own.
    pub fn is_materialized(&self) -> bool {
        matches!(self.kind, ViewKind::Materialized { .. })
    }

    /// The table with its rows.
    pub fn rows(&self) -> Option<ObjectId> {
        match self.kind {
            ViewKind::Materialized { rows, .. } => Some(rows),
            ViewKind::Plain { .. } => None,
        }
    }

    /// Whether its query reads an object.
    pub fn reads(&self, object: ObjectId) -> bool {
        self.reads.iter().any(|read| read.object == object)
    }

    /// The syntax tree of its text.
    pub fn parsed(&self) -> Result<Arc<ParsedStatement>> {
        if let Some(parsed) = self.parsed.0.get() {
            return Ok(Arc::clone(parsed));
        }
        let parsed = parse(&self.text)?.pop();
        let parsed = Arc::new(parsed.ok_or_else(|| broken("text of a view"))?);
        Ok(Arc::clone(self.parsed.0.get_or_init(|| parsed)))
    }
}

/// A view as if it were a table.
pub fn shape_of(view: &ViewDef) -> TableDef {
    let columns = (1..).zip(&view.columns).map(|(id, column)| ColumnDef {
        modifier: column.modifier,
        ..ColumnDef::new(ColumnId(id), &column.name, column.ty, true)
    });
    TableDef {
        object: view.object,
        schema: view.schema,
        ..TableDef::new(&view.name, columns.collect(), Vec::new())
    }
}

/// The bytes of a view in the catalog.
pub fn encode_view(view: &ViewDef) -> Result<Vec<u8>> {
    let mut bytes = schema_head(view.schema);
    bytes.extend([LAYOUT_VERSION, KIND_VIEW]);
    bytes.extend(view.object.0.to_le_bytes());
    put_name(&mut bytes, &view.name)?;
    match view.kind {
        ViewKind::Plain { check } => bytes.push(match check {
            ViewCheck::None => 0,
            ViewCheck::Local => 4,
            ViewCheck::Cascaded => 8,
        }),
        ViewKind::Materialized { rows, is_populated } => {
            let continuous = view.continuous.as_deref();
            bytes.push(1 | u8::from(!is_populated) << 1 | u8::from(continuous.is_some()) << 4);
            bytes.extend(rows.0.to_le_bytes());
            if let Some(def) = continuous {
                put_continuous(&mut bytes, def)?;
            }
        }
    }
    put_text(&mut bytes, &view.text)?;
    put_count(&mut bytes, view.columns.len())?;
    for column in &view.columns {
        column.ty.encode(&mut bytes);
        bytes.extend(column.modifier.0.to_le_bytes());
        put_name(&mut bytes, &column.name)?;
    }
    put_count(&mut bytes, view.reads.len())?;
    for read in &view.reads {
        put_name(
            &mut bytes,
            read.written.schema.as_deref().unwrap_or_default(),
        )?;
        put_name(&mut bytes, &read.written.name)?;
        bytes.extend(read.object.0.to_le_bytes());
        put_count(&mut bytes, read.columns.len())?;
        for (id, name) in &read.columns {
            bytes.extend(id.0.to_le_bytes());
            put_name(&mut bytes, name)?;
        }
    }
    Ok(bytes)
}

/// The view that [`encode_view`] wrote; `XX001` for any other bytes.
pub(crate) fn decode_view(bytes: &[u8]) -> Result<ViewDef> {
    let (schema, mut input) = Input::behind(bytes, [LAYOUT_VERSION, KIND_VIEW])?;
    let object = take_object(&mut input)?;
    let name = input.name()?;
    let flags = input.u8()?;
    let kind = match flags {
        0 | 4 | 8 => ViewKind::Plain {
            check: match flags {
                4 => ViewCheck::Local,
                8 => ViewCheck::Cascaded,
                _ => ViewCheck::None,
            },
        },
        1 | 3 | 17 | 19 => ViewKind::Materialized {
            rows: take_object(&mut input)?,
            is_populated: flags & 2 == 0,
        },
        _ => return Err(broken("flags of a view")),
    };
    let continuous = match flags & 16 {
        0 => None,
        _ => Some(Box::new(take_continuous(&mut input)?)),
    };
    let text = take_text(&mut input)?;
    let mut columns = Vec::new();
    for _ in 0..input.count()? {
        let ty = input.ty().ok_or_else(|| broken("column type"))?;
        let modifier = TypeMod(i32::from_le_bytes(input.array()?));
        let name = input.name()?;
        columns.push(ViewColumn { name, ty, modifier });
    }
    let mut reads = Vec::new();
    for _ in 0..input.count()? {
        let schema = Some(input.name()?).filter(|schema| !schema.is_empty());
        let name = input.name()?;
        let object = take_object(&mut input)?;
        let mut columns = Vec::new();
        for _ in 0..input.count()? {
            let id = ColumnId(u32::from_le_bytes(input.array()?));
            columns.push((id, input.name()?));
        }
        let written = RelationName { schema, name };
        reads.push(ViewRead {
            written,
            object,
            columns,
        });
    }
    input.end()?;
    Ok(ViewDef {
        object,
        schema,
        name,
        columns,
        text,
        reads,
        kind,
        continuous,
        parsed: ParsedView::default(),
    })
}

pub(crate) fn take_object(input: &mut Input<'_>) -> Result<ObjectId> {
    Ok(ObjectId(u64::from_le_bytes(input.array()?)))
}

pub(crate) fn put_text(bytes: &mut Vec<u8>, text: &str) -> Result<()> {
    put_long(bytes, text.as_bytes())
}

pub(crate) fn take_text(input: &mut Input<'_>) -> Result<String> {
    let len = u32::from_le_bytes(input.array()?);
    let len = usize::try_from(len).map_err(|_| broken("text"))?;
    let text = core::str::from_utf8(input.take(len)?).map_err(|_| broken("text"))?;
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{ParsedView, ViewCheck, ViewColumn, ViewDef, ViewKind, ViewRead};
    use super::{decode_view, encode_view};
    use crate::model::continuous::{BucketText, ContinuousDef};
    use crate::model::schema::RelationName;
    use varve_types::{ColumnId, LogicalType, ObjectId, TypeMod};

    #[test]
    fn every_damaged_view_is_refused_or_sound() {
        let name = |schema: Option<&str>| RelationName {
            schema: schema.map(str::to_owned),
            name: "t".to_owned(),
        };
        let read = |schema, object| ViewRead {
            written: name(schema),
            object: ObjectId(object),
            columns: vec![(ColumnId(1), "a".to_owned())],
        };
        let plain = ViewDef {
            object: ObjectId(3),
            schema: ObjectId(0),
            name: "v".to_owned(),
            columns: vec![ViewColumn {
                name: "a".to_owned(),
                ty: LogicalType::Varchar,
                modifier: TypeMod(7),
            }],
            text: "select a from t".to_owned(),
            reads: vec![read(None, 1), read(Some("s"), 2)],
            kind: ViewKind::Plain {
                check: ViewCheck::Local,
            },
            continuous: None,
            parsed: ParsedView::default(),
        };
        let materialized = ViewDef {
            schema: ObjectId(9),
            kind: ViewKind::Materialized {
                rows: ObjectId(4),
                is_populated: false,
            },
            ..plain.clone()
        };
        let continuous = ViewDef {
            continuous: Some(Box::new(ContinuousDef {
                number: 3,
                source: ObjectId(1),
                column: ColumnId(1),
                joined: vec![ObjectId(2), ObjectId(7)],
                notes: ObjectId(5),
                raised: 2,
                materialized_only: true,
                bucket: BucketText {
                    before: "f(".to_owned(),
                    after: ")".to_owned(),
                    width: "1".to_owned(),
                    zone: Some("'UTC'".to_owned()),
                },
                watermark: Some(-4),
                line: Some(9),
            })),
            ..materialized.clone()
        };
        for view in [plain, materialized, continuous] {
            let good = encode_view(&view).unwrap();
            assert_eq!(decode_view(&good), Ok(view));
            for len in 0..good.len() {
                assert!(decode_view(&good[..len]).is_err(), "{len}");
            }
            for at in 0..good.len() {
                for byte in 0..=255 {
                    let mut bad = good.clone();
                    bad[at] = byte;
                    if let Ok(view) = decode_view(&bad) {
                        assert_eq!(encode_view(&view).unwrap(), bad);
                    }
                }
            }
        }
    }
}
