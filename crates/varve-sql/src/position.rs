//! Places in the text: characters of the whole text, which trees keep as columns of one line.

use std::sync::Arc;

use sqlparser::ast::helpers::attached_token::AttachedToken;
use sqlparser::ast::{
    AccessExpr, CastFormat, Expr as Ast, Ident, ObjectName, ObjectNamePart, SqlOption, TypedString,
};
use sqlparser::tokenizer::Location;

use crate::bind::fold_name;

/// Where the tokens of a statement stand.
#[derive(Debug, Default)]
pub(crate) struct SourceMap {
    /// Positions of the statement's tokens without parentheses, ascending: what stands before an
    /// operand is then its operator.
    tokens: Vec<u32>,
    /// The subscripts of the columns that the statement assigns to, as their names number them.
    subscripts: Vec<Arc<[AccessExpr]>>,
    /// Storage parameters of the indexes of constraints.
    pub(crate) index_options: Vec<SqlOption>,
    /// Whether the statement names the system column `tableoid`.
    pub(crate) names_tableoid: bool,
}

/// The position of a place; 0 when it is none.
fn position_at(location: Location) -> u32 {
    u32::try_from(location.column).unwrap_or(u32::MAX)
}

impl SourceMap {
    pub(crate) fn new(tokens: Vec<u32>, subscripts: Vec<Vec<AccessExpr>>) -> SourceMap {
        let subscripts = subscripts.into_iter().map(Arc::from).collect();
        SourceMap {
            tokens,
            subscripts,
            index_options: Vec::new(),
            names_tableoid: false,
        }
    }

    /// The name of a column that is assigned to, and its subscripts.
    pub(crate) fn target(&self, ident: &Ident) -> (String, Arc<[AccessExpr]>) {
        let name = fold_name(ident);
        let Some((column, number)) = name.split_once('\0') else {
            return (name, Arc::default());
        };
        let number = number.parse::<usize>().ok();
        let subscripts = number.and_then(|number| self.subscripts.get(number));
        (column.to_owned(), subscripts.cloned().unwrap_or_default())
    }

    /// Number of tokens, parentheses left out.
    pub(crate) fn tokens(&self) -> usize {
        self.tokens.len()
    }

    /// Where a token stands that the parser kept.
    pub(crate) fn token(&self, token: &AttachedToken) -> u32 {
        position_at(token.0.span.start)
    }

    /// Where an identifier stands.
    pub(crate) fn ident(&self, ident: &Ident) -> u32 {
        position_at(ident.span.start)
    }

    /// Where the type of a cast stands, which the parser keeps as its format.
    pub(crate) fn cast_type(&self, format: Option<&CastFormat>) -> u32 {
        match format {
            Some(CastFormat::Value(place)) => position_at(place.span.start),
            _ => 0,
        }
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

    /// The token behind a position, parentheses left out; the position itself when there is none.
    pub(crate) fn after(&self, position: u32) -> u32 {
        let index = self.tokens.partition_point(|token| *token <= position);
        self.tokens.get(index).copied().unwrap_or(position)
    }

    /// The operator before its right operand.
    pub(crate) fn operator(&self, right: &Ast) -> u32 {
        let (position, is_typed) = self.start(right);
        let before = self.before(position);
        // The place of a constant with a type is that of its text.
        match is_typed {
            true => self.before(before),
            false => before,
        }
    }

    /// The first token of the statement.
    pub(crate) fn first(&self) -> u32 {
        self.tokens.first().copied().unwrap_or(0)
    }

    /// Where an expression starts, parentheses left out; 0 where the parser keeps no place.
    pub(crate) fn expr(&self, expr: &Ast) -> u32 {
        self.start(expr).0
    }

    /// Where an expression starts, and whether a type stands before that.
    fn start(&self, expr: &Ast) -> (u32, bool) {
        let mut is_typed = false;
        // The way down the left side is a loop, so that a long chain costs no stack.
        let mut expr = expr;
        let mut words_before = 0;
        let position = loop {
            expr = match expr {
                Ast::Identifier(ident) => break self.ident(ident),
                Ast::CompoundIdentifier(parts) => {
                    break parts.first().map_or(0, |part| self.ident(part));
                }
                Ast::Value(value) => break position_at(value.span.start),
                Ast::TypedString(TypedString { value, .. }) => {
                    is_typed = true;
                    break position_at(value.span.start);
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
            return (0, false);
        }
        let start = (0..words_before).fold(position, |position, _| self.before(position));
        (start, is_typed && words_before == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::SourceMap;

    #[test]
    fn the_token_before_an_operand_is_found() {
        let map = SourceMap::new(vec![1, 8, 10, 12], Vec::new());
        assert_eq!(map.before(12), 10);
        assert_eq!(map.before(11), 10);
        assert_eq!(map.before(1), 1);
        assert_eq!(map.first(), 1);
    }
}
