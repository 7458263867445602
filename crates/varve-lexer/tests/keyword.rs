//! What keywords may name.

use varve_lexer::{Class, Keyword};

#[test]
fn classes_are_those_of_postgresql() {
    let cases = [
        (Keyword::SELECT, Class::Reserved, true),
        (Keyword::FROM, Class::Reserved, false),
        (Keyword::LEFT, Class::FunctionName, true),
        (Keyword::OVERLAPS, Class::FunctionName, false),
        (Keyword::COALESCE, Class::ColumnName, true),
        (Keyword::YEAR, Class::Unreserved, false),
        (Keyword::ABORT, Class::Unreserved, true),
        (Keyword::NoKeyword, Class::Unreserved, true),
    ];
    for (keyword, class, bare) in cases {
        assert_eq!(
            (keyword.class(), keyword.is_bare_label()),
            (class, bare),
            "{keyword:?}"
        );
    }
}
