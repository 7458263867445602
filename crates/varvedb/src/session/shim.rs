use varve_types::{Error, Result};
pub(super) type SavepointId = u32;
pub(super) trait Shim {
    fn savepoint(&mut self) -> SavepointId;
    fn rollback_to(&mut self, id: SavepointId) -> Result<()>;
    fn release(&mut self, id: SavepointId) -> Result<()>;
}
impl Shim for varve_store::Transaction {
    fn savepoint(&mut self) -> SavepointId {
        0
    }
    fn rollback_to(&mut self, _id: SavepointId) -> Result<()> {
        Err(Error::unsupported("ROLLBACK TO"))
    }
    fn release(&mut self, _id: SavepointId) -> Result<()> {
        Ok(())
    }
}
