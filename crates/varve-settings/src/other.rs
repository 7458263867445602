//! Settings of PostgreSQL that change nothing here, but that clients and scripts set: their values
//! are checked and kept. So are settings whose names have a prefix of their own.

use std::sync::Arc;

use varve_sort::VecMap;
use varve_types::{Error, Result, SqlState, parse_f64};

/// Who everything belongs to.
const OWNER: &str = "postgres";

/// The values that were set, by name.
pub type Others = Arc<VecMap<String, String>>;

/// What values a setting takes.
#[derive(Clone, Copy)]
enum Shape {
    Boolean,
    /// A whole number of units between bounds.
    Whole(Unit, i64, i64),
    Real(f64, f64),
    Text,
    /// One of some words.
    Word(&'static [&'static str]),
    /// Never anything else.
    Fixed,
}

/// Units, and how many of the smallest one are in each.
type Unit = &'static [(&'static str, i64)];

const NONE: Unit = &[];
const KB: Unit = &[("kB", 1), ("MB", 1 << 10), ("GB", 1 << 20), ("TB", 1 << 30)];
/// Blocks of 8 kB.
const BLOCKS: Unit = &[("8kB", 1), ("MB", 1 << 7), ("GB", 1 << 17), ("TB", 1 << 27)];
const MS: Unit = &[
    ("ms", 1),
    ("s", 1_000),
    ("min", 60_000),
    ("h", 3_600_000),
    ("d", 86_400_000),
];
const SECONDS: Unit = &[("s", 1), ("min", 60), ("h", 3_600), ("d", 86_400)];

const INT_MAX: i64 = i32::MAX as i64;
const LEVELS: &[&str] = &[
    "debug5", "debug4", "debug3", "debug2", "debug1", "log", "notice", "warning", "error",
];

/// What else they could be would change answers.
const ON: &[&str] = &["on"];
const OFF: &[&str] = &["off"];
/// One tablespace is all there is.
const SPACES: &[&str] = &["", "pg_default"];

use Shape::{Boolean, Fixed, Real, Text, Whole, Word};

