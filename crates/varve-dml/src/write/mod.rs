//! Changes of rows, with all that the table promises of them.

mod children;
pub mod chunks;
pub(crate) mod deferred;
mod foreign_key_chain;
mod foreign_key_look;
mod foreign_key_settle;
pub(crate) mod foreign_keys;
pub mod index;
mod merge;
pub mod notes;
pub mod route;
pub(crate) mod runner;
pub(crate) mod statement;
pub(crate) mod statement_txn;
pub mod table_rows;
pub(crate) mod triggers;
mod upsert;
mod waiting_keys;
pub(crate) mod writer;
