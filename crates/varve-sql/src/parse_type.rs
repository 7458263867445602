//! CREATE TYPE, ALTER TYPE and CREATE DOMAIN.

use sqlparser::ast::{ColumnOptionDef, DataType, Ident, ObjectName};
use varve_parser::{Keyword, Parser, Token};
use varve_types::Result;

use crate::command::eat;
use crate::parse_utility::{UtilityStatement, eat_all};

/// `CREATE DOMAIN`
pub(crate) struct CreateDomain {
    pub(crate) name: ObjectName,
    pub(crate) data_type: DataType,
    pub(crate) options: Vec<ColumnOptionDef>,
}

/// Parses what follows `CREATE DOMAIN`.
pub(crate) fn create_domain(parser: &mut Parser<'_>) -> Result<UtilityStatement> {
    let name = parser.parse_object_name(false)?;
    let _as = eat(parser, "AS");
    let data_type = parser.parse_data_type()?;
    let options = parser.parse_column_options()?;
    Ok(UtilityStatement::CreateDomain(Box::new(CreateDomain {
        name,
        data_type,
        options,
    })))
}

/// What is changed of a domain.
pub(crate) enum AlterDomain {
    /// What it gets: a default, NOT NULL, a constraint, and whether values may break that.
    Put(Box<ColumnOptionDef>, bool),
    DropDefault,
    DropNotNull,
    DropConstraint {
        name: Ident,
        if_exists: bool,
    },
    /// Sees whether the values that are there keep the constraint.
    Validate(Ident),
    RenameConstraint(Ident, Ident),
    Rename(Ident),
    SetSchema(Ident),
    Owner(Option<Ident>),
}

/// Parses what follows `ALTER DOMAIN`; `None` for what is not supported.
pub(crate) fn alter_domain(parser: &mut Parser<'_>) -> Result<Option<UtilityStatement>> {
    let name = parser.parse_object_name(false)?;
    let alter = if eat_all(parser, &["SET", "SCHEMA"]) {
        AlterDomain::SetSchema(parser.parse_identifier()?)
    } else if eat_all(parser, &["OWNER", "TO"]) {
        AlterDomain::Owner(parser.parse_role()?)
    } else if eat(parser, "ADD")
        || parser.parse_keyword(Keyword::SET)
            && matches!(parser.peek_token().keyword, Keyword::DEFAULT | Keyword::NOT)
    {
        let first = parser.peek_token();
        let mut options = parser.parse_column_options()?;
        match options.pop() {
            Some(option) if options.is_empty() => {
                AlterDomain::Put(Box::new(option), eat_all(parser, &["NOT", "VALID"]))
            }
            _ => return parser.expected("one constraint", first),
        }
    } else if eat_all(parser, &["DROP", "DEFAULT"]) {
        AlterDomain::DropDefault
    } else if eat_all(parser, &["DROP", "NOT", "NULL"]) {
        AlterDomain::DropNotNull
    } else if eat_all(parser, &["DROP", "CONSTRAINT"]) {
        let if_exists = eat_all(parser, &["IF", "EXISTS"]);
        let name = parser.parse_identifier()?;
        let _behavior = eat(parser, "CASCADE") || eat(parser, "RESTRICT");
        AlterDomain::DropConstraint { name, if_exists }
    } else if eat_all(parser, &["VALIDATE", "CONSTRAINT"]) {
        AlterDomain::Validate(parser.parse_identifier()?)
    } else if eat_all(parser, &["RENAME", "CONSTRAINT"]) {
        let from = parser.parse_identifier()?;
        if !eat(parser, "TO") {
            return parser.expected("TO", parser.peek_token());
        }
        AlterDomain::RenameConstraint(from, parser.parse_identifier()?)
    } else if eat_all(parser, &["RENAME", "TO"]) {
        AlterDomain::Rename(parser.parse_identifier()?)
    } else {
        return Ok(None);
    };
    Ok(Some(UtilityStatement::AlterDomain { name, alter }))
}

/// What is changed of an enumeration.
pub(crate) enum AlterEnum {
    Add {
        label: String,
        if_not_exists: bool,
        place: Place,
    },
    RenameValue {
        from: String,
        to: String,
    },
    Rename(Ident),
    SetSchema(Ident),
    Owner(Option<Ident>),
}

/// Where a label is added.
pub(crate) enum Place {
    End,
    Before(String),
    After(String),
}

/// Parses what follows `CREATE TYPE`; `None` for other types than enumerations.
pub(crate) fn create_type(parser: &mut Parser<'_>) -> Result<Option<UtilityStatement>> {
    let name = parser.parse_object_name(false)?;
    if !eat_all(parser, &["AS", "ENUM"]) {
        if !eat(parser, "AS") || parser.peek_token().token != Token::LParen {
            return Ok(None);
        }
        parser.next_token();
        let mut fields = Vec::new();
        if !parser.consume_token(&Token::RParen) {
            fields = parser.parse_comma_separated(|parser| {
                let name = parser.parse_identifier()?;
                Ok((name, parser.parse_data_type()?))
            })?;
            parser.expect_token(&Token::RParen)?;
        }
        return Ok(Some(UtilityStatement::CreateRowType { name, fields }));
    }
    parser.expect_token(&Token::LParen)?;
    let mut labels = Vec::new();
    if !parser.consume_token(&Token::RParen) {
        labels = parser.parse_comma_separated(Parser::parse_literal_string)?;
        parser.expect_token(&Token::RParen)?;
    }
    Ok(Some(UtilityStatement::CreateEnum { name, labels }))
}

/// Parses what follows `ALTER TYPE`; `None` for what is not supported.
pub(crate) fn alter_type(parser: &mut Parser<'_>) -> Result<Option<UtilityStatement>> {
    let name: ObjectName = parser.parse_object_name(false)?;
    let alter = if eat_all(parser, &["ADD", "VALUE"]) {
        let if_not_exists = eat_all(parser, &["IF", "NOT", "EXISTS"]);
        let label = parser.parse_literal_string()?;
        let place = if eat(parser, "BEFORE") {
            Place::Before(parser.parse_literal_string()?)
        } else if eat(parser, "AFTER") {
            Place::After(parser.parse_literal_string()?)
        } else {
            Place::End
        };
        AlterEnum::Add {
            label,
            if_not_exists,
            place,
        }
    } else if eat_all(parser, &["RENAME", "VALUE"]) {
        let from = parser.parse_literal_string()?;
        if !eat(parser, "TO") {
            return parser.expected("TO", parser.peek_token());
        }
        let to = parser.parse_literal_string()?;
        AlterEnum::RenameValue { from, to }
    } else if eat_all(parser, &["RENAME", "TO"]) {
        AlterEnum::Rename(parser.parse_identifier()?)
    } else if eat_all(parser, &["SET", "SCHEMA"]) {
        AlterEnum::SetSchema(parser.parse_identifier()?)
    } else if eat_all(parser, &["OWNER", "TO"]) {
        AlterEnum::Owner(parser.parse_role()?)
    } else {
        return Ok(None);
    };
    Ok(Some(UtilityStatement::AlterEnum { name, alter }))
}
