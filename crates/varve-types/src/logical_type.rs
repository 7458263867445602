//! The SQL types of columns and expressions, with their PostgreSQL names and OIDs.

use crate::{EnumId, RowTypeId};

/// How the values of a column lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PhysicalType {
    /// A bit a value.
    Bits,
    /// `i32`
    Int32,
    /// `i64`
    Int64,
    /// `f64`
    Float64,
    /// UTF-8 bytes with offsets.
    Bytes,
    /// `i128` with a decimal scale.
    Decimal,
    /// Any bytes with offsets.
    Binary,
}

macro_rules! scalar_types {
    ($($name:ident $code:literal $oid:literal $array_oid:literal $category:literal
        $physical:ident $text:literal;)*) => {
        /// A SQL type.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum LogicalType {
            $(#[doc = concat!("`", $text, "`")] $name,)*
            /// An enumeration that the catalog defines.
            Enum(EnumId),
            /// Rows, of a type that the catalog defines or of none.
            Row(RowTypeId),
            /// An array of any number of dimensions.
            Array(ElementType),
        }

        /// The type of the elements of an array: any type but an array.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum ElementType {
            $(#[doc = concat!("`", $text, "`")] $name,)*
            /// An enumeration.
            Enum(EnumId),
            /// Rows.
            Row(RowTypeId),
        }

        impl ElementType {
            /// The type of one element.
            pub const fn logical(self) -> LogicalType {
                match self {
                    $(ElementType::$name => LogicalType::$name,)*
                    ElementType::Enum(id) => LogicalType::Enum(id),
                    ElementType::Row(id) => LogicalType::Row(id),
                }
            }
        }

        impl LogicalType {
            /// Every type that needs no catalog and is no array, in the order of their codes.
            pub const ALL: [LogicalType; 27] = [$(LogicalType::$name,)*];

            /// As the element of an array; `None` for arrays.
            pub fn element_type(self) -> Option<ElementType> {
                match self {
                    $(LogicalType::$name => Some(ElementType::$name),)*
                    LogicalType::Enum(id) => Some(ElementType::Enum(id)),
                    LogicalType::Row(id) => Some(ElementType::Row(id)),
                    LogicalType::Array(_) => None,
                }
            }

            const fn facts(self) -> Facts {
                match self {
                    $(LogicalType::$name => Facts {
                        code: $code,
                        oid: $oid,
                        array_oid: $array_oid,
                        category: $category,
                        physical: PhysicalType::$physical,
                        name: $text,
                    },)*
                    LogicalType::Enum(id) => Facts {
                        code: ENUM_CODE,
                        oid: id.oid(),
                        array_oid: id.array_oid(),
                        category: b'E',
                        physical: PhysicalType::Int32,
                        name: "enum",
                    },
                    LogicalType::Row(id) => Facts {
                        code: ROW_CODE,
                        oid: id.oid(),
                        array_oid: id.array_oid(),
                        category: if id.0 == 0 { b'P' } else { b'C' },
                        physical: PhysicalType::Binary,
                        name: "record",
                    },
                    LogicalType::Array(element) => {
                        let of = element.logical().facts();
                        Facts {
                            code: of.code | ARRAY_FLAG,
                            oid: of.array_oid,
                            array_oid: 0,
                            category: b'A',
                            physical: PhysicalType::Binary,
                            name: element.array_name(),
                        }
                    }
                }
            }
        }

        impl ElementType {
            /// The name of an array of such elements.
            const fn array_name(self) -> &'static str {
                match self {
                    $(ElementType::$name => concat!($text, "[]"),)*
                    ElementType::Enum(_) => "enum[]",
                    ElementType::Row(_) => "record[]",
                }
            }
        }
    };
}

struct Facts {
    code: u8,
    oid: u32,
    array_oid: u32,
    category: u8,
    physical: PhysicalType,
    name: &'static str,
}

const ENUM_CODE: u8 = 30;
const ROW_CODE: u8 = 31;
const ARRAY_FLAG: u8 = 0x80;

// Codes are never changed and never reused.
scalar_types! {
    Boolean 1 16 1000 b'B' Bits "boolean";
    Int4 2 23 1007 b'N' Int32 "integer";
    Int8 3 20 1016 b'N' Int64 "bigint";
    Float8 4 701 1022 b'N' Float64 "double precision";
    Text 5 25 1009 b'S' Bytes "text";
    Date 6 1082 1182 b'D' Int32 "date";
    Timestamp 7 1114 1115 b'D' Int64 "timestamp without time zone";
    TimestampTz 8 1184 1185 b'D' Int64 "timestamp with time zone";
    Int2 9 21 1005 b'N' Int32 "smallint";
    Float4 10 700 1021 b'N' Float64 "real";
    Numeric 11 1700 1231 b'N' Decimal "numeric";
    Varchar 12 1043 1015 b'S' Bytes "character varying";
    Bpchar 13 1042 1014 b'S' Bytes "character";
    Bytea 14 17 1001 b'U' Binary "bytea";
    Time 15 1083 1183 b'D' Int64 "time without time zone";
    Interval 16 1186 1187 b'T' Binary "interval";
    Uuid 17 2950 2951 b'U' Binary "uuid";
    Json 18 114 199 b'U' Bytes "json";
    Jsonb 19 3802 3807 b'U' Binary "jsonb";
    Oid 20 26 1028 b'N' Int64 "oid";
    Jsonpath 21 4072 4073 b'U' Bytes "jsonpath";
    Name 22 19 1003 b'S' Bytes "name";
    Regclass 23 2205 2210 b'N' Int64 "regclass";
    Regtype 24 2206 2211 b'N' Int64 "regtype";
    Regproc 25 24 1008 b'N' Int64 "regproc";
    Regnamespace 26 4089 4090 b'N' Int64 "regnamespace";
    Regrole 27 4096 4097 b'N' Int64 "regrole";
}

