//! Arrays, and functions of any type.

use crate::function::{Entry, Kernel};
use crate::kernels::{array, math};

use super::{COMPATIBLE, ELEMENT, ELEMENTS, strict, variadic};
use Kernel::{Rows, Set};

pub(super) static ROWS: &[Entry] = &[
    variadic("greatest", &[COMPATIBLE], COMPATIBLE, Rows(math::greatest)),
    variadic("least", &[COMPATIBLE], COMPATIBLE, Rows(math::least)),
    strict("unnest", &[ELEMENTS], ELEMENT, Set(array::unnest)),
];
