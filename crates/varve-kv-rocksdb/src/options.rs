//! The settings of RocksDB that matter under our own caches and runs.

use std::ops::RangeInclusive;

use rocksdb::{BlockBasedOptions, Cache, DBCompressionType, DBRecoveryMode, LogLevel, Options};
use varve_kv::{KvError, KvSetting, KvSettingValue};

/// How a store is opened. What is out of bounds is refused when it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RocksOptions {
    /// Bytes that RocksDB gathers in memory before it writes a table file.
    pub write_buffer_bytes: u64,
    /// How many such buffers are in memory at most; then commits wait for a table file.
    pub write_buffers: u64,
    /// How many full buffers go into one table file; fewer than there may be.
    pub write_buffers_to_merge: u64,
    /// Bytes of blocks that RocksDB keeps in memory. The store above caches pages itself, so this
    /// serves indexes, filters and small values.
    pub block_cache_bytes: u64,
    /// Bytes of small entries that make one block of a table file. At 1 each entry is a block of
    /// its own: a byte that changes costs no other entry. Most are large.
    pub block_bytes: u64,
    /// Bits that a table file's filter has for each of its keys; 0 for no filter.
    pub bloom_bits: u64,
    /// Table files that were not merged yet, from which RocksDB merges them.
    pub level0_trigger: u64,
    /// Threads for flushes and compactions.
    pub background_jobs: u64,
    /// Bytes of a table file after which the system is asked to write them to the disk; 0 for the
    /// end of the file.
    pub bytes_per_sync: u64,
    /// Whether the log of a commit is written while an earlier one enters the memory. One commit is
    /// carried out at a time, so it changes nothing that can be measured.
    pub pipelined_writes: bool,
}

impl Default for RocksOptions {
    fn default() -> Self {
        Self {
            write_buffer_bytes: 64 << 20,
            write_buffers: 2,
            write_buffers_to_merge: 1,
            block_cache_bytes: 32 << 20,
            block_bytes: 1,
            bloom_bits: 10,
            level0_trigger: 4,
            background_jobs: 2,
            bytes_per_sync: 0,
            pipelined_writes: false,
        }
    }
}

/// A setting: what it is called, what it does, and where its value is.
struct Knob {
    name: &'static str,
    description: &'static str,
    place: Place,
}

enum Place {
    Bytes(fn(&mut RocksOptions) -> &mut u64, RangeInclusive<u64>),
    Count(fn(&mut RocksOptions) -> &mut u64, RangeInclusive<u64>),
    Switch(fn(&mut RocksOptions) -> &mut bool),
}

/// All of them in the order of their names. RocksDB would quietly put what is out of these bounds
/// within its own.
const KNOBS: &[Knob] = &[
    Knob {
        name: "rocksdb.background_jobs",
        description: "Threads for flushes and compactions of RocksDB",
        place: Place::Count(|options| &mut options.background_jobs, 1..=64),
    },
    Knob {
        name: "rocksdb.block_bytes",
        description: "Bytes of small entries that make one block of a table file",
        place: Place::Bytes(|options| &mut options.block_bytes, 1..=1 << 30),
    },
    Knob {
        name: "rocksdb.block_cache_bytes",
        description: "Bytes of blocks that RocksDB keeps in memory, below the cache of pages",
        place: Place::Bytes(|options| &mut options.block_cache_bytes, 0..=1 << 40),
    },
    Knob {
        name: "rocksdb.bloom_bits",
        description: "Bits that a table file's filter has for each of its keys; 0 for no filter",
        place: Place::Count(|options| &mut options.bloom_bits, 0..=64),
    },
    Knob {
        name: "rocksdb.bytes_per_sync",
        description: "Bytes of a table file after which they go to the disk; 0 for at its end",
        place: Place::Bytes(|options| &mut options.bytes_per_sync, 0..=1 << 40),
    },
    Knob {
        name: "rocksdb.level0_trigger",
        description: "Table files that were not merged yet, from which RocksDB merges them",
        place: Place::Count(|options| &mut options.level0_trigger, 1..=1_000),
    },
    Knob {
        name: "rocksdb.pipelined_writes",
        description: "Whether a commit's log is written while an earlier commit enters the memory",
        place: Place::Switch(|options| &mut options.pipelined_writes),
    },
    Knob {
        name: "rocksdb.write_buffer_bytes",
        description: "Bytes that RocksDB gathers in memory before it writes a table file",
        place: Place::Bytes(
            |options| &mut options.write_buffer_bytes,
            64 << 10..=64 << 30,
        ),
    },
    Knob {
        name: "rocksdb.write_buffers",
        description: "How many such buffers are in memory at most",
        place: Place::Count(|options| &mut options.write_buffers, 2..=64),
    },
    Knob {
        name: "rocksdb.write_buffers_to_merge",
        description: "How many full buffers go into one table file",
        place: Place::Count(|options| &mut options.write_buffers_to_merge, 1..=63),
    },
];

