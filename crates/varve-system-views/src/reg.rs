//! Objects by OID and by name: `regclass` and the like.

use varve_catalog::model::catalog::{Catalog, Named};
use varve_catalog::model::hypertable::CHUNK_SCHEMA;
use varve_catalog::model::oid::{object_of, relation_oid};
use varve_catalog::model::schema::RelationName;
use varve_catalog::model::table::TableDef;
use varve_catalog::text::name::{folded_path, undefined_schema, undefined_table};
use varve_types::{Error, LogicalType, ObjectId, Result, SqlState, SqlText, TypeMod, sql};

use crate::functions::user_function;
use crate::relations::{Key, as_relation, keys, schema_oid};
use crate::{INFORMATION_OID, OWNER, OWNER_OID, PG_CATALOG_OID, catalog_view, view_oid, views};

/// The OID of a relation.
pub(crate) fn relation_number(catalog: &Catalog, name: &RelationName) -> Result<u32> {
    for schema in ["pg_catalog", "information_schema"] {
        let searched = match name.schema.as_deref() {
            None => schema == "pg_catalog",
            Some(written) => written == schema,
        };
        if searched && let Some(view) = catalog_view(schema, &name.name) {
            return Ok(view_oid(view));
        }
    }
    if let Some(schema) = &name.schema
        && catalog.schema(schema).is_none()
    {
        return Err(undefined_schema(schema));
    }
    match catalog.find(name) {
        Some(
            Named::Table(object)
            | Named::Sequence(object)
            | Named::View(object)
            | Named::Chunk(object),
        ) => Ok(relation_oid(object)),
        Some(Named::Index(object)) => {
            let table = catalog.tables.get(&object);
            let keys = table.map(|table| keys(table)).unwrap_or_default();
            let key = keys.iter().find(|key| key.index.name == name.name);
            key.map(|key| key.oid)
                .ok_or_else(|| undefined_table(name, 0))
        }
        None => Err(undefined_table(name, 0)),
    }
}

/// The name of a relation, with its schema where that is not in the path or `qualified`.
pub(crate) fn relation_name(catalog: &Catalog, number: u32, qualified: bool) -> Option<SqlText> {
    let mut views = (0_u16..).zip(views());
    if let Some((_, view)) = views.find(|(at, _)| view_oid(*at) == number) {
        return Some(match view.schema {
            "pg_catalog" if !qualified => SqlText::name(view.name),
            schema => SqlText::name_in(schema, view.name),
        });
    }
    let (schema, name) = shown(catalog, number)?;
    Some(visible_name(catalog, schema, &name, qualified))
}

/// The schema and name of a relation.
fn shown(catalog: &Catalog, number: u32) -> Option<(ObjectId, String)> {
    if let Some(object) = object_of(number) {
        if let Some(table) = catalog.tables.get(&object) {
            let (_, name, _) = as_relation(catalog, table);
            return Some((table.schema, name.to_owned()));
        }
        let view = catalog.views.get(&object);
        let view = view.map(|view| (view.schema, view.name.clone()));
        let sequence = catalog.sequences.get(&object);
        let found = view.or_else(|| sequence.map(|one| (one.schema, one.name.clone())));
        let chunk = || {
            catalog
                .chunk(object)
                .map(|chunk| (CHUNK_SCHEMA, chunk.name()))
        };
        let found = found.or_else(chunk);
        if found.is_some() {
            return found;
        }
    }
    let (table, key) = index_of(catalog, number)?;
    Some((table.schema, key.index.name.clone()))
}

/// An index by its OID, with its table.
pub(crate) fn index_of(catalog: &Catalog, number: u32) -> Option<(&TableDef, Key<'_>)> {
    catalog.tables.values().find_map(|table| {
        let mut keys = keys(table).into_iter();
        let key = keys.find(|key| key.oid == number)?;
        Some((table.as_ref(), key))
    })
}

fn visible_name(catalog: &Catalog, schema: ObjectId, name: &str, qualified: bool) -> SqlText {
    match qualified {
        false => catalog.shown_name(schema, name),
        true => SqlText::name_in(catalog.schema_name(schema), name),
    }
}

