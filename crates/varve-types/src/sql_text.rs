//! Text of SQL that is put together: where names and values come into it, they come quoted.
//!
//! A [`SqlText`] is made of words of the program, of names, of literals and of numbers, each by the
//! function that writes it so that it is read back as the same. There is no way to make one of any
//! other text, but for what the SQL parser has read ([`SqlText::read`]).

use core::fmt::{self, Display, Write};

use crate::{LogicalType, TypeMod};

/// The words of PostgreSQL that are no plain names; and `begin`, behind which psql waits for an
/// `end` where it reads a function.
const KEYWORDS: &str = " all analyse analyze and any array as asc asymmetric authorization between \
    bigint begin binary bit boolean both case cast char character check coalesce collate collation \
    column concurrently constraint create cross current_catalog current_date current_role \
    current_schema current_time current_timestamp current_user dec decimal default deferrable \
    desc distinct do else end except exists extract false fetch float for foreign freeze from full \
    grant greatest group grouping having ilike in initially inner inout int integer intersect \
    interval into is isnull join lateral leading least left like limit localtime localtimestamp \
    national natural nchar none normalize not notnull null nullif numeric offset on only or order \
    out outer overlaps overlay placing position precision primary real references returning right \
    row select session_user setof similar smallint some substring symmetric system_user table \
    tablesample then time timestamp to trailing treat trim true union unique user using values \
    varchar variadic verbose when where window with xmlattributes xmlconcat xmlelement xmlexists \
    xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable json_array \
    json_arrayagg json_object json_objectagg ";

/// A piece of SQL.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SqlText(String);

/// What a [`SqlText`] is put together of.
pub trait SqlPart {
    /// Appends it.
    fn put(self, text: &mut SqlText);
}

/// Words of the program.
impl SqlPart for &'static str {
    fn put(self, text: &mut SqlText) {
        text.0.push_str(self);
    }
}

impl SqlPart for SqlText {
    fn put(self, text: &mut SqlText) {
        text.0.push_str(&self.0);
    }
}

impl SqlPart for &SqlText {
    fn put(self, text: &mut SqlText) {
        text.0.push_str(&self.0);
    }
}

macro_rules! number {
    ($($ty:ty)*) => {$(
        impl SqlPart for $ty {
            fn put(self, text: &mut SqlText) {
                // Writing to a text does not fail.
                _ = write!(text.0, "{self}");
            }
        }
    )*};
}

number!(u32 i32 u64 i64 usize);

/// Joins words of the program, names, literals and numbers to a [`SqlText`].
#[macro_export]
macro_rules! sql {
    () => {
        $crate::SqlText::default()
    };
    ($($part:expr),+ $(,)?) => {{
        let mut text = $crate::SqlText::default();
        $(text.push($part);)+
        text
    }};
}

impl SqlText {
    /// A name, in quotes where SQL would not read it as it is.
    pub fn name(name: &str) -> SqlText {
        let is_first = |c: char| c.is_ascii_lowercase() || c == '_';
        let mut chars = name.chars();
        let is_plain = chars.next().is_some_and(is_first)
            && chars.all(|c| is_first(c) || c.is_ascii_digit())
            && !KEYWORDS.contains(&format!(" {name} "));
        if is_plain {
            return SqlText(name.to_owned());
        }
        SqlText::quoted_name(name)
    }

    /// A name in quotes.
    pub fn quoted_name(name: &str) -> SqlText {
        let mut text = String::with_capacity(name.len() + 2);
        put_quoted(&mut text, '"', name);
        SqlText(text)
    }

    /// A name with that of its schema.
    pub fn name_in(schema: &str, name: &str) -> SqlText {
        sql![SqlText::name(schema), ".", SqlText::name(name)]
    }

