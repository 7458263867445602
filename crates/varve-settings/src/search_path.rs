//! Where names without a schema are looked for.

use std::sync::Arc;

/// The schemas in which a session looks for names, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchPath {
    /// As SHOW gives it.
    pub text: Arc<str>,
    names: Arc<[String]>,
}

impl Default for SearchPath {
    fn default() -> SearchPath {
        SearchPath {
            text: "\"$user\", public".into(),
            // There are no users whose schemas could be meant.
            names: ["public".to_owned()].into(),
        }
    }
}

impl SearchPath {
    /// The schemas by name.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Names with commas between them, in quotes where they are not in lower case.
    pub fn read(text: &str) -> Option<SearchPath> {
        let mut names = vec![String::new()];
        let mut in_quotes = false;
        for character in text.chars() {
            match character {
                '"' => in_quotes = !in_quotes,
                ',' if !in_quotes => names.push(String::new()),
                character if character.is_whitespace() && !in_quotes => {}
                character => {
                    let folded = match in_quotes {
                        true => character,
                        false => character.to_ascii_lowercase(),
                    };
                    names.last_mut()?.push(folded);
                }
            }
        }
        names.retain(|name| !name.is_empty() && name != "$user");
        (!in_quotes).then(|| SearchPath {
            text: text.into(),
            names: names.into(),
        })
    }

    /// The same with a schema before all others.
    pub fn behind(&self, schema: &str) -> SearchPath {
        let names = self.names.iter().cloned();
        let names = core::iter::once(schema.to_owned()).chain(names);
        SearchPath {
            text: Arc::clone(&self.text),
            names: names.collect(),
        }
    }
}
