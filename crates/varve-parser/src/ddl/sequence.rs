//! CREATE, ALTER and DROP SEQUENCE, and the options of identity columns.

use core::mem::discriminant;

use varve_ast::{
    ObjectName, SequenceChange, SequenceOption, SequenceOptionKind, SequenceOptions, SignedNumber,
};
use varve_lexer::{Keyword, Token};
use varve_types::Result;

use crate::option::redundant;
use crate::parser::Parser;

/// Adds an option, which must be the first of its kind.
fn add(options: &mut Vec<SequenceOption>, option: SequenceOption, position: u32) -> Result<()> {
    let kind = discriminant(&option.kind);
    if options
        .iter()
        .any(|known| discriminant(&known.kind) == kind)
    {
        return Err(redundant(position));
    }
    options.push(option);
    Ok(())
}

impl Parser<'_> {
    /// What follows `CREATE [TEMPORARY | UNLOGGED] SEQUENCE`.
    pub(crate) fn create_sequence(
        &mut self,
        is_temporary: bool,
        is_unlogged: bool,
    ) -> Result<SequenceChange> {
        Ok(SequenceChange::Create {
            is_temporary,
            is_unlogged,
            if_not_exists: self.parse_keywords(&[Keyword::IF, Keyword::NOT, Keyword::EXISTS]),
            name: self.parse_object_name()?,
            options: self.whole_sequence_options()?,
        })
    }

    /// What follows `ALTER SEQUENCE`, where options are changed.
    pub(crate) fn alter_sequence(&mut self) -> Result<SequenceChange> {
        Ok(SequenceChange::Alter {
            if_exists: self.if_exists(),
            name: self.parse_object_name()?,
            options: self.whole_sequence_options()?,
        })
    }

    /// What follows `DROP SEQUENCE`.
    pub(crate) fn drop_sequence(&mut self) -> Result<SequenceChange> {
        Ok(SequenceChange::Drop {
            if_exists: self.if_exists(),
            names: self.parse_object_names()?,
            is_cascade: self.cascade(),
        })
    }

    /// All that may be said of a sequence.
    fn whole_sequence_options(&mut self) -> Result<SequenceOptions> {
        let mut options = SequenceOptions::default();
        loop {
            let first = self.peek_token();
            if let Some(option) = self.sequence_option()? {
                add(&mut options.items, option, first.position)?;
            } else if self.parse_keyword(Keyword::AS) {
                options.type_name = Some(self.parse_data_type()?);
            } else if self.parse_keyword(Keyword::RESTART) {
                let number = match self.parse_keyword(Keyword::WITH) {
                    true => Some(self.parse_number()?),
                    false => self.maybe_parse(Parser::parse_number)?,
                };
                options.restart = Some(number);
            } else if self.parse_keywords(&[Keyword::OWNED, Keyword::BY]) {
                let owner = match self.parse_keyword(Keyword::NONE) {
                    true => None,
                    false => Some(self.parse_object_name()?),
                };
                options.owned_by = Some(owner);
            } else {
                return Ok(options);
            }
        }
    }

    /// The options of an identity column's sequence, and the name that they give it.
    pub(crate) fn identity_options(&mut self) -> Result<(Option<ObjectName>, Vec<SequenceOption>)> {
        let (mut name, mut options) = (None, Vec::new());
        if !self.consume_token(&Token::LParen) {
            return Ok((name, options));
        }
        loop {
            let next = self.peek_token();
            if self.parse_keywords(&[Keyword::SEQUENCE, Keyword::NAME]) {
                if name.is_some() {
                    return Err(redundant(next.position));
                }
                name = Some(self.parse_object_name()?);
            } else if self.parse_keywords(&[Keyword::OWNED, Keyword::BY]) {
                self.parse_object_name()?;
                // The column is its owner.
                return Err(redundant(next.position));
            } else if self.parse_keyword(Keyword::LOGGED) {
                // As all of them are.
            } else if let Some(option) = self.sequence_option()? {
                add(&mut options, option, next.position)?;
            } else {
                break;
            }
        }
        self.expect_token(&Token::RParen)?;
        Ok((name, options))
    }

    /// Options of a sequence, in any order; what is none of them is left.
    pub(crate) fn sequence_options(&mut self) -> Result<Vec<SequenceOption>> {
        let mut options = Vec::new();
        while let Some(option) = self.sequence_option()? {
            options.push(option);
        }
        Ok(options)
    }

    fn sequence_option(&mut self) -> Result<Option<SequenceOption>> {
        let first = self.peek_token();
        let is_no = first.keyword == Keyword::NO;
        let word = match is_no {
            true => self.peek_nth_token(1).keyword,
            false => first.keyword,
        };
        if !matches!(
            (word, is_no),
            (Keyword::MINVALUE | Keyword::MAXVALUE | Keyword::CYCLE, _)
                | (Keyword::INCREMENT | Keyword::START | Keyword::CACHE, false)
        ) {
            return Ok(None);
        }
        self.next_token();
        if is_no {
            self.next_token();
        }
        let kind = match word {
            Keyword::MINVALUE => SequenceOptionKind::MinValue(self.bound(is_no)?),
            Keyword::MAXVALUE => SequenceOptionKind::MaxValue(self.bound(is_no)?),
            Keyword::CYCLE => SequenceOptionKind::Cycle(!is_no),
            Keyword::CACHE => SequenceOptionKind::Cache(self.parse_number()?),
            Keyword::INCREMENT => {
                let _by = self.parse_keyword(Keyword::BY);
                SequenceOptionKind::Increment(self.parse_number()?)
            }
            _ => {
                let _with = self.parse_keyword(Keyword::WITH);
                SequenceOptionKind::Start(self.parse_number()?)
            }
        };
        let span = self.since(first.span());
        Ok(Some(SequenceOption { kind, span }))
    }

    /// The number of MINVALUE or MAXVALUE; none behind NO.
    fn bound(&mut self, is_no: bool) -> Result<Option<SignedNumber>> {
        match is_no {
            true => Ok(None),
            false => self.parse_number().map(Some),
        }
    }
}
