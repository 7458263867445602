//! Tables by context: the code before decides which of a few tables a code is read with.
//!
//! Codes that are followed by much the same share a table (a *cluster*). Codes that a table lacks
//! are written as an escape and eight bits.
//!
//! Layout, in bits: clusters less one (8), the cluster at the start of a string (8), which of the
//! 256 codes are known (1 each), for each known code the cluster of what follows it (8); then for
//! each cluster the frequencies, plus one, of the escape and of each known code (Elias gamma).

use super::table::{Entry, entries_of};
use super::{BitReader, BitWriter, EncodeTable, Frequencies};
use crate::CodecError;

/// Size of all tables, as log2.
pub(crate) const LOG: u32 = 10;
const STATES: usize = 1 << LOG;
/// The most tables: together they take 128 KB when they are read.
pub(crate) const CLUSTERS_MAX: usize = 32;
/// One symbol is the escape.
pub(crate) const CODES_MAX: usize = 255;

/// Which codes are known, what follows them, and how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Contexts {
    pub(crate) start: u8,
    /// Ascending.
    pub(crate) known: Vec<u8>,
    /// For each known code.
    pub(crate) clusters: Vec<u8>,
    /// For each cluster: of the escape, then of the known codes.
    pub(crate) frequencies: Vec<Frequencies>,
}

impl Contexts {
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let mut bits = BitWriter::default();
        bits.put(self.frequencies.len().saturating_sub(1) as u64, 8);
        bits.put(u64::from(self.start), 8);
        for code in 0..=u8::MAX {
            bits.put(u64::from(self.known.contains(&code)), 1);
        }
        for cluster in &self.clusters {
            bits.put(u64::from(*cluster), 8);
        }
        for frequencies in &self.frequencies {
            frequencies.write_of(&mut bits);
        }
        out.extend(bits.finish());
    }

    pub(crate) fn read(bytes: &[u8]) -> Result<Contexts, CodecError> {
        let malformed = CodecError::Malformed("contexts");
        let mut bits = BitReader::new(bytes);
        let mut take_u8 = || bits.take(8).to_le_bytes()[0];
        let count = usize::from(take_u8()) + 1;
        let start = take_u8();
        let known: Vec<u8> = (0..=u8::MAX).filter(|_| bits.take(1) == 1).collect();
        let mut take_u8 = || bits.take(8).to_le_bytes()[0];
        let clusters: Vec<u8> = known.iter().map(|_| take_u8()).collect();
        let of_known = clusters.iter().all(|cluster| usize::from(*cluster) < count);
        let sound = of_known && usize::from(start) < count;
        if count > CLUSTERS_MAX || known.len() > CODES_MAX || !sound {
            return Err(malformed);
        }
        let frequencies: Result<Vec<Frequencies>, CodecError> = (0..count)
            .map(|_| Frequencies::read_of(LOG, known.len() + 1, &mut bits))
            .collect();
        bits.end()?;
        Ok(Contexts {
            start,
            known,
            clusters,
            frequencies: frequencies?,
        })
    }

    /// The cluster of what follows each code; that of the first one for unknown codes.
    fn by_code(&self) -> [u8; 256] {
        let mut by_code = [0; 256];
        for (code, cluster) in self.known.iter().zip(&self.clusters) {
            if let Some(slot) = by_code.get_mut(usize::from(*code)) {
                *slot = *cluster;
            }
        }
        by_code
    }
}

/// Reads codes.
#[derive(Debug)]
pub(crate) struct ContextDecoder {
    /// Of all tables, one after another.
    entries: Vec<Entry>,
    /// Where the table at the start of a string begins.
    pub(crate) start: u16,
    /// By code where the table of what follows begins.
    after: Box<[u16; 256]>,
}

impl ContextDecoder {
    pub(crate) fn new(contexts: &Contexts) -> ContextDecoder {
        let mut entries = Vec::with_capacity(contexts.frequencies.len() * STATES);
        for frequencies in &contexts.frequencies {
            let of_table = entries_of(frequencies).into_iter();
            entries.extend(of_table.map(|entry| {
                let at = usize::from(entry.symbol()).checked_sub(1);
                match at.and_then(|at| contexts.known.get(at)) {
                    Some(code) => entry.with_symbol(*code),
                    None => entry.flagged(),
                }
            }));
        }
        let begin = |cluster: u8| u16::from(cluster) << LOG;
        ContextDecoder {
            entries,
            start: begin(contexts.start),
            after: Box::new(contexts.by_code().map(begin)),
        }
    }

    /// Where the table after a code begins.
    #[inline]
    pub(crate) fn after(&self, code: u8) -> u16 {
        #[expect(clippy::indexing_slicing, reason = "there is a slot for every code")]
        self.after[usize::from(code)]
    }

    /// The entry of a state in the table that begins at `table`.
    #[inline]
    pub(crate) fn entry(&self, table: u16, state: u32) -> Entry {
        let at = usize::from(table) + (state as usize & (STATES - 1));
        self.entries.get(at).copied().unwrap_or_default()
    }
}

/// Writes codes.
#[derive(Debug)]
pub(crate) struct ContextEncoder {
    tables: Vec<EncodeTable>,
    pub(crate) start: u8,
    /// By code the cluster of what follows.
    after: [u8; 256],
    /// By code its symbol; 0, the escape, for unknown ones.
    symbols: [u8; 256],
}

impl ContextEncoder {
    pub(crate) fn new(contexts: &Contexts) -> ContextEncoder {
        let mut symbols = [0; 256];
        for (symbol, code) in (1..=u8::MAX).zip(&contexts.known) {
            if let Some(slot) = symbols.get_mut(usize::from(*code)) {
                *slot = symbol;
            }
        }
        ContextEncoder {
            tables: contexts.frequencies.iter().map(EncodeTable::new).collect(),
            start: contexts.start,
            after: contexts.by_code(),
            symbols,
        }
    }

    /// The cluster after a code.
    pub(crate) fn after(&self, code: u8) -> u8 {
        self.after.get(usize::from(code)).copied().unwrap_or(0)
    }

    /// The state from which `code` leads to `state` in the table of a cluster, the bits (value and
    /// width) that tell the way, and whether it is an escape.
    pub(crate) fn step(&self, cluster: u8, code: u8, state: u32) -> (u32, u32, u32, bool) {
        let Some(table) = self.tables.get(usize::from(cluster)) else {
            return (0, 0, 0, true);
        };
        let known = self.symbols.get(usize::from(code)).copied().unwrap_or(0);
        let symbol = if table.has(known) { known } else { 0 };
        let (from, value, width) = table.step(symbol, state);
        (from, value, width, symbol == 0)
    }
}
