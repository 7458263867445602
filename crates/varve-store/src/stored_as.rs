//! How the columns of a tree are to be encoded: what its schema says of storage, in the terms of
//! runs.

use varve_codec::{Codec, Stage};
use varve_run::ColumnEncoding;
use varve_types::{ColumnStorage, Compression, PageCodec, StorageMode, TreeOptions, TreeSchema};

use crate::tree::has_row_id;

/// The encodings of the stored columns of a tree; empty where nothing was asked for.
pub(crate) fn encodings(schema: &TreeSchema) -> Vec<ColumnEncoding> {
    let mut columns = schema.columns.iter();
    let is_default = columns.all(|column| column.storage.is_default());
    if is_default && schema.options.pages == PageCodec::default() && !schema.options.pages_of_keys {
        return Vec::new();
    }
    let of_pages = |codec| of_pages(schema.options, codec);
    let columns = schema.columns.iter();
    let columns = columns.map(|column| match named(column.storage) {
        Named::Codec(codec) => of_pages(codec),
        Named::Stage(codec, stage, zstd_level) => ColumnEncoding {
            codec,
            stage,
            stage_of_keys: false,
            zstd_level,
            by_value: false,
        },
        Named::ByValue => ColumnEncoding {
            codec: Codec::Auto,
            stage: Stage::Lz4,
            stage_of_keys: false,
            zstd_level: None,
            by_value: true,
        },
    });
    let hidden = has_row_id(&schema.key).then(|| of_pages(Codec::Auto));
    hidden.into_iter().chain(columns).collect()
}

/// What a column asks for.
enum Named {
    /// A codec beneath the stage of the table.
    Codec(Codec),
    /// A codec, its stage and the level of zstd.
    Stage(Codec, Stage, Option<u8>),
    /// Each value by itself.
    ByValue,
}

fn named(storage: ColumnStorage) -> Named {
    Named::Codec(match storage.compression {
        // A dictionary is what the mode asks for, as long as it has few values.
        Compression::Auto if storage.mode == StorageMode::Dictionary => Codec::SharedDictionary,
        Compression::Auto => Codec::Auto,
        Compression::Plain => return Named::Stage(Codec::Plain, Stage::None, None),
        Compression::Alp => Codec::Alp,
        Compression::Gorilla => Codec::Gorilla,
        Compression::Chimp => Codec::Chimp,
        Compression::Delta => Codec::Delta,
        Compression::DeltaOfDelta => Codec::DeltaOfDelta,
        Compression::Dictionary => Codec::Dictionary,
        Compression::RunEnds => Codec::RunEnds,
        Compression::Fsst => Codec::Fsst,
        Compression::ZstdValues => return Named::ByValue,
        Compression::Lz4 => return Named::Stage(Codec::Lz4, Stage::Lz4, None),
        Compression::Zstd(level) => return Named::Stage(Codec::Zstd, Stage::Lz4, Some(level)),
    })
}

fn of_pages(options: TreeOptions, codec: Codec) -> ColumnEncoding {
    let (stage, zstd_level) = match options.pages {
        PageCodec::None => (Stage::None, None),
        PageCodec::Lz4 => (Stage::Lz4, None),
        PageCodec::Zstd(level) => (Stage::Lz4, Some(level)),
    };
    ColumnEncoding {
        codec,
        stage,
        stage_of_keys: options.pages_of_keys,
        zstd_level,
        by_value: false,
    }
}
