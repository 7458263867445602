//! Sets of queries over known data: TPC-H and TSBS came with answers, those to ClickBench and H2O
//! are PostgreSQL's.

mod clickbench;
mod generate;
mod h2o;
mod judge;
mod known;
mod tpch;
mod tsbs;

pub use clickbench::run as clickbench;
pub use h2o::run as h2o;
pub use tpch::run as tpch;
pub use tsbs::run as tsbs;
