//! Where databases are: the one in a folder (or in memory), and those beside it that have names,
//! in folders of their own below `databases`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use varvedb::Database;

use crate::open;
use crate::opening::Opening;

/// The name of the database of the place itself.
pub const MAIN: &str = "varvedb";

/// The place without a folder: what is there ends with the process.
pub const IN_MEMORY: &str = "memory://";

/// Other names of the main database: what scripts connect to before they make theirs.
const MAIN_NAMES: [&str; 3] = [MAIN, "postgres", "template1"];

/// A place for databases.
pub enum Place {
    /// The folder, and what its databases are opened with.
    Folder(PathBuf, Opening),
    Memory(BTreeMap<String, Database>),
}

impl Place {
    /// The place of this name: a folder, or [`IN_MEMORY`].
    pub fn new(path: &Path, with: Opening) -> Place {
        match path.to_str() {
            Some(IN_MEMORY) => Place::Memory(BTreeMap::new()),
            _ => Place::Folder(path.to_owned(), with),
        }
    }

    /// How the place is called to users.
    pub fn name(&self) -> String {
        match self {
            Place::Folder(path, _) => path.display().to_string(),
            Place::Memory(_) => IN_MEMORY.to_owned(),
        }
    }

    /// Whether `name` is the main database, which is always there.
    pub fn is_main(name: &str) -> bool {
        MAIN_NAMES.contains(&name)
    }

    fn folder(root: &Path, name: &str) -> PathBuf {
        // What is no plain letter is written as a number, so that no name leaves the folder.
        let mut folder = String::new();
        for byte in name.bytes() {
            match byte {
                b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' => folder.push(char::from(byte)),
                _ => folder.push_str(&format!("%{byte:02x}")),
            }
        }
        root.join("databases").join(folder)
    }

    /// Whether there is a database of this name.
    pub fn has(&self, name: &str) -> bool {
        Place::is_main(name)
            || match self {
                Place::Folder(root, _) => Place::folder(root, name).is_dir(),
                Place::Memory(databases) => databases.contains_key(name),
            }
    }

    /// The databases, the main one first.
    pub fn names(&self) -> Vec<String> {
        let mut others: Vec<String> = match self {
            Place::Memory(databases) => databases.keys().cloned().collect(),
            Place::Folder(root, _) => {
                let folders = std::fs::read_dir(root.join("databases"));
                let folders = folders.into_iter().flatten().flatten();
                let names = folders.filter_map(|entry| entry.file_name().into_string().ok());
                names.map(|name| decoded(&name)).collect()
            }
        };
        others.retain(|name| !Place::is_main(name));
        others.sort();
        others.insert(0, MAIN.to_owned());
        others
    }

    /// The folder of a database, unless it is in memory.
    pub fn folder_of(&self, name: &str) -> Option<PathBuf> {
        match self {
            Place::Folder(root, _) if Place::is_main(name) => Some(root.clone()),
            Place::Folder(root, _) => Some(Place::folder(root, name)),
            Place::Memory(_) => None,
        }
    }

    /// Opens a database that is there.
    pub fn open(&mut self, name: &str) -> Result<Database, String> {
        match self {
            Place::Folder(root, with) if Place::is_main(name) => open::database(root, with),
            Place::Folder(root, with) => open::existing(&Place::folder(root, name), with),
            Place::Memory(databases) => {
                let name = if Place::is_main(name) { MAIN } else { name };
                if let Some(database) = databases.get(name) {
                    return Ok(database.clone());
                }
                let database = open::in_memory()?;
                databases.insert(name.to_owned(), database.clone());
                Ok(database)
            }
        }
    }

    /// Makes an empty database, which is not there yet.
    pub fn create(&mut self, name: &str) -> Result<(), String> {
        match self {
            Place::Folder(root, with) => {
                let folder = Place::folder(root, name);
                std::fs::create_dir_all(&folder)
                    .map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
                if with.encryption.is_some() {
                    // An empty folder would be taken by whoever comes without a key.
                    let database = self.open(name)?;
                    self.close(&database)?;
                }
                Ok(())
            }
            Place::Memory(_) => self.open(name).map(drop),
        }
    }

    /// Deletes a database with everything in it; it is not open.
    pub fn remove(&mut self, name: &str) -> Result<(), String> {
        match self {
            Place::Folder(root, _) => {
                let folder = Place::folder(root, name);
                std::fs::remove_dir_all(&folder)
                    .map_err(|error| format!("cannot delete {}: {error}", folder.display()))
            }
            Place::Memory(databases) => {
                databases.remove(name);
                Ok(())
            }
        }
    }

    /// Ends the use of a database. Those in memory stay until the end.
    pub fn close(&self, database: &Database) -> Result<(), String> {
        match self {
            Place::Memory(_) => Ok(()),
            Place::Folder(..) => {
                pollster::block_on(database.close()).map_err(|error| crate::message::of(&error))
            }
        }
    }
}

/// The name of a database by that of its folder.
fn decoded(folder: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = folder;
    while let Some(c) = rest.chars().next() {
        let code = rest.get(1..3).filter(|_| c == '%');
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = rest.get(3..).unwrap_or_default();
            }
            None => {
                bytes.extend(c.to_string().bytes());
                rest = rest.get(c.len_utf8()..).unwrap_or_default();
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Place, decoded};
    use crate::opening::Opening;

    #[test]
    fn no_name_leaves_the_folder() {
        for (name, folder) in [
            ("chinook", "chinook"),
            ("../a", "%2e%2e%2fa"),
            ("Caf\u{e9} 1", "%43af%c3%a9%201"),
        ] {
            let path = Place::folder(Path::new("root"), name);
            assert_eq!(path, Path::new("root/databases").join(folder));
            assert_eq!(decoded(folder), name);
        }
    }

    #[test]
    fn databases_come_and_go() {
        let mut place = Place::new(Path::new("memory://"), Opening::default());
        assert!(place.has("postgres") && !place.has("a"));
        place.create("a").unwrap();
        assert_eq!(place.names(), ["varvedb", "a"]);
        place.remove("a").unwrap();
        assert!(!place.has("a"));
    }
}
