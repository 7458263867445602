//! Statements that differ in literals only: what they have in common, and the literals.
//!
//! A literal is left open where nothing but its value may depend on it: as a value of VALUES in an
//! INSERT or of SET, and behind the comparison of a column in a condition. Everywhere else it may
//! decide what a plan is, so it stays part of the shape.

use varve_lexer::{Keyword, Lexeme, Lexer, Token, string_text};

/// Texts of more bytes have no shape: what it saves is little beside the rows that they bring.
const SHAPE_BYTES_MAX: usize = 32 << 10;
/// Stands for an open literal. No token begins with it.
const MARK: char = '\u{1}';

/// A statement of which some literals are left open.
#[derive(Debug, PartialEq)]
pub struct Shape {
    /// All tokens, with marks in the places of open literals. It is the text of no statement.
    pub key: String,
    /// The open literals in their order.
    pub literals: Vec<OpenLiteral>,
}

/// A literal that is left open.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenLiteral {
    /// Its first byte in the text, that of its sign where it has one.
    pub start: u32,
    /// What is written there.
    pub written: Written,
}

/// What is written in the place of a literal.
#[derive(Clone, Debug, PartialEq)]
pub enum Written {
    /// `NULL`
    Null,
    /// `TRUE`, `FALSE`
    Truth(bool),
    /// A number with its sign.
    Number(String),
    /// A string without quotes.
    Text(String),
}

/// Where a literal may be left open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Region {
    /// Nowhere.
    Closed,
    /// In the rows of VALUES.
    Rows,
    /// Behind the columns of SET.
    Assignments,
    /// Behind comparisons of columns.
    Conditions,
}

impl Shape {
    /// The shape of a text that is one SELECT, INSERT, UPDATE or DELETE; `None` of any other text,
    /// and of one in which no literal may be left open.
    pub fn of(text: &str) -> Option<Shape> {
        let mut reader = Reader::new(text, pieces(text)?)?;
        let mut key = String::with_capacity(text.len() + 1);
        key.push(MARK);
        let mut literals = Vec::new();
        for at in 0..reader.pieces.len() {
            let piece = reader.piece(at)?;
            reader.pass(at, piece);
            match reader.open_literal(at, piece) {
                Some((kind, written)) => {
                    key.extend([MARK, kind]);
                    let start = piece.start;
                    literals.push(OpenLiteral { start, written });
                }
                None => key.push_str(reader.text.get(piece.bytes()).unwrap_or_default()),
            }
            key.push(' ');
        }
        (!literals.is_empty()).then_some(Shape { key, literals })
    }
}

/// The tokens of the only statement of a text, a sign before a number that cannot be an operator
/// being part of it. `None` for a text that surely has no shape.
fn pieces(text: &str) -> Option<Vec<Lexeme>> {
    let is_literal = |byte: u8| byte == b'\'' || byte.is_ascii_digit();
    // A dollar sign begins a parameter, or a string that is seldom a value.
    if text.len() > SHAPE_BYTES_MAX
        || !text.bytes().any(is_literal)
        || text.bytes().any(|byte| byte == b'$')
    {
        return None;
    }
    let mut lexer = Lexer::new(text);
    let mut lexemes = lexer.statement(SHAPE_BYTES_MAX)?;
    let end = lexemes.pop()?;
    let rest = text.get(end.bytes().end..)?;
    if !matches!(end.token, Token::EOF | Token::SemiColon) || !rest.trim_ascii().is_empty() {
        return None;
    }
    let mut pieces: Vec<Lexeme> = Vec::with_capacity(lexemes.len());
    for lexeme in lexemes {
        if lexeme.token == Token::Number
            && let [.., before, sign] = pieces.as_mut_slice()
            && sign.token == Token::Minus
            && (is_comparison(before.token) || matches!(before.token, Token::LParen | Token::Comma))
        {
            (sign.token, sign.end) = (Token::Number, lexeme.end);
        } else {
            pieces.push(lexeme);
        }
    }
    Some(pieces)
}

