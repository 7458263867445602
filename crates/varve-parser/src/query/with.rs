//! WITH: named queries, with SEARCH and CYCLE of the recursive ones.

use varve_ast::{Cte, Cycle, Name, Search, With};
use varve_lexer::{Keyword, Token};
use varve_types::Result;

use crate::parser::{IsOptional, Parser};

impl Parser<'_> {
    /// `WITH` and its queries, if it comes next.
    #[inline(never)]
    pub(crate) fn with(&mut self) -> Result<Option<With>> {
        if !self.peek_keyword(Keyword::WITH) {
            return Ok(None);
        }
        let span = self.next_token().span();
        Ok(Some(With {
            is_recursive: self.parse_keyword(Keyword::RECURSIVE),
            ctes: self.parse_comma_separated(Parser::cte)?,
            span,
        }))
    }

    #[inline(never)]
    fn cte(&mut self) -> Result<Cte> {
        let name = self.parse_identifier()?;
        let columns = self.parse_parenthesized_column_list(IsOptional::Optional)?;
        self.expect_keyword(Keyword::AS)?;
        let is_materialized = if self.parse_keyword(Keyword::MATERIALIZED) {
            Some(true)
        } else if self.parse_keyword(Keyword::NOT) {
            self.expect_keyword(Keyword::MATERIALIZED)?;
            Some(false)
        } else {
            None
        };
        self.expect_token(&Token::LParen)?;
        let query = self.parse_query()?;
        let closing = self.expect_token(&Token::RParen)?.span();
        Ok(Cte {
            name,
            columns,
            is_materialized,
            query,
            search: self.search()?,
            cycle: self.cycle()?,
            closing,
        })
    }

    /// `SEARCH DEPTH | BREADTH FIRST BY columns SET column`
    #[inline(never)]
    fn search(&mut self) -> Result<Option<Search>> {
        let first = self.next_span();
        if !self.parse_keyword(Keyword::SEARCH) {
            return Ok(None);
        }
        let order = self.expect_one_of_keywords(&[Keyword::DEPTH, Keyword::BREADTH])?;
        self.expect_keywords(&[Keyword::FIRST, Keyword::BY])?;
        let (columns, column) = self.walked_columns()?;
        Ok(Some(Search {
            is_breadth_first: order == Keyword::BREADTH,
            columns,
            column,
            span: self.since(first),
        }))
    }

    /// `CYCLE columns SET mark [TO value DEFAULT value] USING path`
    #[inline(never)]
    fn cycle(&mut self) -> Result<Option<Cycle>> {
        let first = self.next_span();
        if !self.parse_keyword(Keyword::CYCLE) {
            return Ok(None);
        }
        let (columns, mark) = self.walked_columns()?;
        let mut values = None;
        if self.parse_keyword(Keyword::TO) {
            let value = *self.primary()?;
            self.expect_keyword(Keyword::DEFAULT)?;
            values = Some((value, *self.primary()?));
        }
        self.expect_keyword(Keyword::USING)?;
        Ok(Some(Cycle {
            columns,
            mark,
            values,
            path: self.parse_identifier()?,
            span: self.since(first),
        }))
    }

    /// `column, ... SET column`
    fn walked_columns(&mut self) -> Result<(Vec<Name>, Name)> {
        let columns = self.parse_comma_separated(Parser::parse_identifier)?;
        self.expect_keyword(Keyword::SET)?;
        Ok((columns, self.parse_identifier()?))
    }
}
