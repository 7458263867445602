//! CREATE DOMAIN, and what a domain means for a cast or a column.

use sqlparser::ast::{ColumnOption, DataType, ObjectName};
use varve_expr::Expr;
use varve_types::{Error, ObjectId, Result, SqlState};

use crate::bind::data_type::type_name;
use crate::bind::view::utility;
use crate::bind::{Binder, located};
use crate::catalog::{CheckDef, ColumnDef, TableDef};
use crate::domain::{DomainDef, value_column};
use crate::parse_type::CreateDomain;
use crate::plan::Statement;
use crate::utility::Utility;

impl Binder<'_> {
    pub(crate) fn create_domain(&mut self, create: &CreateDomain) -> Result<Statement> {
        let (schema, name) = self.new_relation(&create.name, false)?;
        self.free_type_name(schema, &name)?;
        let position = self.source.name(&create.name);
        let (base, modifier) = self.data_type(&create.data_type, position)?;
        let under = self.domain_of(&create.data_type).cloned();
        let value = ColumnDef {
            modifier,
            ..value_column(base)
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
        let mut nullable = None;
        // The constraints read the value as the one column of a table.
        let shape = TableDef::new(&def.name, vec![value.clone()], Vec::new());
        for option in &create.options {
            match &option.option {
                ColumnOption::NotNull | ColumnOption::Null => {
                    let wants_null = matches!(option.option, ColumnOption::Null);
                    if nullable.is_some_and(|known| known != wants_null) {
                        let message = "conflicting NULL/NOT NULL constraints";
                        return Err(Error::new(SqlState::SYNTAX_ERROR, message));
                    }
                    nullable = Some(wants_null);
                    def.not_null |= !wants_null;
                }
                ColumnOption::Default(ast) => def.default = self.default_of(ast, &value)?,
                ColumnOption::Check(check) => {
                    let given = option.name.as_ref().or(check.name.as_ref());
                    let mut check =
                        self.check_constraint(&shape, given, &check.expr, &def.checks)?;
                    if given.is_none() {
                        check.name = free_name(&def);
                    } else if def.checks.iter().any(|known| known.name == check.name) {
                        let message = format!(
                            "constraint \"{}\" for domain \"{}\" already exists",
                            check.name, def.name
                        );
                        return Err(Error::new(SqlState::DUPLICATE_OBJECT, message));
                    }
                    def.checks.push(check);
                }
                _ => {
                    let message = "this constraint is not possible for domains";
                    let error = Error::new(SqlState::SYNTAX_ERROR, message);
                    return Err(located(error, position));
                }
            }
        }
        // They are checked in the order of their names.
        def.checks.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(utility(Utility::CreateDomain(Box::new(def))))
    }

    /// `42710` for the name of a type that there is.
    pub(crate) fn free_type_name(&self, schema: ObjectId, name: &str) -> Result<()> {
        let domain = self.catalog.domain_in(schema, name).is_some();
        if domain || self.catalog.enum_in(schema, name).is_some() {
            let message = format!("type \"{name}\" already exists");
            return Err(Error::new(SqlState::DUPLICATE_OBJECT, message));
        }
        Ok(())
    }

    /// The domain that a name of a type means.
    pub(crate) fn domain_of(&self, data_type: &DataType) -> Option<&DomainDef> {
        let DataType::Custom(name, modifiers) = data_type else {
            return None;
        };
        let name: &ObjectName = name;
        let def = self.catalog.domain_named(&type_name(name)?)?;
        modifiers.is_empty().then_some(def)
    }

    /// A value that was cast to a type, checked where that is a domain.
    pub(crate) fn as_domain(&self, value: Expr, data_type: &DataType) -> Result<Expr> {
        let Some(domain) = self.domain_of(data_type) else {
            return Ok(value);
        };
        let ty = value.logical_type();
        Ok(Expr::Case {
            branches: vec![(domain.condition(&value)?, value)],
            otherwise: None,
            ty,
        })
    }

    /// What a column of a domain is checked by.
    pub(crate) fn domain_check(domain: &DomainDef, column: usize) -> Result<CheckDef> {
        let expr = domain.condition(&Expr::Column {
            index: column,
            ty: domain.base,
        })?;
        Ok(CheckDef {
            name: String::new(),
            expr,
        })
    }
}

/// The name that a constraint gets where none is given.
fn free_name(def: &DomainDef) -> String {
    let base = format!("{}_check", def.name);
    let taken = |name: &str| def.checks.iter().any(|check| check.name == name);
    let mut number = 0;
    let mut name = base.clone();
    while taken(&name) {
        number += 1;
        name = format!("{base}{number}");
    }
    name
}
