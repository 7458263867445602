//! Regular expressions.

use crate::kernels::text::regexp;
use crate::tree::{Entry, Kernel, Param};

use super::{BOOL, INT4, TEXT, strict};
use Kernel::{Rows, Set, Text};

const TEXTS: Param = TEXT.array();
const BPCHAR: Param = Param::of(varve_types::LogicalType::Bpchar);

/// An entry for each list of arguments.
macro_rules! rows {
    ($($name:literal $result:ident $kernel:ident($function:ident): $([$($arg:ident)*])*;)*) => {
        &[$($(strict($name, &[$($arg),*], $result, $kernel(regexp::$function)),)*)*]
    };
}

#[rustfmt::skip]
pub(super) static ROWS: &[Entry] = rows! {
    "~" BOOL Rows(matches): [TEXT TEXT] [BPCHAR TEXT];
    "~*" BOOL Rows(matches_any_case): [TEXT TEXT] [BPCHAR TEXT];
    "!~" BOOL Rows(differs): [TEXT TEXT] [BPCHAR TEXT];
    "!~*" BOOL Rows(differs_any_case): [TEXT TEXT] [BPCHAR TEXT];
    "regexp_like" BOOL Rows(like): [TEXT TEXT] [TEXT TEXT TEXT];
    "regexp_count" INT4 Rows(count): [TEXT TEXT] [TEXT TEXT INT4] [TEXT TEXT INT4 TEXT];
    "regexp_instr" INT4 Rows(instr): [TEXT TEXT] [TEXT TEXT INT4] [TEXT TEXT INT4 INT4]
        [TEXT TEXT INT4 INT4 INT4] [TEXT TEXT INT4 INT4 INT4 TEXT]
        [TEXT TEXT INT4 INT4 INT4 TEXT INT4];
    "regexp_substr" TEXT Rows(substr): [TEXT TEXT] [TEXT TEXT INT4] [TEXT TEXT INT4 INT4]
        [TEXT TEXT INT4 INT4 TEXT] [TEXT TEXT INT4 INT4 TEXT INT4];
    "regexp_match" TEXTS Rows(first_match): [TEXT TEXT] [TEXT TEXT TEXT];
    "regexp_matches" TEXTS Set(all_matches): [TEXT TEXT] [TEXT TEXT TEXT];
    "regexp_split_to_array" TEXTS Rows(split_to_array): [TEXT TEXT] [TEXT TEXT TEXT];
    "regexp_split_to_table" TEXT Set(split_to_rows): [TEXT TEXT] [TEXT TEXT TEXT];
    "regexp_replace" TEXT Text(replace): [TEXT TEXT TEXT] [TEXT TEXT TEXT TEXT];
    "regexp_replace" TEXT Text(replace_from): [TEXT TEXT TEXT INT4] [TEXT TEXT TEXT INT4 INT4]
        [TEXT TEXT TEXT INT4 INT4 TEXT];
    "substring" TEXT Rows(substring): [TEXT TEXT];
    "substring" TEXT Rows(substring_similar): [TEXT TEXT TEXT];
    "similar_to_escape" TEXT Text(similar_to_escape): [TEXT] [TEXT TEXT];
};
