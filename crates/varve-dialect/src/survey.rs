//! The first reading: tables, and the values of their columns.

use sqlparser::ast::{
    AlterTable, AlterTableOperation, ColumnOption, CreateIndex, CreateTable, Expr, Insert,
    RenameTableNameKind, Statement, TableConstraint,
};

use crate::Dialect;
use crate::ddl::column::{counts, is_rowid};
use crate::ddl::constraint::key_columns;
use crate::ddl::create_table::option;
use crate::ddl::types::Type;
use crate::expression::literal::Literal;
use crate::insert::{columns, rows, target};
use crate::names::{last, spelled};
use crate::parse::{statement, tokens, word};
use crate::schema::{Column, Schema, Table};
use crate::script::Result;
use crate::seen::Seen;
use crate::split::{Piece, pieces};

/// Reads a script for its tables. What cannot be read is for the second reading to tell.
pub(crate) fn survey(script: &[u8], dialect: Dialect) -> Schema {
    let mut schema = Schema::default();
    for piece in pieces(script, dialect).flatten() {
        // The fault is told by the second reading.
        _ = note(&mut schema, &piece, dialect);
    }
    for table in schema.tables.values_mut() {
        for column in &mut table.columns {
            column.ty = column.wish.settled(&column.seen, dialect);
            column.is_identity &= column.ty.is_integer();
        }
    }
    schema
}

fn note(schema: &mut Schema, piece: &Piece, dialect: Dialect) -> Result<()> {
    let tokens = tokens(piece, dialect)?;
    let (first, second) = (word(&tokens, 0), word(&tokens, 1));
    let is_wanted = match first.as_str() {
        "CREATE" => second != "TRIGGER",
        "INSERT" | "REPLACE" => true,
        "ALTER" => second == "TABLE",
        _ => false,
    };
    if !is_wanted {
        return Ok(());
    }
    match statement(tokens, dialect)? {
        Statement::CreateTable(create) => declare(schema, &create, dialect),
        Statement::CreateIndex(index) => note_index(schema, &index),
        Statement::AlterTable(alter) => note_alter(schema, &alter, dialect),
        Statement::Insert(insert) => note_rows(schema, &insert),
        _ => Ok(()),
    }
}

fn declare(schema: &mut Schema, create: &CreateTable, dialect: Dialect) -> Result<()> {
    if create.query.is_some() {
        return Ok(());
    }
    let mut table = Table {
        name: spelled(last(&create.name)?),
        columns: Vec::new(),
        keys: Vec::new(),
        counted: option(create, "auto_increment").and_then(counted),
    };
    for def in &create.columns {
        let options = || def.options.iter().map(|option| &option.option);
        let name = spelled(&def.name);
        let wish = Type::declared(&def.data_type, dialect).unwrap_or(Type::Any);
        let is_key = options().any(|o| matches!(o, ColumnOption::PrimaryKey(_)));
        if is_key {
            table.keys.insert(0, vec![name.clone()]);
        }
        if options().any(|o| matches!(o, ColumnOption::Unique(_))) {
            table.keys.push(vec![name.clone()]);
        }
        table.columns.push(Column {
            name,
            ty: wish.clone(),
            wish,
            seen: Seen::default(),
            is_identity: counts(options())
                || (is_key && is_rowid(def, dialect) && !create.without_rowid),
            is_generated: options().any(|o| matches!(o, ColumnOption::Generated { .. })),
        });
    }
    for constraint in &create.constraints {
        note_key(&mut table, constraint);
        let TableConstraint::PrimaryKey(key) = constraint else {
            continue;
        };
        let [part] = key.columns.as_slice() else {
            continue;
        };
        let Expr::Identifier(name) = &part.column.expr else {
            continue;
        };
        let mut defs = create.columns.iter();
        let def = defs.find(|def| def.name.value.eq_ignore_ascii_case(&name.value));
        let is_rowid = def.is_some_and(|def| is_rowid(def, dialect)) && !create.without_rowid;
        if let Some(column) = table.column_mut(&name.value) {
            column.is_identity |= is_rowid;
        }
    }
    schema.declare(table);
    Ok(())
}

