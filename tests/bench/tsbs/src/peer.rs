//! What other engines have to do.

use varve_tsbs::dialect::Dialect;

/// An engine beside ours.
pub trait Peer {
    /// How it spells queries.
    fn dialect(&self) -> Dialect;
    /// The seconds that each query takes when it is run for the second time, as many of them as
    /// can be run in a few seconds.
    fn seconds(&mut self, queries: &[String]) -> Vec<f64>;
}

/// What was loaded into a peer.
#[derive(Clone, Debug)]
pub struct PeerLoad {
    /// What it is called.
    pub name: &'static str,
    /// Rows of hypertables a second, indexes included.
    pub rows_per_s: f64,
    /// Of all tables and indexes.
    pub bytes: u64,
}
