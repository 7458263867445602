//! The tables and queries as SQL.

use varve_bench::generate::tsbs_cpu::{METRICS, TAGS};

use super::DevOps;
use crate::dialect::Dialect;
use crate::window::Window;

pub(super) fn create(dialect: Dialect, chunk_hours: u32) -> String {
    let [time, double, text] = dialect.types();
    let tags: Vec<String> = TAGS.iter().map(|tag| format!("{tag} {text}")).collect();
    let metrics: Vec<String> = METRICS
        .iter()
        .map(|name| format!("{name} {double}"))
        .collect();
    let (tags, metrics) = (tags.join(", "), metrics.join(", "));
    let behind = match dialect {
        Dialect::Varve => format!(
            " WITH (tsdb.hypertable, tsdb.partition_column = 'time', \
             tsdb.chunk_interval = '{chunk_hours} hours', tsdb.segmentby = 'hostname', \
             tsdb.orderby = 'time DESC')"
        ),
        _ => "; CREATE INDEX cpu_host ON cpu (hostname, time); \
              CREATE INDEX cpu_tags ON cpu (tags_id, time); CREATE INDEX cpu_time ON cpu (time)"
            .to_owned(),
    };
    format!(
        "CREATE TABLE tags (id INTEGER PRIMARY KEY, hostname {text}, {tags}); \
         CREATE TABLE cpu (time {time} NOT NULL, tags_id INTEGER, hostname {text}, \
         {metrics}){behind}"
    )
}

pub(super) fn text(query: DevOps, dialect: Dialect, window: &Window) -> String {
    let within = within(dialect, window);
    let minute = dialect.bucket(60, "time");
    let hour = dialect.bucket(3600, "time");
    match query {
        DevOps::SingleGroupBy { metrics, .. } => format!(
            "SELECT {minute} AS minute, {} FROM cpu WHERE {} AND {within} \
             GROUP BY minute ORDER BY minute",
            each("max", metrics),
            of_hosts(window)
        ),
        DevOps::CpuMaxAll(_) => format!(
            "SELECT {hour} AS hour, {} FROM cpu WHERE {} AND {within} GROUP BY hour ORDER BY hour",
            each("max", METRICS.len()),
            of_hosts(window)
        ),
        DevOps::DoubleGroupBy(metrics) => format!(
            "WITH means AS (SELECT {hour} AS hour, hostname, {} FROM cpu WHERE {within} \
             GROUP BY hour, hostname) \
             SELECT hour, hostname, {} FROM means ORDER BY hour, hostname",
            each("avg", metrics),
            named("avg", metrics)
        ),
        DevOps::DoubleGroupByTags => format!(
            "WITH means AS (SELECT {hour} AS hour, tags_id, {} FROM cpu WHERE {within} \
             GROUP BY hour, tags_id) SELECT hour, tags.hostname, tags.region, {} FROM means \
             JOIN tags ON means.tags_id = tags.id ORDER BY hour, tags.hostname",
            each("avg", 1),
            named("avg", 1)
        ),
        DevOps::GroupByOrderByLimit => format!(
            "SELECT {minute} AS minute, max(usage_user) FROM cpu WHERE time < {} \
             GROUP BY minute ORDER BY minute DESC LIMIT 5",
            dialect.time(window.end)
        ),
        DevOps::HighCpu(hosts) => {
            let host = hosts.map_or(String::new(), |_| format!(" AND {}", of_hosts(window)));
            format!("SELECT * FROM cpu WHERE usage_user > 90.0 AND {within}{host}")
        }
        DevOps::LastPoint => last_point(dialect),
        DevOps::LastPointByTags => format!(
            "SELECT t.hostname, t.region, r.time, r.usage_user FROM tags t {}",
            dialect.join_newest("cpu", "time, usage_user")
        ),
    }
}

fn last_point(dialect: Dialect) -> String {
    match dialect {
        Dialect::Sqlite => "SELECT cpu.* FROM (SELECT hostname AS name, max(time) AS newest \
                            FROM cpu GROUP BY hostname) JOIN cpu ON hostname = name \
                            AND time = newest ORDER BY hostname"
            .to_owned(),
        _ => "SELECT DISTINCT ON (hostname) * FROM cpu ORDER BY hostname, time DESC".to_owned(),
    }
}

fn within(dialect: Dialect, window: &Window) -> String {
    let (start, end) = (dialect.time(window.start), dialect.time(window.end));
    format!("time >= {start} AND time < {end}")
}

fn of_hosts(window: &Window) -> String {
    let names = window.hosts.iter().map(|host| format!("'host_{host}'"));
    format!("hostname IN ({})", names.collect::<Vec<_>>().join(", "))
}

/// The aggregate of the first metrics, each with a name.
fn each(aggregate: &str, metrics: usize) -> String {
    let one = |name: &&str| format!("{aggregate}({name}) AS {aggregate}_{name}");
    METRICS[..metrics]
        .iter()
        .map(one)
        .collect::<Vec<_>>()
        .join(", ")
}

/// These names.
fn named(aggregate: &str, metrics: usize) -> String {
    let one = |name: &&str| format!("{aggregate}_{name}");
    METRICS[..metrics]
        .iter()
        .map(one)
        .collect::<Vec<_>>()
        .join(", ")
}
