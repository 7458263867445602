//! Storage parameters: `WITH (...)`, `SET (...)`, `RESET (...)`. Ours take effect and are kept.
//! Those of PostgreSQL are checked and get a notice, so that dumps load; any other is refused.

use varve_ast::{
    AlterAction, Column, ColumnConstraintKind, CreateIndex, DefinedOption, ExprKind, Name,
    TableConstraint, TableConstraintKind, TableElement,
};
use varve_catalog::model::table::{StorageOption, TableDef};
use varve_plan::plan::Statement;
use varve_plan::plan::statement::utility;
use varve_plan::plan::utility::{Message, Utility};
use varve_types::{
    CONTENT_BYTES_MIN_DEFAULT, CONTENT_BYTES_MIN_RANGE, Error, NoCompression, PageCodec, Result,
    SqlState, TreeOptions,
};

use crate::binder::DdlBinder;
use crate::table::alter::Altered;
use crate::table::column_storage::no_level;
use crate::table::hypertable::is_timescale;

/// PostgreSQL's access methods for which nothing is made.
const OTHER_METHODS: [&str; 4] = ["gin", "gist", "spgist", "brin"];

/// What parameters are given for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    Table,
    Partitioned,
    Index,
    /// The index of a constraint, which has no parameters of its own.
    ConstraintIndex,
    Column,
}

/// What a parameter takes.
#[derive(Clone, Copy)]
enum Takes {
    Bool,
    Integer(i64, i64),
    Real,
    Words(&'static [&'static str]),
    /// What pages are compressed with.
    Pages,
}

const ANY: Takes = Takes::Integer(0, 2_000_000_000);

/// PostgreSQL's parameters of tables that their TOAST tables have too.
const CLEANED: [(&str, Takes); 18] = [
    ("autovacuum_enabled", Takes::Bool),
    ("autovacuum_vacuum_threshold", ANY),
    (
        "autovacuum_vacuum_insert_threshold",
        Takes::Integer(-1, i32::MAX as i64),
    ),
    ("autovacuum_vacuum_scale_factor", Takes::Real),
    ("autovacuum_vacuum_insert_scale_factor", Takes::Real),
    ("autovacuum_analyze_threshold", ANY),
    ("autovacuum_analyze_scale_factor", Takes::Real),
    ("autovacuum_vacuum_cost_delay", Takes::Real),
    ("autovacuum_vacuum_cost_limit", Takes::Integer(1, 10_000)),
    ("autovacuum_freeze_min_age", ANY),
    ("autovacuum_freeze_max_age", ANY),
    ("autovacuum_freeze_table_age", ANY),
    ("autovacuum_multixact_freeze_min_age", ANY),
    ("autovacuum_multixact_freeze_max_age", ANY),
    ("autovacuum_multixact_freeze_table_age", ANY),
    (
        "log_autovacuum_min_duration",
        Takes::Integer(-1, i32::MAX as i64),
    ),
    (
        "vacuum_index_cleanup",
        Takes::Words(&["auto", "on", "off", "true", "false", "yes", "no", "1", "0"]),
    ),
    ("vacuum_truncate", Takes::Bool),
];

/// The parameter that says what pages are compressed with.
const PAGES: &str = "compression";
/// The parameter that says which values of content-addressed columns lie in their rows.
const CONTENT: &str = "content_addressed_bytes_min";
/// Our own parameters of tables, which take effect.
const OWN: [(&str, Takes); 2] = [
    (PAGES, Takes::Pages),
    (
        CONTENT,
        Takes::Integer(
            *CONTENT_BYTES_MIN_RANGE.start() as i64,
            *CONTENT_BYTES_MIN_RANGE.end() as i64,
        ),
    ),
];

/// Our own parameter of indexes.
const INDEX_OWN: [(&str, Takes); 1] = [(PAGES, Takes::Pages)];

const TABLES: [(&str, Takes); 4] = [
    ("fillfactor", Takes::Integer(10, 100)),
    ("parallel_workers", Takes::Integer(0, 1024)),
    ("toast_tuple_target", Takes::Integer(128, 8160)),
    ("user_catalog_table", Takes::Bool),
];

const INDEXES: [(&str, Takes); 7] = [
    ("fillfactor", Takes::Integer(10, 100)),
    ("deduplicate_items", Takes::Bool),
    ("fastupdate", Takes::Bool),
    (
        "gin_pending_list_limit",
        Takes::Integer(64, i32::MAX as i64),
    ),
    ("buffering", Takes::Words(&["on", "off", "auto"])),
    ("pages_per_range", Takes::Integer(1, 131_072)),
    ("autosummarize", Takes::Bool),
];

