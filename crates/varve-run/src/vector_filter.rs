//! Tests of one column that are answered on its encoded vectors.

use varve_codec::{
    ByteReader, CodecError, Comparison, DecodedBits, IntegerPredicate, StringPredicate,
    decode_bits, filter_bits, filter_integers, filter_strings, filters_integers_encoded,
    filters_strings_encoded, split_bits, spread_bits,
};
use varve_types::{CompareOp, LogicalType, PhysicalType, PredicateTest, Selection, Value};

use crate::vector::{TEXT_BYTES_MAX, VectorFormat, integer_kind};

/// A test of the values of one type, made ready for any number of vectors.
#[derive(Clone, Debug)]
pub struct VectorFilter {
    ty: LogicalType,
    test: Test,
}

#[derive(Clone, Debug)]
enum Test {
    /// Whether the value must be there (or must not).
    Present(bool),
    /// Whether false passes, and whether true does.
    Bits([bool; 2]),
    Integers(IntegerPredicate),
    Strings(StringPredicate),
}

impl VectorFilter {
    /// The filter of a test; `None` where a constant is not of the column's type or equal values of
    /// the type may be stored as different bytes.
    pub fn new(ty: LogicalType, test: &PredicateTest) -> Option<VectorFilter> {
        let (op, constants) = match test {
            PredicateTest::IsNull => return Some(VectorFilter::of(ty, Test::Present(false))),
            PredicateTest::IsNotNull => return Some(VectorFilter::of(ty, Test::Present(true))),
            PredicateTest::Compare(op, constant) => (Some(*op), core::slice::from_ref(constant)),
            PredicateTest::In(constants) => (None, constants.as_slice()),
        };
        let is_constant = |value: &Value| !value.is_null() && value.is_of(ty);
        if !constants.iter().all(is_constant) {
            return None;
        }
        let test = match ty {
            LogicalType::Boolean => {
                Test::Bits([false, true].map(|bit| test.accepts(&Value::Boolean(bit))))
            }
            LogicalType::Text
            | LogicalType::Varchar
            | LogicalType::Name
            | LogicalType::Bytea
            | LogicalType::Uuid => Test::Strings(strings(op, constants)),
            LogicalType::Float4 | LogicalType::Float8 => Test::Integers(doubles(op, constants)),
            ty if matches!(ty.physical(), PhysicalType::Int32 | PhysicalType::Int64) => {
                Test::Integers(scaled_integers(op, constants))
            }
            // Equal values have different bytes.
            _ => return None,
        };
        Some(VectorFilter::of(ty, test))
    }

    fn of(ty: LogicalType, test: Test) -> VectorFilter {
        VectorFilter { ty, test }
    }
}

fn scaled_integers(op: Option<CompareOp>, constants: &[Value]) -> IntegerPredicate {
    let mut integers = constants.iter().filter_map(Value::integer);
    match (op, integers.clone().next()) {
        (Some(op), Some(integer)) => IntegerPredicate::integer(comparison(op), integer),
        _ => IntegerPredicate::integer_in(&mut integers),
    }
}

fn doubles(op: Option<CompareOp>, constants: &[Value]) -> IntegerPredicate {
    let mut doubles = constants.iter().filter_map(Value::double);
    match (op, doubles.clone().next()) {
        (Some(op), Some(double)) => IntegerPredicate::double(comparison(op), double),
        _ => IntegerPredicate::double_in(&mut doubles),
    }
}

fn strings(op: Option<CompareOp>, constants: &[Value]) -> StringPredicate {
    let mut texts = constants.iter().filter_map(|value| match value {
        Value::Text(text) => Some(text.as_bytes()),
        Value::Bytea(bytes) => Some(&**bytes),
        Value::Uuid(bytes) => Some(bytes.as_slice()),
        _ => None,
    });
    match (op, texts.clone().next()) {
        (Some(op), Some(text)) => StringPredicate::compare(comparison(op), text),
        _ => StringPredicate::any_of(&mut texts),
    }
}

fn comparison(op: CompareOp) -> Comparison {
    match op {
        CompareOp::Eq => Comparison::Eq,
        CompareOp::NotEq => Comparison::NotEq,
        CompareOp::Lt => Comparison::Lt,
        CompareOp::LtEq => Comparison::LtEq,
        CompareOp::Gt => Comparison::Gt,
        CompareOp::GtEq => Comparison::GtEq,
    }
}

impl VectorFormat {
    /// The rows that pass, NULLs not among them unless they are asked for; `None` where only
    /// decoding can tell.
    pub(crate) fn filter(
        &self,
        bytes: &[u8],
        rows: usize,
        filter: &VectorFilter,
    ) -> Result<Option<Selection>, CodecError> {
        if filter.ty != self.ty {
            return Ok(None);
        }
        let (validity, values) = split_bits(bytes, rows)?;
        if let Test::Present(wanted) = filter.test {
            return Ok(Some(selection(filter_bits(validity, rows, wanted)?, rows)));
        }
        let present = decode_bits(validity, rows)?;
        if present == DecodedBits::Constant(false) {
            ByteReader::new(values).end()?;
            return Ok(Some(Selection::default()));
        }
        let bits = match &filter.test {
            Test::Present(_) | Test::Bits([false, false]) => DecodedBits::Constant(false),
            Test::Bits([true, true]) => present,
            Test::Bits([_, wanted]) => filter_bits(values, rows, *wanted)?.and(present),
            Test::Integers(predicate) => {
                if !filters_integers_encoded(values) {
                    return Ok(None);
                }
                let kind = integer_kind(self.ty);
                filter_integers(kind, &self.shared, values, rows, predicate)?.and(present)
            }
            Test::Strings(predicate) => {
                if !filters_strings_encoded(values) {
                    return Ok(None);
                }
                let stored = present.count_ones(rows);
                let bits = filter_strings(&self.shared, values, stored, TEXT_BYTES_MAX, predicate)?;
                spread_bits(&bits, &present, rows)
            }
        };
        Ok(Some(selection(bits, rows)))
    }
}

fn selection(bits: DecodedBits, rows: usize) -> Selection {
    match bits {
        DecodedBits::Constant(false) => Selection::default(),
        DecodedBits::Constant(true) => Selection::all(rows),
        DecodedBits::Plain(bits) => {
            let ones = bits.iter().map(|byte| byte.count_ones() as usize).sum();
            let mut chosen = Vec::with_capacity(ones);
            for (first, byte) in (0..).step_by(8).zip(&bits) {
                let mut left = *byte;
                while left != 0 {
                    chosen.push(first + left.trailing_zeros());
                    left &= left - 1;
                }
            }
            Selection::new(chosen)
        }
    }
}
