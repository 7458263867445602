//! The data sets D1 to D14. Integer arithmetic and exact operations on doubles only: the same bytes
//! on every machine, natively and as wasm.

mod adversarial;
mod column;
mod duplicates;
mod emails;
mod events;
mod helios;
mod imdb;
mod orders;
mod prices;
mod regions;
mod sensors;
mod statuses;
#[cfg(test)]
mod tests;
mod timestamps;
pub mod tsbs_cpu;
pub mod tsbs_iot;
mod words;

use crate::set::Set;

/// How many rows a set has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// 10,000: for tests.
    XS,
    /// 100,000.
    S,
    /// A million.
    M,
    /// Ten million.
    L,
}

impl Size {
    /// The size of that letter.
    pub fn parse(letter: &str) -> Option<Size> {
        match letter {
            "XS" => Some(Size::XS),
            "S" => Some(Size::S),
            "M" => Some(Size::M),
            "L" => Some(Size::L),
            _ => None,
        }
    }

    /// Its letter.
    pub fn letter(self) -> &'static str {
        match self {
            Size::XS => "XS",
            Size::S => "S",
            Size::M => "M",
            Size::L => "L",
        }
    }

    fn rows(self) -> usize {
        match self {
            Size::XS => 10_000,
            Size::S => 100_000,
            Size::M => 1_000_000,
            Size::L => 10_000_000,
        }
    }
}

/// A set that can be generated.
pub struct Generator {
    /// The name of its set.
    pub name: &'static str,
    /// What the set is, in a few words.
    pub about: &'static str,
    generate: fn(&str, usize) -> Set,
}

impl Generator {
    /// The set at that size.
    pub fn set(&self, size: Size) -> Set {
        (self.generate)(self.name, size.rows())
    }
}

/// The generator of the set of that name.
pub fn generator(name: &str) -> Option<&'static Generator> {
    GENERATORS.iter().find(|generator| generator.name == name)
}

const fn row(
    name: &'static str,
    about: &'static str,
    generate: fn(&str, usize) -> Set,
) -> Generator {
    Generator {
        name,
        about,
        generate,
    }
}

/// Every set, in the order of its number.
pub const GENERATORS: &[Generator] = &[
    row("D1a", "prices, uniform cents", prices::uniform),
    row("D1b", "prices, skewed", prices::skewed),
    row("D1c", "prices, catalog of 500", prices::catalog),
    row("D1d", "prices, cyclic", prices::cyclic),
    row("D2a", "emails, first.lastN", emails::named),
    row("D2b", "emails, numbered", emails::numbered),
    row("D2c", "emails, random", emails::random),
    row("D3 exact", "timestamps, 50 ms apart", timestamps::exact),
    row("D3 5ms", "timestamps, 5 ms jitter", timestamps::jitter_5),
    row("D3 25ms", "timestamps, 25 ms jitter", timestamps::jitter_25),
    row("D3 gaps", "timestamps, 5 ms jitter, gaps", timestamps::gaps),
    row("D4a", "statuses, uniform", statuses::uniform),
    row("D4b", "statuses, weighted", statuses::weighted),
    row("D4c", "statuses, cyclic", statuses::cyclic),
    row("D5", "regions, 8 runs", regions::regions),
    row("D6", "TSBS cpu by (hostname, time)", tsbs_cpu::by_host),
    row("D7 readings", "TSBS IoT readings", tsbs_iot::readings),
    row(
        "D7 diagnostics",
        "TSBS IoT diagnostics",
        tsbs_iot::diagnostics,
    ),
    row("D8", "IMDb-like JSON", imdb::titles),
    row("D9", "X11 window events, JSON", events::events),
    row("D10 bench_main", "small tables", helios::bench_main),
    row("D10 bench_orders", "small tables", helios::bench_orders),
    row("D10 wire_main", "small tables", helios::wire_main),
    row("D10 wire_orders", "small tables", helios::wire_orders),
    row("D11", "duplicate documents", duplicates::documents),
    row(
        "D12 doubles",
        "random bits as doubles",
        adversarial::doubles,
    ),
    row(
        "D12 extremes",
        "least and greatest integers",
        adversarial::extremes,
    ),
    row(
        "D12 lengths",
        "texts of 1 byte and 1 MB",
        adversarial::lengths,
    ),
    row("D12 bytes", "bytes that are no UTF-8", adversarial::bytes),
    row("D12 null", "every type, all NULL", adversarial::nulls),
    row("D12 single", "every type, one row", adversarial::single),
    row("D12 1025", "every type, 1,025 rows", adversarial::rows_1025),
    row(
        "D12 time",
        "unsorted timestamps",
        adversarial::unsorted_time,
    ),
    row("D13", "orders", orders::orders),
    row(
        "D13 customers",
        "customers of the orders",
        orders::customers,
    ),
    row("D14", "sensors by time", sensors::by_time),
    row(
        "D14 by device",
        "sensors by (device, time)",
        sensors::by_device,
    ),
];
