//! What cannot be without an object.

use varve_types::{LogicalType, ObjectId, RowTypeId};

use crate::dependency::dropped::Dropped;
use crate::model::catalog::Catalog;
use crate::model::sequence::uses_sequence;
use crate::model::table::{ColumnDef, TableDef};
use crate::model::trigger_def::TriggerDef;

impl Catalog {
    /// What cannot be without an object, by age, and whether it is a part of it.
    pub fn dependents(&self, object: Dropped) -> Vec<(Dropped, bool)> {
        let mut found = Dependents {
            catalog: self,
            all: Vec::new(),
        };
        match object {
            Dropped::Table(table) => found.add_of_table(table),
            Dropped::View(view) => found.add_of_view(view),
            Dropped::Sequence(sequence) => found.add_of_sequence(sequence),
            Dropped::Schema(schema) => found.add_of_schema(schema),
            Dropped::Type(ty) => found.add_of_type(ty),
            Dropped::Function(function) => {
                found.add_readers(function);
                found.add_triggers(&|def| def.function == function, false);
            }
            Dropped::Trigger(..)
            | Dropped::Chunk(_)
            | Dropped::Default(..)
            | Dropped::Column(..)
            | Dropped::Key(..) => {}
        }
        let mut all = found.all;
        varve_sort::sort_by_key(&mut all, |(age, ..)| *age);
        let all = all.into_iter();
        all.map(|(_, dropped, is_part)| (dropped, is_part))
            .collect()
    }

    /// The columns whose values are rows of a relation, or arrays of them.
    pub fn columns_of_rows(
        &self,
        relation: ObjectId,
    ) -> impl Iterator<Item = (&TableDef, &ColumnDef)> {
        let id = u32::try_from(relation.0).ok();
        let row = id.map(|id| LogicalType::Row(RowTypeId(id)));
        let array = row.and_then(LogicalType::array);
        let is_of = move |ty| Some(ty) == row || Some(ty) == array;
        self.tables.values().flat_map(move |table| {
            let columns = table.columns.iter();
            let columns = columns.filter(move |column| is_of(column.ty));
            columns.map(move |column| (&**table, column))
        })
    }
}

/// The objects that cannot be without another one, growing.
struct Dependents<'c> {
    catalog: &'c Catalog,
    /// The object that tells the age, the dependent, and whether it is a part.
    all: Vec<(ObjectId, Dropped, bool)>,
}