/// Names, what they take, and what they are at first.
const OTHERS: &[(&str, Shape, &str)] = &[
    ("allow_system_table_mods", Boolean, "off"),
    ("array_nulls", Word(ON), "on"),
    (
        "backslash_quote",
        Word(&["safe_encoding", "on", "off"]),
        "safe_encoding",
    ),
    ("backtrace_functions", Text, ""),
    ("block_size", Fixed, "8192"),
    ("check_function_bodies", Boolean, "on"),
    ("client_min_messages", Word(LEVELS), "notice"),
    ("commit_delay", Whole(NONE, 0, 100_000), "0"),
    ("commit_siblings", Whole(NONE, 0, 1_000), "5"),
    (
        "compute_query_id",
        Word(&["auto", "regress", "on", "off"]),
        "auto",
    ),
    (
        "constraint_exclusion",
        Word(&["partition", "on", "off"]),
        "partition",
    ),
    ("cpu_index_tuple_cost", Real(0.0, f64::MAX), "0.005"),
    ("cpu_operator_cost", Real(0.0, f64::MAX), "0.0025"),
    ("cpu_tuple_cost", Real(0.0, f64::MAX), "0.01"),
    ("cursor_tuple_fraction", Real(0.0, 1.0), "0.1"),
    ("data_checksums", Fixed, "on"),
    ("deadlock_timeout", Whole(MS, 1, INT_MAX), "1s"),
    (
        "debug_parallel_query",
        Word(&["off", "on", "regress"]),
        "off",
    ),
    ("default_statistics_target", Whole(NONE, 1, 10_000), "100"),
    ("default_table_access_method", Word(&["heap"]), "heap"),
    ("default_tablespace", Word(SPACES), ""),
    ("default_toast_compression", Word(&["pglz", "lz4"]), "pglz"),
    ("default_with_oids", Word(OFF), "off"),
    ("effective_cache_size", Whole(BLOCKS, 1, INT_MAX), "4GB"),
    ("effective_io_concurrency", Whole(NONE, 0, 1_000), "1"),
    ("enable_async_append", Boolean, "on"),
    ("enable_bitmapscan", Boolean, "on"),
    ("enable_gathermerge", Boolean, "on"),
    ("enable_hashagg", Boolean, "on"),
    ("enable_hashjoin", Boolean, "on"),
    ("enable_incremental_sort", Boolean, "on"),
    ("enable_indexonlyscan", Boolean, "on"),
    ("enable_indexscan", Boolean, "on"),
    ("enable_material", Boolean, "on"),
    ("enable_memoize", Boolean, "on"),
    ("enable_mergejoin", Boolean, "on"),
    ("enable_nestloop", Boolean, "on"),
    ("enable_parallel_append", Boolean, "on"),
    ("enable_parallel_hash", Boolean, "on"),
    ("enable_partition_pruning", Boolean, "on"),
    ("enable_partitionwise_aggregate", Boolean, "off"),
    ("enable_partitionwise_join", Boolean, "off"),
    ("enable_presorted_aggregate", Boolean, "on"),
    ("enable_seqscan", Boolean, "on"),
    ("enable_sort", Boolean, "on"),
    ("enable_tidscan", Boolean, "on"),
    ("escape_string_warning", Boolean, "on"),
    ("exit_on_error", Boolean, "off"),
    (
        "force_parallel_mode",
        Word(&["off", "on", "regress"]),
        "off",
    ),
    ("from_collapse_limit", Whole(NONE, 1, INT_MAX), "8"),
    ("geqo", Boolean, "on"),
    ("geqo_threshold", Whole(NONE, 2, INT_MAX), "12"),
    ("gin_fuzzy_search_limit", Whole(NONE, 0, INT_MAX), "0"),
    ("gin_pending_list_limit", Whole(KB, 64, INT_MAX), "4MB"),
    ("hash_mem_multiplier", Real(1.0, 1000.0), "2"),
    (
        "idle_in_transaction_session_timeout",
        Whole(MS, 0, INT_MAX),
        "0",
    ),
    ("idle_session_timeout", Whole(MS, 0, INT_MAX), "0"),
    ("in_hot_standby", Fixed, "off"),
    ("is_superuser", Fixed, "on"),
    ("jit", Boolean, "on"),
    ("jit_above_cost", Real(-1.0, f64::MAX), "100000"),
    ("join_collapse_limit", Whole(NONE, 1, INT_MAX), "8"),
    ("lc_collate", Fixed, "C"),
    ("lc_ctype", Fixed, "C"),
    ("lc_messages", Text, "C"),
    ("lc_monetary", Word(&["C", "POSIX"]), "C"),
    ("lc_numeric", Word(&["C", "POSIX"]), "C"),
    ("lc_time", Word(&["C", "POSIX"]), "C"),
    ("lo_compat_privileges", Boolean, "off"),
    ("lock_timeout", Whole(MS, 0, INT_MAX), "0"),
    ("log_duration", Boolean, "off"),
    ("log_min_duration_statement", Whole(MS, -1, INT_MAX), "-1"),
    ("log_min_messages", Word(LEVELS), "warning"),
    (
        "log_statement",
        Word(&["none", "ddl", "mod", "all"]),
        "none",
    ),
    ("logical_decoding_work_mem", Whole(KB, 64, INT_MAX), "64MB"),
    ("maintenance_work_mem", Whole(KB, 1_024, INT_MAX), "64MB"),
    ("max_connections", Fixed, "100"),
    ("max_identifier_length", Fixed, "63"),
    ("max_index_keys", Fixed, "32"),
    (
        "max_parallel_maintenance_workers",
        Whole(NONE, 0, 1_024),
        "2",
    ),
    ("max_parallel_workers", Whole(NONE, 0, 1_024), "8"),
    (
        "max_parallel_workers_per_gather",
        Whole(NONE, 0, 1_024),
        "2",
    ),
    ("max_stack_depth", Whole(KB, 100, INT_MAX), "2MB"),
    (
        "min_parallel_index_scan_size",
        Whole(BLOCKS, 0, 715_827_882),
        "512kB",
    ),
    (
        "min_parallel_table_scan_size",
        Whole(BLOCKS, 0, 715_827_882),
        "8MB",
    ),
    ("parallel_leader_participation", Boolean, "on"),
    ("parallel_setup_cost", Real(0.0, f64::MAX), "1000"),
    ("parallel_tuple_cost", Real(0.0, f64::MAX), "0.1"),
    (
        "password_encryption",
        Word(&["md5", "scram-sha-256"]),
        "scram-sha-256",
    ),
    (
        "plan_cache_mode",
        Word(&["auto", "force_generic_plan", "force_custom_plan"]),
        "auto",
    ),
    ("quote_all_identifiers", Word(OFF), "off"),
    ("random_page_cost", Real(0.0, f64::MAX), "4"),
    ("recursive_worktable_factor", Real(0.001, 1_000_000.0), "10"),
    ("restrict_nonsystem_relation_kind", Text, ""),
    ("role", Word(&["none", OWNER]), "none"),
    ("row_security", Boolean, "on"),
    // RisingWave's: writes are seen by the next statement, which here is always so.
    ("rw_implicit_flush", Word(ON), "on"),
    ("seq_page_cost", Real(0.0, f64::MAX), "1"),
    ("session_authorization", Word(&[OWNER]), OWNER),
    (
        "session_replication_role",
        Word(&["origin", "local"]),
        "origin",
    ),
    ("ssl", Fixed, "off"),
    (
        "stats_fetch_consistency",
        Word(&["none", "cache", "snapshot"]),
        "cache",
    ),
    ("synchronize_seqscans", Boolean, "on"),
    ("tcp_keepalives_idle", Whole(SECONDS, 0, INT_MAX), "0"),
    ("temp_buffers", Whole(BLOCKS, 100, INT_MAX / 2), "8MB"),
    ("temp_tablespaces", Word(SPACES), ""),
    ("timezone_abbreviations", Text, "Default"),
    ("track_activities", Boolean, "on"),
    ("track_counts", Boolean, "on"),
    ("track_functions", Word(&["none", "pl", "all"]), "none"),
    ("track_io_timing", Boolean, "off"),
    ("transform_null_equals", Word(OFF), "off"),
    ("vacuum_cost_delay", Real(0.0, 100.0), "0"),
    ("vacuum_cost_limit", Whole(NONE, 1, 10_000), "200"),
    (
        "vacuum_freeze_min_age",
        Whole(NONE, 0, 1_000_000_000),
        "50000000",
    ),
    (
        "vacuum_freeze_table_age",
        Whole(NONE, 0, 2_000_000_000),
        "150000000",
    ),
    ("wal_level", Fixed, "replica"),
    ("work_mem", Whole(KB, 64, INT_MAX), "4MB"),
    ("xmlbinary", Word(&["base64", "hex"]), "base64"),
    ("xmloption", Word(&["content", "document"]), "content"),
    ("zero_damaged_pages", Boolean, "off"),
];

