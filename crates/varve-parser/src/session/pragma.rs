//! SQLite's PRAGMA: those that scripts set change nothing here, and say so.

use varve_ast::StatementBody;
use varve_lexer::Token;
use varve_types::{Error, Result};

use crate::parser::Parser;
use crate::session::no_op::noted;

/// What is to be known of a PRAGMA that is accepted.
fn notice_of(name: &str) -> Option<&'static str> {
    Some(match name {
        "journal_mode" | "wal_autocheckpoint" | "journal_size_limit" => {
            "PRAGMA changes nothing: there is a log always, and readers never wait for writers"
        }
        "busy_timeout" => {
            "PRAGMA changes nothing: no statement waits for another one's rows; of two that change \
             the same row the second gets 40001"
        }
        "auto_vacuum" | "incremental_vacuum" | "secure_delete" => {
            "PRAGMA changes nothing: space is freed in the background"
        }
        "synchronous" | "fullfsync" | "checkpoint_fullfsync" => {
            "PRAGMA changes nothing: SET synchronous_commit says what a commit survives"
        }
        "foreign_keys" | "defer_foreign_keys" => {
            "PRAGMA changes nothing: foreign keys are checked always, when their DEFERRABLE says"
        }
        "recursive_triggers" => "PRAGMA changes nothing: triggers fire for changes of triggers too",
        "cache_size" | "mmap_size" | "page_size" | "temp_store" | "cache_spill" => {
            "PRAGMA changes nothing: how much is kept in memory is said when the store is opened"
        }
        "locking_mode" => "PRAGMA changes nothing: a store is open once, for all its sessions",
        "encoding" => "PRAGMA changes nothing: texts are UTF-8",
        "optimize" | "analysis_limit" | "automatic_index" => {
            "PRAGMA changes nothing: plans need no statistics"
        }
        _ => return None,
    })
}

impl Parser<'_> {
    /// What follows `PRAGMA`: `[schema.]name [= value]`, `[schema.]name(value)`.
    pub(crate) fn pragma(&mut self) -> Result<StatementBody> {
        let name = self.parse_object_name()?.name.text;
        if self.consume_token(&Token::Eq) {
            self.pragma_value()?;
        } else if self.consume_token(&Token::LParen) {
            self.pragma_value()?;
            self.expect_token(&Token::RParen)?;
        }
        match notice_of(&name) {
            Some(notice) => Ok(noted(notice)),
            None => Err(Error::unsupported(format!("PRAGMA {name}")).with_hint(
                "Leave it out, or look for a setting with SHOW ALL; information_schema tells of \
                 tables and columns.",
            )),
        }
    }

    /// A word, a string or a number.
    fn pragma_value(&mut self) -> Result<()> {
        if matches!(self.peek(), Token::Minus | Token::Plus) {
            self.next_token();
        }
        let value = self.next_token();
        match value.token {
            Token::Word | Token::Number => Ok(()),
            token if Parser::is_string(token) => Ok(()),
            _ => Err(self.error_at(value)),
        }
    }
}
