//! psql's variables: `:name` as it is, `:'name'` as a literal, `:"name"` as an identifier and
//! `:{?name}` for whether there is one.

use std::collections::BTreeMap;

use crate::statement::{quoted_identifier, quoted_literal};

/// Names and values.
#[derive(Clone, Debug, Default)]
pub struct Variables(BTreeMap<String, String>);

/// What stands at a colon.
pub(crate) struct Reference<'a> {
    pub name: &'a str,
    /// What is put in its place.
    pub value: String,
    /// Bytes that it takes, with the colon.
    pub length: usize,
    /// Whether the value is read again as if it had been typed.
    pub is_plain: bool,
}

impl Variables {
    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Sets a variable.
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        self.0.insert(name.to_owned(), value.into());
    }

    /// Forgets a variable.
    pub fn unset(&mut self, name: &str) {
        self.0.remove(name);
    }

    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Whether a variable is a switch that is on.
    pub fn is_on(&self, name: &str) -> bool {
        self.get(name)
            .is_some_and(|value| switch(value) == Some(true))
    }

    /// What the colon at the start of `text` refers to; `None` where it is only a colon.
    pub(crate) fn at_colon<'a>(&self, text: &'a str) -> Option<Reference<'a>> {
        let rest = text.strip_prefix(':')?;
        if let Some(inner) = rest.strip_prefix("{?") {
            let name = leading_name(inner);
            inner.get(name.len()..)?.strip_prefix('}')?;
            let is_set = self.get(name).is_some();
            return (!name.is_empty()).then(|| Reference {
                name,
                value: if is_set { "TRUE" } else { "FALSE" }.to_owned(),
                length: name.len() + 4,
                is_plain: false,
            });
        }
        for (quote, quoted) in [
            ('\'', quoted_literal as fn(&str) -> String),
            ('"', quoted_identifier),
        ] {
            if let Some(inner) = rest.strip_prefix(quote) {
                let name = leading_name(inner);
                inner.get(name.len()..)?.strip_prefix(quote)?;
                return Some(Reference {
                    name,
                    value: quoted(self.get(name)?),
                    length: name.len() + 3,
                    is_plain: false,
                });
            }
        }
        let name = leading_name(rest);
        Some(Reference {
            name,
            value: self.get(name)?.to_owned(),
            length: name.len() + 1,
            is_plain: true,
        })
    }
}

fn leading_name(text: &str) -> &str {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii();
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

/// What a word says as a switch, if it says anything: its beginning is enough, as in psql.
pub fn switch(word: &str) -> Option<bool> {
    let word = word.to_ascii_lowercase();
    let begins = |whole: &str, least: usize| word.len() >= least && whole.starts_with(&word);
    if word == "1" || begins("true", 1) || begins("yes", 1) || word == "on" {
        Some(true)
    } else if word == "0" || begins("false", 1) || begins("no", 1) || begins("off", 2) {
        Some(false)
    } else {
        None
    }
}
