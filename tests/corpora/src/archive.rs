//! The files of a corpus: plain ones, and those in `.zst` and `.tar.zst`, unpacked in memory.

use std::io::{self, Read};
use std::path::Path;

/// A file by its path below the family's folder; members of an archive stand beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    pub path: String,
    pub bytes: Vec<u8>,
}

impl SourceFile {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).replace("\r\n", "\n")
    }
}

/// All files below a folder, sorted by path.
pub fn read_folder(folder: &Path) -> io::Result<Vec<SourceFile>> {
    let mut files = Vec::new();
    read_into(folder, "", &mut files)?;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

fn read_into(folder: &Path, prefix: &str, files: &mut Vec<SourceFile>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            read_into(&entry.path(), &format!("{path}/"), files)?;
            continue;
        }
        let bytes = std::fs::read(entry.path())?;
        if path.ends_with(".tar.zst") {
            unpack(&decompress(&bytes)?, prefix, files)?;
        } else if let Some(plain) = path.strip_suffix(".zst") {
            let bytes = decompress(&bytes)?;
            let path = plain.to_owned();
            files.push(SourceFile { path, bytes });
        } else {
            files.push(SourceFile { path, bytes });
        }
    }
    Ok(())
}

fn decompress(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(bytes)
        .map_err(|error| io::Error::other(error.to_string()))?;
    let mut plain = Vec::new();
    decoder.read_to_end(&mut plain)?;
    Ok(plain)
}

fn unpack(bytes: &[u8], prefix: &str, files: &mut Vec<SourceFile>) -> io::Result<()> {
    for entry in tar::Archive::new(bytes).entries()? {
        let mut entry = entry?;
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let name = entry.path()?.to_string_lossy().replace('\\', "/");
        let name = name.trim_start_matches("./");
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes)?;
        let path = format!("{prefix}{name}");
        files.push(SourceFile { path, bytes });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::unpack;

    #[test]
    fn members_of_an_archive_stand_beside_it() {
        let mut builder = tar::Builder::new(Vec::new());
        let mut header = tar::Header::new_gnu();
        header.set_size(3);
        header.set_cksum();
        builder
            .append_data(&mut header, "a/b.test", &b"abc"[..])
            .unwrap();
        let bytes = builder.into_inner().unwrap();
        let mut files = Vec::new();
        unpack(&bytes, "x/", &mut files).unwrap();
        assert_eq!(files.len(), 1);
        assert_eq!(files[0].path, "x/a/b.test");
        assert_eq!(files[0].text(), "abc");
    }
}
