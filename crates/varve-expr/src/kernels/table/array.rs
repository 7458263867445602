//! Arrays, and functions of any type.

use crate::kernels::{array, enums, math, row};
use crate::tree::{Entry, Kernel, Nested, Param};

use super::{
    ANY, BOOL, COMPATIBLE, COMPATIBLES, ELEMENT, ELEMENTS, INT4, INT4S, TEXT, TEXTS, lax, repeated,
    stable, strict, variadic, volatile, with_nulls,
};
use Kernel::{Rows, Set};

const ENUM: Param = Param::ENUM;

/// Asks for the labels that there are now; NULL tells the enumeration too.
const fn enumerated(
    name: &'static str,
    args: &'static [Param],
    result: Param,
    kernel: Kernel,
) -> Entry {
    with_nulls(stable(name, args, result, kernel))
}

pub(super) static ROWS: &[Entry] = &[
    variadic("greatest", &[COMPATIBLE], COMPATIBLE, Rows(math::greatest)),
    variadic("least", &[COMPATIBLE], COMPATIBLE, Rows(math::least)),
    lax(
        "array_append",
        &[COMPATIBLES, COMPATIBLE],
        COMPATIBLES,
        Rows(array::append),
    ),
    lax(
        "array_prepend",
        &[COMPATIBLE, COMPATIBLES],
        COMPATIBLES,
        Rows(array::prepend),
    ),
    lax(
        "array_cat",
        &[COMPATIBLES, COMPATIBLES],
        COMPATIBLES,
        Rows(array::concatenate),
    ),
    lax(
        "||",
        &[COMPATIBLES, COMPATIBLE],
        COMPATIBLES,
        Rows(array::append),
    ),
    lax(
        "||",
        &[COMPATIBLE, COMPATIBLES],
        COMPATIBLES,
        Rows(array::prepend),
    ),
    lax(
        "||",
        &[COMPATIBLES, COMPATIBLES],
        COMPATIBLES,
        Rows(array::concatenate),
    ),
    strict("array_length", &[ELEMENTS, INT4], INT4, Rows(array::length)),
    strict("array_lower", &[ELEMENTS, INT4], INT4, Rows(array::lower)),
    strict("array_upper", &[ELEMENTS, INT4], INT4, Rows(array::upper)),
    strict("array_ndims", &[ELEMENTS], INT4, Rows(array::ndims)),
    strict("array_dims", &[ELEMENTS], TEXT, Rows(array::dimensions)),
    volatile("array_shuffle", &[ELEMENTS], ELEMENTS, Rows(array::shuffle)),
    volatile(
        "array_sample",
        &[ELEMENTS, INT4],
        ELEMENTS,
        Rows(array::sample),
    ),
    strict("cardinality", &[ELEMENTS], INT4, Rows(array::cardinality)),
    lax(
        "array_position",
        &[COMPATIBLES, COMPATIBLE],
        INT4,
        Rows(array::position),
    ),
    lax(
        "array_position",
        &[COMPATIBLES, COMPATIBLE, INT4],
        INT4,
        Rows(array::position),
    ),
    lax(
        "array_positions",
        &[COMPATIBLES, COMPATIBLE],
        INT4S,
        Rows(array::positions),
    ),
    lax(
        "array_remove",
        &[COMPATIBLES, COMPATIBLE],
        COMPATIBLES,
        Rows(array::remove),
    ),
    lax(
        "array_replace",
        &[COMPATIBLES, COMPATIBLE, COMPATIBLE],
        COMPATIBLES,
        Rows(array::replace),
    ),
    lax("array_fill", &[ELEMENT, INT4S], ELEMENTS, Rows(array::fill)),
    lax(
        "array_fill",
        &[ELEMENT, INT4S, INT4S],
        ELEMENTS,
        Rows(array::fill),
    ),
    stable(
        "array_to_string",
        &[ELEMENTS, TEXT],
        TEXT,
        Rows(array::join),
    ),
    with_nulls(stable(
        "array_to_string",
        &[ELEMENTS, TEXT, TEXT],
        TEXT,
        Rows(array::join),
    )),
    lax("string_to_array", &[TEXT, TEXT], TEXTS, Rows(array::split)),
    lax(
        "string_to_array",
        &[TEXT, TEXT, TEXT],
        TEXTS,
        Rows(array::split),
    ),
    lax(
        "string_to_table",
        &[TEXT, TEXT],
        TEXT,
        Set(array::split_to_rows),
    ),
    lax(
        "string_to_table",
        &[TEXT, TEXT, TEXT],
        TEXT,
        Set(array::split_to_rows),
    ),
    strict("trim_array", &[ELEMENTS, INT4], ELEMENTS, Rows(array::trim)),
    strict("@>", &[ELEMENTS, ELEMENTS], BOOL, Rows(array::contains)),
    strict("<@", &[ELEMENTS, ELEMENTS], BOOL, Rows(array::is_contained)),
    strict("&&", &[ELEMENTS, ELEMENTS], BOOL, Rows(array::overlaps)),
    strict(
        "width_bucket",
        &[COMPATIBLE, COMPATIBLES],
        INT4,
        Rows(array::width_bucket),
    ),
    enumerated("enum_first", &[ENUM], ENUM, Rows(enums::first)),
    enumerated("enum_last", &[ENUM], ENUM, Rows(enums::last)),
    enumerated("enum_range", &[ENUM], ELEMENTS, Rows(enums::range)),
    enumerated("enum_range", &[ENUM, ENUM], ELEMENTS, Rows(enums::range)),
    strict("unnest", &[ELEMENTS], ELEMENT, Set(array::unnest)),
    strict(
        "generate_subscripts",
        &[ELEMENTS, INT4],
        INT4,
        Set(array::subscripts),
    ),
    strict(
        "generate_subscripts",
        &[ELEMENTS, INT4, BOOL],
        INT4,
        Set(array::subscripts),
    ),
];

/// What SQL has its own forms for; names that no text can have.
pub(super) static FORMS: &[Entry] = &[
    variadic(
        "\0array",
        &[COMPATIBLE],
        COMPATIBLES,
        Rows(array::construct),
    ),
    variadic("\0arrays", &[COMPATIBLES], COMPATIBLES, Rows(array::stack)),
    repeated(strict(
        "\0element",
        &[ELEMENTS, INT4],
        ELEMENT,
        Rows(array::element),
    )),
    repeated(strict(
        "\0slice",
        &[ELEMENTS, INT4],
        ELEMENTS,
        Rows(array::slice),
    )),
    variadic(
        "\0assign",
        &[ELEMENTS, ELEMENT, INT4],
        ELEMENTS,
        Rows(array::assign_element),
    ),
    variadic(
        "\0assign slice",
        &[ELEMENTS, ELEMENTS, INT4],
        ELEMENTS,
        Rows(array::assign_slice),
    ),
    variadic("\0row", &[ELEMENT, ANY], ELEMENT, Rows(row::construct)),
    variadic("\0found row", &[ELEMENT, ANY], ELEMENT, Rows(row::found)),
    lax("\0field", &[ELEMENT, ANY, INT4], ELEMENT, Rows(row::field)),
    lax("\0row is null", &[ANY], BOOL, Rows(row::is_null)),
    lax("\0row is not null", &[ANY], BOOL, Rows(row::has_all)),
    lax(
        "\0any",
        &[TEXT, ANY, ANY],
        BOOL,
        Kernel::Nested(Nested::Any),
    ),
    lax(
        "\0all",
        &[TEXT, ANY, ANY],
        BOOL,
        Kernel::Nested(Nested::All),
    ),
];
