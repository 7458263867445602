//! Constraints: their rows in `pg_constraint`, and how ALTER TABLE would write them.

use varve_catalog::model::catalog::Catalog;
use varve_catalog::model::deparse::Printer;
use varve_catalog::model::domain::DomainDef;
use varve_catalog::model::foreign_key::{ForeignKeyDef, KeyAction};
use varve_catalog::model::index::Deferral;
use varve_catalog::model::oid::{numbered, relation_oid};
use varve_catalog::model::table::{CheckDef, TableDef};
use varve_types::{SqlText, Value, sql};

use crate::reg::relation_name;
use crate::relations::{
    FIRST_CHECK, FIRST_FOREIGN, Key, MANY, check_text, checked_columns, keys, number_of, schema_oid,
};
use crate::{int2s, oid, text};

/// A constraint of a table.
pub(crate) enum Constraint<'a> {
    /// PRIMARY KEY, UNIQUE.
    Key(Key<'a>),
    /// CHECK
    Check(&'a CheckDef),
    /// FOREIGN KEY
    Foreign(&'a ForeignKeyDef),
}

/// The constraints of a table with their OIDs.
pub(crate) fn constraints_of(table: &TableDef) -> Vec<(u32, Constraint<'_>)> {
    let of_table = |first, number| numbered(first, table.object.0, MANY, number);
    let keys = keys(table)
        .into_iter()
        .filter(|key| key.index.is_constraint);
    let mut found: Vec<(u32, Constraint<'_>)> = keys
        .map(|key| (key.constraint, Constraint::Key(key)))
        .collect();
    let checks = (0..).zip(&table.checks);
    // Those of domains belong to the domains.
    let checks = checks.filter(|(_, check)| check.domain().is_none());
    found.extend(checks.map(|(number, check)| {
        let number = of_table(FIRST_CHECK, number);
        (number, Constraint::Check(check))
    }));
    let foreign = (0..).zip(&table.foreign_keys);
    found.extend(foreign.map(|(number, key)| {
        let number = of_table(FIRST_FOREIGN, number);
        (number, Constraint::Foreign(key))
    }));
    found
}

impl Constraint<'_> {
    pub(crate) fn name(&self) -> &str {
        match self {
            Constraint::Key(key) => &key.index.name,
            Constraint::Check(check) => &check.name,
            Constraint::Foreign(key) => &key.name,
        }
    }

    pub(crate) fn deferral(&self) -> Deferral {
        match self {
            Constraint::Key(key) => key.index.deferral,
            Constraint::Check(_) => Deferral::Never,
            Constraint::Foreign(key) => key.deferral,
        }
    }
}

pub(crate) fn rows(catalog: &Catalog) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for table in catalog.tables.values() {
        for (number, constraint) in constraints_of(table) {
            rows.push(row(catalog, table, number, &constraint));
        }
    }
    rows.extend(domain_checks(catalog).map(|(number, check)| domain_row(number, &check)));
    rows
}

fn row(
    catalog: &Catalog,
    table: &TableDef,
    number: u32,
    constraint: &Constraint<'_>,
) -> Vec<Value> {
    let yes = Value::Boolean;
    let numbers = |columns: &mut dyn Iterator<Item = usize>| {
        int2s(columns.map(|at| number_of(table, at)).collect())
    };
    let (kind, columns) = match constraint {
        Constraint::Key(key) => (
            if key.is_primary { "p" } else { "u" },
            numbers(&mut key.own_columns()),
        ),
        Constraint::Check(check) => (
            "c",
            numbers(&mut checked_columns(table, &check.expr).into_iter()),
        ),
        Constraint::Foreign(key) => ("f", numbers(&mut key.columns.iter().copied())),
    };
    let (mut parent, mut parent_columns, mut index) = (0, Value::Null, 0);
    let (mut update, mut delete, mut matching, mut is_valid) = (" ", " ", " ", true);
    let mut source = Value::Null;
    match constraint {
        Constraint::Key(key) => index = key.oid,
        Constraint::Check(check) => source = text(check_text(catalog, table, &check.expr)),
        Constraint::Foreign(key) => {
            parent = relation_oid(key.parent);
            (update, delete) = (letter(key.on_update), letter(key.on_delete));
            matching = if key.is_full { "f" } else { "s" };
            is_valid = key.is_valid;
            if let Some(of) = catalog.tables.get(&key.parent) {
                let places = key.parent_positions(of);
                index = parent_key(of, &places).map_or(0, |key| key.oid);
                let places = places.into_iter();
                parent_columns = int2s(places.map(|at| number_of(of, at)).collect());
            }
        }
    }
    let deferral = constraint.deferral();
    vec![
        oid(number),
        text(constraint.name()),
        oid(schema_oid(table.schema)),
        text(kind),
        yes(deferral != Deferral::Never),
        yes(deferral == Deferral::Deferred),
        yes(is_valid),
        oid(relation_oid(table.object)),
        oid(0),
        oid(index),
        oid(0),
        oid(parent),
        text(update),
        text(delete),
        text(matching),
        yes(true),
        Value::Int2(0),
        yes(kind != "c"),
        columns,
        parent_columns,
        source,
    ]
}

fn letter(action: KeyAction) -> &'static str {
    match action {
        KeyAction::NoAction => "a",
        KeyAction::Restrict => "r",
        KeyAction::Cascade => "c",
        KeyAction::SetNull => "n",
        KeyAction::SetDefault => "d",
    }
}

