//! SQL text to syntax trees, one a statement.

use core::fmt;

use varve_parser::{Keyword, Lexeme, Parser, Token, tokenize};
use varve_types::{Error, Result, SqlState};

use crate::command::Command;
use crate::dispatch::{Body, Parsed, parse_statement};
use crate::parse_utility::UtilityStatement;
use crate::position::SourceMap;

/// Longer texts are refused: their tree would not fit a browser's memory.
const TEXT_BYTES_MAX: usize = 4 << 20;
/// Most operators in a row without a comma or parenthesis: each is one level of the tree.
const CHAIN_OPERATORS_MAX: usize = 2_000;
/// About what a token takes as part of a syntax tree.
const TOKEN_BYTES: usize = 256;

/// One statement of a text: its syntax tree and where its tokens stand.
pub struct ParsedStatement {
    tree: Box<dyn Tree>,
    pub(crate) source: SourceMap,
    /// Depth of its parentheses.
    pub(crate) nesting: usize,
    /// The first words, for errors about statements that are not supported.
    pub(crate) command: String,
}

/// Holds a tree for those who need not know how it is dropped: that is much code, which every crate
/// that holds the tree itself would have once more.
trait Tree: Send + Sync {
    fn parsed(&self) -> &Parsed;
}

impl Tree for Parsed {
    fn parsed(&self) -> &Parsed {
        self
    }
}

impl ParsedStatement {
    /// The syntax tree.
    pub(crate) fn parsed(&self) -> &Parsed {
        self.tree.parsed()
    }

    /// The statement, if it is one without a plan.
    pub fn command(&self) -> Option<&Command> {
        match (&self.parsed().explain, &self.parsed().body) {
            (None, Body::Command(command)) => Some(command),
            _ => None,
        }
    }

    /// Whether it is CREATE FUNCTION.
    pub fn makes_function(&self) -> bool {
        let Body::Utility(utility) = &self.parsed().body else {
            return false;
        };
        matches!(utility.as_ref(), UtilityStatement::CreateFunction(_))
    }

    /// Whether it reads or changes rows, so that what is wrong with it has a place in it.
    pub fn is_of_rows(&self) -> bool {
        !matches!(
            self.parsed().body,
            Body::Utility(_) | Body::Alter(_) | Body::Upkeep(_)
        )
    }

    /// About what its syntax tree takes in memory.
    pub fn memory_bytes(&self) -> usize {
        self.source.tokens() * TOKEN_BYTES
    }
}

impl fmt::Debug for ParsedStatement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ParsedStatement({})", self.command)
    }
}

/// Parses the statements of a text, which are separated by semicolons.
///
/// Positions of errors, here and when a statement is bound, count characters of the whole text
/// from 1.
pub fn parse(text: &str) -> Result<Vec<ParsedStatement>> {
    if text.len() > TEXT_BYTES_MAX {
        return Err(Error::new(
            SqlState::PROGRAM_LIMIT_EXCEEDED,
            format!("statement text is longer than {TEXT_BYTES_MAX} bytes"),
        )
        .with_hint("Send it in parts, or load rows with COPY."));
    }
    let lexemes = tokenize(text);
    let mut rest = lexemes.as_slice();
    let mut statements = Vec::new();
    while let Some((statement, end, behind)) = split_statement(rest) {
        if !statement.is_empty() || matches!(end.token, Token::Invalid(_)) {
            statements.push(parse_one(text, statement, end)?);
        }
        rest = behind;
    }
    Ok(statements)
}

/// The tokens of the next statement, the one that ends it, and those behind; `None` where none is
/// left. The semicolons in the body of a function do not end its statement.
fn split_statement(lexemes: &[Lexeme]) -> Option<(&[Lexeme], Lexeme, &[Lexeme])> {
    let creates = lexemes.first()?.keyword == Keyword::CREATE;
    let mut depth = 0_u32;
    for (at, lexeme) in lexemes.iter().enumerate() {
        let next = || lexemes.get(at + 1).map(|next| next.keyword);
        match lexeme.keyword {
            Keyword::BEGIN if creates && depth == 0 && next() == Some(Keyword::ATOMIC) => depth = 1,
            Keyword::CASE if depth > 0 => depth += 1,
            Keyword::END if depth > 0 => depth -= 1,
            _ => {}
        }
        let ends = match lexeme.token {
            Token::SemiColon => depth == 0,
            Token::EOF | Token::Invalid(_) => true,
            _ => false,
        };
        if ends {
            let behind = lexemes.get(at + 1..).unwrap_or_default();
            return Some((lexemes.get(..at)?, *lexeme, behind));
        }
    }
    None
}

