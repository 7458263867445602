//! The functions that there are.

use varve_ast::ArgumentMode;
use varve_catalog::model::catalog::Catalog;
use varve_catalog::model::function_def::{ArgumentDef, FunctionDef, Returns};
use varve_catalog::model::oid::{object_of, relation_oid};
use varve_catalog::text::type_name::internal_name;
use varve_expr::{FunctionFacts, Volatility, function_facts};
use varve_types::{ArrayValue, ElementType, LogicalType, ObjectId, SqlText, Value, sql};

use crate::relations::schema_oid;
use crate::{DATABASE, OWNER_OID, PG_CATALOG_OID, ShownTexts, int2, oid, text, yes_or_no};

/// The language of functions that are built in.
const INTERNAL: u32 = 12;

/// Those of functions of users.
const SQL: u32 = 14;
const PLPGSQL: u32 = 13_575;

/// The OIDs of results that are no values.
const VOID: u32 = 2278;
const TRIGGER: u32 = 2279;
const RECORD: u32 = 2249;

pub(crate) fn functions(catalog: &Catalog) -> Vec<Vec<Value>> {
    let users = catalog.functions.values().map(|def| user_row(def));
    function_facts().iter().map(row).chain(users).collect()
}

/// The OID of the result of a function of a user.
fn result_oid(def: &FunctionDef) -> u32 {
    match def.returns {
        Returns::Void => VOID,
        Returns::Trigger => TRIGGER,
        Returns::Value(ty) => ty.oid(),
        Returns::Relation(_) | Returns::Columns | Returns::Record => {
            def.row_type().map_or(RECORD, LogicalType::oid)
        }
    }
}

fn user_row(def: &FunctionDef) -> Vec<Value> {
    let types = def.input_types().into_iter().map(|ty| oid(ty.oid()));
    let types = ArrayValue::of(ElementType::Oid, types.collect());
    let letter = match def.volatility {
        Volatility::Immutable => "i",
        Volatility::Stable => "s",
        Volatility::Volatile => "v",
    };
    let all = |element, value: fn(&ArgumentDef) -> Value| {
        let values = def.arguments.iter().map(value).collect();
        Value::array(&ArrayValue::of(element, values))
    };
    let if_any = |any: bool, value: Value| if any { value } else { Value::Null };
    let has_outputs = def
        .arguments
        .iter()
        .any(|argument| !is_plain_input(argument));
    let has_names = def
        .arguments
        .iter()
        .any(|argument| !argument.name.is_empty());
    let defaults = def.inputs().filter(|argument| argument.default.is_some());
    let no = || Value::Boolean(false);
    vec![
        oid(relation_oid(def.object)),
        text(&def.name),
        oid(schema_oid(def.schema)),
        oid(OWNER_OID),
        oid(if def.is_plpgsql { PLPGSQL } else { SQL }),
        Value::Float4(100.0),
        Value::Float4(if def.returns_set { 1000.0 } else { 0.0 }),
        oid(0),
        text(if def.is_procedure { "p" } else { "f" }),
        no(),
        no(),
        Value::Boolean(def.is_strict),
        Value::Boolean(def.returns_set),
        text(letter),
        text("u"),
        int2(def.inputs().count()),
        int2(defaults.count()),
        oid(result_oid(def)),
        Value::array(&types),
        if_any(has_outputs, all(ElementType::Oid, |one| oid(one.ty.oid()))),
        if_any(
            has_outputs,
            all(ElementType::Text, |one| text(mode_letter(one.mode))),
        ),
        if_any(has_names, all(ElementType::Text, |one| text(&one.name))),
        Value::Null,
        text(&def.body),
    ]
}

fn is_plain_input(argument: &ArgumentDef) -> bool {
    argument.mode == ArgumentMode::In
}

fn mode_letter(mode: ArgumentMode) -> &'static str {
    match mode {
        ArgumentMode::In => "i",
        ArgumentMode::Out => "o",
        ArgumentMode::InOut => "b",
        ArgumentMode::Variadic => "v",
        ArgumentMode::Table => "t",
    }
}

/// A function of a user by its OID.
pub(crate) fn user_function(catalog: &Catalog, number: u32) -> Option<&FunctionDef> {
    let def = catalog.functions.get(&object_of(number)?)?;
    Some(def.as_ref())
}

fn shown_domain(catalog: &Catalog, ty: LogicalType, domain: Option<ObjectId>) -> SqlText {
    let Some(domain) = domain.and_then(|domain| catalog.domains.get(&domain)) else {
        return catalog.shown_type(ty);
    };
    let of_arrays = if ty == domain.base { "" } else { "[]" };
    sql![
        catalog.type_def_name(domain.schema, &domain.name),
        of_arrays
    ]
}

/// The arguments of a function as its definition writes them, with their defaults where these
/// can be shown.
pub(crate) fn function_arguments(
    catalog: &Catalog,
    def: &FunctionDef,
    defaults: Option<&dyn ShownTexts>,
) -> SqlText {
    let mut arguments = def.arguments.iter().collect::<Vec<_>>();
    arguments.retain(|argument| argument.mode != ArgumentMode::Table);
    let shown = arguments.into_iter().map(|argument| {
        let mode = match argument.mode {
            ArgumentMode::Out => "OUT ",
            ArgumentMode::InOut => "INOUT ",
            ArgumentMode::Variadic => "VARIADIC ",
            ArgumentMode::In | ArgumentMode::Table => "",
        };
        let mut shown = sql![mode];
        if !argument.name.is_empty() {
            shown.push(sql![SqlText::name(&argument.name), " "]);
        }
        shown.push(shown_domain(catalog, argument.ty, argument.domain));
        if let (Some(default), Some(texts)) = (&argument.default, defaults) {
            shown.push(" DEFAULT ");
            shown.push(texts.default(catalog, default));
        }
        shown
    });
    SqlText::joined(&shown.collect::<Vec<SqlText>>(), ", ")
}

