//! Settings: of a session, and of the database that all sessions share. It knows their names, what
//! they accept and how they are shown; it knows neither who obeys them nor SQL.
//!
//! Invariant: a value that is accepted takes effect, or is of a setting that `other.rs` lists,
//! which changes nothing and says so; a value that is refused changes nothing.

mod backend;
mod bytes;
mod caches;
mod durability;
mod list;
mod locale;
pub mod modes;
pub mod other;
mod overlay;
mod search_path;
mod time;

use varve_ast::{Isolation, TransactionModes};
use varve_expr::{DEFAULT_LOCALE, Locale, parse_value};
use varve_store::{KvSetting, PAGE_BYTES_MAX, StoreCache, StoreSettings};
use varve_types::{Error, LogicalType, MemoryAccount, MemoryBudget, Result, SqlState, Value};

use crate::bytes::show_bytes;
use crate::locale::LocaleSetting;
use crate::modes::{Modes, OpenModes};
use crate::other::Others;
use crate::time::{read_time, show_time};

pub use backend::{find_settable, show};
pub use bytes::read_bytes;
pub use caches::{ByteCache, CacheSizes, StatementCache};
pub use durability::Durability;
pub use list::{Shown, all_settings, unknown};
pub use overlay::SettingsOverlay;
pub use search_path::SearchPath;

/// What each session sets for itself.
#[derive(Clone, Debug)]
pub struct SessionSettings {
    /// What its commits survive.
    pub durability: Durability,
    /// Of transactions that do not say otherwise.
    pub modes: Modes,
    application_name: String,
    /// After which a statement is stopped; 0 for never.
    pub statement_timeout_us: u64,
    /// Whether many rows go to runs at once, without log and memtable.
    pub bulk_load: bool,
    /// The schemas in which names are looked for.
    pub search_path: SearchPath,
    /// Values of settings that change nothing.
    pub others: Others,
    /// How text is read and written; without the time.
    pub locale: Locale,
}

impl SessionSettings {
    /// Those of a new session.
    pub fn new(durability: Durability) -> SessionSettings {
        SessionSettings {
            durability,
            modes: Modes::default(),
            application_name: String::new(),
            statement_timeout_us: 0,
            bulk_load: false,
            search_path: SearchPath::default(),
            others: Others::default(),
            locale: Locale::default(),
        }
    }
}

