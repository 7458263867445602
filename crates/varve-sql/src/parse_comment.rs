//! COMMENT ON.

use sqlparser::ast::{Ident, ObjectName};
use varve_parser::create_function::FunctionName;
use varve_parser::create_trigger::NamedTrigger;
use varve_parser::{Keyword, Parser};
use varve_types::Result;

use crate::command::eat;
use crate::parse_upkeep::UpkeepOf;
use crate::parse_utility::{ObjectKind, UtilityStatement};

/// What a comment is on.
pub(crate) enum CommentOn {
    Relation(UpkeepOf, ObjectName),
    /// Table and column.
    Column(ObjectName),
    Schema(Ident),
    Type(ObjectKind, ObjectName),
    Function(FunctionName),
    Trigger(NamedTrigger),
    /// A constraint, named as a trigger is, and whether it is of a domain.
    Constraint(NamedTrigger, bool),
    Database(Ident),
    Role(Ident),
    /// What there is none of here.
    Other,
}

/// Parses what follows `COMMENT`.
pub(crate) fn parse_comment(parser: &mut Parser<'_>) -> Result<UtilityStatement> {
    parser.expect_keyword(Keyword::ON)?;
    let materialized = parser.parse_keyword(Keyword::MATERIALIZED);
    let kind = parser.next_token();
    let relation = match kind.keyword {
        Keyword::TABLE => Some(UpkeepOf::Table),
        Keyword::INDEX => Some(UpkeepOf::Index),
        Keyword::VIEW if materialized => Some(UpkeepOf::MaterializedView),
        Keyword::VIEW => Some(UpkeepOf::View),
        Keyword::SEQUENCE => Some(UpkeepOf::Sequence),
        _ => None,
    };
    let on = match (relation, kind.keyword) {
        (Some(of), _) => CommentOn::Relation(of, parser.parse_object_name(false)?),
        (_, Keyword::COLUMN) => CommentOn::Column(parser.parse_object_name(false)?),
        (_, Keyword::SCHEMA) => CommentOn::Schema(parser.parse_identifier()?),
        (_, Keyword::TYPE) => CommentOn::Type(ObjectKind::Type, parser.parse_object_name(false)?),
        (_, Keyword::DOMAIN) => {
            CommentOn::Type(ObjectKind::Domain, parser.parse_object_name(false)?)
        }
        (_, Keyword::FUNCTION) => CommentOn::Function(parser.parse_named_function()?),
        (_, Keyword::TRIGGER) => CommentOn::Trigger(parser.parse_named_trigger(false)?),
        (_, Keyword::CONSTRAINT) => {
            let name = parser.parse_identifier()?;
            parser.expect_keyword(Keyword::ON)?;
            let of_domain = eat(parser, "DOMAIN");
            let constraint = NamedTrigger {
                if_exists: false,
                name,
                table: parser.parse_object_name(false)?,
            };
            CommentOn::Constraint(constraint, of_domain)
        }
        (_, Keyword::DATABASE) => CommentOn::Database(parser.parse_identifier()?),
        (_, Keyword::ROLE) => CommentOn::Role(parser.parse_identifier()?),
        _ => CommentOn::Other,
    };
    if let CommentOn::Other = on {
        parser.skip_rest();
        return Ok(UtilityStatement::Comment { on, text: None });
    }
    parser.expect_keyword(Keyword::IS)?;
    let text = match parser.parse_keyword(Keyword::NULL) {
        true => None,
        // One without words is none.
        false => Some(parser.parse_literal_string()?).filter(|text| !text.is_empty()),
    };
    Ok(UtilityStatement::Comment { on, text })
}
