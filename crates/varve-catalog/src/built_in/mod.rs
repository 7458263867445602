//! Routines that every database has and that are written in SQL, as a user would write them.
//!
//! They have no objects in the store: a new version of the engine has its own. A user's function
//! of the same name comes before them.

use std::sync::{Arc, OnceLock};

use varve_ast::{CreateFunction, Ddl, FunctionReturns, StatementBody};
use varve_expr::Volatility;
use varve_parser::parse;
use varve_types::{Error, ObjectId, Result, TypeMod};

use crate::model::function_def::{ArgumentDef, FunctionDef, ParsedBody, Returns};
use crate::model::schema::{PUBLIC, RelationName};
use crate::text::type_name::logical_type;
use crate::types::polymorphic::ANY;

/// A text that pages seldom need, and that [`scripts`] alone reads: the lines around it tell the
/// split of the engine (`varve-wasm-split`) that it goes where that function goes.
macro_rules! second_part {
    ($file:literal) => {
        concat!(
            "--[second part: varve_catalog::built_in::scripts\n",
            include_str!($file),
            "--]second part\n"
        )
    };
}

/// The texts: each a script of CREATE FUNCTION and CREATE PROCEDURE.
const SCRIPTS: [&str; 5] = [
    second_part!("hypertables.sql"),
    second_part!("columnstore.sql"),
    second_part!("continuous.sql"),
    second_part!("jobs.sql"),
    second_part!("policies.sql"),
];

/// The names of those that are found without a schema, so that other names need not read the texts.
const NAMES: [&str; 35] = [
    "add_columnstore_policy",
    "add_compression_policy",
    "add_continuous_aggregate_policy",
    "add_job",
    "add_reorder_policy",
    "add_retention_policy",
    "alter_job",
    "by_hash",
    "by_range",
    "chunk_columnstore_stats",
    "chunk_compression_stats",
    "chunks_detailed_size",
    "compact_chunk",
    "compress_chunk",
    "convert_to_columnstore",
    "convert_to_rowstore",
    "create_hypertable",
    "decompress_chunk",
    "delete_job",
    "drop_chunks",
    "hypertable_columnstore_stats",
    "hypertable_compression_stats",
    "hypertable_detailed_size",
    "hypertable_size",
    "merge_chunks",
    "recompress_chunk",
    "refresh_continuous_aggregate",
    "remove_columnstore_policy",
    "remove_compression_policy",
    "remove_continuous_aggregate_policy",
    "remove_retention_policy",
    "run_job",
    "set_chunk_time_interval",
    "set_integer_now_func",
    "show_chunks",
];

/// The only way to the texts: the compiler must not read them anywhere else.
#[inline(never)]
fn scripts() -> [&'static str; 5] {
    core::hint::black_box(SCRIPTS)
}

/// The schema of those that only other ones call, so that no user's function comes between. The
/// others are found without a schema, and in `public`.
pub const OWN_SCHEMA: &str = "_timescaledb_functions";

/// They are numbered from here on.
const FIRST: u64 = 1 << 61;

/// Each with whether it is in [`OWN_SCHEMA`].
static ALL: OnceLock<Vec<(bool, Arc<FunctionDef>)>> = OnceLock::new();

impl FunctionDef {
    /// Whether it is one of those that every database has.
    pub fn is_built_in(&self) -> bool {
        self.object.0 >= FIRST
    }
}

/// The routines of a name.
pub fn built_in_routines(name: &RelationName) -> impl Iterator<Item = &'static Arc<FunctionDef>> {
    let is_own = name.schema.as_deref() == Some(OWN_SCHEMA);
    let is_named = NAMES.contains(&name.name.as_str());
    let is_here = is_own || is_named && matches!(name.schema.as_deref(), None | Some("public"));
    let name = name.name.clone();
    let all = is_here.then(known).into_iter().flatten();
    let named = all.filter(move |(own, def)| *own == is_own && def.name == name);
    named.map(|(_, def)| def)
}

