//! What is printed and written: tables, targets, charts, JSON.

mod chart;
mod json;
mod markdown;
pub mod ours;
pub mod run;
mod table;
mod targets;
