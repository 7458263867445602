//! Statements that come when all rows are in: what would hold rows up, needs other tables, or
//! would run for each row.

use std::collections::BTreeSet;

use varve_types::SqlText;

use crate::names::key;
use crate::script::Statement;

/// What it is, in the order in which they come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Sequence,
    Index,
    ForeignKey,
    View,
    Trigger,
    Comment,
}

struct Entry {
    kind: Kind,
    line: u64,
    /// The key of the table that it belongs to, or of the view that it makes.
    of: String,
    /// Keys of the relations that a view reads.
    uses: BTreeSet<String>,
    sql: SqlText,
}

/// The statements for the end.
#[derive(Default)]
pub(crate) struct Later {
    entries: Vec<Entry>,
}

impl Later {
    pub(crate) fn add(&mut self, kind: Kind, line: u64, of: &str, sql: SqlText) {
        self.entries.push(Entry {
            kind,
            line,
            of: key(of),
            uses: BTreeSet::new(),
            sql,
        });
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Forgets what a statement added that could not be translated.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.entries.truncate(len);
    }

    /// A view, in the place of an earlier one of its name: mysqldump makes one without contents
    /// first.
    pub(crate) fn add_view(&mut self, line: u64, name: &str, uses: BTreeSet<String>, sql: SqlText) {
        self.drop_view(name);
        self.add(Kind::View, line, name, sql);
        if let Some(entry) = self.entries.last_mut() {
            entry.uses = uses;
        }
    }

    pub(crate) fn drop_view(&mut self, name: &str) {
        let of = key(name);
        let is_it = |entry: &Entry| entry.kind == Kind::View && entry.of == of;
        self.entries.retain(|entry| !is_it(entry));
    }

    /// Forgets what belongs to a table that is dropped.
    pub(crate) fn drop_table(&mut self, name: &str) {
        let of = key(name);
        self.entries
            .retain(|entry| entry.of != of || entry.kind == Kind::View);
    }

    /// All of them, a view behind those that it reads.
    pub(crate) fn finish(self) -> Vec<Statement> {
        let (views, mut rest): (Vec<Entry>, Vec<Entry>) = self
            .entries
            .into_iter()
            .partition(|entry| entry.kind == Kind::View);
        rest.sort_by_key(|entry| entry.kind);
        let at = rest.partition_point(|entry| entry.kind < Kind::View);
        rest.splice(at..at, sorted(views));
        let statement = |entry: Entry| Statement {
            line: entry.line,
            sql: entry.sql.into_string(),
        };
        rest.into_iter().map(statement).collect()
    }
}

fn sorted(mut views: Vec<Entry>) -> Vec<Entry> {
    let mut sorted = Vec::with_capacity(views.len());
    while !views.is_empty() {
        let missing: BTreeSet<String> = views.iter().map(|view| view.of.clone()).collect();
        let is_ready = |view: &Entry| {
            let mut uses = view.uses.iter().filter(|name| **name != view.of);
            !uses.any(|name| missing.contains(name))
        };
        let (ready, rest): (Vec<Entry>, Vec<Entry>) = views.into_iter().partition(is_ready);
        views = rest;
        if ready.is_empty() {
            sorted.append(&mut views);
        }
        sorted.extend(ready);
    }
    sorted
}
