//! Whole numbers: bits, divisors, counts.

use crate::kernels::math::whole;
use crate::tree::{Entry, Kernel, Param};

use super::{ANY, INT2, INT4, INT8, NUM, strict, variadic};
use Kernel::Rows;

/// Of one kind of whole numbers.
const fn of_whole(
    name: &'static str,
    args: &'static [Param],
    kernel: fn(&crate::tree::Row<'_>) -> varve_types::Result<varve_types::Value>,
) -> Entry {
    let result = match args {
        [first, ..] => *first,
        [] => INT4,
    };
    strict(name, args, result, Rows(kernel))
}

pub(super) static ROWS: &[Entry] = &[
    of_whole("&", &[INT2, INT2], whole::and),
    of_whole("&", &[INT4, INT4], whole::and),
    of_whole("&", &[INT8, INT8], whole::and),
    of_whole("|", &[INT2, INT2], whole::or),
    of_whole("|", &[INT4, INT4], whole::or),
    of_whole("|", &[INT8, INT8], whole::or),
    of_whole("#", &[INT2, INT2], whole::xor),
    of_whole("#", &[INT4, INT4], whole::xor),
    of_whole("#", &[INT8, INT8], whole::xor),
    of_whole("~", &[INT2], whole::not),
    of_whole("~", &[INT4], whole::not),
    of_whole("~", &[INT8], whole::not),
    of_whole("<<", &[INT2, INT4], whole::shift_left),
    of_whole("<<", &[INT4, INT4], whole::shift_left),
    of_whole("<<", &[INT8, INT4], whole::shift_left),
    of_whole(">>", &[INT2, INT4], whole::shift_right),
    of_whole(">>", &[INT4, INT4], whole::shift_right),
    of_whole(">>", &[INT8, INT4], whole::shift_right),
    of_whole("gcd", &[INT4, INT4], whole::gcd),
    of_whole("gcd", &[INT8, INT8], whole::gcd),
    strict("gcd", &[NUM, NUM], NUM, Rows(whole::gcd_numeric)),
    of_whole("lcm", &[INT4, INT4], whole::lcm),
    of_whole("lcm", &[INT8, INT8], whole::lcm),
    strict("lcm", &[NUM, NUM], NUM, Rows(whole::lcm_numeric)),
    strict("factorial", &[INT8], NUM, Rows(whole::factorial)),
    variadic("num_nulls", &[ANY], INT4, Rows(whole::num_nulls)),
    variadic("num_nonnulls", &[ANY], INT4, Rows(whole::num_nonnulls)),
];