fn known(name: &str) -> Option<&'static (&'static str, Shape, &'static str)> {
    let mut all = OTHERS.iter();
    all.find(|(known, ..)| known.eq_ignore_ascii_case(name))
}

/// Prefixes of our settings, of those too whose backend is not in use.
const OURS: [&str; 2] = ["varve", "rocksdb"];

/// Whether a name is one that anybody may make up: it has a prefix that is not ours.
fn is_custom(name: &str) -> bool {
    let is_ours = |prefix: &str| OURS.iter().any(|ours| prefix.eq_ignore_ascii_case(ours));
    name.split_once('.')
        .is_some_and(|(prefix, _)| !is_ours(prefix))
}

/// Whether it is one of these.
pub fn is_other(name: &str) -> bool {
    known(name).is_some() || is_custom(name)
}

/// The names that are known, with their values.
pub fn all(others: &Others) -> impl Iterator<Item = (&'static str, String)> {
    let shown = |(name, ..): &(&'static str, Shape, &str)| {
        let value = show(others, name).unwrap_or_default();
        (*name, value)
    };
    OTHERS.iter().map(shown)
}

/// The value of a setting as SHOW gives it, with the name as PostgreSQL writes it.
pub fn show(others: &Others, name: &str) -> Option<String> {
    let set = others.get(&name.to_ascii_lowercase());
    set.cloned()
        .or_else(|| known(name).map(|(_, _, first)| (*first).to_owned()))
}

/// Sets one; `None` is what it was at first.
pub fn set(others: &mut Others, name: &str, value: Option<&str>) -> Result<()> {
    let name = name.to_ascii_lowercase();
    let value = match (value, known(&name)) {
        (None, Some((_, Shape::Fixed, _))) => return Ok(()),
        (Some(value), Some((_, shape, first))) => Some(read(&name, *shape, first, value)?),
        (Some(value), None) => {
            if !is_valid_custom(&name) {
                let message = format!("invalid configuration parameter name \"{name}\"");
                let error = Error::new(SqlState::INVALID_NAME, message);
                let detail = "Custom parameter names must be two or more simple identifiers \
                              separated by dots.";
                return Err(error.with_detail(detail));
            }
            Some(value.to_owned())
        }
        // What was made up stays known once it was set.
        (None, None) => others.contains_key(&name).then(String::new),
        (None, Some(_)) => None,
    };
    let others = Arc::make_mut(others);
    match value {
        Some(value) => others.insert(name, value),
        None => others.remove(&name),
    };
    Ok(())
}

