//! VACUUM, ANALYZE and LOCK TABLE.

use varve_ast::{Analyze, Command, LockTable, ObjectName};
use varve_lexer::{Keyword, Token};
use varve_types::Result;

use crate::option::is_given;
use crate::parser::{IsOptional, Parser};

/// Options of VACUUM that say what is done here anyway; nothing comes of the others.
const USED: [&str; 4] = ["full", "compress", "analyze", "skip_locked"];

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
        // What is merged is written anew, in the codecs that were asked for.
        let mut full = is_given(&options, "full") || is_given(&options, "compress");
        let names = options.into_iter().map(|option| option.name.text);
        let mut unused: Vec<String> = names
            .filter(|name| !USED.contains(&name.as_str()))
            .collect();
        if !has_options {
            full = self.parse_keyword(Keyword::FULL);
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
            full,
            tables,
            unused,
        })
    }

    /// What follows `COMPRESS`: `[TABLE] [table, ...]`.
    pub(crate) fn compress(&mut self) -> Result<Command> {
        let _ = self.parse_keyword(Keyword::TABLE);
        let tables = match self.peek() {
            Token::EOF => Vec::new(),
            _ => self.parse_comma_separated(Parser::relation_name)?,
        };
        Ok(Command::Compress(tables))
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
