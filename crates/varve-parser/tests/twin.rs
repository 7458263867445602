//! The parser against its slow twin, over statements of files.

use sqlparser::ast::{ObjectType, Statement};
use sqlparser::dialect::PostgreSqlDialect;
use varve_parser::{Keyword, Lexeme, Parser, Token, tokenize};
use varve_types::{Error, Result};

fn ours(text: &str) -> Result<Statement> {
    let mut lexemes = tokenize(text);
    let end = lexemes.pop().unwrap();
    while lexemes
        .last()
        .is_some_and(|last| last.token == Token::SemiColon)
    {
        lexemes.pop();
    }
    let mut parser = Parser::new(text, &lexemes, end);
    let statement = statement(&mut parser)?;
    let next = parser.peek_token();
    match next.token {
        Token::EOF => Ok(statement),
        _ => Err(parser.error_at(next)),
    }
}

fn statement(parser: &mut Parser<'_>) -> Result<Statement> {
    let first: Lexeme = parser.next_token();
    Ok(match first.keyword {
        Keyword::INSERT => Statement::Insert(parser.parse_whole_insert(first)?),
        Keyword::UPDATE => parser.parse_update(first)?,
        Keyword::DELETE => parser.parse_delete(first)?,
        Keyword::MERGE => parser.parse_merge(first)?,
        Keyword::COPY => parser.parse_copy()?,
        Keyword::CREATE => {
            let or_replace = parser.parse_keywords(&[Keyword::OR, Keyword::REPLACE]);
            let local = parser.parse_keyword(Keyword::LOCAL);
            let global = local || parser.parse_keyword(Keyword::GLOBAL);
            let temporary = parser
                .parse_one_of_keywords(&[Keyword::TEMP, Keyword::TEMPORARY])
                .is_some();
            let unlogged = parser.parse_keyword(Keyword::UNLOGGED);
            let unique = parser.parse_keyword(Keyword::UNIQUE);
            let materialized = parser.parse_keyword(Keyword::MATERIALIZED);
            if parser.parse_keyword(Keyword::TABLE) {
                let mut create = parser.parse_create_table()?;
                create.temporary = temporary;
                create.unlogged = unlogged;
                create.global = global.then_some(!local);
                Statement::CreateTable(*create)
            } else if parser.parse_keyword(Keyword::INDEX) {
                Statement::CreateIndex(parser.parse_create_index(unique)?)
            } else if parser.parse_keyword(Keyword::VIEW) {
                let mut create = parser.parse_create_view(materialized)?;
                create.or_replace = or_replace;
                create.temporary = temporary;
                Statement::CreateView(*create)
            } else {
                return Err(Error::unsupported("CREATE"));
            }
        }
        Keyword::ALTER if parser.parse_keyword(Keyword::TABLE) => {
            Statement::AlterTable(parser.parse_alter_table()?)
        }
        Keyword::DROP
            if matches!(
                parser.peek_token().keyword,
                Keyword::TABLE | Keyword::INDEX | Keyword::VIEW
            ) =>
        {
            let object_type = match parser.next_token().keyword {
                Keyword::TABLE => ObjectType::Table,
                Keyword::VIEW => ObjectType::View,
                _ => ObjectType::Index,
            };
            let if_exists = parser.parse_keywords(&[Keyword::IF, Keyword::EXISTS]);
            let names = parser.parse_object_names()?;
            let cascade = parser.parse_keyword(Keyword::CASCADE);
            Statement::Drop {
                object_type,
                if_exists,
                names,
                cascade,
                restrict: !cascade && parser.parse_keyword(Keyword::RESTRICT),
                purge: false,
                temporary: false,
                table: None,
            }
        }
        Keyword::SELECT | Keyword::VALUES | Keyword::WITH | Keyword::TABLE => {
            parser.prev_token();
            Statement::Query(parser.parse_query()?)
        }
        _ if first.token == Token::LParen => {
            parser.prev_token();
            Statement::Query(parser.parse_query()?)
        }
        _ => return Err(Error::unsupported("")),
    })
}