/// One setting.
pub struct Setting {
    /// As it is shown; it is found in any case.
    pub name: &'static str,
    /// What it does, in a line.
    pub description: &'static str,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    /// Never anything else; what clients ask for.
    Fixed(&'static str),
    Durability,
    SynchronousCommit,
    /// A mode of the transactions to come.
    Default(Mode),
    /// A mode of the transaction that is open.
    Current(Mode),
    ApplicationName,
    StatementTimeout,
    SearchPath,
    Locale(LocaleSetting),
    MemoryLimit,
    /// Most entries of a cache.
    CacheEntries(StatementCache),
    /// Most bytes of a cache.
    CacheBytes(ByteCache),
    BulkLoad,
    Store(fn(&StoreSettings) -> u64, Unit),
}

#[derive(Clone, Copy)]
enum Mode {
    Isolation,
    ReadOnly,
    Deferrable,
}

#[derive(Clone, Copy)]
enum Unit {
    Bytes,
    Count,
}

const fn setting(name: &'static str, kind: Kind, description: &'static str) -> Setting {
    Setting {
        name,
        description,
        kind,
    }
}

/// All settings in the order of their names.
pub const SETTINGS: &[Setting] = &[
    setting(
        "application_name",
        Kind::ApplicationName,
        "What the client calls itself",
    ),
    setting(
        "bulk_load_mode",
        Kind::BulkLoad,
        "Whether rows of large statements go to runs at once, without log and memtable",
    ),
    setting(
        "bytea_output",
        Kind::Locale(LocaleSetting::ByteaOutput),
        "Form of bytes",
    ),
    setting(
        "client_encoding",
        Kind::Fixed("UTF8"),
        "Character set of the client",
    ),
    setting(
        "DateStyle",
        Kind::Locale(LocaleSetting::DateStyle),
        "Form of dates, and the order of day, month and year",
    ),
    setting(
        "default_transaction_deferrable",
        Kind::Default(Mode::Deferrable),
        "Whether new transactions are deferrable",
    ),
    setting(
        "default_transaction_isolation",
        Kind::Default(Mode::Isolation),
        "Isolation of new transactions",
    ),
    setting(
        "default_transaction_read_only",
        Kind::Default(Mode::ReadOnly),
        "Whether new transactions are read-only",
    ),
    setting(
        "extra_float_digits",
        Kind::Locale(LocaleSetting::ExtraFloatDigits),
        "Digits of floats beyond those that every number keeps",
    ),
    setting(
        "integer_datetimes",
        Kind::Fixed("on"),
        "Whether times are integers",
    ),
    setting(
        "IntervalStyle",
        Kind::Locale(LocaleSetting::IntervalStyle),
        "Form of intervals",
    ),
    setting(
        "search_path",
        Kind::SearchPath,
        "Schemas in which names without one are looked for",
    ),
    setting(
        "server_encoding",
        Kind::Fixed("UTF8"),
        "Character set of the database",
    ),
    setting(
        "server_version",
        Kind::Fixed(concat!("16.0 (VarveDB ", env!("CARGO_PKG_VERSION"), ")")),
        "The version of PostgreSQL whose dialect is spoken",
    ),
    setting(
        "server_version_num",
        Kind::Fixed("160000"),
        "The same as a number",
    ),
    setting(
        "standard_conforming_strings",
        Kind::Fixed("on"),
        "Whether backslashes in '...' are plain",
    ),
    setting(
        "statement_timeout",
        Kind::StatementTimeout,
        "Time after which a statement is stopped; 0 for never",
    ),
    setting(
        "synchronous_commit",
        Kind::SynchronousCommit,
        "Whether a commit waits until it is safe; off means varve.durability = async",
    ),
    setting(
        "TimeZone",
        Kind::Locale(LocaleSetting::TimeZone),
        "Time zone of the session",
    ),
    setting(
        "transaction_deferrable",
        Kind::Current(Mode::Deferrable),
        "Whether the transaction is deferrable",
    ),
    setting(
        "transaction_isolation",
        Kind::Current(Mode::Isolation),
        "Isolation of the transaction",
    ),
    setting(
        "transaction_read_only",
        Kind::Current(Mode::ReadOnly),
        "Whether the transaction is read-only",
    ),
    setting(
        "varve.dictionary_cache_bytes",
        Kind::CacheBytes(ByteCache::Dictionaries),
        "Bytes that dictionaries take at most which values are compressed with",
    ),
    setting(
        "varve.durability",
        Kind::Durability,
        "What a commit survives: strict a power failure, relaxed the end of the process, async none",
    ),
    setting(
        "varve.group_cache_bytes",
        Kind::CacheBytes(ByteCache::Store(StoreCache::Groups)),
        "Bytes that what was made of pages takes at most: indexes, dictionaries, keys",
    ),
    setting(
        "varve.log_values",
        Kind::Store(|settings| u64::from(settings.log_values_max), Unit::Count),
        "Values of the log from which the memtable is flushed",
    ),
    setting(
        "varve.memory_limit",
        Kind::MemoryLimit,
        "Bytes that caches, memtables and statements take together",
    ),
    setting(
        "varve.memtable_bytes",
        Kind::Store(|settings| settings.memtable_bytes_max, Unit::Bytes),
        "Bytes from which the memtable is flushed",
    ),
    setting(
        "varve.page_bytes",
        Kind::Store(
            |_| u64::try_from(PAGE_BYTES_MAX).unwrap_or(u64::MAX),
            Unit::Bytes,
        ),
        "Bytes of a page at most, the same in every database",
    ),
    setting(
        "varve.page_cache_bytes",
        Kind::CacheBytes(ByteCache::Store(StoreCache::Pages)),
        "Bytes that cached pages take at most",
    ),
    setting(
        "varve.parse_cache_entries",
        Kind::CacheEntries(StatementCache::Parsed),
        "Statements whose syntax trees are kept",
    ),
    setting(
        "varve.plan_cache_entries",
        Kind::CacheEntries(StatementCache::Plans),
        "Statements whose plans are kept",
    ),
    setting(
        "varve.row_cache_bytes",
        Kind::CacheBytes(ByteCache::Store(StoreCache::Rows)),
        "Bytes that rows take at most which were looked up by key",
    ),
    setting(
        "varve.scratch_bytes",
        Kind::Store(|settings| settings.scratch_bytes_max, Unit::Bytes),
        "Bytes that statements write out when memory is short",
    ),
    setting(
        "varve.write_batch_bytes",
        Kind::Store(|settings| settings.write_batch_bytes_max, Unit::Bytes),
        "Bytes of pages that are written at once",
    ),
];

/// The database, as its settings read and change it.
pub trait Configured {
    /// What commits survive in sessions that do not say otherwise.
    fn durability(&self) -> Durability;

