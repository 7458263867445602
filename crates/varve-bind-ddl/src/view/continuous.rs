//! CREATE MATERIALIZED VIEW ... WITH (tsdb.continuous), and REFRESH of some of its buckets.

use std::sync::Arc;

use varve_ast::{CreateView, DefinedOption};
use varve_catalog::model::continuous::{ContinuousDef, notes_table};
use varve_catalog::model::hypertable::HypertableDef;
use varve_catalog::model::table::{StorageOption, TableDef};
use varve_catalog::model::view::{ViewDef, ViewKind, ViewRead};
use varve_plan::optimize::optimize;
use varve_plan::plan::statement::utility;
use varve_plan::plan::utility::{AggregateRange, NewAggregate, Utility};
use varve_plan::plan::{NewTable, OnCommit, Query, Statement};
use varve_types::{Error, ObjectId, Result, SqlState};

use crate::binder::DdlBinder;
use crate::table::hypertable::{WIDER_CHUNKS, of_timescale, truth};
use crate::table::storage::put_options;
use crate::view::buckets::{Buckets, buckets_of, check_form};
use crate::view::table_of;

/// What the options of an aggregate say.
pub(super) struct Wanted {
    materialized_only: bool,
    /// Those of the hypertable with its rows.
    of_rows: Vec<DefinedOption>,
}

/// What options say, where they ask for a continuous aggregate.
pub(super) fn wanted(create: &CreateView) -> Result<Option<Wanted>> {
    if create.materialized.is_none() {
        return Ok(None);
    }
    let mut is_continuous = false;
    let mut wanted = Wanted {
        materialized_only: true,
        of_rows: Vec::new(),
    };
    for option in &create.options {
        let name = option.name.text.as_str();
        match of_timescale(name) {
            Some("continuous") => is_continuous = truth(name, option.value.as_ref())?,
            Some("materialized_only") => {
                wanted.materialized_only = truth(name, option.value.as_ref())?;
            }
            Some("create_group_indexes") if !truth(name, option.value.as_ref())? => {}
            Some("create_group_indexes") => {
                let what = format!("the parameter \"{name}\"");
                let hint = "Create the indexes that queries need: CREATE INDEX ON ...";
                return Err(Error::unsupported(what).with_hint(hint));
            }
            Some("hypertable" | "partition_column" | "integer_now_func") => {
                let message = format!("unrecognized parameter \"{name}\"");
                let hint = "A continuous aggregate is kept by its buckets.";
                let error = Error::new(SqlState::INVALID_PARAMETER_VALUE, message);
                return Err(error.with_hint(hint));
            }
            Some(_) => wanted.of_rows.push(option.clone()),
            None => {}
        }
    }
    Ok(is_continuous.then_some(wanted))
}

impl DdlBinder<'_, '_> {
    /// The buckets of an aggregate, whose query was bound.
    pub(super) fn aggregate_buckets(
        &self,
        create: &CreateView,
        query: &Query,
        reads: &[ViewRead],
    ) -> Result<Buckets> {
        check_form(&create.query)?;
        let mut views = reads
            .iter()
            .filter_map(|read| self.catalog.views.get(&read.object));
        if let Some(view) = views.find(|view| view.continuous.is_none()) {
            let what = format!("the view \"{}\" in a continuous aggregate", view.name);
            let hint = "Read the tables that it reads.";
            return Err(Error::unsupported(what).with_hint(hint));
        }
        buckets_of(query)
    }

    /// The statement that makes a continuous aggregate.
    pub(super) fn continuous_view(
        &mut self,
        mut view: ViewDef,
        buckets: Buckets,
        wanted: &Wanted,
        (options, with_data): (Vec<StorageOption>, bool),
    ) -> Result<Statement> {
        let Buckets {
            source,
            column,
            joined,
            output,
            text,
        } = buckets;
        let mut table = table_of(view.schema, &view.name, &view.columns);
        put_options(&mut table.table, options, &[]);
        let number = self.next_hypertable();
        let ty = self.bucket_column(&mut table.table, &source, output, number)?;
        if !wanted.of_rows.is_empty() {
            self.put_hypertable(&mut table.table, &wanted.of_rows, &[])?;
        }
        view.kind = ViewKind::Materialized {
            rows: ObjectId(0),
            is_populated: true,
        };
        view.continuous = Some(Box::new(ContinuousDef {
            number,
            source: source.object,
            column,
            joined,
            notes: ObjectId(0),
            raised: 1,
            materialized_only: wanted.materialized_only,
            bucket: text,
            watermark: None,
            line: None,
        }));
        let filled = match with_data {
            false => None,
            true => {
                let shared = Arc::new(view.clone());
                let rows = self.query.aggregate_rows(&shared, None)?;
                let end = self.query.aggregate_end(&shared)?;
                Some((optimized(rows), optimized(end)))
            }
        };
        let notes = NewTable {
            table: notes_table(number, ty),
            indexes: Vec::new(),
            sequences: Vec::new(),
            on_commit: OnCommit::Preserve,
        };
        Ok(utility(Utility::CreateAggregate(Box::new(NewAggregate {
            view,
            table,
            notes,
            filled,
        }))))
    }

