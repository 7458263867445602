//! One rule, or one small family of rules, per file.

pub(crate) mod attributes;
pub(crate) mod circles;
pub(crate) mod crate_heads;
pub(crate) mod dead_code;
pub(crate) mod file_size;
pub(crate) mod folders;
pub(crate) mod functions;
pub(crate) mod layers;
pub(crate) mod machine_paths;
pub(crate) mod modules;
pub(crate) mod number_defaults;
pub(crate) mod pins;
pub(crate) mod registries;
pub(crate) mod sql_text;
pub(crate) mod statements;
pub(crate) mod tracked_files;
pub(crate) mod unsafe_code;
pub(crate) mod vocabulary;
pub(crate) mod words;
