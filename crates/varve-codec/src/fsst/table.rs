//! The symbol table: what decoding needs, and its bytes.

use super::{SYMBOL_BYTES_MAX, SYMBOLS_MAX};
use crate::CodecError;
use crate::reader::ByteReader;

/// A string of one to eight bytes; the first byte is the least significant, unused ones are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Symbol {
    pub(super) packed: u64,
    pub(super) len: u8,
}

impl Symbol {
    pub(super) fn of_byte(byte: u8) -> Symbol {
        Symbol {
            packed: u64::from(byte),
            len: 1,
        }
    }

    /// The first eight bytes of `self` followed by `next`.
    pub(super) fn followed_by(self, next: Symbol) -> Symbol {
        let bytes = u64::from(self.len + next.len).min(SYMBOL_BYTES_MAX as u64);
        let joined = match next.packed.checked_shl(8 * u32::from(self.len)) {
            Some(tail) => self.packed | tail,
            None => self.packed,
        };
        Symbol {
            packed: joined & low_bytes(bytes),
            len: bytes.to_le_bytes()[0],
        }
    }

    pub(super) fn first_byte(self) -> u8 {
        self.packed.to_le_bytes()[0]
    }

    /// Ascends by length, then by bytes, as codes do; below 2^72. All lists are sorted as `u128`,
    /// so that the code of sorting is there once.
    pub(super) fn order(self) -> u128 {
        u128::from(self.len) << 64 | u128::from(self.packed.swap_bytes())
    }

    /// The symbol with this order.
    pub(super) fn of_order(order: u128) -> Symbol {
        Symbol {
            packed: low(order).swap_bytes(),
            len: low(order >> 64).to_le_bytes()[0],
        }
    }
}

/// The low half.
pub(super) fn low(number: u128) -> u64 {
    u64::try_from(number & u128::from(u64::MAX)).unwrap_or_default()
}

/// A mask of the first `bytes` bytes, one to eight.
fn low_bytes(bytes: u64) -> u64 {
    u64::MAX >> (64 - 8 * bytes)
}

/// At most 255 different symbols; code `c` stands for the symbol at `c`.
#[derive(Clone, Debug)]
pub(crate) struct SymbolTable {
    /// Past the last symbol all are 0, so that any byte may index.
    pub(super) packed: [u64; 256],
    pub(super) lengths: [u8; 256],
    pub(super) symbols: u8,
}

impl SymbolTable {
    /// Puts the symbols, all different, in the order of their codes. Those past 255 are left out.
    pub(super) fn new(symbols: &[Symbol]) -> SymbolTable {
        let symbols = symbols.iter().take(SYMBOLS_MAX);
        let mut orders: Vec<u128> = symbols.map(|symbol| symbol.order()).collect();
        varve_sort::sort(&mut orders);
        let mut table = SymbolTable::empty();
        for order in orders {
            table.push(Symbol::of_order(order));
        }
        table
    }

    fn empty() -> SymbolTable {
        SymbolTable {
            packed: [0; 256],
            lengths: [0; 256],
            symbols: 0,
        }
    }

    fn push(&mut self, symbol: Symbol) {
        let code = usize::from(self.symbols);
        if let (Some(packed), Some(len)) = (self.packed.get_mut(code), self.lengths.get_mut(code)) {
            *packed = symbol.packed;
            *len = symbol.len;
        }
        self.symbols = self.symbols.saturating_add(1);
    }

    pub(super) fn symbols(&self) -> impl Iterator<Item = Symbol> + '_ {
        let stored = self.packed.iter().zip(&self.lengths);
        let symbols = stored.map(|(packed, len)| Symbol {
            packed: *packed,
            len: *len,
        });
        symbols.take(usize::from(self.symbols))
    }

    /// Bytes of [`SymbolTable::write`].
    #[cfg(test)]
    pub(crate) fn written_bytes(&self) -> usize {
        let symbols = self.symbols().map(|symbol| usize::from(symbol.len));
        SYMBOL_BYTES_MAX + symbols.sum::<usize>()
    }

    /// Appends the table: how many symbols each length has, then their bytes.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        for len in 1..=8_u8 {
            let symbols = self.symbols().filter(|symbol| symbol.len == len);
            out.push(symbols.fold(0, |count: u8, _| count.saturating_add(1)));
        }
        for symbol in self.symbols() {
            let bytes = symbol.packed.to_le_bytes();
            out.extend(bytes.iter().take(usize::from(symbol.len)));
        }
    }

    /// What [`SymbolTable::write`] wrote, from the front of `reader`.
    pub(crate) fn read(reader: &mut ByteReader<'_>) -> Result<SymbolTable, CodecError> {
        let counts = reader.take(SYMBOL_BYTES_MAX)?;
        let total: usize = counts.iter().map(|count| usize::from(*count)).sum();
        if total > SYMBOLS_MAX {
            return Err(CodecError::Malformed("FSST symbol count"));
        }
        let mut table = SymbolTable::empty();
        let mut last = Symbol::default();
        for (len, count) in (1..=8_u8).zip(counts) {
            for _ in 0..*count {
                let mut packed = [0; SYMBOL_BYTES_MAX];
                for (to, from) in packed.iter_mut().zip(reader.take(usize::from(len))?) {
                    *to = *from;
                }
                let symbol = Symbol {
                    packed: u64::from_le_bytes(packed),
                    len,
                };
                if symbol.order() <= last.order() {
                    return Err(CodecError::Malformed("FSST symbol order"));
                }
                table.push(symbol);
                last = symbol;
            }
        }
        Ok(table)
    }
}
