//! How kernels read their arguments.

use varve_types::{Bitmap, Column, ColumnData, ColumnRef, Error, LogicalType, Result, TextData};

/// The values of a plain or constant column, as a slice; a constant is one value.
#[derive(Clone, Copy)]
pub(crate) struct Operand<'a, T> {
    pub(crate) values: &'a [T],
    pub(crate) is_constant: bool,
}

impl<T: Copy + Default> Operand<'_, T> {
    /// Row `row`; the default past the end.
    pub(crate) fn get(&self, row: usize) -> T {
        let row = if self.is_constant { 0 } else { row };
        self.values.get(row).copied().unwrap_or_default()
    }
}

fn inner(column: &Column) -> (&ColumnData, bool) {
    match column.data() {
        ColumnData::Constant(value) => (value.data(), true),
        plain => (plain, false),
    }
}

/// A type whose columns are slices.
pub(crate) trait Native: Copy + Default + PartialEq + 'static {
    /// The values of a plain or constant column; none where its layout is another.
    fn operand(column: &Column) -> Operand<'_, Self>;
    /// Values as column data.
    fn data(values: Vec<Self>) -> ColumnData;
    /// PostgreSQL's order: NaN equals NaN and is above all other doubles.
    fn less(self, other: Self) -> bool;
    /// Equality of the same order.
    fn same(self, other: Self) -> bool;
}

macro_rules! native {
    ($ty:ty, $variant:ident, $less:expr, $same:expr) => {
        impl Native for $ty {
            fn operand(column: &Column) -> Operand<'_, $ty> {
                let (data, is_constant) = inner(column);
                let values = match data {
                    ColumnData::$variant(values) => values.as_slice(),
                    _ => &[],
                };
                Operand {
                    values,
                    is_constant,
                }
            }

            fn data(values: Vec<$ty>) -> ColumnData {
                ColumnData::$variant(values)
            }

            fn less(self, other: $ty) -> bool {
                $less(self, other)
            }

            fn same(self, other: $ty) -> bool {
                $same(self, other)
            }
        }
    };
}

native!(i32, Int32, |a, b| a < b, |a, b| a == b);
native!(i64, Int64, |a, b| a < b, |a, b| a == b);
native!(
    f64,
    Float64,
    |a: f64, b: f64| a < b || (b.is_nan() && !a.is_nan()),
    |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan())
);

/// The strings of a plain or constant text column.
#[derive(Clone, Copy)]
pub(crate) struct TextOperand<'a> {
    strings: Option<&'a TextData>,
    pub(crate) is_constant: bool,
}

impl<'a> TextOperand<'a> {
    pub(crate) fn new(column: &'a Column) -> TextOperand<'a> {
        let (data, is_constant) = inner(column);
        let strings = match data {
            ColumnData::Text(strings) => Some(strings),
            _ => None,
        };
        TextOperand {
            strings,
            is_constant,
        }
    }

    pub(crate) fn get(&self, row: usize) -> &'a str {
        let row = if self.is_constant { 0 } else { row };
        self.strings.map_or("", |strings| strings.get(row))
    }
}

/// Bits in order.
///
/// They are first written one a byte, in a loop that vectorises. Then eight bytes of 0 or 1 at a
/// time become a byte: the product moves byte `i`, whose bit is `8 * i`, to bit `56 + i`, and no
/// two partial products meet.
pub(crate) fn pack(bits: impl Iterator<Item = bool>) -> Bitmap {
    pack_bytes(&bits.map(u8::from).collect::<Vec<u8>>())
}

fn pack_bytes(bits: &[u8]) -> Bitmap {
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let (eights, rest) = bits.as_chunks::<8>();
    let mut bytes = Vec::with_capacity(bits.len().div_ceil(8));
    for eight in eights {
        let product = u64::from_le_bytes(*eight).wrapping_mul(GATHER);
        bytes.push(product.to_le_bytes()[7]);
    }
    let last = rest.iter().rev().fold(0, |byte: u8, bit| byte << 1 | bit);
    bytes.push(last);
    Bitmap::from_bytes(bytes, bits.len())
}

/// A column of conditions.
pub(crate) fn boolean_column(bits: Bitmap, validity: Option<Bitmap>) -> Result<Column> {
    Column::plain(LogicalType::Boolean, ColumnData::Boolean(bits), validity)
        .ok_or_else(|| Error::internal("a condition of unequal length"))
}

/// Rows in which no argument is NULL; `None` means all.
pub(crate) fn validity_of(args: &[ColumnRef]) -> Option<Bitmap> {
    let mut bitmaps = args.iter().filter_map(|arg| arg.validity());
    let first = bitmaps.next()?.clone();
    Some(bitmaps.fold(first, |both, bits| both.and(bits)))
}

#[cfg(test)]
mod tests {
    use super::pack;
    use proptest::prelude::{prop_assert_eq, proptest};
    use varve_types::Bitmap;

    proptest! {
        #[test]
        fn packing_is_pushing_bit_by_bit(bits: Vec<bool>) {
            let pushed: Bitmap = bits.iter().copied().collect();
            prop_assert_eq!(pack(bits.into_iter()), pushed);
        }
    }
}
