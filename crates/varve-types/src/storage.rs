//! How a user wants a table to be stored: what `STORAGE`, `COMPRESSION` and the storage options of
//! a table say, apart from the words that say it.

use core::fmt;
use core::ops::RangeInclusive;
use core::str::FromStr;

use crate::{LogicalType, Partition, PhysicalType};

/// The lowest level of zstd.
const ZSTD_LEVEL_MIN: u8 = 1;
/// The highest level of zstd.
const ZSTD_LEVEL_MAX: u8 = 19;
/// The level of zstd where none is given.
const ZSTD_LEVEL_DEFAULT: u8 = 3;

/// What a column's values are laid out for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StorageMode {
    /// Whatever the values suggest.
    #[default]
    Default,
    /// Few distinct values: codes of a dictionary, as long as they are few.
    Dictionary,
    /// Read column by column. That is how every column lies, so it changes nothing else.
    Columnar,
    /// Large values are stored once, whatever rows and tables have them.
    ContentAddressed,
}

impl StorageMode {
    /// All of them, by their codes.
    pub const ALL: [StorageMode; 4] = [
        StorageMode::Default,
        StorageMode::Dictionary,
        StorageMode::Columnar,
        StorageMode::ContentAddressed,
    ];

    /// As written in SQL.
    pub fn name(self) -> &'static str {
        match self {
            StorageMode::Default => "default",
            StorageMode::Dictionary => "dictionary",
            StorageMode::Columnar => "columnar",
            StorageMode::ContentAddressed => "content_addressed",
        }
    }

    /// Whether columns of a type can have it.
    pub fn suits(self, ty: LogicalType) -> bool {
        match self {
            StorageMode::Default | StorageMode::Columnar => true,
            StorageMode::Dictionary => ty.physical() != PhysicalType::Bits,
            StorageMode::ContentAddressed => matches!(
                ty,
                LogicalType::Text
                    | LogicalType::Varchar
                    | LogicalType::Json
                    | LogicalType::Jsonb
                    | LogicalType::Bytea
            ),
        }
    }
}

/// What a column is compressed with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Compression {
    /// The best cascade for each block, under the page codec of the table.
    #[default]
    Auto,
    /// Values as they are.
    Plain,
    /// Doubles as scaled integers.
    Alp,
    /// Doubles XORed with the one before.
    Gorilla,
    /// Doubles XORed with one of the 128 before.
    Chimp,
    /// Distances from value to value.
    Delta,
    /// Changes of those distances.
    DeltaOfDelta,
    /// Codes of a dictionary.
    Dictionary,
    /// Runs of equal values.
    RunEnds,
    /// Text by a table of symbols.
    Fsst,
    /// Values as they are under LZ4.
    Lz4,
    /// Values as they are under zstd of a level, 1 to 19.
    Zstd(u8),
    /// Each value under zstd by itself, with the dictionary that was chosen for it.
    ZstdValues,
}

impl Compression {
    /// All of them, by their codes; zstd at its default level.
    pub const ALL: [Compression; 13] = [
        Compression::Auto,
        Compression::Plain,
        Compression::Alp,
        Compression::Gorilla,
        Compression::Chimp,
        Compression::Delta,
        Compression::DeltaOfDelta,
        Compression::Dictionary,
        Compression::RunEnds,
        Compression::Fsst,
        Compression::Lz4,
        Compression::Zstd(ZSTD_LEVEL_DEFAULT),
        Compression::ZstdValues,
    ];

    /// As written in SQL, without a level.
    pub fn name(self) -> &'static str {
        match self {
            Compression::Auto => "auto",
            Compression::Plain => "plain",
            Compression::Alp => "alp",
            Compression::Gorilla => "gorilla",
            Compression::Chimp => "chimp",
            Compression::Delta => "delta",
            Compression::DeltaOfDelta => "dod",
            Compression::Dictionary => "dict",
            Compression::RunEnds => "rle",
            Compression::Fsst => "fsst",
            Compression::Lz4 => "lz4",
            Compression::Zstd(_) => "zstd",
            Compression::ZstdValues => "zstd_values",
        }
    }

    /// Whether columns of a type can have it.
    pub fn suits(self, ty: LogicalType) -> bool {
        let physical = ty.physical();
        let is_text = matches!(physical, PhysicalType::Bytes | PhysicalType::Binary);
        let is_double = physical == PhysicalType::Float64;
        let is_integer = matches!(physical, PhysicalType::Int32 | PhysicalType::Int64);
        match self {
            Compression::Auto => true,
            Compression::Alp | Compression::Gorilla | Compression::Chimp => is_double,
            Compression::Delta | Compression::DeltaOfDelta => is_integer,
            Compression::Fsst => is_text,
            Compression::ZstdValues => matches!(
                ty,
                LogicalType::Text
                    | LogicalType::Varchar
                    | LogicalType::Json
                    | LogicalType::Jsonb
                    | LogicalType::Bytea
            ),
            // Bits are stored as bits or as runs of them, by vector.
            Compression::Plain
            | Compression::Dictionary
            | Compression::RunEnds
            | Compression::Lz4
            | Compression::Zstd(_) => physical != PhysicalType::Bits,
        }
    }
}