fn twin(text: &str) -> core::result::Result<Statement, String> {
    let dialect = PostgreSqlDialect {};
    let parsed = sqlparser::parser::Parser::new(&dialect)
        .with_recursion_limit(200)
        .try_with_sql(text)
        .map_err(|error| error.to_string())?
        .parse_statements()
        .map_err(|error| error.to_string())?;
    match <[Statement; 1]>::try_from(parsed) {
        Ok([statement]) => Ok(statement),
        Err(_) => Err("not one statement".to_owned()),
    }
}

/// The statements of a script of psql or a file of sqllogictest.
fn statements(path: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    if path.ends_with(".sql") {
        let mut current = String::new();
        let mut data = false;
        for line in text.lines() {
            if data {
                data = line != "\\.";
                continue;
            }
            if current.is_empty() && line.starts_with('\\') {
                continue;
            }
            current.push_str(line);
            current.push('\n');
            let code = line.split("--").next().unwrap_or("").trim_end();
            if code.ends_with(';') {
                data = current.to_lowercase().contains("from stdin");
                found.push(core::mem::take(&mut current));
            }
        }
        found.push(current);
        return found;
    }
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("statement") || line.starts_with("query") {
            let body: Vec<&str> = lines
                .by_ref()
                .take_while(|line| !line.trim().is_empty() && *line != "----")
                .collect();
            found.push(body.join("\n"));
        }
    }
    found
}

fn files(path: &std::path::Path, out: &mut Vec<std::path::PathBuf>) {
    if path.is_dir() {
        let mut entries: Vec<_> = std::fs::read_dir(path)
            .unwrap()
            .map(|e| e.unwrap().path())
            .collect();
        entries.sort();
        for entry in entries {
            files(&entry, out);
        }
    } else {
        out.push(path.to_owned());
    }
}

#[test]
fn report() {
    let Ok(root) = std::env::var("VARVE_TWIN") else {
        return;
    };
    let mut paths = Vec::new();
    files(std::path::Path::new(&root), &mut paths);
    let (mut same, mut neither) = (0, 0);
    let mut dump = String::new();
    let mut lines = [const { Vec::new() }; 3];
    for path in paths {
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        let name = path.display().to_string();
        if !(name.ends_with(".sql")
            || name.ends_with(".slt")
            || name.ends_with(".test")
            || name.contains("logic_test")
            || name.ends_with(".part"))
        {
            continue;
        }
        for sql in statements(&name, &text) {
            if sql.trim().is_empty() || sql.len() > 100_000 {
                continue;
            }
            dump.push_str(&sql);
            dump.push('\u{1f}');
            match ours(&sql) {
                Ok(_) => dump.push_str("ok"),
                Err(error) => {
                    dump.push_str(&format!("{}|{}", error.state().code(), error.message()))
                }
            }
            dump.push('\u{1e}');
            match (ours(&sql), twin(&sql)) {
                (Ok(ours), Ok(twin)) if ours == twin => same += 1,
                (Ok(ours), Ok(twin)) => {
                    let (ours, twin) = (format!("{ours:?}"), format!("{twin:?}"));
                    lines[0].push(format!("{name}\n{sql}\n  ours {ours}\n  twin {twin}\n"));
                }
                (Ok(_), Err(error)) => lines[1].push(format!("{name}\n{sql}\n  twin: {error}\n")),
                (Err(error), Ok(_)) if error.message() == " is not supported" => neither += 1,
                (Err(error), Ok(_)) => lines[2].push(format!("{name}\n{sql}\n  ours: {error}\n")),
                (Err(_), Err(_)) => neither += 1,
            }
        }
    }
    println!(
        "same {same} neither {neither} differ {} ours {} twin {}",
        lines[0].len(),
        lines[1].len(),
        lines[2].len()
    );
    std::fs::write("/tmp/twin.dump", dump).unwrap();
    for (kind, lines) in ["differ", "ours", "twin"].iter().zip(lines) {
        std::fs::write(format!("/tmp/twin.{kind}"), lines.join("=====\n")).unwrap();
    }
}
