//! What each engine does in each case.

use crate::rows::{Order, Orders};

/// How durable a commit is when it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// On the disk.
    Strict,
    /// With the operating system.
    Relaxed,
    /// In memory, written within milliseconds.
    Async,
}

/// Where an engine keeps its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In memory only.
    Memory,
    /// In a folder of its own.
    Disk,
}

/// A database with the table `orders`, whose statements are prepared.
pub trait Engine {
    /// Brings the orders into the form in which a program would have them.
    fn prepare(&mut self, _: &Orders) {}
    /// Loads all orders into the empty table in the fastest way that checks all constraints.
    fn load(&mut self, orders: &Orders);
    /// Sets what later commits promise.
    fn set_durability(&mut self, durability: Durability);
    /// Inserts rows, each in a transaction of its own.
    fn insert_each(&mut self, rows: &[Order<'_>]);
    /// Inserts rows in one transaction, a statement a row.
    fn insert_batch(&mut self, rows: &[Order<'_>]);
    /// The price of the order with this id, by primary key.
    fn lookup(&mut self, id: i64) -> Option<f64>;
    /// The sum of prices, read row by row, and the number of orders with ids from `from` to `to`.
    fn range(&mut self, from: i64, to: i64) -> (f64, usize);
    /// Sets the price of each order, a statement a row, in one transaction.
    fn update_batch(&mut self, ids: &[i64], price: f64);
    /// Deletes orders with ids from `from` to `to`; answers how many there were.
    fn delete_range(&mut self, from: i64, to: i64) -> u64;
    /// The number of orders.
    fn count(&mut self) -> i64;
    /// Gives back what deleted rows took, and answers the bytes that the store takes then.
    fn compact(&mut self) -> u64;
    /// Bytes written so far over bytes of rows given, where the engine tells.
    fn write_amplification(&mut self) -> Option<f64>;
    /// Closes it, background work included; false where it would then be gone for good.
    fn close(&mut self) -> bool;
    /// Opens it again.
    fn open(&mut self);
}
