//! What happens to the rows after they were compressed.

use varve_bench::generate::tsbs_cpu::METRICS;
use varve_bench::random::Random;

use super::{Cpu, CpuRow};
use crate::data_set::{Change, insert};
use crate::dialect::Dialect;
use crate::window::{HOUR, MINUTE, Window};

/// Rows that come late.
const LATE_ROWS: usize = 300;

pub(super) fn all(cpu: &Cpu) -> Vec<Change<Cpu>> {
    let mut random = Random::of_set(61);
    let mut draw = |length| Window::draw(&mut random, &cpu.range, length, 1, cpu.hosts.len());
    let (busy, idle) = (draw(3 * HOUR), draw(HOUR));
    let (gone, silent) = (draw(2 * HOUR), draw(5 * MINUTE));
    vec![
        host_is_busy(busy),
        all_are_idle(idle),
        host_is_gone(gone),
        nothing_was_reported(silent),
        newest_are_gone(cpu),
        late_rows(cpu, &mut random),
    ]
}

fn during(window: &Window) -> String {
    let (start, end) = (
        Dialect::Varve.time(window.start),
        Dialect::Varve.time(window.end),
    );
    format!("time >= {start} AND time < {end}")
}

fn host_is_busy(window: Window) -> Change<Cpu> {
    let host = window.hosts[0];
    let sql = format!(
        "UPDATE cpu SET usage_user = 95, usage_idle = usage_idle + 0.25 \
         WHERE hostname = 'host_{host}' AND {}",
        during(&window)
    );
    Change::new(sql, move |cpu: &mut Cpu| {
        for row in &mut cpu.rows {
            if row.host == host && window.holds(row.time) {
                row.usage[0] = 95.0;
                row.usage[2] += 0.25;
            }
        }
    })
}

fn all_are_idle(window: Window) -> Change<Cpu> {
    let sql = format!(
        "UPDATE cpu SET usage_user = 12.5 WHERE usage_user > 90 AND {}",
        during(&window)
    );
    Change::new(sql, move |cpu: &mut Cpu| {
        for row in &mut cpu.rows {
            if row.usage[0] > 90.0 && window.holds(row.time) {
                row.usage[0] = 12.5;
            }
        }
    })
}

fn host_is_gone(window: Window) -> Change<Cpu> {
    let host = window.hosts[0];
    let sql = format!(
        "DELETE FROM cpu WHERE hostname = 'host_{host}' AND {}",
        during(&window)
    );
    Change::new(sql, move |cpu: &mut Cpu| {
        cpu.rows
            .retain(|row| row.host != host || !window.holds(row.time));
    })
}

fn nothing_was_reported(window: Window) -> Change<Cpu> {
    let sql = format!("DELETE FROM cpu WHERE {}", during(&window));
    Change::new(sql, move |cpu: &mut Cpu| {
        cpu.rows.retain(|row| !window.holds(row.time));
    })
}

/// The second host loses its newest ten minutes.
fn newest_are_gone(cpu: &Cpu) -> Change<Cpu> {
    let end = cpu.range.end - 10 * MINUTE;
    let time = Dialect::Varve.time(end);
    let sql = format!("DELETE FROM cpu WHERE hostname = 'host_1' AND time >= {time}");
    Change::new(sql, move |cpu: &mut Cpu| {
        cpu.rows.retain(|row| row.host != 1 || row.time < end);
    })
}

/// Rows between two ticks, before the first and behind the last one, in no order.
fn late_rows(cpu: &Cpu, random: &mut Random) -> Change<Cpu> {
    let ticks = (cpu.range.end - cpu.range.start) / cpu.tick;
    let spare = 100;
    let mut rows: Vec<CpuRow> = Vec::new();
    while rows.len() < LATE_ROWS {
        let tick = random.below((ticks + 2 * spare).unsigned_abs()) as i64 - spare;
        let row = CpuRow {
            time: cpu.range.start + tick * cpu.tick + cpu.tick / 2,
            host: random.below(cpu.hosts.len() as u64) as usize,
            usage: [(); METRICS.len()].map(|()| random.below(201) as f64 / 2.0),
        };
        let is_known = rows
            .iter()
            .any(|known| (known.time, known.host) == (row.time, row.host));
        if !is_known {
            rows.push(row);
        }
    }
    let cells: Vec<_> = rows.iter().map(|row| cpu.cells(row)).collect();
    Change::new(insert("cpu", &cells), move |cpu: &mut Cpu| {
        cpu.rows.extend(rows.iter().cloned());
    })
}