fn is_valid_custom(name: &str) -> bool {
    let is_simple = |part: &str| {
        let mut characters = part.chars();
        let first = characters.next();
        first.is_some_and(|first| first.is_alphabetic() || first == '_')
            && characters.all(|next| next.is_alphanumeric() || next == '_' || next == '$')
    };
    name.split('.').all(is_simple)
}

fn invalid(message: String) -> Error {
    Error::new(SqlState::INVALID_PARAMETER_VALUE, message)
}

fn wrong(name: &str, value: &str) -> Error {
    let message = format!("invalid value for parameter \"{name}\": \"{value}\"");
    invalid(message)
}

/// A value in the form in which it is shown.
fn read(name: &str, shape: Shape, first: &str, value: &str) -> Result<String> {
    match shape {
        Shape::Boolean => match crate::boolean(value) {
            Some(true) => Ok("on".to_owned()),
            Some(false) => Ok("off".to_owned()),
            None => Err(invalid(format!(
                "parameter \"{name}\" requires a Boolean value"
            ))),
        },
        Shape::Whole(unit, min, max) => {
            let number = read_whole(value, unit).ok_or_else(|| {
                let is_number = value.trim_start().starts_with(|c: char| c.is_ascii_digit());
                let error = wrong(name, value);
                match units_hint(unit).filter(|_| is_number) {
                    Some(hint) => error.with_hint(hint),
                    None => error,
                }
            })?;
            if !(min..=max).contains(&number) {
                let unit = unit
                    .first()
                    .map_or(String::new(), |(name, _)| format!(" {name}"));
                return Err(invalid(format!(
                    "{number}{unit} is outside the valid range for parameter \"{name}\" \
                     ({min} .. {max})"
                )));
            }
            Ok(show_whole(number, unit))
        }
        Shape::Real(min, max) => {
            let number = parse_f64(value.trim()).ok_or_else(|| wrong(name, value))?;
            if !(min..=max).contains(&number) {
                return Err(invalid(format!(
                    "{value} is outside the valid range for parameter \"{name}\" ({min} .. {max})"
                )));
            }
            Ok(number.to_string())
        }
        Shape::Text => Ok(value.to_owned()),
        Shape::Word(words) => read_word(name, words, value),
        Shape::Fixed if value.eq_ignore_ascii_case(first) => Ok(first.to_owned()),
        Shape::Fixed => Err(Error::new(
            SqlState::CANT_CHANGE_RUNTIME_PARAM,
            format!("parameter \"{name}\" cannot be changed"),
        )),
    }
}

fn units_hint(unit: Unit) -> Option<String> {
    let quoted: Vec<String> = unit.iter().map(|(name, _)| format!("\"{name}\"")).collect();
    let (last, others) = quoted.split_last()?;
    let others = others.join(", ");
    Some(format!(
        "Valid units for this parameter are {others}, and {last}."
    ))
}

/// One of some words, as it is spelled there; words for on and off are taken for each other.
fn read_word(name: &str, words: &[&str], value: &str) -> Result<String> {
    if matches!(name, "role" | "session_authorization") && !words.contains(&value) {
        return Err(invalid(format!("role \"{value}\" does not exist")));
    }
    let spelled = match crate::boolean(value) {
        Some(true) => "on",
        Some(false) => "off",
        None => value,
    };
    let is_it =
        |word: &&&str| word.eq_ignore_ascii_case(value) || word.eq_ignore_ascii_case(spelled);
    let found = words.iter().find(is_it).map(|word| (*word).to_owned());
    found.ok_or_else(|| {
        wrong(name, value).with_hint(format!("Available values: {}.", words.join(", ")))
    })
}

/// A whole number with a unit, or without: of the smallest one.
fn read_whole(text: &str, unit: Unit) -> Option<i64> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let word = text.strip_prefix(digits)?;
    let number: i64 = digits.trim_end().parse().ok()?;
    if word.is_empty() {
        return Some(number);
    }
    match unit.iter().find(|(name, _)| *name == word) {
        Some((_, factor)) => number.checked_mul(*factor),
        // Of blocks kilobytes are parts.
        None if word == "kB" && unit.first() == Some(&("8kB", 1)) => {
            number.checked_add(7).map(|sum| sum / 8)
        }
        None => None,
    }
}

/// In the largest unit that leaves a whole number.
fn show_whole(number: i64, unit: Unit) -> String {
    if number <= 0 || unit.is_empty() {
        return number.to_string();
    }
    let fits = |(_, factor): &&(&str, i64)| number % factor == 0;
    match unit.iter().rev().find(fits) {
        Some(("8kB", _)) => format!("{}kB", number.saturating_mul(8)),
        Some((name, factor)) => format!("{}{name}", number / factor),
        None => number.to_string(),
    }
}

