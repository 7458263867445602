//! Arrays from text and as text: `{1,2}`, `{{a,"b c"},{NULL,d}}`, `[0:1]={1,2}`.

use core::fmt::Write;

use varve_types::{
    ARRAY_DIMENSIONS_MAX, ArrayDimension, ArrayValue, ElementType, Error, Result, SqlState,
    TypeMod, Value,
};

use super::parse::parse_value_with_mod;
use super::write::write_value;
use crate::tree::Locale;

pub(super) fn parse_array(
    text: &str,
    element: ElementType,
    modifier: TypeMod,
    locale: &Locale,
) -> Result<Value> {
    let mut reader = Reader {
        text,
        at: 0,
        element,
        modifier,
        locale,
        lengths: Vec::new(),
        leaf_depth: None,
        values: Vec::new(),
    };
    let (bounds, lengths) = reader.bounds()?;
    reader.braces(0)?;
    reader.spaces();
    if reader.at < text.len() {
        return Err(reader.malformed("Junk after closing right brace."));
    }
    if reader.values.is_empty() {
        let empty = ArrayValue::of(element, Vec::new());
        return Ok(Value::array(&empty));
    }
    let found: Vec<u32> = reader.lengths.iter().flatten().copied().collect();
    if !bounds.is_empty() && found != lengths {
        return Err(reader.malformed("Specified array dimensions do not match array contents."));
    }
    let lowers = bounds.into_iter().chain(core::iter::repeat(1));
    let dimensions = found.into_iter().zip(lowers);
    let array = ArrayValue {
        element,
        dimensions: dimensions
            .map(|(length, lower)| ArrayDimension { length, lower })
            .collect(),
        values: reader.values,
    };
    check_shape(&array)?;
    Ok(Value::array(&array))
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    element: ElementType,
    modifier: TypeMod,
    locale: &'a Locale,
    /// The length of each dimension, once its first array has ended.
    lengths: Vec<Option<u32>>,
    /// The depth at which elements stand.
    leaf_depth: Option<usize>,
    values: Vec<Value>,
}

impl Reader<'_> {
    fn malformed(&self, detail: &str) -> Error {
        Error::new(
            SqlState::INVALID_TEXT_REPRESENTATION,
            format!("malformed array literal: \"{}\"", self.text),
        )
        .with_detail(detail)
    }

    fn peek(&self) -> Option<char> {
        self.text.get(self.at..)?.chars().next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += if found { wanted.len_utf8() } else { 0 };
        found
    }

    fn spaces(&mut self) {
        while let Some(space) = self.peek().filter(char::is_ascii_whitespace) {
            self.at += space.len_utf8();
        }
    }

    /// `[lower:upper]...=`: the lower bounds and the lengths.
    fn bounds(&mut self) -> Result<(Vec<i32>, Vec<u32>)> {
        let (mut lowers, mut lengths) = (Vec::new(), Vec::new());
        self.spaces();
        while self.take('[') {
            let first = self.subscript()?;
            let (lower, upper) = if self.take(':') {
                (first, self.subscript()?)
            } else {
                (1, first)
            };
            if !self.take(']') {
                return Err(self.malformed("Missing \"]\" after array dimensions."));
            }
            let length = i64::from(upper) - i64::from(lower) + 1;
            let length = u32::try_from(length).ok().filter(|length| *length > 0);
            let length = length.ok_or_else(|| {
                Error::new(
                    SqlState::ARRAY_SUBSCRIPT_ERROR,
                    "upper bound cannot be less than lower bound",
                )
            })?;
            lowers.push(lower);
            lengths.push(length);
            self.spaces();
        }
        if !lowers.is_empty() {
            if !self.take('=') {
                return Err(self.malformed("Missing \"=\" after array dimensions."));
            }
            self.spaces();
        }
        if lowers.len() > ARRAY_DIMENSIONS_MAX {
            return Err(too_many_dimensions(lowers.len()));
        }
        Ok((lowers, lengths))
    }

    fn subscript(&mut self) -> Result<i32> {
        let start = self.at;
        while self
            .peek()
            .is_some_and(|c| c.is_ascii_digit() || matches!(c, '-' | '+'))
        {
            self.at += 1;
        }
        let digits = self.text.get(start..self.at).unwrap_or_default();
        let number = digits.parse();
        number.map_err(|_| {
            self.malformed("\"[\" must introduce explicitly-specified array dimensions.")
        })
    }

    fn braces(&mut self, depth: usize) -> Result<()> {
        if !self.take('{') {
            return Err(
                self.malformed("Array value must start with \"{\" or dimension information.")
            );
        }
        if depth >= ARRAY_DIMENSIONS_MAX {
            return Err(too_many_dimensions(depth + 1));
        }
        if self.lengths.len() <= depth {
            self.lengths.push(None);
        }
        let mut count = 0_u32;
        self.spaces();
        if depth == 0 && self.take('}') {
            return self.end(depth, count);
        }
        loop {
            self.spaces();
            if self.peek() == Some('{') {
                if self.leaf_depth.is_some_and(|leaf| leaf <= depth) {
                    return Err(self.malformed("Unexpected \"{\" character."));
                }
                self.braces(depth + 1)?;
            } else {
                if *self.leaf_depth.get_or_insert(depth) != depth || self.lengths.len() > depth + 1
                {
                    return Err(self.uneven());
                }
                let value = self.item()?;
                self.values.push(value);
            }
            count += 1;
            self.spaces();
            if self.take('}') {
                return self.end(depth, count);
            }
            if !self.take(',') {
                return Err(match self.peek() {
                    None => self.malformed("Unexpected end of input."),
                    Some(_) => self.malformed("Unexpected array element."),
                });
            }
        }
    }

    fn uneven(&self) -> Error {
        self.malformed("Multidimensional arrays must have sub-arrays with matching dimensions.")
    }

    fn end(&mut self, depth: usize, count: u32) -> Result<()> {
        let known = self.lengths.get(depth).copied().flatten();
        if known.is_some_and(|known| known != count) {
            return Err(self.uneven());
        }
        if let Some(slot) = self.lengths.get_mut(depth) {
            *slot = Some(count);
        }
        Ok(())
    }

    fn item(&mut self) -> Result<Value> {
        let mut item = String::new();
        if self.take('"') {
            loop {
                match self.next()? {
                    '"' => break,
                    '\\' => item.push(self.next()?),
                    other => item.push(other),
                }
            }
            self.spaces();
            return self.element(&item);
        }
        // Spaces at the end count only where they are escaped.
        let mut kept = 0;
        let mut is_escaped = false;
        while let Some(character) = self.peek() {
            match character {
                ',' | '}' => break,
                '{' | '"' => {
                    // A quote within an element, and a second array behind elements.
                    return Err(match character {
                        '"' if !item.is_empty() => self.malformed("Unexpected array element."),
                        _ => self.malformed(&format!("Unexpected \"{character}\" character.")),
                    });
                }
                '\\' => {
                    self.at += 1;
                    item.push(self.next()?);
                    is_escaped = true;
                    kept = item.len();
                }
                other => {
                    self.at += other.len_utf8();
                    item.push(other);
                    if !other.is_ascii_whitespace() {
                        kept = item.len();
                    }
                }
            }
        }
        item.truncate(kept);
        if item.is_empty() {
            return Err(match self.peek() {
                None => self.malformed("Unexpected end of input."),
                Some(found) => self.malformed(&format!("Unexpected \"{found}\" character.")),
            });
        }
        if item.eq_ignore_ascii_case("null") && !is_escaped {
            return Ok(Value::Null);
        }
        self.element(&item)
    }

    fn element(&self, item: &str) -> Result<Value> {
        parse_value_with_mod(item, self.element.logical(), self.modifier, self.locale)
    }

    fn next(&mut self) -> Result<char> {
        let found = self.peek();
        let found = found.ok_or_else(|| self.malformed("Unexpected end of input."))?;
        self.at += found.len_utf8();
        Ok(found)
    }
}

