//! The dictionaries of `_zstd_dicts` for what is written: found by their keys, prepared once.

use std::sync::Arc;

use varve_codec::ZstdDictionary;
use varve_sort::VecMap;
use varve_types::{MemoryAccount, Reservation, Result, Value};

use crate::shared::lru::Lru;

/// What gives [`Dictionaries`].
pub(crate) const ALL: &str =
    "SELECT id, chooser_key, dict FROM public._zstd_dicts WHERE chooser_key IS NOT NULL";

/// About what the tables of a dictionary take beside its bytes.
const TABLES_BYTES: usize = 16 << 10;

/// Prepared dictionaries by the text of their numbers.
pub(crate) type PreparedDictionaries = Lru<ZstdDictionary>;

/// Bytes of the dictionaries that stay prepared at first.
pub(crate) const DICTIONARY_CACHE_BYTES: u64 = 16 << 20;

/// Keeps dictionaries prepared: as many as there is room for.
pub(crate) fn new_cache(account: Arc<dyn MemoryAccount>) -> PreparedDictionaries {
    Lru::new(usize::MAX, DICTIONARY_CACHE_BYTES, account)
}

/// The dictionaries as a transaction saw them.
#[derive(Default)]
pub(crate) struct Dictionaries {
    by_key: VecMap<String, i32>,
    /// Their bytes, which are none where values are compressed without.
    bytes: VecMap<i32, Value>,
    _held: Option<Reservation>,
    prepared: Option<Arc<PreparedDictionaries>>,
}

impl Dictionaries {
    /// Those of rows as [`ALL`] gives them.
    pub fn new(
        rows: Vec<Vec<Value>>,
        prepared: Arc<PreparedDictionaries>,
        account: Arc<dyn MemoryAccount>,
    ) -> Result<Dictionaries> {
        let mut held = Reservation::new(account);
        let mut by_key = VecMap::default();
        let mut bytes = VecMap::default();
        let mut total = 0;
        for row in rows {
            let Ok([id, key, dictionary]) = <[Value; 3]>::try_from(row) else {
                continue;
            };
            let id = id.integer().and_then(|id| i32::try_from(id).ok());
            if let (Some(id), Some(key)) = (id, key.str()) {
                total += dictionary.heap_bytes() as u64;
                by_key.insert(key.to_owned(), id);
                bytes.insert(id, dictionary);
            }
        }
        held.resize(total)?;
        Ok(Dictionaries {
            by_key,
            bytes,
            _held: Some(held),
            prepared: Some(prepared),
        })
    }

    /// The number of the dictionary of a key.
    pub fn number(&self, key: &str) -> Option<i32> {
        self.by_key.get(key).copied()
    }

    /// The dictionary of a number; `None` where there is none, or one that is damaged.
    pub fn dictionary(&self, number: i32) -> Option<ZstdDictionary> {
        let Value::Bytea(bytes) = self.bytes.get(&number)? else {
            return None;
        };
        if bytes.is_empty() {
            return None;
        }
        let prepared = self.prepared.as_ref()?;
        let name = number.to_string();
        let known = prepared
            .get(&name)
            .filter(|known| known.bytes() == &bytes[..]);
        prepared.count(known.is_some());
        known.or_else(|| {
            let dictionary = ZstdDictionary::new(bytes).ok()?;
            let size = bytes.len() + TABLES_BYTES;
            prepared.put(&name.into(), dictionary.clone(), size);
            Some(dictionary)
        })
    }
}

impl core::fmt::Debug for Dictionaries {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Dictionaries({} keys)", self.by_key.len())
    }
}