impl LogicalType {
    /// The layout of this type's values in memory.
    pub fn physical(self) -> PhysicalType {
        self.facts().physical
    }

    /// The name that PostgreSQL's `format_type` gives; that of an enumeration is in the catalog.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// PostgreSQL's OID of the type.
    pub fn oid(self) -> u32 {
        self.facts().oid
    }

    /// PostgreSQL's category of the type (`pg_type.typcategory`).
    pub fn category(self) -> u8 {
        self.facts().category
    }

    /// Whether implicit conversions within its category lead to this type
    /// (`pg_type.typispreferred`).
    pub fn is_preferred(self) -> bool {
        use LogicalType::{Boolean, Float8, Interval, Oid, Text, TimestampTz};
        matches!(self, Boolean | Float8 | Text | TimestampTz | Interval | Oid)
    }

    /// The array type whose elements are of this type; `None` for arrays.
    pub fn array(self) -> Option<LogicalType> {
        self.element_type().map(LogicalType::Array)
    }

    /// The first byte of what [`LogicalType::encode`] writes.
    pub const fn code(self) -> u8 {
        self.facts().code
    }

    /// Appends the bytes that name the type in stored formats: its code, and of an enumeration or
    /// of rows its id (u32, little-endian).
    pub fn encode(self, out: &mut Vec<u8>) {
        out.push(self.code());
        let of = match self {
            LogicalType::Array(element) => element.logical(),
            other => other,
        };
        if let LogicalType::Enum(EnumId(id)) | LogicalType::Row(RowTypeId(id)) = of {
            out.extend_from_slice(&id.to_le_bytes());
        }
    }

    /// Takes a type off the front of `bytes`; `None` where they name no type.
    pub fn decode(bytes: &mut &[u8]) -> Option<LogicalType> {
        let (code, rest) = bytes.split_first()?;
        *bytes = rest;
        let of = if matches!(code & !ARRAY_FLAG, ENUM_CODE | ROW_CODE) {
            let (id, rest) = rest.split_first_chunk::<4>()?;
            *bytes = rest;
            let id = u32::from_le_bytes(*id);
            match code & !ARRAY_FLAG {
                ENUM_CODE => LogicalType::Enum(EnumId(id)),
                _ => LogicalType::Row(RowTypeId(id)),
            }
        } else {
            LogicalType::from_code(code & !ARRAY_FLAG)?
        };
        if code & ARRAY_FLAG == 0 {
            Some(of)
        } else {
            of.array()
        }
    }

    /// The type of [`LogicalType::ALL`] with this code, or `None` for a byte that names none.
    pub fn from_code(code: u8) -> Option<LogicalType> {
        LogicalType::ALL.into_iter().find(|ty| ty.code() == code)
    }

    /// The type with this OID that needs no catalog.
    pub fn from_oid(oid: u32) -> Option<LogicalType> {
        LogicalType::ALL.into_iter().find_map(|ty| {
            let array = ty.array().filter(|array| array.oid() == oid);
            if ty.oid() == oid { Some(ty) } else { array }
        })
    }

    /// Whether arithmetic is defined on the type.
    pub fn is_numeric(self) -> bool {
        self.category() == b'N' && self != LogicalType::Oid && !self.is_reg()
    }

    /// Whether values are OIDs that are written as names.
    pub fn is_reg(self) -> bool {
        use LogicalType::{Regclass, Regnamespace, Regproc, Regrole, Regtype};
        matches!(self, Regclass | Regtype | Regproc | Regnamespace | Regrole)
    }

    /// Whether values are strings of characters of one kind or another: text, varchar and
    /// character.
    pub fn is_string(self) -> bool {
        self.category() == b'S'
    }
}

/// The name; of a type of the catalog `type#` and its id, for which whoever knows the catalog
/// puts its name.
impl core::fmt::Display for LogicalType {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            LogicalType::Array(element) => write!(f, "{}[]", element.logical()),
            LogicalType::Enum(EnumId(id)) | LogicalType::Row(RowTypeId(id)) if *id > 0 => {
                write!(f, "type#{id}")
            }
            _ => f.write_str(self.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LogicalType;
    use crate::EnumId;

    #[test]
    fn bytes_name_types() {
        let scalars = LogicalType::ALL
            .into_iter()
            .chain([LogicalType::Enum(EnumId(70_000))])
            .chain([LogicalType::Row(crate::RowTypeId(70_000))]);
        for ty in scalars {
            let array = ty.array().unwrap();
            for ty in [ty, array] {
                let mut bytes = Vec::new();
                ty.encode(&mut bytes);
                bytes.push(9);
                let mut rest = &bytes[..];
                assert_eq!(LogicalType::decode(&mut rest), Some(ty));
                assert_eq!(rest, [9]);
            }
            assert_eq!(array.array(), None);
        }
        assert_eq!(LogicalType::decode(&mut &[99][..]), None);
        assert_eq!(LogicalType::decode(&mut &[30, 1][..]), None);
        assert_eq!(LogicalType::from_oid(1231).unwrap().name(), "numeric[]");
        assert_eq!(LogicalType::from_oid(1700), Some(LogicalType::Numeric));
    }
}