fn counted(value: &Expr) -> Option<i64> {
    match Literal::of(value)? {
        Literal::Number(number) => number.parse::<i64>().ok()?.checked_sub(1),
        _ => None,
    }
}

fn note_key(table: &mut Table, constraint: &TableConstraint) {
    let (columns, is_first) = match constraint {
        TableConstraint::PrimaryKey(key) => (&key.columns, true),
        TableConstraint::Unique(key) => (&key.columns, false),
        _ => return,
    };
    let Some(columns) = key_columns(columns, table) else {
        return;
    };
    let at = if is_first { 0 } else { table.keys.len() };
    table.keys.insert(at, columns);
}

fn note_index(schema: &mut Schema, index: &CreateIndex) -> Result<()> {
    let name = last(&index.table_name)?.value.clone();
    let Some(table) = schema.table_mut(&name) else {
        return Ok(());
    };
    if index.unique && index.predicate.is_none() {
        let columns = key_columns(&index.columns, table);
        table.keys.extend(columns);
    }
    Ok(())
}

fn note_alter(schema: &mut Schema, alter: &AlterTable, dialect: Dialect) -> Result<()> {
    let name = last(&alter.name)?.value.clone();
    let mut renamed = None;
    let Some(table) = schema.table_mut(&name) else {
        return Ok(());
    };
    for operation in &alter.operations {
        match operation {
            AlterTableOperation::AddConstraint { constraint, .. } => note_key(table, constraint),
            AlterTableOperation::AddColumn { column_def, .. } => {
                let wish = Type::declared(&column_def.data_type, dialect).unwrap_or(Type::Any);
                table.columns.push(Column {
                    name: spelled(&column_def.name),
                    ty: wish.clone(),
                    wish,
                    seen: Seen::default(),
                    is_identity: counts(column_def.options.iter().map(|o| &o.option)),
                    is_generated: false,
                });
            }
            AlterTableOperation::ModifyColumn {
                col_name, options, ..
            } => {
                let counts = counts(options.iter());
                if let Some(column) = table.column_mut(&col_name.value) {
                    column.is_identity |= counts;
                }
            }
            AlterTableOperation::AutoIncrement { value, .. } => {
                let number = Expr::Value(value.clone());
                table.counted = counted(&number);
            }
            AlterTableOperation::RenameTable {
                table_name: RenameTableNameKind::To(name) | RenameTableNameKind::As(name),
            } => {
                let mut copy = table.clone();
                copy.name = spelled(last(name)?);
                renamed = Some(copy);
            }
            _ => {}
        }
    }
    if let Some(table) = renamed {
        schema.declare(table);
    }
    Ok(())
}

fn note_rows(schema: &mut Schema, insert: &Insert) -> Result<()> {
    let name = target(insert)?.value.clone();
    let Some(rows) = rows(insert) else {
        return Ok(());
    };
    if name.eq_ignore_ascii_case("sqlite_sequence") {
        for row in rows {
            let values: Vec<_> = row.into_iter().map(Literal::without_columns).collect();
            if let [Some(Literal::Text(table)), Some(Literal::Number(counted))] = values.as_slice()
                && let Some(table) = schema.table_mut(table)
            {
                table.counted = counted.parse().ok();
            }
        }
        return Ok(());
    }
    let Some(table) = schema.table(&name) else {
        return Ok(());
    };
    let names: Vec<String> = columns(insert, table)?
        .into_iter()
        .map(|column| column.name.clone())
        .collect();
    let Some(table) = schema.table_mut(&name) else {
        return Ok(());
    };
    for (at, name) in names.iter().enumerate() {
        let Some(column) = table.column_mut(name) else {
            continue;
        };
        for row in &rows {
            if let Some(value) = row.get(at).and_then(|expr| Literal::without_columns(expr)) {
                column.seen.note(&value);
            }
        }
    }
    Ok(())
}
