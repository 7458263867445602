//! The statements around queries: CREATE VIEW, DROP, schemas and so on. The parser's own forms
//! of them know every dialect; these are small.

use sqlparser::ast::{DataType, Ident, ObjectName, Query, SqlOption};
use varve_parser::create_function::{CreateFunction, DoBlock, FunctionAction, FunctionName};
use varve_parser::create_trigger::{CreateTrigger, NamedTrigger};
use varve_parser::{Keyword, Parser, Token};
use varve_types::{Error, Result, SqlState};

use crate::command::eat;
use crate::parse_comment::{CommentOn, parse_comment};
use crate::parse_schema::{CreateSchema, create_schema};
use crate::parse_type::{
    AlterDomain, AlterEnum, CreateDomain, alter_domain, alter_type, create_domain, create_type,
};
use crate::plan::OnCommit;
use crate::view::ViewCheck;

/// One of these statements.
pub(crate) enum UtilityStatement {
    CreateView(CreateView),
    Refresh {
        name: ObjectName,
        concurrently: bool,
        with_data: bool,
    },
    CreateTableAs(CreateTableAs),
    Drop {
        kind: ObjectKind,
        names: Vec<ObjectName>,
        if_exists: bool,
        cascade: bool,
    },
    CreateDomain(Box<CreateDomain>),
    CreateEnum {
        name: ObjectName,
        labels: Vec<String>,
    },
    Comment {
        on: CommentOn,
        text: Option<String>,
    },
    AlterDomain {
        name: ObjectName,
        alter: AlterDomain,
    },
    CreateRowType {
        name: ObjectName,
        fields: Vec<(Ident, DataType)>,
    },
    AlterEnum {
        name: ObjectName,
        alter: AlterEnum,
    },
    CreateFunction(Box<CreateFunction>),
    Do(DoBlock),
    DropFunction {
        functions: Vec<FunctionName>,
        if_exists: bool,
        cascade: bool,
    },
    AlterFunction(Box<FunctionName>, FunctionAction),
    CreateTrigger(Box<CreateTrigger>),
    DropTrigger(NamedTrigger, bool),
    RenameTrigger(NamedTrigger, Ident),
    /// ENABLE, else DISABLE; `None` for all.
    EnableTriggers {
        table: ObjectName,
        name: Option<Ident>,
        is_enabled: bool,
    },
    CreateSchema(CreateSchema),
}

/// `CREATE [MATERIALIZED] VIEW`
pub(crate) struct CreateView {
    pub(crate) name: ObjectName,
    pub(crate) or_replace: bool,
    pub(crate) temporary: bool,
    pub(crate) recursive: bool,
    pub(crate) columns: Vec<Ident>,
    /// Names of `WITH (...)`, with their values.
    pub(crate) options: Vec<(Ident, Option<String>)>,
    /// Storage parameters of a materialized one.
    pub(crate) stored: Vec<SqlOption>,
    pub(crate) query: Box<Query>,
    pub(crate) text: String,
    pub(crate) check: ViewCheck,
    /// Where it is materialized.
    pub(crate) materialized: Option<Materialized>,
}

/// What is said of a materialized view.
#[derive(Clone, Copy)]
pub(crate) struct Materialized {
    pub(crate) if_not_exists: bool,
    pub(crate) with_data: bool,
}

/// `CREATE TABLE ... AS`
pub(crate) struct CreateTableAs {
    pub(crate) name: ObjectName,
    pub(crate) temporary: bool,
    pub(crate) unlogged: bool,
    pub(crate) if_not_exists: bool,
    pub(crate) columns: Vec<Ident>,
    pub(crate) on_commit: Option<OnCommit>,
    /// Storage parameters.
    pub(crate) stored: Vec<SqlOption>,
    pub(crate) query: Box<Query>,
    pub(crate) with_data: bool,
}

/// What kind of object a statement names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectKind {
    Table,
    View,
    MaterializedView,
    Schema,
    Type,
    Domain,
}

impl ObjectKind {
    /// Its words.
    pub(crate) const ALL: [(ObjectKind, &'static str); 6] = [
        (ObjectKind::Table, "TABLE"),
        (ObjectKind::View, "VIEW"),
        (ObjectKind::MaterializedView, "MATERIALIZED VIEW"),
        (ObjectKind::Schema, "SCHEMA"),
        (ObjectKind::Type, "TYPE"),
        (ObjectKind::Domain, "DOMAIN"),
    ];

    /// Its name in messages.
    pub(crate) fn shown(self) -> &'static str {
        match self {
            ObjectKind::Table => "table",
            ObjectKind::View => "view",
            ObjectKind::MaterializedView => "materialized view",
            ObjectKind::Schema => "schema",
            ObjectKind::Type => "type",
            ObjectKind::Domain => "domain",
        }
    }
}

