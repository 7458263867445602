//! Tables as Markdown, which a terminal shows well too.

/// A table: names of columns, then rows.
#[derive(Clone, Debug)]
pub struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub fn new(head: &[&str]) -> Table {
        Table {
            head: head.iter().map(|&name| name.to_owned()).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// As Markdown: the first column to the left, figures to the right.
    pub fn markdown(&self) -> String {
        let width = |column: usize| {
            let cells = std::iter::once(&self.head).chain(&self.rows);
            let cells = cells.filter_map(|row| row.get(column));
            cells
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
                .max(3)
        };
        let widths: Vec<usize> = (0..self.head.len()).map(width).collect();
        let line = |cells: &[String]| {
            let padded = cells
                .iter()
                .zip(&widths)
                .enumerate()
                .map(|(i, (cell, width))| {
                    if i == 0 {
                        format!(" {cell:<width$} ")
                    } else {
                        format!(" {cell:>width$} ")
                    }
                });
            format!("|{}|\n", padded.collect::<Vec<_>>().join("|"))
        };
        let rule = widths.iter().enumerate().map(|(i, width)| {
            let dashes = "-".repeat(*width);
            if i == 0 {
                format!(" {dashes} ")
            } else {
                format!(" {}: ", "-".repeat(width - 1))
            }
        });
        let mut text = line(&self.head);
        text.push_str(&format!("|{}|\n", rule.collect::<Vec<_>>().join("|")));
        for row in &self.rows {
            text.push_str(&line(row));
        }
        text
    }
}

/// A figure with three digits that count.
pub fn figure(value: f64) -> String {
    match value {
        0.0 => "0".to_owned(),
        value if value >= 99.95 => thousands(value.round() as u64),
        value if value >= 9.995 => format!("{value:.1}"),
        value if value >= 0.9995 => format!("{value:.2}"),
        value => format!("{value:.3}"),
    }
}

/// An integer in groups of three digits.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).expect("digits are ASCII"))
        .collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::{Table, figure, thousands};

    #[test]
    fn figures_have_three_digits() {
        let cases = [
            (0.0, "0"),
            (0.01234, "0.012"),
            (1.0, "1.00"),
            (12.34, "12.3"),
            (123.4, "123"),
            (12_345.6, "12,346"),
        ];
        for (value, text) in cases {
            assert_eq!(figure(value), text);
        }
        assert_eq!(thousands(1_234_567), "1,234,567");
    }

    #[test]
    fn tables_line_up() {
        let mut table = Table::new(&["set", "n"]);
        table.row(vec!["D1a".to_owned(), "1234".to_owned()]);
        assert_eq!(
            table.markdown(),
            "| set |    n |\n| --- | ---: |\n| D1a | 1234 |\n"
        );
    }
}
