//! One input of the block target as bytes, so that libFuzzer can work on it as a whole.
//!
//! Layout: kind (u8), rows (u16), bytes of the shared part (u32), the shared part, the vector.

use varve_codec::IntegerKind;

/// What the values of a vector are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Words.
    Words(IntegerKind),
    /// Strings.
    Strings,
    /// Bits.
    Bits,
    /// How words of 64 bits differ from [`crate::targets::reference_words`].
    SameWords,
    /// How strings differ from [`crate::targets::reference_strings`].
    SameStrings,
}

/// A vector, the shared part of its block, and what the caller knows of it.
#[derive(Clone, Debug)]
pub struct Input {
    /// What the values are.
    pub kind: Kind,
    /// How many there are.
    pub rows: u16,
    /// The shared part.
    pub shared: Vec<u8>,
    /// The vector.
    pub vector: Vec<u8>,
}

impl Input {
    /// Its bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let kind = match self.kind {
            Kind::Words(IntegerKind::Int32) => 0,
            Kind::Words(IntegerKind::Int64) => 1,
            Kind::Words(IntegerKind::Float64) => 2,
            Kind::Strings => 3,
            Kind::Bits => 4,
            Kind::SameWords => 5,
            Kind::SameStrings => 6,
        };
        let mut bytes = vec![kind];
        bytes.extend_from_slice(&self.rows.to_le_bytes());
        let shared_bytes = u32::try_from(self.shared.len()).unwrap_or(u32::MAX);
        bytes.extend_from_slice(&shared_bytes.to_le_bytes());
        bytes.extend_from_slice(&self.shared);
        bytes.extend_from_slice(&self.vector);
        bytes
    }

    /// Any bytes as an input.
    pub fn of_bytes(bytes: &[u8]) -> Option<Input> {
        let (head, rest) = bytes.split_first_chunk::<7>()?;
        let [kind, r0, r1, s0, s1, s2, s3] = *head;
        let shared_bytes = u32::from_le_bytes([s0, s1, s2, s3]) as usize;
        let (shared, vector) = rest.split_at(shared_bytes.min(rest.len()));
        Some(Input {
            kind: match kind % 7 {
                0 => Kind::Words(IntegerKind::Int32),
                1 => Kind::Words(IntegerKind::Int64),
                2 => Kind::Words(IntegerKind::Float64),
                3 => Kind::Strings,
                4 => Kind::Bits,
                5 => Kind::SameWords,
                _ => Kind::SameStrings,
            },
            rows: u16::from_le_bytes([r0, r1]) % 1100,
            shared: shared.to_vec(),
            vector: vector.to_vec(),
        })
    }
}
