//! Result tables as psql prints them with border 1.

use unicode_width::UnicodeWidthStr;

use crate::engine::Table;

/// What `\pset` sets.
#[derive(Clone, Debug)]
pub struct Format {
    pub layout: Layout,
    pub expanded: bool,
    pub tuples_only: bool,
    pub footer: bool,
    /// How NULL is shown.
    pub null: String,
    pub separator: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    Aligned,
    Unaligned,
}

impl Default for Format {
    fn default() -> Format {
        Format {
            layout: Layout::Aligned,
            expanded: false,
            tuples_only: false,
            footer: true,
            null: String::new(),
            separator: "|".to_owned(),
        }
    }
}

/// Appends a table.
pub fn write_table(table: &Table, format: &Format, out: &mut String) {
    match (format.layout, format.expanded) {
        (_, true) if table.rows.is_empty() => {
            if !format.tuples_only {
                out.push_str("(0 rows)\n\n");
            }
        }
        (Layout::Aligned, false) => aligned(table, format, out),
        (Layout::Aligned, true) => aligned_expanded(table, format, out),
        (Layout::Unaligned, false) => unaligned(table, format, out),
        (Layout::Unaligned, true) => unaligned_expanded(table, format, out),
    }
}

fn cell<'a>(cell: &'a Option<String>, format: &'a Format) -> &'a str {
    cell.as_deref().unwrap_or(&format.null)
}

fn width(text: &str) -> usize {
    text.split('\n')
        .map(UnicodeWidthStr::width)
        .max()
        .unwrap_or(0)
}

fn pad(count: usize, out: &mut String) {
    out.extend(std::iter::repeat_n(' ', count));
}

fn rows_footer(table: &Table, format: &Format, out: &mut String) {
    if format.footer && !format.tuples_only {
        match table.rows.len() {
            1 => out.push_str("(1 row)\n"),
            rows => out.push_str(&format!("({rows} rows)\n")),
        }
    }
}

fn aligned(table: &Table, format: &Format, out: &mut String) {
    let widths: Vec<usize> = (0..table.columns.len())
        .map(|at| {
            let cells = table.rows.iter().map(|row| width(cell(&row[at], format)));
            cells.max().unwrap_or(0).max(width(&table.columns[at].name))
        })
        .collect();
    if !format.tuples_only {
        header(table, &widths, out);
    }
    for row in table.rows.iter().filter(|row| !row.is_empty()) {
        let cells: Vec<Vec<&str>> = row
            .iter()
            .map(|c| cell(c, format).split('\n').collect())
            .collect();
        let lines = cells.iter().map(Vec::len).max().unwrap_or(1);
        for line in 0..lines {
            row_line(table, &widths, &cells, line, out);
        }
    }
    rows_footer(table, format, out);
    out.push('\n');
}

/// Names in the middle of their columns, and the rule below.
fn header(table: &Table, widths: &[usize], out: &mut String) {
    for (at, column) in table.columns.iter().enumerate() {
        let free = widths[at] - width(&column.name);
        out.push_str(if at == 0 { " " } else { "| " });
        pad(free / 2, out);
        out.push_str(&column.name);
        pad(free - free / 2 + 1, out);
    }
    out.push_str(if widths.is_empty() { "--" } else { "\n" });
    for (at, width) in widths.iter().enumerate() {
        out.push_str(if at == 0 { "-" } else { "+-" });
        out.extend(std::iter::repeat_n('-', width + 1));
    }
    out.push('\n');
}

/// One line of a row; a value that goes on in the next line ends with a plus sign.
fn row_line(table: &Table, widths: &[usize], cells: &[Vec<&str>], line: usize, out: &mut String) {
    for (at, lines) in cells.iter().enumerate() {
        let text = lines.get(line).copied().unwrap_or_default();
        let goes_on = line + 1 < lines.len();
        let is_last = at + 1 == cells.len();
        let free = widths[at].saturating_sub(width(text));
        out.push(' ');
        if table.columns[at].kind.is_number() {
            pad(free, out);
            out.push_str(text);
        } else {
            out.push_str(text);
            if !is_last || goes_on {
                pad(free, out);
            }
        }
        if goes_on {
            out.push('+');
        } else if !is_last {
            out.push(' ');
        }
        if !is_last {
            out.push('|');
        }
    }
    out.push('\n');
}

