//! CREATE, ALTER and DROP SEQUENCE.

use sqlparser::ast::{DataType, Expr as Ast, ObjectName, SequenceOptions};
use varve_parser::{Keyword, Parser};
use varve_types::{Error, Result, SqlState};

/// A statement about sequences.
#[derive(Clone, Debug)]
pub(crate) enum SequenceStatement {
    Create {
        temporary: bool,
        unlogged: bool,
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

pub(crate) fn parse_create(
    parser: &mut Parser<'_>,
    temporary: bool,
    unlogged: bool,
) -> Result<SequenceStatement> {
    Ok(SequenceStatement::Create {
        temporary,
        unlogged,
        if_not_exists: parser.parse_keywords(&[Keyword::IF, Keyword::NOT, Keyword::EXISTS]),
        name: parser.parse_object_name(false)?,
        options: options(parser)?,
    })
}

pub(crate) fn parse_alter(parser: &mut Parser<'_>) -> Result<SequenceStatement> {
    Ok(SequenceStatement::Alter {
        if_exists: parser.parse_keywords(&[Keyword::IF, Keyword::EXISTS]),
        name: parser.parse_object_name(false)?,
        options: options(parser)?,
    })
}

pub(crate) fn parse_drop(parser: &mut Parser<'_>) -> Result<SequenceStatement> {
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

fn options(parser: &mut Parser<'_>) -> Result<Options> {
    let mut options = Options::default();
    loop {
        let first = parser.peek_token();
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
        if let Some((last, others)) = options.items.split_last() {
            let kind = core::mem::discriminant(last);
            if others
                .iter()
                .any(|other| core::mem::discriminant(other) == kind)
            {
                let message = "conflicting or redundant options";
                let error = Error::new(SqlState::SYNTAX_ERROR, message);
                return Err(error.at(first.position));
            }
        }
    }
}
