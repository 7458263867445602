//! Delimited text as typed columns.

use super::cells;
use crate::set::Set;

/// Reads a file with commas, semicolons, tabs or bars between its fields; the first of its lines
/// are names if nothing in it is a number.
pub(super) fn read(name: &str, raw: &[u8]) -> Set {
    let first_line = raw.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let count = |byte: &u8| first_line.iter().filter(|other| *other == byte).count();
    let delimiter = *b",;\t|"
        .iter()
        .max_by_key(|byte| count(byte))
        .unwrap_or(&b',');
    let mut rows = records(raw, delimiter);
    let fields = rows.first().map_or(0, Vec::len);
    let is_head = rows.len() > 1
        && rows[0]
            .iter()
            .all(|cell| !cell.is_empty() && cells::number(cell).is_none())
        && rows[1].iter().any(|cell| cells::number(cell).is_some());
    let names: Vec<String> = if is_head {
        let head = rows.remove(0);
        head.iter()
            .map(|cell| String::from_utf8_lossy(cell).into_owned())
            .collect()
    } else {
        (1..=fields).map(|field| format!("c{field}")).collect()
    };
    let column = |(field, name): (usize, &String)| {
        let of_row = |row: &Vec<Vec<u8>>| row.get(field).cloned().unwrap_or_default();
        cells::column(name, &rows.iter().map(of_row).collect::<Vec<_>>())
    };
    Set::new(name, names.iter().enumerate().map(column).collect())
}

/// The fields of each line. Fields in double quotes may hold delimiters, line ends and doubled
/// quotes, except between bars.
fn records(raw: &[u8], delimiter: u8) -> Vec<Vec<Vec<u8>>> {
    let mut rows = Vec::new();
    let mut row = Vec::new();
    let mut cell = Vec::new();
    let mut quoted = false;
    let mut bytes = raw.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' if delimiter == b'|' => cell.push(byte),
            b'"' if quoted && bytes.next_if_eq(&b'"').is_some() => cell.push(b'"'),
            b'"' => quoted = !quoted,
            _ if quoted => cell.push(byte),
            b'\n' => {
                if cell.last() == Some(&b'\r') {
                    cell.pop();
                }
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            _ if byte == delimiter => row.push(std::mem::take(&mut cell)),
            _ => cell.push(byte),
        }
    }
    if !cell.is_empty() || !row.is_empty() {
        row.push(cell);
        rows.push(row);
    }
    rows.retain(|row| row.len() > 1 || !row[0].is_empty());
    rows
}
