//! Cuts a script into statements, without reading them.
//!
//! Comments become blanks, line feeds stay, so that lines count as in the source. In MySQL the
//! contents of `/*!40101 ... */` are part of the statement, as its server takes them, and
//! `_binary '...'`, which may hold any bytes, becomes `X'...'`.

use crate::Dialect;
use crate::expression::literal::hex;
use crate::script::{Fault, Result};

/// The text of one statement.
pub(crate) struct Piece {
    /// The line where it begins.
    pub line: u64,
    pub text: String,
}

/// Cuts `script`.
pub(crate) fn pieces(script: &[u8], dialect: Dialect) -> Pieces<'_> {
    Pieces {
        rest: script,
        line: 1,
        dialect,
        delimiter: b";".to_vec(),
    }
}

pub(crate) struct Pieces<'s> {
    rest: &'s [u8],
    line: u64,
    dialect: Dialect,
    delimiter: Vec<u8>,
}

/// MySQL's version for comments that only a later server would run.
const SERVER_VERSION: u32 = 130_000;

impl Iterator for Pieces<'_> {
    type Item = Result<Piece>;

    fn next(&mut self) -> Option<Result<Piece>> {
        loop {
            let piece = self.piece()?;
            let is_blank = |text: &str| text.trim().is_empty();
            match piece {
                Ok(piece) if is_blank(&piece.text) => {}
                piece => return Some(piece),
            }
        }
    }
}

impl<'s> Pieces<'s> {
    fn piece(&mut self) -> Option<Result<Piece>> {
        let mut cut = Cut::default();
        loop {
            if !cut.has_begun && self.takes_delimiter_line() {
                continue;
            }
            let Some(&byte) = self.rest.first() else {
                let is_end = cut.text.is_empty();
                return (!is_end).then(|| cut.finish(self.line));
            };
            if self.rest.starts_with(&self.delimiter) && !cut.is_in_body(self.dialect) {
                let length = self.delimiter.len();
                self.advance(length);
                return Some(cut.finish(self.line));
            }
            if let Some(length) = self.comment() {
                let comment = self.advance(length);
                cut.blank(comment);
            } else if let Some(length) = self.hint() {
                let opening = self.advance(length);
                cut.blank(opening);
            } else if self.dialect == Dialect::MySql && self.rest.starts_with(b"*/") {
                self.advance(2);
                cut.text.push(b' ');
            } else if self.is_quote(byte) {
                let line = self.line;
                let length = self.quoted();
                let quoted = self.advance(length);
                cut.begin(line);
                cut.quoted(quoted, self.dialect);
            } else {
                let line = self.line;
                let length = word_length(self.rest);
                let word = self.advance(length);
                if !byte.is_ascii_whitespace() {
                    cut.begin(line);
                    cut.note(word);
                }
                cut.text.extend_from_slice(word);
            }
        }
    }

