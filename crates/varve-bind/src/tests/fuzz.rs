//! Any text is parsed and bound, or refused; nothing panics.

use proptest::prelude::{Strategy, any, proptest};
use proptest::sample::select;
use varve_expr::DEFAULT_LOCALE;
use varve_parser::parse;
use varve_plan::explain;

use super::{bound, catalog};
use crate::bind;

/// Words that statements are made of.
const WORDS: &[&str] = &[
    "select",
    "from",
    "where",
    "group",
    "by",
    "having",
    "order",
    "limit",
    "offset",
    "insert",
    "into",
    "values",
    "update",
    "set",
    "delete",
    "create",
    "table",
    "drop",
    "copy",
    "stdin",
    "with",
    "csv",
    "begin",
    "explain",
    "analyze",
    "join",
    "using",
    "on",
    "cross",
    "natural",
    "distinct",
    "all",
    "as",
    "and",
    "or",
    "not",
    "in",
    "between",
    "like",
    "escape",
    "is",
    "null",
    "true",
    "case",
    "when",
    "then",
    "else",
    "end",
    "cast",
    "extract",
    "year",
    "substring",
    "trim",
    "filter",
    "over",
    "t",
    "u",
    "a",
    "b",
    "c",
    "d",
    "e",
    "f",
    "h",
    "count",
    "sum",
    "lower",
    "coalesce",
    "int",
    "text",
    "date",
    "timestamp",
    "*",
    ",",
    "(",
    ")",
    "+",
    "-",
    "/",
    "||",
    "=",
    "<",
    ">=",
    "<>",
    "::",
    ".",
    ";",
    "1",
    "2.5",
    "1e400",
    "'x'",
    "'2020-01-01'",
    "$1",
    "$2",
    "\"A\"",
    "\u{e9}",
    "/*",
    "--\n",
    "'",
    "$$",
    "E'\\",
    "primary",
    "key",
    "desc",
    "nulls",
    "first",
    "fetch",
    "rows",
    "only",
    "interval",
    "array",
    "[",
    "]",
    "at",
    "time",
    "zone",
    "default",
];

fn run(sql: &str) {
    let Ok(statements) = parse(sql) else { return };
    for statement in &statements {
        if let Ok(bound) = bind(statement, &catalog().into(), &[], &DEFAULT_LOCALE) {
            explain(&bound.statement);
        }
    }
}

/// Expressions that mostly parse, so that binding is reached.
fn expression() -> impl Strategy<Value = String> {
    let leaf = select(vec![
        "a",
        "b",
        "c",
        "d",
        "e",
        "f",
        "g",
        "h",
        "1",
        "2.5",
        "'x'",
        "'1'",
        "null",
        "true",
        "$1",
        "$2",
        "'2020-01-01'",
        "count(*)",
        "z",
    ])
    .prop_map(str::to_owned);
    leaf.prop_recursive(4, 24, 3, |inner| {
        let op = select(vec![
            "+",
            "-",
            "*",
            "/",
            "=",
            "<",
            "and",
            "or",
            "||",
            "like",
            "is distinct from",
        ]);
        let wrap = select(vec![
            "not (?)",
            "-(?)",
            "(?) is null",
            "(?)::int",
            "(?)::text",
            "sum(?)",
            "lower(?)",
            "coalesce(?, a)",
            "case when (?) then 1 end",
            "(?) in (1, 2)",
            "max(?) filter (where e)",
            "(?) between 1 and 2",
            "nullif(?, 1)",
            "extract(year from (?))",
        ]);
        let binary = (inner.clone(), op, inner.clone())
            .prop_map(|(left, op, right)| format!("({left}) {op} ({right})"));
        let wrapped = (inner, wrap).prop_map(|(inner, wrap)| wrap.replace('?', &inner));
        proptest::strategy::Union::new([binary.boxed(), wrapped.boxed()])
    })
}

proptest! {
    #[test]
    fn soup_of_words_does_not_panic(
        words in proptest::collection::vec(select(WORDS), 0..24)
    ) {
        run(&words.join(" "));
    }

    #[test]
    fn soup_of_characters_does_not_panic(text in any::<String>()) {
        run(&text);
        run(&format!("select {text}"));
    }

    #[test]
    fn expressions_do_not_panic(
        first in expression(),
        second in expression(),
        third in expression(),
    ) {
        run(&format!("select {first}, {second} from t where {third}"));
        run(&format!("select {first} from t group by {first}, {second} order by {third}"));
        run(&format!("select {first} from t join u on {second} having {third}"));
        run(&format!("update t set a = {first}, c = {second} where {third}"));
        run(&format!("insert into t (a, b, c) values ({first}, {second}, {third})"));
    }
}

#[test]
fn a_text_may_hold_no_statement() {
    for sql in ["", " ; ;; ", "-- nothing\n", "/* nothing */"] {
        assert!(parse(sql).unwrap().is_empty(), "{sql}");
    }
    assert!(bound("; select 1 ;; ").is_ok());
}
