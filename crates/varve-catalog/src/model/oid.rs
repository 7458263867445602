//! The OIDs of the objects of the catalog. They follow from its ids, and so stay what they are:
//! each object and each tree has sixteen numbers.

use varve_types::ObjectId;

/// The first OID that an object may have.
pub const FIRST_OID: u64 = 1 << 20;

/// The OID of number `number` of an object, where each object has `each` numbers from `first` on.
pub fn numbered(first: u64, id: u64, each: u64, number: u64) -> u32 {
    let wide = first
        .wrapping_add(id.wrapping_mul(each))
        .wrapping_add(number);
    u32::try_from(wide & 0x7fff_ffff).unwrap_or(0)
}

/// The OID of a relation.
pub fn relation_oid(object: ObjectId) -> u32 {
    numbered(FIRST_OID, object.0, 16, 0)
}

/// The object whose relation has this OID.
pub fn object_of(number: u32) -> Option<ObjectId> {
    let past = u64::from(number).checked_sub(FIRST_OID)?;
    (past % 16 == 0).then_some(ObjectId(past / 16))
}