    /// Takes bytes away and counts their lines.
    fn advance(&mut self, length: usize) -> &'s [u8] {
        let (taken, rest) = self.rest.split_at(length.min(self.rest.len()));
        self.rest = rest;
        self.line += count(taken);
        taken
    }

    /// `DELIMITER ;;`, a line of its own, which the shell reads and no server.
    fn takes_delimiter_line(&mut self) -> bool {
        if self.dialect != Dialect::MySql {
            return false;
        }
        let line = self.rest.split(|&byte| byte == b'\n').next();
        let line = line.unwrap_or_default();
        let mut words = line
            .split(|byte| byte.is_ascii_whitespace())
            .filter(|word| !word.is_empty());
        let is_command = words
            .next()
            .is_some_and(|word| word.eq_ignore_ascii_case(b"delimiter"));
        let Some(delimiter) = words.next().filter(|_| is_command) else {
            return false;
        };
        self.delimiter = delimiter.to_vec();
        let length = line.len();
        self.advance(length);
        true
    }

    /// The length of the comment that begins here.
    fn comment(&self) -> Option<usize> {
        let rest = self.rest;
        let is_mysql = self.dialect == Dialect::MySql;
        let to_line_end = || {
            let end = rest.iter().position(|&byte| byte == b'\n');
            end.unwrap_or(rest.len())
        };
        if rest.starts_with(b"--") {
            let is_comment = !is_mysql || rest.get(2).is_none_or(|byte| byte.is_ascii_whitespace());
            return is_comment.then(to_line_end);
        }
        if is_mysql && rest.starts_with(b"#") {
            return Some(to_line_end());
        }
        let runs = is_mysql && self.hint().is_some();
        (rest.starts_with(b"/*") && !runs).then(|| {
            let inside = rest.get(2..).unwrap_or_default();
            let end = inside.windows(2).position(|pair| pair == b"*/");
            end.map_or(rest.len(), |end| end + 4)
        })
    }

    /// The length of `/*!40101`, whose comment a server runs.
    fn hint(&self) -> Option<usize> {
        if self.dialect != Dialect::MySql {
            return None;
        }
        let opening = [&b"/*!"[..], b"/*M!"]
            .into_iter()
            .find(|opening| self.rest.starts_with(opening))?;
        let digits = self.rest.get(opening.len()..).unwrap_or_default();
        let digits = digits.iter().take_while(|byte| byte.is_ascii_digit());
        let (mut length, mut version) = (opening.len(), 0_u32);
        for digit in digits.take(6) {
            version = version * 10 + u32::from(digit - b'0');
            length += 1;
        }
        (version < SERVER_VERSION).then_some(length)
    }

    fn is_quote(&self, byte: u8) -> bool {
        matches!(byte, b'\'' | b'"' | b'`') || (byte == b'[' && self.dialect == Dialect::Sqlite)
    }

    /// The length of what is in quotes here, with its quotes.
    fn quoted(&self) -> usize {
        let mut bytes = self.rest.iter().copied().enumerate().peekable();
        let close = match bytes.next() {
            Some((_, b'[')) => b']',
            Some((_, quote)) => quote,
            None => return 0,
        };
        let escapes = self.dialect == Dialect::MySql && close != b'`';
        while let Some((at, byte)) = bytes.next() {
            if escapes && byte == b'\\' {
                bytes.next();
            } else if byte == close {
                let is_doubled = close != b']' && bytes.peek().is_some_and(|&(_, b)| b == close);
                if !is_doubled {
                    return at + 1;
                }
                bytes.next();
            }
        }
        self.rest.len()
    }
}

/// The statement under way.
#[derive(Default)]
struct Cut {
    text: Vec<u8>,
    has_begun: bool,
    line: u64,
    /// The first words, and the last ones, in lower case.
    first: Vec<Vec<u8>>,
    last: [Vec<u8>; 2],
}

impl Cut {
    fn begin(&mut self, line: u64) {
        if !self.has_begun {
            self.has_begun = true;
            self.line = line;
            self.text.clear();
        }
    }

    fn note(&mut self, word: &[u8]) {
        let word = word.to_ascii_lowercase();
        if self.first.len() < 3 {
            self.first.push(word.clone());
        }
        let [_, last] = core::mem::take(&mut self.last);
        self.last = [last, word];
    }

    /// Whether a semicolon ends a statement inside a body. SQLite's shell has the same rule: a
    /// trigger ends with `; END ;`.
    fn is_in_body(&self, dialect: Dialect) -> bool {
        let is = |at: usize, word: &[u8]| self.first.get(at).is_some_and(|first| first == word);
        let is_trigger = dialect == Dialect::Sqlite
            && is(0, b"create")
            && (is(1, b"trigger") || is(2, b"trigger"));
        let [before, last] = &self.last;
        is_trigger && !(before == b";" && last == b"end")
    }

    fn blank(&mut self, comment: &[u8]) {
        if self.has_begun {
            self.text.push(b' ');
            let lines = comment.iter().filter(|&&byte| byte == b'\n');
            self.text.extend(lines);
        }
    }

    fn quoted(&mut self, quoted: &[u8], dialect: Dialect) {
        let is_binary = self.last.last().is_some_and(|word| word == b"_binary");
        self.note(b"''");
        if !(is_binary && dialect == Dialect::MySql) {
            self.text.extend_from_slice(quoted);
            return;
        }
        let end = self.text.trim_ascii_end().len();
        self.text.truncate(end.saturating_sub(b"_binary".len()));
        self.text.extend_from_slice(b" X'");
        self.text
            .extend_from_slice(hex(&unescaped(quoted)).as_bytes());
        self.text.push(b'\'');
    }

