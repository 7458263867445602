//! The order in which the objects of a catalog can be made again: what one names comes before it.
//!
//! Of what could come next the first by kind, schema and name does, so equal objects have an equal
//! order, whatever their age.

use std::collections::{BTreeMap, BTreeSet};

use varve_expr::Expr;
use varve_expr::walk::for_each_child;
use varve_types::{
    ElementType, EnumId, Error, LogicalType, ObjectId, Result, RowTypeId, SqlText, Value, sql,
};

use crate::model::catalog::Catalog;
use crate::model::deparse::Printer;
use crate::model::domain::DomainDef;
use crate::model::function_def::{FunctionDef, Returns};
use crate::model::oid::relation_oid;
use crate::model::schema::is_temporary;
use crate::model::table::TableDef;
use crate::model::type_def::EnumDef;
use crate::model::view::ViewDef;

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Made {
    /// An enumeration, a composite type or a domain.
    Type,
    /// A function.
    Function,
    /// A sequence.
    Sequence,
    /// A table.
    Table,
    /// A view, materialized or not.
    View,
}

/// An object that is to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Creation {
    /// What it is.
    pub kind: Made,
    /// Which one.
    pub object: ObjectId,
    /// The number of its relation, or of its function.
    pub oid: u32,
    /// Whether it is a view or names one, by however many steps.
    pub is_after_views: bool,
}

/// What decides between objects that could both come next.
type Key = (Made, String, String);

/// An object, and those that it names.
struct Node {
    key: Key,
    kind: Made,
    needs: BTreeSet<ObjectId>,
}

impl Catalog {
    /// The objects but for those of the session, in an order in which they can be made.
    pub fn creations(&self) -> Result<Vec<Creation>> {
        let nodes = self.creation_nodes();
        let mut waiting: BTreeMap<ObjectId, usize> = BTreeMap::new();
        let mut needed_by: BTreeMap<ObjectId, Vec<ObjectId>> = BTreeMap::new();
        let mut ready: BTreeSet<(&Key, ObjectId)> = BTreeSet::new();
        for (object, node) in &nodes {
            let needs = node
                .needs
                .iter()
                .filter(|needed| nodes.contains_key(needed));
            let needs: Vec<&ObjectId> = needs.filter(|needed| *needed != object).collect();
            if needs.is_empty() {
                ready.insert((&node.key, *object));
            } else {
                waiting.insert(*object, needs.len());
            }
            for needed in needs {
                needed_by.entry(*needed).or_default().push(*object);
            }
        }
        let mut made = Vec::with_capacity(nodes.len());
        let mut after_views: BTreeSet<ObjectId> = BTreeSet::new();
        while let Some((_, object)) = ready.pop_first() {
            let Some(node) = nodes.get(&object) else {
                continue;
            };
            let is_after_views =
                node.kind == Made::View || node.needs.iter().any(|one| after_views.contains(one));
            if is_after_views {
                after_views.insert(object);
            }
            made.push(Creation {
                kind: node.kind,
                object,
                oid: relation_oid(object),
                is_after_views,
            });
            for dependent in needed_by.remove(&object).unwrap_or_default() {
                let Some(count) = waiting.get_mut(&dependent) else {
                    continue;
                };
                *count -= 1;
                if *count == 0 {
                    waiting.remove(&dependent);
                    ready.extend(nodes.get(&dependent).map(|node| (&node.key, dependent)));
                }
            }
        }
        match waiting.is_empty() {
            true => Ok(made),
            false => Err(self.in_a_circle(waiting.keys().filter_map(|one| nodes.get(one)))),
        }
    }