impl Dependents<'_> {
    /// Adds the views and functions that read an object.
    fn add_readers(&mut self, object: ObjectId) {
        let views = self.catalog.views.values();
        let views = views.filter(|view| view.reads(object));
        self.all
            .extend(views.map(|view| (view.object, Dropped::View(view.object), false)));
        let functions = self.catalog.functions.values();
        let functions = functions.filter(|def| def.reads.contains(&object));
        self.all
            .extend(functions.map(|def| (def.object, Dropped::Function(def.object), false)));
    }

    fn add_triggers(&mut self, is: &dyn Fn(&TriggerDef) -> bool, is_part: bool) {
        let all = self.catalog.triggers.values().flatten();
        let some = all.filter(|def| is(def));
        self.all.extend(some.map(|def| {
            let dropped = Dropped::Trigger(def.table, def.object);
            (def.object, dropped, is_part)
        }));
    }

    /// Adds what depends on the rows of a relation: columns, triggers, functions, readers.
    fn add_of_relation(&mut self, relation: ObjectId) {
        let columns = self.catalog.columns_of_rows(relation);
        self.all.extend(columns.map(|(table, column)| {
            let dropped = Dropped::Column(table.object, column.id);
            (table.object, dropped, false)
        }));
        self.add_triggers(&|def| def.table == relation, true);
        let id = u32::try_from(relation.0).unwrap_or(0);
        let row = LogicalType::Row(RowTypeId(id));
        let functions = self.catalog.functions.values();
        let functions =
            functions.filter(|def| def.names(&|ty| ty == row || Some(ty) == row.array()));
        self.all
            .extend(functions.map(|def| (def.object, Dropped::Function(def.object), false)));
        self.add_readers(relation);
    }

    fn add_of_table(&mut self, table: ObjectId) {
        self.add_of_relation(table);
        let known = self.catalog.tables.get(&table);
        let is_part = known.is_some_and(|table| table.partitioning().is_some());
        let children = known.map_or(&[][..], |table| table.children()).iter();
        self.all
            .extend(children.map(|child| (*child, Dropped::Table(*child), is_part)));
        let keys = self.catalog.references_to(table);
        let keys = keys.filter(|(child, ..)| child.object != table);
        self.all.extend(
            keys.map(|(child, at, _)| (child.object, Dropped::Key(child.object, at), false)),
        );
        let owned = self.catalog.sequences.values();
        let owned = owned.filter(|known| known.owner.is_some_and(|owner| owner.0 == table));
        self.all
            .extend(owned.map(|known| (known.object, Dropped::Sequence(known.object), true)));
        let chunks = self.catalog.chunks_of(table).iter();
        self.all
            .extend(chunks.map(|chunk| (chunk.object, Dropped::Chunk(chunk.object), true)));
    }

    fn add_of_view(&mut self, view: ObjectId) {
        self.add_of_relation(view);
        let known = self.catalog.views.get(&view);
        let rows = known.and_then(|view| view.rows());
        self.all
            .extend(rows.map(|rows| (rows, Dropped::Table(rows), true)));
        let notes = known.and_then(|view| Some(view.continuous.as_ref()?.notes));
        self.all
            .extend(notes.map(|notes| (notes, Dropped::Table(notes), true)));
    }

    fn add_of_sequence(&mut self, sequence: ObjectId) {
        for table in self.catalog.tables.values() {
            for (at, column) in table.columns.iter().enumerate() {
                let uses = |expr| uses_sequence(expr, sequence);
                if column.default.as_ref().is_some_and(uses) {
                    let dropped = Dropped::Default(table.object, at);
                    self.all.push((table.object, dropped, false));
                }
            }
        }
        self.add_readers(sequence);
    }

    fn add_of_schema(&mut self, schema: ObjectId) {
        let Dependents { catalog, all } = self;
        let tables = catalog.tables.values();
        for table in tables.filter(|table| table.schema == schema) {
            let dropped = match catalog.view_of(table.object) {
                Some(view) => Dropped::View(view.object),
                None => Dropped::Table(table.object),
            };
            all.push((table.object, dropped, false));
        }
        let views = catalog.views.values();
        let views = views.filter(|view| view.schema == schema && !view.is_materialized());
        all.extend(views.map(|view| (view.object, Dropped::View(view.object), false)));
        let enums = catalog.types.values().map(|def| (def.schema, def.object));
        let domains = catalog.domains.values().map(|def| (def.schema, def.object));
        let types = enums.chain(domains).filter(|(of, _)| *of == schema);
        all.extend(types.map(|(_, object)| (object, Dropped::Type(object), false)));
        let functions = catalog.functions.values();
        let functions = functions.filter(|def| def.schema == schema);
        all.extend(functions.map(|def| (def.object, Dropped::Function(def.object), false)));
        let sequences = catalog.sequences.values();
        let sequences = sequences.filter(|known| known.schema == schema && known.owner.is_none());
        all.extend(sequences.map(|known| (known.object, Dropped::Sequence(known.object), false)));
    }

    fn add_of_type(&mut self, object: ObjectId) {
        let catalog = self.catalog;
        let ty = catalog.types.get(&object).and_then(|def| def.ty());
        let is_of = |of: LogicalType| Some(of) == ty || ty.and_then(LogicalType::array) == Some(of);
        self.add_columns_of_type(object, ty);
        let views = catalog.views.values();
        for view in views.filter(|view| !view.is_materialized()) {
            if view.columns.iter().any(|column| is_of(column.ty)) {
                let dropped = Dropped::View(view.object);
                self.all.push((view.object, dropped, false));
            }
        }
        for def in catalog.functions.values() {
            if def.names(&is_of) || def.names_domain(object) {
                let dropped = Dropped::Function(def.object);
                self.all.push((def.object, dropped, false));
            }
        }
        self.add_readers(object);
        let domains = catalog.domains.values().filter(|def| is_of(def.base));
        self.all
            .extend(domains.map(|def| (def.object, Dropped::Type(def.object), false)));
    }

    /// Adds the columns of a type or domain, and of arrays of it.
    fn add_columns_of_type(&mut self, object: ObjectId, ty: Option<LogicalType>) {
        let is_of = |of: LogicalType| Some(of) == ty || ty.and_then(LogicalType::array) == Some(of);
        let domain = self.catalog.domains.get(&object);
        let domain = domain.map(|def| [def.oid(), def.array_oid()]);
        for table in self.catalog.tables.values() {
            for (at, column) in table.columns.iter().enumerate() {
                let own = table.domain_of(at);
                let of_domain = own
                    .zip(domain)
                    .is_some_and(|(own, domain)| domain.contains(&own));
                if !is_of(column.ty) && !of_domain {
                    continue;
                }
                let dropped = match self.catalog.view_of(table.object) {
                    Some(view) => Dropped::View(view.object),
                    None => Dropped::Column(table.object, column.id),
                };
                // Those of arrays come first.
                let of_array = match domain {
                    Some([plain, _]) => own != Some(plain),
                    None => Some(column.ty) != ty,
                };
                let age = if of_array { ObjectId(0) } else { table.object };
                self.all.push((age, dropped, false));
            }
        }
    }
}