impl fmt::Display for Compression {
    /// As [`Compression::from_str`] reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Compression::Zstd(level) => write!(f, "({level})"),
            _ => Ok(()),
        }
    }
}

/// Why something is no compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoCompression {
    /// None has this name.
    Name,
    /// It has no levels.
    Level,
    /// Its levels are 1 to 19.
    LevelOutside,
}

impl FromStr for Compression {
    type Err = NoCompression;

    /// A name in any case of its letters; `zstd` with a level in parentheses or without.
    fn from_str(text: &str) -> Result<Compression, NoCompression> {
        let (name, level) = match text.split_once('(') {
            Some((name, level)) => (name, level.strip_suffix(')').or(Some("?"))),
            None => (text, None),
        };
        let named = |known: &Compression| known.name().eq_ignore_ascii_case(name.trim());
        let found = Compression::ALL.into_iter().find(named);
        match (found.ok_or(NoCompression::Name)?, level) {
            (found, None) => Ok(found),
            (Compression::Zstd(_), Some(level)) => {
                let level = level
                    .trim()
                    .parse()
                    .map_err(|_| NoCompression::LevelOutside)?;
                let is_level = (ZSTD_LEVEL_MIN..=ZSTD_LEVEL_MAX).contains(&level);
                is_level
                    .then_some(Compression::Zstd(level))
                    .ok_or(NoCompression::LevelOutside)
            }
            _ => Err(NoCompression::Level),
        }
    }
}

/// What the pages of a table's columns are compressed with, beneath the cascades that are chosen
/// by themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PageCodec {
    /// LZ4 where it saves more than a tenth, but for key columns.
    #[default]
    Lz4,
    /// Nothing.
    None,
    /// zstd of a level, but for key columns.
    Zstd(u8),
}

impl fmt::Display for PageCodec {
    /// As written in SQL.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PageCodec::Lz4 => f.write_str("lz4"),
            PageCodec::None => f.write_str("none"),
            PageCodec::Zstd(level) => Compression::Zstd(*level).fmt(f),
        }
    }
}

impl FromStr for PageCodec {
    type Err = NoCompression;

    fn from_str(text: &str) -> Result<PageCodec, NoCompression> {
        if text.eq_ignore_ascii_case("none") {
            return Ok(PageCodec::None);
        }
        match text.parse()? {
            Compression::Lz4 => Ok(PageCodec::Lz4),
            Compression::Zstd(level) => Ok(PageCodec::Zstd(level)),
            _ => Err(NoCompression::Name),
        }
    }
}

/// How one column is to be stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ColumnStorage {
    /// What its values are laid out for.
    pub mode: StorageMode,
    /// What they are compressed with.
    pub compression: Compression,
}

/// Shorter values of a content-addressed column lie in their rows, where a table says nothing else.
pub const CONTENT_BYTES_MIN_DEFAULT: u32 = 1024;
/// What a table may say instead.
pub const CONTENT_BYTES_MIN_RANGE: RangeInclusive<u32> = 64..=1 << 20;

/// How a whole table is to be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeOptions {
    /// What pages are compressed with.
    pub pages: PageCodec,
    /// Whether that holds for pages of key columns too. Reading one row then decodes a page.
    pub pages_of_keys: bool,
    /// Shorter values of a content-addressed column lie in their rows; one of
    /// [`CONTENT_BYTES_MIN_RANGE`].
    pub content_bytes_min: u32,
    /// The version of the schema with which what is said of storage changed last: runs of older
    /// ones are to be written again. 0 where it never did.
    pub version: u32,
    /// What rows are kept apart by. It needs no other version: runs tell by themselves whether they
    /// lie in one partition.
    pub partition: Option<Partition>,
}

impl Default for TreeOptions {
    fn default() -> TreeOptions {
        TreeOptions {
            pages: PageCodec::default(),
            pages_of_keys: false,
            content_bytes_min: CONTENT_BYTES_MIN_DEFAULT,
            version: 0,
            partition: None,
        }
    }
}

/// Bytes of a [`ColumnStorage`].
pub const STORAGE_BYTES: usize = 3;

impl ColumnStorage {
    /// Whether nothing was asked for.
    pub fn is_default(self) -> bool {
        self == ColumnStorage::default()
    }

    /// Mode, compression and level.
    pub fn to_bytes(self) -> [u8; STORAGE_BYTES] {
        let mode = code_of(&StorageMode::ALL, |known| *known == self.mode);
        let compression = code_of(&Compression::ALL, |known| {
            core::mem::discriminant(known) == core::mem::discriminant(&self.compression)
        });
        let level = match self.compression {
            Compression::Zstd(level) => level,
            _ => 0,
        };
        [mode, compression, level]
    }

