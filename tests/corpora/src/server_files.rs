//! Files that statements read by name. The engine reads none itself: COPY from a file becomes COPY
//! from standard input with the file of the corpus that has this name.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use regex::Regex;

use crate::archive::SourceFile;
use crate::engine::{Client, Outcome};

static FROM_FILE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?is)^\s*(copy\s.+?\sfrom\s+)'([^']*)'(.*)$").expect("a pattern")
});

/// The files of a corpus by the last part of their path.
#[derive(Default)]
pub struct ServerFiles(BTreeMap<String, Arc<[u8]>>);

impl ServerFiles {
    pub fn new<'a>(files: impl Iterator<Item = &'a SourceFile>) -> ServerFiles {
        let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
        ServerFiles(
            files
                .map(|file| (name(&file.path), Arc::from(file.bytes.as_slice())))
                .collect(),
        )
    }

    /// Whether a statement reads a file of the corpus.
    pub fn is_read_by(&self, sql: &str) -> bool {
        self.rewrite(sql).is_some()
    }

    pub fn execute(&self, client: &mut Client, connection: &str, sql: &str) -> Outcome {
        match self.rewrite(sql) {
            Some((sql, data)) => client.copy_in(connection, &sql, data.to_vec()),
            None => client.query(connection, sql),
        }
    }

    fn rewrite(&self, sql: &str) -> Option<(String, &Arc<[u8]>)> {
        let found = FROM_FILE.captures(sql)?;
        let name = found[2].rsplit('/').next().unwrap_or_default();
        let data = self.0.get(name)?;
        Some((format!("{}STDIN{}", &found[1], &found[3]), data))
    }
}

#[cfg(test)]
mod tests {
    use super::ServerFiles;
    use crate::archive::SourceFile;

    #[test]
    fn a_file_is_found_by_its_last_name() {
        let file = SourceFile {
            path: "data/a.csv".to_owned(),
            bytes: b"1\n".to_vec(),
        };
        let files = ServerFiles::new([&file].into_iter());
        let (sql, data) = files.rewrite("COPY t\nFROM '../x/a.csv' CSV").unwrap();
        assert_eq!(
            (sql.as_str(), &data[..]),
            ("COPY t\nFROM STDIN CSV", &b"1\n"[..])
        );
        assert!(!files.is_read_by("COPY t FROM 'b.csv'"));
        assert!(!files.is_read_by("SELECT 'a' FROM 'a.csv'"));
    }
}
