//! Statements about what a session keeps: prepared statements and cursors; and those that only
//! look whether tables are there.

use sqlparser::ast::{DataType, Expr as Ast, Query};
use varve_parser::{Keyword, Parser, Token};
use varve_types::{Error, Result};

use crate::bind::fold_name;
use crate::command::{Command, Direction, DiscardWhat, Words, eat, name, relation, skip};
use crate::parse_upkeep::upkeep_options;
use crate::parse_utility::{eat_all, query_text};
use crate::schema::RelationName;

/// A statement that makes or runs what a session keeps.
pub(crate) enum SessionStatement {
    Prepare {
        name: String,
        types: Vec<DataType>,
        /// The statement, and where it stands.
        text: String,
        position: u32,
    },
    Execute(Execute),
    Declare {
        name: String,
        scroll: Option<bool>,
        hold: bool,
        query: Box<Query>,
    },
    LockTable(Vec<RelationName>),
    Analyze(Vec<(RelationName, Vec<String>)>),
}

/// `EXECUTE name (arguments)`
pub(crate) struct Execute {
    pub(crate) name: String,
    pub(crate) arguments: Vec<Ast>,
    /// What stands around it where its rows make a table.
    pub(crate) around: Option<(String, String)>,
}

/// Parses the rest of a command about cursors and the like; `None` for the word of another
/// statement.
pub(crate) fn parse_session_command(first: &str, parser: &mut Parser<'_>) -> Result<Option<Words>> {
    Ok(Some(match first {
        "FETCH" => fetch(parser, false)?,
        "MOVE" => fetch(parser, true)?,
        "CLOSE" => Words::Command(Command::Close(name_or_all(parser)?)),
        "DEALLOCATE" => {
            let _ = eat(parser, "PREPARE");
            Words::Command(Command::Deallocate(name_or_all(parser)?))
        }
        "DISCARD" => {
            let word = name_or_all(parser)?;
            Words::Command(Command::Discard(match word.as_deref() {
                None => DiscardWhat::All,
                Some("plans") => DiscardWhat::Plans,
                Some("sequences") => DiscardWhat::Sequences,
                Some("temp" | "temporary") => DiscardWhat::Temporary,
                Some(_) => return Ok(Some(skip(parser, "this form of DISCARD"))),
            }))
        }
        _ => return Ok(None),
    }))
}

fn name_or_all(parser: &mut Parser<'_>) -> Result<Option<String>> {
    match eat(parser, "ALL") {
        true => Ok(None),
        false => name(parser).map(Some),
    }
}

/// `FETCH [direction] [FROM | IN] cursor`
fn fetch(parser: &mut Parser<'_>, is_move: bool) -> Result<Words> {
    // A direction's word may also be the name of the cursor.
    let is_last = matches!(parser.peek_nth_token(1).token, Token::EOF);
    let direction = match is_last {
        true => Direction::Forward(1),
        false => direction(parser)?,
    };
    let _ = eat(parser, "FROM") || eat(parser, "IN");
    Ok(Words::Command(Command::Fetch {
        name: name(parser)?,
        direction,
        is_move,
    }))
}

fn direction(parser: &mut Parser<'_>) -> Result<Direction> {
    const ALL: i64 = i64::MAX;
    let count = |parser: &mut Parser<'_>| -> Result<i64> {
        match eat(parser, "ALL") {
            true => Ok(ALL),
            false => Ok(number(parser)?.unwrap_or(1)),
        }
    };
    let needed = |parser: &mut Parser<'_>| -> Result<i64> {
        match number(parser)? {
            Some(number) => Ok(number),
            None => {
                let found = parser.peek_token();
                parser.expected("a number", found)
            }
        }
    };
    Ok(if eat(parser, "NEXT") {
        Direction::Forward(1)
    } else if eat(parser, "PRIOR") {
        Direction::Backward(1)
    } else if eat(parser, "FIRST") {
        Direction::Absolute(1)
    } else if eat(parser, "LAST") {
        Direction::Absolute(-1)
    } else if eat(parser, "ABSOLUTE") {
        Direction::Absolute(needed(parser)?)
    } else if eat(parser, "RELATIVE") {
        Direction::Relative(needed(parser)?)
    } else if eat(parser, "BACKWARD") {
        Direction::Backward(count(parser)?)
    } else {
        let _ = eat(parser, "FORWARD");
        Direction::Forward(count(parser)?)
    })
}

/// A whole number with its sign, if one comes next.
fn number(parser: &mut Parser<'_>) -> Result<Option<i64>> {
    let minus = parser.consume_token(&Token::Minus);
    let _plus = !minus && parser.consume_token(&Token::Plus);
    let next = parser.peek_token();
    if next.token != Token::Number {
        return match minus {
            true => parser.expected("a number", next),
            false => Ok(None),
        };
    }
    let digits = parser.text_of(next);
    let signed = match minus {
        true => format!("-{digits}"),
        false => digits.to_owned(),
    };
    match signed.parse() {
        Ok(number) => {
            parser.next_token();
            Ok(Some(number))
        }
        Err(_) => parser.expected("a whole number", next),
    }
}

/// Parses the rest of a statement whose first word was read; `None` where it is another one, with
/// nothing more read.
pub(crate) fn parse_session_statement(
    first: &str,
    parser: &mut Parser<'_>,
) -> Result<Option<SessionStatement>> {
    Ok(Some(match first {
        "PREPARE" if !parser.peek_keyword(Keyword::TRANSACTION) => prepare(parser)?,
        "EXECUTE" => SessionStatement::Execute(execute(parser)?),
        "CREATE" => return table_of_prepared(parser),
        "DECLARE" => declare(parser)?,
        "LOCK" => lock(parser)?,
        "ANALYZE" | "ANALYSE" => analyze(parser)?,
        _ => return Ok(None),
    }))
}

