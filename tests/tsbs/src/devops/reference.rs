//! The answers, by a loop over all rows.

use std::collections::BTreeMap;

use varve_bench::generate::tsbs_cpu::{METRICS, TAGS};

use super::{Cpu, CpuRow, DevOps};
use crate::answer::{Answer, Cell};
use crate::mean::Mean;
use crate::window::{HOUR, MINUTE, Window, bucket};

const REGION: usize = 0;
const _: () = assert!(TAGS.len() > REGION);

pub(super) fn answer(cpu: &Cpu, query: DevOps, window: &Window) -> Answer {
    match query {
        DevOps::SingleGroupBy { metrics, .. } => greatest(cpu, window, MINUTE, metrics),
        DevOps::CpuMaxAll(_) => greatest(cpu, window, HOUR, METRICS.len()),
        DevOps::DoubleGroupBy(metrics) => means(cpu, window, metrics, false),
        DevOps::DoubleGroupByTags => means(cpu, window, 1, true),
        DevOps::GroupByOrderByLimit => last_minutes(cpu, window),
        DevOps::HighCpu(hosts) => {
            let is_asked = |row: &&CpuRow| {
                let of_host = hosts.is_none() || window.hosts.contains(&row.host);
                of_host && window.holds(row.time) && row.usage[0] > 90.0
            };
            let rows = cpu.rows.iter().filter(is_asked);
            rows.map(|row| cpu.cells(row)).collect()
        }
        DevOps::LastPoint => newest(cpu).values().map(|row| cpu.cells(row)).collect(),
        DevOps::LastPointByTags => {
            let row = |(name, row): (&&String, &&CpuRow)| {
                vec![
                    Cell::text(name),
                    Cell::text(&cpu.tags[row.host][REGION]),
                    Cell::Int(row.time),
                    Cell::Float(row.usage[0]),
                ]
            };
            newest(cpu).iter().map(row).collect()
        }
    }
}

fn greatest(cpu: &Cpu, window: &Window, width: i64, metrics: usize) -> Answer {
    let mut groups: BTreeMap<i64, Vec<f64>> = BTreeMap::new();
    for row in &cpu.rows {
        if window.holds(row.time) && window.hosts.contains(&row.host) {
            let group = groups.entry(bucket(width, row.time));
            let group = group.or_insert_with(|| vec![f64::MIN; metrics]);
            for (greatest, figure) in group.iter_mut().zip(row.usage) {
                *greatest = greatest.max(figure);
            }
        }
    }
    let row = |(time, figures): (i64, Vec<f64>)| {
        let mut cells = vec![Cell::Int(time)];
        cells.extend(figures.into_iter().map(Cell::Float));
        cells
    };
    groups.into_iter().map(row).collect()
}

fn means(cpu: &Cpu, window: &Window, metrics: usize, with_tags: bool) -> Answer {
    let mut groups: BTreeMap<(i64, &String), (usize, Vec<Mean>)> = BTreeMap::new();
    for row in &cpu.rows {
        if window.holds(row.time) {
            let key = (bucket(HOUR, row.time), &cpu.hosts[row.host]);
            let new = || (row.host, vec![Mean::default(); metrics]);
            let (_, means) = groups.entry(key).or_insert_with(new);
            for (mean, figure) in means.iter_mut().zip(row.usage) {
                mean.add(Some(figure));
            }
        }
    }
    let mut answer = Answer::new();
    for ((time, name), (host, means)) in groups {
        let mut cells = vec![Cell::Int(time), Cell::text(name)];
        if with_tags {
            cells.push(Cell::text(&cpu.tags[host][REGION]));
        }
        cells.extend(means.iter().map(|mean| Cell::float(mean.value())));
        answer.push(cells);
    }
    answer
}

fn last_minutes(cpu: &Cpu, window: &Window) -> Answer {
    let mut minutes: BTreeMap<i64, f64> = BTreeMap::new();
    for row in cpu.rows.iter().filter(|row| row.time < window.end) {
        let greatest = minutes.entry(bucket(MINUTE, row.time)).or_insert(f64::MIN);
        *greatest = greatest.max(row.usage[0]);
    }
    let newest = minutes.into_iter().rev().take(5);
    newest
        .map(|(time, greatest)| vec![Cell::Int(time), Cell::Float(greatest)])
        .collect()
}

fn newest(cpu: &Cpu) -> BTreeMap<&String, &CpuRow> {
    let mut newest: BTreeMap<&String, &CpuRow> = BTreeMap::new();
    for row in &cpu.rows {
        let known = newest.entry(&cpu.hosts[row.host]).or_insert(row);
        if row.time > known.time {
            *known = row;
        }
    }
    newest
}
