//! PostgreSQL's statements and expressions as syntax trees.
//!
//! A tree says what a statement says, each part with its bytes in the text; what names and types
//! mean is found out when it is bound. Names are folded and literals are read already. Parentheses
//! leave no node.
//!
//! Invariant: only names and small plain values can be copied, and nothing can be printed or
//! compared: each of these brings the code for all kinds of nodes into the download.
//! Invariant: dropping a tree takes as much stack as its nesting, not as its chains of operators
//! (see [`dispose`]).

mod alter;
mod column;
mod copy;
mod ddl;
mod dispose;
mod dml;
mod expr;
mod function;
mod index_options;
mod name;
mod option;
mod query;
mod relation;
mod sequence;
mod session;
mod span;
mod statement;
mod table;
mod trigger;
mod type_name;
mod utility;
mod window;

pub use alter::{Alter, AlterAction, AlterKind, ColumnChange};
pub use column::{
    CheckConstraint, Column, ColumnConstraint, ColumnConstraintKind, Deferral, ExclusionConstraint,
    ExclusionElement, ForeignKey, Identity, KeyConstraint, Match, ReferentialAction,
    TableConstraint, TableConstraintKind,
};
pub use copy::{Copy, CopyOption, CopySource, CopyTarget, CopyValue};
pub use ddl::{
    AlterDomain, AlterEnum, CommentTarget, CreateDomain, CreateSchema, CreateTableAs, CreateView,
    Ddl, DropObjects, EnumPlace, Materialized, ObjectKind, SchemaElement, ViewCheck,
};
pub use dml::{
    Assignment, ChangedTable, ConflictAction, ConflictTarget, Delete, Dml, Insert, InsertSource,
    Merge, MergeAction, MergeWhen, OnConflict, Overriding, Target, Update,
};
pub use expr::{
    Access, Argument, Between, Call, Case, Cast, CastForm, Expr, ExprKind, InSubquery,
    IntervalField, IntervalLiteral, JsonConstructor, JsonEntry, JsonKind, JsonNulls, JsonPredicate,
    JsonValue, Like, LikeKind, Literal, LiteralKind, NormalForm, Operator, Quantified, Quantifier,
    SpecialCall, TrimSide, Truth, TypedLiteral, When,
};
pub use function::{
    AlterFunction, ArgumentMode, CreateFunction, DoBlock, FunctionAction, FunctionArgument,
    FunctionBody, FunctionName, FunctionOptions, FunctionReturns, RoutineKind,
};
pub use index_options::IndexOptions;
pub use name::{Name, ObjectName};
pub use option::{DefinedOption, OptionValue, OptionValueKind};
pub use query::{
    Cte, Cycle, Distinct, GroupItem, IntoTable, Limit, Lock, LockStrength, LockWait, NullsOrder,
    OrderDirection, OrderItem, Query, QueryBody, Search, Select, SelectItem, SetOperation,
    SetOperator, Values, With,
};
pub use relation::{
    Alias, AliasColumn, FromItem, FunctionRelation, Join, JoinCondition, JoinKind, Relation,
    RowsCall, RowsFunction, SampleMethod, SubqueryRelation, TableRelation, TableSample,
};
pub use sequence::{
    SequenceChange, SequenceOption, SequenceOptionKind, SequenceOptions, SignedNumber,
};
pub use session::{
    Command, DeclareCursor, Direction, DiscardWhat, Execute, Isolation, Prepare, Session,
    TransactionModes, TransparentCall, TransparentFunction, VacuumExtent,
};
pub use span::Span;
pub use statement::{Explain, Statement, StatementBody};
pub use table::{
    CreateIndex, CreateTable, IndexElement, IndexKey, LikeOption, LikeTable, OnCommit,
    PartitionBound, PartitionBy, PartitionValues, TableElement,
};
pub use trigger::{CreateTrigger, NamedTrigger, TriggerTiming};
pub use type_name::{BaseType, IntervalFields, TypeName};
pub use utility::{Analyze, LockTable, NamedKind, NoOp, RoleOrder, Truncate, Utility};
pub use window::{Frame, FrameBound, FrameExclusion, FrameUnits, NamedWindow, Over, WindowSpec};
