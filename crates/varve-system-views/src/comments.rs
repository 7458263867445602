//! Comments on objects.

use varve_catalog::model::catalog::Catalog;
use varve_catalog::model::comment::{CommentDef, Part};
use varve_catalog::model::oid::relation_oid;
use varve_catalog::model::schema::PUBLIC;
use varve_types::{LogicalType, ObjectId, Value};

use crate::constraints::{constraints_of, domain_checks};
use crate::relations::{keys, schema_oid};
use crate::types::DATABASE_OID;
use crate::{CATALOG_OIDS, OWNER_OID, int4, oid, text};

/// The OIDs of the catalogs whose rows have comments.
const CLASS: u32 = 1259;
const TYPE: u32 = 1247;
const FUNCTION: u32 = 1255;
const CONSTRAINT: u32 = 2606;
const NAMESPACE: u32 = 2615;
const TRIGGER: u32 = 2620;
const DATABASES: u32 = 1262;
const ROLES: u32 = 1260;

/// A comment on an object: the catalog that the object is in, its OID there, the number of the
/// column or 0, and what it says.
struct Described<'a>(u32, u32, usize, &'a str);

fn is_shared(class: u32) -> bool {
    class == DATABASES || class == ROLES
}

/// Whether a comment is on something that is there.
pub fn is_described(catalog: &Catalog, def: &CommentDef) -> bool {
    described_by(catalog, def).is_some()
}

fn described_by<'a>(catalog: &Catalog, def: &'a CommentDef) -> Option<Described<'a>> {
    let (of, name) = (def.of, def.name.as_str());
    let table = catalog.tables.get(&of);
    let (class, number, sub) = match def.part {
        Part::Whole => {
            let (class, number) = class_of(catalog, of)?;
            (class, number, 0)
        }
        Part::Column => {
            let of_view = || {
                let columns = &catalog.views.get(&of)?.columns;
                columns.iter().position(|column| column.name == name)
            };
            let of_table = table.map(|table| {
                let mut columns = table.columns.iter();
                columns.position(|column| column.name == name)
            });
            let at = of_table.unwrap_or_else(of_view)?;
            (CLASS, relation_oid(of), at + 1)
        }
        Part::Index => {
            let keys = keys(table?);
            let key = keys.iter().find(|key| key.index.name == name)?;
            (CLASS, key.oid, 0)
        }
        Part::Constraint => {
            let number = match table {
                Some(table) => {
                    let mut constraints = constraints_of(table).into_iter();
                    constraints.find(|(_, known)| known.name() == name)?.0
                }
                None => {
                    let mut checks = domain_checks(catalog);
                    checks
                        .find(|(_, known)| known.domain.object == of && known.name == name)?
                        .0
                }
            };
            (CONSTRAINT, number, 0)
        }
        Part::Database => (DATABASES, DATABASE_OID, 0),
        Part::Role => (ROLES, OWNER_OID, 0),
    };
    Some(Described(class, number, sub, &def.text))
}

/// The catalog that an object is in, and its OID there.
fn class_of(catalog: &Catalog, of: ObjectId) -> Option<(u32, u32)> {
    let has = |found: bool, class| found.then(|| (class, relation_oid(of)));
    let is_relation = catalog.tables.contains_key(&of)
        || catalog.views.contains_key(&of)
        || catalog.sequences.contains_key(&of);
    let ty = catalog.types.get(&of).and_then(|def| def.ty());
    let ty = ty.map(LogicalType::oid);
    let ty = ty.or_else(|| catalog.domains.get(&of).map(|def| def.oid()));
    let is_schema = catalog.schemas().any(|(_, schema)| schema == of);
    let mut triggers = catalog.triggers.values().flatten();
    has(is_relation, CLASS)
        .or_else(|| ty.map(|number| (TYPE, number)))
        .or_else(|| is_schema.then(|| (NAMESPACE, schema_oid(of))))
        .or_else(|| has(catalog.functions.contains_key(&of), FUNCTION))
        .or_else(|| has(triggers.any(|def| def.object == of), TRIGGER))
        .filter(|_| of != PUBLIC || is_schema)
}

/// The comments on what is there, each once.
fn all_described(catalog: &Catalog) -> Vec<Described<'_>> {
    let mut found: Vec<Described<'_>> = Vec::new();
    for def in catalog.comments.iter() {
        if let Some(new) = described_by(catalog, def) {
            found.retain(|old| (old.0, old.1, old.2) != (new.0, new.1, new.2));
            found.push(new);
        }
    }
    found
}

/// `obj_description`, `col_description`, `shobj_description`
pub(crate) fn description(catalog: &Catalog, function: &str, args: &[Value]) -> Value {
    let (Some(Value::Oid(number)), second) = (args.first(), args.get(1)) else {
        return Value::Null;
    };
    let sub = match second {
        Some(Value::Int4(sub)) => usize::try_from(*sub).unwrap_or(usize::MAX),
        _ => 0,
    };
    let of_catalog = second.and_then(Value::str);
    let class = CATALOG_OIDS
        .iter()
        .find(|(name, _)| Some(*name) == of_catalog);
    if of_catalog.is_some() && class.is_none() {
        return Value::Null;
    }
    let wants_shared = function == "shobj_description";
    let mut found = all_described(catalog).into_iter().filter(|known| {
        let is_class = class.is_none_or(|(_, class)| *class == known.0);
        is_class && (known.1, known.2) == (*number, sub) && is_shared(known.0) == wants_shared
    });
    found.next().map_or(Value::Null, |known| text(known.3))
}

/// `pg_description`
pub(crate) fn descriptions(catalog: &Catalog) -> Vec<Vec<Value>> {
    let known = all_described(catalog).into_iter();
    let own = known.filter(|known| !is_shared(known.0));
    own.map(|Described(class, number, sub, said)| {
        vec![oid(number), oid(class), int4(sub), text(said)]
    })
    .collect()
}

/// `pg_shdescription`
pub(crate) fn shared_descriptions(catalog: &Catalog) -> Vec<Vec<Value>> {
    let known = all_described(catalog).into_iter();
    let shared = known.filter(|known| is_shared(known.0));
    shared
        .map(|Described(class, number, _, said)| vec![oid(number), oid(class), text(said)])
        .collect()
}