fn is_comparison(token: Token) -> bool {
    matches!(
        token,
        Token::Eq | Token::Neq | Token::Lt | Token::Gt | Token::LtEq | Token::GtEq
    )
}

/// Goes through the pieces of a statement.
struct Reader<'a> {
    text: &'a str,
    pieces: Vec<Lexeme>,
    /// The word that the statement begins with.
    command: Keyword,
    region: Region,
    /// Whether an OR stands anywhere.
    has_or: bool,
    /// Parentheses that are open.
    depth: u32,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, pieces: Vec<Lexeme>) -> Option<Reader<'a>> {
        let command = pieces.first()?.keyword;
        let known = [
            Keyword::SELECT,
            Keyword::INSERT,
            Keyword::UPDATE,
            Keyword::DELETE,
        ];
        let has_or = pieces.iter().any(|piece| piece.keyword == Keyword::OR);
        known.contains(&command).then_some(Reader {
            text,
            has_or,
            pieces,
            command,
            region: Region::Closed,
            depth: 0,
        })
    }

    fn piece(&self, at: usize) -> Option<Lexeme> {
        self.pieces.get(at).copied()
    }

    fn before(&self, at: usize, count: usize) -> Option<Lexeme> {
        self.piece(at.checked_sub(count)?)
    }

    /// Passes a piece, which may begin or end a region.
    fn pass(&mut self, at: usize, piece: Lexeme) {
        match (piece.token, piece.keyword) {
            (Token::LParen, _) => self.depth += 1,
            (Token::RParen, _) => self.depth = self.depth.saturating_sub(1),
            (_, Keyword::VALUES) if self.command == Keyword::INSERT && self.depth == 0 => {
                self.region = Region::Rows;
            }
            (_, Keyword::SET) if self.depth == 0 => self.region = Region::Assignments,
            (_, Keyword::WHERE) => {
                let before = self.before(at, 1).map(|piece| piece.token);
                // Of an aggregate; of an index that ON CONFLICT names. Of what the branches of an
                // OR have in common more can be made than of what they may have in common.
                let is_other = before == Some(Token::LParen)
                    || (before == Some(Token::RParen) && self.command == Keyword::INSERT)
                    || self.has_or;
                self.region = match is_other {
                    true => Region::Closed,
                    false => Region::Conditions,
                };
            }
            (
                _,
                Keyword::SELECT
                | Keyword::FROM
                | Keyword::GROUP
                | Keyword::HAVING
                | Keyword::ORDER
                | Keyword::WINDOW
                | Keyword::LIMIT
                | Keyword::OFFSET
                | Keyword::FETCH
                | Keyword::RETURNING
                | Keyword::ON,
            ) => self.region = Region::Closed,
            _ => {}
        }
    }

    /// What is written in a piece, and the kind of literal that the shape names, where it may be
    /// left open.
    fn open_literal(&self, at: usize, piece: Lexeme) -> Option<(char, Written)> {
        match self.region {
            Region::Closed => None,
            Region::Rows => {
                let starts = matches!(self.before(at, 1)?.token, Token::LParen | Token::Comma);
                let ends = matches!(self.piece(at + 1)?.token, Token::Comma | Token::RParen);
                let is_cell = self.depth == 1 && starts && ends;
                Some(('v', self.written(piece, true).filter(|_| is_cell)?))
            }
            Region::Assignments => {
                let is_target = self.before(at, 1)?.token == Token::Eq
                    && is_name(self.before(at, 2)?)
                    && self.before(at, 3).is_some_and(|piece| {
                        piece.token == Token::Comma || piece.keyword == Keyword::SET
                    });
                let ends = self.piece(at + 1).is_none_or(|next| {
                    next.token == Token::Comma
                        || matches!(
                            next.keyword,
                            Keyword::WHERE | Keyword::FROM | Keyword::RETURNING
                        )
                });
                let is_value = self.depth == 0 && is_target && ends;
                Some(('v', self.written(piece, true).filter(|_| is_value)?))
            }
            Region::Conditions => {
                let is_operand = is_comparison(self.before(at, 1)?.token)
                    && is_name(self.before(at, 2)?)
                    && self.before(at, 3).is_some_and(is_before_operand)
                    && self.piece(at + 1).is_none_or(is_behind_operand);
                let written = self.written(piece, false).filter(|_| is_operand)?;
                Some((kind_of(&written)?, written))
            }
        }
    }

    /// What is written in a piece that is a literal; of words only where their type does not count.
    fn written(&self, piece: Lexeme, words: bool) -> Option<Written> {
        let raw = self.text.get(piece.bytes())?;
        Some(match (piece.token, piece.keyword) {
            (Token::Number, _) => Written::Number(match raw.strip_prefix('-') {
                Some(digits) => format!("-{}", digits.trim_ascii_start()),
                None => raw.to_owned(),
            }),
            (Token::SingleQuotedString | Token::EscapedStringLiteral, _) => {
                Written::Text(string_text(piece.token, raw).ok()?)
            }
            (_, Keyword::NULL) if words => Written::Null,
            (_, Keyword::TRUE) if words => Written::Truth(true),
            (_, Keyword::FALSE) if words => Written::Truth(false),
            _ => return None,
        })
    }
}

