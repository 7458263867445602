//! Where results go.

use std::fs::File;
use std::io::{BufWriter, Write};

/// Standard output, or the file that `\o` names. What cannot be written is noted once, and what
/// would follow is left out.
pub struct Output {
    to: Box<dyn Write>,
    name: String,
    failure: Option<String>,
}

impl Default for Output {
    fn default() -> Output {
        Output::to(Box::new(std::io::stdout()), "standard output")
    }
}

impl Output {
    fn to(to: impl Write + 'static, name: &str) -> Output {
        Output {
            to: Box::new(BufWriter::new(to)),
            name: name.to_owned(),
            failure: None,
        }
    }

    /// Of a file that is made anew.
    pub fn of_file(path: &str) -> Result<Output, String> {
        if path.starts_with('|') {
            return Err("results cannot be piped to a program".to_owned());
        }
        let file = File::create(path).map_err(|error| format!("{path}: {error}"))?;
        Ok(Output::to(file, path))
    }

    /// Sends what follows to a file; without one, to standard output again.
    pub fn redirect(&mut self, file: Option<&str>) -> Result<(), String> {
        self.flush();
        if self.failure.is_none() {
            *self = file.map_or_else(|| Ok(Output::default()), Output::of_file)?;
        }
        Ok(())
    }

    /// What could not be written, and why.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Writes bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        if self.failure.is_none() {
            let written = self.to.write_all(bytes);
            self.note(written);
        }
    }

    /// Writes a line.
    pub fn line(&mut self, text: &str) {
        self.bytes(text.as_bytes());
        self.bytes(b"\n");
    }

    /// Has everything written out, so that it stands before what follows on standard error.
    pub fn flush(&mut self) {
        if self.failure.is_none() {
            let flushed = self.to.flush();
            self.note(flushed);
        }
    }

    fn note(&mut self, written: std::io::Result<()>) {
        if let Err(error) = written {
            self.failure = Some(format!("cannot write to {}: {error}", self.name));
        }
    }
}
