use proptest::prelude::{prop_assert, prop_assert_eq, proptest};
use varve_types::{Json, LogicalType, Value};

use super::{
    Found, Query, check_json, contains, parse_json, parse_path, shallow, strip_text_nulls,
    write_json, write_path, write_pretty,
};

fn text(json: &Json) -> String {
    let mut text = String::new();
    write_json(json, &mut text);
    text
}

fn path_text(path: &str) -> String {
    match parse_path(path) {
        Ok(path) => {
            let mut text = String::new();
            write_path(&path, &mut text);
            text
        }
        Err(error) => format!("{} {error}", error.state().code()),
    }
}

#[test]
fn paths_are_written_in_one_way() {
    let cases = [
        ("$.a.b[0]", "$.\"a\".\"b\"[0]"),
        ("(1).type()", "(1).type()"),
        ("1 - (2 - 3) - 4", "((1 - (2 - 3)) - 4)"),
        ("1 == 2 || 3 == 4 && 5 == 6", "(1 == 2 || 3 == 4 && 5 == 6)"),
        ("$[last ? (@ > 1)]", "$[last?(@ > 1)]"),
        ("-$.a", "(-$.\"a\")"),
        ("$.**{2 to last}", "$.**{2 to last}"),
        ("strict $", "strict $"),
        (
            "1 && 2",
            "42601 syntax error at or near \"&&\" of jsonpath input",
        ),
        ("$.a b", "42601 syntax error at end of jsonpath input"),
        ("", "22P02 invalid input syntax for type jsonpath: \"\""),
        ("@", "42601 @ is not allowed in root expressions"),
    ];
    for (path, expected) in cases {
        assert_eq!(path_text(path), expected, "{path}");
    }
}

#[test]
fn deep_values_and_paths_are_refused() {
    let deep = "[".repeat(100_000);
    assert_eq!(check_json(&deep).unwrap_err().state().code(), "54001");
    let deep = format!("{}1{}", "(".repeat(10_000), ")".repeat(10_000));
    assert_eq!(parse_path(&deep).unwrap_err().state().code(), "54001");
    let long = "1".to_owned() + &" + 1".repeat(10_000);
    assert_eq!(parse_path(&long).unwrap_err().state().code(), "54001");
    let long = parse_path(&("$".to_owned() + &"[0]".repeat(450))).unwrap();
    let error = Query::new(&long, &Json::Null, None, false)
        .unwrap()
        .all(true)
        .map(|_| ());
    assert_eq!(error.unwrap_err().state().code(), "54001");
}

#[test]
fn errors_show_the_line() {
    let error = check_json("{\n\"a\":\n  [1, 2, @]}").unwrap_err();
    let fields = error.fields();
    assert_eq!(fields.detail.as_deref(), Some("Token \"@\" is invalid."));
    let context = "JSON data, line 3:   [1, 2, @...";
    assert_eq!(fields.context.as_deref(), Some(context));
}

#[test]
fn pretty_values_have_a_member_a_line() {
    let mut out = String::new();
    write_pretty(&parse_json(r#"{"a":[1],"b":{}}"#).unwrap(), 0, &mut out);
    assert_eq!(
        out,
        "{\n    \"a\": [\n        1\n    ],\n    \"b\": {\n    }\n}"
    );
}

fn sample(bits: u64, string: &str) -> Json {
    match varve_types::testing::sample_value(LogicalType::Jsonb, bits, string) {
        Value::Jsonb(stored) => Json::decode(&stored).unwrap(),
        _ => Json::Null,
    }
}

fn has_no_infinity(json: &Json) -> bool {
    match json {
        Json::Number(number) => number.is_finite(),
        Json::Array(values) => values.iter().all(has_no_infinity),
        Json::Object(pairs) => pairs.iter().all(|(_, value)| has_no_infinity(value)),
        _ => true,
    }
}

proptest! {
    #[test]
    fn what_is_written_reads_back(bits: u64, string in ".{0,6}") {
        let json = sample(bits, &string);
        if has_no_infinity(&json) && !string.contains('\0') {
            prop_assert_eq!(&parse_json(&text(&json)).unwrap(), &json);
            prop_assert!(contains(&json, &json));
            let path = parse_path("$.**").unwrap();
            let found = Query::new(&path, &json, None, false).unwrap().all(false).unwrap();
            let first = found.into_rows().next().map(Found::into_json);
            prop_assert_eq!(first, Some(json));
        }
    }

    #[test]
    fn any_text_is_a_value_or_an_error(text in "[\\[\\]{}:,\"a1.e\\\\u -]{0,16}") {
        let sound = check_json(&text).is_ok();
        prop_assert!(sound || parse_json(&text).is_err());
        let _ = shallow(&text);
        let _ = strip_text_nulls(&text, &mut String::new());
    }

    #[test]
    fn any_path_is_written_and_read_back(path in "[$@.*?()\\[\\]{}a1 <=>!|&+\\-\"]{0,16}") {
        if let Ok(parsed) = parse_path(&path) {
            let mut text = String::new();
            write_path(&parsed, &mut text);
            prop_assert_eq!(parse_path(&text).unwrap(), parsed, "{} {}", path, text);
        }
    }
}