const COLUMNS: [(&str, Takes); 2] = [
    ("n_distinct", Takes::Real),
    ("n_distinct_inherited", Takes::Real),
];

impl DdlBinder<'_, '_> {
    /// Looks at storage parameters; those that take effect are returned.
    pub fn storage_options(
        &mut self,
        of: Stored,
        options: &[DefinedOption],
    ) -> Result<Vec<StorageOption>> {
        let mut own: Vec<StorageOption> = Vec::new();
        for DefinedOption { name, value } in options {
            let name = &name.text;
            let takes = known(of, name)?;
            if let Some(value) = value {
                check(name, takes, &value.text)?;
            }
            if !is_own(name) {
                self.note_storage(&format!("storage parameter \"{name}\""));
                continue;
            }
            if own.iter().any(|given| given.name == *name) {
                let message = format!("parameter \"{name}\" specified more than once");
                return Err(Error::new(SqlState::INVALID_PARAMETER_VALUE, message));
            }
            let value = value.as_ref().ok_or_else(|| {
                let message = format!("parameter \"{name}\" has no value");
                Error::new(SqlState::INVALID_PARAMETER_VALUE, message)
                    .with_hint(format!("Write {name} = value, or RESET ({name})."))
            })?;
            own.push(StorageOption {
                name: name.clone(),
                value: value.text.to_ascii_lowercase(),
            });
        }
        Ok(own)
    }

    /// `RESET (...)`: the names of parameters that take no effect any more.
    pub fn reset_options(&mut self, of: Stored, options: &[DefinedOption]) -> Result<Vec<String>> {
        let mut own = Vec::new();
        for DefinedOption { name, value } in options {
            known(of, &name.text)?;
            if value.is_some() {
                return Err(reset_with_value());
            }
            if is_own(&name.text) {
                own.push(name.text.clone());
            }
        }
        Ok(own)
    }

    /// Looks at the storage parameters of the indexes that constraints make.
    pub fn element_index_options(&mut self, element: &TableElement) -> Result<()> {
        match element {
            TableElement::Column(column) => self.column_index_options(column),
            TableElement::Constraint(constraint) => self.constraint_index_options(constraint),
            TableElement::Like(_) => Ok(()),
        }
    }

    /// As [`DdlBinder::element_index_options`], of what ALTER TABLE adds.
    pub fn action_index_options(&mut self, action: &AlterAction) -> Result<()> {
        match action {
            AlterAction::AddColumn { column, .. } => self.column_index_options(column),
            AlterAction::AddConstraint { constraint, .. } => {
                self.constraint_index_options(constraint)
            }
            _ => Ok(()),
        }
    }

    fn column_index_options(&mut self, column: &Column) -> Result<()> {
        for constraint in &column.constraints {
            if let ColumnConstraintKind::PrimaryKey(key) | ColumnConstraintKind::Unique(key) =
                &constraint.kind
            {
                self.storage_options(Stored::ConstraintIndex, &key.options)?;
            }
        }
        Ok(())
    }

    fn constraint_index_options(&mut self, constraint: &TableConstraint) -> Result<()> {
        match &constraint.kind {
            TableConstraintKind::PrimaryKey(key) | TableConstraintKind::Unique(key) => self
                .storage_options(Stored::ConstraintIndex, &key.options)
                .map(drop),
            TableConstraintKind::Exclusion(exclusion) => self
                .storage_options(Stored::ConstraintIndex, &exclusion.options)
                .map(drop),
            TableConstraintKind::Check(_)
            | TableConstraintKind::ForeignKey(_)
            | TableConstraintKind::Index(_) => Ok(()),
        }
    }

    /// Tells that something changes nothing.
    pub fn note_storage(&mut self, what: &str) {
        let text =
            format!("{what} is accepted and not used: how rows are stored is not up to the user");
        self.query.outputs.messages.push(Message::notice(text));
    }
}

