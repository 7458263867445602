//! Where results go.

use std::fs::File;
use std::io::{BufWriter, Write};

/// Standard output, or the file that `\o` names.
pub struct Output(Box<dyn Write>);

impl Default for Output {
    fn default() -> Output {
        Output(Box::new(BufWriter::new(std::io::stdout())))
    }
}

impl Output {
    /// Sends what follows to a file; without one, to standard output again.
    pub fn redirect(&mut self, file: Option<&str>) -> Result<(), String> {
        self.flush();
        *self = match file {
            None => Output::default(),
            Some(pipe) if pipe.starts_with('|') => {
                return Err("results cannot be piped to a program".to_owned());
            }
            Some(path) => {
                let file = File::create(path).map_err(|error| format!("{path}: {error}"))?;
                Output(Box::new(BufWriter::new(file)))
            }
        };
        Ok(())
    }

    /// Writes bytes. A reader that has gone away is no error.
    pub fn bytes(&mut self, bytes: &[u8]) {
        let _ = self.0.write_all(bytes);
    }

    /// Writes a line.
    pub fn line(&mut self, text: &str) {
        self.bytes(text.as_bytes());
        self.bytes(b"\n");
    }

    /// Has everything written out, so that it stands before what follows on standard error.
    pub fn flush(&mut self) {
        let _ = self.0.flush();
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        self.flush();
    }
}
