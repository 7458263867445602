//! Windows.

use crate::expr::Expr;
use crate::name::Name;
use crate::query::OrderItem;
use crate::span::Span;

/// What stands behind OVER.
pub enum Over {
    /// A window of the WINDOW clause.
    Name(Name),
    /// A window of its own.
    Spec(Box<WindowSpec>),
}

/// `name AS (window)`
pub struct NamedWindow {
    /// Its name.
    pub name: Name,
    /// The window.
    pub spec: WindowSpec,
}

/// A window in parentheses.
pub struct WindowSpec {
    /// The window that it extends.
    pub base: Option<Name>,
    /// `PARTITION BY`
    pub partition_by: Vec<Expr>,
    /// `ORDER BY`
    pub order_by: Vec<OrderItem>,
    /// Its frame, where one is written.
    pub frame: Option<Frame>,
    /// Where it stands, from its parenthesis on.
    pub span: Span,
}

/// The frame of a window.
pub struct Frame {
    /// `RANGE`, `ROWS`, `GROUPS`
    pub units: FrameUnits,
    /// Where it starts.
    pub start: FrameBound,
    /// Where it ends; at the current row where nothing is written.
    pub end: Option<FrameBound>,
    /// `EXCLUDE`, and where it stands.
    pub exclusion: Option<(FrameExclusion, Span)>,
}

/// What a frame counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameUnits {
    /// Values.
    Range,
    /// Rows.
    Rows,
    /// Groups of peers.
    Groups,
}

/// An end of a frame.
pub enum FrameBound {
    /// `CURRENT ROW`
    CurrentRow,
    /// `n PRECEDING`; `None` for UNBOUNDED.
    Preceding(Option<Box<Expr>>),
    /// `n FOLLOWING`; `None` for UNBOUNDED.
    Following(Option<Box<Expr>>),
}

/// What a frame leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameExclusion {
    /// `CURRENT ROW`
    CurrentRow,
    /// `GROUP`
    Group,
    /// `TIES`
    Ties,
    /// `NO OTHERS`
    NoOthers,
}
