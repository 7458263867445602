//! A translation as JSON.

use core::fmt::Write;

use varve_dialect::Script;

/// An object of four lists, each of objects with a line and a text.
pub fn json(script: &Script) -> String {
    let mut out = String::from("{\"statements\":");
    let statements = script.statements.iter();
    put_list(&mut out, statements.map(|one| (one.line, one.sql.as_str())));
    out.push_str(",\"faults\":");
    let faults = script.faults.iter();
    put_list(&mut out, faults.map(|one| (one.line, one.message.as_str())));
    for (name, remarks) in [
        (",\"remarks\":", &script.remarks),
        (",\"passedOver\":", &script.passed_over),
    ] {
        out.push_str(name);
        let remarks = remarks.iter();
        put_list(
            &mut out,
            remarks.map(|one| (one.line, one.message.as_str())),
        );
    }
    out.push('}');
    out
}

fn put_list<'t>(out: &mut String, items: impl Iterator<Item = (u64, &'t str)>) {
    out.push('[');
    for (at, (line, text)) in items.enumerate() {
        if at > 0 {
            out.push(',');
        }
        // Writing to a text does not fail.
        _ = write!(out, "{{\"line\":{line},\"text\":");
        put_text(out, text);
        out.push('}');
    }
    out.push(']');
}

fn put_text(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            c if c < ' ' => _ = write!(out, "\\u{:04x}", u32::from(c)),
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use varve_dialect::{Dialect, translate};

    #[test]
    fn texts_are_escaped() {
        let script = translate(b"PRAGMA a;\nSELECT 'a\n\"\\';\nx", Dialect::Sqlite);
        let expected = "{\"statements\":[{\"line\":2,\"text\":\"SELECT 'a\\u000a\\\"\\\\'\"}],\
                        \"faults\":[{\"line\":4,\"text\":\"cannot be read: Expected: an SQL statement, found: x\"}],\
                        \"remarks\":[],\"passedOver\":[{\"line\":1,\"text\":\"PRAGMA a\"}]}";
        assert_eq!(super::json(&script), expected);
    }
}