impl DdlBinder<'_, '_> {
    /// What ALTER TABLE says of how rows are stored or guarded.
    pub fn stored_otherwise(
        &mut self,
        altered: &Altered,
        words: &str,
        index: Option<&Name>,
    ) -> Result<()> {
        let table = &altered.before;
        if let Some(index) = index {
            let name = &index.text;
            let mut indexes = table.indexes.iter();
            if table.key_name() != *name && !indexes.any(|index| index.name == *name) {
                let message = format!(
                    "index \"{name}\" for table \"{}\" does not exist",
                    table.name
                );
                return Err(Error::new(SqlState::UNDEFINED_OBJECT, message));
            }
        }
        if words.ends_with("ROW LEVEL SECURITY") {
            if !words.starts_with("NO") && !words.starts_with("DISABLE") {
                let text = format!(
                    "{words} on \"{}\" guards nothing: there is one role, which sees all rows",
                    table.name
                );
                self.query.outputs.messages.push(Message::notice(text));
            }
            return Ok(());
        }
        self.note_storage(words);
        Ok(())
    }
}

impl DdlBinder<'_, '_> {
    /// An index of an access method that there is not: nothing is made, but what it names must be
    /// there.
    pub fn other_index(
        &mut self,
        table: &TableDef,
        method: &str,
        create: &CreateIndex,
    ) -> Result<Statement> {
        if !OTHER_METHODS.contains(&method) {
            let message = format!("access method \"{method}\" does not exist");
            return Err(Error::new(SqlState::UNDEFINED_OBJECT, message));
        }
        if create.kept.is_unique {
            let message = format!("access method \"{method}\" does not support unique indexes");
            return Err(Error::new(SqlState::FEATURE_NOT_SUPPORTED, message));
        }
        for element in &create.elements {
            if let ExprKind::Column(name) = &element.key.kind
                && name.qualifiers.is_empty()
            {
                self.indexed_column(table, &name.name)?;
            }
        }
        let text = format!(
            "no index is made on \"{}\": there is no access method \"{method}\", and queries read \
             the table instead",
            table.name
        );
        self.query.outputs.messages.push(Message::notice(text));
        Ok(utility(Utility::Nothing))
    }
}

/// What a parameter takes, if PostgreSQL has it.
fn known(of: Stored, name: &str) -> Result<Takes> {
    let (namespace, own) = match name.split_once('.') {
        Some((namespace, own)) => (Some(namespace), own),
        None => (None, name),
    };
    if is_timescale(name) {
        return Err(not_yet(name));
    }
    let tables: &[&[(&str, Takes)]] = match (of, namespace) {
        (Stored::Table, None) => &[&OWN, &CLEANED, &TABLES],
        (Stored::Table, Some("toast")) => &[&CLEANED],
        (Stored::Index, None) => &[&INDEX_OWN, &INDEXES],
        (Stored::ConstraintIndex, None) if own == PAGES => {
            let what = "storage parameter \"compression\" of the index of a constraint";
            return Err(Error::unsupported(what).with_hint(
                "A primary key's pages are those of its table: ALTER TABLE ... SET (compression = \
                 ...). Instead of UNIQUE, CREATE UNIQUE INDEX ... WITH (compression = ...).",
            ));
        }
        (Stored::ConstraintIndex, None) => &[&INDEXES],
        (Stored::Column, None) => &[&COLUMNS],
        (Stored::Partitioned, None) => {
            let message = "cannot specify storage parameters for a partitioned table";
            let error = Error::new(SqlState::WRONG_OBJECT_TYPE, message);
            return Err(
                error.with_hint("Specify storage parameters for its leaf partitions instead.")
            );
        }
        (_, Some(namespace)) => {
            let message = format!("unrecognized parameter namespace \"{namespace}\"");
            return Err(Error::new(SqlState::INVALID_PARAMETER_VALUE, message));
        }
    };
    let found = tables
        .iter()
        .copied()
        .flatten()
        .find(|(known, _)| *known == own);
    found.map(|(_, takes)| *takes).ok_or_else(|| {
        let known = tables.iter().copied().flatten().map(|(known, _)| *known);
        let known: Vec<&str> = known.collect();
        match nearest(own, &known) {
            Some(near) => unrecognized(name).with_hint(format!("Did you mean \"{near}\"?")),
            None => unrecognized(name),
        }
    })
}

/// `42601`
pub fn reset_with_value() -> Error {
    let message = "RESET must not include values for parameters";
    Error::new(SqlState::SYNTAX_ERROR, message)
}

fn is_own(name: &str) -> bool {
    OWN.iter().any(|(own, _)| *own == name)
}