fn aligned_expanded(table: &Table, format: &Format, out: &mut String) {
    let names = table.columns.iter().map(|column| width(&column.name));
    let names = names.max().unwrap_or(0);
    let cells = table.rows.iter().flatten().map(|c| width(cell(c, format)));
    let values = cells.max().unwrap_or(0);
    for (at, row) in table.rows.iter().enumerate() {
        if format.tuples_only {
            if at > 0 {
                out.push('\n');
            }
        } else {
            record_line(at + 1, names, values, out);
        }
        for (column, value) in table.columns.iter().zip(row) {
            let lines: Vec<&str> = cell(value, format).split('\n').collect();
            for (line, text) in lines.iter().enumerate() {
                let name = if line == 0 { column.name.as_str() } else { "" };
                out.push_str(name);
                pad(names - width(name), out);
                out.push_str(" | ");
                out.push_str(text);
                if line + 1 < lines.len() {
                    pad(values - width(text), out);
                    out.push('+');
                }
                out.push('\n');
            }
        }
    }
    out.push('\n');
}

/// `-[ RECORD 1 ]-+----`: the plus sign stands below the bars, unless the number is in its place.
fn record_line(number: usize, names: usize, values: usize, out: &mut String) {
    let title = format!("[ RECORD {number} ]");
    out.push('-');
    out.push_str(&title);
    let mut used = title.len() as i64 + 1;
    let mut rule = |count: i64| out.extend(std::iter::repeat_n('-', count.max(0) as usize));
    rule(names as i64 - used);
    used -= names as i64;
    let mut next = || {
        used -= 1;
        used < 0
    };
    let marks = [("-", next()), ("+", next()), ("-", next())];
    for (mark, shown) in marks {
        if shown {
            out.push_str(mark);
        }
    }
    let taken = (title.len() as i64 + 1 - names as i64 - 3).max(0);
    let count = (values as i64 - taken).max(0) as usize;
    out.extend(std::iter::repeat_n('-', count));
    out.push('\n');
}

fn unaligned(table: &Table, format: &Format, out: &mut String) {
    let mut line = |cells: Vec<&str>| {
        out.push_str(&cells.join(&format.separator));
        out.push('\n');
    };
    if !format.tuples_only {
        line(
            table
                .columns
                .iter()
                .map(|column| column.name.as_str())
                .collect(),
        );
    }
    for row in &table.rows {
        line(row.iter().map(|c| cell(c, format)).collect());
    }
    rows_footer(table, format, out);
}

fn unaligned_expanded(table: &Table, format: &Format, out: &mut String) {
    for (at, row) in table.rows.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        for (column, value) in table.columns.iter().zip(row) {
            let value = cell(value, format);
            out.push_str(&format!("{}{}{value}\n", column.name, format.separator));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Format, Layout, write_table};
    use crate::engine::{Column, Kind, Table};

    fn table() -> Table {
        let column = |name: &str, kind| Column {
            name: name.to_owned(),
            kind,
        };
        let some = |text: &str| Some(text.to_owned());
        Table {
            columns: vec![column("n", Kind::Integer), column("words", Kind::Other)],
            rows: vec![vec![some("1"), some("a\nb")], vec![some("100"), None]],
        }
    }

    fn text(format: &Format) -> String {
        let mut out = String::new();
        write_table(&table(), format, &mut out);
        out
    }

    #[test]
    fn tables_look_as_in_psql() {
        let aligned =
            "  n  | words \n-----+-------\n   1 | a    +\n     | b\n 100 | \n(2 rows)\n\n";
        assert_eq!(text(&Format::default()), aligned);
        let expanded = Format {
            expanded: true,
            null: "NULL".to_owned(),
            ..Format::default()
        };
        let wanted = "-[ RECORD 1 ]\nn     | 1\nwords | a   +\n      | b\n-[ RECORD 2 ]\nn     | 100\n\
            words | NULL\n\n";
        assert_eq!(text(&expanded), wanted);
        let unaligned = Format {
            layout: Layout::Unaligned,
            tuples_only: true,
            ..Format::default()
        };
        assert_eq!(text(&unaligned), "1|a\nb\n100|\n");
    }

    #[test]
    fn the_rule_of_a_record_meets_the_bars() {
        let mut out = String::new();
        super::record_line(1, 20, 4, &mut out);
        assert_eq!(out, "-[ RECORD 1 ]--------+-----\n");
        out.clear();
        super::record_line(1, 2, 30, &mut out);
        assert_eq!(out, format!("-[ RECORD 1 ]{}\n", "-".repeat(22)));
    }
}