    /// The account whose limit is a setting.
    fn memory(&self) -> &MemoryBudget;

    /// That limit, as the database was opened.
    fn memory_limit_bytes(&self) -> u64;

    /// The settings of the store, which stay as they were when it was opened.
    fn store(&self) -> &StoreSettings;

    /// Those of what is below it, which do so too.
    fn backend(&self) -> Vec<KvSetting>;

    /// The sizes of the caches.
    fn caches(&self) -> &dyn CacheSizes;
}

/// What settings are read from and written to.
pub struct Scope<'a> {
    /// What all sessions have in common.
    pub database: &'a dyn Configured,
    /// What the session has set.
    pub session: &'a mut SessionSettings,
    /// The modes of the transaction; `None` outside a block.
    pub block: Option<OpenModes<'a>>,
}

impl Mode {
    fn show(self, modes: Modes) -> &'static str {
        let on = match self {
            Mode::Isolation => return modes.isolation.name(),
            Mode::ReadOnly => modes.read_only,
            Mode::Deferrable => modes.deferrable,
        };
        if on { "on" } else { "off" }
    }
}

impl Setting {
    /// The value as SHOW gives it.
    pub fn show(&self, scope: &Scope<'_>) -> String {
        let on_off = |on| if on { "on" } else { "off" }.to_owned();
        match self.kind {
            Kind::Fixed(value) => value.to_owned(),
            Kind::Durability => scope.session.durability.name().to_owned(),
            Kind::SynchronousCommit => on_off(scope.session.durability == Durability::Strict),
            Kind::Default(mode) => mode.show(scope.session.modes).to_owned(),
            Kind::Current(mode) => {
                let open = scope.block.as_ref().map(|open| *open.modes);
                mode.show(open.unwrap_or(scope.session.modes)).to_owned()
            }
            Kind::ApplicationName => scope.session.application_name.clone(),
            Kind::StatementTimeout => show_time(scope.session.statement_timeout_us),
            Kind::SearchPath => scope.session.search_path.text.to_string(),
            Kind::Locale(setting) => setting.show(&scope.session.locale),
            Kind::MemoryLimit => show_bytes(scope.database.memory().limit_bytes()),
            Kind::CacheEntries(cache) => scope.database.caches().entries_max(cache).to_string(),
            Kind::CacheBytes(cache) => show_bytes(scope.database.caches().bytes_max(cache)),
            Kind::BulkLoad => on_off(scope.session.bulk_load),
            Kind::Store(value, Unit::Bytes) => show_bytes(value(scope.database.store())),
            Kind::Store(value, Unit::Count) => value(scope.database.store()).to_string(),
        }
    }

