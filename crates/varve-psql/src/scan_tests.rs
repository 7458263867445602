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
    let cases: [(&str, &[&str]); 7] = [
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
            "\\echo :n :'a' ':n' \"x y\"",
            &["\\echo[\"7\", \"'x''y'\", \":n\", \"\\\"x y\\\"\"]"],
        ),
    ];
    for (script, wanted) in cases {
        assert_eq!(texts(script, &variables), wanted, "{script}");
    }
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
