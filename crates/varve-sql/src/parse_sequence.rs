//! CREATE, ALTER and DROP SEQUENCE.

use sqlparser::ast::{DataType, Expr as Ast, ObjectName, SequenceOptions};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// A statement about sequences.
#[derive(Clone, Debug)]
pub(crate) enum SequenceStatement {
    Create {
        if_not_exists: bool,
        name: ObjectName,
        options: Options,
    },
    Alter {
        if_exists: bool,
        name: ObjectName,
        options: Options,
    },
    Drop {
        if_exists: bool,
        names: Vec<ObjectName>,
        cascade: bool,
    },
}

/// What is said of a sequence.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    pub(crate) ty: Option<DataType>,
    pub(crate) items: Vec<SequenceOptions>,
    /// `RESTART [WITH n]`
    pub(crate) restart: Option<Option<Ast>>,
    /// `OWNED BY`; `None` inside for NONE.
    pub(crate) owned_by: Option<Option<ObjectName>>,
}

pub(crate) fn parse_create(parser: &mut Parser<'_>) -> Result<SequenceStatement, ParserError> {
    Ok(SequenceStatement::Create {
        if_not_exists: parser.parse_keywords(&[Keyword::IF, Keyword::NOT, Keyword::EXISTS]),
        name: parser.parse_object_name(false)?,
        options: options(parser)?,
    })
}

pub(crate) fn parse_alter(parser: &mut Parser<'_>) -> Result<SequenceStatement, ParserError> {
    Ok(SequenceStatement::Alter {
        if_exists: parser.parse_keywords(&[Keyword::IF, Keyword::EXISTS]),
        name: parser.parse_object_name(false)?,
        options: options(parser)?,
    })
}

pub(crate) fn parse_drop(parser: &mut Parser<'_>) -> Result<SequenceStatement, ParserError> {
    let if_exists = parser.parse_keywords(&[Keyword::IF, Keyword::EXISTS]);
    let names = parser.parse_comma_separated(|parser| parser.parse_object_name(false))?;
    let cascade = parser.parse_keyword(Keyword::CASCADE);
    if !cascade {
        let _ = parser.parse_keyword(Keyword::RESTRICT);
    }
    Ok(SequenceStatement::Drop {
        if_exists,
        names,
        cascade,
    })
}

/// The options of identity columns, which the parser wants in this order.
const ORDERED: [&str; 6] = [
    "INCREMENT",
    "MINVALUE",
    "MAXVALUE",
    "START",
    "CACHE",
    "CYCLE",
];

/// The tokens of a statement with the options after `IDENTITY (` in the order of the parser.
pub(crate) fn with_ordered_options(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let word = |token: &TokenWithSpan, wanted: &str| {
        matches!(&token.token, Token::Word(word)
            if word.quote_style.is_none() && word.value.eq_ignore_ascii_case(wanted))
    };
    if !tokens.iter().any(|token| word(token, "IDENTITY")) {
        return tokens;
    }
    let mut ordered: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    let mut groups: Option<Vec<(usize, Vec<TokenWithSpan>)>> = None;
    for token in tokens {
        let Some(open) = &mut groups else {
            let begins = token.token == Token::LParen
                && ordered.last().is_some_and(|last| word(last, "IDENTITY"));
            ordered.push(token);
            groups = begins.then(Vec::new);
            continue;
        };
        if token.token == Token::RParen {
            open.sort_by_key(|(rank, _)| *rank);
            ordered.extend(open.drain(..).flat_map(|(_, tokens)| tokens));
            ordered.push(token);
            groups = None;
            continue;
        }
        let rank = ORDERED.iter().position(|option| word(&token, option));
        match (rank, open.last_mut()) {
            // The word after NO says which option it is.
            (Some(rank), Some((last, tokens))) if *last == ORDERED.len() => {
                *last = rank;
                tokens.push(token);
            }
            (Some(rank), _) => open.push((rank, vec![token])),
            (None, _) if word(&token, "NO") => open.push((ORDERED.len(), vec![token])),
            (None, Some((_, tokens))) => tokens.push(token),
            (None, None) => open.push((0, vec![token])),
        }
    }
    ordered.extend(groups.into_iter().flatten().flat_map(|(_, tokens)| tokens));
    ordered
}

fn options(parser: &mut Parser<'_>) -> Result<Options, ParserError> {
    let mut options = Options::default();
    loop {
        if parser.parse_keyword(Keyword::AS) {
            options.ty = Some(parser.parse_data_type()?);
        } else if parser.parse_keyword(Keyword::INCREMENT) {
            let by = parser.parse_keyword(Keyword::BY);
            let item = SequenceOptions::IncrementBy(parser.parse_number()?, by);
            options.items.push(item);
        } else if parser.parse_keyword(Keyword::MINVALUE) {
            let item = SequenceOptions::MinValue(Some(parser.parse_number()?));
            options.items.push(item);
        } else if parser.parse_keyword(Keyword::MAXVALUE) {
            let item = SequenceOptions::MaxValue(Some(parser.parse_number()?));
            options.items.push(item);
        } else if parser.parse_keywords(&[Keyword::NO, Keyword::MINVALUE]) {
            options.items.push(SequenceOptions::MinValue(None));
        } else if parser.parse_keywords(&[Keyword::NO, Keyword::MAXVALUE]) {
            options.items.push(SequenceOptions::MaxValue(None));
        } else if parser.parse_keywords(&[Keyword::NO, Keyword::CYCLE]) {
            options.items.push(SequenceOptions::Cycle(false));
        } else if parser.parse_keyword(Keyword::CYCLE) {
            options.items.push(SequenceOptions::Cycle(true));
        } else if parser.parse_keyword(Keyword::START) {
            let with = parser.parse_keyword(Keyword::WITH);
            let item = SequenceOptions::StartWith(parser.parse_number()?, with);
            options.items.push(item);
        } else if parser.parse_keyword(Keyword::CACHE) {
            let item = SequenceOptions::Cache(parser.parse_number()?);
            options.items.push(item);
        } else if parser.parse_keyword(Keyword::RESTART) {
            let with = parser.parse_keyword(Keyword::WITH);
            let number = match with {
                true => Some(parser.parse_number()?),
                false => parser.maybe_parse(|parser| parser.parse_number())?,
            };
            options.restart = Some(number);
        } else if parser.parse_keywords(&[Keyword::OWNED, Keyword::BY]) {
            let owner = match parser.parse_keyword(Keyword::NONE) {
                true => None,
                false => Some(parser.parse_object_name(false)?),
            };
            options.owned_by = Some(owner);
        } else {
            return Ok(options);
        }
    }
}