    /// When it may be changed, in PostgreSQL's words.
    fn context(&self) -> &'static str {
        match self.kind {
            Kind::Fixed(_) => "internal",
            Kind::Store(..) => backend::AT_OPEN,
            _ => "user",
        }
    }

    /// Whether it belongs to a session or its transaction, not to the database.
    pub fn is_of_session(&self) -> bool {
        matches!(
            self.kind,
            Kind::Durability
                | Kind::SynchronousCommit
                | Kind::Default(_)
                | Kind::ApplicationName
                | Kind::StatementTimeout
                | Kind::SearchPath
                | Kind::Locale(_)
                | Kind::BulkLoad
        )
    }

    /// Changes the value; `None` is what it was at first.
    pub fn set(&self, scope: &mut Scope<'_>, value: Option<&str>) -> Result<()> {
        let first = || SessionSettings::new(scope.database.durability());
        match self.kind {
            Kind::Fixed(fixed) => match value {
                Some(value) if !value.eq_ignore_ascii_case(fixed) && !self.accepts(value) => {
                    return Err(self.cannot_change());
                }
                _ => {}
            },
            Kind::Durability => {
                scope.session.durability = match value {
                    None => scope.database.durability(),
                    Some(value) => Durability::from_name(&value.to_ascii_lowercase())
                        .ok_or_else(|| self.invalid(value, "strict, relaxed, async"))?,
                };
            }
            Kind::SynchronousCommit => {
                scope.session.durability = match value.map(str::to_ascii_lowercase).as_deref() {
                    None => scope.database.durability(),
                    Some("local" | "remote_write" | "remote_apply") => Durability::Strict,
                    Some(value) => match boolean(value) {
                        Some(true) => Durability::Strict,
                        Some(false) => Durability::Async,
                        None => {
                            let known = "local, remote_write, remote_apply, on, off";
                            return Err(self.invalid(value, known));
                        }
                    },
                };
            }
            Kind::Default(mode) => {
                let modes = self.modes(mode, value, first().modes)?;
                scope.session.modes = scope.session.modes.with(modes);
            }
            Kind::Current(mode) => {
                if value.is_none() {
                    let message = format!("parameter \"{}\" cannot be reset", self.name);
                    return Err(Error::new(SqlState::FEATURE_NOT_SUPPORTED, message));
                }
                let modes = self.modes(mode, value, Modes::default())?;
                if let Some(open) = &mut scope.block {
                    open.change(modes)?;
                }
            }
            Kind::ApplicationName => {
                scope.session.application_name = value.unwrap_or_default().to_owned();
            }
            Kind::StatementTimeout => {
                let known = "0 to 24 days; units are us, ms, s, min, h and d";
                scope.session.statement_timeout_us = match value {
                    None => 0,
                    Some(value) => read_time(value).ok_or_else(|| self.invalid(value, known))?,
                };
            }
            Kind::SearchPath => {
                scope.session.search_path = match value {
                    None => SearchPath::default(),
                    Some(value) => SearchPath::read(value)
                        .ok_or_else(|| self.invalid(value, "names with commas between them"))?,
                };
            }
            Kind::Locale(setting) => setting.set(&mut scope.session.locale, value)?,
            Kind::MemoryLimit => {
                let bytes = match value {
                    None => scope.database.memory_limit_bytes(),
                    Some(value) => self.bytes(value)?,
                };
                scope.database.memory().set_limit_bytes(bytes);
            }
            Kind::CacheEntries(cache) => {
                let entries = self.entries(value, cache.first_entries_max())?;
                scope.database.caches().set_entries_max(cache, entries);
            }
            Kind::CacheBytes(cache) => {
                let known = "0 or more; units are B, kB, MB, GB and TB";
                let bytes =
                    value.map(|value| read_bytes(value).ok_or_else(|| self.invalid(value, known)));
                scope
                    .database
                    .caches()
                    .set_bytes_max(cache, bytes.transpose()?);
            }
            Kind::BulkLoad => {
                let given = value.map(|value| self.boolean(value)).transpose()?;
                scope.session.bulk_load = given.unwrap_or(false);
            }
            Kind::Store(..) => return Err(backend::given_at_open(self.name)),
        }
        Ok(())
    }

    /// Other words for a fixed value, or less than what there is.
    fn accepts(&self, value: &str) -> bool {
        let words: &[&str] = match self.name {
            "client_encoding" => &["utf-8", "unicode"],
            "standard_conforming_strings" | "integer_datetimes" => &["true", "1", "yes"],
            _ => &[],
        };
        words.iter().any(|word| value.eq_ignore_ascii_case(word))
    }

    /// One mode and nothing of the others; `None` is what it was at first.
    fn modes(&self, mode: Mode, value: Option<&str>, first: Modes) -> Result<TransactionModes> {
        let mut modes = TransactionModes::default();
        match mode {
            Mode::Isolation => modes.isolation = Some(self.isolation(value, first)?),
            Mode::ReadOnly => {
                let given = value.map(|value| self.boolean(value)).transpose()?;
                modes.read_only = Some(given.unwrap_or(first.read_only));
            }
            Mode::Deferrable => {
                let given = value.map(|value| self.boolean(value)).transpose()?;
                modes.deferrable = Some(given.unwrap_or(first.deferrable));
            }
        }
        Ok(modes)
    }

    fn isolation(&self, value: Option<&str>, first: Modes) -> Result<Isolation> {
        let Some(value) = value else {
            return Ok(first.isolation);
        };
        let mut levels = Isolation::ALL.into_iter().rev();
        let found = levels.find(|level| level.name().eq_ignore_ascii_case(value));
        found.ok_or_else(|| {
            let known: Vec<&str> = Isolation::ALL
                .iter()
                .rev()
                .map(|level| level.name())
                .collect();
            self.invalid(value, &known.join(", "))
        })
    }

    fn boolean(&self, value: &str) -> Result<bool> {
        boolean(value).ok_or_else(|| {
            Error::new(
                SqlState::INVALID_PARAMETER_VALUE,
                format!("parameter \"{}\" requires a Boolean value", self.name),
            )
        })
    }

    fn entries(&self, value: Option<&str>, first: usize) -> Result<usize> {
        match value {
            None => Ok(first),
            Some(value) => value
                .parse()
                .ok()
                .filter(|entries| *entries <= ENTRIES_MAX)
                .ok_or_else(|| self.invalid(value, "0 to 65536")),
        }
    }

    fn bytes(&self, value: &str) -> Result<u64> {
        read_bytes(value)
            .filter(|bytes| *bytes >= MEMORY_LIMIT_MIN)
            .ok_or_else(|| self.invalid(value, "at least 1MB; units are B, kB, MB, GB and TB"))
    }

    fn invalid(&self, value: &str, known: &str) -> Error {
        Error::new(
            SqlState::INVALID_PARAMETER_VALUE,
            format!("invalid value for parameter \"{}\": \"{value}\"", self.name),
        )
        .with_hint(format!("Available values: {known}."))
    }

    fn cannot_change(&self) -> Error {
        Error::new(
            SqlState::CANT_CHANGE_RUNTIME_PARAM,
            format!("parameter \"{}\" cannot be changed", self.name),
        )
    }
}

/// Most entries of a cache of statements.
const ENTRIES_MAX: usize = 65_536;
/// Below this not even a flush finds the memory that it needs.
const MEMORY_LIMIT_MIN: u64 = 1 << 20;

/// A truth value, in any of the words that SQL has for it.
pub fn boolean(value: &str) -> Option<bool> {
    match parse_value(value, LogicalType::Boolean, &DEFAULT_LOCALE) {
        Ok(Value::Boolean(value)) => Some(value),
        _ => None,
    }
}