fn prepare(parser: &mut Parser<'_>) -> Result<SessionStatement> {
    let name = name(parser)?;
    let mut types = Vec::new();
    if parser.consume_token(&Token::LParen) {
        types = parser.parse_comma_separated(Parser::parse_data_type)?;
        parser.expect_token(&Token::RParen)?;
    }
    parser.expect_keyword(Keyword::AS)?;
    const FIRST_WORDS: &[Keyword] = &[
        Keyword::SELECT,
        Keyword::INSERT,
        Keyword::UPDATE,
        Keyword::DELETE,
        Keyword::MERGE,
        Keyword::VALUES,
        Keyword::WITH,
        Keyword::TABLE,
    ];
    let first = parser.peek_token();
    if first.token != Token::LParen && !FIRST_WORDS.contains(&first.keyword) {
        return parser.expected("a statement that can be prepared", first);
    }
    let text = parser.text_from(first).to_owned();
    parser.skip_rest();
    Ok(SessionStatement::Prepare {
        name,
        types,
        text,
        position: first.position,
    })
}

/// The rest of EXECUTE.
pub(crate) fn execute(parser: &mut Parser<'_>) -> Result<Execute> {
    let name = name(parser)?;
    let mut arguments = Vec::new();
    if parser.consume_token(&Token::LParen) {
        arguments = parser.parse_comma_separated(Parser::parse_expr)?;
        parser.expect_token(&Token::RParen)?;
    }
    Ok(Execute {
        name,
        arguments,
        around: None,
    })
}

/// `CREATE TABLE ... AS EXECUTE ...`
fn table_of_prepared(parser: &mut Parser<'_>) -> Result<Option<SessionStatement>> {
    let is = |at, wanted| parser.peek_nth_token(at).keyword == wanted;
    let mut tokens = (0..).take_while(|at| parser.peek_nth_token(*at).token != Token::EOF);
    let found = tokens.find(|at| is(*at, Keyword::AS) && is(at + 1, Keyword::EXECUTE));
    let Some(before) = found else {
        return Ok(None);
    };
    parser.prev_token();
    let start = parser.next_token();
    (0..=before).for_each(|_| {
        parser.next_token();
    });
    let head = parser.text_between(start, parser.peek_token()).to_owned();
    parser.expect_keyword(Keyword::EXECUTE)?;
    let mut statement = execute(parser)?;
    let tail = parser.text_from(parser.peek_token()).to_owned();
    parser.skip_rest();
    statement.around = Some((head, tail));
    Ok(Some(SessionStatement::Execute(statement)))
}

fn declare(parser: &mut Parser<'_>) -> Result<SessionStatement> {
    let name = name(parser)?;
    let mut scroll = None;
    loop {
        if eat(parser, "SCROLL") {
            scroll = Some(true);
        } else if eat_all(parser, &["NO", "SCROLL"]) {
            scroll = Some(false);
        } else if eat(parser, "BINARY") {
            return Err(Error::unsupported("a BINARY cursor"));
        } else if !(eat(parser, "INSENSITIVE") || eat(parser, "ASENSITIVE")) {
            break;
        }
    }
    if !eat(parser, "CURSOR") {
        let found = parser.peek_token();
        return parser.expected("CURSOR", found);
    }
    let hold = eat_all(parser, &["WITH", "HOLD"]);
    let _without = eat_all(parser, &["WITHOUT", "HOLD"]);
    parser.expect_keyword(Keyword::FOR)?;
    let (query, _) = query_text(parser)?;
    Ok(SessionStatement::Declare {
        name,
        scroll,
        hold,
        query,
    })
}

/// `LOCK [TABLE] [ONLY] name [*], ... [IN mode MODE] [NOWAIT]`
fn lock(parser: &mut Parser<'_>) -> Result<SessionStatement> {
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
    let _ = eat(parser, "TABLE");
    let names = parser.parse_comma_separated(|parser| {
        let _ = eat(parser, "ONLY");
        let name = relation(parser)?;
        let _ = parser.consume_token(&Token::Mul);
        Ok(name)
    })?;
    if eat(parser, "IN") {
        let known = MODES.iter().any(|mode| eat_all(parser, mode));
        if !known || !eat(parser, "MODE") {
            let found = parser.peek_token();
            return parser.expected("a lock mode", found);
        }
    }
    let _ = eat(parser, "NOWAIT");
    Ok(SessionStatement::LockTable(names))
}

/// `ANALYZE [(options)] [table [(columns)], ...]`
fn analyze(parser: &mut Parser<'_>) -> Result<SessionStatement> {
    let known = ["verbose", "skip_locked", "buffer_usage_limit"];
    upkeep_options(parser, "ANALYZE", &known)?;
    let _ = eat(parser, "VERBOSE");
    if parser.peek_token().token == Token::EOF {
        return Ok(SessionStatement::Analyze(Vec::new()));
    }
    let tables = parser.parse_comma_separated(|parser| {
        let table = relation(parser)?;
        let mut columns = Vec::new();
        if parser.consume_token(&Token::LParen) {
            columns = parser.parse_comma_separated(Parser::parse_identifier)?;
            parser.expect_token(&Token::RParen)?;
        }
        Ok((table, columns.iter().map(fold_name).collect()))
    })?;
    Ok(SessionStatement::Analyze(tables))
}