/// What parameters of an index, which were checked, say of its pages, if they say anything.
pub fn index_pages(options: &[StorageOption]) -> Option<PageCodec> {
    let pages = options.iter().find(|option| option.name == PAGES);
    pages.and_then(|option| option.value.parse().ok())
}

/// Gives a table parameters in the place of those that it has, or takes them away.
pub fn put_options(table: &mut TableDef, options: Vec<StorageOption>, reset: &[String]) {
    table.options.retain(|known| {
        !reset.contains(&known.name) && !options.iter().any(|new| new.name == known.name)
    });
    table.options.extend(options);
    varve_sort::sort_by(&mut table.options, |a, b| a.name.cmp(&b.name));
    let value = |name: &str| {
        let mut options = table.options.iter();
        let found = options.find(|option| option.name == name);
        found.map(|option| option.value.as_str())
    };
    // They were checked when they were given.
    let pages = value(PAGES).and_then(|value| value.parse().ok());
    let content_bytes_min = value(CONTENT).and_then(|value| value.parse().ok());
    table.stored = TreeOptions {
        pages: pages.unwrap_or_default(),
        pages_of_keys: false,
        content_bytes_min: content_bytes_min.unwrap_or(CONTENT_BYTES_MIN_DEFAULT),
        version: table.stored.version,
        partition: table.stored.partition,
    };
}

/// The word that comes nearest to one that is not known, if any comes near.
pub fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let word = word.to_ascii_lowercase();
    let near = known.iter().map(|known| (distance(&word, known), *known));
    let (distance, near) = near.min()?;
    (distance <= word.len() / 3).then_some(near)
}

/// How many letters must be added, taken away or changed to make one word of the other.
fn distance(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (at, byte) in from.bytes().enumerate() {
        let mut diagonal = at;
        let mut left = at + 1;
        let mut next = vec![left];
        for (other, up) in to.bytes().zip(row.iter().skip(1)) {
            let changed = diagonal + usize::from(byte != other);
            left = changed.min(left + 1).min(up + 1);
            diagonal = *up;
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

/// `22023`
pub fn unrecognized(name: &str) -> Error {
    let message = format!("unrecognized parameter \"{name}\"");
    Error::new(SqlState::INVALID_PARAMETER_VALUE, message)
        .with_hint("Leave it out: nothing would come of it.")
}

/// `0A000`: a parameter that is known and has no effect yet.
pub fn not_yet(name: &str) -> Error {
    Error::unsupported(format!("the parameter \"{name}\""))
        .with_hint("Leave it out: nothing would come of it.")
}

/// Refuses a value that a parameter cannot have.
fn check(name: &str, takes: Takes, value: &str) -> Result<()> {
    let invalid = |message: String| Error::new(SqlState::INVALID_PARAMETER_VALUE, message);
    let wrong = |kind: &str| {
        invalid(format!(
            "invalid value for {kind} option \"{name}\": {value}"
        ))
    };
    let outside = |detail: String| {
        let message = format!("value {value} out of bounds for option \"{name}\"");
        invalid(message).with_detail(detail)
    };
    match takes {
        Takes::Bool => {
            let words = ["true", "false", "on", "off", "yes", "no", "1", "0"];
            let is_known = words.contains(&value.to_ascii_lowercase().as_str());
            is_known.then_some(()).ok_or_else(|| wrong("boolean"))
        }
        Takes::Words(words) => {
            let is_known = words.contains(&value.to_ascii_lowercase().as_str());
            is_known.then_some(()).ok_or_else(|| wrong("enum"))
        }
        Takes::Integer(least, most) => {
            let number: i64 = value.parse().map_err(|_| wrong("integer"))?;
            match (least..=most).contains(&number) {
                true => Ok(()),
                false => Err(outside(format!(
                    "Valid values are between \"{least}\" and \"{most}\"."
                ))),
            }
        }
        Takes::Pages => match value.parse::<PageCodec>() {
            Ok(_) => Ok(()),
            Err(NoCompression::Name) => Err(wrong("enum")
                .with_hint("Valid values are \"none\", \"lz4\", \"zstd\" and \"zstd(level)\".")),
            Err(reason) => Err(no_level(value, reason)),
        },
        Takes::Real => {
            let is_number = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
            let known = !value.is_empty() && value.bytes().all(is_number);
            known.then_some(()).ok_or_else(|| wrong("floating point"))
        }
    }
}

/// Words in quotes.
pub fn listed(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    words.join(", ")
}
