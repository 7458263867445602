//! A dump by a session, in a transaction of its own.

use std::sync::Arc;

use varve_catalog::Catalog;
use varve_dump::{Answer, DumpOptions, DumpSink, DumpSource};
use varve_types::{Error, LocalFuture, Result, SqlState};

use super::Session;

impl Session {
    /// Writes the database as it is now to `out`. In a transaction block it answers `25001`.
    ///
    /// Where rows are damaged it writes all others, then answers `XX001` with the names of the
    /// tables.
    pub async fn dump(&mut self, options: DumpOptions, out: &mut DumpSink<'_>) -> Result<()> {
        if self.in_transaction() {
            let message = "a dump cannot run inside a transaction block";
            return Err(Error::new(SqlState::ACTIVE_SQL_TRANSACTION, message));
        }
        let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
        self.query(begin, &[]).await?;
        let dumped = varve_dump::dump(self, options, out).await;
        let ended = self.query("ROLLBACK", &[]).await;
        dumped.and(ended.map(drop))
    }
}

impl DumpSource for Session {
    fn query<'a>(&'a mut self, sql: &'a str) -> LocalFuture<'a, Result<Answer>> {
        Box::pin(async move {
            let result = Session::query(self, sql, &[]).await?;
            Ok(Answer {
                fields: result.fields,
                batches: result.batches,
                locale: result.locale,
                copied: result.copied,
            })
        })
    }

    fn catalog(&mut self) -> Result<Arc<Catalog>> {
        self.catalog_of_block()
    }

    fn sequence_value<'a>(&'a mut self, name: &'a str) -> LocalFuture<'a, Result<(i64, bool)>> {
        Box::pin(self.value_of_sequence(name))
    }
}
