//! Hashes that are the same everywhere, for maps of distinct values.

use std::hash::{BuildHasherDefault, Hasher};

use crate::distinct::{hash_bytes, mix};

/// Hashes integers the same way everywhere; the order of the map never shows in the bytes.
pub(crate) type IntegerHashing = BuildHasherDefault<IntegerHasher>;

/// A weak, quick hash of one integer.
#[derive(Debug, Default)]
pub(crate) struct IntegerHasher(u64);

impl Hasher for IntegerHasher {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = mix(self.0, u64::from(*byte));
        }
    }

    fn write_i64(&mut self, integer: i64) {
        self.0 = mix(self.0, integer.cast_unsigned());
    }
}

/// Hashes strings the same way everywhere; the order of the map never shows in the bytes.
pub(crate) type StringHashing = BuildHasherDefault<StringHasher>;

/// A weak, quick hash of one string.
#[derive(Debug, Default)]
pub(crate) struct StringHasher(u64);

impl Hasher for StringHasher {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 ^= hash_bytes(bytes);
    }

    fn write_usize(&mut self, _: usize) {
        // The length, whose width differs from target to target; the bytes' hash has it.
    }
}
