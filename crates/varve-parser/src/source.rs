//! Places in a text as errors tell them: in characters of the whole text.

use varve_ast::Span;
use varve_lexer::Lexeme;

/// Where the tokens of a statement stand.
#[derive(Debug, Default)]
pub struct Source {
    /// First bytes and positions of the tokens, ascending. None where every character of the text
    /// before the statement's end is one byte: positions follow from bytes there.
    tokens: Vec<(u32, u32)>,
    /// The position of the first token; 0 without one.
    first: u32,
    /// Number of tokens.
    count: usize,
}

impl Source {
    /// Of the tokens of a statement.
    pub fn new(lexemes: &[Lexeme]) -> Source {
        let is_plain = |lexeme: &Lexeme| lexeme.position == lexeme.start + 1;
        // Positions never fall further behind than they do at the last token.
        let tokens = match lexemes.last().is_none_or(is_plain) {
            true => Vec::new(),
            false => lexemes
                .iter()
                .map(|lexeme| (lexeme.start, lexeme.position))
                .collect(),
        };
        Source {
            tokens,
            first: lexemes.first().map_or(0, |lexeme| lexeme.position),
            count: lexemes.len(),
        }
    }

    /// Where a part of the statement starts: the position of its first token, from 1.
    pub fn position(&self, span: Span) -> u32 {
        if self.tokens.is_empty() {
            return span.start + 1;
        }
        let behind = self
            .tokens
            .partition_point(|(start, _)| *start <= span.start);
        let token = behind.checked_sub(1).and_then(|at| self.tokens.get(at));
        token.map_or(self.first, |(_, position)| *position)
    }

    /// The position of the first token; 0 of a statement without one.
    pub fn first(&self) -> u32 {
        self.first
    }

    /// Number of tokens.
    pub fn tokens(&self) -> usize {
        self.count
    }
}