fn known() -> &'static [(bool, Arc<FunctionDef>)] {
    ALL.get_or_init(|| read_all().unwrap_or_default())
}

/// All of them.
pub fn all() -> impl Iterator<Item = &'static Arc<FunctionDef>> {
    known().iter().map(|(_, def)| def)
}

fn read_all() -> Result<Vec<(bool, Arc<FunctionDef>)>> {
    let mut all = Vec::new();
    for script in scripts() {
        for statement in parse(script)? {
            let StatementBody::Ddl(Ddl::CreateFunction(create)) = statement.statement.body else {
                return Err(Error::internal(
                    "a built-in script that defines other things",
                ));
            };
            let object = ObjectId(FIRST.saturating_add(all.len() as u64));
            let is_own = !create.name.qualifiers.is_empty();
            all.push((is_own, Arc::new(read_one(&create, object)?)));
        }
    }
    Ok(all)
}

fn read_one(create: &CreateFunction, object: ObjectId) -> Result<FunctionDef> {
    let mut arguments = Vec::with_capacity(create.arguments.len());
    for argument in &create.arguments {
        arguments.push(ArgumentDef {
            mode: argument.mode,
            name: argument
                .name
                .as_ref()
                .map_or_else(String::new, |name| name.text.clone()),
            ty: logical_type(&argument.type_name).unwrap_or(ANY),
            modifier: TypeMod::NONE,
            domain: None,
            default: argument.default.as_ref().map(|(text, _)| text.clone()),
        });
    }
    let (returns, returns_set) = match &create.returns {
        Some(written) => returned(written, &arguments)?,
        None if create.is_procedure => (Returns::Void, false),
        None => (Returns::Columns, false),
    };
    let body = create.body.as_ref();
    let body = body.ok_or_else(|| Error::internal("a built-in routine without a body"))?;
    Ok(FunctionDef {
        is_procedure: create.is_procedure,
        object,
        schema: PUBLIC,
        name: create.name.name.text.clone(),
        arguments,
        returns,
        domain: None,
        returns_set,
        is_strict: create.options.is_strict == Some(true),
        volatility: match create.options.volatility {
            Some('i') => Volatility::Immutable,
            Some('s') => Volatility::Stable,
            _ => Volatility::Volatile,
        },
        is_plpgsql: create.options.language.as_deref() == Some("plpgsql"),
        is_atomic: false,
        body: body.text.clone(),
        reads: Vec::new(),
        parsed: ParsedBody::default(),
    })
}

fn returned(written: &FunctionReturns, arguments: &[ArgumentDef]) -> Result<(Returns, bool)> {
    let Some(type_name) = &written.type_name else {
        let mut outputs = arguments.iter().filter(|argument| argument.is_output());
        return Ok(match (outputs.next(), outputs.next()) {
            (Some(only), None) => (Returns::Value(only.ty), true),
            _ => (Returns::Columns, true),
        });
    };
    match logical_type(type_name) {
        Some(ty) => Ok((Returns::Value(ty), written.is_set)),
        // The only other word that they use is `void`.
        None => Ok((Returns::Void, false)),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{NAMES, read_all};

    #[test]
    fn the_names_are_those_of_the_texts() {
        let all = read_all().unwrap();
        let found = all.iter().filter(|(is_own, _)| !is_own);
        let found: BTreeSet<&str> = found.map(|(_, def)| def.name.as_str()).collect();
        assert_eq!(found.into_iter().collect::<Vec<&str>>(), NAMES);
    }

    #[test]
    fn every_routine_is_read_and_has_a_body_that_parses() {
        let all = read_all().unwrap();
        assert!(!all.is_empty());
        for (_, def) in &all {
            assert!(def.code().is_ok(), "{}: {:?}", def.name, def.code().err());
        }
    }
}
