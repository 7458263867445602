//! Strings.

use crate::kernels::text::{self, like};
use crate::tree::{Entry, Kernel, Param};

use super::{ANY, BOOL, INT4, NON_ARRAY, TEXT, of_session, stable, strict, variadic};
use Kernel::{Columns, Rows, Text};

const BPCHAR: Param = Param::of(varve_types::LogicalType::Bpchar);

pub(super) static ROWS: &[Entry] = &[
    strict("||", &[TEXT, TEXT], TEXT, Text(text::concat_two)),
    stable("||", &[TEXT, NON_ARRAY], TEXT, Text(text::concat_two)),
    stable("||", &[NON_ARRAY, TEXT], TEXT, Text(text::concat_two)),
    strict("~~", &[TEXT, TEXT], BOOL, Columns(like::like)),
    strict("~~", &[BPCHAR, TEXT], BOOL, Columns(like::like)),
    strict("!~~", &[TEXT, TEXT], BOOL, Columns(like::not_like)),
    strict("!~~", &[BPCHAR, TEXT], BOOL, Columns(like::not_like)),
    strict("~~*", &[TEXT, TEXT], BOOL, Columns(like::ilike)),
    strict("~~*", &[BPCHAR, TEXT], BOOL, Columns(like::ilike)),
    strict("!~~*", &[TEXT, TEXT], BOOL, Columns(like::not_ilike)),
    strict("!~~*", &[BPCHAR, TEXT], BOOL, Columns(like::not_ilike)),
    of_session(variadic("concat", &[ANY], TEXT, Text(text::concat))),
    strict("length", &[TEXT], INT4, Rows(text::length)),
    strict("char_length", &[TEXT], INT4, Rows(text::length)),
    strict("character_length", &[TEXT], INT4, Rows(text::length)),
    strict("octet_length", &[TEXT], INT4, Rows(text::octet_length)),
    strict("octet_length", &[BPCHAR], INT4, Rows(text::octet_length)),
    strict("lower", &[TEXT], TEXT, Text(text::lower)),
    strict("upper", &[TEXT], TEXT, Text(text::upper)),
    strict("initcap", &[TEXT], TEXT, Text(text::initcap)),
    strict("substr", &[TEXT, INT4], TEXT, Text(text::substr_from)),
    strict(
        "substr",
        &[TEXT, INT4, INT4],
        TEXT,
        Text(text::substr_of_length),
    ),
    strict("substring", &[TEXT, INT4], TEXT, Text(text::substr_from)),
    strict(
        "substring",
        &[TEXT, INT4, INT4],
        TEXT,
        Text(text::substr_of_length),
    ),
    strict("left", &[TEXT, INT4], TEXT, Text(text::left)),
    strict("right", &[TEXT, INT4], TEXT, Text(text::right)),
    strict("btrim", &[TEXT], TEXT, Text(text::btrim)),
    strict("btrim", &[TEXT, TEXT], TEXT, Text(text::btrim)),
    strict("ltrim", &[TEXT], TEXT, Text(text::ltrim)),
    strict("ltrim", &[TEXT, TEXT], TEXT, Text(text::ltrim)),
    strict("rtrim", &[TEXT], TEXT, Text(text::rtrim)),
    strict("rtrim", &[TEXT, TEXT], TEXT, Text(text::rtrim)),
    strict("replace", &[TEXT, TEXT, TEXT], TEXT, Text(text::replace)),
    strict("strpos", &[TEXT, TEXT], INT4, Rows(text::strpos)),
    strict("position", &[TEXT, TEXT], INT4, Rows(text::strpos)),
    strict("starts_with", &[TEXT, TEXT], BOOL, Rows(text::starts_with)),
    strict("repeat", &[TEXT, INT4], TEXT, Text(text::repeat)),
    strict("reverse", &[TEXT], TEXT, Text(text::reverse)),
    strict("like_escape", &[TEXT, TEXT], TEXT, Text(like::like_escape)),
];
