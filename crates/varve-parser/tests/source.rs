//! Places in a text: bytes become characters.

use varve_ast::Span;

use varve_lexer::tokenize;
use varve_parser::Source;

fn positions(text: &str) -> Vec<u32> {
    let lexemes = tokenize(text);
    let source = Source::new(&lexemes);
    let positions = lexemes
        .iter()
        .map(|lexeme| source.position(lexeme.span()))
        .collect();
    let told: Vec<u32> = lexemes.iter().map(|lexeme| lexeme.position).collect();
    assert_eq!(positions, told, "{text}");
    positions
}

#[test]
fn bytes_become_characters() {
    assert_eq!(positions("a b"), [1, 3, 4]);
    assert_eq!(positions("'ä' b 'ö'"), [1, 5, 7, 10]);
}

#[test]
fn a_statement_without_tokens_has_no_place() {
    let source = Source::new(&[]);
    assert_eq!(source.first(), 0);
    assert_eq!(source.position(Span::default()), 1);
}
