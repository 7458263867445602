//! The shared part of a block: what all its vectors need to be decoded, stored once.
//!
//! Layout: number of resources (varint); of each its kind (u8), bytes (varint), and those bytes.
//! Vectors name a resource by its index.

use crate::entropy::{ContextDecoder, Contexts, Frequencies};
use crate::error::CodecError;
use crate::fsst::SymbolTable;
use crate::integers::leaves::bin_table::{self, Bin, Bins};
use crate::reader::ByteReader;
use crate::string_data::Strings;
use crate::strings::SplitTemplate;
use crate::strings::json::{self, Template};
use crate::writer::{fitting, put_varint};
use crate::{ROWS_MAX, ZstdDictionaries, ZstdDictionary};

/// The most resources of a block.
pub(crate) const RESOURCES_MAX: usize = 255;
/// The most values of a shared dictionary.
pub(crate) const SHARED_VALUES_MAX: usize = 64 * ROWS_MAX;

/// The most values of all shared dictionaries of a block together, which take 8 MiB as integers.
pub(crate) const ALL_VALUES_MAX: usize = 16 * SHARED_VALUES_MAX;

/// The most bytes of text of all shared dictionaries of a block together that are written.
const ALL_TEXT_BYTES_MAX: usize = 16 << 20;

/// Ascending integers: a dictionary.
pub(crate) const INTEGERS: u8 = 0;
/// Ascending strings: a dictionary.
pub(crate) const STRINGS: u8 = 1;
/// A symbol table of FSST.
pub(crate) const SYMBOLS: u8 = 2;
/// Bins of integers and their frequencies.
pub(crate) const BINS: u8 = 3;
/// A template that strings are split by.
pub(crate) const TEMPLATE: u8 = 4;
/// Templates of documents.
pub(crate) const TEMPLATES: u8 = 5;
/// Contexts of packed text.
pub(crate) const CONTEXTS: u8 = 6;
/// A dictionary of zstd.
pub(crate) const DICTIONARY: u8 = 7;

/// The decoded shared part of a block; empty for blocks whose vectors stand alone.
#[derive(Debug, Default)]
pub struct Shared {
    pub(crate) resources: Vec<Resource>,
}

/// What vectors of a block have in common.
#[derive(Debug)]
pub(crate) enum Resource {
    Integers(Vec<i64>),
    Strings(Strings),
    Templates(Vec<Template>),
    Symbols(Box<SymbolTable>),
    Template(SplitTemplate),
    Bins(Bins),
    Contexts(ContextDecoder),
    Dictionary(ZstdDictionary),
}

impl Shared {
    /// Number of resources.
    pub fn len(&self) -> usize {
        self.resources.len()
    }

    /// Whether there are no resources.
    pub fn is_empty(&self) -> bool {
        self.resources.is_empty()
    }

    /// The ascending values of a shared dictionary of integers.
    pub fn integers(&self, resource: u8) -> Result<&[i64], CodecError> {
        match self.resources.get(usize::from(resource)) {
            Some(Resource::Integers(values)) => Ok(values),
            _ => Err(MISSING),
        }
    }

    /// The ascending values of a shared dictionary of strings.
    pub fn strings(&self, resource: u8) -> Result<&Strings, CodecError> {
        match self.resources.get(usize::from(resource)) {
            Some(Resource::Strings(values)) => Ok(values),
            _ => Err(MISSING),
        }
    }

    /// A symbol table of FSST.
    pub(crate) fn symbols(&self, resource: u8) -> Result<&SymbolTable, CodecError> {
        match self.resources.get(usize::from(resource)) {
            Some(Resource::Symbols(table)) => Ok(table),
            _ => Err(MISSING),
        }
    }

    /// Templates of documents.
    pub(crate) fn templates(&self, resource: u8) -> Result<&[Template], CodecError> {
        match self.resources.get(usize::from(resource)) {
            Some(Resource::Templates(templates)) => Ok(templates),
            _ => Err(MISSING),
        }
    }

