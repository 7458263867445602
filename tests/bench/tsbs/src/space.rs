//! What a row of `cpu` takes, by the order in which rows came in.

use std::path::Path;

use varve_tsbs::answer::Cell;
use varve_tsbs::devops::{Arrival, Cpu};
use varve_tsbs::engine::{Load, State};

use crate::measure::{settle, stored_bytes};
use crate::on_disk;

/// Bytes of a row.
pub struct Space {
    /// The order in which rows came in.
    pub arrival: &'static str,
    /// Rows loaded in a second, by one COPY.
    pub rows_per_s: f64,
    /// As they came in.
    pub plain: f64,
    /// Compressed.
    pub compressed: f64,
    /// Compressed, by column.
    pub columns: Vec<(String, f64, String)>,
}

const ARRIVALS: [(Arrival, &str); 3] = [
    (Arrival::ByTime, "by time"),
    (Arrival::ByHost, "by host"),
    (Arrival::Shuffled, "shuffled within an hour"),
];

/// Loads and compresses the table in each order.
pub fn measure(folder: &Path, make: impl Fn() -> Cpu, chunk_hours: u32) -> Vec<Space> {
    let mut data = make();
    let rows = data.rows.len() as f64;
    let measured = ARRIVALS.map(|(arrival, name)| {
        println!("space: {name}");
        data.arrive(arrival);
        let path = folder.join(name);
        let mut engine = on_disk(&path);
        let seconds = engine.load(&data, chunk_hours, Load::Whole);
        settle(&mut engine);
        let plain = stored_bytes(&mut engine, "cpu") / rows;
        engine.bring_to(State::Compressed, &mut data);
        settle(&mut engine);
        let compressed = stored_bytes(&mut engine, "cpu") / rows;
        let select = "SELECT column_name::text, stored_bytes, encodings::text \
                      FROM varve_storage WHERE table_name = 'cpu' AND stored_bytes > 0";
        let columns = engine.answer(select).expect(select);
        let column = |row: &Vec<Cell>| {
            let text = |cell: &Cell| match cell {
                Cell::Text(text) => text.clone(),
                _ => String::new(),
            };
            match row.as_slice() {
                [name, Cell::Int(bytes), encodings] => {
                    (text(name), *bytes as f64 / rows, text(encodings))
                }
                other => panic!("{other:?} is no column"),
            }
        };
        let space = Space {
            arrival: name,
            rows_per_s: rows / seconds,
            plain,
            compressed,
            columns: columns.iter().map(column).collect(),
        };
        engine.close();
        println!(
            "  {:.2} B/row plain, {:.2} compressed",
            space.plain, space.compressed
        );
        std::fs::remove_dir_all(&path).expect("a folder");
        space
    });
    measured.into()
}
