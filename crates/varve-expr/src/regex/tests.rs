//! Expressions and what PostgreSQL finds with them.

use super::{Options, Regex};

/// The match and its groups, `-` for what is not set.
fn found(pattern: &str, text: &str, letters: &str) -> String {
    let mut options = Options::DEFAULT;
    for letter in letters.chars() {
        assert!(options.apply(letter));
    }
    let regex = match Regex::new(pattern, options) {
        Ok(regex) => regex,
        Err(error) => return error.message().to_owned(),
    };
    let spans = regex.find(text, 0).unwrap();
    assert_eq!(spans.is_some(), regex.is_match(text).unwrap(), "{pattern}");
    let Some(spans) = spans else {
        return "no".to_owned();
    };
    let shown = spans
        .iter()
        .map(|span| span.map_or("-", |(start, end)| &text[start..end]));
    shown.collect::<Vec<_>>().join(",")
}

#[test]
fn as_in_postgresql() {
    let cases = [
        ("a|ab|abc", "xabcd", "", "abc"),
        ("(a|ab)(c|bcd)(d*)", "abcd", "", "abcd,ab,c,d"),
        ("a*?b", "aab", "", "aab"),
        ("(a*)(ab)*(b*)", "abb", "", "abb,a,-,bb"),
        ("XY*", "ABYXYYYZ", "", "XYYY"),
        ("X(Y{1,3})", "XYYYZ", "", "XYYY,YYY"),
        ("X.*?Z", "XYZYZ", "", "XYZ"),
        ("(?:X.*?Z){1,1}", "XYZYZ", "", "XYZYZ"),
        ("([ab])\\1", "abba", "", "bb,b"),
        ("^(.+)( \\1)+$", "x x x", "", "x x x,x, x"),
        ("^b", "a\nb", "", "no"),
        ("^b", "a\nb", "n", "b"),
        ("a.b", "a\nb", "", "a\nb"),
        ("a.b", "a\nb", "p", "no"),
        ("\\mbc", "abc bc", "", "bc"),
        ("[[:<:]]bc[[:>:]]", "abc bc", "", "bc"),
        ("foo(?=bar)", "foobaz foobar", "", "foo"),
        ("foo(?!bar)...", "foobar foobaz", "", "foobaz"),
        ("(?<=a)b+", "bb abb", "", "bb"),
        ("(?<!a)b", "abcb", "", "b"),
        ("ÄB", "xäb", "i", "äb"),
        ("[^a]", "A", "i", "no"),
        ("a  b # c", "ab", "x", "ab"),
        ("a.c", "abc a.c", "q", "a.c"),
        ("***=a.c", "abc a.c", "", "a.c"),
        ("(?i)A", "a", "", "a"),
        ("(a+|b)*", "ab", "", "ab,b"),
        ("(a|b)*c|(a|ab)*c", "abc", "", "abc,b,-"),
        ("()", "x", "", ","),
        (
            "x{2}{3}",
            "x",
            "",
            "invalid regular expression: quantifier operand invalid",
        ),
        (
            "[b-a]",
            "x",
            "",
            "invalid regular expression: invalid character range",
        ),
        ("\\x41\\u0042\\103", "ABC", "", "ABC"),
        ("\\d+\\s\\w+\\D", "12 ab!", "", "12 ab!"),
        ("a{2,3}?", "aaaa", "", "aa"),
        ("(a{1,2}?)(a*)", "aaaa", "", "a,a,"),
        ("(a{1,2})(a*?)", "aaaa", "", "aaaa,aa,aa"),
        ("a\\(b\\)*", "abb", "b", "abb,b"),
    ];
    for (pattern, text, letters, expected) in cases {
        assert_eq!(found(pattern, text, letters), expected, "{pattern} {text}");
    }
}

#[test]
fn hard_ones_are_quick_or_refused() {
    let text = "a".repeat(2_000);
    assert_eq!(found("(a*)*b", &text, ""), "no");
    let nested = format!("{}a{}", "(".repeat(500), ")".repeat(500));
    assert_eq!(found(&nested, "a", ""), "regular expression is too complex");
    let wide = "(a{255}){255}";
    assert_eq!(found(wide, "a", ""), "regular expression is too complex");
    let options = Options::DEFAULT;
    let regex = Regex::new("(a*)(a*)(a*)(a*)\\1c", options).unwrap();
    assert!(regex.find(&format!("{text}bc"), 0).is_err());
}

#[test]
fn the_shortest_match_does_not_look_at_the_rest_of_the_text() {
    let text = "ab".repeat(200_000);
    let regex = Regex::new("a+?b", Options::DEFAULT).unwrap();
    let (mut start, mut count) = (0, 0);
    while let Some(spans) = regex.find(&text, start).unwrap() {
        start = spans[0].unwrap().1;
        count += 1;
    }
    assert_eq!(count, 200_000);
}