/// A query, and its text.
pub(crate) fn query_text(parser: &mut Parser<'_>) -> Result<(Box<Query>, String)> {
    let start = parser.peek_token();
    let query = parser.parse_query()?;
    let text = parser.text_between(start, parser.peek_token()).trim_end();
    Ok((query, text.to_owned()))
}

/// Parses the rest of a statement whose first word was read; `None` where it is another one, with
/// nothing more read.
pub(crate) fn parse_utility(
    first: Keyword,
    parser: &mut Parser<'_>,
) -> Result<Option<UtilityStatement>> {
    match first {
        Keyword::CREATE => create(parser),
        Keyword::ALTER => {
            let start = parser.index();
            if eat(parser, "TYPE")
                && let Some(statement) = alter_type(parser)?
            {
                return Ok(Some(statement));
            }
            rewind(parser, start);
            if eat(parser, "DOMAIN")
                && let Some(statement) = alter_domain(parser)?
            {
                return Ok(Some(statement));
            }
            rewind(parser, start);
            if eat(parser, "TABLE")
                && let Some(statement) = parser.maybe_parse(enable_triggers)?
            {
                return Ok(Some(statement));
            }
            rewind(parser, start);
            if eat(parser, "TRIGGER") {
                let trigger = parser.parse_named_trigger(false)?;
                expect_all(parser, &["RENAME", "TO"])?;
                let name = parser.parse_identifier()?;
                return Ok(Some(UtilityStatement::RenameTrigger(trigger, name)));
            }
            if eat(parser, "FUNCTION") {
                let function = Box::new(parser.parse_named_function()?);
                let action = parser.parse_function_action()?;
                return Ok(Some(UtilityStatement::AlterFunction(function, action)));
            }
            Ok(None)
        }
        Keyword::COMMENT => parse_comment(parser).map(Some),
        Keyword::DO => Ok(Some(UtilityStatement::Do(parser.parse_do()?))),
        Keyword::DROP if eat(parser, "TRIGGER") => {
            let trigger = parser.parse_named_trigger(true)?;
            let cascade = eat(parser, "CASCADE");
            let _restrict = !cascade && eat(parser, "RESTRICT");
            Ok(Some(UtilityStatement::DropTrigger(trigger, cascade)))
        }
        Keyword::DROP if eat(parser, "FUNCTION") => drop_function(parser).map(Some),
        Keyword::DROP => drop_object(parser),
        Keyword::REFRESH => {
            expect_all(parser, &["MATERIALIZED", "VIEW"])?;
            let concurrently = parser.parse_keyword(Keyword::CONCURRENTLY);
            Ok(Some(UtilityStatement::Refresh {
                name: parser.parse_object_name(false)?,
                concurrently,
                with_data: with_data(parser)?,
            }))
        }
        _ => Ok(None),
    }
}

/// Whether these words come next; takes them if so.
pub(crate) fn eat_all(parser: &mut Parser<'_>, words: &[&str]) -> bool {
    let next = |(at, word): (usize, &&str)| {
        let next = parser.peek_nth_token(at);
        next.token == Token::Word && parser.text_of(next).eq_ignore_ascii_case(word)
    };
    let found = words.iter().enumerate().all(next);
    if found {
        words.iter().for_each(|_| {
            parser.next_token();
        });
    }
    found
}

pub(crate) fn expect_all(parser: &mut Parser<'_>, words: &[&str]) -> Result<()> {
    if eat_all(parser, words) {
        return Ok(());
    }
    let found = parser.peek_token();
    parser.expected(words.first().unwrap_or(&"a word"), found)
}

/// Goes back to the token with a number.
fn rewind(parser: &mut Parser<'_>, index: usize) {
    while parser.index() > index {
        parser.prev_token();
    }
}

