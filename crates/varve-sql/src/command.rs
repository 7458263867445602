//! Statements without a plan: transactions, savepoints, settings, upkeep. They need no catalogue,
//! so what they say is known when they are parsed.

use varve_parser::{Parser, Token};
use varve_types::{Result, SqlText};

use crate::parse_session::parse_session_command;
use crate::parse_upkeep::{is_given, upkeep_options};
use crate::schema::RelationName;

/// A statement that changes the session, its transaction or the store, and reads no table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `BEGIN`, `START TRANSACTION`.
    Begin(TransactionModes),
    /// `COMMIT`, `END`.
    Commit {
        /// `AND CHAIN`: the next transaction begins at once, with the same modes.
        chain: bool,
    },
    /// `ROLLBACK`, `ABORT`.
    Rollback {
        /// `AND CHAIN`
        chain: bool,
    },
    /// `SAVEPOINT name`
    Savepoint(String),
    /// `ROLLBACK TO [SAVEPOINT] name`
    RollbackTo(String),
    /// `RELEASE [SAVEPOINT] name`
    Release(String),
    /// `SET TRANSACTION ...`
    SetTransaction(TransactionModes),
    /// `SET SESSION CHARACTERISTICS AS TRANSACTION`
    SetCharacteristics(TransactionModes),
    /// `SET CONSTRAINTS ...`
    SetConstraints {
        /// Names of constraints; `None` for `ALL`.
        names: Option<Vec<String>>,
        /// `DEFERRED`, else `IMMEDIATE`.
        deferred: bool,
    },
    /// `SET [SESSION | LOCAL] name = value`
    Set {
        /// Its name, in lower case.
        name: String,
        /// The value as text; `None` for `DEFAULT`.
        value: Option<String>,
        /// Until the end of the transaction only.
        local: bool,
    },
    /// `RESET name`; `None` for `ALL`.
    Reset(Option<String>),
    /// `SHOW name`; `None` for `ALL`.
    Show(Option<String>),
    /// `VACUUM [FULL] [table, ...]`
    Vacuum {
        /// `FULL`: rewrite everything.
        full: bool,
        /// Tables; none means all.
        tables: Vec<RelationName>,
        /// Options of which nothing comes.
        unused: Vec<String>,
    },
    /// `CHECKPOINT`, or RisingWave's `FLUSH`
    Checkpoint,
    /// `FETCH`, `MOVE`
    Fetch {
        /// The cursor.
        name: String,
        /// Which rows.
        direction: Direction,
        /// The rows are not given.
        is_move: bool,
    },
    /// `CLOSE cursor`; `None` for `ALL`.
    Close(Option<String>),
    /// `DEALLOCATE name`; `None` for `ALL`.
    Deallocate(Option<String>),
    /// `DISCARD`
    Discard(DiscardWhat),
}

/// Which rows FETCH gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The next ones, the greatest number meaning all of them; 0 the row where it stands.
    Forward(i64),
    /// Those before, the last of them first.
    Backward(i64),
    /// The row with a number, from the end where it is negative.
    Absolute(i64),
    /// The row so many further on.
    Relative(i64),
}

/// What DISCARD takes from a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiscardWhat {
    /// Everything.
    All,
    /// Plans, which are shared and stay.
    Plans,
    /// What `currval` says.
    Sequences,
    /// Temporary tables.
    Temporary,
}

/// What a transaction is asked to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransactionModes {
    /// ISOLATION LEVEL, where the statement says.
    pub isolation: Option<Isolation>,
    /// `READ ONLY` or `READ WRITE`, where the statement says.
    pub read_only: Option<bool>,
    /// `DEFERRABLE` or `NOT DEFERRABLE`, where the statement says.
    pub deferrable: Option<bool>,
}

/// How far transactions are kept apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Isolation {
    /// READ UNCOMMITTED
    ReadUncommitted,
    /// READ COMMITTED
    ReadCommitted,
    /// REPEATABLE READ
    #[default]
    RepeatableRead,
    /// SERIALIZABLE
    Serializable,
}

