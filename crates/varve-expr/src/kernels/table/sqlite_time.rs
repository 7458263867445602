//! SQLite's functions of dates and times. `date(x)` and `time(x)` of one argument are casts, where
//! there is such a cast.

use crate::kernels::time::sqlite;
use crate::tree::{Entry, Kernel};

use super::{ANY, FLOAT8, INT8, TEXT, repeated, stable};
use Kernel::Rows;

/// A function of a time value that is a text, or of any other type; without one of the time that it
/// is.
macro_rules! of_time {
    ($($name:literal $result:ident $function:ident;)*) => {
        &[$(
            stable($name, &[], $result, Rows(sqlite::$function)),
            repeated(stable($name, &[TEXT], $result, Rows(sqlite::$function))),
            repeated(stable($name, &[ANY], $result, Rows(sqlite::$function))),
        )*
            repeated(stable("strftime", &[TEXT], TEXT, Rows(sqlite::strftime))),
            repeated(stable("strftime", &[ANY], TEXT, Rows(sqlite::strftime))),
        ]
    };
}

pub(super) static ROWS: &[Entry] = of_time! {
    "date" TEXT date;
    "time" TEXT time;
    "datetime" TEXT datetime;
    "julianday" FLOAT8 julian_day;
    "unixepoch" INT8 unix_epoch;
};
