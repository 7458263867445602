//! The clauses of CREATE INDEX that need no table to be understood.
//!
//! They go whole from the parser into the definition of the index, which keeps their byte and shows
//! their words: one more of them is added here and in the parser, and read where it is obeyed.
//!
//! | bits of the byte | |
//! |---|---|
//! | 1 and 2 | 0 not unique, 1 unique, 2 unique and NULLs are equal |

/// What is said of an index beside its columns and its condition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexOptions {
    /// `UNIQUE`
    pub is_unique: bool,
    /// `NULLS NOT DISTINCT`, of what is unique.
    pub nulls_not_distinct: bool,
}

impl IndexOptions {
    /// `UNIQUE`, and nothing else.
    pub const UNIQUE: IndexOptions = IndexOptions {
        is_unique: true,
        nulls_not_distinct: false,
    };

    /// The byte that an index keeps them as.
    pub fn byte(self) -> u8 {
        match (self.is_unique, self.nulls_not_distinct) {
            (false, _) => 0,
            (true, false) => 1,
            (true, true) => 2,
        }
    }

    /// The options that a byte stands for; `None` where it stands for none.
    pub fn from_byte(byte: u8) -> Option<IndexOptions> {
        let uniqueness = byte & 3;
        let options = IndexOptions {
            is_unique: uniqueness != 0,
            nulls_not_distinct: uniqueness == 2,
        };
        (options.byte() == byte).then_some(options)
    }

    /// What is written before INDEX.
    pub fn words_before(self) -> &'static str {
        match self.is_unique {
            true => "UNIQUE ",
            false => "",
        }
    }

    /// What is written behind the columns, in the order of the grammar; empty where it is not said.
    pub fn words_behind(self) -> [&'static str; 1] {
        let nulls = match self.nulls_not_distinct {
            true => " NULLS NOT DISTINCT",
            false => "",
        };
        [nulls]
    }
}

#[cfg(test)]
mod tests {
    use super::IndexOptions;

    #[test]
    fn a_byte_is_what_gives_it_or_nothing() {
        let read: Vec<IndexOptions> = (0..=u8::MAX).filter_map(IndexOptions::from_byte).collect();
        let bytes: Vec<u8> = read.iter().map(|options| options.byte()).collect();
        assert_eq!(bytes, [0, 1, 2]);
    }
}
