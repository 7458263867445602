//! Where statements end.

use super::{ItemKind, Send, scan};

fn texts(script: &str) -> Vec<String> {
    let script = scan(script, |_, _, _| true);
    script
        .items
        .into_iter()
        .map(|item| match item.kind {
            ItemKind::Statement {
                statement,
                send,
                data,
            } => {
                let send = match send {
                    Send::Plain => String::new(),
                    Send::Command { name, rest } => format!(" <{name} {rest}>"),
                };
                let data = data.map(|data| format!(" [{data}]")).unwrap_or_default();
                format!("{}{send}{data}", statement.sql)
            }
            ItemKind::Command { name, rest } => format!("\\{name}({rest})"),
        })
        .collect()
}

#[test]
fn statements_end_outside_quotes() {
    let cases: [(&str, &[&str]); 10] = [
        ("SELECT 1 \\g\n\\gx\n", &["SELECT 1 <g >", "SELECT 1 <gx >"]),
        ("-- c\n\nSELECT 1; SELECT 2;", &["SELECT 1;", "SELECT 2;"]),
        ("SELECT ';' -- ;\n, 2;", &["SELECT ';' -- ;\n, 2;"]),
        (
            "SELECT E'\\';', $a$;$b$;$a$;",
            &["SELECT E'\\';', $a$;$b$;$a$;"],
        ),
        ("SELECT /* ; /* */ ; */ 1;", &["SELECT /* ; /* */ ; */ 1;"]),
        ("CREATE RULE r (a; b);", &["CREATE RULE r (a; b);"]),
        ("SELECT 1\\; SELECT 2;", &["SELECT 1; SELECT 2;"]),
        (
            "SELECT 1 AS a \\gset x_\n\\echo :x_a",
            &["SELECT 1 AS a <gset x_>", "\\echo(:x_a)"],
        ),
        (
            "\\set a 1 \\set b 'x\\\\'\nSELECT 3",
            &["\\set(a 1)", "\\set(b 'x\\\\')", "SELECT 3"],
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
        assert_eq!(texts(script), wanted, "{script}");
    }
}

#[test]
fn data_of_a_copy_is_no_statement_and_not_echoed() {
    let script = "COPY t FROM stdin;\n1;\n\\.\nSELECT 1;\n";
    assert_eq!(texts(script), ["COPY t FROM stdin; [1;\n]", "SELECT 1;"]);
    let script = scan(script, |_, _, _| true);
    let echoed: Vec<&str> = script
        .echoes
        .iter()
        .map(|(_, line)| line.as_str())
        .collect();
    assert_eq!(echoed, ["COPY t FROM stdin;", "SELECT 1;"]);
}

#[test]
fn blank_lines_are_echoed_in_quotes_only() {
    let script = scan("SELECT 'a\n\nb'\n\n;", |_, _, _| true);
    let numbers: Vec<usize> = script.echoes.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, [0, 1, 2, 4]);
    assert_eq!(
        (script.items[0].first_line, script.items[0].last_line),
        (0, 4)
    );
}
