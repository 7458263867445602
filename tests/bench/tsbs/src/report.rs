//! The page, the charts, and the same figures for programs.

use serde_json::{Value, json};
use varve_bench::measure::copy_gb_per_s;
use varve_bench::report::chart::Chart;
use varve_bench::report::machine::{machine, today};
use varve_bench::report::table::{Table, figure, thousands};
use varve_tsbs::engine::State;

use crate::measure::{Asked, Section};
use crate::space::Space;

/// Where bars of charts end: that many times the compressed state.
const CHART_MAX: f64 = 20.0;

/// How it is measured.
const METHOD: &str =
    "Hypertables on RocksDB with the settings of native programs, `tsdb.orderby = \
'time DESC'` and `tsdb.segmentby` by `hostname` or the truck's `tags_id`, no indexes; loaded by \
`COPY` in transactions of 10,000 rows, the median of four loads, up to the last row in a run. \
Loads are wall time, of all engines: other work on the machine slows them down.

`plain` is as rows came in, `half compressed` every second chunk, `after updates` compressed and \
then changed by updates, deletions and late rows, half of them flushed. Rows become sorted runs in \
every state: plain chunks have more of them where memory was flushed in the middle of a chunk, \
which the number of runs tells; \
with `--flush-each` it is flushed more often ([such a run](tsbs-many-runs.md)). Queries are \
text. The figures are medians of the processor time over all windows; each is asked once \
before it is timed, in all states in turn. \
The first three answers of each type are compared with those of \
loops over the rows in each state.

`SQLite` is `rusqlite` with its bundled SQLite in a file, a cache of 512 MiB, indexes on \
(hostname, time), (tags_id, time) and (time), one transaction a table, then `ANALYZE`; processor \
time too, of fewer windows where they take seconds. `PostgreSQL` is a server on the same machine \
with the same indexes and `VACUUM ANALYZE`, asked five windows by `psql`; its times are wall time \
as `\\timing` tells, the least of three for each window. More than 1 is better in both ratios.";

/// The page with everything measured.
pub fn page(sections: &[Section], space: &[Space], command: &str) -> String {
    let mut text = format!(
        "# TSBS\n\nWritten by `{command}` on {}: {}, memcpy {} GB/s in the same run, other work \
         beside it. {METHOD}\n",
        today(),
        machine(),
        figure(copy_gb_per_s()),
    );
    text.push_str(&space_text(space));
    for section in sections {
        text.push_str(&section_text(section));
    }
    text
}

fn space_text(space: &[Space]) -> String {
    let mut table = Table::new(&[
        "rows come in",
        "rows/s",
        "B/row, plain",
        "B/row, compressed",
    ]);
    for of in space {
        table.row(vec![
            of.arrival.to_owned(),
            figure(of.rows_per_s),
            figure(of.plain),
            figure(of.compressed),
        ]);
    }
    let mut head = vec!["column"];
    head.extend(space.iter().map(|of| of.arrival));
    head.push("encodings");
    let mut columns = Table::new(&head);
    for (place, (name, _, encodings)) in space[0].columns.iter().enumerate() {
        let name = if name.is_empty() { encodings } else { name };
        let mut cells = vec![name.clone()];
        cells.extend(space.iter().map(|of| figure(of.columns[place].1)));
        cells.push(encodings.clone());
        columns.row(cells);
    }
    format!(
        "\n## Bytes of a row of `cpu`\n\nAll that `varve_storage` lists for the table: time, \
         `tags_id`, `hostname`, ten figures, the hidden row id (with the heads), zone maps. At \
         most 4.9 are asked for. Loaded by one `COPY`, which writes sorted runs.\n\n{}\n\
         By column, compressed:\n\n{}",
        table.markdown(),
        columns.markdown()
    )
}

