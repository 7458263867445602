//! What is printed and written: tables, targets, charts, JSON.

pub mod chart;
mod json;
pub mod machine;
mod markdown;
pub mod ours;
pub mod run;
pub mod table;
mod targets;
