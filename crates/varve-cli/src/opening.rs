//! What is given to open databases with, beside their folder.

use varve_kv::KvSettingValue;
use varve_kv_rocksdb::RocksOptions;
use varve_types::{LogicalType, Value};
use varvedb::{DEFAULT_LOCALE, Encryption, parse_value, read_bytes};

/// What all databases of a place are opened with.
#[derive(Clone, Debug, Default)]
pub struct Opening {
    /// What opens those that are encrypted.
    pub encryption: Option<Encryption>,
    /// The settings of RocksDB.
    pub rocks: RocksOptions,
}

impl Opening {
    /// The same with another passphrase.
    pub fn with_encryption(&self, encryption: &Encryption) -> Opening {
        Opening {
            encryption: Some(encryption.clone()),
            ..self.clone()
        }
    }

    /// Takes a setting as it is given on the command line: `NAME=VALUE`.
    pub fn set(&mut self, given: &str) -> Result<(), String> {
        let settings = self.rocks.settings();
        let (name, text) = given
            .split_once('=')
            .ok_or_else(|| format!("\"{given}\" is not NAME=VALUE"))?;
        let mut named = settings.iter();
        let Some(setting) = named.find(|setting| setting.name.eq_ignore_ascii_case(name)) else {
            let names: Vec<&str> = settings.iter().map(|setting| setting.name).collect();
            let names = names.join(", ");
            return Err(format!("there is no setting \"{name}\"; there are {names}"));
        };
        let value = match setting.value {
            KvSettingValue::Bytes(_) => read_bytes(text).map(KvSettingValue::Bytes),
            KvSettingValue::Count(_) => text.parse().ok().map(KvSettingValue::Count),
            KvSettingValue::Switch(_) => boolean(text).map(KvSettingValue::Switch),
        };
        let value = value.ok_or_else(|| {
            let takes = match setting.value {
                KvSettingValue::Bytes(_) => "bytes; units are B, kB, MB, GB and TB",
                KvSettingValue::Count(_) => "a number",
                KvSettingValue::Switch(_) => "on or off",
            };
            format!("invalid value for {name}: \"{text}\"; it takes {takes}")
        })?;
        let set = self.rocks.set(setting.name, value);
        set.map_err(|error| error.to_string())
    }
}

fn boolean(text: &str) -> Option<bool> {
    match parse_value(text, LogicalType::Boolean, &DEFAULT_LOCALE) {
        Ok(Value::Boolean(on)) => Some(on),
        _ => None,
    }
}