    /// Names with commas between them.
    pub fn names<'n>(names: impl IntoIterator<Item = &'n str>) -> SqlText {
        let names: Vec<SqlText> = names.into_iter().map(SqlText::name).collect();
        SqlText::joined(&names, ", ")
    }

    /// A text as a literal in which a backslash stands for itself.
    pub fn literal(text: &str) -> SqlText {
        let mut quoted = String::with_capacity(text.len() + 2);
        put_quoted(&mut quoted, '\'', text);
        SqlText(quoted)
    }

    /// A text as a literal that means the same whatever `standard_conforming_strings` is.
    pub fn any_literal(text: &str) -> SqlText {
        let mut quoted = SqlText::default();
        if text.contains('\\') {
            quoted.0.push('E');
        }
        put_quoted(&mut quoted.0, '\'', &text.replace('\\', "\\\\"));
        quoted
    }

    /// A text between dollar signs and a word that it does not have.
    pub fn dollar_quoted(text: &str, word: &'static str) -> SqlText {
        let mut delimiter = format!("${word}");
        while text.contains(&delimiter) {
            delimiter.push('x');
        }
        SqlText(format!("{delimiter}${text}{delimiter}$"))
    }

    /// What the SQL parser has read as whole tokens, and writes without comments.
    pub fn read(tokens: &str) -> SqlText {
        SqlText(tokens.to_owned())
    }

    /// The name of a type that is built in.
    pub fn built_in_type(ty: LogicalType, modifier: TypeMod) -> SqlText {
        let element = match ty {
            LogicalType::Array(element) => element.logical(),
            ty => ty,
        };
        // `character` would be of one character.
        SqlText(match (element, ty, modifier == TypeMod::NONE) {
            (LogicalType::Bpchar, LogicalType::Array(_), true) => "bpchar[]".to_owned(),
            (LogicalType::Bpchar, _, true) => "bpchar".to_owned(),
            _ => modifier.name_of(ty),
        })
    }

    /// An operator; nothing where the text is none.
    pub fn operator(symbol: &str) -> SqlText {
        let is_operator = symbol
            .bytes()
            .all(|byte| b"+-*/<>=~!@#%^&|`?".contains(&byte));
        SqlText(if is_operator {
            symbol.to_owned()
        } else {
            String::new()
        })
    }

    /// A number as its type writes it.
    pub fn number(number: impl Display) -> SqlText {
        let text = number.to_string();
        match text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte))
        {
            true => SqlText(text),
            false => SqlText::literal(&text),
        }
    }

    /// Without the parentheses around all of it.
    #[must_use]
    pub fn unparenthesized(&self) -> SqlText {
        SqlText(unparenthesized(&self.0).to_owned())
    }

    /// Pieces with words of the program between them.
    pub fn joined(parts: &[SqlText], between: &'static str) -> SqlText {
        let mut text = SqlText::default();
        for (at, part) in parts.iter().enumerate() {
            if at > 0 {
                text.push(between);
            }
            text.push(part);
        }
        text
    }

    /// Appends a part.
    pub fn push(&mut self, part: impl SqlPart) {
        part.put(self);
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text.
    pub fn into_string(self) -> String {
        self.0
    }
}

/// An expression without the parentheses around all of it.
pub fn unparenthesized(text: &str) -> &str {
    let Some(inner) = text
        .strip_prefix('(')
        .and_then(|text| text.strip_suffix(')'))
    else {
        return text;
    };
    let (mut depth, mut quote) = (0_i32, None);
    for character in inner.chars() {
        match (character, quote) {
            ('\'' | '"', None) => quote = Some(character),
            (character, Some(open)) => quote = Some(open).filter(|_| character != open),
            ('(', None) => depth += 1,
            (')', None) => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return text;
        }
    }
    inner
}

fn put_quoted(out: &mut String, quote: char, text: &str) {
    out.push(quote);
    for c in text.chars() {
        if c == quote {
            out.push(quote);
        }
        out.push(c);
    }
    out.push(quote);
}

impl Display for SqlText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for SqlText {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl From<SqlText> for String {
    fn from(text: SqlText) -> String {
        text.0
    }
}

#[cfg(test)]
mod tests {
    use super::{SqlText, unparenthesized};

    #[test]
    fn only_parentheses_around_all_are_taken() {
        let cases = [
            ("(a > 0)", "a > 0"),
            ("a", "a"),
            ("(a) + (b)", "(a) + (b)"),
            ("(a = ')')", "a = ')'"),
            ("(\")\" = 1)", "\")\" = 1"),
            ("f(a)", "f(a)"),
        ];
        for (text, expected) in cases {
            assert_eq!(unparenthesized(text), expected);
        }
    }

    #[test]
    fn names_are_quoted_where_sql_reads_something_else() {
        for (name, shown) in [
            ("plain_1", "plain_1"),
            ("order", "\"order\""),
            ("between", "\"between\""),
            ("name", "name"),
            ("Upper", "\"Upper\""),
            ("1st", "\"1st\""),
            ("a$b", "\"a$b\""),
            ("", "\"\""),
            ("é", "\"é\""),
            ("a\"b", "\"a\"\"b\""),
            ("y\n\\! touch /tmp/x\n", "\"y\n\\! touch /tmp/x\n\""),
        ] {
            assert_eq!(SqlText::name(name).as_str(), shown);
        }
    }

    #[test]
    fn literals_and_bodies_end_where_they_should() {
        assert_eq!(SqlText::literal("it's \\").as_str(), "'it''s \\'");
        assert_eq!(SqlText::any_literal("it's \\").as_str(), "E'it''s \\\\'");
        assert_eq!(SqlText::dollar_quoted("a", "b").as_str(), "$b$a$b$");
        assert_eq!(SqlText::dollar_quoted("a $b", "b").as_str(), "$bx$a $b$bx$");
        let joined = sql!["SELECT ", SqlText::name("a b"), " + ", 5_i64];
        assert_eq!(joined.as_str(), "SELECT \"a b\" + 5");
    }
}
