//! `ALTER TABLE chunk SET (tsdb. ...)`: what becomes of one chunk of a hypertable.

use varve_ast::{AlterAction, DefinedOption};
use varve_catalog::model::catalog::Named;
use varve_catalog::model::hypertable::ChunkDef;
use varve_catalog::text::name::folded_path;
use varve_plan::plan::utility::Definition;
use varve_types::{Error, ObjectId, Result, SqlState};

use crate::binder::DdlBinder;
use crate::table::hypertable::{of_timescale, text, truth, unrecognized};

impl DdlBinder<'_, '_> {
    /// A chunk after `SET (tsdb.compressed = ...)`, or with the range of another one beside its own
    /// after `SET (tsdb.merged = 'chunk')`; `None` for other actions.
    pub fn altered_chunk(
        &self,
        chunk: ObjectId,
        action: &AlterAction,
    ) -> Result<Option<Definition>> {
        let AlterAction::Options(options) = action else {
            return Ok(None);
        };
        let mut chunk = ChunkDef::clone(self.known_chunk(chunk)?);
        let mut merged = None;
        for DefinedOption { name, value } in options {
            match of_timescale(&name.text) {
                Some("compressed") => chunk.is_compressed = truth(&name.text, value.as_ref())?,
                Some("merged") => {
                    let other = self.merged_chunk(&chunk, text(&name.text, value.as_ref())?)?;
                    chunk.start = chunk.start.min(other.start);
                    chunk.end = chunk.end.max(other.end);
                    chunk.is_compressed &= other.is_compressed;
                    merged = Some(other.object);
                }
                own => return Err(unrecognized(&name.text, own.unwrap_or_default())),
            }
        }
        let table = self.catalog.tables.get(&chunk.table);
        let def = table.and_then(|table| table.hypertable.as_ref());
        if chunk.is_compressed && !def.is_some_and(|def| def.is_columnstore) {
            let message = "columnstore not enabled on hypertable";
            let hint = "ALTER TABLE ... SET (tsdb.columnstore) enables it.";
            let state = SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE;
            return Err(Error::new(state, message).with_hint(hint));
        }
        Ok(Some(Definition::Chunk { chunk, merged }))
    }

    fn known_chunk(&self, chunk: ObjectId) -> Result<&ChunkDef> {
        let chunk = self.catalog.chunk(chunk);
        chunk.map_or_else(
            || Err(Error::internal("a chunk is lost")),
            |chunk| Ok(&**chunk),
        )
    }

    /// The chunk of a name, if its range lies beside that of another one.
    fn merged_chunk(&self, chunk: &ChunkDef, written: &str) -> Result<&ChunkDef> {
        let name = folded_path(written)?;
        let Some(Named::Chunk(other)) = self.query.find(&name) else {
            let message = format!("\"{written}\" is not a chunk");
            return Err(Error::new(SqlState::WRONG_OBJECT_TYPE, message));
        };
        let other = self.known_chunk(other)?;
        let wrong = |message: &str, hint: &str| {
            Err(Error::new(SqlState::INVALID_PARAMETER_VALUE, message).with_hint(hint))
        };
        if other.table != chunk.table {
            let hint = "Name chunks of one hypertable.";
            return wrong("cannot merge chunks across different hypertables", hint);
        }
        if other.end != chunk.start && other.start != chunk.end {
            let hint = "Name chunks whose ranges follow each other.";
            return wrong("cannot merge chunks that are not adjacent", hint);
        }
        Ok(other)
    }
}