fn create(parser: &mut Parser<'_>) -> Result<Option<UtilityStatement>> {
    let start = parser.index();
    let or_replace = eat_all(parser, &["OR", "REPLACE"]);
    let has_scope = eat(parser, "LOCAL") || eat(parser, "GLOBAL");
    let temporary = eat(parser, "TEMP") || eat(parser, "TEMPORARY");
    let unlogged = eat(parser, "UNLOGGED");
    if temporary && unlogged || has_scope && !temporary {
        return Err(parser.error_at(parser.peek_token()));
    }
    let recursive = eat(parser, "RECURSIVE");
    if !unlogged && eat(parser, "VIEW") {
        return create_view(parser, (or_replace, temporary, recursive)).map(Some);
    }
    let is_plain = !recursive && !temporary && !unlogged;
    if is_plain && eat(parser, "FUNCTION") {
        let create = parser.parse_create_function(or_replace)?;
        return Ok(Some(UtilityStatement::CreateFunction(create)));
    }
    if is_plain && eat(parser, "TRIGGER") {
        let create = parser.parse_create_trigger(or_replace)?;
        return Ok(Some(UtilityStatement::CreateTrigger(create)));
    }
    if !recursive && !temporary && !or_replace && eat_all(parser, &["MATERIALIZED", "VIEW"]) {
        if unlogged {
            let message = "materialized views cannot be unlogged";
            return Err(Error::new(SqlState::FEATURE_NOT_SUPPORTED, message));
        }
        return create_materialized_view(parser).map(Some);
    }
    if is_plain && !or_replace && eat(parser, "SCHEMA") {
        return create_schema(parser).map(Some);
    }
    if is_plain && !or_replace && eat(parser, "DOMAIN") {
        return create_domain(parser).map(Some);
    }
    if is_plain
        && !or_replace
        && eat(parser, "TYPE")
        && let Some(statement) = create_type(parser)?
    {
        return Ok(Some(statement));
    }
    if !recursive
        && !or_replace
        && eat(parser, "TABLE")
        && let Some(mut head) = parser.maybe_parse(table_head)?
    {
        head.temporary = temporary;
        head.unlogged = unlogged;
        let query = parser.parse_query()?;
        return Ok(Some(UtilityStatement::CreateTableAs(CreateTableAs {
            query,
            with_data: with_data(parser)?,
            ..head
        })));
    }
    rewind(parser, start);
    Ok(None)
}

/// What stands before the query of `CREATE TABLE ... AS`; an error for any other CREATE TABLE.
fn table_head(parser: &mut Parser<'_>) -> Result<CreateTableAs> {
    let if_not_exists = eat_all(parser, &["IF", "NOT", "EXISTS"]);
    let name = parser.parse_object_name(false)?;
    let columns = column_names(parser)?;
    let stored = storage_clauses(parser)?;
    let on_commit = on_commit(parser)?;
    if parser.peek_keyword(Keyword::TABLESPACE) {
        parser.expect_tablespace()?;
    }
    parser.expect_keyword(Keyword::AS)?;
    Ok(CreateTableAs {
        name,
        temporary: false,
        unlogged: false,
        if_not_exists,
        columns,
        stored,
        on_commit,
        query: empty_query(),
        with_data: true,
    })
}

/// Stands where the query is to come.
fn empty_query() -> Box<Query> {
    use sqlparser::ast::{SetExpr, Values};
    Box::new(Query {
        with: None,
        body: Box::new(SetExpr::Values(Values {
            explicit_row: false,
            value_keyword: false,
            rows: Vec::new(),
        })),
        order_by: None,
        limit_clause: None,
        fetch: None,
        locks: Vec::new(),
        for_clause: None,
        settings: None,
        format_clause: None,
        pipe_operators: Vec::new(),
    })
}

/// `USING method` and `WITH (...)`.
fn storage_clauses(parser: &mut Parser<'_>) -> Result<Vec<SqlOption>> {
    parser.table_access_method()?;
    if matches!(parser.peek_nth_token(1).token, Token::LParen) && eat(parser, "WITH") {
        return parser.parse_storage_options();
    }
    let _without = eat_all(parser, &["WITHOUT", "OIDS"]);
    Ok(Vec::new())
}

/// `ON COMMIT ...`
pub(crate) fn on_commit(parser: &mut Parser<'_>) -> Result<Option<OnCommit>> {
    if !eat_all(parser, &["ON", "COMMIT"]) {
        return Ok(None);
    }
    if eat(parser, "DROP") {
        return Ok(Some(OnCommit::Drop));
    }
    if eat_all(parser, &["DELETE", "ROWS"]) {
        return Ok(Some(OnCommit::Delete));
    }
    expect_all(parser, &["PRESERVE", "ROWS"])?;
    Ok(Some(OnCommit::Preserve))
}

/// Names in parentheses, if they come next.
fn column_names(parser: &mut Parser<'_>) -> Result<Vec<Ident>> {
    if !parser.consume_token(&Token::LParen) {
        return Ok(Vec::new());
    }
    let names = parser.parse_comma_separated(Parser::parse_identifier)?;
    parser.expect_token(&Token::RParen)?;
    Ok(names)
}

/// Names in parentheses, each with a value or not.
pub(crate) fn options(parser: &mut Parser<'_>) -> Result<Vec<(Ident, Option<String>)>> {
    parser.expect_token(&Token::LParen)?;
    let options = parser.parse_comma_separated(|parser| {
        let mut name = parser.parse_label()?;
        while parser.consume_token(&Token::Period) {
            name.value.push('.');
            name.value.push_str(&parser.parse_label()?.value);
        }
        let value = match parser.consume_token(&Token::Eq) {
            true => Some(parser.next_token()),
            false => None,
        };
        let value = match value {
            Some(token) if token.token == Token::SingleQuotedString => {
                Some(parser.string_of(token)?)
            }
            Some(token) => Some(parser.text_of(token).to_owned()),
            None => None,
        };
        Ok((name, value))
    })?;
    parser.expect_token(&Token::RParen)?;
    Ok(options)
}

