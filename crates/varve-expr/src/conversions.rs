//! Which types convert to which, as in PostgreSQL.

use varve_types::{LogicalType, RowTypeId};

use LogicalType as T;

/// Whether an expression of type `from` may stand where `to` is wanted, without being asked.
pub fn implicit_cast_allowed(from: LogicalType, to: LogicalType) -> bool {
    if let (T::Array(from), T::Array(to)) = (from, to) {
        return implicit_cast_allowed(from.logical(), to.logical());
    }
    if let (T::Row(_), T::Row(to)) = (from, to) {
        return from == T::Row(to) || to == RowTypeId::RECORD;
    }
    if from.is_reg() {
        return to == T::Oid || to == from;
    }
    if to.is_reg() {
        return matches!(
            from,
            T::Int2 | T::Int4 | T::Int8 | T::Oid | T::Text | T::Varchar
        );
    }
    from == to
        || matches!(
            (from, to),
            (
                T::Int2,
                T::Int4 | T::Int8 | T::Float4 | T::Float8 | T::Numeric | T::Oid
            ) | (
                T::Int4,
                T::Int8 | T::Float4 | T::Float8 | T::Numeric | T::Oid
            ) | (T::Int8, T::Float4 | T::Float8 | T::Numeric | T::Oid)
                | (T::Numeric, T::Float4 | T::Float8)
                | (T::Float4, T::Float8)
                | (T::Text | T::Varchar | T::Bpchar, T::Name)
                | (T::Name, T::Text)
                | (T::Text | T::Varchar, T::Bpchar)
                | (T::Text | T::Bpchar, T::Varchar)
                | (T::Varchar | T::Bpchar, T::Text)
                | (T::Date, T::Timestamp | T::TimestampTz)
                | (T::Timestamp, T::TimestampTz)
                | (T::Time, T::Interval)
        )
}

/// Whether a value of type `from` may be stored in a column of type `to`.
pub fn assignment_cast_allowed(from: LogicalType, to: LogicalType) -> bool {
    if let (T::Array(from), T::Array(to)) = (from, to) {
        return assignment_cast_allowed(from.logical(), to.logical());
    }
    implicit_cast_allowed(from, to)
        || to.is_string()
        || (from == T::Row(RowTypeId::RECORD) && matches!(to, T::Row(_)))
        || (from.is_reg() && matches!(to, T::Int4 | T::Int8))
        || matches!(
            (from, to),
            (
                T::Int4 | T::Int8 | T::Float4 | T::Float8 | T::Numeric,
                T::Int2
            ) | (
                T::Int8 | T::Float4 | T::Float8 | T::Numeric | T::Oid,
                T::Int4
            ) | (T::Float4 | T::Float8 | T::Numeric | T::Oid, T::Int8)
                | (T::Float4 | T::Float8, T::Numeric)
                | (T::Float8, T::Float4)
                | (T::Timestamp, T::Date | T::Time)
                | (T::TimestampTz, T::Date | T::Timestamp | T::Time)
                | (T::Interval, T::Time)
                | (T::Json, T::Jsonb)
                | (T::Jsonb, T::Json)
        )
}

/// Whether `CAST` converts `from` to `to`.
pub fn explicit_cast_allowed(from: LogicalType, to: LogicalType) -> bool {
    if let (T::Array(from), T::Array(to)) = (from, to) {
        return explicit_cast_allowed(from.logical(), to.logical());
    }
    assignment_cast_allowed(from, to)
        || from.is_string()
        || matches!(
            (from, to),
            (T::Boolean, T::Int4)
                | (T::Int4, T::Boolean)
                | (
                    T::Jsonb,
                    T::Boolean | T::Numeric | T::Int2 | T::Int4 | T::Int8 | T::Float4 | T::Float8
                )
        )
}

/// The type of a CASE, COALESCE, IN, VALUES column or comparison over arguments of these types;
/// `None` where they do not go together. Arguments of unknown type follow the others; text where
/// all are unknown.
pub fn common_type(types: &[Option<LogicalType>]) -> Option<LogicalType> {
    let mut known = types.iter().copied().flatten();
    let Some(mut common) = known.next() else {
        return Some(T::Text);
    };
    for ty in known {
        let (up, down) = (
            implicit_cast_allowed(common, ty),
            implicit_cast_allowed(ty, common),
        );
        if up && !down {
            common = ty;
        } else if !down {
            return None;
        }
    }
    Some(common)
}