/// What is done as these say, or has one value only.
const USED: [&str; 4] = [
    "check_function_bodies",
    "client_min_messages",
    "lock_timeout",
    "role",
];

/// Whether a setting is another than it was at first, and nothing comes of it.
pub fn is_unused(others: &Others, name: &str) -> bool {
    let set = others.get(&name.to_ascii_lowercase());
    known(name).is_some_and(|(known, _, first)| {
        set.is_some_and(|set| set != first) && !USED.contains(known)
    })
}

/// How much a message of a severity counts among the words of `client_min_messages`.
fn level(word: &str) -> usize {
    let found = LEVELS
        .iter()
        .position(|level| level.eq_ignore_ascii_case(word));
    found.unwrap_or(LEVELS.len())
}

/// Whether the bodies of functions are checked when they are made.
pub fn checks_bodies(others: &Others) -> bool {
    let set = others.get("check_function_bodies");
    set.is_none_or(|value| value != "off")
}

/// How long a lock may be waited for; 0 for any time.
pub fn lock_timeout_us(others: &Others) -> u64 {
    let set = others.get("lock_timeout");
    let timeout_ms = set.and_then(|value| read_whole(value, MS)).unwrap_or(0);
    u64::try_from(timeout_ms).unwrap_or(0).saturating_mul(1000)
}

/// Whether a session wants to know of messages of a severity.
pub fn wants(others: &Others, severity: &str) -> bool {
    let least = others.get("client_min_messages");
    let least = least.map_or("notice", |least| least.as_str());
    match severity {
        "INFO" => true,
        "DEBUG" => level("debug1") >= level(least),
        severity => level(severity) >= level(least),
    }
}

#[cfg(test)]
mod tests {
    use super::{OTHERS, Others, set, show, wants};

    #[test]
    fn notices_come_from_a_level_on() {
        let mut others = Others::default();
        let shown = |others: &Others| {
            let all = ["DEBUG", "LOG", "INFO", "NOTICE", "WARNING"];
            all.into_iter()
                .filter(|severity| wants(others, severity))
                .count()
        };
        assert_eq!(shown(&others), 3);
        for (least, count) in [("debug1", 5), ("log", 4), ("warning", 2), ("error", 1)] {
            set(&mut others, "client_min_messages", Some(least)).unwrap();
            assert_eq!(shown(&others), count, "{least}");
        }
    }

    #[test]
    fn settings_are_known_in_order_and_at_first_what_they_may_be() {
        for pair in OTHERS.windows(2) {
            assert!(pair[0].0 < pair[1].0, "{}", pair[1].0);
        }
        for (name, _, first) in OTHERS {
            let mut others = Others::default();
            set(&mut others, name, Some(first)).unwrap();
            assert_eq!(show(&others, name).as_deref(), Some(*first), "{name}");
        }
    }

    #[test]
    fn values_are_checked_and_shown_in_their_form() {
        let cases = [
            ("work_mem", "2048", Ok("2MB")),
            ("WORK_MEM", "100MB", Ok("100MB")),
            (
                "work_mem",
                "1",
                Err(
                    "1 kB is outside the valid range for parameter \"work_mem\" (64 .. 2147483647)",
                ),
            ),
            (
                "work_mem",
                "1 xB",
                Err("invalid value for parameter \"work_mem\": \"1 xB\""),
            ),
            ("enable_sort", "TRUE", Ok("on")),
            (
                "enable_sort",
                "maybe",
                Err("parameter \"enable_sort\" requires a Boolean value"),
            ),
            ("effective_cache_size", "64kB", Ok("64kB")),
            ("random_page_cost", "1.10", Ok("1.1")),
            ("plan_cache_mode", "Auto", Ok("auto")),
            ("constraint_exclusion", "true", Ok("on")),
            (
                "block_size",
                "1",
                Err("parameter \"block_size\" cannot be changed"),
            ),
            ("my.own", "x y", Ok("x y")),
            (
                "my.-own",
                "x",
                Err("invalid configuration parameter name \"my.-own\""),
            ),
        ];
        for (name, value, expected) in cases {
            let mut others = Others::default();
            let done = set(&mut others, name, Some(value));
            let shown = done.map(|()| show(&others, name).unwrap());
            let shown = shown.map_err(|error| error.message().to_owned());
            assert_eq!(
                shown.as_deref().map_err(String::as_str),
                expected,
                "{name} = {value}"
            );
        }
    }
}