impl Isolation {
    /// All levels, the weakest first.
    pub const ALL: [Isolation; 4] = [
        Isolation::ReadUncommitted,
        Isolation::ReadCommitted,
        Isolation::RepeatableRead,
        Isolation::Serializable,
    ];

    /// As SHOW gives it.
    pub fn name(self) -> &'static str {
        match self {
            Isolation::ReadUncommitted => "read uncommitted",
            Isolation::ReadCommitted => "read committed",
            Isolation::RepeatableRead => "repeatable read",
            Isolation::Serializable => "serializable",
        }
    }
}

/// What the words after the first one turned out to be.
pub(crate) enum Words {
    /// A command that is supported.
    Command(Command),
    /// Something that is not, with its name.
    Unsupported(&'static str),
}

type Parsed = Result<Words>;

/// Parses the rest of a command whose first word, in upper case, was read; `None` for the word of
/// another statement.
pub(crate) fn parse_command(first: &str, parser: &mut Parser<'_>) -> Result<Option<Words>> {
    let command = match first {
        "BEGIN" => {
            let _ = eat(parser, "TRANSACTION") || eat(parser, "WORK");
            begin(parser)?
        }
        "START" => {
            expect(parser, "TRANSACTION")?;
            begin(parser)?
        }
        "COMMIT" | "END" => {
            let _ = eat(parser, "TRANSACTION") || eat(parser, "WORK");
            if first == "COMMIT" && eat(parser, "PREPARED") {
                return Ok(Some(skip(parser, "COMMIT PREPARED")));
            }
            Words::Command(Command::Commit {
                chain: and_chain(parser)?,
            })
        }
        "ROLLBACK" | "ABORT" => rollback(parser)?,
        "SAVEPOINT" => Words::Command(Command::Savepoint(name(parser)?)),
        "RELEASE" => {
            let _ = eat(parser, "SAVEPOINT");
            Words::Command(Command::Release(name(parser)?))
        }
        "SET" => set(parser)?,
        "RESET" => Words::Command(Command::Reset(setting_or_all(parser)?)),
        "SHOW" => Words::Command(Command::Show(setting_or_all(parser)?)),
        "VACUUM" => vacuum(parser)?,
        "CHECKPOINT" | "FLUSH" => Words::Command(Command::Checkpoint),
        first => return parse_session_command(first, parser),
    };
    Ok(Some(command))
}

/// Takes a word if it comes next.
pub(crate) fn eat(parser: &mut Parser<'_>, word: &str) -> bool {
    parser.parse_word(word)
}

fn expect(parser: &mut Parser<'_>, word: &str) -> Result<()> {
    parser.expect_word(word)
}

pub(crate) fn skip(parser: &mut Parser<'_>, what: &'static str) -> Words {
    parser.skip_rest();
    Words::Unsupported(what)
}

/// An identifier, folded.
pub(crate) fn name(parser: &mut Parser<'_>) -> Result<String> {
    let ident = parser.parse_identifier()?;
    Ok(crate::bind::fold_name(&ident))
}

fn begin(parser: &mut Parser<'_>) -> Parsed {
    Ok(Words::Command(Command::Begin(modes(parser, true)?)))
}

fn modes(parser: &mut Parser<'_>, may_be_empty: bool) -> Result<TransactionModes> {
    let mut modes = TransactionModes::default();
    let mut first = true;
    loop {
        if eat(parser, "ISOLATION") {
            expect(parser, "LEVEL")?;
            modes.isolation = Some(isolation(parser)?);
        } else if eat(parser, "READ") {
            let read_only = eat(parser, "ONLY");
            if !read_only {
                expect(parser, "WRITE")?;
            }
            modes.read_only = Some(read_only);
        } else if eat(parser, "NOT") {
            expect(parser, "DEFERRABLE")?;
            modes.deferrable = Some(false);
        } else if eat(parser, "DEFERRABLE") {
            modes.deferrable = Some(true);
        } else if first && may_be_empty {
            return Ok(modes);
        } else {
            let found = parser.peek_token();
            return parser.expected("a transaction mode", found);
        }
        first = false;
        let comma = parser.consume_token(&Token::Comma);
        let ended = matches!(parser.peek_token().token, Token::EOF);
        if ended && !comma {
            return Ok(modes);
        }
    }
}

fn isolation(parser: &mut Parser<'_>) -> Result<Isolation> {
    if eat(parser, "SERIALIZABLE") {
        return Ok(Isolation::Serializable);
    }
    if eat(parser, "REPEATABLE") {
        expect(parser, "READ")?;
        return Ok(Isolation::RepeatableRead);
    }
    expect(parser, "READ")?;
    if eat(parser, "UNCOMMITTED") {
        return Ok(Isolation::ReadUncommitted);
    }
    expect(parser, "COMMITTED")?;
    Ok(Isolation::ReadCommitted)
}

fn and_chain(parser: &mut Parser<'_>) -> Result<bool> {
    if !eat(parser, "AND") {
        return Ok(false);
    }
    let chain = !eat(parser, "NO");
    expect(parser, "CHAIN")?;
    Ok(chain)
}

fn rollback(parser: &mut Parser<'_>) -> Parsed {
    if eat(parser, "PREPARED") {
        return Ok(skip(parser, "ROLLBACK PREPARED"));
    }
    let _ = eat(parser, "TRANSACTION") || eat(parser, "WORK");
    Ok(Words::Command(if eat(parser, "TO") {
        let _ = eat(parser, "SAVEPOINT");
        Command::RollbackTo(name(parser)?)
    } else {
        Command::Rollback {
            chain: and_chain(parser)?,
        }
    }))
}

fn set(parser: &mut Parser<'_>) -> Parsed {
    let local = eat(parser, "LOCAL");
    let session = !local && eat(parser, "SESSION");
    if session && eat(parser, "CHARACTERISTICS") {
        expect(parser, "AS")?;
        expect(parser, "TRANSACTION")?;
        let modes = modes(parser, false)?;
        return Ok(Words::Command(Command::SetCharacteristics(modes)));
    }
    let role = if session && eat(parser, "AUTHORIZATION") {
        Some("session_authorization")
    } else {
        eat(parser, "ROLE").then_some("role")
    };
    if let Some(name) = role {
        let value = match eat(parser, "DEFAULT") {
            true => None,
            false => Some(values(parser, false)?),
        };
        let name = name.to_owned();
        return Ok(Words::Command(Command::Set { name, value, local }));
    }
    if !local && !session {
        if eat(parser, "TRANSACTION") {
            if eat(parser, "SNAPSHOT") {
                return Ok(skip(parser, "SET TRANSACTION SNAPSHOT"));
            }
            let modes = modes(parser, false)?;
            return Ok(Words::Command(Command::SetTransaction(modes)));
        }
        if eat(parser, "CONSTRAINTS") {
            return set_constraints(parser);
        }
    }
    let (name, needs_sign) = if eat(parser, "TIME") {
        expect(parser, "ZONE")?;
        ("timezone".to_owned(), false)
    } else {
        (setting(parser)?, true)
    };
    if needs_sign && !parser.consume_token(&Token::Eq) {
        expect(parser, "TO")?;
    }
    let value = if eat(parser, "DEFAULT") || (!needs_sign && eat(parser, "LOCAL")) {
        None
    } else if !needs_sign && eat(parser, "INTERVAL") {
        let text = parser.parse_literal_string()?;
        for word in ["HOUR", "TO", "MINUTE"] {
            let _ = eat(parser, word);
        }
        Some(format!("INTERVAL '{text}'"))
    } else {
        Some(values(parser, name == "search_path")?)
    };
    Ok(Words::Command(Command::Set { name, value, local }))
}

fn set_constraints(parser: &mut Parser<'_>) -> Parsed {
    let names = if eat(parser, "ALL") {
        None
    } else {
        Some(names(parser)?)
    };
    let deferred = eat(parser, "DEFERRED");
    if !deferred {
        expect(parser, "IMMEDIATE")?;
    }
    Ok(Words::Command(Command::SetConstraints { names, deferred }))
}

/// Names with commas between them; the schema `public` is taken off.
fn names(parser: &mut Parser<'_>) -> Result<Vec<String>> {
    let mut names = Vec::new();
    loop {
        let mut last = name(parser)?;
        if last == "public" && parser.consume_token(&Token::Period) {
            last = name(parser)?;
        }
        names.push(last);
        if !parser.consume_token(&Token::Comma) {
            return Ok(names);
        }
    }
}

/// The name of a relation.
pub(crate) fn relation(parser: &mut Parser<'_>) -> Result<RelationName> {
    let mut relation = RelationName {
        schema: None,
        name: name(parser)?,
    };
    if parser.consume_token(&Token::Period) {
        relation.schema = Some(core::mem::replace(&mut relation.name, name(parser)?));
    }
    Ok(relation)
}

/// The name of a setting, which may have a prefix.
fn setting(parser: &mut Parser<'_>) -> Result<String> {
    let mut name = name(parser)?;
    while parser.consume_token(&Token::Period) {
        name.push('.');
        name.push_str(&self::name(parser)?);
    }
    Ok(name.to_ascii_lowercase())
}

fn setting_or_all(parser: &mut Parser<'_>) -> Result<Option<String>> {
    if eat(parser, "ALL") {
        return Ok(None);
    }
    if eat(parser, "TIME") {
        expect(parser, "ZONE")?;
        return Ok(Some("timezone".to_owned()));
    }
    if eat(parser, "SESSION") {
        expect(parser, "AUTHORIZATION")?;
        return Ok(Some("session_authorization".to_owned()));
    }
    if eat(parser, "TRANSACTION") {
        expect(parser, "ISOLATION")?;
        expect(parser, "LEVEL")?;
        return Ok(Some("transaction_isolation".to_owned()));
    }
    setting(parser).map(Some)
}

/// The values of a setting as one text, commas between them; names in quotes where they need them.
fn values(parser: &mut Parser<'_>, are_names: bool) -> Result<String> {
    let quoted = |value: &str| match are_names {
        true => SqlText::name(value).into_string(),
        false => value.to_owned(),
    };
    let mut text = String::new();
    loop {
        let minus = parser.consume_token(&Token::Minus);
        let token = parser.next_token();
        match token.token {
            Token::Number => {
                if minus {
                    text.push('-');
                }
                text.push_str(parser.text_of(token));
            }
            Token::SingleQuotedString | Token::EscapedStringLiteral if !minus => {
                text.push_str(&quoted(&parser.string_of(token)?));
            }
            Token::Word if !minus => {
                text.push_str(&parser.text_of(token).to_ascii_lowercase());
            }
            Token::QuotedWord if !minus => {
                parser.prev_token();
                text.push_str(&quoted(&parser.parse_identifier()?.value));
            }
            _ => return Err(parser.error_at(token)),
        }
        if !parser.consume_token(&Token::Comma) {
            return Ok(text);
        }
        text.push_str(", ");
    }
}

/// Options of VACUUM that say what is done here anyway; nothing comes of the others.
const USED: [&str; 3] = ["full", "analyze", "skip_locked"];

fn vacuum(parser: &mut Parser<'_>) -> Parsed {
    let known = [
        "full",
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
    let has_options = parser.peek_token().token == Token::LParen;
    let options = upkeep_options(parser, "VACUUM", &known)?;
    let mut full = is_given(&options, "full");
    let names = options
        .iter()
        .map(|option| crate::bind::fold_name(&option.name));
    let mut unused: Vec<String> = names
        .filter(|name| !USED.contains(&name.as_str()))
        .collect();
    if !has_options {
        full = eat(parser, "FULL");
        for word in ["freeze", "verbose"] {
            if eat(parser, word) {
                unused.push(word.to_owned());
            }
        }
        let _ = eat(parser, "ANALYZE");
    }
    let tables = match parser.peek_token().token {
        Token::EOF => Vec::new(),
        _ => parser.parse_comma_separated(relation)?,
    };
    Ok(Words::Command(Command::Vacuum {
        full,
        tables,
        unused,
    }))
}