    /// `0A000`: objects of which none can come first.
    fn in_a_circle<'n>(&self, nodes: impl Iterator<Item = &'n Node>) -> Error {
        let names = nodes.map(|node| SqlText::name_in(&node.key.1, &node.key.2));
        let names = SqlText::joined(&names.collect::<Vec<SqlText>>(), ", ");
        Error::unsupported("a dump of objects that name each other in a circle")
            .with_detail(format!("None of these can be made first: {names}."))
    }

    fn creation_nodes(&self) -> BTreeMap<ObjectId, Node> {
        let mut nodes = BTreeMap::new();
        let mut add = |object, kind, (schema, name): (ObjectId, String), needs| {
            let is_temporary = is_temporary(schema);
            let schema = self.schema_name(schema).to_owned();
            // What the routines that every database has keep is made by their calls.
            if !is_temporary && !schema.starts_with("_timescaledb_") {
                let key = (kind, schema, name);
                nodes.insert(object, Node { key, kind, needs });
            }
        };
        for def in self.types.values() {
            let needs = self.needs_of_type(def);
            add(
                def.object,
                Made::Type,
                (def.schema, def.name.clone()),
                needs,
            );
        }
        for def in self.domains.values() {
            let needs = self.needs_of_domain(def);
            add(
                def.object,
                Made::Type,
                (def.schema, def.name.clone()),
                needs,
            );
        }
        for def in self.functions.values() {
            let needs = self.needs_of_function(def);
            add(
                def.object,
                Made::Function,
                (def.schema, def.signature()),
                needs,
            );
        }
        for def in self.sequences.values() {
            let name = (def.schema, def.name.clone());
            add(def.object, Made::Sequence, name, BTreeSet::new());
        }
        for def in self.tables.values() {
            if self.view_of(def.object).is_none() {
                let needs = self.needs_of_table(def);
                add(
                    def.object,
                    Made::Table,
                    (def.schema, def.name.clone()),
                    needs,
                );
            }
        }
        for def in self.views.values() {
            let needs = self.needs_of_view(def);
            add(
                def.object,
                Made::View,
                (def.schema, def.name.clone()),
                needs,
            );
        }
        nodes
    }

    fn needs_of_type(&self, def: &EnumDef) -> BTreeSet<ObjectId> {
        let mut needs = BTreeSet::new();
        for field in def.fields.iter().flatten() {
            self.need_type(field.ty, &mut needs);
        }
        needs
    }

    fn needs_of_domain(&self, def: &DomainDef) -> BTreeSet<ObjectId> {
        let mut needs = BTreeSet::new();
        self.need_type(def.base, &mut needs);
        let checks = def.checks.iter().map(|check| &check.expr);
        for expr in def.default.iter().chain(checks) {
            self.need_expr(expr, &mut needs);
        }
        needs
    }

    fn needs_of_function(&self, def: &FunctionDef) -> BTreeSet<ObjectId> {
        let mut needs = BTreeSet::new();
        for argument in &def.arguments {
            self.need_type(argument.ty, &mut needs);
            needs.extend(argument.domain);
        }
        needs.extend(def.domain);
        for object in &def.reads {
            self.need_object(*object, &mut needs);
        }
        match def.returns {
            Returns::Value(ty) => self.need_type(ty, &mut needs),
            Returns::Relation(object) => self.need_object(object, &mut needs),
            Returns::Void | Returns::Trigger | Returns::Columns | Returns::Record => {}
        }
        needs
    }

    fn needs_of_table(&self, def: &TableDef) -> BTreeSet<ObjectId> {
        let mut needs = BTreeSet::new();
        for column in &def.columns {
            self.need_type(column.ty, &mut needs);
            if let Some(default) = &column.default {
                self.need_expr(default, &mut needs);
            }
        }
        for check in &def.checks {
            self.need_expr(&check.expr, &mut needs);
        }
        for key in def.partitioning().iter().flat_map(|by| &by.keys) {
            self.need_expr(key, &mut needs);
        }
        needs
    }

    fn needs_of_view(&self, def: &ViewDef) -> BTreeSet<ObjectId> {
        let mut needs = BTreeSet::new();
        for column in &def.columns {
            self.need_type(column.ty, &mut needs);
        }
        for read in &def.reads {
            self.need_object(read.object, &mut needs);
        }
        needs
    }

    /// The table with the rows of a materialized view is that view.
    fn need_object(&self, object: ObjectId, needs: &mut BTreeSet<ObjectId>) {
        needs.insert(self.view_of(object).map_or(object, |view| view.object));
    }

    fn need_type(&self, ty: LogicalType, needs: &mut BTreeSet<ObjectId>) {
        match ty {
            LogicalType::Array(element) => self.need_type(ElementType::logical(element), needs),
            LogicalType::Enum(EnumId(id)) | LogicalType::Row(RowTypeId(id)) => {
                self.need_object(ObjectId(u64::from(id)), needs);
            }
            _ => {}
        }
    }

    fn need_expr(&self, expr: &Expr, needs: &mut BTreeSet<ObjectId>) {
        self.need_type(expr.logical_type(), needs);
        match expr {
            Expr::Call { function, args, .. }
                if matches!(function.name(), "nextval" | "currval" | "setval") =>
            {
                if let Some(Expr::Literal { value, .. }) = args.first() {
                    let object = value
                        .integer()
                        .and_then(|number| u64::try_from(number).ok());
                    needs.extend(object.map(ObjectId));
                }
            }
            // A check of a domain names it by its number.
            Expr::Literal {
                value: Value::Oid(number),
                ..
            } => needs.extend(EnumId::of_oid(*number).map(|id| ObjectId(u64::from(id.0)))),
            _ => {}
        }
        for_each_child(expr, &mut |child| self.need_expr(child, needs));
    }

    /// The statement that makes a type, without its comment.
    pub fn type_definition(&self, object: ObjectId) -> Option<SqlText> {
        if let Some(def) = self.domains.get(&object) {
            return Some(self.domain_definition(def));
        }
        let def = self.types.get(&object)?;
        let name = SqlText::name_in(self.schema_name(def.schema), &def.name);
        let (head, parts): (_, Vec<SqlText>) = match &def.fields {
            None => {
                let labels = def.labels.iter();
                let labels = labels.map(|(_, label)| sql!["\n    ", SqlText::literal(label)]);
                (" AS ENUM (", labels.collect())
            }
            Some(fields) => {
                let fields = fields.iter().map(|field| {
                    let ty = self.type_sql(field.ty, field.modifier).unwrap_or_default();
                    sql!["\n    ", SqlText::name(&field.name), " ", ty]
                });
                (" AS (", fields.collect())
            }
        };
        let parts = SqlText::joined(&parts, ",");
        Some(sql!["CREATE TYPE ", name, head, parts, "\n)"])
    }

    fn domain_definition(&self, def: &DomainDef) -> SqlText {
        let name = SqlText::name_in(self.schema_name(def.schema), &def.name);
        let base = self.type_sql(def.base, def.modifier).unwrap_or_default();
        let mut text = sql!["CREATE DOMAIN ", name, " AS ", base];
        if def.not_null {
            text.push(" NOT NULL");
        }
        if let Some(default) = &def.default {
            let printer = Printer {
                columns: &[],
                catalog: Some(self),
            };
            text.push(sql![" DEFAULT ", printer.expr(default)]);
        }
        let printer = Printer {
            columns: &[sql!["VALUE"]],
            catalog: Some(self),
        };
        let mut checks: Vec<_> = def.checks.iter().collect();
        varve_sort::sort_by(&mut checks, |left, right| left.name.cmp(&right.name));
        for check in checks {
            text.push(sql!["\n    CONSTRAINT ", SqlText::name(&check.name)]);
            text.push(sql![" CHECK (", printer.expr(&check.expr), ")"]);
        }
        text
    }
}
