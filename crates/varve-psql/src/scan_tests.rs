//! Where statements end, and what commands are given.

use super::{Event, Scanner};
use crate::{ArgumentKind, Variables};

/// What a script is cut into; commands with their arguments.
fn texts(script: &str, variables: &Variables) -> Vec<String> {
    let mut scanner = Scanner::default();
    let mut texts = Vec::new();
    for line in script.lines() {
        scanner.push_line(line);
        loop {
            match scanner.next_event(variables) {
                Event::Statement(statement) => texts.push(statement.sql),
                Event::Command(name) => {
                    let arguments = scanner.arguments(ArgumentKind::Word, variables);
                    texts.push(format!("\\{name}{arguments:?}"));
                    scanner.end_command();
                }
                Event::LineEnd => break,
            }
        }
    }
    texts.extend(scanner.take_rest().map(|statement| statement.sql));
    texts
}

#[test]
fn statements_end_outside_quotes() {
    let cases: [(&str, &[&str]); 15] = [
        (
            "SELECT \"y\n\\! id\n\", E'a''\\'\n\\! id'; SELECT 2;",
            &["SELECT \"y\n\\! id\n\", E'a''\\'\n\\! id';", "SELECT 2;"],
        ),
        (
            "SELECT E'a' -- b\n '\\'\n\\! id';",
            &["SELECT E'a' -- b\n '\\'\n\\! id';"],
        ),
        (
            "SELECT \u{20ac}$a$, '$a$\n\\! id';",
            &["SELECT \u{20ac}$a$, '$a$\n\\! id';"],
        ),
        (
            "SELECT a$e'\\', '\n\\! id';",
            &["SELECT a$e'\\', '\n\\! id';"],
        ),
        ("-- c\n\nSELECT 1; SELECT 2;", &["SELECT 1;", "SELECT 2;"]),
        ("SELECT ';' -- ;\n, 2;", &["SELECT ';' -- ;\n, 2;"]),
        (
            "SELECT E'\\';', $a$;$b$;$a$;",
            &["SELECT E'\\';', $a$;$b$;$a$;"],
        ),
        ("SELECT /* ; /* */ ; */ 1;", &["SELECT /* ; /* */ ; */ 1;"]),
        ("CREATE RULE r (a; b);", &["CREATE RULE r (a; b);"]),
        ("SELECT 1\\; SELECT 2;", &["SELECT 1; SELECT 2;"]),
        ("SELECT 'a\nb''c;';", &["SELECT 'a\nb''c;';"]),
        (
            "SELECT 1 AS a \\gset x_\n\\echo a",
            &["\\gset[\"x_\"]", "\\echo[\"a\"]", "SELECT 1 AS a"],
        ),
        (
            "\\set a 1 \\set b 'x\\ny'\nSELECT 3",
            &["\\set[\"a\", \"1\"]", "\\set[\"b\", \"x\\ny\"]", "SELECT 3"],
        ),
        (
            "\\if true \\\\ SELECT 1; \\endif",
            &["\\if[\"true\"]", "SELECT 1;", "\\endif[]"],
        ),
        (
            "create function f() begin atomic select case when a then 1 end; end; select 1;",
            &[
                "create function f() begin atomic select case when a then 1 end; end;",
                "select 1;",
            ],
        ),
    ];
    for (script, wanted) in cases {
        assert_eq!(texts(script, &Variables::default()), wanted, "{script}");
    }
}

#[test]
fn variables_stand_outside_quotes_only() {
    let mut variables = Variables::default();
    variables.set("a", "x'y");
    variables.set("n", "7");
    variables.set("two", "SELECT 1; SELECT 2;");
    variables.set("loop", ":loop");
    variables.set("outer", ":n + :n");
    variables.set("none", "");
    variables.set("open", "'a");
    variables.set("lines", "1 -- ;\n+ 2");
    let cases: [(&str, &[&str]); 11] = [
        (
            "SELECT :n, ':n', $$:n$$, b::n, :b;",
            &["SELECT 7, ':n', $$:n$$, b::n, :b;"],
        ),
        (
            "SELECT :'a', :\"a\", :{?a}, :{?b};",
            &["SELECT 'x''y', \"x'y\", TRUE, FALSE;"],
        ),
        (":two SELECT 3;", &["SELECT 1;", "SELECT 2;", "SELECT 3;"]),
        ("SELECT :loop;", &["SELECT :loop;"]),
        ("SELECT :outer, :n;", &["SELECT 7 + 7, 7;"]),
        ("SELECT 1:none;", &["SELECT 1;"]),
        (
            "SELECT \":n\", E'\\':n', /* :n */ 1; -- :n",
            &["SELECT \":n\", E'\\':n', /* :n */ 1;"],
        ),
        (
            "SELECT a[1:n], 1::n, x :=:n;",
            &["SELECT a[17], 1::n, x :=7;"],
        ),
        ("SELECT :open;' || :n;", &["SELECT 'a;' || 7;"]),
        (
            "SELECT :lines; SELECT :'n';",
            &["SELECT 1 -- ;\n+ 2;", "SELECT '7';"],
        ),
        (
            "\\echo :n :'a' ':n' \"x y\"",
            &["\\echo[\"7\", \"'x''y'\", \":n\", \"\\\"x y\\\"\"]"],
        ),
    ];
    for (script, wanted) in cases {
        assert_eq!(texts(script, &variables), wanted, "{script}");
    }
}