    /// The template that strings are split by.
    pub(crate) fn template(&self, resource: u8) -> Result<&SplitTemplate, CodecError> {
        match self.resources.get(usize::from(resource)) {
            Some(Resource::Template(template)) => Ok(template),
            _ => Err(MISSING),
        }
    }

    /// Tables for packed text.
    pub(crate) fn contexts(&self, resource: u8) -> Result<&ContextDecoder, CodecError> {
        match self.resources.get(usize::from(resource)) {
            Some(Resource::Contexts(contexts)) => Ok(contexts),
            _ => Err(MISSING),
        }
    }

    /// A dictionary of zstd.
    pub(crate) fn dictionary(&self, resource: u8) -> Result<&ZstdDictionary, CodecError> {
        match self.resources.get(usize::from(resource)) {
            Some(Resource::Dictionary(dictionary)) => Ok(dictionary),
            _ => Err(MISSING),
        }
    }

    /// Entropy-coded bins of integers.
    pub(crate) fn bins(&self, resource: u8) -> Result<&Bins, CodecError> {
        match self.resources.get(usize::from(resource)) {
            Some(Resource::Bins(bins)) => Ok(bins),
            _ => Err(MISSING),
        }
    }
}

/// Frames name the dictionary of their block by its resource.
impl ZstdDictionaries for Shared {
    fn dictionary(&self, id: u64) -> Option<&ZstdDictionary> {
        self.dictionary(u8::try_from(id).ok()?).ok()
    }
}

const MISSING: CodecError = CodecError::Malformed("resource");

/// The shared part of a block while its codecs are chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SharedWriter {
    resources: Vec<(u8, Vec<u8>)>,
    /// Values of all dictionaries, and their text.
    values: usize,
    text_bytes: usize,
}

impl SharedWriter {
    /// Adds templates of documents.
    pub(crate) fn add_templates(&mut self, templates: &[Template]) -> Option<u8> {
        let mut bytes = Vec::new();
        json::write(templates, &mut bytes);
        self.add(TEMPLATES, bytes)
    }

    /// Adds a symbol table of FSST.
    pub(crate) fn add_symbols(&mut self, table: &SymbolTable) -> Option<u8> {
        let mut bytes = Vec::new();
        table.write(&mut bytes);
        self.add(SYMBOLS, bytes)
    }

    /// Adds the template of split strings.
    pub(crate) fn add_template(&mut self, template: &SplitTemplate) -> Option<u8> {
        let mut bytes = Vec::new();
        template.write(&mut bytes);
        self.add(TEMPLATE, bytes)
    }

    /// Adds tables for packed text.
    pub(crate) fn add_contexts(&mut self, contexts: &Contexts) -> Option<u8> {
        let mut bytes = Vec::new();
        contexts.write(&mut bytes);
        self.add(CONTEXTS, bytes)
    }

    /// Adds a dictionary of zstd.
    pub(crate) fn add_dictionary(&mut self, dictionary: &ZstdDictionary) -> Option<u8> {
        self.add(DICTIONARY, dictionary.bytes().to_vec())
    }

    /// Adds bins that ascend.
    pub(crate) fn add_bins(&mut self, bins: &[Bin], frequencies: &Frequencies) -> Option<u8> {
        let mut bytes = Vec::new();
        bin_table::write(bins, frequencies, &mut bytes);
        self.add(BINS, bytes)
    }

    /// Counts the values of one more dictionary.
    pub(crate) fn count_values(&mut self, values: usize, text_bytes: usize) -> Option<()> {
        self.values = self.values.checked_add(values)?;
        self.text_bytes = self.text_bytes.checked_add(text_bytes)?;
        let fit = self.values <= ALL_VALUES_MAX && self.text_bytes <= ALL_TEXT_BYTES_MAX;
        fit.then_some(())
    }

    /// Adds a resource of a kind.
    pub(crate) fn add(&mut self, kind: u8, bytes: Vec<u8>) -> Option<u8> {
        let index = u8::try_from(self.resources.len()).ok()?;
        if self.resources.len() == RESOURCES_MAX {
            return None;
        }
        self.resources.push((kind, bytes));
        Some(index)
    }

