//! The types that values of random statements have.

/// A type of SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ty {
    Bool,
    Int2,
    Int4,
    Int8,
    Float4,
    Float8,
    Numeric,
    Text,
    Varchar,
    Bpchar,
    Bytea,
    Date,
    Time,
    Timestamp,
    Timestamptz,
    Interval,
    Uuid,
    Json,
    Jsonb,
    Int4s,
    Texts,
}

use Ty::{
    Bool, Bpchar, Bytea, Date, Float4, Float8, Int2, Int4, Int4s, Int8, Interval, Json, Jsonb,
    Numeric, Text, Texts, Time, Timestamp, Timestamptz, Uuid, Varchar,
};

const NAMES: [(Ty, &str); 21] = [
    (Bool, "bool"),
    (Int2, "int2"),
    (Int4, "int4"),
    (Int8, "int8"),
    (Float4, "float4"),
    (Float8, "float8"),
    (Numeric, "numeric"),
    (Text, "text"),
    (Varchar, "varchar"),
    (Bpchar, "bpchar"),
    (Bytea, "bytea"),
    (Date, "date"),
    (Time, "time"),
    (Timestamp, "timestamp"),
    (Timestamptz, "timestamptz"),
    (Interval, "interval"),
    (Uuid, "uuid"),
    (Json, "json"),
    (Jsonb, "jsonb"),
    (Int4s, "int4[]"),
    (Texts, "text[]"),
];

impl Ty {
    pub fn all() -> impl Iterator<Item = Ty> {
        NAMES.iter().map(|(ty, _)| *ty)
    }

    pub fn name(self) -> &'static str {
        let found = NAMES.iter().find(|(ty, _)| *ty == self);
        found.map_or("text", |(_, name)| name)
    }

    pub fn of_name(name: &str) -> Option<Ty> {
        let found = NAMES.iter().find(|(_, known)| *known == name);
        found.map(|(ty, _)| *ty)
    }

    /// Whether equal values always look the same. `1.0` and `1.00` do not, nor do an hour and
    /// sixty minutes.
    pub fn is_exact(self) -> bool {
        !matches!(
            self,
            Float4 | Float8 | Numeric | Bpchar | Interval | Json | Jsonb
        )
    }

    /// Whether it has an order, and so `=`, DISTINCT and GROUP BY.
    pub fn is_comparable(self) -> bool {
        self != Json
    }

    pub fn is_integer(self) -> bool {
        matches!(self, Int2 | Int4 | Int8)
    }

    pub fn is_float(self) -> bool {
        matches!(self, Float4 | Float8)
    }

    pub fn is_number(self) -> bool {
        self.is_integer() || self.is_float() || self == Numeric
    }

    pub fn is_string(self) -> bool {
        matches!(self, Text | Varchar | Bpchar)
    }

    /// Whether two types can be compared as they are.
    pub fn goes_with(self, other: Ty) -> bool {
        self == other
            || (self.is_number() && other.is_number())
            || (self.is_string() && other.is_string() && (self == Bpchar) == (other == Bpchar))
            || matches!(
                (self, other),
                (Date, Timestamp | Timestamptz)
                    | (Timestamp | Timestamptz, Date)
                    | (Time, Interval)
                    | (Interval, Time)
            )
    }
}

/// How a column of a type is declared.
pub fn declared(ty: Ty, choice: usize) -> &'static str {
    let ways: &[&str] = match ty {
        Numeric => &["numeric(10,2)", "numeric", "numeric(8,3)"],
        Varchar => &["varchar(20)", "varchar"],
        Bpchar => &["char(5)"],
        Timestamp => &["timestamp", "timestamp(3)"],
        other => &[other.name()],
    };
    ways[choice % ways.len()]
}
