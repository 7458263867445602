//! Any number of statements in one text.

use varve_parser::{ParsedStatement, STATEMENT_BYTES_MAX, Script};
use varve_types::meter::{self, metered};
use varve_types::{Pacer, Result};

use super::block::Block;
use super::request::{Request, Task};
use super::{Session, no_statement_error};
use crate::shared::result_set::ResultSet;
use crate::shared::statements::Known;

impl Session {
    /// Runs any number of statements without parameters.
    ///
    /// Outside a transaction block they are one transaction, as in PostgreSQL's simple protocol: if
    /// one fails, none of them has happened. `BEGIN` among them makes an ordinary block of it. All
    /// of the text is parsed first, so nothing happens where a statement cannot be. Its length has
    /// no limit, that of each statement has.
    pub async fn execute_script(&mut self, sql: &str) -> Result<Vec<ResultSet>> {
        self.begin_call();
        if sql.len() > STATEMENT_BYTES_MAX {
            self.cancel.allow(self.settings.statement_timeout_us);
            return match metered(self.meter(), self.count_statements(sql)).await {
                Ok(count) => self.run_script(count, &[], sql).await,
                Err(error) => self.fail_block(error).await,
            };
        }
        match self.task_of_script(sql, false) {
            Ok(Task::Text(_, Known::Tree(statements))) if statements.len() != 1 => {
                self.run_script(statements.len(), &statements, sql).await
            }
            Ok(task) => Ok(vec![self.run(Request::new(task, &[])).await?]),
            Err(error) => self.fail_block(error).await,
        }
    }

    /// Runs the `count` statements of a text: those that are at hand, or else as they are parsed.
    async fn run_script(
        &mut self,
        count: usize,
        parsed: &[ParsedStatement],
        sql: &str,
    ) -> Result<Vec<ResultSet>> {
        let mut rest = Script::new(sql)?;
        let mut results = Vec::with_capacity(parsed.len());
        while results.len() < count {
            // Also after a COMMIT among them, what follows belongs together.
            if matches!(self.block, Block::None) && results.len() + 1 < count {
                self.block = Block::Open(self.open_block(true));
            }
            let next;
            let statement = match parsed.get(results.len()) {
                Some(statement) => statement,
                None => {
                    next = rest.next().ok_or_else(no_statement_error)??;
                    &next
                }
            };
            let span = statement.statement.span;
            let own = sql.get(span.start as usize..span.end as usize);
            let task = Task::Parsed(statement, own.unwrap_or_default());
            results.push(self.run(Request::new(task, &[])).await?);
        }
        self.end_implicit_block().await?;
        Ok(results)
    }

    /// Parses a long script without keeping its trees, which would not fit the memory.
    async fn count_statements(&self, sql: &str) -> Result<usize> {
        let mut pacer = Pacer::new(&self.shared.env);
        let mut count = 0;
        for statement in Script::new(sql)? {
            statement?;
            count += 1;
            pacer.pause().await;
            meter::check()?;
        }
        Ok(count)
    }
}
