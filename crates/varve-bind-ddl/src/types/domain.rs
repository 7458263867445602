//! CREATE DOMAIN, ALTER DOMAIN, and what a domain means for a cast or a column.

use std::sync::Arc;

use varve_ast::{
    AlterDomain, ColumnConstraint, ColumnConstraintKind, CreateDomain, Name, ObjectName,
};
use varve_catalog::model::comment::Part;
use varve_catalog::model::domain::{DomainDef, value_column};
use varve_catalog::model::table::{CheckDef, ColumnDef, TableDef, sort_checks};
use varve_catalog::text::name::undefined_schema;
use varve_catalog::text::type_name::undefined_type;
use varve_expr::Expr;
use varve_plan::plan::Statement;
use varve_plan::plan::statement::utility;
use varve_plan::plan::utility::{Definition, Message, Utility};
use varve_plan::scope::error::located;
use varve_types::{Error, LogicalType, ObjectId, Result, SqlState};

use crate::binder::DdlBinder;
use crate::table::check::free;

impl DdlBinder<'_, '_> {
    pub(crate) fn create_domain(&mut self, create: &CreateDomain) -> Result<Statement> {
        let (schema, name) = self.query.new_relation(&create.name, false)?;
        self.free_type_name(schema, &name)?;
        let (base, modifier) = self.query.data_type(&create.type_name)?;
        let under = match self.query.domain_of(&create.type_name) {
            Some((_, true)) => {
                let error = Error::unsupported("a domain over arrays of a domain");
                return Err(located(error, self.query.at(create.name.span())));
            }
            under => under.map(|(domain, _)| domain.clone()),
        };
        let mut def = DomainDef {
            object: ObjectId(0),
            schema,
            name,
            base,
            modifier,
            not_null: under.as_ref().is_some_and(|under| under.not_null),
            default: under.as_ref().and_then(|under| under.default.clone()),
            checks: under.map(|under| under.checks).unwrap_or_default(),
        };
        self.put_constraints_of(&mut def, &create.constraints)?;
        Ok(utility(Utility::CreateDomain(Box::new(def))))
    }

    /// Gives a domain what is said of it.
    fn put_constraints_of(
        &mut self,
        def: &mut DomainDef,
        constraints: &[ColumnConstraint],
    ) -> Result<()> {
        let value = ColumnDef {
            modifier: def.modifier,
            ..value_column(def.base)
        };
        let mut nullable = None;
        let mut has_default = false;
        // The constraints read the value as the one column of a table.
        let shape = TableDef::new(&def.name, vec![value.clone()], Vec::new());
        for constraint in constraints {
            match &constraint.kind {
                kind @ (ColumnConstraintKind::NotNull | ColumnConstraintKind::Null) => {
                    let wants_null = matches!(kind, ColumnConstraintKind::Null);
                    if nullable.is_some_and(|known| known != wants_null) {
                        let message = "conflicting NULL/NOT NULL constraints";
                        return Err(Error::new(SqlState::SYNTAX_ERROR, message));
                    }
                    nullable = Some(wants_null);
                    def.not_null |= !wants_null;
                }
                ColumnConstraintKind::Default(ast) => {
                    if core::mem::replace(&mut has_default, true) {
                        let message = "multiple default expressions";
                        return Err(Error::new(SqlState::SYNTAX_ERROR, message));
                    }
                    def.default = self.default_of(ast, &value)?;
                }
                ColumnConstraintKind::Check(check) => {
                    let given = constraint.name.as_ref();
                    let mut check =
                        self.check_constraint(&shape, given, &check.condition, &def.checks)?;
                    if given.is_none() {
                        check.name = free_name(def);
                    } else if def.checks.iter().any(|known| known.name == check.name) {
                        let message = format!(
                            "constraint \"{}\" for domain \"{}\" already exists",
                            check.name, def.name
                        );
                        return Err(Error::new(SqlState::DUPLICATE_OBJECT, message));
                    }
                    def.checks.push(check);
                }
                ColumnConstraintKind::Collation(name) => {
                    self.query
                        .collation(name, def.base, self.query.at(constraint.span))?;
                }
                other => {
                    let what = match other {
                        ColumnConstraintKind::PrimaryKey(_) => "primary key",
                        ColumnConstraintKind::Unique(_) => "unique",
                        ColumnConstraintKind::References(_) => "foreign key",
                        _ => "such",
                    };
                    let message = format!("{what} constraints not possible for domains");
                    return Err(Error::new(SqlState::SYNTAX_ERROR, message));
                }
            }
        }
        // They are checked in the order of their names.
        sort_checks(&mut def.checks);
        Ok(())
    }

