//! SELECT and what it reads from.

use sqlparser::ast::{
    Distinct, GroupByExpr, Join, JoinConstraint, JoinOperator, NamedWindowExpr, ObjectName, Select,
    SelectItem, SelectItemQualifiedWildcardKind, TableAlias, TableFactor, TableWithJoins,
};
use varve_types::{SqlText, sql};

use crate::names::last;
use crate::scope::Writer;
use crate::script::{Fault, Result};

impl Writer<'_> {
    pub(crate) fn select(&mut self, select: &Select) -> Result<SqlText> {
        let is_plain = select.top.is_none()
            && select.exclude.is_none()
            && select.into.is_none()
            && select.lateral_views.is_empty()
            && select.prewhere.is_none()
            && select.connect_by.is_empty()
            && select.cluster_by.is_empty()
            && select.distribute_by.is_empty()
            && select.sort_by.is_empty()
            && select.qualify.is_none()
            && select.value_table_mode.is_none();
        if !is_plain {
            return Err(Fault::new(0, "a clause of SELECT that has no counterpart"));
        }
        // What it reads from says how the names before it are spelled.
        let from = self.from(&select.from)?;
        let mut items = Vec::with_capacity(select.projection.len());
        for item in &select.projection {
            items.push(self.select_item(item)?);
        }
        let distinct = match &select.distinct {
            None | Some(Distinct::All) => "",
            Some(Distinct::Distinct) => "DISTINCT ",
            Some(_) => return Err(Fault::new(0, "DISTINCT ON, which has no counterpart")),
        };
        let mut text = sql!["SELECT ", distinct, SqlText::joined(&items, ", "), from];
        if let Some(condition) = &select.selection {
            text.push(sql![" WHERE ", self.expr(condition)?]);
        }
        match &select.group_by {
            GroupByExpr::Expressions(exprs, modifiers) if modifiers.is_empty() => {
                if !exprs.is_empty() {
                    text.push(sql![" GROUP BY ", self.exprs(exprs)?]);
                }
            }
            _ => return Err(Fault::new(0, "a form of GROUP BY that has no counterpart")),
        }
        if let Some(having) = &select.having {
            text.push(sql![" HAVING ", self.expr(having)?]);
        }
        for (at, window) in select.named_window.iter().enumerate() {
            let NamedWindowExpr::WindowSpec(spec) = &window.1 else {
                return Err(Fault::new(0, "a window that has no counterpart"));
            };
            text.push(if at == 0 { " WINDOW " } else { ", " });
            let name = self.give(&window.0);
            text.push(sql![name, " AS ", self.window_spec(spec)?]);
        }
        Ok(text)
    }

    fn select_item(&mut self, item: &SelectItem) -> Result<SqlText> {
        match item {
            SelectItem::UnnamedExpr(expr) => self.expr(expr),
            SelectItem::ExprWithAlias { expr, alias } => {
                let text = self.expr(expr)?;
                Ok(sql![text, " AS ", self.give(alias)])
            }
            SelectItem::Wildcard(_) => Ok(sql!["*"]),
            SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) => {
                self.all_of(name)
            }
            _ => Err(Fault::new(0, "a column that has no counterpart")),
        }
    }

    /// FROM and all behind it, or nothing.
    pub(crate) fn from(&mut self, tables: &[TableWithJoins]) -> Result<SqlText> {
        let is_dual = |table: &TableWithJoins| match &table.relation {
            TableFactor::Table { name, .. } => {
                last(name).is_ok_and(|name| name.value.eq_ignore_ascii_case("dual"))
            }
            _ => false,
        };
        if tables.is_empty() || tables.iter().all(is_dual) {
            return Ok(SqlText::default());
        }
        for table in tables {
            self.know_joined(table);
        }
        let mut texts = Vec::with_capacity(tables.len());
        for table in tables {
            texts.push(self.joined(table)?);
        }
        Ok(sql![" FROM ", SqlText::joined(&texts, ", ")])
    }

    fn know_joined(&mut self, table: &TableWithJoins) {
        self.know_factor(&table.relation);
        for join in &table.joins {
            self.know_factor(&join.relation);
        }
    }

    fn know_factor(&mut self, factor: &TableFactor) {
        match factor {
            TableFactor::Table { name, alias, .. } => {
                let table = last(name).ok();
                let known = table.and_then(|name| self.schema.table(&name.value));
                match (alias, table) {
                    (Some(alias), _) => self.know(&alias.name.value, known),
                    (None, Some(name)) => self.know(&name.value, known),
                    (None, None) => {}
                }
            }
            TableFactor::NestedJoin {
                table_with_joins, ..
            } => self.know_joined(table_with_joins),
            _ => {}
        }
    }

    pub(crate) fn joined(&mut self, table: &TableWithJoins) -> Result<SqlText> {
        let mut text = self.factor(&table.relation)?;
        for join in &table.joins {
            text.push(self.join(join)?);
        }
        Ok(text)
    }

    fn factor(&mut self, factor: &TableFactor) -> Result<SqlText> {
        let (text, alias) = match factor {
            TableFactor::Table {
                name,
                alias,
                args: None,
                version: None,
                with_ordinality: false,
                json_path: None,
                sample: None,
                ..
            } => (self.relation(name)?, alias),
            TableFactor::Derived {
                lateral: false,
                subquery,
                alias,
                sample: None,
            } => (sql!["(", self.query(subquery)?, ")"], alias),
            TableFactor::NestedJoin {
                table_with_joins,
                alias,
            } => (sql!["(", self.joined(table_with_joins)?, ")"], alias),
            _ => return Err(Fault::new(0, "a table expression that has no counterpart")),
        };
        match alias {
            Some(alias) => Ok(sql![text, " AS ", self.table_alias(alias)?]),
            None => Ok(text),
        }
    }

    pub(crate) fn table_alias(&mut self, alias: &TableAlias) -> Result<SqlText> {
        let name = self.give(&alias.name);
        if alias.columns.is_empty() {
            return Ok(name);
        }
        let columns: Vec<SqlText> = alias.columns.iter().map(|c| self.give(&c.name)).collect();
        Ok(sql![name, "(", SqlText::joined(&columns, ", "), ")"])
    }

    fn join(&mut self, join: &Join) -> Result<SqlText> {
        let (word, constraint) = match &join.join_operator {
            JoinOperator::Join(on) | JoinOperator::Inner(on) | JoinOperator::StraightJoin(on) => {
                ("JOIN ", on)
            }
            JoinOperator::Left(on) | JoinOperator::LeftOuter(on) => ("LEFT JOIN ", on),
            JoinOperator::Right(on) | JoinOperator::RightOuter(on) => ("RIGHT JOIN ", on),
            JoinOperator::FullOuter(on) => ("FULL JOIN ", on),
            JoinOperator::CrossJoin(on) => ("JOIN ", on),
            _ => return Err(Fault::new(0, "a join that has no counterpart")),
        };
        let relation = self.factor(&join.relation)?;
        Ok(match constraint {
            JoinConstraint::On(condition) => {
                sql![" ", word, relation, " ON ", self.expr(condition)?]
            }
            JoinConstraint::Using(columns) => {
                let mut names = Vec::new();
                for column in columns {
                    names.push(self.using(column)?);
                }
                sql![
                    " ",
                    word,
                    relation,
                    " USING (",
                    SqlText::joined(&names, ", "),
                    ")"
                ]
            }
            JoinConstraint::Natural => sql![" NATURAL ", word, relation],
            // Both sources take a join without a condition for a cross join.
            JoinConstraint::None => sql![" CROSS JOIN ", relation],
        })
    }

    fn using(&mut self, column: &ObjectName) -> Result<SqlText> {
        Ok(self.name(last(column)?))
    }
}
