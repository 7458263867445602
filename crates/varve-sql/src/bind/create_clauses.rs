//! What else the parser takes for CREATE TABLE.

use sqlparser::ast::{CreateTable, CreateTableOptions, HiveDistributionStyle, HiveFormat};
use varve_types::Result;

use crate::bind::refuse;

/// Refuses every clause of CREATE TABLE but names, columns and constraints.
pub(crate) fn refuse_clauses(create: &CreateTable, position: u32) -> Result<()> {
    let CreateTable {
        or_replace,
        temporary: _,
        unlogged: _,
        external,
        dynamic,
        global: _,
        if_not_exists: _,
        transient,
        volatile,
        iceberg,
        snapshot,
        name: _,
        columns: _,
        constraints: _,
        hive_distribution,
        hive_formats,
        table_options,
        file_format,
        location,
        query,
        without_rowid,
        like,
        clone,
        version,
        comment,
        on_commit: _,
        on_cluster,
        primary_key,
        order_by,
        partition_by: _,
        cluster_by,
        clustered_by,
        inherits: _,
        partition_of: _,
        for_values: _,
        strict,
        copy_grants,
        enable_schema_evolution,
        change_tracking,
        data_retention_time_in_days,
        max_data_extension_time_in_days,
        default_ddl_collation,
        with_aggregation_policy,
        with_row_access_policy,
        with_storage_lifecycle_policy,
        with_tags,
        external_volume,
        with_connection,
        base_location,
        catalog,
        catalog_sync,
        storage_serialization_policy,
        target_lag,
        warehouse,
        refresh_mode,
        initialize,
        require_user,
        diststyle,
        distkey,
        sortkey,
        backup,
        multiset,
        fallback,
        with_data,
    } = create;
    refuse(query.is_some(), "CREATE TABLE AS", position)?;
    refuse(like.is_some(), "LIKE", position)?;
    let is_stored = matches!(
        table_options,
        CreateTableOptions::None | CreateTableOptions::With(_)
    );
    refuse(!is_stored, "CREATE TABLE ... WITH", position)?;
    let hive = !matches!(hive_distribution, HiveDistributionStyle::NONE)
        || !matches!(
            hive_formats,
            None | Some(HiveFormat {
                row_format: None,
                serde_properties: None,
                storage: None,
                location: None,
            })
        );
    let other_dialect = hive
        || *or_replace
        || *external
        || *dynamic
        || *transient
        || *volatile
        || *iceberg
        || *snapshot
        || file_format.is_some()
        || location.is_some()
        || *without_rowid
        || clone.is_some()
        || version.is_some()
        || comment.is_some()
        || on_cluster.is_some()
        || primary_key.is_some()
        || order_by.is_some()
        || cluster_by.is_some()
        || clustered_by.is_some()
        || *strict
        || *copy_grants
        || enable_schema_evolution.is_some()
        || change_tracking.is_some()
        || data_retention_time_in_days.is_some()
        || max_data_extension_time_in_days.is_some()
        || default_ddl_collation.is_some()
        || with_aggregation_policy.is_some()
        || with_row_access_policy.is_some()
        || with_storage_lifecycle_policy.is_some()
        || with_tags.is_some()
        || external_volume.is_some()
        || with_connection.is_some()
        || base_location.is_some()
        || catalog.is_some()
        || catalog_sync.is_some()
        || storage_serialization_policy.is_some()
        || target_lag.is_some()
        || warehouse.is_some()
        || refresh_mode.is_some()
        || initialize.is_some()
        || *require_user
        || diststyle.is_some()
        || distkey.is_some()
        || sortkey.is_some()
        || backup.is_some()
        || multiset.is_some()
        || fallback.is_some()
        || with_data.is_some();
    refuse(other_dialect, "this form of CREATE TABLE", position)
}