impl RocksOptions {
    /// All settings, in the order of their names.
    #[must_use]
    pub fn settings(&self) -> Vec<KvSetting> {
        let mut options = self.clone();
        let setting = |knob: &Knob| KvSetting {
            name: knob.name,
            value: match &knob.place {
                Place::Bytes(place, _) => KvSettingValue::Bytes(*place(&mut options)),
                Place::Count(place, _) => KvSettingValue::Count(*place(&mut options)),
                Place::Switch(place) => KvSettingValue::Switch(*place(&mut options)),
            },
            description: knob.description,
        };
        KNOBS.iter().map(setting).collect()
    }

    /// Changes the setting of a name, if there is one that takes such a value.
    pub fn set(&mut self, name: &str, value: KvSettingValue) -> Result<(), KvError> {
        let knob = KNOBS.iter().find(|knob| knob.name == name);
        match (knob.map(|knob| &knob.place), value) {
            (Some(Place::Bytes(place, _)), KvSettingValue::Bytes(value))
            | (Some(Place::Count(place, _)), KvSettingValue::Count(value)) => *place(self) = value,
            (Some(Place::Switch(place)), KvSettingValue::Switch(value)) => *place(self) = value,
            _ => return Err(refused(format!("{name} does not take such a value"))),
        }
        self.check_bounds()
    }

    fn check_bounds(&self) -> Result<(), KvError> {
        let mut options = self.clone();
        for knob in KNOBS {
            let (value, bounds) = match &knob.place {
                Place::Bytes(place, bounds) | Place::Count(place, bounds) => {
                    (*place(&mut options), bounds)
                }
                Place::Switch(_) => continue,
            };
            if !bounds.contains(&value) {
                let (name, least, most) = (knob.name, bounds.start(), bounds.end());
                let message = format!("{name} is {value}, and must be {least} to {most}");
                return Err(refused(message));
            }
        }
        Ok(())
    }

    /// What RocksDB is opened with.
    pub(crate) fn to_rocksdb(&self) -> Result<Options, KvError> {
        self.check_bounds()?;
        if self.write_buffers_to_merge >= self.write_buffers {
            return Err(refused(format!(
                "rocksdb.write_buffers_to_merge is {}, and must be less than \
                 rocksdb.write_buffers, which is {}",
                self.write_buffers_to_merge, self.write_buffers
            )));
        }
        let mut blocks = BlockBasedOptions::default();
        blocks.set_block_cache(&Cache::new_lru_cache(size(self.block_cache_bytes)?));
        if self.bloom_bits > 0 {
            blocks.set_bloom_filter(f64::from(number(self.bloom_bits)?), false);
        }
        blocks.set_block_size(size(self.block_bytes)?);
        let mut options = Options::default();
        options.set_block_based_table_factory(&blocks);
        options.set_write_buffer_size(size(self.write_buffer_bytes)?);
        options.set_max_write_buffer_number(number(self.write_buffers)?);
        options.set_min_write_buffer_number_to_merge(number(self.write_buffers_to_merge)?);
        options.set_level_zero_file_num_compaction_trigger(number(self.level0_trigger)?);
        options.set_max_background_jobs(number(self.background_jobs)?);
        options.set_bytes_per_sync(self.bytes_per_sync);
        options.set_enable_pipelined_write(self.pipelined_writes);
        options.set_compression_type(DBCompressionType::None);
        // A crash may lose a suffix of commits, never one from the middle; what may not be lost was
        // compared with the log before.
        options.set_wal_recovery_mode(DBRecoveryMode::PointInTime);
        options.set_keep_log_file_num(2);
        options.set_log_level(LogLevel::Warn);
        Ok(options)
    }
}

fn refused(message: String) -> KvError {
    KvError::Backend { message }
}

fn size(value: u64) -> Result<usize, KvError> {
    usize::try_from(value).map_err(|_| refused(format!("{value} bytes are more than there can be")))
}

fn number(value: u64) -> Result<i32, KvError> {
    i32::try_from(value).map_err(|_| refused(format!("{value} is too much for RocksDB")))
}

#[cfg(test)]
mod tests {
    use pollster::block_on;
    use rocksdb::properties::{AGGREGATED_TABLE_PROPERTIES, BLOCK_CACHE_CAPACITY};
    use tempfile::TempDir;
    use varve_kv::{Kv, KvError, KvSettingValue};

