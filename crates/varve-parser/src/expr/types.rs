//! Names of types.

use varve_ast::{BaseType, IntervalFields, ObjectName, Span, TypeName};
use varve_lexer::{Keyword, Token};
use varve_types::{Error, Result, SqlState};

use crate::parser::Parser;

/// Most dimensions that a type is written with.
const DIMENSIONS_MAX: usize = 64;

impl Parser<'_> {
    /// A type.
    pub fn parse_data_type(&mut self) -> Result<TypeName> {
        let first = self.next_span();
        let mut type_name = TypeName {
            base: self.base_type()?,
            dimensions: Vec::new(),
            span: first,
        };
        if self.parse_keyword(Keyword::ARRAY) {
            let mut length = None;
            if self.consume_token(&Token::LBracket) {
                length = Some(self.parse_literal_uint()?);
                self.expect_token(&Token::RBracket)?;
            }
            type_name.dimensions.push(length);
        } else {
            while self.consume_token(&Token::LBracket) {
                let length = match self.peek() {
                    Token::RBracket => None,
                    _ => Some(self.parse_literal_uint()?),
                };
                self.expect_token(&Token::RBracket)?;
                if type_name.dimensions.len() >= DIMENSIONS_MAX {
                    let message = "number of array dimensions exceeds the maximum allowed";
                    return Err(Error::new(SqlState::PROGRAM_LIMIT_EXCEEDED, message));
                }
                type_name.dimensions.push(length);
            }
        }
        type_name.span = self.since(first);
        Ok(type_name)
    }

    /// A type that is no array.
    fn base_type(&mut self) -> Result<BaseType> {
        let next = self.next_token();
        Ok(match next.keyword {
            Keyword::INT | Keyword::INTEGER => BaseType::Integer,
            Keyword::SMALLINT => BaseType::SmallInt,
            Keyword::BIGINT => BaseType::BigInt,
            Keyword::REAL => BaseType::Real,
            Keyword::BOOLEAN => BaseType::Boolean,
            Keyword::FLOAT => BaseType::Float(self.parse_optional_precision()?),
            Keyword::DECIMAL | Keyword::DEC | Keyword::NUMERIC => self.numeric()?,
            Keyword::DOUBLE if self.parse_keyword(Keyword::PRECISION) => BaseType::DoublePrecision,
            Keyword::BIT => {
                let _varying = self.parse_keyword(Keyword::VARYING);
                self.parse_optional_precision()?;
                BaseType::Bit
            }
            Keyword::VARCHAR => BaseType::Varchar(self.parse_optional_precision()?),
            Keyword::NATIONAL => {
                self.expect_one_of_keywords(&[Keyword::CHARACTER, Keyword::CHAR])?;
                self.character()?
            }
            Keyword::CHARACTER | Keyword::CHAR | Keyword::NCHAR => self.character()?,
            Keyword::TIMESTAMP => BaseType::Timestamp {
                precision: self.parse_optional_precision()?,
                with_zone: self.time_zone()?,
            },
            Keyword::TIME => BaseType::Time {
                precision: self.parse_optional_precision()?,
                with_zone: self.time_zone()?,
            },
            Keyword::INTERVAL => match self.parse_optional_precision()? {
                None => self.interval_fields()?,
                precision => BaseType::Interval {
                    fields: None,
                    precision,
                },
            },
            Keyword::SETOF => return self.unexpected(),
            _ => {
                self.prev_token();
                let name = self.parse_function_name()?;
                if self.peek() == Token::Mod && self.second_is(Keyword::TYPE) {
                    return Err(Error::unsupported("%TYPE"));
                }
                self.named_type(name, true)?
            }
        })
    }

    fn character(&mut self) -> Result<BaseType> {
        let is_varying = self.parse_keyword(Keyword::VARYING);
        let length = self.parse_optional_precision()?;
        Ok(match is_varying {
            true => BaseType::Varchar(length),
            false => BaseType::Char(length),
        })
    }

    /// `(n)`, if it comes next.
    pub fn parse_optional_precision(&mut self) -> Result<Option<u64>> {
        if !self.consume_token(&Token::LParen) {
            return Ok(None);
        }
        let number = self.parse_literal_uint()?;
        self.expect_token(&Token::RParen)?;
        Ok(Some(number))
    }

    fn numeric(&mut self) -> Result<BaseType> {
        let (mut precision, mut scale) = (None, None);
        if self.consume_token(&Token::LParen) {
            precision = Some(self.parse_literal_uint()?);
            if self.consume_token(&Token::Comma) {
                let is_negative = self.consume_token(&Token::Minus);
                let digits = i64::try_from(self.parse_literal_uint()?).unwrap_or(i64::MAX);
                scale = Some(if is_negative { -digits } else { digits });
            }
            self.expect_token(&Token::RParen)?;
        }
        Ok(BaseType::Numeric { precision, scale })
    }

    /// Whether `WITH TIME ZONE` comes next, or `WITHOUT TIME ZONE`, or nothing.
    fn time_zone(&mut self) -> Result<bool> {
        let with_zone = match self.peek_token().keyword {
            Keyword::WITH if self.second_is(Keyword::TIME) => true,
            Keyword::WITHOUT if self.second_is(Keyword::TIME) => false,
            _ => return Ok(false),
        };
        self.next_token();
        self.next_token();
        self.expect_keyword(Keyword::ZONE)?;
        Ok(with_zone)
    }

    /// The fields of an interval type, `DAY TO SECOND(3)`.
    fn interval_fields(&mut self) -> Result<BaseType> {
        use IntervalFields as F;
        let first = self.peek_token().keyword;
        let mut precision = None;
        let mut last = Keyword::NoKeyword;
        let is_field = matches!(
            first,
            Keyword::YEAR
                | Keyword::MONTH
                | Keyword::DAY
                | Keyword::HOUR
                | Keyword::MINUTE
                | Keyword::SECOND
        );
        if !is_field {
            return Ok(BaseType::Interval {
                fields: None,
                precision,
            });
        }
        self.next_token();
        if first != Keyword::SECOND && self.parse_keyword(Keyword::TO) {
            last = self.next_token().keyword;
        }
        let fields = match (first, last) {
            (Keyword::YEAR, Keyword::NoKeyword) => F::Year,
            (Keyword::MONTH, Keyword::NoKeyword) => F::Month,
            (Keyword::DAY, Keyword::NoKeyword) => F::Day,
            (Keyword::HOUR, Keyword::NoKeyword) => F::Hour,
            (Keyword::MINUTE, Keyword::NoKeyword) => F::Minute,
            (Keyword::SECOND, _) => F::Second,
            (Keyword::YEAR, Keyword::MONTH) => F::YearToMonth,
            (Keyword::DAY, Keyword::HOUR) => F::DayToHour,
            (Keyword::DAY, Keyword::MINUTE) => F::DayToMinute,
            (Keyword::DAY, Keyword::SECOND) => F::DayToSecond,
            (Keyword::HOUR, Keyword::MINUTE) => F::HourToMinute,
            (Keyword::HOUR, Keyword::SECOND) => F::HourToSecond,
            (Keyword::MINUTE, Keyword::SECOND) => F::MinuteToSecond,
            _ => {
                self.prev_token();
                return self.unexpected();
            }
        };
        if first == Keyword::SECOND || last == Keyword::SECOND {
            precision = self.parse_optional_precision()?;
        }
        Ok(BaseType::Interval {
            fields: Some(fields),
            precision,
        })
    }

    /// A type that is no keyword, with its modifiers if they may follow.
    #[inline(never)]
    pub(crate) fn named_type(
        &mut self,
        name: ObjectName,
        may_be_modified: bool,
    ) -> Result<BaseType> {
        let has_modifiers = may_be_modified && self.peek() == Token::LParen;
        let is_word = name.qualifiers.is_empty() && !name.name.is_quoted;
        let zoned = match name.name.text.as_str() {
            "timestamptz" if is_word => true,
            "timetz" if is_word => false,
            "varbit" if is_word => {
                if has_modifiers {
                    self.parse_optional_precision()?;
                }
                return Ok(BaseType::Bit);
            }
            _ => {
                let mut modifiers = Vec::new();
                if has_modifiers {
                    modifiers = self.parse_parenthesized(Parser::type_modifier)?;
                }
                return Ok(BaseType::Named { name, modifiers });
            }
        };
        let precision = match has_modifiers {
            true => self.parse_optional_precision()?,
            false => None,
        };
        let with_zone = true;
        Ok(match zoned {
            true => BaseType::Timestamp {
                precision,
                with_zone,
            },
            false => BaseType::Time {
                precision,
                with_zone,
            },
        })
    }

    /// The type of a string behind it, whose name was taken.
    pub(crate) fn type_before_string(
        &mut self,
        name: ObjectName,
        may_be_modified: bool,
    ) -> Result<TypeName> {
        let first: Span = name.span();
        let base = self.named_type(name, may_be_modified)?;
        Ok(TypeName {
            base,
            dimensions: Vec::new(),
            span: self.since(first),
        })
    }

    fn type_modifier(&mut self) -> Result<String> {
        let is_negative = self.consume_token(&Token::Minus);
        let next = self.next_token();
        let text = match next.token {
            Token::Number | Token::Word => self.text_of(next).to_owned(),
            token if Parser::is_string(token) => self.string_of(next)?,
            _ => return Err(self.error_at(next)),
        };
        Ok(match is_negative {
            true => format!("-{text}"),
            false => text,
        })
    }
}
