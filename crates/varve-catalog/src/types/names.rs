//! Names and fields of the types that a catalog defines.

use varve_types::{EnumId, Error, LogicalType, ObjectId, RowTypeId, SqlText, TypeMod, sql};

use crate::model::catalog::{Catalog, Named};
use crate::model::schema::RelationName;
use crate::types::polymorphic::pseudo_name;

impl Catalog {
    /// The text with the names of types where [`varve_types::LogicalType`] writes `type#`
    /// and an id.
    pub(crate) fn with_type_names(&self, text: &str) -> Option<String> {
        let mut parts = text.split("type#");
        let mut named = parts.next()?.to_owned();
        let mut has_names = false;
        for part in parts {
            let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let id = part.get(..digits).and_then(|digits| digits.parse().ok());
            let name = id.and_then(|id| self.type_of_object(ObjectId(id)));
            match &name {
                Some(name) => named.push_str(name.as_str()),
                None => named.push_str("type#"),
            }
            has_names |= name.is_some();
            let from = if name.is_some() { digits } else { 0 };
            named.push_str(part.get(from..).unwrap_or_default());
        }
        has_names.then_some(named)
    }

    /// The error with the names of types in its message.
    pub fn named_types(&self, error: Error) -> Error {
        let hint = error.fields().hint.as_deref();
        let hint = hint.and_then(|hint| self.with_type_names(hint));
        let error = match hint {
            Some(hint) => error.with_hint(hint),
            None => error,
        };
        match self.with_type_names(&error.fields().message) {
            Some(message) => error.with_message(message),
            None => error,
        }
    }

    /// The name of the type that an object is, or that its rows are of.
    pub(crate) fn type_of_object(&self, object: ObjectId) -> Option<SqlText> {
        let pseudo = u32::try_from(object.0).ok();
        let pseudo = pseudo.and_then(|id| pseudo_name(LogicalType::Enum(EnumId(id))));
        if let Some(name) = pseudo {
            return Some(SqlText::name(name));
        }
        let named = self.types.get(&object).map(|def| (def.schema, &def.name));
        let named = named.or_else(|| {
            let table = self.tables.get(&object);
            let table = table.map(|table| (table.schema, &table.name));
            let view = || {
                self.views
                    .get(&object)
                    .map(|view| (view.schema, &view.name))
            };
            table.or_else(view)
        });
        named.map(|(schema, name)| self.type_def_name(schema, name))
    }

    /// A type as SQL names it; `None` where its name is gone.
    pub(crate) fn type_sql(&self, ty: LogicalType, modifier: TypeMod) -> Option<SqlText> {
        match ty {
            LogicalType::Array(element) => {
                Some(sql![self.type_sql(element.logical(), modifier)?, "[]"])
            }
            LogicalType::Enum(EnumId(id)) | LogicalType::Row(RowTypeId(id)) if id > 0 => {
                self.type_of_object(ObjectId(u64::from(id)))
            }
            ty => Some(SqlText::built_in_type(ty, modifier)),
        }
    }

    /// The fields of a type of rows.
    pub fn fields_of(&self, id: RowTypeId) -> Option<Vec<(String, LogicalType, TypeMod)>> {
        let object = ObjectId(u64::from(id.0));
        if let Some(table) = self.tables.get(&object) {
            let columns = table.columns.iter();
            let columns = columns.map(|column| (column.name.clone(), column.ty, column.modifier));
            return Some(columns.collect());
        }
        let of_view = || self.views.get(&object).map(|view| &view.columns);
        let def = self.types.get(&object);
        let fields = def.and_then(|def| def.fields.as_ref()).or_else(of_view)?;
        let fields = fields.iter();
        let fields = fields.map(|field| (field.name.clone(), field.ty, field.modifier));
        Some(fields.collect())
    }

    /// The type of the rows of a relation or a composite type.
    pub fn row_type(&self, name: &RelationName) -> Option<LogicalType> {
        let object = match self.find(name)? {
            Named::Table(object) => self.view_of(object).map_or(object, |view| view.object),
            Named::View(object) => object,
            Named::Sequence(_) | Named::Index(_) | Named::Chunk(_) => return None,
        };
        let id = u32::try_from(object.0).ok()?;
        Some(LogicalType::Row(RowTypeId(id)))
    }

    /// The object of a type that a user defined, or of the rows of a relation.
    pub fn type_called(&self, name: &RelationName) -> Option<ObjectId> {
        if let Some(def) = self.enum_named(name) {
            return Some(def.object);
        }
        match self.row_type(name) {
            Some(LogicalType::Row(RowTypeId(id))) => Some(ObjectId(u64::from(id))),
            _ => self.domain_named(name).map(|domain| domain.object),
        }
    }

    /// A type as messages name it.
    pub fn shown_type(&self, ty: LogicalType) -> SqlText {
        let known = self.type_sql(ty, TypeMod::NONE);
        known.unwrap_or_else(|| SqlText::built_in_type(ty, TypeMod::NONE))
    }

    /// The name of a type as `format_type` writes it.
    pub fn type_text(&self, number: u32, modifier: TypeMod) -> Option<SqlText> {
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
    pub fn type_def_name(&self, schema: ObjectId, name: &str) -> SqlText {
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
}
