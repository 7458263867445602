//! Forms that the parser does not know, as forms that it does: names that no text can have mark
//! them.

use sqlparser::ast::{AccessExpr, Expr as Ast, Ident};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::keywords::Keyword;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Span, Token, TokenWithSpan, Word};

use crate::bind::fold_name;

/// The name of the argument behind VARIADIC.
pub(crate) const VARIADIC: &str = "\0variadic";
/// The name of the function that ROWS FROM becomes.
pub(crate) const ROWS_FROM: &str = "\0rows";

/// `f(VARIADIC x)` becomes `f(name => x)`, `ROWS FROM (f(), g())` becomes `name(f(), g())`.
pub(crate) fn rewrite_calls(mut tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let defines = |token: &TokenWithSpan| {
        let words = ["FUNCTION", "PROCEDURE", "AGGREGATE", "ROUTINE"];
        words.iter().any(|word| is_word(token, word))
    };
    if tokens.iter().take(4).any(defines) {
        return tokens;
    }
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let before = at.checked_sub(1).and_then(|before| tokens.get(before));
        let begins = |token: &TokenWithSpan| matches!(token.token, Token::LParen | Token::Comma);
        let next = tokens.get(at + 1).zip(tokens.get(at + 2));
        if is_word(token, "VARIADIC") && before.is_some_and(begins) {
            let span = token.span;
            let arrow = TokenWithSpan {
                token: Token::RArrow,
                span,
            };
            let marker = marker(VARIADIC, token);
            tokens.splice(at..=at, [marker, arrow]);
        } else if is_word(token, "SUBSTRING")
            && next.is_some_and(|(from, _)| from.token == Token::LParen)
        {
            rewrite_similar(&mut tokens, at + 2);
        } else if is_word(token, "ROWS")
            && let Some((from, behind)) = next
            && is_word(from, "FROM")
            && behind.token == Token::LParen
        {
            let marker = marker(ROWS_FROM, token);
            tokens.splice(at..=at + 1, [marker]);
        }
        at += 1;
    }
    tokens
}

/// Takes the subscripts off the columns that INSERT and UPDATE assign to: `a[1]` becomes a name
/// with the number of its subscripts behind the end of its text.
pub(crate) fn take_target_subscripts(tokens: &mut Vec<TokenWithSpan>) -> Vec<Vec<AccessExpr>> {
    let mut taken = Vec::new();
    if !tokens.iter().any(|token| token.token == Token::LBracket) {
        return taken;
    }
    let mut depth = 0_usize;
    // The depths of the targets of SET, and of the columns of INSERT.
    let (mut set, mut columns) = (None, None);
    let mut updates = false;
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let before = at.checked_sub(1).and_then(|before| tokens.get(before));
        let is_listed = before.is_some_and(|before| before.token == Token::Comma);
        let is_first = before.is_some_and(|before| before.token == Token::LParen);
        let is_set = before.is_some_and(|before| is_word(before, "SET"));
        match &token.token {
            Token::LParen => {
                depth += 1;
                if opens_columns(tokens, at) || (set == Some(depth - 1) && (is_set || is_listed)) {
                    columns = Some(depth);
                }
            }
            Token::RParen => {
                depth = depth.saturating_sub(1);
                columns = columns.filter(|columns| *columns <= depth);
            }
            Token::Word(_) if is_word(token, "UPDATE") => updates = true,
            Token::Word(_) if updates && is_word(token, "SET") => set = Some(depth),
            Token::Word(_)
                if set == Some(depth) && is_any_word(token, &["FROM", "WHERE", "RETURNING"]) =>
            {
                set = None;
            }
            Token::Word(word)
                if (set == Some(depth) && (is_set || is_listed))
                    || (columns == Some(depth) && (is_first || is_listed)) =>
            {
                if let Some((end, access)) = subscripts_at(tokens, at + 1) {
                    let name = fold_name(&Ident {
                        value: word.value.clone(),
                        quote_style: word.quote_style,
                        span: Span::empty(),
                    });
                    let target = marker(&format!("{name}\0{}", taken.len()), token);
                    taken.push(access);
                    tokens.splice(at..end, [target]);
                }
            }
            _ => {}
        }
        at += 1;
    }
    taken
}

/// Whether the parenthesis at a place opens the list of columns of `INSERT INTO name`.
fn opens_columns(tokens: &[TokenWithSpan], at: usize) -> bool {
    let others = ["VALUES", "SELECT", "WITH", "DEFAULT", "OVERRIDING"];
    for token in tokens.get(..at).unwrap_or_default().iter().rev() {
        match token.token {
            Token::Word(_) if is_word(token, "INTO") => return true,
            Token::Word(_) if !is_any_word(token, &others) => {}
            Token::Period => {}
            _ => return false,
        }
    }
    false
}

fn is_any_word(token: &TokenWithSpan, words: &[&str]) -> bool {
    words.iter().any(|word| is_word(token, word))
}

/// The subscripts that start at a place, and where they end.
fn subscripts_at(tokens: &[TokenWithSpan], start: usize) -> Option<(usize, Vec<AccessExpr>)> {
    let mut end = start;
    let mut depth = 0_usize;
    loop {
        match tokens.get(end)?.token {
            Token::LBracket => depth += 1,
            Token::RBracket => depth = depth.checked_sub(1)?,
            _ if depth == 0 => break,
            _ => {}
        }
        end += 1;
    }
    let inner = tokens.get(start..end).filter(|inner| !inner.is_empty())?;
    let mut text = vec![marker("array", inner.first()?)];
    text.extend_from_slice(inner);
    let dialect = PostgreSqlDialect {};
    let mut parser = Parser::new(&dialect).with_tokens_with_locations(text);
    match parser.parse_expr().ok()? {
        Ast::CompoundFieldAccess { access_chain, .. } => Some((end, access_chain)),
        _ => None,
    }
}

/// `substring(x SIMILAR p ESCAPE e)` becomes `substring(x FROM p FOR e)`.
fn rewrite_similar(tokens: &mut [TokenWithSpan], start: usize) {
    let (mut depth, mut is_similar) = (0_u32, false);
    for token in tokens.iter_mut().skip(start) {
        let (word, keyword) = match token.token {
            Token::LParen => {
                depth += 1;
                continue;
            }
            Token::RParen if depth == 0 => return,
            Token::RParen => {
                depth -= 1;
                continue;
            }
            _ if depth > 0 => continue,
            _ if !is_similar && is_word(token, "SIMILAR") => ("FROM", Keyword::FROM),
            _ if is_similar && is_word(token, "ESCAPE") => ("FOR", Keyword::FOR),
            _ => continue,
        };
        is_similar = true;
        token.token = Token::Word(Word {
            value: word.to_owned(),
            quote_style: None,
            keyword,
        });
    }
}

fn marker(name: &str, place: &TokenWithSpan) -> TokenWithSpan {
    TokenWithSpan {
        token: Token::Word(Word {
            value: name.to_owned(),
            quote_style: Some('"'),
            keyword: Keyword::NoKeyword,
        }),
        span: place.span,
    }
}

fn is_word(token: &TokenWithSpan, word: &str) -> bool {
    matches!(&token.token, Token::Word(known)
        if known.quote_style.is_none() && known.value.eq_ignore_ascii_case(word))
}
