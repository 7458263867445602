//! The read-only views that describe the database.

use varve_types::LogicalType;

use crate::{Field, catalog_columns};

/// The system views.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemView {
    /// `varve_storage(table_name text, column_name text, rows bigint, stored_bytes bigint,
    /// encodings text, pages bigint, encoded_bytes bigint, bytes_per_row double precision, storage
    /// text, compression text)`: a row a column; what is not of a column is counted under the
    /// column name NULL.
    Storage,
    /// `varve_tables(table_name text, column_name text, ordinal int, data_type text, nullable
    /// boolean, primary_key boolean)`: a row a column.
    Tables,
    /// `varve_caches(name text, hits bigint, misses bigint, evictions bigint, entries bigint, bytes
    /// bigint, capacity bigint)`: a row a cache; `capacity` is of entries, or of bytes.
    Caches,
    /// `varve_jobs(id bigint, kind text, object text, state text, progress double precision,
    /// started timestamptz, error text)`: a row a job; `progress` goes from 0 to 1.
    Jobs,
    /// One of `pg_catalog` or `information_schema`.
    Catalog(u16),
    /// `varve_statistics(name text, value double precision)`: counters since the store was opened,
    /// and what it holds now.
    Statistics,
    /// `varve_value_frames(table_name text, column_name text, dict_id int, rows bigint,
    /// bytes_before bigint, bytes_after bigint)`: a row a column under `zstd_values` and way of
    /// compressing its values: NULL for not at all, -1 for without a dictionary.
    ValueFrames,
}

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
            ("pages", LogicalType::Int8),
            ("encoded_bytes", LogicalType::Int8),
            ("bytes_per_row", LogicalType::Float8),
            ("storage", LogicalType::Text),
            ("compression", LogicalType::Text),
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
            ("capacity", LogicalType::Int8),
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
        SystemView::ValueFrames => &[
            ("table_name", LogicalType::Text),
            ("column_name", LogicalType::Text),
            ("dict_id", LogicalType::Int4),
            ("rows", LogicalType::Int8),
            ("bytes_before", LogicalType::Int8),
            ("bytes_after", LogicalType::Int8),
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
pub fn system_view(name: &str) -> Option<SystemView> {
    match name {
        "varve_storage" => Some(SystemView::Storage),
        "varve_tables" => Some(SystemView::Tables),
        "varve_caches" => Some(SystemView::Caches),
        "varve_jobs" => Some(SystemView::Jobs),
        "varve_value_frames" => Some(SystemView::ValueFrames),
        "varve_statistics" => Some(SystemView::Statistics),
        _ => None,
    }
}
