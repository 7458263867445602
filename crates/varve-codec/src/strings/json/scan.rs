//! Finds where JSON values end. It checks no more than that: the text between two ends is kept as
//! it is, so a lax scanner loses nothing. Every function looks at each byte once.

/// Bytes of a string's raw text: from behind its opening quote up to its closing one.
pub(crate) fn text_bytes(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let rest = bytes.get(at..)?;
        at += rest.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
        if bytes.get(at) == Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}

/// Bytes of the value at the front.
pub(crate) fn value_bytes(bytes: &[u8]) -> Option<usize> {
    match bytes.first()? {
        b'"' => Some(text_bytes(bytes.get(1..)?)? + 2),
        b'{' | b'[' => container_bytes(bytes),
        b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => {
            let ends = |byte: &u8| matches!(byte, b',' | b']' | b'}') || is_space(*byte);
            Some(bytes.iter().position(ends).unwrap_or(bytes.len()))
        }
        _ => None,
    }
}

fn container_bytes(bytes: &[u8]) -> Option<usize> {
    let (mut at, mut open) = (0, 0_usize);
    loop {
        match bytes.get(at)? {
            b'{' | b'[' => open += 1,
            b'}' | b']' => open -= 1,
            b'"' => at += text_bytes(bytes.get(at + 1..)?)? + 1,
            _ => {}
        }
        at += 1;
        if open == 0 {
            return Some(at);
        }
    }
}

/// Whitespace of JSON.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}