/// The result of a function as its definition writes it.
pub(crate) fn function_result(catalog: &Catalog, def: &FunctionDef) -> SqlText {
    let columns = def.arguments.iter();
    let columns = columns.filter(|argument| argument.mode == ArgumentMode::Table);
    let columns = columns.map(|argument| {
        let ty = shown_domain(catalog, argument.ty, argument.domain);
        sql![SqlText::name(&argument.name), " ", ty]
    });
    let columns: Vec<SqlText> = columns.collect();
    if !columns.is_empty() {
        return sql!["TABLE(", SqlText::joined(&columns, ", "), ")"];
    }
    let one = match def.returns {
        Returns::Void => sql!["void"],
        Returns::Trigger => sql!["trigger"],
        Returns::Value(ty) => shown_domain(catalog, ty, def.domain),
        Returns::Relation(_) | Returns::Columns | Returns::Record => def
            .row_type()
            .map_or_else(SqlText::default, |ty| catalog.shown_type(ty)),
    };
    match def.returns_set {
        true => sql!["SETOF ", one],
        false => one,
    }
}

/// The statement that makes a function.
pub(crate) fn function_definition(
    catalog: &Catalog,
    texts: &dyn ShownTexts,
    def: &FunctionDef,
) -> SqlText {
    let mut words = match def.volatility {
        Volatility::Immutable => sql![" IMMUTABLE"],
        Volatility::Stable => sql![" STABLE"],
        Volatility::Volatile => sql![],
    };
    if def.is_strict {
        words.push(" STRICT");
    }
    if !words.is_empty() {
        words.push("\n");
    }
    let name = SqlText::name_in(catalog.schema_name(def.schema), &def.name);
    let arguments = function_arguments(catalog, def, Some(texts));
    let kind = match def.is_procedure {
        true => "CREATE OR REPLACE PROCEDURE ",
        false => "CREATE OR REPLACE FUNCTION ",
    };
    let mut text = sql![kind, name, "(", arguments, ")\n"];
    if !def.is_procedure {
        text.push(sql![" RETURNS ", function_result(catalog, def), "\n"]);
    }
    text.push(sql![" LANGUAGE ", language(def), "\n", words]);
    if def.is_atomic {
        let body = texts.body(catalog, def);
        text.push(sql!["BEGIN ATOMIC\n ", &body]);
        let is_ended = body.is_empty() || body.as_str().ends_with(';');
        text.push(if is_ended { "\nEND\n" } else { ";\nEND\n" });
        return text;
    }
    text.push("AS ");
    text.push(SqlText::dollar_quoted(&def.body, "function"));
    text.push("\n");
    text
}

fn language(def: &FunctionDef) -> &'static str {
    if def.is_plpgsql { "plpgsql" } else { "sql" }
}

/// `information_schema.routines`
pub(crate) fn routines(catalog: &Catalog) -> Vec<Vec<Value>> {
    let row = |def: &FunctionDef| {
        let schema = || text(catalog.schema_name(def.schema));
        let number = relation_oid(def.object);
        let (ty, udt) = match def.returns {
            Returns::Value(ty) => (
                catalog.shown_type(ty).into_string(),
                internal_name(ty).to_owned(),
            ),
            Returns::Void => ("void".to_owned(), "void".to_owned()),
            Returns::Trigger => ("trigger".to_owned(), "trigger".to_owned()),
            Returns::Relation(_) => (
                "USER-DEFINED".to_owned(),
                function_result(catalog, def).into_string(),
            ),
            Returns::Columns | Returns::Record => ("record".to_owned(), "record".to_owned()),
        };
        let if_function = |what: String| match def.is_procedure {
            true => Value::Null,
            false => text(what),
        };
        let language = language(def).to_ascii_uppercase();
        vec![
            text(DATABASE),
            schema(),
            text(format!("{}_{number}", def.name)),
            text(DATABASE),
            schema(),
            text(&def.name),
            text(def.kind().to_ascii_uppercase()),
            if_function(ty),
            if_function(udt),
            text("EXTERNAL"),
            text(&def.body),
            text(language),
            yes_or_no(def.volatility == Volatility::Immutable),
            text("INVOKER"),
        ]
    };
    catalog.functions.values().map(|def| row(def)).collect()
}

fn row(function: &FunctionFacts) -> Vec<Value> {
    let arguments = function.arguments.iter().map(|number| oid(*number));
    let arguments = ArrayValue::of(ElementType::Oid, arguments.collect());
    let no = || Value::Boolean(false);
    let volatility = match function.volatility {
        Volatility::Immutable => "i",
        Volatility::Stable => "s",
        Volatility::Volatile => "v",
    };
    vec![
        oid(function.number),
        text(function.name),
        oid(PG_CATALOG_OID),
        oid(OWNER_OID),
        oid(INTERNAL),
        Value::Float4(1.0),
        Value::Float4(if function.returns_set { 1000.0 } else { 0.0 }),
        oid(0),
        text("f"),
        no(),
        no(),
        Value::Boolean(function.is_strict),
        Value::Boolean(function.returns_set),
        text(volatility),
        text("s"),
        int2(function.arguments.len()),
        Value::Int2(0),
        oid(function.result),
        Value::array(&arguments),
        Value::Null,
        Value::Null,
        Value::Null,
        Value::Null,
        text(function.name),
    ]
}