/// The kind of a literal by which a comparison chooses its type.
fn kind_of(written: &Written) -> Option<char> {
    let Written::Number(number) = written else {
        return Some('s');
    };
    if let Ok(integer) = number.parse::<i64>() {
        return Some(match i32::try_from(integer) {
            Ok(_) => 'i',
            Err(_) => 'b',
        });
    }
    let is_plain = number
        .bytes()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'));
    (is_plain && number.len() <= 30).then_some('n')
}

fn is_name(piece: Lexeme) -> bool {
    matches!(piece.token, Token::Word | Token::QuotedWord)
}

/// Whether a column behind it is all that stands left of a comparison.
fn is_before_operand(piece: Lexeme) -> bool {
    matches!(piece.token, Token::LParen | Token::Period)
        || matches!(piece.keyword, Keyword::WHERE | Keyword::AND | Keyword::NOT)
}

/// Whether a literal before it is all that stands right of a comparison.
fn is_behind_operand(piece: Lexeme) -> bool {
    piece.token == Token::RParen
        || matches!(
            piece.keyword,
            Keyword::AND
                | Keyword::GROUP
                | Keyword::ORDER
                | Keyword::LIMIT
                | Keyword::OFFSET
                | Keyword::FOR
                | Keyword::RETURNING
        )
}

#[cfg(test)]
mod tests {
    use super::{Shape, Written};

    fn shown(text: &str) -> String {
        let Some(shape) = Shape::of(text) else {
            return "-".to_owned();
        };
        let literals = shape.literals.iter().map(|literal| match &literal.written {
            Written::Null => "NULL".to_owned(),
            Written::Truth(truth) => truth.to_string(),
            Written::Number(number) => number.clone(),
            Written::Text(text) => format!("'{text}'"),
        });
        let literals: Vec<String> = literals.collect();
        let key = shape.key.replace('\u{1}', "?");
        format!("{}: {}", key.trim(), literals.join(" "))
    }

