//! What the lexer finds.

use varve_ast::Span;

use crate::keyword::Keyword;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// The end of the statement.
    EOF,
    /// A word without quotes; its keyword stands beside it.
    Word,
    /// `"name"`
    QuotedWord,
    /// `U&"name"` with its UESCAPE
    UnicodeWord,
    /// A number, in any notation.
    Number,
    /// `'text'`
    SingleQuotedString,
    /// `E'text'`
    EscapedStringLiteral,
    /// `U&'text'` with its UESCAPE
    UnicodeStringLiteral,
    /// `N'text'`
    NationalStringLiteral,
    /// `B'01'`
    BitStringLiteral,
    /// `X'0F'`
    HexStringLiteral,
    /// `$tag$text$tag$`
    DollarQuotedString,
    /// `$1`
    Placeholder,
    /// An operator that has no kind of its own.
    Operator,
    /// `(`
    LParen,
    /// `)`
    RParen,
    /// `[`
    LBracket,
    /// `]`
    RBracket,
    /// `,`
    Comma,
    /// `;`
    SemiColon,
    /// `:`
    Colon,
    /// `::`
    DoubleColon,
    /// `:=`
    Assignment,
    /// `=>`
    RArrow,
    /// `.`
    Period,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Mod,
    /// `^`
    Caret,
    /// `=`
    Eq,
    /// `<>` and `!=`
    Neq,
    /// `<`
    Lt,
    /// `>`
    Gt,
    /// `<=`
    LtEq,
    /// `>=`
    GtEq,
    /// No token: where the text cannot be read on, and why.
    Invalid(Fault),
}

/// Why a text cannot be read on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A character that starts no token.
    Character,
    /// `'...`
    QuotedString,
    /// `"...`
    QuotedIdentifier,
    /// `""`
    EmptyIdentifier,
    /// `B'...`
    BitString,
    /// `X'...`
    HexString,
    /// `$$...`
    DollarString,
    /// `/* ...`
    Comment,
    /// `1a`
    NumberJunk,
    /// `$1a`
    ParameterJunk,
    /// `0x`
    HexInteger,
    /// `0o`
    OctalInteger,
    /// `0b`
    BinaryInteger,
    /// An operator of more than 63 characters.
    OperatorLength,
}

/// A token and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lexeme {
    /// What it is.
    pub token: Token,
    /// Which keyword, where it is one.
    pub keyword: Keyword,
    /// First byte in the text.
    pub start: u32,
    /// The byte behind it.
    pub end: u32,
    /// Where it starts, in characters of the text, from 1.
    pub position: u32,
}

impl Lexeme {
    /// Where it stands in the text.
    pub fn span(&self) -> Span {
        Span {
            start: self.start,
            end: self.end,
        }
    }

    /// Where it stands in the text.
    pub fn bytes(&self) -> core::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}
