//! Reads the shared part of a block: its dictionaries are vectors themselves.

use crate::entropy::{ContextDecoder, Contexts};
use crate::error::CodecError;
use crate::fsst::SymbolTable;
use crate::integers::leaves::bin_table;
use crate::reader::ByteReader;
use crate::shared::{
    ALL_VALUES_MAX, BINS, CONTEXTS, DICTIONARY, INTEGERS, RESOURCES_MAX, Resource, STRINGS,
    SYMBOLS, Shared, TEMPLATE, TEMPLATES,
};
use crate::strings::{SplitTemplate, json};
use crate::{ZstdDictionary, integers, strings};

impl Shared {
    /// Reads a shared part of dictionaries of at most a million values, and of at most `bytes_max`
    /// bytes of text, together; those that are written have up to 16 MiB. No bytes at all are an
    /// empty one.
    pub fn decode(bytes: &[u8], bytes_max: usize) -> Result<Shared, CodecError> {
        if bytes.is_empty() {
            return Ok(Shared::default());
        }
        let mut reader = ByteReader::new(bytes);
        let count = reader.count(0, RESOURCES_MAX, "number of resources")?;
        let mut resources = Vec::with_capacity(count);
        let (mut values_left, mut bytes_left) = (ALL_VALUES_MAX, bytes_max);
        for _ in 0..count {
            let kind = reader.u8()?;
            let resource = ByteReader::new(reader.nested()?);
            resources.push(match kind {
                INTEGERS => {
                    let values = integers::shared_dictionary::read(resource, values_left)?;
                    values_left -= values.len();
                    Resource::Integers(values)
                }
                STRINGS => {
                    let values =
                        strings::shared_dictionary::read(resource, values_left, bytes_left)?;
                    values_left -= values.as_ref().len();
                    bytes_left -= values.bytes.len();
                    Resource::Strings(values)
                }
                TEMPLATES => Resource::Templates(json::read(resource)?),
                SYMBOLS => {
                    let mut resource = resource;
                    let table = SymbolTable::read(&mut resource)?;
                    resource.end()?;
                    Resource::Symbols(Box::new(table))
                }
                TEMPLATE => Resource::Template(SplitTemplate::read(resource)?),
                CONTEXTS => {
                    let contexts = Contexts::read(resource.rest())?;
                    Resource::Contexts(ContextDecoder::new(&contexts))
                }
                DICTIONARY => Resource::Dictionary(ZstdDictionary::new(resource.rest())?),
                BINS => Resource::Bins(bin_table::read(resource)?),
                kind => return Err(CodecError::UnknownTag(kind)),
            });
        }
        reader.end()?;
        Ok(Shared { resources })
    }
}
