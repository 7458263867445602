//! Result tables as psql prints them with border 1, and as CSV.

use unicode_width::UnicodeWidthStr;

/// What `\pset` sets.
#[derive(Clone, Debug)]
pub struct Format {
    /// How rows are laid out.
    pub layout: Layout,
    /// Whether each row is a record of lines.
    pub expanded: bool,
    /// Whether names, titles and counts are left out.
    pub tuples_only: bool,
    /// Whether rows are counted below.
    pub footer: bool,
    /// How NULL is shown.
    pub null: String,
    /// Between the fields of a row that is not aligned.
    pub separator: String,
    /// After a row that is not aligned.
    pub record_separator: String,
}

/// How rows are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// In columns.
    Aligned,
    /// With separators only.
    Unaligned,
    /// As comma-separated values.
    Csv,
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
            record_separator: "\n".to_owned(),
        }
    }
}

/// On which side of its column a value stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// The values of one row as text; `None` is NULL.
pub type Cells = Vec<Option<String>>;

/// What is printed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Table<'a> {
    /// A line above, in the middle.
    pub title: Option<&'a str>,
    /// Names of columns and where their values stand.
    pub columns: &'a [(String, Align)],
    /// The rows.
    pub rows: &'a [Cells],
    /// Lines below, in place of the count of rows.
    pub footers: Option<&'a [String]>,
}

impl Table<'_> {
    fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(name, _)| name.as_str())
    }

    fn footer(&self, format: &Format, out: &mut String) {
        if format.tuples_only {
            return;
        }
        match self.footers {
            Some(lines) => {
                for line in lines {
                    out.push_str(line);
                    out.push('\n');
                }
            }
            None if !format.footer => {}
            None if self.rows.len() == 1 => out.push_str("(1 row)\n"),
            None => out.push_str(&format!("({} rows)\n", self.rows.len())),
        }
    }
}

/// Appends a table.
pub fn write_table(table: &Table<'_>, format: &Format, out: &mut String) {
    if format.layout == Layout::Aligned
        && let Some(rows) = without_controls(table.rows)
    {
        let rows = &rows;
        return write_laid_out(&Table { rows, ..*table }, format, out);
    }
    write_laid_out(table, format, out);
}

