//! TRUNCATE.

use sqlparser::ast::ObjectName;
use varve_parser::{Keyword, Parser, Token};
use varve_types::Result;

/// `TRUNCATE [TABLE] [ONLY] name [*], ... [RESTART IDENTITY] [CASCADE]`
#[derive(Clone, Debug)]
pub(crate) struct Truncate {
    /// The tables, and whether those below them stay as they are.
    pub(crate) names: Vec<(ObjectName, bool)>,
    pub(crate) restart: bool,
    pub(crate) cascade: bool,
}

/// Parses what follows `TRUNCATE`.
pub(crate) fn parse_truncate(parser: &mut Parser<'_>) -> Result<Truncate> {
    let _table = parser.parse_keyword(Keyword::TABLE);
    let names = parser.parse_comma_separated(|parser| {
        let only = parser.parse_keyword(Keyword::ONLY);
        let name = parser.parse_object_name(false)?;
        let _descendants = parser.consume_token(&Token::Mul);
        Ok((name, only))
    })?;
    let restart = parser.parse_keywords(&[Keyword::RESTART, Keyword::IDENTITY]);
    if !restart {
        let _ = parser.parse_keywords(&[Keyword::CONTINUE, Keyword::IDENTITY]);
    }
    let cascade = parser.parse_keyword(Keyword::CASCADE);
    if !cascade {
        let _ = parser.parse_keyword(Keyword::RESTRICT);
    }
    Ok(Truncate {
        names,
        restart,
        cascade,
    })
}
