//! Objects by OID and by name: `regclass` and the like.

use varve_types::{EnumId, Error, LogicalType, ObjectId, Result, SqlState, SqlText, TypeMod, sql};

use super::relations::{Key, as_relation, keys, object_of, relation_oid, schema_oid};
use super::{INFORMATION_OID, OWNER, OWNER_OID, PG_CATALOG_OID, VIEWS, catalog_view, view_oid};
use crate::model::catalog::{Catalog, Named};
use crate::model::schema::RelationName;
use crate::model::table::TableDef;
use crate::text::name::{folded_path, undefined_schema, undefined_table};

impl Catalog {
    /// The OID of a relation.
    pub(super) fn relation_number(&self, name: &RelationName) -> Result<u32> {
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
            && self.schema(schema).is_none()
        {
            return Err(undefined_schema(schema));
        }
        match self.find(name) {
            Some(Named::Table(object) | Named::Sequence(object) | Named::View(object)) => {
                Ok(relation_oid(object))
            }
            Some(Named::Index(object)) => {
                let table = self.tables.get(&object);
                let keys = table.map(|table| keys(table)).unwrap_or_default();
                let key = keys.iter().find(|key| key.index.name == name.name);
                key.map(|key| key.oid)
                    .ok_or_else(|| undefined_table(name, 0))
            }
            None => Err(undefined_table(name, 0)),
        }
    }

    /// The name of a relation, with its schema where that is not in the path or `qualified`.
    pub(super) fn relation_name(&self, number: u32, qualified: bool) -> Option<SqlText> {
        let mut views = (0_u16..).zip(VIEWS);
        if let Some((_, view)) = views.find(|(at, _)| view_oid(*at) == number) {
            return Some(match view.schema {
                "pg_catalog" if !qualified => SqlText::name(view.name),
                schema => SqlText::name_in(schema, view.name),
            });
        }
        let (schema, name) = self.shown(number)?;
        Some(self.visible_name(schema, &name, qualified))
    }

    /// The schema and name of a relation.
    fn shown(&self, number: u32) -> Option<(ObjectId, String)> {
        if let Some(object) = object_of(number) {
            if let Some(table) = self.tables.get(&object) {
                let (_, name, _) = as_relation(self, table);
                return Some((table.schema, name.to_owned()));
            }
            let view = self.views.get(&object);
            let view = view.map(|view| (view.schema, view.name.clone()));
            let sequence = self.sequences.get(&object);
            let found = view.or_else(|| sequence.map(|one| (one.schema, one.name.clone())));
            if found.is_some() {
                return found;
            }
        }
        let (table, key) = self.index_of(number)?;
        Some((table.schema, key.index.name.clone()))
    }

    /// An index by its OID, with its table.
    pub(super) fn index_of(&self, number: u32) -> Option<(&TableDef, Key<'_>)> {
        self.tables.values().find_map(|table| {
            let mut keys = keys(table).into_iter();
            let key = keys.find(|key| key.oid == number)?;
            Some((table.as_ref(), key))
        })
    }

    fn visible_name(&self, schema: ObjectId, name: &str, qualified: bool) -> SqlText {
        match qualified {
            false => self.shown_name(schema, name),
            true => SqlText::name_in(self.schema_name(schema), name),
        }
    }

    /// Whether a relation is found by its name alone.
    pub(super) fn is_visible(&self, number: u32) -> Option<bool> {
        let short = self.relation_name(number, false)?;
        let long = self.relation_name(number, true)?;
        Some(short != long)
    }

    /// The name of a type as `format_type` writes it.
    pub(crate) fn type_text(&self, number: u32, modifier: TypeMod) -> Option<SqlText> {
        if let Some(ty) = LogicalType::from_oid(number) {
            return Some(SqlText::built_in_type(ty, modifier));
        }
        for (of, text) in [(2249, "record"), (2287, "record[]")] {
            if of == number {
                return Some(sql![text]);
            }
        }
        let id = EnumId::of_oid(number)?;
        let object = ObjectId(u64::from(id.0));
        let name = match self.domains.get(&object) {
            Some(def) => self.type_def_name(def.schema, &def.name),
            None => self.type_of_object(object)?,
        };
        Some(if id.oid() == number {
            name
        } else {
            sql![name, "[]"]
        })
    }