    /// Makes the table of an aggregate's rows a hypertable over its buckets; the type of these.
    fn bucket_column(
        &self,
        table: &mut TableDef,
        source: &TableDef,
        output: usize,
        number: u32,
    ) -> Result<varve_types::LogicalType> {
        let of_source = source.hypertable.as_deref();
        let of_source = of_source.ok_or_else(|| Error::internal("a source without chunks"))?;
        let column = table.columns.get_mut(output);
        let column = column.ok_or_else(|| Error::internal("an aggregate without its buckets"))?;
        column.nullable = false;
        let ty = column.ty;
        let width = match self.catalog.view_of(source.object) {
            Some(_) => of_source.width,
            None => of_source.width.saturating_mul(WIDER_CHUNKS),
        };
        let def = HypertableDef {
            number,
            column: column.id,
            width,
            integer_now: None,
            is_columnstore: true,
            segments: None,
        };
        table.stored.partition = Some(def.partition());
        table.hypertable = Some(Box::new(def));
        Ok(ty)
    }

    /// `REFRESH MATERIALIZED VIEW` of a continuous aggregate: only of some buckets, as
    /// `refresh_continuous_aggregate` asks.
    pub(super) fn refresh_range(
        &mut self,
        view: &Arc<ViewDef>,
        window: &[DefinedOption],
    ) -> Result<Statement> {
        let number = |wanted: &str| {
            let mut options = window.iter();
            let found = options.find(|o| of_timescale(&o.name.text) == Some(wanted));
            let value = found.and_then(|option| option.value.as_ref());
            value.and_then(|value| value.text.parse::<i64>().ok())
        };
        let (Some(from), Some(to)) = (number("refresh_start"), number("refresh_end")) else {
            let message = format!("\"{}\" is a continuous aggregate", view.name);
            let hint = "CALL refresh_continuous_aggregate(name, window_start, window_end), with \
                        NULL for a side that is open.";
            let error = Error::new(SqlState::FEATURE_NOT_SUPPORTED, message);
            return Err(error.with_hint(hint));
        };
        let query = self.query.aggregate_rows(view, Some((from, to)))?;
        let def = view.continuous.as_deref();
        let def = def.ok_or_else(|| Error::internal("a view without buckets"))?;
        let is_whole = self.query.are_starts(def, (from, to))?;
        Ok(utility(Utility::RefreshRange(Box::new(AggregateRange {
            view: ViewDef::clone(view),
            query: optimized(query),
            is_whole: optimized(is_whole),
            range: from..to,
            least: number("refresh_least"),
        }))))
    }

    /// Options of ALTER MATERIALIZED VIEW that are the aggregate's own; the others are answered.
    pub(crate) fn alter_continuous(
        view: &mut ViewDef,
        options: &[DefinedOption],
    ) -> Result<Vec<DefinedOption>> {
        let Some(def) = view.continuous.as_deref_mut() else {
            return Ok(options.to_vec());
        };
        let mut others = Vec::new();
        for option in options {
            let name = option.name.text.as_str();
            match of_timescale(name) {
                Some("materialized_only") => {
                    def.materialized_only = truth(name, option.value.as_ref())?;
                }
                Some("noted_below") => {
                    let line = option
                        .value
                        .as_ref()
                        .and_then(|v| v.text.parse::<i64>().ok());
                    if line > def.line {
                        def.line = line;
                        def.raised = def.raised.saturating_add(1);
                    }
                }
                Some("continuous" | "create_group_indexes") => {
                    let message = format!("cannot alter the parameter \"{name}\"");
                    return Err(Error::new(SqlState::FEATURE_NOT_SUPPORTED, message));
                }
                _ => others.push(option.clone()),
            }
        }
        Ok(others)
    }
}

fn optimized(query: Query) -> Query {
    Query {
        plan: optimize(query.plan),
        ..query
    }
}
