//! Files of a folder in the order of their names; `.zst` and `.tar` are unpacked.

use std::fs;
use std::io::{Cursor, Read};
use std::path::Path;

/// Windows that the archives were written with go up to this.
const WINDOW_LOG_MAX: u32 = 27;

/// Calls `take` with group, name and bytes of every file. The group is the folder or archive.
pub(super) fn visit(path: &Path, take: &mut dyn FnMut(&str, &str, Vec<u8>)) {
    if path.is_dir() {
        let entries = fs::read_dir(path).expect("the folder can be read");
        let mut paths: Vec<_> = entries
            .filter_map(Result::ok)
            .map(|entry| entry.path())
            .collect();
        paths.sort();
        for path in paths {
            visit(&path, take);
        }
        return;
    }
    let raw = fs::read(path).expect("the file can be read");
    let name = name_of(path);
    let folder = path.parent().map(name_of).unwrap_or_default();
    let (name, raw) = match name.strip_suffix(".zst") {
        Some(inner) => (inner, unpack_zstd(&raw)),
        None => (name.as_str(), raw),
    };
    match name.strip_suffix(".tar") {
        Some(archive) => visit_tar(&format!("{folder}/{archive}"), &raw, take),
        None => take(&folder, name, raw),
    }
}

fn visit_tar(group: &str, raw: &[u8], take: &mut dyn FnMut(&str, &str, Vec<u8>)) {
    let mut files = Vec::new();
    let mut archive = tar::Archive::new(Cursor::new(raw));
    for entry in archive.entries().expect("the archive is sound") {
        let mut entry = entry.expect("the archive is sound");
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let path = entry.path().expect("names are paths").display().to_string();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).expect("the archive is sound");
        files.push((path, bytes));
    }
    files.sort();
    for (path, bytes) in files {
        take(group, &path, bytes);
    }
}

fn unpack_zstd(packed: &[u8]) -> Vec<u8> {
    let mut decoder = zstd::Decoder::new(packed).expect("memory suffices");
    decoder
        .window_log_max(WINDOW_LOG_MAX)
        .expect("the window is possible");
    let mut raw = Vec::new();
    decoder.read_to_end(&mut raw).expect("the file is sound");
    raw
}

fn name_of(path: &Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}
