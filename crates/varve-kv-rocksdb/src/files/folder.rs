//! Which files of RocksDB are in a folder.

use std::io;
use std::path::{Path, PathBuf};

/// The files of a folder, sorted by what their names say.
#[derive(Debug, Default)]
pub(crate) struct Folder {
    path: PathBuf,
    /// Numbers of the logs, in ascending order.
    pub(crate) logs: Vec<u64>,
    /// Numbers of the tables, in ascending order.
    pub(crate) tables: Vec<u64>,
    /// Numbers of the files that list the tables, in ascending order.
    pub(crate) manifests: Vec<u64>,
    pub(crate) has_current: bool,
    /// Names of files that are neither RocksDB's nor ours.
    pub(crate) unknown: Vec<String>,
}

impl Folder {
    /// A folder that is not there is an empty one.
    pub(crate) fn read(path: &Path) -> io::Result<Folder> {
        let mut folder = Folder {
            path: path.to_owned(),
            ..Folder::default()
        };
        let entries = match std::fs::read_dir(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(folder),
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                continue;
            }
            folder.add(&entry.file_name().to_string_lossy());
        }
        folder.logs.sort_unstable();
        folder.tables.sort_unstable();
        folder.manifests.sort_unstable();
        Ok(folder)
    }

    /// Removes what came to the folder since and nothing names: an open that failed begins files
    /// that the next one does not go on with.
    pub(crate) fn remove_newer_files(&self) {
        let Ok(now) = Folder::read(&self.path) else {
            return;
        };
        let current = now.current().ok().flatten();
        let is_new = |number: &&u64, known: &[u64]| known.binary_search(number).is_err();
        let logs = now.logs.iter().filter(|number| is_new(number, &self.logs));
        let tables = now.tables.iter();
        let tables = tables.filter(|number| is_new(number, &self.tables));
        let manifests = now.manifests.iter();
        let manifests = manifests.filter(|number| is_new(number, &self.manifests));
        // A MANIFEST that is in use names new tables and needs new logs.
        let is_unused = manifests.clone().all(|number| current != Some(*number));
        if is_unused && current.is_some() {
            let files = manifests.map(|number| now.manifest(*number));
            let files = files.chain(logs.map(|number| now.log(*number)));
            for file in files.chain(tables.map(|number| now.table(*number))) {
                let _ = std::fs::remove_file(file);
            }
        }
    }

    fn add(&mut self, name: &str) {
        let number = |text: &str| text.parse::<u64>().ok();
        let log = name.strip_suffix(".log").and_then(number);
        let table = name.strip_suffix(".sst").and_then(number);
        let manifest = name.strip_prefix("MANIFEST-").and_then(number);
        self.logs.extend(log);
        self.tables.extend(table);
        self.manifests.extend(manifest);
        let is_data = log.or(table).or(manifest).is_some();
        let is_passing = name.ends_with(".dbtmp") || name.starts_with("LOG.old.");
        let is_rocksdb = is_data || is_passing || name.starts_with("OPTIONS-");
        match name {
            "CURRENT" => self.has_current = true,
            "LOCK" | "LOG" | "IDENTITY" => {}
            _ if is_rocksdb || crate::marker::is_ours(name) => {}
            _ => self.unknown.push(name.to_owned()),
        }
    }

    /// Whether there is data of RocksDB's.
    pub(crate) fn has_data(&self) -> bool {
        self.has_current
            || !(self.logs.is_empty() && self.tables.is_empty() && self.manifests.is_empty())
    }

    pub(crate) fn log(&self, number: u64) -> PathBuf {
        self.path.join(format!("{number:06}.log"))
    }

    pub(crate) fn table(&self, number: u64) -> PathBuf {
        self.path.join(format!("{number:06}.sst"))
    }

    pub(crate) fn manifest(&self, number: u64) -> PathBuf {
        self.path.join(format!("MANIFEST-{number:06}"))
    }

    /// The number of the MANIFEST that CURRENT names.
    pub(crate) fn current(&self) -> io::Result<Option<u64>> {
        let text = std::fs::read(self.path.join("CURRENT"))?;
        let text = String::from_utf8(text).ok();
        let number = text.as_deref().and_then(|text| {
            let name = text.strip_suffix('\n')?;
            name.strip_prefix("MANIFEST-")?.parse().ok()
        });
        Ok(number)
    }
}