    pub(crate) fn alter_domain(
        &mut self,
        name: &ObjectName,
        change: &AlterDomain,
    ) -> Result<Statement> {
        let written = self.query.relation_name(name)?;
        let Some(before) = self.catalog.domain_named(&written).cloned() else {
            return Err(undefined_type(written));
        };
        let mut def = before.clone();
        let mut verify = false;
        let mut changed = Vec::new();
        match change {
            AlterDomain::Put {
                constraint,
                not_valid,
            } => {
                let constraint = core::slice::from_ref(&**constraint);
                self.put_constraints_of(&mut def, constraint)?;
                let is_stricter =
                    def.checks.len() != before.checks.len() || def.not_null != before.not_null;
                verify = is_stricter && !not_valid;
            }
            AlterDomain::DropDefault => def.default = None,
            AlterDomain::DropNotNull => def.not_null = false,
            AlterDomain::Validate(name) => {
                place_of(&before, name).ok_or_else(|| missing(&before, name))?;
                verify = true;
            }
            AlterDomain::DropConstraint { name, if_exists } => match place_of(&before, name) {
                Some(at) => {
                    def.checks.remove(at);
                }
                None if *if_exists => {
                    let text = format!("{}, skipping", missing(&before, name).message());
                    return Ok(self
                        .query
                        .nothing(Message::new(SqlState::UNDEFINED_OBJECT, text)));
                }
                None => return Err(missing(&before, name)),
            },
            AlterDomain::RenameConstraint { from, to } => {
                let at = place_of(&before, from).ok_or_else(|| {
                    let (constraint, domain) = (&from.text, &before.name);
                    let message =
                        format!("constraint \"{constraint}\" for domain {domain} does not exist");
                    Error::new(SqlState::UNDEFINED_OBJECT, message)
                })?;
                let to = self.query.new_name(to)?;
                if let Some(check) = def.checks.get_mut(at) {
                    let on = (def.object, Part::Constraint);
                    changed.extend(self.renamed_comments(on, (&check.name, &to)));
                    check.name = to;
                }
                sort_checks(&mut def.checks);
            }
            AlterDomain::RenameTo(to) => {
                let to = self.query.new_name(to)?;
                self.free_type_name(def.schema, &to)?;
                def.name = to;
            }
            AlterDomain::SetSchema(schema) => {
                def.schema = self.schema_for(schema, def.schema, &def.name)?;
            }
            AlterDomain::Owner(role) => return Ok(self.same_owner(role.as_ref())),
        }
        self.change_columns(&before, &def, verify, &mut changed)?;
        changed.push(Definition::Domain(Box::new(def)));
        Ok(utility(Utility::Alter(changed)))
    }

