//! Prints results as PostgreSQL's shell does.

use unicode_width::UnicodeWidthStr;
use varve_types::LogicalType;
use varvedb::{ResultSet, write_cell};

/// The rows as an aligned table with a count below; the command tag for a result without columns.
pub fn render(result: &ResultSet) -> String {
    if result.fields.is_empty() {
        let insert = if result.command == "INSERT" { " 0" } else { "" };
        return match result.affected_rows {
            Some(rows) => format!("{}{insert} {rows}", result.command),
            None => result.command.to_owned(),
        };
    }
    let rows = cells(result);
    let widths: Vec<usize> = result
        .fields
        .iter()
        .enumerate()
        .map(|(i, field)| {
            let cells = rows
                .iter()
                .filter_map(|row| row.get(i))
                .map(|cell| cell.width());
            cells.chain([field.name.width()]).max().unwrap_or(0)
        })
        .collect();
    let mut text = String::new();
    for (i, (field, width)) in result.fields.iter().zip(&widths).enumerate() {
        let space = width.saturating_sub(field.name.width());
        let left = space / 2;
        let separator = if i == 0 { " " } else { "| " };
        text.push_str(&format!(
            "{separator}{:left$}{}{:right$} ",
            "",
            field.name,
            "",
            right = space - left
        ));
    }
    end_line(&mut text);
    for (i, width) in widths.iter().enumerate() {
        text.push_str(if i == 0 { "" } else { "+" });
        text.push_str(&"-".repeat(width + 2));
    }
    text.push('\n');
    for row in &rows {
        for (i, ((cell, width), field)) in row
            .iter()
            .zip(&widths)
            .zip(result.fields.iter())
            .enumerate()
        {
            let space = width.saturating_sub(cell.width());
            text.push_str(if i == 0 { " " } else { "| " });
            if is_right_aligned(field.ty) {
                text.push_str(&format!("{:space$}{cell} ", ""));
            } else {
                text.push_str(&format!("{cell}{:space$} ", ""));
            }
        }
        end_line(&mut text);
    }
    let count = rows.len();
    text.push_str(&format!(
        "({count} row{})",
        if count == 1 { "" } else { "s" }
    ));
    text
}

fn end_line(text: &mut String) {
    text.truncate(text.trim_end_matches(' ').len());
    text.push('\n');
}

fn cells(result: &ResultSet) -> Vec<Vec<String>> {
    let mut rows = Vec::with_capacity(result.row_count());
    for batch in &result.batches {
        let batch = batch.compact();
        for row in 0..batch.rows() {
            let cell = |column: &varve_types::ColumnRef| {
                let mut text = String::new();
                write_cell(column, row, &result.locale, &mut text);
                text.replace('\n', "\\n")
            };
            rows.push(batch.physical_columns().iter().map(cell).collect());
        }
    }
    rows
}

fn is_right_aligned(ty: LogicalType) -> bool {
    ty.is_numeric()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use varve_types::{Batch, Column, LogicalType, Value};
    use varvedb::{Field, ResultSet};

    #[test]
    fn tables_are_aligned() {
        let numbers = Column::from_values(LogicalType::Int4, &[Value::Int4(5), Value::Int4(-12)]);
        let texts =
            Column::from_values(LogicalType::Text, &[Value::text("caf\u{e9}"), Value::Null]);
        let result = ResultSet {
            fields: Arc::new([
                Field {
                    name: "n".to_owned(),
                    ty: LogicalType::Int4,
                },
                Field {
                    name: "place".to_owned(),
                    ty: LogicalType::Text,
                },
            ]),
            batches: vec![Batch::new(vec![Arc::new(numbers), Arc::new(texts)], 2)],
            command: "SELECT",
            ..ResultSet::default()
        };
        let expected = "  n  | place\n-----+-------\n   5 | caf\u{e9}\n -12 |\n(2 rows)";
        assert_eq!(super::render(&result), expected);
    }
}
