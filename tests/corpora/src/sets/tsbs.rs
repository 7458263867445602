//! TSBS's DevOps queries over one day of ten hosts, with PostgreSQL's answers.

use super::judge::{Stage, text, wrong_rows};
use crate::archive::SourceFile;
use crate::engine::{Client, failure};
use crate::psql::{ItemKind, scan};
use crate::run::Judged;

pub fn run(client: &mut Client, files: &[SourceFile]) -> Vec<Judged> {
    let mut stage = Stage::new(client);
    let schema = text(files, "schema.sql").unwrap_or_default();
    for (_, sql) in statements(&String::from_utf8_lossy(schema)) {
        stage.make(&sql);
    }
    for table in ["tags", "cpu"] {
        if let Some(data) = text(files, &format!("{table}.csv")) {
            let sql = format!("COPY {table} FROM STDIN (FORMAT csv, HEADER)");
            let loaded = stage.load(&sql, data.to_vec());
            stage
                .causes
                .note(&format!("CREATE TABLE {table} ()"), failure(&loaded));
        }
    }
    for file in files
        .iter()
        .filter(|file| file.path.starts_with("queries/"))
    {
        let name = file
            .path
            .trim_start_matches("queries/")
            .trim_end_matches(".sql");
        let wanted = text(files, &format!("expected/{name}.csv")).unwrap_or_default();
        let wanted = String::from_utf8_lossy(wanted);
        let answers = answers(&wanted);
        for (at, (line, sql)) in statements(&file.text()).into_iter().enumerate() {
            let lines = answers.get(at).cloned().unwrap_or_default();
            let in_order = sql.to_lowercase().contains("order by");
            stage.query(&file.path, line, &sql, |answer| {
                wrong_rows(answer, &lines, ',', in_order)
            });
        }
    }
    stage.judged
}

/// The statements of a text with their lines.
pub(super) fn statements(text: &str) -> Vec<(u32, String)> {
    let items = scan(text, |_, _, _| false).items.into_iter();
    let statement = items.filter_map(|item| match item.kind {
        ItemKind::Statement { statement, .. } => Some((item.first_line as u32 + 1, statement.sql)),
        ItemKind::Command { .. } => None,
    });
    statement.collect()
}

/// The rows of each query: what follows `-- query N` and the names of the columns.
fn answers(text: &str) -> Vec<Vec<&str>> {
    let parts = text.split("-- query ").skip(1);
    parts
        .map(|part| {
            part.lines()
                .skip(2)
                .filter(|line| !line.is_empty())
                .collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{answers, statements};

    #[test]
    fn answers_stand_by_query() {
        let text = "-- query 1\na,b\n1,2\n3,4\n\n-- query 2\na\n\n";
        assert_eq!(answers(text), vec![vec!["1,2", "3,4"], vec![]]);
        let found = statements("SELECT\n1;\n\nSELECT 2;\n");
        assert_eq!(
            found,
            [(1, "SELECT\n1;".to_owned()), (4, "SELECT 2;".to_owned())]
        );
    }
}