#[test]
fn what_is_open_goes_on_in_the_next_line() {
    let cases: [(&str, char, &str); 10] = [
        ("SELECT 'a''", '\'', "b'"),
        ("SELECT \"a\"\"", '"', "b\""),
        ("SELECT E'a\\'", '\'', "b'"),
        // The backslash takes the line break with it.
        ("SELECT E'a\\", '\'', "'"),
        ("SELECT U&'a\\", '\'', "'"),
        ("SELECT $a$ $b$ $$", '$', "$a$"),
        ("SELECT /* /* */", '*', "*/ /**/"),
        ("SELECT (1", '(', ")"),
        ("SELECT 1 -- '", '-', "-- /*"),
        ("", '=', "SELECT 1"),
    ];
    for (line, prompt, rest) in cases {
        let mut scanner = Scanner::raw();
        let none = Variables::default();
        scanner.push_line(line);
        assert_eq!(scanner.next_event(&none), Event::LineEnd, "{line}");
        assert_eq!(scanner.prompt(), prompt, "{line}");
        scanner.push_line(&format!("{rest}\n;\\g"));
        let Event::Statement(statement) = scanner.next_event(&none) else {
            panic!("{line} is ended by {rest}")
        };
        assert_eq!(statement.sql, format!("{line}\n{rest}\n;").trim_start());
        assert_eq!(scanner.next_event(&none), Event::Command("g".to_owned()));
    }
}

#[test]
fn strings_go_on_behind_a_line_break() {
    let cases: [(&str, &[&str]); 5] = [
        // The second part has escapes as the first one has.
        ("SELECT E'a'\n'\\';'; x", &["SELECT E'a'\n'\\';';", "x"]),
        (
            "SELECT E'a\n'\n--;\n\n'\\';'; x",
            &["SELECT E'a\n'\n--;\n\n'\\';';", "x"],
        ),
        // These are parts of nothing.
        ("SELECT E'a'\n/**/'\\'; x", &["SELECT E'a'\n/**/'\\';", "x"]),
        ("SELECT E'a'\n, '\\'; x", &["SELECT E'a'\n, '\\';", "x"]),
        ("SELECT E'a' '\\'; x", &["SELECT E'a' '\\';", "x"]),
    ];
    for (script, wanted) in cases {
        assert_eq!(texts(script, &Variables::default()), wanted, "{script}");
    }
}

#[test]
fn dollar_quotes_begin_where_postgresql_begins_them() {
    let cases: [(&str, &[&str]); 5] = [
        ("SELECT $1$a$;$a$; x", &["SELECT $1$a$;$a$;", "x"]),
        ("SELECT a$a$;$a$", &["SELECT a$a$;", "$a$"]),
        ("SELECT $é_1$;$é_1$; x", &["SELECT $é_1$;$é_1$;", "x"]),
        ("SELECT $a; x", &["SELECT $a;", "x"]),
        ("SELECT $a b$;$a b$", &["SELECT $a b$;", "$a b$"]),
    ];
    for (script, wanted) in cases {
        assert_eq!(texts(script, &Variables::default()), wanted, "{script}");
    }
}

#[test]
fn bodies_of_functions_hold_their_semicolons() {
    let body = "CREATE OR REPLACE PROCEDURE p()\nBEGIN ATOMIC\n  SELECT CASE 1 WHEN 1 THEN 2 END;\n\
                SELECT 'end;';\nEND;";
    let script = format!("{body} SELECT 1; BEGIN; END;");
    let wanted = [body, "SELECT 1;", "BEGIN;", "END;"];
    assert_eq!(texts(&script, &Variables::default()), wanted);
}

#[test]
fn words_are_whole_tokens() {
    let statements = Scanner::split("COPY \"A\"\"b\" (x) FROM 'a''\nb' /* stdin */ $$c$$ 7 E'd';");
    let wanted = ["copy", "\"A\"\"b\"", "from", "'a''\nb'", "E'd'"];
    assert_eq!(statements[0].words, wanted);
}

#[test]
fn names_lose_their_semicolon() {
    let mut scanner = Scanner::default();
    let none = Variables::default();
    scanner.push_line("\\c \"My Db\";");
    assert_eq!(scanner.next_event(&none), Event::Command("c".to_owned()));
    let name = scanner.argument(ArgumentKind::Identifier, &none);
    assert_eq!(name.as_deref(), Some("My Db"));
    assert_eq!(scanner.argument(ArgumentKind::Identifier, &none), None);
}