fn parse_one(text: &str, lexemes: &[Lexeme], end: Lexeme) -> Result<ParsedStatement> {
    let nesting = check_chains(lexemes)?;
    let mut parser = Parser::new(text, lexemes, end);
    let command = command_words(&parser, lexemes);
    let parsed = parse_statement(&mut parser)?;
    parser.expect_end()?;
    let positions = lexemes
        .iter()
        .filter(|lexeme| !matches!(lexeme.token, Token::LParen | Token::RParen))
        .map(|lexeme| lexeme.position)
        .collect();
    let mut source = SourceMap::new(positions, parser.take_target_subscripts());
    source.index_options = parser.take_index_options();
    let is_tableoid = |lexeme: &Lexeme| {
        lexeme.token == Token::Word && parser.text_of(*lexeme).eq_ignore_ascii_case("tableoid")
    };
    source.names_tableoid = lexemes.iter().any(is_tableoid);
    Ok(ParsedStatement {
        tree: Box::new(parsed),
        source,
        nesting,
        command,
    })
}

/// The words that name the kind of statement: `CREATE INDEX`, `LISTEN`.
fn command_words(parser: &Parser<'_>, lexemes: &[Lexeme]) -> String {
    let mut words = lexemes.iter().map_while(|lexeme| match lexeme.token {
        Token::Word => Some(parser.text_of(*lexeme).to_ascii_uppercase()),
        _ => None,
    });
    let mut command = words.next().unwrap_or_default();
    if matches!(command.as_str(), "CREATE" | "DROP" | "ALTER")
        && let Some(object) = words.next()
    {
        command.push(' ');
        command.push_str(&object);
    }
    command
}

/// Refuses chains of operators whose tree would be too deep to walk; answers how deep parentheses
/// nest.
fn check_chains(lexemes: &[Lexeme]) -> Result<usize> {
    let mut nesting = 0;
    let mut operators = vec![0_usize];
    for lexeme in lexemes {
        match lexeme.token {
            Token::LParen => {
                operators.push(0);
                nesting = nesting.max(operators.len());
            }
            Token::RParen if operators.len() > 1 => {
                operators.pop();
            }
            Token::Comma => restart(&mut operators),
            Token::Word => match lexeme.keyword {
                Keyword::WHEN
                | Keyword::THEN
                | Keyword::ELSE
                | Keyword::SELECT
                | Keyword::FROM
                | Keyword::WHERE
                | Keyword::VALUES => restart(&mut operators),
                Keyword::NoKeyword => {}
                _ => count(&mut operators),
            },
            Token::Number
            | Token::QuotedWord
            | Token::SingleQuotedString
            | Token::EscapedStringLiteral
            | Token::Placeholder
            | Token::RParen
            | Token::Period => {}
            _ => count(&mut operators),
        }
        if operators
            .last()
            .is_some_and(|count| *count > CHAIN_OPERATORS_MAX)
        {
            return Err(too_deep().at(lexeme.position));
        }
    }
    Ok(nesting)
}

fn restart(operators: &mut [usize]) {
    if let Some(count) = operators.last_mut() {
        *count = 0;
    }
}

fn count(operators: &mut [usize]) {
    if let Some(count) = operators.last_mut() {
        *count += 1;
    }
}

/// `54001`.
pub(crate) fn too_deep() -> Error {
    Error::new(
        SqlState::STATEMENT_TOO_COMPLEX,
        "the statement is nested too deeply",
    )
    .with_hint("Write long chains of conditions with IN, or split the statement.")
}
