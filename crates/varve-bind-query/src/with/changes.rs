//! Statements that change rows, named by WITH: `WITH moved AS (DELETE ... RETURNING *) INSERT ...`.
//!
//! They run in order before the statement behind them, which reads the rows that they return. All
//! of them see what was there before: the statement names the tables to be kept for that.

use varve_ast::{Cte, Name};
use varve_plan::optimize::taken;
use varve_plan::plan::statement::{Change, Changes, source_of};
use varve_plan::plan::{Plan, Relation, Statement};
use varve_plan::scope::error::{located, unsupported_at};
use varve_types::{Error, LogicalType, Result, SqlState, TreeId};

use crate::context::binder::{BindChange, QueryBinder};
use crate::context::ctes::{Columns, CteBinding, with_definition};
use crate::from::relation::rename_columns;

impl QueryBinder<'_> {
    /// A named statement that changes rows; `base` is where the named queries beside it begin.
    pub fn change_cte(&mut self, cte: &Cte, base: usize, change: Option<BindChange>) -> Result<()> {
        let position = self.at(cte.name.span);
        let Some(bind_change) = change else {
            let message =
                "WITH clause containing a data-modifying statement must be at the top level";
            let error = Error::new(SqlState::FEATURE_NOT_SUPPORTED, message);
            return Err(located(error, position));
        };
        let id = self.new_cte_id();
        let name = cte.name.text.clone();
        let Some(statement) = bind_change(self, &cte.query)? else {
            let message = "MERGE not supported in WITH query";
            let error = Error::new(SqlState::FEATURE_NOT_SUPPORTED, message);
            return Err(located(error, position));
        };
        let fields = statement.fields().iter();
        let mut columns: Vec<(String, LogicalType)> =
            fields.map(|field| (field.name.clone(), field.ty)).collect();
        rename_columns(&name, cte.columns.iter(), &mut columns)?;
        self.statement_cte((id, name, columns), statement, base);
        Ok(())
    }

    /// Adds a named statement that runs before the one behind WITH.
    pub fn statement_cte(
        &mut self,
        (id, name, columns): (usize, String, Columns),
        mut statement: Statement,
        base: usize,
    ) {
        if let Some(source) = source_of(&mut statement) {
            let mut plan = taken(source);
            for known in self.context.ctes.iter().skip(base).rev() {
                plan = with_definition(plan, known.clone());
            }
            *source = plan;
        }
        let types = statement.fields().iter().map(|field| field.ty).collect();
        self.context
            .ctes
            .push(CteBinding::of_change(id, name.clone(), columns));
        self.outputs.changes.push(Change {
            id,
            name,
            statement,
            types,
        });
    }

    /// Refuses to read what returns no rows.
    pub fn check_returning(&self, name: &Name) -> Result<()> {
        let changes = self.outputs.changes.iter();
        let mut named = changes.filter(|change| change.name == name.text);
        match named
            .next_back()
            .is_some_and(|change| change.types.is_empty())
        {
            true => {
                let message = format!(
                    "WITH query \"{}\" does not have a RETURNING clause",
                    name.text
                );
                let error = Error::new(SqlState::FEATURE_NOT_SUPPORTED, message);
                Err(located(error, self.at(name.span)))
            }
            false => Ok(()),
        }
    }

    /// The statement with the changes that WITH names before it.
    pub fn with_changes(&mut self, body: Statement) -> Result<Statement> {
        let changes = core::mem::take(&mut self.outputs.changes);
        if changes.is_empty() {
            return Ok(body);
        }
        let mut body = body;
        if source_of(&mut body).is_none() {
            let what = "a change in WITH before this statement";
            return Err(unsupported_at(what, self.first()));
        }
        let mut changed: Vec<TreeId> = Vec::new();
        let mut read_before = Vec::new();
        let mut changes = changes;
        let statements = changes.iter_mut().map(|change| &mut change.statement);
        for statement in statements.chain([&mut body]) {
            if let Some(source) = source_of(statement) {
                read(source, &changed, &mut read_before);
            }
            if let Some(table) = statement.changed_table() {
                let inheritance = self.statement.catalog.inheritance_of(table);
                changed.extend(inheritance.iter().map(|table| table.tree));
            }
        }
        Ok(Statement::Changes(Box::new(Changes {
            changes,
            body,
            read_before,
        })))
    }
}

/// Adds those of some trees that a plan reads.
pub fn read(plan: &Plan, trees: &[TreeId], found: &mut Vec<TreeId>) {
    let tree = match plan {
        Plan::Scan(scan) => match scan.relation {
            Relation::Tree(tree) => Some(tree),
            Relation::System(_) => None,
        },
        Plan::Lookup(lookup) => Some(lookup.tree),
        _ => None,
    };
    let tree = tree.filter(|tree| trees.contains(tree) && !found.contains(tree));
    found.extend(tree);
    plan.for_each_input(&mut |input| read(input, trees, found));
}