    fn finish(self, end_line: u64) -> Result<Piece> {
        let line = if self.has_begun { self.line } else { end_line };
        if !self.has_begun {
            let text = String::new();
            return Ok(Piece { line, text });
        }
        let found = String::from_utf8(self.text);
        found.map(|text| Piece { line, text }).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            let before = error.as_bytes().get(..at).unwrap_or_default();
            let message = "the text is not UTF-8; dump binary columns with --hex-blob";
            Fault::new(line + count(before), message)
        })
    }
}

fn count(bytes: &[u8]) -> u64 {
    let lines = bytes.iter().filter(|&&byte| byte == b'\n');
    lines.fold(0, |sum, _| sum + 1)
}

/// A word, or one character. Words are taken whole, so that `DELIMITER` and `END` are told from
/// parts of names.
fn word_length(rest: &[u8]) -> usize {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    let length = rest.iter().take_while(|byte| is_word(byte)).count();
    length.max(1)
}

/// What a text in MySQL's quotes holds.
fn unescaped(quoted: &[u8]) -> Vec<u8> {
    let quote = quoted.first().copied().unwrap_or(b'\'');
    let inside = quoted.get(1..quoted.len().saturating_sub(1));
    let mut bytes = inside.unwrap_or_default().iter().copied();
    let mut text = Vec::new();
    while let Some(byte) = bytes.next() {
        text.push(match byte {
            b'\\' => match bytes.next() {
                Some(b'0') => 0,
                Some(b'n') => b'\n',
                Some(b'r') => b'\r',
                Some(b't') => b'\t',
                Some(b'b') => 8,
                Some(b'Z') => 26,
                Some(other) => other,
                None => byte,
            },
            byte if byte == quote => bytes.next().unwrap_or(byte),
            byte => byte,
        });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, dialect: Dialect) -> Vec<(u64, String)> {
        let pieces = pieces(text.as_bytes(), dialect);
        pieces
            .map(|piece| piece.map(|piece| (piece.line, piece.text)))
            .collect::<Result<_>>()
            .unwrap()
    }

    fn lines(pieces: &[(u64, &str)]) -> Vec<(u64, String)> {
        let owned = pieces.iter().map(|&(line, text)| (line, text.to_owned()));
        owned.collect()
    }

    #[test]
    fn statements_end_at_semicolons_outside_of_quotes() {
        let text = "-- a;\nSELECT ';', \"a;\", `b;`, [c;];\n\n/* ; */ SELECT 2 -- x\n;";
        let expected = [(2, "SELECT ';', \"a;\", `b;`, [c;]"), (4, "SELECT 2  \n")];
        assert_eq!(cut(text, Dialect::Sqlite), lines(&expected));
    }

    #[test]
    fn a_trigger_of_sqlite_ends_at_its_end() {
        let text = "CREATE TRIGGER a AFTER INSERT ON b BEGIN SELECT CASE 1 WHEN 1 THEN 2 END; \
                    DELETE FROM c; END;SELECT 1;";
        let found = cut(text, Dialect::Sqlite);
        assert_eq!(found.len(), 2);
        assert!(found[0].1.ends_with("; END"), "{found:?}");
    }

    #[test]
    fn what_a_mysql_server_runs_in_comments_is_text() {
        let text =
            "/*!40101 SET a = 1 */;\n# x;\n/*M!999999\\- sandbox */ SELECT 'it\\'s;' /* y */;";
        let expected = [(1, "SET a = 1  "), (3, "SELECT 'it\\'s;'  ")];
        assert_eq!(cut(text, Dialect::MySql), lines(&expected));
    }

    #[test]
    fn a_delimiter_holds_until_the_next_one() {
        let text = "DELIMITER ;;\nCREATE PROCEDURE a() BEGIN b; END ;;\ndelimiter ;\nSELECT 1;";
        let expected = [(2, "CREATE PROCEDURE a() BEGIN b; END "), (4, "SELECT 1")];
        assert_eq!(cut(text, Dialect::MySql), lines(&expected));
    }

    #[test]
    fn binary_strings_may_hold_any_bytes() {
        let mut pieces = pieces(b"VALUES (_binary '\xff\\0\\'\\\\a''');", Dialect::MySql);
        let piece = pieces.next().unwrap().unwrap();
        assert_eq!(piece.text, "VALUES ( X'FF00275C6127')");
        let broken = super::pieces(b"a\n'\xff'", Dialect::MySql).next().unwrap();
        assert_eq!(broken.err().unwrap().line, 2);
    }
}
