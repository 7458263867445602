//! The read-only views that describe the database.

use varve_types::LogicalType;

use crate::pg_catalog::catalog_columns;
use crate::plan::{Field, SystemView};

/// The columns of a system view in order.
pub fn system_view_columns(view: SystemView) -> Vec<Field> {
    let columns: &[(&str, LogicalType)] = match view {
        SystemView::Catalog(view) => return catalog_columns(view),
        SystemView::Storage => &[
            ("table_name", LogicalType::Text),
            ("column_name", LogicalType::Text),
            ("rows", LogicalType::Int8),
            ("stored_bytes", LogicalType::Int8),
            ("encodings", LogicalType::Text),
        ],
        SystemView::Tables => &[
            ("table_name", LogicalType::Text),
            ("column_name", LogicalType::Text),
            ("ordinal", LogicalType::Int4),
            ("data_type", LogicalType::Text),
            ("nullable", LogicalType::Boolean),
            ("primary_key", LogicalType::Boolean),
        ],
        SystemView::Caches => &[
            ("name", LogicalType::Text),
            ("hits", LogicalType::Int8),
            ("misses", LogicalType::Int8),
            ("evictions", LogicalType::Int8),
            ("entries", LogicalType::Int8),
            ("bytes", LogicalType::Int8),
        ],
        SystemView::Jobs => &[
            ("id", LogicalType::Int8),
            ("kind", LogicalType::Text),
            ("object", LogicalType::Text),
            ("state", LogicalType::Text),
            ("progress", LogicalType::Float8),
            ("started", LogicalType::TimestampTz),
            ("error", LogicalType::Text),
        ],
        SystemView::Statistics => &[("name", LogicalType::Text), ("value", LogicalType::Float8)],
    };
    columns
        .iter()
        .map(|(name, ty)| Field {
            name: (*name).to_owned(),
            ty: *ty,
        })
        .collect()
}

/// The system view of a name.
pub(crate) fn system_view(name: &str) -> Option<SystemView> {
    match name {
        "varve_storage" => Some(SystemView::Storage),
        "varve_tables" => Some(SystemView::Tables),
        "varve_caches" => Some(SystemView::Caches),
        "varve_jobs" => Some(SystemView::Jobs),
        "varve_statistics" => Some(SystemView::Statistics),
        _ => None,
    }
}
