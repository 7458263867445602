//! sqlite-zstd's functions.

use varve_types::LogicalType;

use crate::kernels::zstd;
use crate::tree::{Entry, Kernel, Param, Row};

use super::{BOOL, INT4, INT8, TEXT, lax, named};

const BYTEA: Param = Param::of(LogicalType::Bytea);

type RowKernel = fn(&Row<'_>) -> varve_types::Result<varve_types::Value>;

const fn compress(name: &'static str, args: &'static [Param], kernel: RowKernel) -> Entry {
    lax(name, args, BYTEA, Kernel::Rows(kernel))
}

const fn decompress(name: &'static str, result: Param, kernel: RowKernel) -> Entry {
    let args = &[BYTEA, BOOL, BYTEA, BOOL];
    lax(name, args, result, Kernel::Rows(kernel))
}

const COMPRESS: &[&str] = &["data", "level=3", "dictionary=NULL", "compact=false"];
const DECOMPRESS: &[&str] = &["data", "is_text", "dictionary=NULL", "compact=false"];
const OF_TEXT: &[Param] = &[TEXT, INT4, BYTEA, BOOL];
const OF_BYTES: &[Param] = &[BYTEA, INT4, BYTEA, BOOL];

/// What is decompressed to bytes has a row of its own, which the binder knows: a result has one
/// type.
pub(super) static ROWS: &[Entry] = &[
    named(compress("zstd_compress", OF_TEXT, zstd::compress), COMPRESS),
    named(
        compress("zstd_compress", OF_BYTES, zstd::compress),
        COMPRESS,
    ),
    named(
        decompress("zstd_decompress", TEXT, zstd::decompress),
        DECOMPRESS,
    ),
    decompress("\0zstd_decompress", BYTEA, zstd::decompress),
    compress("zstd_compress_col", OF_TEXT, zstd::compress_column),
    compress("zstd_compress_col", OF_BYTES, zstd::compress_column),
    decompress("zstd_decompress_col", TEXT, zstd::decompress_column),
    decompress("\0zstd_decompress_col", BYTEA, zstd::decompress_column),
    lax(
        "\0zstd_dictionary",
        &[INT8, BYTEA],
        BYTEA,
        Kernel::Rows(zstd::dictionary),
    ),
];