    /// Bytes of the resources.
    pub(crate) fn bytes(&self) -> usize {
        self.resources
            .iter()
            .map(|(_, bytes)| 2 + bytes.len())
            .sum()
    }

    /// The shared part; no bytes when there are no resources.
    pub(crate) fn finish(&self) -> Vec<u8> {
        let mut out = Vec::new();
        if self.resources.is_empty() {
            return out;
        }
        put_varint(self.resources.len() as u64, &mut out);
        for (kind, bytes) in &self.resources {
            out.push(*kind);
            put_varint(bytes.len() as u64, &mut out);
            out.extend_from_slice(bytes);
        }
        out
    }
}

/// A shared part with dictionaries behind its resources, and which resource the first of them is.
pub(crate) fn joined(
    shared: &[u8],
    dictionaries: &SharedWriter,
) -> Result<(Vec<u8>, u8), CodecError> {
    let mut reader = ByteReader::new(shared);
    let count = match shared.is_empty() {
        true => 0,
        false => reader.count(0, RESOURCES_MAX, "number of resources")?,
    };
    let added = dictionaries.finish();
    if added.is_empty() {
        return Ok((shared.to_vec(), 0));
    }
    let mut added = ByteReader::new(&added);
    let all = count + added.count(0, RESOURCES_MAX, "number of resources")?;
    if all > RESOURCES_MAX {
        return Err(CodecError::Malformed("number of resources"));
    }
    let mut out = Vec::new();
    put_varint(all as u64, &mut out);
    out.extend_from_slice(reader.rest());
    out.extend_from_slice(added.rest());
    let first = fitting(count).ok_or(CodecError::Malformed("number of resources"))?;
    Ok((out, first))
}

#[cfg(test)]
mod tests {
    use super::{ALL_TEXT_BYTES_MAX, SHARED_VALUES_MAX, Shared, SharedWriter};
    use crate::string_data::Strings;
    use crate::{CodecError, IntegerKind};

    /// The shared part of a dictionary that stands in it `times` times.
    fn repeated(dictionary: &SharedWriter, times: usize) -> Vec<u8> {
        let mut writer = SharedWriter::default();
        for _ in 0..times {
            writer.resources.extend(dictionary.resources.clone());
        }
        writer.finish()
    }

    #[test]
    fn small_bytes_of_many_integers_are_refused() {
        let values: Vec<i64> = (0..).take(SHARED_VALUES_MAX).collect();
        let mut writer = SharedWriter::default();
        writer.add_integers(IntegerKind::Int64, &values).unwrap();
        let sixteen = repeated(&writer, 16);
        assert!(sixteen.len() < 10_000);
        assert_eq!(Shared::decode(&sixteen, 0).unwrap().len(), 16);
        let error = CodecError::Malformed("dictionary size");
        assert_eq!(
            Shared::decode(&repeated(&writer, 17), 0).unwrap_err(),
            error
        );
        let added = (1..40).find(|_| writer.add_integers(IntegerKind::Int64, &values).is_none());
        assert_eq!(added, Some(16), "as many are written as are read");
    }

    #[test]
    fn the_text_of_all_dictionaries_is_bounded() {
        let mut texts = Strings::with_capacity(2);
        texts.push(&[b'a'; 600], usize::MAX).unwrap();
        texts.push(&[b'b'; 400], usize::MAX).unwrap();
        let mut writer = SharedWriter::default();
        writer.add_strings(&texts).unwrap();
        let three = repeated(&writer, 3);
        assert!(Shared::decode(&three, 3000).is_ok());
        assert!(Shared::decode(&three, 2999).is_err());
        let mut long = Strings::with_capacity(1);
        long.push(&vec![b'a'; ALL_TEXT_BYTES_MAX], usize::MAX)
            .unwrap();
        assert_eq!(writer.add_strings(&long), None);
        assert_eq!(SharedWriter::default().add_strings(&long), Some(0));
    }
}
