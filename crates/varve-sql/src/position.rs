//! Places in the text: the parser counts lines and columns, errors count characters of the whole
//! text.

use std::sync::Arc;

use sqlparser::ast::helpers::attached_token::AttachedToken;
use sqlparser::ast::{AccessExpr, Expr as Ast, Ident, ObjectName, ObjectNamePart, TypedString};
use sqlparser::tokenizer::Location;

use crate::bind::fold_name;

/// Where the lines of a text start and where the tokens of one statement of it stand.
#[derive(Debug, Default)]
pub(crate) struct SourceMap {
    /// Position of the first character of each line.
    lines: Arc<[u32]>,
    /// Positions of the statement's tokens without parentheses, ascending: what stands before an
    /// operand is then its operator.
    tokens: Vec<u32>,
    /// The subscripts of the columns that the statement assigns to, as their names number them.
    subscripts: Vec<Vec<AccessExpr>>,
}

/// The position (from 1) of the first character of each line of `text`.
pub(crate) fn line_starts(text: &str) -> Vec<u32> {
    let mut lines = vec![1];
    let mut position: u32 = 1;
    for character in text.chars() {
        position = position.saturating_add(1);
        if character == '\n' {
            lines.push(position);
        }
    }
    lines
}

/// The position of a place that the tokenizer gives; 0 when it gives none.
pub(crate) fn position_at(lines: &[u32], location: Location) -> u32 {
    let line = usize::try_from(location.line)
        .ok()
        .and_then(|line| line.checked_sub(1));
    let Some(start) = line.and_then(|line| lines.get(line)) else {
        return 0;
    };
    let column = u32::try_from(location.column).unwrap_or(u32::MAX);
    start.saturating_add(column.saturating_sub(1))
}

impl SourceMap {
    pub(crate) fn new(
        lines: Arc<[u32]>,
        tokens: Vec<u32>,
        subscripts: Vec<Vec<AccessExpr>>,
    ) -> SourceMap {
        SourceMap {
            lines,
            tokens,
            subscripts,
        }
    }

    /// The name of a column that is assigned to, and its subscripts.
    pub(crate) fn target(&self, ident: &Ident) -> (String, &[AccessExpr]) {
        let name = fold_name(ident);
        let Some((column, number)) = name.split_once('\0') else {
            return (name, &[]);
        };
        let number = number.parse::<usize>().ok();
        let subscripts = number.and_then(|number| self.subscripts.get(number));
        (column.to_owned(), subscripts.map_or(&[], Vec::as_slice))
    }

    /// Number of tokens, parentheses left out.
    pub(crate) fn tokens(&self) -> usize {
        self.tokens.len()
    }

    /// Where a token stands that the parser kept.
    pub(crate) fn token(&self, token: &AttachedToken) -> u32 {
        position_at(&self.lines, token.0.span.start)
    }

    /// Where an identifier stands.
    pub(crate) fn ident(&self, ident: &Ident) -> u32 {
        position_at(&self.lines, ident.span.start)
    }

    /// Where a possibly qualified name starts.
    pub(crate) fn name(&self, name: &ObjectName) -> u32 {
        match name.0.first() {
            Some(ObjectNamePart::Identifier(ident)) => self.ident(ident),
            Some(ObjectNamePart::Function(function)) => self.ident(&function.name),
            None => 0,
        }
    }

    /// The token before a position, parentheses left out; the position itself when there is none.
    pub(crate) fn before(&self, position: u32) -> u32 {
        let index = self.tokens.partition_point(|token| *token < position);
        index
            .checked_sub(1)
            .and_then(|index| self.tokens.get(index))
            .copied()
            .unwrap_or(position)
    }

    /// The first token of the statement.
    pub(crate) fn first(&self) -> u32 {
        self.tokens.first().copied().unwrap_or(0)
    }

    /// Where an expression starts, parentheses left out; 0 where the parser keeps no place.
    pub(crate) fn expr(&self, expr: &Ast) -> u32 {
        // The way down the left side is a loop, so that a long chain costs no stack.
        let mut expr = expr;
        let mut words_before = 0;
        let position = loop {
            expr = match expr {
                Ast::Identifier(ident) => break self.ident(ident),
                Ast::CompoundIdentifier(parts) => {
                    break parts.first().map_or(0, |part| self.ident(part));
                }
                Ast::Value(value) => break position_at(&self.lines, value.span.start),
                Ast::TypedString(TypedString { value, .. }) => {
                    break position_at(&self.lines, value.span.start);
                }
                Ast::Function(function) => break self.name(&function.name),
                Ast::Case { case_token, .. } => break self.token(case_token),
                Ast::Wildcard(token) => break self.token(token),
                Ast::UnaryOp { expr, .. } => {
                    words_before += 1;
                    expr
                }
                Ast::BinaryOp { left, .. } | Ast::AnyOp { left, .. } | Ast::AllOp { left, .. } => {
                    left
                }
                Ast::IsDistinctFrom(left, _) | Ast::IsNotDistinctFrom(left, _) => left,
                Ast::IsNull(expr)
                | Ast::IsNotNull(expr)
                | Ast::IsTrue(expr)
                | Ast::IsNotTrue(expr)
                | Ast::IsFalse(expr)
                | Ast::IsNotFalse(expr)
                | Ast::IsUnknown(expr)
                | Ast::IsNotUnknown(expr)
                | Ast::Nested(expr)
                | Ast::InList { expr, .. }
                | Ast::InSubquery { expr, .. }
                | Ast::Between { expr, .. }
                | Ast::Like { expr, .. }
                | Ast::ILike { expr, .. }
                | Ast::SimilarTo { expr, .. }
                | Ast::Cast { expr, .. }
                | Ast::Collate { expr, .. }
                | Ast::Extract { expr, .. }
                | Ast::Ceil { expr, .. }
                | Ast::Floor { expr, .. }
                | Ast::Position { expr, .. }
                | Ast::Substring { expr, .. }
                | Ast::Trim { expr, .. }
                | Ast::AtTimeZone {
                    timestamp: expr, ..
                } => expr,
                Ast::CompoundFieldAccess { root, .. } => root,
                Ast::Array(array) => match array.elem.first() {
                    Some(item) => {
                        words_before += 2;
                        item
                    }
                    None => break 0,
                },
                Ast::Tuple(items) => match items.first() {
                    Some(item) => item,
                    None => break 0,
                },
                _ => break 0,
            };
        };
        if position == 0 {
            return 0;
        }
        (0..words_before).fold(position, |position, _| self.before(position))
    }
}

#[cfg(test)]
mod tests {
    use super::{SourceMap, line_starts, position_at};
    use sqlparser::tokenizer::Location;

    #[test]
    fn lines_and_columns_become_characters() {
        let lines = line_starts("select\n  \u{e9}x\n\ny");
        let cases = [(1, 1, 1), (1, 6, 6), (2, 3, 10), (4, 1, 14), (0, 0, 0)];
        for (line, column, position) in cases {
            let location = Location { line, column };
            assert_eq!(position_at(&lines, location), position, "{location:?}");
        }
        assert_eq!(position_at(&lines, Location { line: 9, column: 1 }), 0);
    }

    #[test]
    fn the_token_before_an_operand_is_found() {
        let map = SourceMap::new([1].into(), vec![1, 8, 10, 12], Vec::new());
        assert_eq!(map.before(12), 10);
        assert_eq!(map.before(11), 10);
        assert_eq!(map.before(1), 1);
        assert_eq!(map.first(), 1);
    }
}
