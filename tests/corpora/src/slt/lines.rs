//! The lines of a file, read from the top.

use std::sync::Arc;

use crate::record::Place;

#[derive(Clone)]
pub struct Lines {
    file: Arc<str>,
    lines: Arc<[Arc<str>]>,
    next: usize,
}

impl Lines {
    pub fn new(file: &str, text: &str) -> Lines {
        Lines {
            file: Arc::from(file),
            lines: text.lines().map(Arc::from).collect(),
            next: 0,
        }
    }

    pub fn file(&self) -> &str {
        &self.file
    }

    /// The place of the line that [`Lines::take`] gave last.
    pub fn place(&self) -> Place {
        Place {
            file: Arc::clone(&self.file),
            line: self.next.max(1) as u32,
        }
    }

    pub fn take(&mut self) -> Option<Arc<str>> {
        let line = self.lines.get(self.next).cloned()?;
        self.next += 1;
        Some(line)
    }

    /// Where it stands, for [`Lines::go_to`].
    pub fn at(&self) -> usize {
        self.next
    }

    pub fn go_to(&mut self, at: usize) {
        self.next = at;
    }

    /// The text up to `----` or a blank line; whether it was `----` that ended it.
    pub fn statement(&mut self) -> (String, bool) {
        let mut text = Vec::new();
        while let Some(line) = self.take() {
            if line.trim_end() == "----" {
                return (text.join("\n"), true);
            }
            if line.trim().is_empty() {
                break;
            }
            text.push(line);
        }
        (text.join("\n"), false)
    }

    /// The lines up to a blank one.
    pub fn block(&mut self) -> Vec<String> {
        let mut block = Vec::new();
        while let Some(line) = self.take() {
            if line.trim().is_empty() {
                break;
            }
            block.push((*line).to_owned());
        }
        block
    }

    /// The lines up to two blank ones, where messages have blank lines of their own.
    pub fn block_to_two_blanks(&mut self) -> Vec<String> {
        let mut block: Vec<String> = Vec::new();
        while let Some(line) = self.take() {
            let blank = line.trim().is_empty();
            if blank && block.last().is_some_and(|last| last.trim().is_empty()) {
                break;
            }
            block.push((*line).to_owned());
        }
        block
    }
}
