//! Names of types.

use sqlparser::ast::{
    ArrayElemTypeDef, CharacterLength, DataType, ExactNumberInfo, IntervalFields, ObjectName,
    ObjectNamePart, TimezoneInfo,
};
use varve_types::{Error, Result, SqlState};

use crate::keyword::Keyword;
use crate::parser::Parser;
use crate::token::Token;

/// Most dimensions that a type is written with.
const DIMENSIONS_MAX: usize = 64;

impl Parser<'_> {
    /// A type.
    pub fn parse_data_type(&mut self) -> Result<DataType> {
        let mut data_type = self.simple_type()?;
        if self.parse_keyword(Keyword::ARRAY) {
            let mut length = None;
            if self.consume_token(&Token::LBracket) {
                length = Some(self.parse_literal_uint()?);
                self.expect_token(&Token::RBracket)?;
            }
            let element = Box::new(data_type);
            return Ok(DataType::Array(ArrayElemTypeDef::Qualified(
                element, length,
            )));
        }
        let mut dimensions = 0;
        while self.consume_token(&Token::LBracket) {
            let length = match self.peek() {
                Token::RBracket => None,
                _ => Some(self.parse_literal_uint()?),
            };
            self.expect_token(&Token::RBracket)?;
            dimensions += 1;
            if dimensions > DIMENSIONS_MAX {
                let message = "number of array dimensions exceeds the maximum allowed";
                return Err(Error::new(SqlState::PROGRAM_LIMIT_EXCEEDED, message));
            }
            let element = Box::new(data_type);
            data_type = DataType::Array(ArrayElemTypeDef::SquareBracket(element, length));
        }
        Ok(data_type)
    }

    /// A type that is no array.
    fn simple_type(&mut self) -> Result<DataType> {
        let next = self.next_token();
        Ok(match next.keyword {
            Keyword::INT => DataType::Int(None),
            Keyword::INTEGER => DataType::Integer(None),
            Keyword::SMALLINT => DataType::SmallInt(None),
            Keyword::BIGINT => DataType::BigInt(None),
            Keyword::REAL => DataType::Real,
            Keyword::BOOLEAN => DataType::Boolean,
            Keyword::FLOAT => DataType::Float(self.precision_and_scale()?),
            Keyword::DECIMAL => DataType::Decimal(self.precision_and_scale()?),
            Keyword::DEC => DataType::Dec(self.precision_and_scale()?),
            Keyword::NUMERIC => DataType::Numeric(self.precision_and_scale()?),
            Keyword::DOUBLE if self.parse_keyword(Keyword::PRECISION) => DataType::DoublePrecision,
            Keyword::BIT => match self.parse_keyword(Keyword::VARYING) {
                true => DataType::BitVarying(self.parse_optional_precision()?),
                false => DataType::Bit(self.parse_optional_precision()?),
            },
            Keyword::VARCHAR => DataType::Varchar(self.length()?),
            Keyword::NATIONAL => {
                self.expect_one_of_keywords(&[Keyword::CHARACTER, Keyword::CHAR])?;
                self.character(Keyword::CHAR)?
            }
            Keyword::CHARACTER | Keyword::CHAR | Keyword::NCHAR => self.character(next.keyword)?,
            Keyword::TIMESTAMP => {
                let digits = self.parse_optional_precision()?;
                DataType::Timestamp(digits, self.time_zone()?)
            }
            Keyword::TIME => {
                let digits = self.parse_optional_precision()?;
                DataType::Time(digits, self.time_zone()?)
            }
            Keyword::INTERVAL => {
                let precision = self.parse_optional_precision()?;
                match precision {
                    Some(_) => DataType::Interval {
                        fields: None,
                        precision,
                    },
                    None => self.interval_fields()?,
                }
            }
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

    fn character(&mut self, word: Keyword) -> Result<DataType> {
        let varying = self.parse_keyword(Keyword::VARYING);
        let length = self.length()?;
        Ok(match (word, varying) {
            (Keyword::CHARACTER, true) => DataType::CharacterVarying(length),
            (Keyword::CHARACTER, false) => DataType::Character(length),
            (_, true) => DataType::CharVarying(length),
            (_, false) => DataType::Char(length),
        })
    }

    /// `(n)`
    fn length(&mut self) -> Result<Option<CharacterLength>> {
        let length = self.parse_optional_precision()?;
        Ok(length.map(|length| CharacterLength::IntegerLength { length, unit: None }))
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

    fn precision_and_scale(&mut self) -> Result<ExactNumberInfo> {
        if !self.consume_token(&Token::LParen) {
            return Ok(ExactNumberInfo::None);
        }
        let precision = self.parse_literal_uint()?;
        let mut scale = None;
        if self.consume_token(&Token::Comma) {
            let negative = self.consume_token(&Token::Minus);
            let digits = i64::try_from(self.parse_literal_uint()?).unwrap_or(i64::MAX);
            scale = Some(if negative { -digits } else { digits });
        }
        self.expect_token(&Token::RParen)?;
        Ok(match scale {
            Some(scale) => ExactNumberInfo::PrecisionAndScale(precision, scale),
            None => ExactNumberInfo::Precision(precision),
        })
    }

    fn time_zone(&mut self) -> Result<TimezoneInfo> {
        let with = match self.peek_token().keyword {
            Keyword::WITH if self.second_is(Keyword::TIME) => TimezoneInfo::WithTimeZone,
            Keyword::WITHOUT if self.second_is(Keyword::TIME) => TimezoneInfo::WithoutTimeZone,
            _ => return Ok(TimezoneInfo::None),
        };
        self.next_token();
        self.next_token();
        self.expect_keyword(Keyword::ZONE)?;
        Ok(with)
    }

    /// The fields of an interval type, `DAY TO SECOND(3)`.
    fn interval_fields(&mut self) -> Result<DataType> {
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
            return Ok(DataType::Interval {
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
        Ok(DataType::Interval {
            fields: Some(fields),
            precision,
        })
    }

    /// A type that is no keyword, with its modifiers if they may follow.
    #[inline(never)]
    pub(crate) fn named_type(&mut self, name: ObjectName, modified: bool) -> Result<DataType> {
        let word = match name.0.as_slice() {
            [ObjectNamePart::Identifier(ident)] if ident.quote_style.is_none() => {
                ident.value.to_ascii_lowercase()
            }
            _ => String::new(),
        };
        let precise = modified && self.peek() == Token::LParen;
        let digits = |parser: &mut Self| match precise {
            true => parser.parse_optional_precision(),
            false => Ok(None),
        };
        Ok(match word.as_str() {
            "timestamptz" => DataType::Timestamp(digits(self)?, TimezoneInfo::Tz),
            "timetz" => DataType::Time(digits(self)?, TimezoneInfo::Tz),
            "varbit" => DataType::VarBit(digits(self)?),
            _ if precise => {
                self.next_token();
                let modifiers = self.parse_comma_separated(Parser::type_modifier)?;
                self.expect_token(&Token::RParen)?;
                DataType::Custom(name, modifiers)
            }
            "text" => DataType::Text,
            "int2" => DataType::Int2(None),
            "int4" => DataType::Int4(None),
            "int8" => DataType::Int8(None),
            "float4" => DataType::Float4,
            "float8" => DataType::Float8,
            "bool" => DataType::Bool,
            "uuid" => DataType::Uuid,
            "date" => DataType::Date,
            "json" => DataType::JSON,
            "jsonb" => DataType::JSONB,
            "bytea" => DataType::Bytea,
            "regclass" => DataType::Regclass,
            "trigger" => DataType::Trigger,
            _ => DataType::Custom(name, Vec::new()),
        })
    }

    fn type_modifier(&mut self) -> Result<String> {
        let negative = self.consume_token(&Token::Minus);
        let next = self.next_token();
        let text = match next.token {
            Token::Number => self.text_of(next).to_owned(),
            Token::Word => self.text_of(next).to_owned(),
            token if Parser::is_string(token) => self.string_of(next)?,
            _ => return Err(self.error_at(next)),
        };
        Ok(match negative {
            true => format!("-{text}"),
            false => text,
        })
    }
}
