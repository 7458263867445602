//! Settings of a backend, as they are told of.

/// A setting of a backend that is in effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KvSetting {
    /// Begins with the name of the backend and a dot.
    pub name: &'static str,
    /// What it is set to.
    pub value: KvSettingValue,
    /// What it does, in a line.
    pub description: &'static str,
}

/// What a setting of a backend is set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KvSettingValue {
    /// So many bytes.
    Bytes(u64),
    /// So many of something.
    Count(u64),
    /// On or off.
    Switch(bool),
}