fn create_view(
    parser: &mut Parser<'_>,
    (or_replace, temporary, recursive): (bool, bool, bool),
) -> Result<UtilityStatement> {
    let name = parser.parse_object_name(false)?;
    let columns = column_names(parser)?;
    let options = match eat(parser, "WITH") {
        true => options(parser)?,
        false => Vec::new(),
    };
    parser.expect_keyword(Keyword::AS)?;
    let (query, text) = query_text(parser)?;
    let mut check = ViewCheck::None;
    if eat(parser, "WITH") {
        check = match eat(parser, "LOCAL") {
            true => ViewCheck::Local,
            false => {
                let _cascaded = eat(parser, "CASCADED");
                ViewCheck::Cascaded
            }
        };
        expect_all(parser, &["CHECK", "OPTION"])?;
    }
    Ok(UtilityStatement::CreateView(CreateView {
        name,
        or_replace,
        temporary,
        recursive,
        columns,
        options,
        stored: Vec::new(),
        query,
        text,
        check,
        materialized: None,
    }))
}

fn create_materialized_view(parser: &mut Parser<'_>) -> Result<UtilityStatement> {
    let if_not_exists = eat_all(parser, &["IF", "NOT", "EXISTS"]);
    let name = parser.parse_object_name(false)?;
    let columns = column_names(parser)?;
    let stored = storage_clauses(parser)?;
    if parser.peek_keyword(Keyword::TABLESPACE) {
        parser.expect_tablespace()?;
    }
    parser.expect_keyword(Keyword::AS)?;
    let (query, text) = query_text(parser)?;
    Ok(UtilityStatement::CreateView(CreateView {
        name,
        or_replace: false,
        temporary: false,
        recursive: false,
        columns,
        options: Vec::new(),
        stored,
        query,
        text,
        check: ViewCheck::None,
        materialized: Some(Materialized {
            if_not_exists,
            with_data: with_data(parser)?,
        }),
    }))
}

/// `WITH [NO] DATA`
fn with_data(parser: &mut Parser<'_>) -> Result<bool> {
    if !eat(parser, "WITH") {
        return Ok(true);
    }
    let no = eat(parser, "NO");
    expect_all(parser, &["DATA"])?;
    Ok(!no)
}

fn drop_object(parser: &mut Parser<'_>) -> Result<Option<UtilityStatement>> {
    let mut kinds = ObjectKind::ALL.iter();
    let found = kinds.find(|(_, words)| {
        let words: Vec<&str> = words.split(' ').collect();
        eat_all(parser, &words)
    });
    let Some((kind, _)) = found else {
        return Ok(None);
    };
    let if_exists = eat_all(parser, &["IF", "EXISTS"]);
    let names = parser.parse_comma_separated(|parser| parser.parse_object_name(false))?;
    let cascade = eat(parser, "CASCADE");
    let _restrict = !cascade && eat(parser, "RESTRICT");
    Ok(Some(UtilityStatement::Drop {
        kind: *kind,
        names,
        if_exists,
        cascade,
    }))
}

fn drop_function(parser: &mut Parser<'_>) -> Result<UtilityStatement> {
    let if_exists = eat_all(parser, &["IF", "EXISTS"]);
    let functions = parser.parse_comma_separated(Parser::parse_named_function)?;
    let cascade = eat(parser, "CASCADE");
    let _restrict = !cascade && eat(parser, "RESTRICT");
    Ok(UtilityStatement::DropFunction {
        functions,
        if_exists,
        cascade,
    })
}

/// What follows ALTER TABLE, if it is ENABLE or DISABLE TRIGGER.
fn enable_triggers(parser: &mut Parser<'_>) -> Result<UtilityStatement> {
    let _only = eat(parser, "ONLY");
    let table = parser.parse_object_name(false)?;
    let is_enabled = eat(parser, "ENABLE");
    let _always = is_enabled && eat(parser, "ALWAYS");
    if !is_enabled {
        expect_all(parser, &["DISABLE"])?;
    }
    expect_all(parser, &["TRIGGER"])?;
    let name = match eat(parser, "ALL") || eat(parser, "USER") {
        true => None,
        false => Some(parser.parse_identifier()?),
    };
    Ok(UtilityStatement::EnableTriggers {
        table,
        name,
        is_enabled,
    })
}
