//! Where lines come from: a file, a pipe, a text, or what is typed.

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, IsTerminal};
use std::path::{Path, PathBuf};

use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;

use crate::message;

/// A line of input.
pub enum Line {
    /// Its bytes, without the newline.
    Text(Vec<u8>),
    /// It was broken off: what is begun is forgotten.
    Interrupted,
    End,
}

/// Lines of a script or of a user.
pub trait Source {
    /// The next line. What is typed is asked for with `prompt`.
    fn line(&mut self, prompt: &str) -> Result<Line, String>;
    /// How messages call it, if it is a script.
    fn name(&self) -> Option<&str>;
    /// Whether somebody types.
    fn is_interactive(&self) -> bool;
}

/// A script.
pub struct Script {
    reader: Box<dyn BufRead>,
    name: Option<String>,
}

impl Script {
    /// A file.
    pub fn open(path: &Path) -> Result<Script, String> {
        let file = File::open(path)
            .and_then(|file| match file.metadata()?.is_dir() {
                true => Err(std::io::Error::other("it is a folder")),
                false => Ok(file),
            })
            .map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Script {
            reader: Box::new(BufReader::with_capacity(1 << 16, file)),
            name: Some(path.display().to_string()),
        })
    }

    /// What is piped in.
    pub fn standard_input(name: Option<String>) -> Script {
        Script {
            reader: Box::new(BufReader::new(std::io::stdin())),
            name,
        }
    }

    /// A text of the command line.
    pub fn of_text(text: &str) -> Script {
        Script {
            reader: Box::new(Cursor::new(text.to_owned())),
            name: None,
        }
    }
}

impl Source for Script {
    fn line(&mut self, _prompt: &str) -> Result<Line, String> {
        let mut line = Vec::new();
        let read = self.reader.read_until(b'\n', &mut line);
        let read = read.map_err(|error| format!("cannot read: {error}"))?;
        if read == 0 {
            return Ok(Line::End);
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        }
        Ok(Line::Text(line))
    }

    fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    fn is_interactive(&self) -> bool {
        false
    }
}

/// What is typed, with a history.
pub struct Terminal {
    editor: DefaultEditor,
    history: Option<PathBuf>,
}

impl Terminal {
    /// Begins with the history of earlier shells.
    pub fn new() -> Result<Terminal, String> {
        let mut editor = DefaultEditor::new().map_err(|error| error.to_string())?;
        let history = history_file();
        if let Some(file) = &history {
            // The first shell has no history yet.
            let _ = editor.load_history(file);
        }
        Ok(Terminal { editor, history })
    }

    /// Keeps the history for later ones.
    pub fn save(&mut self) {
        if let Some(file) = &self.history
            && let Err(error) = self.editor.save_history(file)
        {
            let file = file.display();
            message::tell(&format!("the history was not saved to {file}: {error}"));
        }
    }
}

impl Source for Terminal {
    fn line(&mut self, prompt: &str) -> Result<Line, String> {
        match self.editor.readline(prompt) {
            Ok(line) => {
                let _ = self.editor.add_history_entry(line.as_str());
                Ok(Line::Text(line.into_bytes()))
            }
            Err(ReadlineError::Interrupted) => Ok(Line::Interrupted),
            Err(ReadlineError::Eof) => Ok(Line::End),
            Err(error) => Err(error.to_string()),
        }
    }

    fn name(&self) -> Option<&str> {
        None
    }

    fn is_interactive(&self) -> bool {
        std::io::stdin().is_terminal()
    }
}

fn history_file() -> Option<PathBuf> {
    let home = std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE"))?;
    Some(PathBuf::from(home).join(".varve_history"))
}
