//! What is printed and written: tables, targets, charts, JSON.

mod chart;
mod json;
mod markdown;
pub mod machine;
pub mod ours;
pub mod run;
pub mod table;
mod targets;
