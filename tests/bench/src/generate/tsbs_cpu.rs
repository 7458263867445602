//! D6: the cpu-only use case of TSBS: hosts that report ten figures of their processor every ten
//! seconds. The rows are in the order of a table that is sorted by host and time.

use super::column::{float64, int64, text};
use crate::random::Random;
use crate::set::{Column, Set};

/// When the first tick is: 2016-01-01, in microseconds since 1970.
pub const FIRST_US: i64 = 1_451_606_400_000_000;
const TICK_US: i64 = 10_000_000;
const TICKS_A_DAY: usize = 8640;
/// What a host reports.
pub const METRICS: [&str; 10] = [
    "usage_user",
    "usage_system",
    "usage_idle",
    "usage_nice",
    "usage_iowait",
    "usage_irq",
    "usage_softirq",
    "usage_steal",
    "usage_guest",
    "usage_guest_nice",
];
const REGIONS: [(&str, &[&str]); 9] = [
    (
        "us-east-1",
        &["us-east-1a", "us-east-1b", "us-east-1c", "us-east-1e"],
    ),
    ("us-west-1", &["us-west-1a", "us-west-1b"]),
    ("us-west-2", &["us-west-2a", "us-west-2b", "us-west-2c"]),
    ("eu-west-1", &["eu-west-1a", "eu-west-1b", "eu-west-1c"]),
    ("eu-central-1", &["eu-central-1a", "eu-central-1b"]),
    ("ap-southeast-1", &["ap-southeast-1a", "ap-southeast-1b"]),
    ("ap-southeast-2", &["ap-southeast-2a", "ap-southeast-2b"]),
    ("ap-northeast-1", &["ap-northeast-1a", "ap-northeast-1c"]),
    ("sa-east-1", &["sa-east-1a", "sa-east-1b", "sa-east-1c"]),
];
const OS: [&str; 3] = ["Ubuntu16.10", "Ubuntu16.04LTS", "Ubuntu15.10"];
/// What is known of a host beside its name.
pub const TAGS: [&str; 9] = [
    "region",
    "datacenter",
    "rack",
    "os",
    "arch",
    "team",
    "service",
    "service_version",
    "service_environment",
];

/// A host that reports.
pub struct Host {
    /// `host_0` and so on.
    pub name: String,
    /// In the order of [`TAGS`].
    pub tags: [String; TAGS.len()],
    levels: [f64; METRICS.len()],
}

/// Hosts whose figures walk from tick to tick.
pub struct Hosts {
    random: Random,
    hosts: Vec<Host>,
}

impl Hosts {
    /// So many hosts, before their first tick.
    pub fn new(count: usize) -> Hosts {
        let mut random = Random::of_set(6);
        let hosts = (0..count).map(|i| host(&mut random, i)).collect();
        Hosts { random, hosts }
    }

    /// In the order of their numbers.
    pub fn all(&self) -> &[Host] {
        &self.hosts
    }

    /// Gives the number and the figures of each host, and goes on to the next tick.
    pub fn tick(&mut self, mut report: impl FnMut(usize, [f64; METRICS.len()])) {
        for (number, host) in self.hosts.iter_mut().enumerate() {
            report(number, host.levels.map(f64::floor));
            for level in &mut host.levels {
                *level = (*level + self.random.gauss()).clamp(0.0, 100.0);
            }
        }
    }
}

/// One host for a day at size XS, 10 at S, 100 at M, and 100 for 12 days at L.
pub(super) fn by_host(name: &str, rows: usize) -> Set {
    let (hosts, days) = match rows {
        ..100_000 => (1, 1),
        100_000..1_000_000 => (10, 1),
        1_000_000..10_000_000 => (100, 1),
        _ => (100, 12),
    };
    let ticks = TICKS_A_DAY * days;
    let mut walk = Hosts::new(hosts);
    let mut by_name: Vec<usize> = (0..hosts).collect();
    by_name.sort_by(|a, b| walk.hosts[*a].name.cmp(&walk.hosts[*b].name));
    let mut rank = vec![0; hosts];
    for (place, host) in by_name.iter().enumerate() {
        rank[*host] = place;
    }
    let mut metrics = vec![vec![0.0; hosts * ticks]; METRICS.len()];
    for tick in 0..ticks {
        walk.tick(|host, figures| {
            for (figure, metric) in figures.iter().zip(&mut metrics) {
                metric[rank[host] * ticks + tick] = *figure;
            }
        });
    }
    let of_rows = |value: &dyn Fn(&Host) -> &str, name: &str| -> Column {
        let each = by_name.iter().flat_map(|i| std::iter::repeat_n(*i, ticks));
        text(name, each.map(|i| value(&walk.hosts[i])))
    };
    let time = |row: usize| FIRST_US + TICK_US * (row % ticks) as i64;
    let mut columns = vec![int64("time", (0..hosts * ticks).map(time))];
    columns.push(of_rows(&|host| &host.name, "hostname"));
    for (i, tag) in TAGS.iter().enumerate() {
        columns.push(of_rows(&|host| &host.tags[i], tag));
    }
    for (metric, values) in METRICS.iter().zip(metrics) {
        columns.push(float64(metric, values));
    }
    Set::new(name, columns)
}

fn host(random: &mut Random, number: usize) -> Host {
    let (region, datacenters) = random.choice(&REGIONS);
    let tags = [
        region.to_owned(),
        random.choice(datacenters).to_owned(),
        random.below(100).to_string(),
        random.choice(&OS).to_owned(),
        random.choice(&["x64", "x86"]).to_owned(),
        random.choice(&["SF", "NYC", "LON", "CHI"]).to_owned(),
        random.below(20).to_string(),
        random.below(2).to_string(),
        random.choice(&["production", "staging", "test"]).to_owned(),
    ];
    Host {
        name: format!("host_{number}"),
        tags,
        levels: std::array::from_fn(|_| 100.0 * random.unit()),
    }
}
