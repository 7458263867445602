//! `EXCLUDE` in window frames, which trees do not know: an item of PARTITION BY marks it.

use sqlparser::ast::Expr as Ast;
use varve_parser::marker;

use crate::window::FrameExclusion;

/// The names of the items, and what they stand for.
const EXCLUSIONS: [(&str, FrameExclusion); 4] = [
    (marker::EXCLUDE_CURRENT_ROW, FrameExclusion::CurrentRow),
    (marker::EXCLUDE_GROUP, FrameExclusion::Group),
    (marker::EXCLUDE_TIES, FrameExclusion::Ties),
    (marker::EXCLUDE_NO_OTHERS, FrameExclusion::NoOthers),
];

/// The exclusion that an item of PARTITION BY stands for.
pub(crate) fn exclusion_of(item: &Ast) -> Option<FrameExclusion> {
    let Ast::Identifier(ident) = item else {
        return None;
    };
    let found = EXCLUSIONS.iter().find(|(name, _)| *name == ident.value);
    found.map(|(_, exclusion)| *exclusion)
}