    /// Gives the columns of a domain its new definition; `verify` where their values must be
    /// looked at.
    fn change_columns(
        &self,
        before: &DomainDef,
        def: &DomainDef,
        verify: bool,
        changed: &mut Vec<Definition>,
    ) -> Result<()> {
        if verify && let Some((table, at)) = self.array_of(before) {
            let column = table.columns.get(at).map_or("", |column| &column.name);
            let message = format!(
                "cannot alter type \"{}\" because column \"{}.{column}\" uses it",
                before.name, table.name
            );
            return Err(Error::new(SqlState::FEATURE_NOT_SUPPORTED, message));
        }
        for table in self.tables_of(before) {
            let mut table = TableDef::clone(table);
            table.version = table.version.saturating_add(1);
            let mut verified = Vec::new();
            for at in 0..table.columns.len() {
                if table.domain_of(at) != Some(before.oid()) {
                    continue;
                }
                table
                    .checks
                    .retain(|check| check.domain().is_none_or(|(column, _)| column != at));
                table
                    .checks
                    .push(DdlBinder::domain_check(def, at, def.base)?);
                if verify {
                    verified.push(at);
                }
                if let Some(column) = table.columns.get_mut(at)
                    && column.default == before.default
                {
                    column.default.clone_from(&def.default);
                }
            }
            sort_checks(&mut table.checks);
            changed.push(Definition::Table(Box::new(table), verified));
        }
        Ok(())
    }

    /// The schema that a type moves to.
    pub fn schema_for(&self, schema: &Name, old: ObjectId, name: &str) -> Result<ObjectId> {
        let to = &schema.text;
        let schema = self.catalog.schema(to);
        let schema = schema.ok_or_else(|| undefined_schema(to))?;
        if schema != old && self.free_type_name(schema, name).is_err() {
            let message = format!("type \"{name}\" already exists in schema \"{to}\"");
            return Err(Error::new(SqlState::DUPLICATE_OBJECT, message));
        }
        Ok(schema)
    }

    /// A table that has a column of arrays of a domain, and the place of that.
    fn array_of(&self, domain: &DomainDef) -> Option<(&TableDef, usize)> {
        let mut tables = self.catalog.tables.values();
        tables.find_map(|table| {
            let mut domains = table.checks.iter().filter_map(CheckDef::domain);
            let found = domains.find(|(_, of)| *of == domain.array_oid());
            found.map(|(at, _)| (&**table, at))
        })
    }

    /// The tables that have a column of a domain.
    fn tables_of(&self, domain: &DomainDef) -> impl Iterator<Item = &Arc<TableDef>> {
        let number = domain.oid();
        let has = move |table: &&Arc<TableDef>| {
            let mut domains = table.checks.iter().filter_map(CheckDef::domain);
            domains.any(|(_, of)| of == number)
        };
        self.catalog.tables.values().filter(has)
    }

    /// `42710` for the name of a type that there is.
    pub fn free_type_name(&self, schema: ObjectId, name: &str) -> Result<()> {
        let domain = self.catalog.domain_in(schema, name).is_some();
        if domain || self.catalog.enum_in(schema, name).is_some() {
            let message = format!("type \"{name}\" already exists");
            return Err(Error::new(SqlState::DUPLICATE_OBJECT, message));
        }
        Ok(())
    }

    /// What a column of a domain is checked by.
    pub fn domain_check(domain: &DomainDef, column: usize, ty: LogicalType) -> Result<CheckDef> {
        let expr = domain.condition(&Expr::Column { index: column, ty })?;
        Ok(CheckDef {
            name: String::new(),
            expr,
        })
    }
}

/// The place of a constraint in its domain.
fn place_of(def: &DomainDef, name: &Name) -> Option<usize> {
    let mut checks = def.checks.iter();
    checks.position(|check| check.name == name.text)
}

fn missing(def: &DomainDef, name: &Name) -> Error {
    let message = format!(
        "constraint \"{}\" of domain \"{}\" does not exist",
        name.text, def.name
    );
    Error::new(SqlState::UNDEFINED_OBJECT, message)
}

/// The name that a constraint gets where none is given.
fn free_name(def: &DomainDef) -> String {
    let taken = |name: &str| def.checks.iter().any(|check| check.name == name);
    free([&def.name, ""], "check", &taken)
}