fn section_text(section: &Section) -> String {
    let mut loads = Table::new(&["engine", "rows/s", "B/row", "runs"]);
    let per_row = |bytes: f64| figure(bytes / section.rows as f64);
    for (i, state) in State::ALL.iter().enumerate() {
        let rate = if i == 0 {
            figure(section.rows_per_s)
        } else {
            String::new()
        };
        let name = format!("VarveDB, {}", state.name());
        let runs = figure(section.runs[i]);
        loads.row(vec![name, rate, per_row(section.bytes[i]), runs]);
    }
    for peer in &section.peers {
        let (rate, bytes) = (figure(peer.rows_per_s), per_row(peer.bytes as f64));
        loads.row(vec![peer.name.to_owned(), rate, bytes, String::new()]);
    }
    let mut head = vec!["type, ms"];
    head.extend(State::ALL.map(State::name));
    head.extend(section.peers.iter().map(|peer| peer.name));
    head.extend(["plain / compressed", "SQLite / compressed"]);
    let mut table = Table::new(&head);
    for asked in &section.asked {
        let ms = |seconds: &f64| figure(seconds * 1e3);
        let mut cells = vec![asked.name.to_owned()];
        cells.extend(asked.ours.iter().chain(&asked.peers).map(ms));
        cells.push(figure(asked.ours[0] / asked.ours[1]));
        cells.push(figure(asked.peers[0] / asked.ours[1]));
        table.row(cells);
    }
    format!(
        "\n## {}: {} rows\n\n{}\n![medians]({})\n\n{}\n{}",
        section.title,
        thousands(section.rows),
        loads.markdown(),
        chart_name(section),
        table.markdown(),
        remarks(section)
    )
}

/// Losses, and answers that were wrong.
fn remarks(section: &Section) -> String {
    let names = |is_named: &dyn Fn(&&Asked) -> bool| {
        let named = section.asked.iter().filter(is_named);
        let names: Vec<&str> = named.map(|asked| asked.name).collect();
        if names.is_empty() {
            "none".to_owned()
        } else {
            names.join("; ")
        }
    };
    let wrong = section.asked.iter().filter_map(|asked| {
        let wrong = asked.wrong.as_ref()?;
        Some(format!("- {}: {wrong}\n", asked.name))
    });
    format!(
        "Slower compressed than plain: {}; by more than 5%: {}. Slower than SQLite: {}. \
         Wrong answers: {}.\n{}",
        names(&|asked| asked.ours[1] > asked.ours[0]),
        names(&|asked| asked.ours[1] > 1.05 * asked.ours[0]),
        names(&|asked| asked.ours[1] > asked.peers[0]),
        section
            .asked
            .iter()
            .filter(|asked| asked.wrong.is_some())
            .count(),
        wrong.collect::<String>()
    )
}

/// The file of the chart of a section.
pub fn chart_name(section: &Section) -> String {
    format!("tsbs-{}.svg", section.title.to_lowercase())
}

/// What plain chunks and peers take, as multiples of what compressed chunks take.
pub fn chart(section: &Section) -> String {
    let mut series = vec!["plain"];
    series.extend(section.peers.iter().map(|peer| peer.name));
    let groups = section.asked.iter().map(|asked| {
        let mut values = vec![asked.ours[0]];
        values.extend(&asked.peers);
        let values = values.iter().map(|seconds| seconds / asked.ours[1]);
        (asked.name.to_owned(), values.collect())
    });
    let chart = Chart {
        title: "Time by that of compressed chunks (1 = as long, more = slower)",
        series: &series,
        groups: groups.collect(),
        greatest: CHART_MAX,
        unit: "x",
    };
    chart.svg()
}

/// The same figures for programs.
pub fn as_json(sections: &[Section], space: &[Space], command: &str) -> Value {
    let space = space.iter().map(|of| {
        json!({
            "arrival": of.arrival,
            "rows_per_s": of.rows_per_s,
            "plain_bytes_per_row": of.plain,
            "compressed_bytes_per_row": of.compressed,
            "columns": of.columns.iter().map(|(name, bytes, encodings)| {
                json!({"column": name, "bytes_per_row": bytes, "encodings": encodings})
            }).collect::<Vec<_>>(),
        })
    });
    json!({
        "command": command,
        "date": today(),
        "machine": machine(),
        "space": space.collect::<Vec<_>>(),
        "sections": sections.iter().map(section_json).collect::<Vec<_>>(),
    })
}

fn section_json(section: &Section) -> Value {
    let asked = section.asked.iter().map(|asked| {
        let mut seconds = serde_json::Map::new();
        for (state, value) in State::ALL.iter().zip(asked.ours) {
            seconds.insert(state.name().to_owned(), json!(value));
        }
        for (peer, value) in section.peers.iter().zip(&asked.peers) {
            seconds.insert(peer.name.to_owned(), json!(value));
        }
        json!({"type": asked.name, "median_seconds": seconds, "wrong": asked.wrong})
    });
    let peers = section.peers.iter().map(
        |peer| json!({"engine": peer.name, "rows_per_s": peer.rows_per_s, "bytes": peer.bytes}),
    );
    json!({
        "title": section.title,
        "rows": section.rows,
        "rows_per_s": section.rows_per_s,
        "bytes": section.bytes,
        "runs": section.runs,
        "peers": peers.collect::<Vec<_>>(),
        "asked": asked.collect::<Vec<_>>(),
    })
}
