//! What trees do not know of windows: items of PARTITION BY mark where one starts, and `EXCLUDE`.

use sqlparser::ast::{Expr as Ast, Ident};
use varve_parser::marker;

use crate::window::FrameExclusion;

/// The names of the items, and what they stand for.
const EXCLUSIONS: [(&str, FrameExclusion); 4] = [
    (marker::EXCLUDE_CURRENT_ROW, FrameExclusion::CurrentRow),
    (marker::EXCLUDE_GROUP, FrameExclusion::Group),
    (marker::EXCLUDE_TIES, FrameExclusion::Ties),
    (marker::EXCLUDE_NO_OTHERS, FrameExclusion::NoOthers),
];

/// The name of an item of PARTITION BY that is none.
fn marker_of(item: &Ast) -> Option<&Ident> {
    match item {
        Ast::Identifier(ident) if ident.value.starts_with('\0') => Some(ident),
        _ => None,
    }
}

/// The markers before the items of PARTITION BY, and the items.
pub(crate) fn split_markers(partition_by: &[Ast]) -> (&[Ast], &[Ast]) {
    let markers = partition_by
        .iter()
        .take_while(|item| marker_of(item).is_some());
    partition_by.split_at(markers.count())
}

/// The name of the marker that tells where a window starts.
pub(crate) fn window_start(markers: &[Ast]) -> Option<&Ident> {
    let mut markers = markers.iter().filter_map(marker_of);
    markers.find(|marker| marker.value == marker::WINDOW)
}

/// What EXCLUDE among markers says.
pub(crate) fn exclusion_of(markers: &[Ast]) -> FrameExclusion {
    let found = markers.iter().filter_map(marker_of).find_map(|marker| {
        let mut known = EXCLUSIONS.iter();
        known.find(|(name, _)| *name == marker.value)
    });
    found.map_or(FrameExclusion::NoOthers, |(_, exclusion)| *exclusion)
}