pub(crate) fn too_many_dimensions(count: usize) -> Error {
    Error::new(
        SqlState::PROGRAM_LIMIT_EXCEEDED,
        format!(
            "number of array dimensions ({count}) exceeds the maximum allowed ({ARRAY_DIMENSIONS_MAX})"
        ),
    )
}

/// `54000` where the array has too many dimensions, or a subscript, or the one behind the last,
/// does not fit an integer.
pub(crate) fn check_shape(array: &ArrayValue) -> Result<()> {
    if array.dimensions.len() > ARRAY_DIMENSIONS_MAX {
        return Err(too_many_dimensions(array.dimensions.len()));
    }
    for dimension in &array.dimensions {
        let length = i32::try_from(dimension.length).ok();
        if length
            .and_then(|length| dimension.lower.checked_add(length))
            .is_none()
        {
            let message = format!("array lower bound is too large: {}", dimension.lower);
            return Err(Error::new(SqlState::PROGRAM_LIMIT_EXCEEDED, message));
        }
    }
    Ok(())
}

pub(super) fn write_array(array: &ArrayValue, locale: &Locale, text: &mut String) {
    if array.values.is_empty() {
        return text.push_str("{}");
    }
    if array
        .dimensions
        .iter()
        .any(|dimension| dimension.lower != 1)
    {
        for dimension in &array.dimensions {
            let upper = i64::from(dimension.lower) + i64::from(dimension.length) - 1;
            let _ = write!(text, "[{}:{upper}]", dimension.lower);
        }
        text.push('=');
    }
    write_level(&array.dimensions, &array.values, locale, text);
}

fn write_level(
    dimensions: &[ArrayDimension],
    values: &[Value],
    locale: &Locale,
    text: &mut String,
) {
    text.push('{');
    let inner = match dimensions {
        [] | [_] => None,
        [_, inner @ ..] => Some(inner),
    };
    match inner {
        Some(inner) => {
            let length = dimensions.first().map_or(1, |dimension| dimension.length);
            let each = values.len() / (length as usize).max(1);
            for (i, part) in values.chunks(each.max(1)).enumerate() {
                if i > 0 {
                    text.push(',');
                }
                write_level(inner, part, locale, text);
            }
        }
        None => {
            let mut item = String::new();
            for (i, value) in values.iter().enumerate() {
                if i > 0 {
                    text.push(',');
                }
                if value.is_null() {
                    text.push_str("NULL");
                    continue;
                }
                item.clear();
                write_value(value, locale, &mut item);
                write_item(&item, text);
            }
        }
    }
    text.push('}');
}

fn write_item(item: &str, text: &mut String) {
    let is_special = |c: char| {
        matches!(c, '"' | '\\' | '{' | '}' | ',') || c.is_ascii_whitespace() || c == '\u{b}'
    };
    if !item.is_empty() && !item.eq_ignore_ascii_case("null") && !item.contains(is_special) {
        return text.push_str(item);
    }
    text.push('"');
    for character in item.chars() {
        if matches!(character, '"' | '\\') {
            text.push('\\');
        }
        text.push(character);
    }
    text.push('"');
}