    use super::{KNOBS, Place, RocksOptions};
    use crate::RocksKv;
    use crate::open::open;

    /// None of them is what it is at first.
    fn unusual() -> RocksOptions {
        RocksOptions {
            write_buffer_bytes: 3 << 20,
            write_buffers: 5,
            write_buffers_to_merge: 3,
            block_cache_bytes: 7 << 20,
            block_bytes: 16 << 10,
            bloom_bits: 14,
            level0_trigger: 6,
            background_jobs: 4,
            bytes_per_sync: 1 << 20,
            pipelined_writes: true,
        }
    }

    #[test]
    fn rocksdb_works_with_what_it_is_given() {
        let folder = TempDir::new().unwrap();
        let opened = open(folder.path(), &unusual()).unwrap();
        assert_eq!(
            opened.db.property_int_value(BLOCK_CACHE_CAPACITY),
            Ok(Some(7 << 20)),
            "block_cache_bytes"
        );
        let files = std::fs::read_dir(folder.path()).unwrap();
        let mut files = files.map(|entry| entry.unwrap().path());
        let is_options = |path: &std::path::PathBuf| {
            let name = path.file_name().unwrap().to_str().unwrap();
            name.starts_with("OPTIONS-")
        };
        let text = std::fs::read_to_string(files.find(is_options).unwrap()).unwrap();
        for line in [
            "write_buffer_size=3145728",
            "max_write_buffer_number=5",
            "min_write_buffer_number_to_merge=3",
            "block_size=16384",
            "filter_policy=bloomfilter",
            "level0_file_num_compaction_trigger=6",
            "max_background_jobs=4",
            "bytes_per_sync=1048576",
            "enable_pipelined_write=true",
        ] {
            assert!(text.lines().any(|found| found.trim() == line), "{line}");
        }
    }

    /// Bytes of the filters of a thousand keys.
    fn filter_bytes(bloom_bits: u64) -> u64 {
        let folder = TempDir::new().unwrap();
        let options = RocksOptions {
            bloom_bits,
            ..RocksOptions::default()
        };
        let opened = open(folder.path(), &options).unwrap();
        for key in 0..1_000u32 {
            opened.db.put(key.to_be_bytes(), []).unwrap();
        }
        opened.db.flush().unwrap();
        let told = opened.db.property_value(AGGREGATED_TABLE_PROPERTIES);
        let told = told.unwrap().unwrap();
        let mut fields = told.split("; ");
        let bytes = fields.find_map(|field| field.strip_prefix("filter block size="));
        bytes.unwrap().parse().unwrap()
    }

    #[test]
    fn filters_have_as_many_bits_as_asked() {
        assert_eq!(filter_bytes(0), 0);
        for (bits, about) in [(10, 1_250), (20, 2_500)] {
            let bytes = filter_bytes(bits);
            assert!((about..about + about / 10).contains(&bytes), "{bytes}");
        }
    }

    #[test]
    fn settings_are_told_as_they_were_given() {
        let mut set = RocksOptions::default();
        for setting in unusual().settings() {
            set.set(setting.name, setting.value).unwrap();
        }
        assert_eq!(set, unusual());
        let folder = TempDir::new().unwrap();
        let kv = RocksKv::open(folder.path(), &set).unwrap();
        assert_eq!(kv.settings(), unusual().settings());
        block_on(kv.close()).unwrap();
        let names: Vec<_> = set.settings().iter().map(|setting| setting.name).collect();
        assert!(names.is_sorted());
    }

    #[test]
    fn what_is_out_of_bounds_is_refused() {
        for knob in KNOBS {
            let (values, bounds): (fn(u64) -> KvSettingValue, _) = match &knob.place {
                Place::Bytes(_, bounds) => (KvSettingValue::Bytes, bounds),
                Place::Count(_, bounds) => (KvSettingValue::Count, bounds),
                Place::Switch(_) => continue,
            };
            let refuses = |value: u64| {
                let set = RocksOptions::default().set(knob.name, values(value));
                matches!(set, Err(KvError::Backend { .. }))
            };
            assert!(bounds.start().checked_sub(1).is_none_or(refuses));
            assert!(refuses(bounds.end() + 1), "{}", knob.name);
            assert!(!refuses(*bounds.start()) && !refuses(*bounds.end()));
        }
        let many = RocksOptions {
            write_buffers_to_merge: 2,
            ..RocksOptions::default()
        };
        let folder = TempDir::new().unwrap();
        let opened = RocksKv::open(folder.path(), &many);
        assert!(
            matches!(opened, Err(KvError::Backend { message }) if message.contains("which is 2"))
        );
        assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none());
    }
}
