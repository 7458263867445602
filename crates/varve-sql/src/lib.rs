//! SQL text to a bound plan: name and type resolution, push-down, EXPLAIN text, and the
//! catalogue model. It knows nothing of storage or execution: what it gives is plain values.
//!
//! Invariant: no text makes it panic; what it does not support answers `0A000` naming the feature.
//! Invariant: every error position counts characters of the whole text from 1.
//! Invariant: a plan's expressions are fully typed; both sides of a comparison have one type.

mod alter;
mod bind;
mod catalog;
mod catalog_change;
mod catalog_codec;
mod comment;
mod creation;
mod deparse;
mod domain;
mod explain;
mod expr_codec;
mod family;
mod following;
mod foreign_key;
mod found;
mod function_def;
mod index;
mod index_expression;
mod kept_text;
mod optimize;
mod pg_catalog;
mod plan;
mod plan_walk;
mod plpgsql;
mod prune;
mod push_down;
mod scan_order;
mod schema;
mod scope;
mod sequence;
mod sql_source;
mod statement;
mod system_view;
#[cfg(test)]
mod tests;
mod trigger_def;
mod type_def;
mod uncalled;
mod utility;
mod view;
mod walk;
mod window;

pub use alter::AlterTable;
pub use bind::{
    RoutineVariable, Shape, bind, bind_arguments, bind_piece, declared_shape, folded_path,
    qualified_name, row_variables,
};
pub use catalog::{CheckDef, ColumnDef, Filled, TableDef};
pub use catalog_codec::{CatalogObject, decode_object, decode_table, encode_table};
pub use comment::{CommentDef, encode_comment};
pub use creation::{Creation, Made};
pub use domain::{DomainDef, encode_domain};
pub use explain::{ExplainOptions, KeyAccess, NodeActual, StatementActual, explain, explain_with};
pub use family::{FamilyDef, Limit, PartitionBound, Partitioning, Strategy, over_columns};
pub use following::{Followed, followed};
pub use foreign_key::{ForeignKeyDef, KeyAction};
pub use found::Found;
pub use function_def::{ArgumentDef, FunctionDef, Returns, encode_function};
pub use index::{Asked, Deferral, IndexChoice, IndexDef, choose_index};
pub use index_expression::{FIRST_EXPRESSION, renumbered};
pub use pg_catalog::{catalog_rows, relation_oid, session_view};
pub use plan::{
    AggregateCall, Arbiter, Bound, Change, Changes, ConflictUpdate, CopyFormat, CopyHeader,
    CopyOptions, CopyOut, CopyPlan, CteScanNode, FIRST_CALL, Field, InsertPlan, JoinKind, JoinNode,
    LockNode, LockStrength, LockTarget, LockWait, LookupNode, Mark, Member, MergeAction,
    MergeClause, MergePlan, ModifyPlan, NewIndex, NewTable, OnCommit, OnConflict, Plan,
    ProjectSetNode, PushedPredicate, Query, RecursiveNode, Relation, Returning, RoutineCall, Row,
    RowLock, ScanNode, SetCall, SetOperationNode, SortKeyExpr, Statement, SystemView, Wider,
    WithNode,
};
pub use plpgsql::{
    Code, Declared, DeclaredType, Piece, Place, Raise, Returned, Scope, Source, SqlStep, Step,
    Target, catches, code_named,
};
pub use scan_order::{OrderChoice, OrderColumn, choose_order};
pub use schema::{
    Catalog, Named, PUBLIC, RelationName, SchemaDef, encode_schema, is_temporary, temporary_schema,
};
pub use sequence::{SequenceDef, encode_sequence, uses_sequence};
pub use system_view::system_view_columns;
pub use trigger_def::{Event, TriggerDef, encode_trigger};
pub use type_def::{EnumDef, encode_enum};
pub use uncalled::Uncalled;
pub use utility::{Definition, Dropped, Message, SessionStatement, Utility};
pub use varve_ast::{Command, Direction, DiscardWhat, Isolation, TransactionModes};
pub use varve_parser::{ParsedStatement, STATEMENT_BYTES_MAX, Script, parse};
pub use view::{ViewCheck, ViewColumn, ViewDef, ViewKind, ViewRead, encode_view};
pub use walk::for_each_child;
pub use window::{
    Frame, FrameBound, FrameExclusion, FrameUnits, WindowCall, WindowFunction, WindowNode,
};
