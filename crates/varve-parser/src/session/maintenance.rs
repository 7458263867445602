//! VACUUM, ANALYZE and LOCK TABLE.

use varve_ast::{Analyze, Command, DefinedOption, LockTable, ObjectName, VacuumExtent};
use varve_lexer::{Keyword, Token};
use varve_types::{Error, Result, SqlState};

use crate::option::{is_given, redundant};
use crate::parser::{IsOptional, Parser};

/// Options of VACUUM that say what is done here anyway; nothing comes of the others.
const USED: [&str; 5] = ["full", "compress", "analyze", "skip_locked", "parallel"];

/// All options of VACUUM.
const OPTIONS: [&str; 15] = [
    "full",
    "compress",
    "analyze",
    "skip_locked",
    "verbose",
    "freeze",
    "process_toast",
    "process_main",
    "truncate",
    "disable_page_skipping",
    "index_cleanup",
    "parallel",
    "skip_database_stats",
    "only_database_stats",
    "buffer_usage_limit",
];

/// The modes of locks of tables.
const MODES: [&[&str]; 8] = [
    &["ACCESS", "SHARE"],
    &["ROW", "SHARE"],
    &["ROW", "EXCLUSIVE"],
    &["SHARE", "UPDATE", "EXCLUSIVE"],
    &["SHARE", "ROW", "EXCLUSIVE"],
    &["SHARE"],
    &["EXCLUSIVE"],
    &["ACCESS", "EXCLUSIVE"],
];

impl Parser<'_> {
    /// What follows `VACUUM`.
    pub(crate) fn vacuum(&mut self) -> Result<Command> {
        let has_options = self.peek() == Token::LParen;
        let options = self.known_options("VACUUM", &OPTIONS)?;
        let mut extent = match is_given(&options, "compress") {
            true => VacuumExtent::Compress,
            false if is_given(&options, "full") => VacuumExtent::Full,
            false => VacuumExtent::Deleted,
        };
        let mut last = options.iter().rev();
        let parallel = last.find(|option| option.name.text == "parallel");
        // PARALLEL 0 is PostgreSQL's word for nobody beside the one who asks.
        let workers = parallel.and_then(number).map(|workers| workers.max(1));
        let names = options.into_iter().map(|option| option.name.text);
        let mut unused: Vec<String> = names
            .filter(|name| !USED.contains(&name.as_str()))
            .collect();
        if !has_options {
            if self.parse_keyword(Keyword::FULL) {
                extent = VacuumExtent::Full;
            }
            for word in ["freeze", "verbose"] {
                if self.parse_word(word) {
                    unused.push(word.to_owned());
                }
            }
            let _ = self.parse_keyword(Keyword::ANALYZE);
        }
        let tables = match self.peek() {
            Token::EOF => Vec::new(),
            _ => self.parse_comma_separated(Parser::relation_name)?,
        };
        Ok(Command::Vacuum {
            extent,
            tables,
            workers,
            unused,
        })
    }

    /// What follows `COMPRESS`: `[TABLE] [table, ...] [WITH (workers = n)]`.
    pub(crate) fn compress(&mut self) -> Result<Command> {
        let _ = self.parse_keyword(Keyword::TABLE);
        let tables = match self.peek() {
            Token::EOF => Vec::new(),
            _ if self.peek_keyword(Keyword::WITH) => Vec::new(),
            _ => self.parse_comma_separated(Parser::relation_name)?,
        };
        let mut workers = None;
        if self.parse_keyword(Keyword::WITH) {
            let position = self.peek_token().position;
            for option in self.parse_storage_options()? {
                let given = compress_workers(&option).map_err(|error| error.at(position))?;
                if workers.replace(given).is_some() {
                    return Err(redundant(position));
                }
            }
        }
        Ok(Command::Compress { tables, workers })
    }

    /// What follows `ANALYZE`: `[(options)] [table [(columns)], ...]`.
    pub(crate) fn analyze(&mut self) -> Result<Vec<Analyze>> {
        let known = ["verbose", "skip_locked", "buffer_usage_limit"];
        self.known_options("ANALYZE", &known)?;
        let _ = self.parse_keyword(Keyword::VERBOSE);
        if self.peek() == Token::EOF {
            return Ok(Vec::new());
        }
        self.parse_comma_separated(|parser| {
            Ok(Analyze {
                table: parser.relation_name()?,
                columns: parser.parse_parenthesized_column_list(IsOptional::Optional)?,
            })
        })
    }

    /// What follows `LOCK`: `[TABLE] [ONLY] name [*], ... [IN mode MODE] [NOWAIT]`.
    pub(crate) fn lock_table(&mut self) -> Result<LockTable> {
        let _ = self.parse_keyword(Keyword::TABLE);
        let tables = self.parse_comma_separated(|parser| {
            let _ = parser.parse_keyword(Keyword::ONLY);
            let name = parser.relation_name()?;
            let _ = parser.consume_token(&Token::Mul);
            Ok(name)
        })?;
        if self.parse_keyword(Keyword::IN) {
            let is_known = MODES.iter().any(|mode| self.parse_words(mode));
            if !is_known || !self.parse_keyword(Keyword::MODE) {
                return self.unexpected();
            }
        }
        let _ = self.parse_keyword(Keyword::NOWAIT);
        Ok(LockTable { tables })
    }

    /// The name of a relation, with its schema or without.
    fn relation_name(&mut self) -> Result<ObjectName> {
        let mut name = ObjectName::simple(self.parse_identifier()?);
        if self.consume_token(&Token::Period) {
            let schema = core::mem::replace(&mut name.name, self.parse_identifier()?);
            name.qualifiers.push(schema);
        }
        Ok(name)
    }
}

/// The number that an option is given.
fn number(option: &DefinedOption) -> Option<u32> {
    option.value.as_ref()?.text.parse().ok()
}

/// Most threads of one command, as in PostgreSQL.
const WORKERS_MAX: u32 = 1024;

/// The value of the one option of COMPRESS.
fn compress_workers(option: &DefinedOption) -> Result<u32> {
    let name = option.name.text.as_str();
    let invalid = |message: String| Error::new(SqlState::INVALID_PARAMETER_VALUE, message);
    if name != "workers" {
        let message = format!("unrecognized COMPRESS option \"{name}\"");
        return Err(invalid(message).with_hint("The option of COMPRESS is \"workers\"."));
    }
    let workers = number(option).filter(|workers| (1..=WORKERS_MAX).contains(workers));
    workers.ok_or_else(|| {
        invalid(format!(
            "workers of COMPRESS must be between 1 and {WORKERS_MAX}"
        ))
    })
}
