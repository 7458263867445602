//! Texts of definitions that the catalog keeps: views, bodies of functions, defaults of
//! arguments, conditions of triggers.
//!
//! A kept text means what it meant when it was made, whatever the search path of who uses it, and
//! follows what it names when that gets another name. So its names are whole: binding it tells
//! what each of them means ([`NameUse`]), and [`written`] writes the text again with the names
//! that these have in a catalog. What the text itself calls by a name of its own keeps that: a
//! relation or column with another name than before gets the old one as its alias.

use std::sync::Arc;

use varve_lexer::{Keyword, Lexeme, Token, tokenize};
use varve_types::{ColumnId, ObjectId, SqlText, sql};

use crate::model::catalog::Catalog;
use crate::model::function_def::FunctionDef;
use crate::text::name::folded_path;
use crate::text::sql_source::source;

/// A name in a text: where its first token stands, and what it means.
#[derive(Clone, Debug, PartialEq)]
pub struct NameUse {
    /// Position of its first token, from 1.
    pub at: u32,
    /// What it means.
    pub what: Meaning,
}

/// What a name in a text means.
#[derive(Clone, Debug, PartialEq)]
pub enum Meaning {
    /// A relation whose rows are read.
    Relation {
        /// Which one.
        object: ObjectId,
        /// Position of its alias, from 1; 0 without one.
        alias: u32,
        /// Number of columns that the alias names.
        named: usize,
        /// The columns by the names that they had when the text was bound.
        columns: Vec<(ColumnId, String)>,
    },
    /// A relation whose rows are changed.
    Target(ObjectId),
    /// A function that is called.
    Function(Arc<FunctionDef>),
    /// A call that names a relation of FROM or a column of the result.
    Naming,
    /// A type of a user, or that of the rows of a relation.
    Type(ObjectId),
    /// A literal that names a relation.
    Regclass(ObjectId),
    /// A label of an enumeration, by its place.
    Label(ObjectId, i32),
    /// `*`, and the columns that it means.
    Star(Vec<SqlText>),
    /// A column of a table that is changed.
    Column(ObjectId, ColumnId),
    /// The name of a relation with its schema before a column.
    Qualified,
    /// A variable behind this qualifier.
    Variable(String),
}

impl NameUse {
    /// The object that the text cannot be without.
    pub fn object(&self) -> Option<ObjectId> {
        match &self.what {
            Meaning::Relation { object, .. }
            | Meaning::Target(object)
            | Meaning::Type(object)
            | Meaning::Regclass(object)
            | Meaning::Label(object, _) => Some(*object),
            Meaning::Function(def) => Some(def.object),
            _ => None,
        }
        .filter(|object| *object != ObjectId(0))
    }
}

/// How names are written.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    /// Has the names of objects.
    pub catalog: &'a Catalog,
    /// With their schemas even where they are found without.
    pub whole: bool,
    /// Whether columns with other names than in the text are named by the aliases of their
    /// relations; not where what the text reads is kept beside it.
    pub aliases: bool,
    /// What qualifiers of variables mean.
    pub variables: Variables<'a>,
}

/// What the qualified variables of a text are.
#[derive(Clone, Copy)]
pub enum Variables<'a> {
    /// There are none.
    None,
    /// Arguments of a function with this name.
    Arguments(&'a str),
    /// Columns of a row, by the names in the text.
    Columns(ObjectId, &'a [(ColumnId, String)]),
}

/// A text with its names as they are in a catalog.
pub fn written(text: &str, uses: &[NameUse], names: Names<'_>) -> SqlText {
    let mut editor = Editor {
        text,
        lexemes: tokenize(text),
        names,
        edits: Vec::new(),
    };
    for name in uses {
        // A name that is not where it should be stays as it is.
        _ = editor.name(name);
    }
    for name in uses {
        _ = editor.naming(name, uses);
    }
    let mut edits = editor.edits;
    varve_sort::sort_by(&mut edits, |left, right| left.0.start.cmp(&right.0.start));
    let mut result = String::with_capacity(text.len() + 64);
    let mut from = 0;
    for (place, new) in edits {
        if place.start < from {
            continue;
        }
        result.push_str(text.get(from..place.start).unwrap_or_default());
        result.push_str(new.as_str());
        from = place.end;
    }
    result.push_str(text.get(from..).unwrap_or_default());
    source(&result)
}

type Place = core::ops::Range<usize>;

struct Editor<'a> {
    text: &'a str,
    lexemes: Vec<Lexeme>,
    names: Names<'a>,
    edits: Vec<(Place, SqlText)>,
}

