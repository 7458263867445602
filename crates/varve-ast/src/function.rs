//! CREATE, ALTER and DROP of functions and procedures, and DO.
//!
//! A body is kept as text: what language it is in decides who reads it.

use crate::name::{Name, ObjectName};
use crate::span::Span;
use crate::type_name::TypeName;

/// Which routines a statement means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoutineKind {
    /// `FUNCTION`
    Function,
    /// `PROCEDURE`
    Procedure,
    /// `ROUTINE`: either.
    Any,
}

/// `CREATE [OR REPLACE] FUNCTION`, `PROCEDURE`
pub struct CreateFunction {
    /// Whether it is a procedure.
    pub is_procedure: bool,
    /// `OR REPLACE`
    pub or_replace: bool,
    /// Its name.
    pub name: ObjectName,
    /// Its arguments, and the columns of RETURNS TABLE.
    pub arguments: Vec<FunctionArgument>,
    /// `RETURNS`
    pub returns: Option<FunctionReturns>,
    /// What is said of it beside.
    pub options: FunctionOptions,
    /// Its body.
    pub body: Option<FunctionBody>,
}

/// The body of a function.
pub struct FunctionBody {
    /// Its text: statements.
    pub text: String,
    /// How many characters stand before it in the text of the statement's script; `None` where it
    /// does not stand there as it is.
    pub behind: Option<u32>,
    /// Whether it is statements, else a text.
    pub is_statements: bool,
}

/// `DO`
pub struct DoBlock {
    /// The block.
    pub body: FunctionBody,
    /// `LANGUAGE`, in lower case.
    pub language: Option<String>,
}

/// An argument of a function, where it is made or named.
pub struct FunctionArgument {
    /// What it is for.
    pub mode: ArgumentMode,
    /// Its name.
    pub name: Option<Name>,
    /// Its type.
    pub type_name: TypeName,
    /// The text of its default, and where it stands.
    pub default: Option<(String, Span)>,
    /// Where it stands.
    pub span: Span,
}

/// What an argument is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentMode {
    /// It is given.
    In,
    /// It is a column of the result.
    Out,
    /// Both.
    InOut,
    /// What is given from its place on, as an array.
    Variadic,
    /// It is a column of `RETURNS TABLE`.
    Table,
}

/// `RETURNS [SETOF] type`, `RETURNS TABLE (...)`
pub struct FunctionReturns {
    /// Whether it gives any number of rows.
    pub is_set: bool,
    /// The type; `None` for TABLE.
    pub type_name: Option<TypeName>,
    /// Where it stands.
    pub span: Span,
}

/// What is said of a function; `None` where nothing is.
#[derive(Default)]
pub struct FunctionOptions {
    /// `LANGUAGE`
    pub language: Option<String>,
    /// `IMMUTABLE`, `STABLE`, `VOLATILE`, by its first letter.
    pub volatility: Option<char>,
    /// `STRICT`
    pub is_strict: Option<bool>,
    /// What changes no result here, since there is one role and no plan is chosen by costs: with
    /// its words, and the number that is given.
    pub unused: Vec<(&'static str, Option<String>)>,
}

/// A function or procedure that a statement names.
pub struct FunctionName {
    /// Which of them it may be.
    pub kind: RoutineKind,
    /// Its name.
    pub name: ObjectName,
    /// Its arguments, where they are written.
    pub arguments: Option<Vec<FunctionArgument>>,
}

/// `ALTER FUNCTION`
pub struct AlterFunction {
    /// The function.
    pub function: FunctionName,
    /// What is done to it.
    pub action: FunctionAction,
}

/// What ALTER FUNCTION does.
pub enum FunctionAction {
    /// `RENAME TO`
    RenameTo(Name),
    /// `SET SCHEMA`
    SetSchema(Name),
    /// `OWNER TO role`; `None` for the session's.
    Owner(Option<Name>),
    /// Other options.
    Options(FunctionOptions),
}
