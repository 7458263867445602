//! SQL text to a bound plan: names and types are resolved against a catalog. It knows nothing of
//! storage or execution: what it gives is plain values.
//!
//! Invariant: no text makes it panic; what it does not support answers `0A000` naming the feature.
//! Invariant: every error position counts characters of the whole text from 1.
//! Invariant: a plan's expressions are fully typed; both sides of a comparison have one type.

mod bind;
mod following;
mod scope;
#[cfg(test)]
mod tests;

pub(crate) use varve_catalog::model::{
    comment, deparse, domain, expr_codec, foreign_key, function_def, index, index_expression,
    inheritance as family, sequence, table as catalog, trigger_def, type_def, view,
};
pub(crate) use varve_catalog::pg_catalog::{self, system_view};
pub(crate) use varve_catalog::text::{kept_text, sql_source};
pub(crate) use varve_expr::walk;
pub(crate) use varve_plan::optimize::{self, push_down};
pub(crate) use varve_plan::plan::{self, alter, statement, utility, walk as plan_walk, window};

pub(crate) mod found {
    pub(crate) use varve_catalog::Dependencies as Found;
}

pub(crate) mod schema {
    pub(crate) use varve_catalog::model::catalog::{Catalog, Named};
    pub(crate) use varve_catalog::model::schema::{PUBLIC, RelationName, SchemaDef, is_temporary};
}

pub use bind::{
    RoutineVariable, Shape, bind, bind_arguments, bind_piece, declared_shape, row_variables,
};
pub use following::{Followed, catalog_rows, followed, names_of};
pub use varve_ast::{Command, Direction, DiscardWhat, Isolation, TransactionModes};
pub use varve_catalog::{
    ArgumentDef, Catalog, CatalogObject, CheckDef, ColumnDef, CommentDef, Creation, Deferral,
    Dependencies as Found, DomainDef, Dropped, EnumDef, Event, FIRST_EXPRESSION, FamilyDef, Field,
    Filled, ForeignKeyDef, FunctionDef, IndexDef, KeyAction, Limit, Made, Named, PUBLIC,
    PartitionBound, Partitioning, RelationName, Returns, SchemaDef, SequenceDef, Strategy,
    SystemView, TableDef, TriggerDef, ViewCheck, ViewColumn, ViewDef, ViewKind, ViewRead,
    decode_object, decode_table, encode_comment, encode_domain, encode_enum, encode_function,
    encode_schema, encode_sequence, encode_table, encode_trigger, encode_view, folded_path,
    is_temporary, over_columns, qualified_name, relation_oid, renumbered, session_view,
    system_view_columns, temporary_schema, uses_sequence,
};
pub use varve_expr::walk::for_each_child;
pub use varve_parser::plpgsql::{
    Code, Declared, DeclaredType, Piece, Place, Raise, Returned, Scope, Source, SqlStep, Step,
    Target, catches, code_named,
};
pub use varve_parser::{ParsedStatement, STATEMENT_BYTES_MAX, Script, parse};
pub use varve_plan::{
    AggregateCall, AlterTable, Arbiter, Asked, Bound, Change, Changes, ConflictUpdate, CopyFormat,
    CopyHeader, CopyOptions, CopyOut, CopyPlan, CteScanNode, Definition, ExplainOptions,
    FIRST_CALL, Frame, FrameBound, FrameExclusion, FrameUnits, IndexChoice, InsertPlan, JoinKind,
    JoinNode, KeyAccess, LockNode, LockStrength, LockTarget, LockWait, LookupNode, Mark, Member,
    MergeAction, MergeClause, MergePlan, Message, ModifyPlan, NewIndex, NewTable, NodeActual,
    OnCommit, OnConflict, OrderChoice, OrderColumn, Plan, ProjectSetNode, PushedPredicate, Query,
    RecursiveNode, Relation, Returning, RoutineCall, Row, RowLock, ScanNode, SessionStatement,
    SetCall, SetOperationNode, SortKeyExpr, Statement, StatementActual, Uncalled, Utility, Wider,
    WindowCall, WindowFunction, WindowNode, WithNode, choose_index, choose_order, explain,
    explain_with, is_named_by_key,
};
