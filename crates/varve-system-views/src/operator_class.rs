//! PostgreSQL's operator classes. Each type has one order here, so an index shows one of its
//! type's.

use varve_types::LogicalType;

/// PostgreSQL's classes for B-trees: their OIDs, their names without `_ops` and the OIDs of their
/// types, of which the first one of a type is its own.
pub const CLASSES: [(u32, &str, u32); 26] = [
    (3126, "text", 25),
    (10004, "bpchar", 1042),
    (10044, "varchar", 25),
    (4217, "text_pattern", 25),
    (4218, "varchar_pattern", 25),
    (4219, "bpchar_pattern", 1042),
    (10000, "array", ANY_ARRAY),
    (10069, "enum", ANY_ENUM),
    (10034, "record", RECORD),
    (10003, "bool", 16),
    (10006, "bytea", 17),
    (3122, "date", 1082),
    (10012, "float4", 700),
    (3123, "float8", 701),
    (1979, "int2", 21),
    (1978, "int4", 23),
    (3124, "int8", 20),
    (10022, "interval", 1186),
    (10088, "jsonb", 3802),
    (10028, "name", 19),
    (3125, "numeric", 1700),
    (1981, "oid", 26),
    (10038, "time", 1083),
    (3128, "timestamp", 1114),
    (3127, "timestamptz", 1184),
    (10065, "uuid", 2950),
];
/// The OID of `text`.
pub const TEXT: u32 = 25;
/// The OID of `character`.
pub const BPCHAR: u32 = 1042;
const ANY_ARRAY: u32 = 2277;
const ANY_ENUM: u32 = 3500;
const RECORD: u32 = 2249;

/// The OID of the type that classes of a type are for.
pub fn class_type(ty: LogicalType) -> u32 {
    match ty {
        LogicalType::Array(_) => ANY_ARRAY,
        LogicalType::Enum(_) => ANY_ENUM,
        LogicalType::Row(_) => RECORD,
        LogicalType::Varchar => TEXT,
        ty => ty.oid(),
    }
}

/// The OID of the class that an index of a type has; 0 where there is none.
pub(crate) fn class_of(ty: LogicalType) -> u32 {
    let of = class_type(ty);
    let class = CLASSES.iter().find(|(_, _, known)| *known == of);
    class.map_or(0, |(class, ..)| *class)
}