fn write_laid_out(table: &Table<'_>, format: &Format, out: &mut String) {
    match (format.layout, format.expanded) {
        (Layout::Csv, expanded) => csv(table, format, expanded, out),
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

/// The rows with control characters spelt out, which would break columns; `None` where there are
/// none. Tabs reach to the next multiple of eight.
fn without_controls(rows: &[Cells]) -> Option<Vec<Cells>> {
    let is_broken = |text: &String| text.contains(|c: char| c.is_control() && c != '\n');
    let mut cells = rows.iter().flatten().flatten();
    if !cells.any(is_broken) {
        return None;
    }
    let shown = |text: &String| {
        let mut shown = String::with_capacity(text.len() + 8);
        for c in text.chars() {
            match c {
                '\n' => shown.push(c),
                '\r' => shown.push_str("\\r"),
                '\t' => {
                    let line = shown.rsplit('\n').next().unwrap_or_default();
                    pad(8 - line.width() % 8, ' ', &mut shown);
                }
                c if c.is_ascii_control() => shown.push_str(&format!("\\x{:02X}", u32::from(c))),
                c if c.is_control() => shown.push_str(&format!("\\u{:04X}", u32::from(c))),
                c => shown.push(c),
            }
        }
        shown
    };
    let row = |row: &Cells| row.iter().map(|cell| cell.as_ref().map(shown)).collect();
    Some(rows.iter().map(row).collect())
}

fn cell<'a>(cell: &'a Option<String>, format: &'a Format) -> &'a str {
    cell.as_deref().unwrap_or(&format.null)
}

fn width(text: &str) -> usize {
    let widths = text.split('\n').map(UnicodeWidthStr::width);
    widths.max().unwrap_or(0)
}

fn pad(count: usize, with: char, out: &mut String) {
    out.extend(std::iter::repeat_n(with, count));
}

fn aligned(table: &Table<'_>, format: &Format, out: &mut String) {
    let mut widths: Vec<usize> = table.names().map(width).collect();
    for row in table.rows {
        for (widest, value) in widths.iter_mut().zip(row) {
            *widest = (*widest).max(width(cell(value, format)));
        }
    }
    if !format.tuples_only {
        if let Some(title) = table.title {
            let whole = widths.iter().sum::<usize>() + 3 * widths.len().saturating_sub(1) + 2;
            pad(whole.saturating_sub(width(title)) / 2, ' ', out);
            out.push_str(title);
            out.push('\n');
        }
        header(table, &widths, out);
    }
    for row in table.rows.iter().filter(|row| !row.is_empty()) {
        let cells: Vec<Vec<&str>> = row
            .iter()
            .map(|value| cell(value, format).split('\n').collect())
            .collect();
        let lines = cells.iter().map(Vec::len).max().unwrap_or(1);
        for line in 0..lines {
            row_line(table, &widths, &cells, line, out);
        }
    }
    table.footer(format, out);
    out.push('\n');
}

/// Names in the middle of their columns, and the rule below.
fn header(table: &Table<'_>, widths: &[usize], out: &mut String) {
    for (at, (name, widest)) in table.names().zip(widths).enumerate() {
        let free = widest.saturating_sub(width(name));
        out.push_str(if at == 0 { " " } else { "| " });
        pad(free / 2, ' ', out);
        out.push_str(name);
        pad(free - free / 2 + 1, ' ', out);
    }
    out.push_str(if widths.is_empty() { "--" } else { "\n" });
    for (at, widest) in widths.iter().enumerate() {
        out.push_str(if at == 0 { "-" } else { "+-" });
        pad(widest + 1, '-', out);
    }
    out.push('\n');
}

/// One line of a row; a value that goes on in the next line ends with a plus sign.
fn row_line(
    table: &Table<'_>,
    widths: &[usize],
    cells: &[Vec<&str>],
    line: usize,
    out: &mut String,
) {
    let columns = table.columns.iter().zip(widths);
    for (at, (lines, ((_, align), widest))) in cells.iter().zip(columns).enumerate() {
        let text = lines.get(line).copied().unwrap_or_default();
        let goes_on = line + 1 < lines.len();
        let is_last = at + 1 == cells.len();
        let free = widest.saturating_sub(width(text));
        out.push(' ');
        if *align == Align::Right {
            pad(free, ' ', out);
            out.push_str(text);
        } else {
            out.push_str(text);
            if !is_last || goes_on {
                pad(free, ' ', out);
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

fn aligned_expanded(table: &Table<'_>, format: &Format, out: &mut String) {
    let names = table.names().map(width).max().unwrap_or(0);
    let cells = table.rows.iter().flatten();
    let values = cells.map(|value| width(cell(value, format))).max();
    let values = values.unwrap_or(0);
    for (at, row) in table.rows.iter().enumerate() {
        if format.tuples_only {
            if at > 0 {
                out.push('\n');
            }
        } else {
            record_line(at + 1, names, values, out);
        }
        for (column, value) in table.names().zip(row) {
            let lines: Vec<&str> = cell(value, format).split('\n').collect();
            for (line, text) in lines.iter().enumerate() {
                let name = if line == 0 { column } else { "" };
                out.push_str(name);
                pad(names.saturating_sub(width(name)), ' ', out);
                out.push_str(" | ");
                out.push_str(text);
                if line + 1 < lines.len() {
                    pad(values.saturating_sub(width(text)), ' ', out);
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
    let title = format!("-[ RECORD {number} ]");
    out.push_str(&title);
    pad(names.saturating_sub(title.len()), '-', out);
    // What of "-+-" the title has covered already.
    let covered = title.len().saturating_sub(names);
    out.push_str("-+-".get(covered..).unwrap_or_default());
    pad(values.saturating_sub(covered.saturating_sub(3)), '-', out);
    out.push('\n');
}

fn unaligned(table: &Table<'_>, format: &Format, out: &mut String) {
    let mut line = |cells: Vec<&str>| {
        out.push_str(&cells.join(&format.separator));
        out.push_str(&format.record_separator);
    };
    if !format.tuples_only {
        line(table.title.into_iter().collect::<Vec<_>>());
        line(table.names().collect());
    }
    for row in table.rows {
        line(row.iter().map(|value| cell(value, format)).collect());
    }
    table.footer(format, out);
}

fn unaligned_expanded(table: &Table<'_>, format: &Format, out: &mut String) {
    for (at, row) in table.rows.iter().enumerate() {
        if at > 0 {
            out.push_str(&format.record_separator);
        }
        for (column, value) in table.names().zip(row) {
            let value = cell(value, format);
            out.push_str(&format!("{column}{}{value}", format.separator));
            out.push_str(&format.record_separator);
        }
    }
}

fn csv(table: &Table<'_>, format: &Format, expanded: bool, out: &mut String) {
    let field = |text: &str| {
        let is_special = |c: char| matches!(c, ',' | '"' | '\n' | '\r');
        match text.contains(is_special) || text == "\\." {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text.to_owned(),
        }
    };
    let mut line = |cells: Vec<String>| {
        out.push_str(&cells.join(","));
        out.push('\n');
    };
    if expanded {
        for (name, value) in table.rows.iter().flat_map(|row| table.names().zip(row)) {
            line(vec![field(name), field(cell(value, format))]);
        }
        return;
    }
    if !format.tuples_only {
        line(table.names().map(field).collect());
    }
    for row in table.rows {
        line(row.iter().map(|value| field(cell(value, format))).collect());
    }
}

#[cfg(test)]
mod tests {
    use super::{Align, Cells, Format, Layout, Table, write_table};

    fn text(format: &Format) -> String {
        let columns = [
            ("n".to_owned(), Align::Right),
            ("words".to_owned(), Align::Left),
        ];
        let some = |text: &str| Some(text.to_owned());
        let rows: [Cells; 2] = [vec![some("1"), some("a\nb")], vec![some("100"), None]];
        let table = Table {
            columns: &columns,
            rows: &rows,
            ..Table::default()
        };
        let mut out = String::new();
        write_table(&table, format, &mut out);
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
        let csv = Format {
            layout: Layout::Csv,
            ..Format::default()
        };
        assert_eq!(text(&csv), "n,words\n1,\"a\nb\"\n100,\n");
    }

    #[test]
    fn control_characters_are_spelt_out_in_columns() {
        let rows = [vec![Some("a\tb\u{1}\r".to_owned())]];
        let columns = [("t".to_owned(), Align::Left)];
        let table = Table {
            columns: &columns,
            rows: &rows,
            ..Table::default()
        };
        let mut out = String::new();
        write_table(&table, &Format::default(), &mut out);
        let rule = "-".repeat(17);
        assert_eq!(
            out,
            format!("        t        \n{rule}\n a       b\\x01\\r\n(1 row)\n\n")
        );
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