    /// The name of a type that a user defined, with its schema where that is not in the path.
    pub(crate) fn type_def_name(&self, schema: ObjectId, name: &str) -> SqlText {
        let plain = RelationName {
            schema: None,
            name: name.to_owned(),
        };
        let seen = self.enum_named(&plain).map(|def| def.schema);
        let seen = seen.or_else(|| self.domain_named(&plain).map(|def| def.schema));
        let relation = |schema: &ObjectId| {
            let found = self.find(&plain);
            found.is_some() && found == self.find_in(*schema, &plain.name)
        };
        let seen = seen.or_else(|| Some(schema).filter(relation));
        match seen == Some(schema) {
            true => SqlText::name(name),
            false => SqlText::name_in(self.schema_name(schema), name),
        }
    }

    /// The OID of a type by its name in SQL.
    pub(super) fn type_number(&self, text: &str) -> Result<u32> {
        let domain = folded_path(text).ok();
        if let Some(domain) = domain.and_then(|name| self.domain_named(&name)) {
            return Ok(domain.oid());
        }
        let element = match text.strip_suffix("[]") {
            Some(name) => folded_path(name).ok(),
            None => folded_path(text).ok().and_then(|path| {
                let name = path.name.strip_prefix('_')?.to_owned();
                Some(RelationName { name, ..path })
            }),
        };
        if let Some(domain) = element.and_then(|name| self.domain_named(&name)) {
            return Ok(domain.array_oid());
        }
        let (ty, _) = crate::text::type_name::type_of_text(self, text)?;
        Ok(ty.oid())
    }

    /// The OID of a schema.
    pub(super) fn schema_number(&self, name: &str) -> Result<u32> {
        match name {
            "pg_catalog" => Ok(PG_CATALOG_OID),
            "information_schema" => Ok(INFORMATION_OID),
            name => match self.schema(name) {
                Some(schema) => Ok(schema_oid(schema)),
                None => Err(undefined_schema(name)),
            },
        }
    }

    /// The name of a schema by its OID.
    pub(super) fn schema_text(&self, number: u32) -> Option<SqlText> {
        match number {
            PG_CATALOG_OID => Some(sql!["pg_catalog"]),
            INFORMATION_OID => Some(sql!["information_schema"]),
            number => {
                let mut known = self.schemas();
                let found = known.find(|(_, schema)| schema_oid(*schema) == number);
                found.map(|(name, _)| SqlText::name(name))
            }
        }
    }

    /// See [`varve_expr::Names::reg_name`].
    pub(super) fn name_of_reg(&self, ty: LogicalType, number: u32) -> Option<SqlText> {
        match ty {
            LogicalType::Regclass => self.relation_name(number, false),
            // Without a length it is the type of a name, not of one character.
            LogicalType::Regtype if number == LogicalType::Bpchar.oid() => Some(sql!["character"]),
            LogicalType::Regtype => self.type_text(number, TypeMod::NONE),
            LogicalType::Regnamespace => self.schema_text(number),
            LogicalType::Regrole => (number == OWNER_OID).then(|| SqlText::name(OWNER)),
            _ => match self.user_function(number) {
                Some(def) => Some(SqlText::name(&def.name)),
                None => varve_expr::function_name(number).map(SqlText::name),
            },
        }
    }

    /// See [`varve_expr::Names::reg_oid`].
    pub(super) fn number_of_reg(&self, ty: LogicalType, text: &str) -> Result<u32> {
        let undefined = |what: &str, state: SqlState| {
            Err(Error::new(
                state,
                format!("{what} \"{text}\" does not exist"),
            ))
        };
        match ty {
            LogicalType::Regclass => self.relation_number(&folded_path(text)?),
            LogicalType::Regtype => self.type_number(text),
            LogicalType::Regnamespace => self.schema_number(&folded_path(text)?.name),
            LogicalType::Regrole if folded_path(text)?.name == OWNER => Ok(OWNER_OID),
            LogicalType::Regrole => undefined("role", SqlState::UNDEFINED_OBJECT),
            _ => match varve_expr::function_number(&folded_path(text)?.name) {
                Some(number) => Ok(number),
                None if !self.functions_named(&folded_path(text)?).is_empty() => {
                    let known = self.functions_named(&folded_path(text)?);
                    let number = known.first().map(|def| relation_oid(def.object));
                    Ok(number.unwrap_or_default())
                }
                None => undefined("function", SqlState::UNDEFINED_FUNCTION),
            },
        }
    }
}
