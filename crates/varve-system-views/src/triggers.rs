//! The triggers that there are.

use std::sync::Arc;

use varve_catalog::model::catalog::Catalog;
use varve_catalog::model::oid::relation_oid;
use varve_catalog::model::table::TableDef;
use varve_catalog::model::trigger_def::{Event, TriggerDef};
use varve_catalog::model::view::shape_of;
use varve_types::{ColumnId, SqlText, Value, sql};

use crate::{DATABASE, ShownTexts, from_zero, int2, int4, oid, text};

/// Bits of `tgtype`.
const ROW: i16 = 1;
const BEFORE: i16 = 2;
const INSERT: i16 = 4;
const DELETE: i16 = 8;
const UPDATE: i16 = 16;
const TRUNCATE: i16 = 32;
const INSTEAD: i16 = 64;

/// The triggers with their tables; views as if they were ones.
fn with_tables(catalog: &Catalog) -> impl Iterator<Item = (&TriggerDef, Arc<TableDef>)> {
    let triggers = catalog.triggers.values().flatten();
    triggers.filter_map(|def| {
        let table = catalog.tables.get(&def.table).map(Arc::clone);
        let view = || {
            let view = catalog.views.get(&def.table)?;
            Some(Arc::new(shape_of(view)))
        };
        Some((def.as_ref(), table.or_else(view)?))
    })
}

fn place_of(table: &TableDef, id: ColumnId) -> Option<usize> {
    table.columns.iter().position(|column| column.id == id)
}

/// `pg_trigger`
pub(crate) fn triggers(catalog: &Catalog, texts: &dyn ShownTexts) -> Vec<Vec<Value>> {
    let row = |(def, table): (&TriggerDef, Arc<TableDef>)| {
        let bits = [
            (def.for_each_row, ROW),
            (def.before, BEFORE),
            (def.insert, INSERT),
            (def.delete, DELETE),
            (def.update, UPDATE),
            (def.truncate, TRUNCATE),
            (def.instead, INSTEAD),
        ];
        let set = bits.iter().filter(|(is, _)| *is);
        let kind = set.fold(0, |all, (_, bit)| all | bit);
        let columns = def.columns.iter().filter_map(|id| place_of(&table, *id));
        let no = || Value::Boolean(false);
        vec![
            oid(relation_oid(def.object)),
            oid(relation_oid(def.table)),
            text(&def.name),
            oid(relation_oid(def.function)),
            Value::Int2(kind),
            text(if def.is_enabled { "O" } else { "D" }),
            no(),
            oid(0),
            oid(0),
            oid(0),
            oid(0),
            no(),
            no(),
            int2(def.arguments.len()),
            from_zero(columns.map(|at| at + 1).collect()),
            texts.condition(catalog, def).map_or(Value::Null, text),
        ]
    };
    with_tables(catalog).map(row).collect()
}

/// `information_schema.triggers`: a row an event.
pub(crate) fn information_triggers(catalog: &Catalog, texts: &dyn ShownTexts) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for (def, table) in with_tables(catalog) {
        let schema = || text(catalog.schema_name(table.schema));
        for (is_of, event) in events(def) {
            if !is_of || event == Event::Truncate {
                continue;
            }
            let same = |known: &&Arc<TriggerDef>| {
                let is_same = (known.before, known.for_each_row) == (def.before, def.for_each_row);
                is_same && known.name <= def.name && events(known).contains(&(true, event))
            };
            let order = catalog.triggers_of(def.table).iter().filter(same).count();
            rows.push(vec![
                text(DATABASE),
                schema(),
                text(&def.name),
                text(event.word()),
                text(DATABASE),
                schema(),
                text(&table.name),
                int4(order),
                texts.condition(catalog, def).map_or(Value::Null, text),
                text(sql!["EXECUTE FUNCTION ", called(catalog, def)]),
                text(if def.for_each_row { "ROW" } else { "STATEMENT" }),
                text(def.when()),
            ]);
        }
    }
    rows
}

/// The events in PostgreSQL's order, and whether they fire a trigger.
fn events(def: &TriggerDef) -> [(bool, Event); 4] {
    [
        (def.insert, Event::Insert),
        (def.delete, Event::Delete),
        (def.update, Event::Update),
        (def.truncate, Event::Truncate),
    ]
}

/// The function of a trigger with its arguments.
fn called(catalog: &Catalog, def: &TriggerDef) -> SqlText {
    let function = catalog.functions.get(&def.function);
    let name = function.map(|function| catalog.function_name(function));
    let arguments = def.arguments.iter();
    let arguments = arguments.map(|text| SqlText::any_literal(text));
    let arguments = SqlText::joined(&arguments.collect::<Vec<SqlText>>(), ", ");
    sql![name.unwrap_or_default(), "(", arguments, ")"]
}

/// The statement that makes a trigger; `pretty` leaves out schemas that are in the path.
pub(crate) fn definition(
    catalog: &Catalog,
    texts: &dyn ShownTexts,
    number: u32,
    pretty: bool,
) -> Option<SqlText> {
    let mut known = with_tables(catalog);
    let (def, table) = known.find(|(def, _)| relation_oid(def.object) == number)?;
    let some = events(def).into_iter().filter(|(is_of, _)| *is_of);
    let some = some.map(|(_, event)| {
        let columns = def.columns.iter().filter_map(|id| place_of(&table, *id));
        let columns = columns.filter_map(|at| table.columns.get(at));
        let columns = SqlText::names(columns.map(|column| column.name.as_str()));
        match event == Event::Update && !columns.is_empty() {
            true => sql!["UPDATE OF ", columns],
            false => sql![event.word()],
        }
    });
    let some: Vec<SqlText> = some.collect();
    let schema = catalog.schema_name(table.schema);
    let name = match pretty {
        true => catalog.shown_name(table.schema, &table.name),
        false => SqlText::name_in(schema, &table.name),
    };
    let condition = texts.condition(catalog, def);
    let condition = condition.map(|text| sql!["WHEN (", text, ") "]);
    Some(sql![
        "CREATE TRIGGER ",
        SqlText::name(&def.name),
        " ",
        def.when(),
        " ",
        SqlText::joined(&some, " OR "),
        " ON ",
        name,
        if def.for_each_row {
            " FOR EACH ROW "
        } else {
            " FOR EACH STATEMENT "
        },
        condition.unwrap_or_default(),
        "EXECUTE FUNCTION ",
        called(catalog, def),
    ])
}
