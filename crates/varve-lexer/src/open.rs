//! Ends of what is quoted, and of comments.

/// What a text may end in, to go on in the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Open {
    /// Quotes; whether a backslash takes the next character with it.
    Quotes(char, bool),
    /// A dollar quote: its tag, with the dollar signs.
    Dollar(String),
    /// Comments in comments, so many.
    Comment(u32),
}

impl Open {
    /// The byte behind the end of what is open at a byte; `None` where the text ends before.
    pub fn end(&mut self, text: &str, mut at: usize) -> Option<usize> {
        let bytes = text.as_bytes();
        match self {
            Open::Quotes(quote, escapes) => loop {
                let byte = bytes.get(at)?;
                at += 1;
                if char::from(*byte) == *quote {
                    if bytes.get(at) != Some(byte) {
                        return Some(at);
                    }
                    at += 1;
                } else if *byte == b'\\' && *escapes {
                    at += 1;
                }
            },
            Open::Dollar(tag) => {
                let length = text.get(at..)?.find(tag.as_str())?;
                Some(at + length + tag.len())
            }
            Open::Comment(depth) => loop {
                match (bytes.get(at)?, bytes.get(at + 1)) {
                    (b'/', Some(b'*')) => *depth += 1,
                    (b'*', Some(b'/')) => *depth = depth.saturating_sub(1),
                    _ => {
                        at += 1;
                        continue;
                    }
                }
                at += 2;
                if *depth == 0 {
                    return Some(at);
                }
            },
        }
    }
}
