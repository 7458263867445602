//! More of strings, bytea and hashes.

use varve_types::LogicalType;

use crate::kernels::text::{self, bytes, hash, strings};
use crate::tree::{Entry, Kernel, Param};

use super::{
    ANY, BOOL, ELEMENT, INT4, INT8, TEXT, lax, named, of_session, stable, strict, variadic,
};
use Kernel::{Rows, Text};

const BYTEA: Param = Param::of(LogicalType::Bytea);
const TEXTS: Param = TEXT.array();

/// An entry for each list of arguments.
macro_rules! rows {
    ($($name:literal $result:ident $kernel:ident($module:ident::$function:ident):
        $([$($arg:ident)*])*;)*) => {
        &[$($(strict($name, &[$($arg),*], $result, $kernel($module::$function)),)*)*]
    };
}

#[rustfmt::skip]
pub(super) static ROWS: &[Entry] = rows! {
    "lpad" TEXT Text(strings::lpad): [TEXT INT4] [TEXT INT4 TEXT];
    "rpad" TEXT Text(strings::rpad): [TEXT INT4] [TEXT INT4 TEXT];
    "split_part" TEXT Text(strings::split_part): [TEXT TEXT INT4];
    "translate" TEXT Text(strings::translate): [TEXT TEXT TEXT];
    "overlay" TEXT Text(strings::overlay): [TEXT TEXT INT4] [TEXT TEXT INT4 INT4];
    "ascii" INT4 Rows(strings::ascii): [TEXT];
    "chr" TEXT Text(strings::chr): [INT4];
    "quote_ident" TEXT Text(strings::quote_ident): [TEXT];
    "quote_literal" TEXT Text(strings::quote_literal): [TEXT];
    "to_hex" TEXT Text(strings::to_hex): [INT4] [INT8];
    "to_oct" TEXT Text(strings::to_oct): [INT4] [INT8];
    "to_bin" TEXT Text(strings::to_bin): [INT4] [INT8];
    "unistr" TEXT Text(strings::unistr): [TEXT];
    "^@" BOOL Rows(text::starts_with): [TEXT TEXT];
    "md5" TEXT Text(hash::md5): [TEXT] [BYTEA];
    "sha224" BYTEA Rows(hash::sha224): [BYTEA];
    "sha256" BYTEA Rows(hash::sha256): [BYTEA];
    "sha384" BYTEA Rows(hash::sha384): [BYTEA];
    "sha512" BYTEA Rows(hash::sha512): [BYTEA];
    "encode" TEXT Text(bytes::encode): [BYTEA TEXT];
    "decode" BYTEA Rows(bytes::decode): [TEXT TEXT];
    "convert_from" TEXT Rows(bytes::convert_from): [BYTEA TEXT];
    "convert_to" BYTEA Rows(bytes::convert_to): [TEXT TEXT];
    "convert" BYTEA Rows(bytes::convert): [BYTEA TEXT TEXT];
    "length" INT4 Rows(bytes::length_in): [BYTEA TEXT];
    "||" BYTEA Rows(bytes::concat): [BYTEA BYTEA];
    "length" INT4 Rows(bytes::length): [BYTEA];
    "octet_length" INT4 Rows(bytes::length): [BYTEA];
    "bit_length" INT4 Rows(bytes::bit_length): [TEXT] [BYTEA];
    "substr" BYTEA Rows(bytes::substr): [BYTEA INT4] [BYTEA INT4 INT4];
    "substring" BYTEA Rows(bytes::substr): [BYTEA INT4] [BYTEA INT4 INT4];
    "strpos" INT4 Rows(bytes::strpos): [BYTEA BYTEA];
    "position" INT4 Rows(bytes::strpos): [BYTEA BYTEA];
    "overlay" BYTEA Rows(bytes::overlay): [BYTEA BYTEA INT4] [BYTEA BYTEA INT4 INT4];
    "btrim" BYTEA Rows(bytes::btrim): [BYTEA BYTEA];
    "ltrim" BYTEA Rows(bytes::ltrim): [BYTEA BYTEA];
    "rtrim" BYTEA Rows(bytes::rtrim): [BYTEA BYTEA];
    "get_byte" INT4 Rows(bytes::get_byte): [BYTEA INT4];
    "set_byte" BYTEA Rows(bytes::set_byte): [BYTEA INT4 INT4];
    "get_bit" INT4 Rows(bytes::get_bit): [BYTEA INT8];
    "set_bit" BYTEA Rows(bytes::set_bit): [BYTEA INT8 INT4];
    "bit_count" INT8 Rows(bytes::bit_count): [BYTEA];
};

/// Those that take what has any type.
pub(super) static ANYTHING: &[Entry] = &[
    of_session(variadic(
        "concat_ws",
        &[TEXT, ANY],
        TEXT,
        Rows(strings::concat_ws),
    )),
    of_session(variadic(
        "format",
        &[TEXT, ANY],
        TEXT,
        Rows(strings::format),
    )),
    of_session(lax("format", &[TEXT], TEXT, Rows(strings::format))),
    named(
        strict(
            "parse_ident",
            &[TEXT, BOOL],
            TEXTS,
            Rows(strings::parse_ident),
        ),
        &["str", "strict=true"],
    ),
    stable(
        "quote_literal",
        &[ELEMENT],
        TEXT,
        Text(strings::quote_literal),
    ),
    Entry {
        strict: false,
        ..strict(
            "quote_nullable",
            &[TEXT],
            TEXT,
            Text(strings::quote_nullable),
        )
    },
    Entry {
        strict: false,
        ..stable(
            "quote_nullable",
            &[ELEMENT],
            TEXT,
            Text(strings::quote_nullable),
        )
    },
];
