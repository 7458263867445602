//! Continuous aggregates where they are read: what was materialized and has not changed since, and
//! the query itself over all else.
//!
//! What changed is read when the plan runs, so a plan stays right until the watermark moves.

use std::sync::Arc;

use varve_catalog::model::catalog::Named;
use varve_catalog::model::continuous::{ContinuousDef, time_literal, units};
use varve_catalog::model::hypertable::CHUNK_SCHEMA_NAME;
use varve_catalog::model::schema::RelationName;
use varve_catalog::model::table::TableDef;
use varve_catalog::model::view::{ParsedView, ViewCheck, ViewDef, ViewKind, ViewRead};
use varve_plan::plan::{Plan, Query};
use varve_types::{ColumnId, Error, LogicalType, ObjectId, Result, SqlText, sql};

use crate::context::binder::QueryBinder;
use crate::context::ctes::Columns;
use crate::context::query_context::Restriction;

/// What a real-time answer is made of.
struct Live {
    /// The end of what was materialized.
    watermark: SqlText,
    /// Ranges of buckets below it that changed, with the columns `lo` and `hi`.
    stale: SqlText,
    notes: Vec<ObjectId>,
}

impl QueryBinder<'_> {
    /// The table with the rows of a relation.
    fn rows_of(&self, named: Named) -> Option<ObjectId> {
        match named {
            Named::Table(table) => Some(table),
            Named::View(view) => self.statement.catalog.views.get(&view)?.rows(),
            _ => None,
        }
    }

    /// What stands for a relation that is restricted; `None` where it is not.
    pub(super) fn restricted(
        &mut self,
        named: Named,
        read: &ViewRead,
    ) -> Result<Option<(Plan, Columns)>> {
        let Some(source) = self.rows_of(named) else {
            return Ok(None);
        };
        let found = self.context.restriction.take_if(|r| r.source == source);
        let Some(Restriction { text, notes, .. }) = found else {
            return Ok(None);
        };
        let query = self.text_over(text, read.object, read.columns.clone(), &notes)?;
        let names = read.columns.iter().map(|(_, name)| name.clone());
        let types = query.fields.iter().map(|field| field.ty);
        Ok(Some((query.plan, names.zip(types).collect())))
    }

    /// The rows of a continuous aggregate that is read in real time, with all of its columns;
    /// `None` for what is read as it is.
    pub(super) fn real_time(
        &mut self,
        rows: ObjectId,
        written: &RelationName,
    ) -> Result<Option<Plan>> {
        let Some(view) = self.statement.catalog.view_of(rows) else {
            return Ok(None);
        };
        let is_whole = view.rows() == Some(rows)
            && written.schema.as_deref() != Some(CHUNK_SCHEMA_NAME)
            && !self.context.rows_only;
        let is_live = |def: &ContinuousDef| is_whole && !def.materialized_only;
        if !view.continuous.as_deref().is_some_and(is_live) {
            return Ok(None);
        }
        let view = Arc::clone(view);
        self.united(rows, &view).map(Some)
    }

    /// What is kept of an aggregate, united with the query over what is not.
    #[inline(never)]
    fn united(&mut self, rows: ObjectId, view: &Arc<ViewDef>) -> Result<Plan> {
        let Some(def) = view.continuous.as_deref() else {
            return Err(Error::internal("an aggregate without its definition"));
        };
        let Some(live) = self.live(def)? else {
            return Ok(self.view_plan(view, None)?.plan);
        };
        let kept = self.kept_buckets(rows, &live)?;
        let time = self.time_of(def, view)?;
        let Live {
            watermark,
            stale,
            notes,
        } = live;
        let above = def.bucket.within(&time, Some(&watermark), None);
        let between = def
            .bucket
            .within(&time, Some(&sql!["s.lo"]), Some(&sql!["s.hi"]));
        // OFFSET keeps the ranges beside the scan, which then leaves out what lies between them.
        let text = sql![
            "SELECT r.* FROM r WHERE ",
            above,
            " UNION ALL SELECT r.* FROM (",
            stale,
            ") AS s, LATERAL (SELECT r.* FROM r WHERE ",
            between,
            " OFFSET 0) AS r"
        ];
        let restriction = Restriction {
            source: def.source,
            text,
            notes,
        };
        let fresh = self.restricted_rows(view, restriction, false)?;
        Ok(Plan::Append {
            types: kept.types(),
            inputs: vec![kept, fresh.plan],
        })
    }

    /// The buckets that were materialized and are right.
    fn kept_buckets(&mut self, rows: ObjectId, live: &Live) -> Result<Plan> {
        let table = self.statement.catalog.tables.get(&rows);
        let table = table.ok_or_else(lost)?;
        let (_, column) = table.time_column().ok_or_else(lost)?;
        let bucket = sql!["r.", SqlText::name(&column.name)];
        let text = sql![
            "SELECT r.* FROM r WHERE ",
            &bucket,
            " < ",
            &live.watermark,
            " AND NOT EXISTS (SELECT FROM (",
            &live.stale,
            ") AS s WHERE ",
            &bucket,
            " >= s.lo AND ",
            &bucket,
            " < s.hi)"
        ];
        let columns = all_columns(table);
        let around = core::mem::replace(&mut self.context.rows_only, true);
        let query = self.text_over(text, rows, columns, &live.notes);
        self.context.rows_only = around;
        Ok(query?.plan)
    }

    /// The rows of the buckets of an aggregate from one on and before another, out of what it
    /// reads as that is materialized.
    pub fn aggregate_rows(
        &mut self,
        view: &Arc<ViewDef>,
        range: Option<(i64, i64)>,
    ) -> Result<Query> {
        let def = view.continuous.as_deref().ok_or_else(lost)?;
        let ty = self.time_type(def)?;
        let time = self.time_of(def, view)?;
        let mut text = sql!["SELECT r.* FROM r"];
        if let Some((from, to)) = range {
            let (from, to) = (time_literal(ty, from)?, time_literal(ty, to)?);
            text.push(sql![
                " WHERE ",
                def.bucket.within(&time, Some(&from), Some(&to))
            ]);
        }
        let restriction = Restriction {
            source: def.source,
            text,
            notes: Vec::new(),
        };
        self.restricted_rows(view, restriction, true)
    }

    /// The end of the last bucket of an aggregate in units of the time: NULL where it has none.
    pub fn aggregate_end(&mut self, view: &Arc<ViewDef>) -> Result<Query> {
        let def = view.continuous.as_deref().ok_or_else(lost)?;
        let ty = self.time_type(def)?;
        let time = self.time_of(def, view)?;
        let last = def.bucket.of(&sql!["max(", time, ")"]);
        let text = sql!["SELECT ", units(&def.bucket.next(&last, ty), ty), " FROM r"];
        let table = self.statement.catalog.tables.get(&def.source);
        let columns = all_columns(table.ok_or_else(lost)?);
        let around = core::mem::replace(&mut self.context.rows_only, true);
        let read = view.reads.iter().find(|read| self.reads_source(read, def));
        let columns = read.map_or(columns, |read| read.columns.clone());
        let query = self.text_over(text, def.source, columns, &[]);
        self.context.rows_only = around;
        query
    }

    /// Whether two times are starts of buckets, as a query.
    pub fn are_starts(&mut self, def: &ContinuousDef, (from, to): (i64, i64)) -> Result<Query> {
        let ty = self.time_type(def)?;
        let mut tests = Vec::new();
        for time in [from, to] {
            let time = time_literal(ty, time)?;
            tests.push(sql![def.bucket.of(&time), " = ", time]);
        }
        let text = sql!["SELECT ", SqlText::joined(&tests, " AND ")];
        self.text_over(text, def.source, Vec::new(), &[])
    }

    /// The query of an aggregate, with something in the place of what it reads.
    fn restricted_rows(
        &mut self,
        view: &Arc<ViewDef>,
        restriction: Restriction,
        rows_only: bool,
    ) -> Result<Query> {
        self.in_view_text(view, |binder, ast| {
            binder.context.restriction = Some(restriction);
            binder.context.rows_only |= rows_only;
            binder.query(ast, None)
        })
    }

    /// What an aggregate is read by in real time; `None` where nothing was materialized.
    fn live(&self, def: &ContinuousDef) -> Result<Option<Live>> {
        let Some(watermark) = self.watermark(def)? else {
            return Ok(None);
        };
        let ty = self.time_type(def)?;
        let mut notes = Vec::new();
        let noted = self.noted(def, &mut notes).into_iter();
        let ranges = noted.map(|(first, last, from)| {
            let next = def.bucket.next(&def.bucket.of(&last), ty);
            sql![
                "SELECT ",
                def.bucket.of(&first),
                " AS lo, ",
                next,
                " AS hi FROM ",
                from
            ]
        });
        let ranges = SqlText::joined(&ranges.collect::<Vec<_>>(), " UNION ALL ");
        let below = sql![
            "SELECT lo, least(hi, ",
            &watermark,
            ") AS hi FROM (",
            ranges,
            ") AS a WHERE lo < ",
            &watermark
        ];
        // Ranges that overlap are one.
        let stale = sql![
            "SELECT min(lo) AS lo, max(hi) AS hi FROM (SELECT lo, hi, sum(CASE WHEN lo <= reach \
             THEN 0 ELSE 1 END) OVER (ORDER BY lo, hi) AS island FROM (SELECT lo, hi, max(hi) \
             OVER (ORDER BY lo, hi ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reach \
             FROM (",
            below,
            ") AS b) AS c) AS d GROUP BY island"
        ];
        Ok(Some(Live {
            watermark,
            stale,
            notes,
        }))
    }

    /// The end of what is materialized of an aggregate and of those under it.
    fn watermark(&self, def: &ContinuousDef) -> Result<Option<SqlText>> {
        let Some(own) = def.watermark else {
            return Ok(None);
        };
        let own = time_literal(self.time_type(def)?, own)?;
        let Some(lower) = self.lower(def) else {
            return Ok(Some(own));
        };
        let lower = self.watermark(lower)?;
        Ok(lower.map(|lower| sql!["least(", own, ", ", def.bucket.of(&lower), ")"]))
    }

    /// The changed times of what an aggregate reads: the first one, the last one, and the table
    /// that has them, of which `notes` tells the object.
    fn noted(
        &self,
        def: &ContinuousDef,
        notes: &mut Vec<ObjectId>,
    ) -> Vec<(SqlText, SqlText, SqlText)> {
        let table = sql!["notes", notes.len()];
        notes.push(def.notes);
        let mut all = vec![(sql!["first"], sql!["last"], table)];
        if let Some(lower) = self.lower(def) {
            let below = self.noted(lower, notes).into_iter();
            all.extend(below.map(|(first, last, table)| {
                (lower.bucket.of(&first), lower.bucket.of(&last), table)
            }));
        }
        if def.bucket.zone.is_some() {
            let wider = |(first, last, table)| {
                let first = sql!["(", first, " - interval '1 day')"];
                (first, sql!["(", last, " + interval '1 day')"], table)
            };
            all = all.into_iter().map(wider).collect();
        }
        all
    }

    /// The aggregate that another one reads in real time.
    fn lower(&self, def: &ContinuousDef) -> Option<&ContinuousDef> {
        let lower = self.statement.catalog.view_of(def.source)?;
        let lower = lower.continuous.as_deref()?;
        (!lower.materialized_only).then_some(lower)
    }

    /// The type of the time, and of buckets.
    fn time_type(&self, def: &ContinuousDef) -> Result<LogicalType> {
        let table = self.statement.catalog.tables.get(&def.source);
        let mut columns = table.into_iter().flat_map(|table| &table.columns);
        let found = columns.find(|column| column.id == def.column);
        found.map(|column| column.ty).ok_or_else(lost)
    }

    /// The time column of `r`.
    fn time_of(&self, def: &ContinuousDef, view: &ViewDef) -> Result<SqlText> {
        let mut reads = view
            .reads
            .iter()
            .filter(|read| self.reads_source(read, def));
        let columns = reads.next().map_or(&[][..], |read| &read.columns);
        let found = columns.iter().find(|(id, _)| *id == def.column);
        let (_, name) = found.ok_or_else(lost)?;
        Ok(sql!["r.", SqlText::name(name)])
    }

    fn reads_source(&self, read: &ViewRead, def: &ContinuousDef) -> bool {
        let view = self.statement.catalog.views.get(&read.object);
        read.object == def.source || view.and_then(|view| view.rows()) == Some(def.source)
    }

    /// Binds a text of the program, in which `r` is a relation with these columns.
    fn text_over(
        &mut self,
        text: SqlText,
        object: ObjectId,
        columns: Vec<(ColumnId, String)>,
        notes: &[ObjectId],
    ) -> Result<Query> {
        let read = |name: String, object, columns| ViewRead {
            written: RelationName::unqualified(&name),
            object,
            columns,
        };
        let mut reads = vec![read("r".to_owned(), object, columns)];
        for (at, notes) in notes.iter().enumerate() {
            let columns = [(ColumnId(1), "first"), (ColumnId(2), "last")];
            let columns = columns.map(|(id, name)| (id, name.to_owned()));
            reads.push(read(format!("notes{at}"), *notes, columns.to_vec()));
        }
        let view = ViewDef {
            object: ObjectId(0),
            schema: ObjectId(0),
            name: String::new(),
            columns: Vec::new(),
            text: text.into_string(),
            reads,
            kind: ViewKind::Plain {
                check: ViewCheck::None,
            },
            continuous: None,
            parsed: ParsedView::default(),
        };
        self.in_view_text(&Arc::new(view), |binder, ast| binder.query(ast, None))
    }
}

fn all_columns(table: &TableDef) -> Vec<(ColumnId, String)> {
    let columns = table.columns.iter();
    columns
        .map(|column| (column.id, column.name.clone()))
        .collect()
}

fn lost() -> Error {
    Error::internal("a continuous aggregate without its parts")
}