    #[test]
    fn values_are_left_open() {
        let cases = [
            (
                "INSERT INTO t VALUES (1, 'it''s', NULL, -2.5, true) ;",
                "?INSERT INTO t VALUES ( ?v , ?v , ?v , ?v , ?v ): 1 'it's' NULL -2.5 true",
            ),
            (
                "insert into t(a) values (1), (- 2) on conflict (a) do update set b = 'x'",
                "?insert into t ( a ) values ( ?v ) , ( ?v ) on conflict ( a ) do update set b = \
                 ?v: 1 -2 'x'",
            ),
            (
                "INSERT INTO t VALUES (1 + 2, f(3), '4'::int, DEFAULT, X'0F', E'a\\nb', 5)",
                "?INSERT INTO t VALUES ( 1 + 2 , f ( 3 ) , '4' :: int , DEFAULT , X'0F' , ?v , \
                 ?v ): 'a\nb' 5",
            ),
            (
                "UPDATE t SET a = 1, b = a + 2, c = -3 WHERE id = 4 AND t.b < 'x' AND (c >= 5)",
                "?UPDATE t SET a = ?v , b = a + 2 , c = ?v WHERE id = ?i AND t . b < ?s AND ( c \
                 >= ?i ): 1 -3 4 'x' 5",
            ),
            (
                "UPDATE t SET a = 1 WHERE (id = 4 AND b = 5) OR (id = 4 AND c = 6)",
                "?UPDATE t SET a = ?v WHERE ( id = 4 AND b = 5 ) OR ( id = 4 AND c = 6 ): 1",
            ),
            (
                "DELETE FROM t WHERE a = 3000000000 AND b = 1.5 RETURNING 7",
                "?DELETE FROM t WHERE a = ?b AND b = ?n RETURNING 7: 3000000000 1.5",
            ),
            (
                "SELECT 1, count(*) FILTER (WHERE a = 2) FROM t WHERE a = 3 AND b IN (4) GROUP BY \
                 5 HAVING a = 6 ORDER BY a = 7 LIMIT 8",
                "?SELECT 1 , count ( * ) FILTER ( WHERE a = 2 ) FROM t WHERE a = ?i AND b IN ( 4 \
                 ) GROUP BY 5 HAVING a = 6 ORDER BY a = 7 LIMIT 8: 3",
            ),
            (
                "SELECT * FROM t WHERE a + b = 1 AND c = 2 + 3 AND d = 4::text AND e = NULL AND \
                 f = 1e400 AND g = 9",
                "?SELECT * FROM t WHERE a + b = 1 AND c = 2 + 3 AND d = 4 :: text AND e = NULL \
                 AND f = 1e400 AND g = ?i: 9",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn what_has_no_shape() {
        for text in [
            "",
            "SELECT 1",
            "SELECT a FROM t",
            "SELECT a FROM t WHERE a = $1 AND b = 2",
            "SELECT a FROM t WHERE a = 1; SELECT 2",
            "INSERT INTO t VALUES (1); -- and",
            "INSERT INTO t VALUES (1",
            "INSERT INTO t VALUES ('a",
            "EXPLAIN SELECT a FROM t WHERE a = 1",
            "WITH a AS (SELECT 1) SELECT * FROM a WHERE a = 1",
            "INSERT INTO t DEFAULT VALUES",
        ] {
            assert_eq!(shown(text), "-", "{text}");
        }
        let long = format!("INSERT INTO t VALUES ('{}')", "a".repeat(40_000));
        assert_eq!(shown(&long), "-");
    }

    #[test]
    fn texts_that_differ_elsewhere_have_other_keys() {
        let key = |text: &str| Shape::of(text).map(|shape| shape.key);
        let of_one = key("SELECT * FROM t WHERE a = 1 LIMIT 1");
        assert_eq!(
            of_one,
            key("SELECT *  FROM t WHERE a = /* two */ 2 LIMIT 1;")
        );
        for text in [
            "SELECT * FROM t WHERE a = 1 LIMIT 2",
            "SELECT * FROM t WHERE a = '1' LIMIT 1",
            "SELECT * FROM t WHERE a = 1.0 LIMIT 1",
            "SELECT * FROM t WHERE a <= 1 LIMIT 1",
        ] {
            assert_ne!(of_one, key(text), "{text}");
        }
    }
}
