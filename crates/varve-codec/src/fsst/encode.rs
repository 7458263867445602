//! From bytes to codes.

use super::ESCAPE;
use super::lookup::Lookup;
use super::parse::Parser;
use super::table::SymbolTable;

/// Encodes strings by one table. Making one takes about as long as encoding 10 KB.
pub(crate) struct Encoder(Lookup);

impl core::fmt::Debug for Encoder {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Encoder").finish_non_exhaustive()
    }
}

impl Encoder {
    pub(crate) fn new(table: &SymbolTable) -> Encoder {
        let symbols: Vec<_> = table.symbols().collect();
        Encoder(Lookup::new(&symbols))
    }

    /// Appends the codes of each string, at most two bytes for each of its own, and says after each
    /// how long `out` has become. What the codes are depends on the table and the string only.
    pub(crate) fn encode_all<'a>(
        &self,
        strings: impl Iterator<Item = &'a [u8]>,
        out: &mut Vec<u8>,
        mut ended: impl FnMut(usize),
    ) {
        let mut parser = Parser::new(&self.0);
        for string in strings {
            let start = out.len();
            out.resize(start + 2 * string.len() + 1, 0);
            let mut at = start;
            parser.parse(string, |token| {
                let room = out.get_mut(at..).and_then(|room| room.first_chunk_mut());
                if let Some([first, second]) = room {
                    let escaped = token.is_escaped();
                    *first = if escaped { ESCAPE } else { token.byte() };
                    *second = token.byte();
                    at += 1 + usize::from(escaped);
                }
            });
            out.truncate(at);
            ended(at);
        }
    }
}