/// Whether a relation is found by its name alone.
pub(crate) fn is_visible(catalog: &Catalog, number: u32) -> Option<bool> {
    let short = relation_name(catalog, number, false)?;
    let long = relation_name(catalog, number, true)?;
    Some(short != long)
}

/// The OID of a type by its name in SQL.
pub(crate) fn type_number(catalog: &Catalog, text: &str) -> Result<u32> {
    let domain = folded_path(text).ok();
    if let Some(domain) = domain.and_then(|name| catalog.domain_named(&name)) {
        return Ok(domain.oid());
    }
    let element = match text.strip_suffix("[]") {
        Some(name) => folded_path(name).ok(),
        None => folded_path(text).ok().and_then(|path| {
            let name = path.name.strip_prefix('_')?.to_owned();
            Some(RelationName { name, ..path })
        }),
    };
    if let Some(domain) = element.and_then(|name| catalog.domain_named(&name)) {
        return Ok(domain.array_oid());
    }
    let (ty, _) = varve_catalog::text::type_name::type_of_text(catalog, text)?;
    Ok(ty.oid())
}

/// The OID of a schema.
pub(crate) fn schema_number(catalog: &Catalog, name: &str) -> Result<u32> {
    match name {
        "pg_catalog" => Ok(PG_CATALOG_OID),
        "information_schema" => Ok(INFORMATION_OID),
        name => match catalog.schema(name) {
            Some(schema) => Ok(schema_oid(schema)),
            None => Err(undefined_schema(name)),
        },
    }
}

/// The name of a schema by its OID.
pub(crate) fn schema_text(catalog: &Catalog, number: u32) -> Option<SqlText> {
    match number {
        PG_CATALOG_OID => Some(sql!["pg_catalog"]),
        INFORMATION_OID => Some(sql!["information_schema"]),
        number => {
            let mut known = catalog.schemas();
            let found = known.find(|(_, schema)| schema_oid(*schema) == number);
            found.map(|(name, _)| SqlText::name(name))
        }
    }
}

/// See [`varve_expr::Names::reg_name`].
pub(crate) fn name_of_reg(catalog: &Catalog, ty: LogicalType, number: u32) -> Option<SqlText> {
    match ty {
        LogicalType::Regclass => relation_name(catalog, number, false),
        // Without a length it is the type of a name, not of one character.
        LogicalType::Regtype if number == LogicalType::Bpchar.oid() => Some(sql!["character"]),
        LogicalType::Regtype => catalog.type_text(number, TypeMod::NONE),
        LogicalType::Regnamespace => schema_text(catalog, number),
        LogicalType::Regrole => (number == OWNER_OID).then(|| SqlText::name(OWNER)),
        _ => match user_function(catalog, number) {
            Some(def) => Some(SqlText::name(&def.name)),
            None => varve_expr::function_name(number).map(SqlText::name),
        },
    }
}

/// See [`varve_expr::Names::reg_oid`].
pub(crate) fn number_of_reg(catalog: &Catalog, ty: LogicalType, text: &str) -> Result<u32> {
    let undefined = |what: &str, state: SqlState| {
        Err(Error::new(
            state,
            format!("{what} \"{text}\" does not exist"),
        ))
    };
    match ty {
        LogicalType::Regclass => relation_number(catalog, &folded_path(text)?),
        LogicalType::Regtype => type_number(catalog, text),
        LogicalType::Regnamespace => schema_number(catalog, &folded_path(text)?.name),
        LogicalType::Regrole if folded_path(text)?.name == OWNER => Ok(OWNER_OID),
        LogicalType::Regrole => undefined("role", SqlState::UNDEFINED_OBJECT),
        _ => match varve_expr::function_number(&folded_path(text)?.name) {
            Some(number) => Ok(number),
            None if !catalog.functions_named(&folded_path(text)?).is_empty() => {
                let known = catalog.functions_named(&folded_path(text)?);
                let number = known.first().map(|def| relation_oid(def.object));
                Ok(number.unwrap_or_default())
            }
            None => undefined("function", SqlState::UNDEFINED_FUNCTION),
        },
    }
}