/// The words of an action.
pub(crate) fn action_words(action: KeyAction) -> &'static str {
    match action {
        KeyAction::NoAction => "NO ACTION",
        KeyAction::Restrict => "RESTRICT",
        KeyAction::Cascade => "CASCADE",
        KeyAction::SetNull => "SET NULL",
        KeyAction::SetDefault => "SET DEFAULT",
    }
}

/// The key of a table that a foreign key to these columns is checked by.
pub(crate) fn parent_key<'a>(table: &'a TableDef, places: &[usize]) -> Option<Key<'a>> {
    let mut wanted = places.to_vec();
    varve_sort::sort(&mut wanted);
    keys(table).into_iter().find(|key| {
        let mut columns: Vec<usize> = key.own_columns().collect();
        varve_sort::sort(&mut columns);
        key.index.options.is_unique && columns == wanted
    })
}

/// Names of columns, as SQL writes them, with commas between them.
fn column_list(table: &TableDef, places: impl Iterator<Item = usize>) -> SqlText {
    SqlText::names(places.filter_map(|at| table.name_at(at)))
}

/// `pg_get_constraintdef(oid)`
pub(crate) fn definition(catalog: &Catalog, number: u32, is_pretty: bool) -> Option<SqlText> {
    if let Some((_, check)) = domain_checks(catalog).find(|(known, _)| *known == number) {
        return Some(check_definition(&check.text, is_pretty));
    }
    let mut tables = catalog.tables.values();
    let (table, constraint) = tables.find_map(|table| {
        let mut constraints = constraints_of(table).into_iter();
        let (_, found) = constraints.find(|(known, _)| *known == number)?;
        Some((table, found))
    })?;
    let mut sql = match &constraint {
        Constraint::Check(check) => {
            check_definition(&check_text(catalog, table, &check.expr), is_pretty)
        }
        Constraint::Key(key) => {
            let kind = if key.is_primary {
                "PRIMARY KEY"
            } else {
                "UNIQUE"
            };
            let nulls = if key.index.options.nulls_not_distinct {
                " NULLS NOT DISTINCT"
            } else {
                ""
            };
            let columns = column_list(table, key.own_columns());
            let mut sql = sql![kind, nulls, " (", columns, ")"];
            if !key.index.include.is_empty() {
                let included = column_list(table, key.index.include.iter().copied());
                sql.push(sql![" INCLUDE (", included, ")"]);
            }
            sql
        }
        Constraint::Foreign(key) => foreign_definition(catalog, table, key),
    };
    match constraint.deferral() {
        Deferral::Never => {}
        Deferral::Deferrable => sql.push(" DEFERRABLE"),
        Deferral::Deferred => sql.push(" DEFERRABLE INITIALLY DEFERRED"),
    }
    if let Constraint::Foreign(ForeignKeyDef {
        is_valid: false, ..
    }) = constraint
    {
        sql.push(" NOT VALID");
    }
    Some(sql)
}

fn check_definition(condition: &SqlText, is_pretty: bool) -> SqlText {
    match is_pretty {
        true => sql!["CHECK (", condition.unparenthesized(), ")"],
        false => sql!["CHECK (", condition, ")"],
    }
}

/// A CHECK of a domain.
pub(crate) struct DomainCheck<'a> {
    pub(crate) domain: &'a DomainDef,
    pub(crate) name: &'a str,
    pub(crate) text: SqlText,
}

/// The constraints of domains with their OIDs.
pub(crate) fn domain_checks(catalog: &Catalog) -> impl Iterator<Item = (u32, DomainCheck<'_>)> {
    let domains = catalog.domains.values();
    domains.flat_map(move |domain| {
        (0..).zip(&domain.checks).map(move |(number, check)| {
            let number = numbered(FIRST_CHECK, domain.object.0, MANY, number);
            let printer = Printer {
                columns: &[sql!["VALUE"]],
                catalog: Some(catalog),
            };
            let text = printer.expr(&check.expr);
            let name = check.name.as_str();
            (number, DomainCheck { domain, name, text })
        })
    })
}

fn domain_row(number: u32, check: &DomainCheck<'_>) -> Vec<Value> {
    let yes = Value::Boolean;
    let none = || oid(0);
    vec![
        oid(number),
        text(check.name),
        oid(schema_oid(check.domain.schema)),
        text("c"),
        yes(false),
        yes(false),
        yes(true),
        none(),
        oid(check.domain.oid()),
        none(),
        none(),
        none(),
        text(" "),
        text(" "),
        text(" "),
        yes(true),
        Value::Int2(0),
        yes(false),
        Value::Null,
        Value::Null,
        text(&check.text),
    ]
}

fn foreign_definition(catalog: &Catalog, table: &TableDef, key: &ForeignKeyDef) -> SqlText {
    let columns = column_list(table, key.columns.iter().copied());
    let mut sql = sql!["FOREIGN KEY (", columns, ")"];
    if let Some(parent) = catalog.tables.get(&key.parent) {
        let name = relation_name(catalog, relation_oid(parent.object), false);
        let columns = column_list(parent, key.parent_positions(parent).into_iter());
        let name = name.unwrap_or_default();
        sql.push(sql![" REFERENCES ", name, "(", columns, ")"]);
    }
    if key.is_full {
        sql.push(" MATCH FULL");
    }
    for (event, action) in [("UPDATE", key.on_update), ("DELETE", key.on_delete)] {
        if action != KeyAction::NoAction {
            sql.push(sql![" ON ", event, " ", action_words(action)]);
        }
    }
    if !key.set_columns.is_empty() {
        let columns = column_list(table, key.set_columns.iter().copied());
        sql.push(sql![" (", columns, ")"]);
    }
    sql
}
