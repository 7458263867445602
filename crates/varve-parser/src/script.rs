//! The statements of a text, one by one.

use core::fmt;

use varve_ast::{Command, Ddl, Dml, Session, Statement, StatementBody};
use varve_lexer::{Keyword, Lexeme, Lexer, Token, too_deep};
use varve_types::{Error, Result, SqlState};

use crate::parser::Parser;
use crate::source::Source;

/// Longer statements are refused: their tree would not fit a browser's memory.
pub const STATEMENT_BYTES_MAX: usize = 4 << 20;
/// Most operators in a row without a comma or parenthesis: each is one level of the tree.
const CHAIN_OPERATORS_MAX: usize = 2_000;
/// About what a token takes as part of a syntax tree.
const TOKEN_BYTES: usize = 256;

/// One statement of a text: its syntax tree and where its tokens stand.
pub struct ParsedStatement {
    /// The syntax tree.
    pub statement: Statement,
    /// Where its parts stand in the text.
    pub source: Source,
    /// Depth of its parentheses.
    pub nesting: usize,
    /// Whether it names the system column `tableoid`.
    pub names_tableoid: bool,
    /// The first words, for errors about statements that are not supported.
    pub command: String,
}

impl ParsedStatement {
    /// The statement, if it is one without a plan.
    pub fn command(&self) -> Option<&Command> {
        match (&self.statement.explain, &self.statement.body) {
            (None, StatementBody::Session(Session::Command(command))) => Some(command),
            _ => None,
        }
    }

    /// Whether it is CREATE FUNCTION.
    pub fn makes_function(&self) -> bool {
        matches!(
            self.statement.body,
            StatementBody::Ddl(Ddl::CreateFunction(_))
        )
    }

    /// Whether it is `SELECT zstd_train_dict_and_save(...)`, and is run.
    pub fn saves_dictionary(&self) -> bool {
        match (&self.statement.body, &self.statement.explain) {
            (
                StatementBody::Dml {
                    dml: Dml::Insert(insert),
                    ..
                },
                None,
            ) => insert.saves_dictionary,
            _ => false,
        }
    }

    /// Whether it reads or changes rows, so that what is wrong with it has a place in it.
    pub fn is_of_rows(&self) -> bool {
        use varve_ast::Utility;
        match &self.statement.body {
            StatementBody::Ddl(ddl) => matches!(
                ddl,
                Ddl::CreateTable(_)
                    | Ddl::CreateIndex(_)
                    | Ddl::DropIndex { .. }
                    | Ddl::Sequence(_)
            ),
            StatementBody::Utility(utility) => !matches!(
                utility,
                Utility::Do(_) | Utility::Call(_) | Utility::NoOp(_)
            ),
            _ => true,
        }
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

/// The statements of a text of any length, which are separated by semicolons, parsed one by one.
/// Nothing comes behind an error.
///
/// Positions of errors, here and when a statement is bound, count characters of the whole text
/// from 1.
#[derive(Clone)]
pub struct Script<'a> {
    text: &'a str,
    lexer: Option<Lexer<'a>>,
}

impl<'a> Script<'a> {
    /// Stands before the first statement.
    pub fn new(text: &'a str) -> Result<Script<'a>> {
        if u32::try_from(text.len()).is_err() {
            return Err(too_long("a script", u32::MAX as usize));
        }
        let lexer = Some(Lexer::new(text));
        Ok(Script { text, lexer })
    }

    fn parse_next(&mut self) -> Result<Option<ParsedStatement>> {
        while let Some(lexemes) = self
            .lexer
            .as_mut()
            .and_then(|lexer| lexer.statement(STATEMENT_BYTES_MAX))
        {
            let Some((end, statement)) = lexemes.split_last() else {
                break;
            };
            let first = lexemes.first().unwrap_or(end);
            if end.bytes().end - first.bytes().start > STATEMENT_BYTES_MAX {
                return Err(too_long("a statement", STATEMENT_BYTES_MAX).at(first.position));
            }
            if !statement.is_empty() || matches!(end.token, Token::Invalid(_)) {
                return parse_one(self.text, statement, *end).map(Some);
            }
        }
        Ok(None)
    }
}

impl Iterator for Script<'_> {
    type Item = Result<ParsedStatement>;

    fn next(&mut self) -> Option<Result<ParsedStatement>> {
        let parsed = self.parse_next();
        if parsed.is_err() {
            self.lexer = None;
        }
        parsed.transpose()
    }
}

/// `54000`
fn too_long(what: &str, bytes_max: usize) -> Error {
    let message = format!("{what} is longer than {bytes_max} bytes");
    Error::new(SqlState::PROGRAM_LIMIT_EXCEEDED, message)
        .with_hint("Send it in parts, or load rows with COPY.")
}

/// Parses the statements of a text as [`Script`] does, of one that is no longer than a statement
/// may be: all trees are there at once.
pub fn parse(text: &str) -> Result<Vec<ParsedStatement>> {
    if text.len() > STATEMENT_BYTES_MAX {
        return Err(too_long("a statement", STATEMENT_BYTES_MAX));
    }
    Script::new(text)?.collect()
}

fn parse_one(text: &str, lexemes: &[Lexeme], end: Lexeme) -> Result<ParsedStatement> {
    let nesting = check_chains(lexemes)?;
    let mut parser = Parser::new(text, lexemes, end);
    let command = command_words(&parser, lexemes);
    let statement = parser.parse_statement()?;
    parser.expect_end()?;
    let is_tableoid = |lexeme: &Lexeme| {
        lexeme.token == Token::Word && parser.text_of(*lexeme).eq_ignore_ascii_case("tableoid")
    };
    Ok(ParsedStatement {
        statement,
        source: Source::new(lexemes),
        nesting,
        names_tableoid: lexemes.iter().any(is_tableoid),
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