impl Editor<'_> {
    /// The token at a position.
    fn token(&self, position: u32) -> Option<usize> {
        let at = self
            .lexemes
            .binary_search_by_key(&position, |lexeme| lexeme.position);
        at.ok()
    }

    fn kind(&self, at: usize) -> Token {
        self.lexemes.get(at).map_or(Token::EOF, |one| one.token)
    }

    fn is_word(&self, at: usize) -> bool {
        matches!(
            self.kind(at),
            Token::Word | Token::QuotedWord | Token::UnicodeWord
        )
    }

    /// The last token of the name that starts with a token.
    fn last(&self, first: usize) -> usize {
        let mut last = first;
        while self.kind(last + 1) == Token::Period && self.is_word(last + 2) {
            last += 2;
        }
        last
    }

    fn bytes(&self, first: usize, last: usize) -> Option<Place> {
        let start = self.lexemes.get(first)?.bytes().start;
        Some(start..self.lexemes.get(last)?.bytes().end)
    }

    /// The name that a token is, folded.
    fn folded(&self, at: usize) -> Option<String> {
        let place = self.lexemes.get(at)?.bytes();
        Some(folded_path(self.text.get(place)?).ok()?.name)
    }

    fn put(&mut self, (first, last): (usize, usize), new: SqlText) -> Option<()> {
        let place = self.bytes(first, last)?;
        self.edits.push((place, new));
        Some(())
    }

    fn behind(&mut self, at: usize, new: SqlText) -> Option<()> {
        let end = self.lexemes.get(at)?.bytes().end;
        self.edits.push((end..end, new));
        Some(())
    }

    /// The parenthesis that closes the one at a token.
    fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for at in open..self.lexemes.len() {
            match self.kind(at) {
                Token::LParen => depth += 1,
                Token::RParen => depth = depth.checked_sub(1)?,
                _ => {}
            }
            if depth == 0 {
                return Some(at);
            }
        }
        None
    }

    /// A name in the catalog as it is written, and its last part.
    fn shown(&self, object: ObjectId, is_type: bool) -> Option<(SqlText, String)> {
        let catalog = self.names.catalog;
        let (schema, name) = catalog.name_of(object)?;
        let shown = match self.names.whole {
            true => SqlText::name_in(catalog.schema_name(schema), name),
            false if is_type => catalog.type_def_name(schema, name),
            false => catalog.shown_name(schema, name),
        };
        Some((shown, name.to_owned()))
    }

    fn name(&mut self, name: &NameUse) -> Option<()> {
        let first = self.token(name.at)?;
        let last = self.last(first);
        match &name.what {
            Meaning::Relation { object, .. } if self.is_word(first) => {
                let (shown, now) = self.shown(*object, false)?;
                self.put((first, last), shown)?;
                self.relation(&name.what, last, &now)
            }
            Meaning::Target(object) if self.is_word(first) => {
                let (shown, now) = self.shown(*object, false)?;
                self.put((first, last), shown)?;
                let old = self.folded(last)?;
                let keeps_name = old == now || self.has_alias(last);
                (!keeps_name).then(|| self.behind(last, sql![" AS ", SqlText::name(&old)]))?
            }
            Meaning::Type(object) if self.is_word(first) => {
                let (shown, _) = self.shown(*object, true)?;
                self.put((first, last), shown)
            }
            Meaning::Function(def) if self.is_called(first, def) => {
                let def = Arc::clone(def);
                let catalog = self.names.catalog;
                let now = catalog.functions.get(&def.object).unwrap_or(&def);
                let shown = match self.names.whole {
                    true => SqlText::name_in(catalog.schema_name(now.schema), &now.name),
                    false => catalog.function_name(now),
                };
                self.put((first, last), shown)
            }
            Meaning::Regclass(object) => {
                let (shown, _) = self.shown(*object, false)?;
                self.put((first, first), SqlText::literal(shown.as_str()))
            }
            Meaning::Label(object, place) => {
                let labels = &self.names.catalog.types.get(object)?.labels;
                let label = labels.iter().find(|(known, _)| known == place)?;
                let label = SqlText::literal(&label.1);
                self.put((first, first), label)
            }
            Meaning::Star(columns) => {
                let mut star = last;
                if self.kind(star) != Token::Mul {
                    star += 2;
                }
                let is_star = self.kind(star) == Token::Mul;
                let columns = SqlText::joined(columns, ", ");
                is_star.then(|| self.put((first, star), columns))?
            }
            Meaning::Column(object, column) => {
                let columns = self.names.catalog.named_columns(*object);
                let (_, now) = columns.into_iter().find(|(id, _)| id == column)?;
                self.put((last, last), SqlText::name(&now))
            }
            Meaning::Qualified => {
                // The last two parts are what PostgreSQL would show.
                let from = last.checked_sub(2).filter(|from| *from > first)?;
                self.put((first, from - 1), SqlText::default())
            }
            Meaning::Variable(qualifier) => self.variable(first, qualifier),
            _ => None,
        }
    }

    /// Whether an alias stands behind the name of a relation that is changed.
    fn has_alias(&self, last: usize) -> bool {
        let next = self.lexemes.get(last + 1).map(|next| next.keyword);
        let clause = [
            Keyword::SET,
            Keyword::VALUES,
            Keyword::DEFAULT,
            Keyword::SELECT,
            Keyword::TABLE,
            Keyword::WITH,
            Keyword::OVERRIDING,
            Keyword::USING,
            Keyword::WHERE,
            Keyword::RETURNING,
        ];
        self.is_word(last + 1) && !next.is_some_and(|next| clause.contains(&next))
    }

    /// Whether a token starts the name of a function that is called.
    fn is_called(&self, first: usize, def: &FunctionDef) -> bool {
        let last = self.last(first);
        self.is_word(first)
            && self.kind(last + 1) == Token::LParen
            && self.folded(last).as_ref() == Some(&def.name)
    }

    /// The alias of a relation that had another name, or columns of other names.
    fn relation(&mut self, what: &Meaning, last: usize, now: &str) -> Option<()> {
        let Meaning::Relation {
            object,
            alias,
            named,
            columns,
        } = what
        else {
            return None;
        };
        let old = self.folded(last)?;
        let columns = match self.names.aliases {
            true => self.aliases(*object, columns),
            false => Vec::new(),
        };
        let rest = columns.get(*named..).unwrap_or_default();
        let list = SqlText::names(rest.iter().map(String::as_str));
        match (*alias, rest.is_empty()) {
            (0, true) if old == now => Some(()),
            (0, true) => self.behind(last, sql![" AS ", SqlText::name(&old)]),
            (0, false) => self.behind(last, sql![" AS ", SqlText::name(&old), "(", list, ")"]),
            (_, true) => Some(()),
            (alias, false) => {
                let alias = self.token(alias)?;
                match self.kind(alias + 1) {
                    Token::LParen if *named > 0 => {
                        let end = self.closing(alias + 1)?;
                        self.behind(end.checked_sub(1)?, sql![", ", list])
                    }
                    _ => self.behind(alias, sql!["(", list, ")"]),
                }
            }
        }
    }

    /// The names of a relation's columns in the text, up to the last that has another name now.
    fn aliases(&self, object: ObjectId, bound: &[(ColumnId, String)]) -> Vec<String> {
        let now = self.names.catalog.named_columns(object);
        let old = |id: &ColumnId| bound.iter().find(|(known, _)| known == id);
        let is_other = |(id, name): &(ColumnId, String)| old(id).is_some_and(|old| old.1 != *name);
        let end = now.iter().rposition(is_other).map_or(0, |last| last + 1);
        let mut names: Vec<String> = Vec::with_capacity(end);
        for (id, name) in now.iter().take(end) {
            names.push(old(id).map_or(name, |(_, old)| old).clone());
        }
        names
    }

    /// What a call gives keeps the name of the function as it was.
    fn naming(&mut self, name: &NameUse, uses: &[NameUse]) -> Option<()> {
        if name.what != Meaning::Naming {
            return None;
        }
        let called = uses.iter().find_map(|other| match &other.what {
            Meaning::Function(def) if other.at == name.at => Some(def),
            _ => None,
        });
        let def = called?;
        let now = self.names.catalog.functions.get(&def.object)?;
        if now.name == def.name {
            return None;
        }
        let last = self.last(self.token(name.at)?);
        let end = self.closing(last + 1)?;
        self.behind(end, sql![" AS ", SqlText::name(&def.name)])
    }

    fn variable(&mut self, first: usize, qualifier: &str) -> Option<()> {
        match self.names.variables {
            Variables::Arguments(now) if now != qualifier => {
                self.put((first, first), SqlText::name(now))
            }
            Variables::Columns(object, columns) => {
                let old = self.folded(first + 2)?;
                let (id, _) = columns.iter().find(|(_, name)| *name == old)?;
                let now = self.names.catalog.named_columns(object);
                let (_, now) = now.into_iter().find(|(known, _)| known == id)?;
                self.put((first + 2, first + 2), SqlText::name(&now))
            }
            Variables::Arguments(_) | Variables::None => None,
        }
    }
}

impl Catalog {
    /// The schema and the name of a relation or type.
    pub fn name_of(&self, object: ObjectId) -> Option<(ObjectId, &str)> {
        if let Some(table) = self.tables.get(&object) {
            return Some((table.schema, &table.name));
        }
        if let Some(view) = self.views.get(&object) {
            return Some((view.schema, &view.name));
        }
        if let Some(sequence) = self.sequences.get(&object) {
            return Some((sequence.schema, &sequence.name));
        }
        if let Some(def) = self.types.get(&object) {
            return Some((def.schema, &def.name));
        }
        let domain = self.domains.get(&object)?;
        Some((domain.schema, &domain.name))
    }

    /// The columns of a table or view.
    pub fn named_columns(&self, object: ObjectId) -> Vec<(ColumnId, String)> {
        if let Some(table) = self.tables.get(&object) {
            let columns = table.columns.iter();
            return columns
                .map(|column| (column.id, column.name.clone()))
                .collect();
        }
        let view = self.views.get(&object);
        let columns = view.map_or(&[][..], |view| &view.columns);
        let columns = (1..).zip(columns);
        columns
            .map(|(at, column)| (ColumnId(at), column.name.clone()))
            .collect()
    }
}
