//! INSERT: PostgreSQL's form of it, which has clauses that the parser's own does not know.

use sqlparser::ast::{
    ConflictTarget, DoUpdate, Expr as Ast, Insert, OnConflict, OnConflictAction, OnInsert,
    TableAliasWithoutColumns, TableObject,
};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{IsOptional, Parser, ParserError};
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// What an INSERT says beside its syntax tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct InsertClauses {
    pub(crate) overriding: Option<Overriding>,
    /// The columns and expressions after ON CONFLICT.
    pub(crate) target: Vec<Ast>,
    /// The condition after them.
    pub(crate) target_filter: Option<Ast>,
}

/// `OVERRIDING ... VALUE`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overriding {
    System,
    User,
}

/// Parses what follows `INSERT`.
pub(crate) fn parse_insert(
    parser: &mut Parser<'_>,
    insert_token: TokenWithSpan,
) -> Result<(Insert, InsertClauses), ParserError> {
    parser.expect_keyword(Keyword::INTO)?;
    let mut clauses = InsertClauses::default();
    let table = TableObject::TableName(parser.parse_object_name(false)?);
    let table_alias = match parser.parse_keyword(Keyword::AS) {
        true => Some(TableAliasWithoutColumns {
            explicit: true,
            alias: parser.parse_identifier()?,
        }),
        false => None,
    };
    let is_query = matches!(parser.peek_token().token, Token::LParen)
        && is_query_word(&parser.peek_nth_token(1).token);
    let columns = match is_query {
        true => Vec::new(),
        false => parser.parse_parenthesized_qualified_column_list(IsOptional::Optional, false)?,
    };
    if eat(parser, "OVERRIDING") {
        clauses.overriding = Some(match () {
            () if eat(parser, "SYSTEM") => Overriding::System,
            () if eat(parser, "USER") => Overriding::User,
            () => return parser.expected("SYSTEM or USER", parser.peek_token()),
        });
        if !eat(parser, "VALUE") {
            return parser.expected("VALUE", parser.peek_token());
        }
    }
    let source = match parser.parse_keywords(&[Keyword::DEFAULT, Keyword::VALUES]) {
        true => None,
        false => Some(parser.parse_query()?),
    };
    let on = match parser.parse_keyword(Keyword::ON) {
        true => Some(OnInsert::OnConflict(on_conflict(parser, &mut clauses)?)),
        false => None,
    };
    let returning = match parser.parse_keyword(Keyword::RETURNING) {
        true => Some(parser.parse_comma_separated(Parser::parse_select_item)?),
        false => None,
    };
    let insert = Insert {
        insert_token: insert_token.into(),
        optimizer_hints: Vec::new(),
        or: None,
        ignore: false,
        into: true,
        table,
        table_alias,
        columns,
        overwrite: false,
        source,
        assignments: Vec::new(),
        partitioned: None,
        after_columns: Vec::new(),
        has_table_keyword: false,
        on,
        returning,
        output: None,
        replace_into: false,
        priority: None,
        insert_alias: None,
        settings: None,
        format_clause: None,
        multi_table_insert_type: None,
        multi_table_into_clauses: Vec::new(),
        multi_table_when_clauses: Vec::new(),
        multi_table_else_clause: None,
    };
    Ok((insert, clauses))
}

fn on_conflict(
    parser: &mut Parser<'_>,
    clauses: &mut InsertClauses,
) -> Result<OnConflict, ParserError> {
    parser.expect_keyword(Keyword::CONFLICT)?;
    let mut conflict_target = None;
    if parser.parse_keywords(&[Keyword::ON, Keyword::CONSTRAINT]) {
        let name = parser.parse_object_name(false)?;
        conflict_target = Some(ConflictTarget::OnConstraint(name));
    } else if parser.consume_token(&Token::LParen) {
        clauses.target = parser.parse_comma_separated(Parser::parse_expr)?;
        parser.expect_token(&Token::RParen)?;
        if parser.parse_keyword(Keyword::WHERE) {
            clauses.target_filter = Some(parser.parse_expr()?);
        }
    }
    parser.expect_keyword(Keyword::DO)?;
    let action = match parser.parse_keyword(Keyword::NOTHING) {
        true => OnConflictAction::DoNothing,
        false => {
            parser.expect_keyword(Keyword::UPDATE)?;
            parser.expect_keyword(Keyword::SET)?;
            let assignments = parser.parse_comma_separated(Parser::parse_assignment)?;
            let selection = match parser.parse_keyword(Keyword::WHERE) {
                true => Some(parser.parse_expr()?),
                false => None,
            };
            OnConflictAction::DoUpdate(DoUpdate {
                assignments,
                selection,
            })
        }
    };
    Ok(OnConflict {
        conflict_target,
        action,
    })
}

fn is_query_word(token: &Token) -> bool {
    matches!(token, Token::LParen)
        || matches!(token, Token::Word(word) if word.quote_style.is_none()
            && matches!(word.keyword, Keyword::SELECT | Keyword::VALUES | Keyword::WITH))
}

/// Takes a word if it comes next.
fn eat(parser: &mut Parser<'_>, word: &str) -> bool {
    let found = matches!(&parser.peek_token().token, Token::Word(next)
        if next.quote_style.is_none() && next.value.eq_ignore_ascii_case(word));
    if found {
        parser.next_token();
    }
    found
}
