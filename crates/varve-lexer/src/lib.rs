//! PostgreSQL's SQL as tokens: those of its version 16, with its keywords and its errors.
//!
//! [`Lexer`] gives the tokens of a text, [`tokenize`] all of them at once. [`TokenReader`] is below
//! both: it also says in which construct a text ends, which a shell asks while one is typed.
//!
//! Invariant: any text is a sequence of tokens; what cannot be read is a token with its [`Fault`].

mod fault;
mod keyword;
mod lexer;
mod open;
mod quoted;
mod token;
mod token_reader;

pub use fault::{syntax_error, too_deep};
pub use keyword::{Class, Keyword};
pub use lexer::{Lexer, tokenize};
pub use open::Open;
pub use quoted::{in_one_part, name_text, string_text};
pub use token::{Fault, Lexeme, Token};
pub use token_reader::TokenReader;