    /// What [`ColumnStorage::to_bytes`] wrote.
    pub fn from_bytes([mode, compression, level]: [u8; STORAGE_BYTES]) -> Option<ColumnStorage> {
        let compression = match (Compression::ALL.get(usize::from(compression))?, level) {
            (Compression::Zstd(_), ZSTD_LEVEL_MIN..=ZSTD_LEVEL_MAX) => Compression::Zstd(level),
            (Compression::Zstd(_), _) => return None,
            (compression, 0) => *compression,
            _ => return None,
        };
        Some(ColumnStorage {
            mode: *StorageMode::ALL.get(usize::from(mode))?,
            compression,
        })
    }
}

impl PageCodec {
    /// Its code and level, 0 where it has none.
    pub fn to_bytes(self) -> [u8; 2] {
        match self {
            PageCodec::Lz4 => [0, 0],
            PageCodec::None => [1, 0],
            PageCodec::Zstd(level) => [2, level],
        }
    }

    /// What [`PageCodec::to_bytes`] wrote.
    pub fn from_bytes(bytes: [u8; 2]) -> Option<PageCodec> {
        match bytes {
            [0, 0] => Some(PageCodec::Lz4),
            [1, 0] => Some(PageCodec::None),
            [2, level @ ZSTD_LEVEL_MIN..=ZSTD_LEVEL_MAX] => Some(PageCodec::Zstd(level)),
            _ => None,
        }
    }
}

/// The position of the one that is meant; each list has all.
fn code_of<T>(all: &[T], is_meant: impl Fn(&T) -> bool) -> u8 {
    let mut codes = 0_u8..;
    let mut found = codes.by_ref().zip(all).filter(|(_, known)| is_meant(known));
    found.next().map_or(0, |(code, _)| code)
}

#[cfg(test)]
mod tests {
    use super::{ColumnStorage, Compression, NoCompression, PageCodec, StorageMode};
    use crate::LogicalType;

    #[test]
    fn words_are_read_back() {
        for known in Compression::ALL {
            assert_eq!(known.to_string().to_uppercase().parse(), Ok(known));
        }
        for known in [PageCodec::Lz4, PageCodec::None, PageCodec::Zstd(19)] {
            assert_eq!(known.to_string().parse(), Ok(known));
        }
        assert_eq!("zstd".parse(), Ok(Compression::Zstd(3)));
        assert_eq!("Zstd ( 19 )".parse(), Ok(Compression::Zstd(19)));
        let wrong = |text: &str| text.parse::<Compression>().unwrap_err();
        assert_eq!(wrong("brotli"), NoCompression::Name);
        assert_eq!(wrong("lz4(3)"), NoCompression::Level);
        for level in ["zstd(0)", "zstd(20)", "zstd(x)", "zstd(3"] {
            assert_eq!(wrong(level), NoCompression::LevelOutside);
        }
        assert_eq!("alp".parse::<PageCodec>(), Err(NoCompression::Name));
    }

    #[test]
    fn bytes_are_read_back_or_refused() {
        let mut sound = 0;
        for mode in 0..=255 {
            for compression in 0..=255 {
                for level in [0, 1, 19, 20, 255] {
                    let bytes = [mode, compression, level];
                    if let Some(storage) = ColumnStorage::from_bytes(bytes) {
                        assert_eq!(storage.to_bytes(), bytes);
                        sound += 1;
                    }
                }
            }
        }
        assert_eq!(sound, 4 * (12 + 2));
        for code in 0..=255 {
            for level in 0..=255 {
                if let Some(codec) = PageCodec::from_bytes([code, level]) {
                    assert_eq!(codec.to_bytes(), [code, level]);
                }
            }
        }
    }

    #[test]
    fn each_suits_its_types() {
        let suited = |compression: Compression| {
            let types = [
                LogicalType::Boolean,
                LogicalType::Int4,
                LogicalType::Float8,
                LogicalType::Text,
                LogicalType::Timestamp,
            ];
            types.map(|ty| compression.suits(ty))
        };
        assert_eq!(suited(Compression::Auto), [true; 5]);
        assert_eq!(suited(Compression::Alp), [false, false, true, false, false]);
        assert_eq!(
            suited(Compression::DeltaOfDelta),
            [false, true, false, false, true]
        );
        assert_eq!(
            suited(Compression::Fsst),
            [false, false, false, true, false]
        );
        assert_eq!(
            suited(Compression::Zstd(3)),
            [false, true, true, true, true]
        );
        assert!(!StorageMode::Dictionary.suits(LogicalType::Boolean));
        assert!(StorageMode::ContentAddressed.suits(LogicalType::Jsonb));
        assert!(!StorageMode::ContentAddressed.suits(LogicalType::Uuid));
    }
}
