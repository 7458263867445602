//! Statements that are wrong or not supported: state, position and message.

use super::bound;

#[test]
fn errors_are_postgresql_s() {
    let cases = [
        // Syntax.
        ("selec 1", "42601", 1, "syntax error at or near \"selec\""),
        ("select 1 +", "42601", 11, "syntax error at end of input"),
        (
            "select 1 +; select 2",
            "42601",
            11,
            "syntax error at or near \";\"",
        ),
        ("select a from", "42601", 14, "syntax error at end of input"),
        (
            "select a from t where",
            "42601",
            22,
            "syntax error at end of input",
        ),
        (
            "select 1;\nselect (2",
            "42601",
            20,
            "syntax error at end of input",
        ),
        ("select 1 1", "42601", 10, "syntax error at or near \"1\""),
        (
            "select 'abc",
            "42601",
            8,
            "unterminated quoted string at or near \"'abc\"",
        ),
        (
            "select '\u{e9}\u{e9}' )",
            "42601",
            13,
            "syntax error at or near \")\"",
        ),
        (
            "select * from t limit 1, 2",
            "42601",
            17,
            "LIMIT #,# syntax is not supported",
        ),
        ("select ?", "42601", 9, "syntax error at end of input"),
        // Names.
        ("select x from t", "42703", 8, "column \"x\" does not exist"),
        ("select t.x from t", "42703", 8, "column t.x does not exist"),
        (
            "select z.a from t",
            "42P01",
            8,
            "missing FROM-clause entry for table \"z\"",
        ),
        (
            "select 1 from z",
            "42P01",
            15,
            "relation \"z\" does not exist",
        ),
        (
            "select 1 from s.t",
            "42P01",
            15,
            "relation \"s.t\" does not exist",
        ),
        (
            "select \"A\" from t",
            "42703",
            8,
            "column \"A\" does not exist",
        ),
        (
            "select a from t, u",
            "42702",
            8,
            "column reference \"a\" is ambiguous",
        ),
        (
            "select 1 from t, t",
            "42712",
            0,
            "table name \"t\" specified more than once",
        ),
        (
            "select * ",
            "42601",
            8,
            "SELECT * with no tables specified is not valid",
        ),
        (
            "select t.a from t as x",
            "42P01",
            8,
            "invalid reference to FROM-clause entry for table \"t\"",
        ),
        (
            "select 1 from t join u using (b)",
            "42703",
            0,
            "column \"b\" specified in USING clause does not exist in right table",
        ),
        // Types.
        (
            "select a = c from t",
            "42883",
            10,
            "operator does not exist: integer = text",
        ),
        (
            "select c + 1 from t",
            "42883",
            10,
            "operator does not exist: text + integer",
        ),
        (
            "select c in (1, 2) from t",
            "42883",
            10,
            "operator does not exist: text = integer",
        ),
        (
            "select nosuch(1)",
            "42883",
            8,
            "function nosuch(integer) does not exist",
        ),
        (
            "select lower(a, c) from t",
            "42883",
            8,
            "function lower(integer, text) does not exist",
        ),
        (
            "select 1 from t where a",
            "42804",
            23,
            "argument of WHERE must be type boolean, not type integer",
        ),
        (
            "select 1 from t where e and a",
            "42804",
            29,
            "argument of AND must be type boolean, not type integer",
        ),
        (
            "select * from t where a = 'x'",
            "22P02",
            27,
            "invalid input syntax for type integer: \"x\"",
        ),
        (
            "select 1 from t where f > 'yesterdayish'",
            "22007",
            27,
            "invalid input syntax for type date: \"yesterdayish\"",
        ),
        (
            "select e::date from t",
            "42846",
            9,
            "cannot cast type boolean to date",
        ),
        (
            "select case when e then 1 else c end from t",
            "42804",
            25,
            "CASE types text and integer cannot be matched",
        ),
        (
            "select coalesce(a, c) from t",
            "42804",
            20,
            "COALESCE types integer and text cannot be matched",
        ),
        ("select $0", "42P02", 8, "there is no parameter $0"),
        (
            "select $2",
            "42P18",
            0,
            "could not determine data type of parameter $1",
        ),
        // Groups.
        (
            "select a, count(*) from t",
            "42803",
            8,
            "column \"t.a\" must appear in the GROUP BY clause or be used in an aggregate function",
        ),
        (
            "select a + 1, a from t group by a + 1",
            "42803",
            15,
            "column \"t.a\" must appear in the GROUP BY clause or be used in an aggregate function",
        ),
        (
            "select count(*) from t having b > 1",
            "42803",
            31,
            "column \"t.b\" must appear in the GROUP BY clause or be used in an aggregate function",
        ),
        (
            "select count(*) from t order by b",
            "42803",
            33,
            "column \"t.b\" must appear in the GROUP BY clause or be used in an aggregate function",
        ),
        (
            "select 1 from t where count(*) > 1",
            "42803",
            23,
            "aggregate functions are not allowed in WHERE",
        ),
        (
            "select sum(count(*)) from t",
            "42803",
            12,
            "aggregate function calls cannot be nested",
        ),
        (
            "select count(*) from t group by 1",
            "42803",
            33,
            "aggregate functions are not allowed in GROUP BY",
        ),
        (
            "select a from t group by 2",
            "42P10",
            26,
            "GROUP BY position 2 is not in select list",
        ),
        (
            "select a from t order by 2",
            "42P10",
            26,
            "ORDER BY position 2 is not in select list",
        ),
        (
            "select a from t order by 'x'",
            "42601",
            26,
            "non-integer constant in ORDER BY",
        ),
        (
            "select a as x, b as x from t order by x",
            "42702",
            39,
            "ORDER BY \"x\" is ambiguous",
        ),
        (
            "select distinct a from t order by b",
            "42P10",
            35,
            "for SELECT DISTINCT, ORDER BY expressions must appear in select list",
        ),
        (
            "select a from t limit a",
            "42P10",
            23,
            "argument of LIMIT must not contain variables",
        ),
        (
            "select sum(c) from t",
            "42883",
            8,
            "function sum(text) does not exist",
        ),
        (
            "select lower(distinct c) from t",
            "42809",
            8,
            "DISTINCT specified, but lower is not an aggregate function",
        ),
        (
            "select sum(distinct b) over () from t",
            "0A000",
            8,
            "DISTINCT is not implemented for window functions",
        ),
        // Changes.
        (
            "insert into t (a, zz) values (1, 2)",
            "42703",
            19,
            "column \"zz\" of relation \"t\" does not exist",
        ),
        (
            "insert into t (a, a) values (1, 2)",
            "42701",
            19,
            "column \"a\" specified more than once",
        ),
        (
            "insert into u values (1, 2, 'x', 4)",
            "42601",
            34,
            "INSERT has more expressions than target columns",
        ),
        (
            "insert into u (id, a) values (1)",
            "42601",
            20,
            "INSERT has more target columns than expressions",
        ),
        (
            "insert into u values (1, 2), (1)",
            "42601",
            31,
            "VALUES lists must all be the same length",
        ),
        (
            "insert into u values ('x')",
            "22P02",
            23,
            "invalid input syntax for type integer: \"x\"",
        ),
        (
            "insert into t (e) values (1)",
            "42804",
            27,
            "column \"e\" is of type boolean but expression is of type integer",
        ),
        (
            "update t set a = 1, a = 2",
            "42601",
            0,
            "multiple assignments to same column \"a\"",
        ),
        (
            "update t set f = true",
            "42804",
            18,
            "column \"f\" is of type date but expression is of type boolean",
        ),
        (
            "delete from z",
            "42P01",
            13,
            "relation \"z\" does not exist",
        ),
        (
            "delete from varve_tables",
            "55000",
            13,
            "cannot change system view \"varve_tables\"",
        ),
        // Tables.
        (
            "create table t (a int)",
            "42P07",
            0,
            "relation \"t\" already exists",
        ),
        (
            "create table varve_storage (a int)",
            "42P07",
            0,
            "relation \"varve_storage\" already exists",
        ),
        (
            "create table n (a int, a int)",
            "42701",
            0,
            "column \"a\" specified more than once",
        ),
        (
            "create table n (a bit(10))",
            "0A000",
            19,
            "type bit is not supported",
        ),
        (
            "create table n (a int primary key, b int primary key)",
            "42P16",
            36,
            "multiple primary keys for table \"n\" are not allowed",
        ),
        (
            "create table n (a int, primary key (z))",
            "42703",
            37,
            "column \"z\" named in key does not exist",
        ),
        (
            "create table n (a int null not null)",
            "42601",
            17,
            "conflicting NULL/NOT NULL declarations for column \"a\" of table \"n\"",
        ),
        ("drop table t, z", "42P01", 0, "table \"z\" does not exist"),
        // Copies.
        (
            "copy t from 'f.csv'",
            "0A000",
            1,
            "COPY with a file of the server is not supported",
        ),
        (
            "copy t from stdin (format xml)",
            "22023",
            20,
            "COPY format \"xml\" not recognized",
        ),
        (
            "copy t to stdout where true",
            "42601",
            18,
            "WHERE clause not allowed with COPY TO",
        ),
        (
            "copy t from stdin (delimiter 'a')",
            "22023",
            0,
            "COPY delimiter cannot be \"a\"",
        ),
        (
            "copy t from stdin with (format csv, delimiter '\"')",
            "22023",
            0,
            "COPY delimiter and quote must be different",
        ),
        (
            "copy t (a, q) from stdin csv",
            "42703",
            0,
            "column \"q\" of relation \"t\" does not exist",
        ),
    ];
    let mut wrong = Vec::new();
    for (sql, state, position, message) in cases {
        let Err(error) = bound(sql) else {
            wrong.push(format!("{sql}: no error"));
            continue;
        };
        let seen = (
            error.state().code(),
            error.position().unwrap_or(0),
            error.message(),
        );
        if seen != (state, position, message) {
            wrong.push(format!("{sql}: {seen:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_not_supported_says_so() {
    let cases = [
        (
            "select 1 from (t join u on true) as x for share",
            "FOR UPDATE of a join with an alias",
        ),
        (
            "select 1 from t full join u on exists (select 1)",
            "a subquery in the condition of a FULL JOIN",
        ),
        ("commit prepared 'x'", "COMMIT PREPARED"),
        ("explain commit", "EXPLAIN of this statement"),
        ("explain (wal) select 1", "this EXPLAIN option"),
        (
            "explain create table n (a int)",
            "EXPLAIN of this statement",
        ),
        (
            "create table n (a time with time zone)",
            "type time with time zone",
        ),
    ];
    let mut wrong = Vec::new();
    for (sql, feature) in cases {
        let Err(error) = bound(sql) else {
            wrong.push(format!("{sql}: no error"));
            continue;
        };
        let seen = (error.state().code(), error.message());
        if seen != ("0A000", format!("{feature} is not supported").as_str()) {
            wrong.push(format!("{sql}: {seen:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nesting_and_length_are_bounded() {
    let nested = |depth: usize| format!("select {}1{}", "(".repeat(depth), ")".repeat(depth));
    assert!(bound(&nested(20)).is_ok());
    assert_eq!(bound(&nested(5_000)).unwrap_err().state().code(), "54001");
    let joins = format!("select 1 from {}t{}", "(".repeat(3_000), ")".repeat(3_000));
    assert_eq!(bound(&joins).unwrap_err().state().code(), "54001");
    let chain = |op: &str, terms: usize| format!("select 1 where true{}", op.repeat(terms));
    assert!(bound(&chain(" or 1 = 2", 600)).is_ok());
    assert_eq!(
        bound(&chain(" or 1 = 2", 5_000))
            .unwrap_err()
            .state()
            .code(),
        "54001"
    );
    let sum = format!("select 1{}", " + 1".repeat(1_000));
    assert_eq!(bound(&sum).unwrap_err().state().code(), "54001");
    let nots = format!("select {} true", "not ".repeat(5_000));
    assert_eq!(bound(&nots).unwrap_err().state().code(), "54001");
    let minuses = format!("select {} 1", "- ".repeat(5_000));
    assert_eq!(bound(&minuses).unwrap_err().state().code(), "54001");
    let long = format!("select 1; select {}", "'' ".repeat((4 << 20) / 3));
    let mut script = varve_parser::Script::new(&long).unwrap();
    assert!(script.next().unwrap().is_ok());
    let error = script.next().unwrap().unwrap_err();
    assert_eq!(
        (error.state().code(), error.position()),
        ("54000", Some(11))
    );
    assert!(script.next().is_none(), "nothing comes behind an error");
    let rows = format!(
        "insert into u values (1, 2, 'x'){}",
        ", (1, -2, null)".repeat(20_000)
    );
    assert!(bound(&rows).is_ok());
}

/// Texts whose parts nest to a depth.
fn nested_texts(depth: usize) -> Vec<String> {
    let forms = [
        ("(", "1", ")"),
        ("(1 + ", "1", ")"),
        ("abs(", "1", ")"),
        ("(case when true then ", "1", " end)"),
        ("(select ", "1", ")"),
        ("cast(", "1", " as int)"),
        ("not (true and ", "true", ")"),
        ("1 in (", "1", ")"),
        ("exists (select ", "1", ")"),
    ];
    let text = |(open, middle, close): &(&str, &str, &str)| {
        let (opens, closes) = (open.repeat(depth), close.repeat(depth));
        format!("select {opens}{middle}{closes}")
    };
    let mut texts: Vec<String> = forms.iter().map(text).collect();
    let (opens, closes) = ("(select * from ".repeat(depth), ") x".repeat(depth));
    texts.push(format!("select * from {opens}t{closes}"));
    let (opens, closes) = ("(".repeat(depth), ")".repeat(depth));
    texts.push(format!("{opens}select 1{closes}"));
    texts
}

#[test]
fn what_nests_deeply_is_parsed_and_bound_or_refused() {
    // The depth that must work, and one that no stack bears.
    for depth in [27, 100, 3_000] {
        for text in nested_texts(depth) {
            let start: String = text.chars().take(30).collect();
            let run = move || match varve_parser::parse(&text) {
                Ok(_) => bound(&text).err(),
                Err(error) => {
                    assert!(depth > 100, "{error}");
                    Some(error)
                }
            };
            let thread = std::thread::Builder::new().stack_size(2 << 20);
            let error = thread.spawn(run).unwrap().join().unwrap();
            let code = error.as_ref().map(|error| error.state().code());
            match depth {
                27 => assert!(matches!(code, None | Some("42883")), "{start}: {error:?}"),
                100 => assert!(
                    matches!(code, None | Some("42883" | "54001")),
                    "{start}: {error:?}"
                ),
                _ => assert_eq!(code, Some("54001"), "{start}"),
            }
        }
    }
}
