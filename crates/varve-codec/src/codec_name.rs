//! The codecs that a column can be asked to have, and their names.

/// What a column is to be encoded with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Codec {
    /// The best cascade for each block.
    #[default]
    Auto,
    /// Values as they are.
    Plain,
    /// Doubles as scaled integers; those that are none cut in two (ALP, ALP-RD).
    Alp,
    /// Doubles XORed with the one before.
    Gorilla,
    /// Doubles XORed with one of the 128 before (Chimp128).
    Chimp,
    /// Distances from value to value.
    Delta,
    /// Changes of those distances, by Simple-8b with runs.
    DeltaOfDelta,
    /// Codes of a dictionary.
    Dictionary,
    /// Codes of one dictionary for the block; unsuited where it has many values.
    SharedDictionary,
    /// Runs of equal values.
    RunEnds,
    /// Text by a table of symbols.
    Fsst,
    /// Values as they are under zstd.
    Zstd,
    /// Values as they are under LZ4.
    Lz4,
}

impl Codec {
    /// All of them.
    pub const ALL: [Codec; 13] = [
        Codec::Auto,
        Codec::Plain,
        Codec::Alp,
        Codec::Gorilla,
        Codec::Chimp,
        Codec::Delta,
        Codec::DeltaOfDelta,
        Codec::Dictionary,
        Codec::SharedDictionary,
        Codec::RunEnds,
        Codec::Fsst,
        Codec::Zstd,
        Codec::Lz4,
    ];

    /// Its name in reports and errors; SQL's spellings are those of `varve_types::Compression`.
    pub fn name(self) -> &'static str {
        match self {
            Codec::Auto => "auto",
            Codec::Plain => "plain",
            Codec::Alp => "alp",
            Codec::Gorilla => "gorilla",
            Codec::Chimp => "chimp",
            Codec::Delta => "delta",
            Codec::DeltaOfDelta => "dod",
            Codec::Dictionary => "dict",
            Codec::SharedDictionary => "shared-dict",
            Codec::RunEnds => "rle",
            Codec::Fsst => "fsst",
            Codec::Zstd => "zstd",
            Codec::Lz4 => "lz4",
        }
    }
}

impl core::fmt::Display for Codec {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}

/// No codec has this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownCodec;

impl core::fmt::Display for UnknownCodec {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("no codec has this name")
    }
}

impl core::error::Error for UnknownCodec {}

impl core::str::FromStr for Codec {
    type Err = UnknownCodec;

    /// In any case of its letters.
    fn from_str(name: &str) -> Result<Codec, UnknownCodec> {
        let named = |codec: &Codec| codec.name().eq_ignore_ascii_case(name);
        Codec::ALL.into_iter().find(named).ok_or(UnknownCodec)
    }
}

#[cfg(test)]
mod tests {
    use super::{Codec, UnknownCodec};

    #[test]
    fn names_are_read_back() {
        for codec in Codec::ALL {
            assert_eq!(codec.to_string().to_uppercase().parse(), Ok(codec));
        }
        assert_eq!("brotli".parse::<Codec>(), Err(UnknownCodec));
    }
}
