//! Triggers: a body of plain statements becomes a function in PL/pgSQL.

use sqlparser::ast::{Expr, Function, Ident, Query, SelectItem, SetExpr, Statement};
use sqlparser::tokenizer::{Token, TokenWithSpan};
use varve_types::{SqlText, sql};

use crate::Dialect;
use crate::expression::literal::{Literal, arguments};
use crate::later::Kind;
use crate::names::{key, last, spelled};
use crate::parse::{end, fault, parser, statement, word};
use crate::schema::Table;
use crate::scope::Writer;
use crate::script::{Fault, Result};
use crate::translator::Translator;

/// Words before the body.
struct Head {
    name: Ident,
    when: &'static str,
    event: &'static str,
    columns: Vec<Ident>,
    table: Ident,
    condition: Vec<TokenWithSpan>,
}

impl<'s> Translator<'s> {
    pub(crate) fn create_trigger(&mut self, tokens: &[TokenWithSpan], at: u64) -> Result<()> {
        let mut cursor = Cursor { tokens, at: 0 };
        let head = cursor
            .head(self.dialect)
            .ok_or_else(|| Fault::new(at, "a form of CREATE TRIGGER that has no counterpart"))?;
        let Some(table) = self.schema.table(&head.table.value) else {
            let message = format!("the script makes no table {}", head.table.value);
            return Err(Fault::new(at, message));
        };
        let named = |fault: Fault| {
            let message = format!("the trigger {}: {}", head.name.value, fault.message);
            Fault::new(fault.line, message)
        };
        let body = self.body(&head, table, cursor.rest()).map_err(named)?;
        let mut on = sql![head.when, head.event];
        if !head.columns.is_empty() {
            let mut names = Vec::new();
            for column in &head.columns {
                names.push(SqlText::name(&table.named(column)?.name));
            }
            on.push(sql![" OF ", SqlText::joined(&names, ", ")]);
        }
        on.push(sql![" ON ", SqlText::name(&table.name)]);
        let name = SqlText::name(&spelled(&head.name));
        self.trigger_of(&table.name, name, on, body, at);
        Ok(())
    }

    /// Notes a trigger and its function for the end.
    pub(crate) fn trigger_of(
        &mut self,
        table: &str,
        name: SqlText,
        on: SqlText,
        body: SqlText,
        at: u64,
    ) {
        let body = SqlText::dollar_quoted(body.as_str(), "body");
        let head = sql!["CREATE OR REPLACE FUNCTION ", &name, "() RETURNS trigger"];
        let function = sql![head, " LANGUAGE plpgsql AS ", body];
        self.later.add(Kind::Trigger, at, table, function);
        let call = sql![" FOR EACH ROW EXECUTE FUNCTION ", &name, "()"];
        let trigger = sql!["CREATE TRIGGER ", name, " ", on, call];
        self.later.add(Kind::Trigger, at, table, trigger);
    }

    fn body(&self, head: &Head, table: &'s Table, tokens: &[TokenWithSpan]) -> Result<SqlText> {
        let mut text = sql!["BEGIN "];
        let has_condition = !head.condition.is_empty();
        if has_condition {
            let mut parser = parser(head.condition.clone(), self.dialect);
            let condition = parser.parse_expr().map_err(fault)?;
            end(&parser)?;
            let condition = self.row_writer(table).expr(&condition)?;
            text.push(sql!["IF ", condition, " THEN "]);
        }
        for tokens in tokens.split(|token| token.token == Token::SemiColon) {
            if !tokens.is_empty() {
                text.push(sql![self.step(table, tokens)?, "; "]);
            }
        }
        text.push(if has_condition { "END IF; " } else { "" });
        text.push(match (head.when, head.event) {
            ("AFTER ", _) => "RETURN NULL; END",
            (_, "DELETE") => "RETURN OLD; END",
            _ => "RETURN NEW; END",
        });
        Ok(text)
    }

    fn row_writer(&self, table: &'s Table) -> Writer<'s> {
        let mut writer = Writer::new(self.schema, self.dialect);
        writer.know("new", Some(table));
        writer.know("old", Some(table));
        writer
    }

    fn step(&self, table: &'s Table, tokens: &[TokenWithSpan]) -> Result<SqlText> {
        let mut writer = self.row_writer(table);
        if let ("SET", "NEW") = (word(tokens, 0).as_str(), word(tokens, 1).as_str()) {
            let mut parser = parser(tokens.get(1..).unwrap_or_default().to_vec(), self.dialect);
            let assignment = parser.parse_assignment().map_err(fault)?;
            end(&parser)?;
            let sqlparser::ast::AssignmentTarget::ColumnName(name) = &assignment.target else {
                return Err(Fault::new(0, "a row in place of a column"));
            };
            let column = table.named(last(name)?)?;
            let value = writer.value_of(&assignment.value, Some(column))?;
            return Ok(sql!["NEW.", SqlText::name(&column.name), " := ", value]);
        }
        match statement(tokens.to_vec(), self.dialect)? {
            Statement::Insert(insert) => writer.insert(&insert),
            Statement::Update(update) => writer.update(&update),
            Statement::Delete(delete) => writer.delete(&delete),
            Statement::Query(query) => raised(&mut writer, &query),
            _ => Err(Fault::new(0, "a statement that has no counterpart")),
        }
    }
}

/// `SELECT RAISE(ABORT, 'message') WHERE condition`, or with the condition in a CASE.
fn raised(writer: &mut Writer<'_>, query: &Query) -> Result<SqlText> {
    let refused = || Fault::new(0, "a query in a body, whose rows nobody reads");
    let SetExpr::Select(select) = query.body.as_ref() else {
        return Err(refused());
    };
    let [SelectItem::UnnamedExpr(expr)] = select.projection.as_slice() else {
        return Err(refused());
    };
    if !select.from.is_empty() {
        return Err(refused());
    }
    let (call, condition) = match expr {
        Expr::Function(call) => (call, select.selection.as_ref()),
        Expr::Case {
            operand: None,
            conditions,
            else_result: None,
            ..
        } => match conditions.as_slice() {
            [when] if select.selection.is_none() => match &when.result {
                Expr::Function(call) => (call, Some(&when.condition)),
                _ => return Err(refused()),
            },
            _ => return Err(refused()),
        },
        _ => return Err(refused()),
    };
    let message = message(call).ok_or_else(refused)?;
    // A percent sign would ask for an argument.
    let text = SqlText::literal(&message.replace('%', "%%"));
    let raise = sql!["RAISE EXCEPTION ", text];
    Ok(match condition {
        Some(condition) => sql!["IF ", writer.expr(condition)?, " THEN ", raise, "; END IF"],
        None => raise,
    })
}

fn message(call: &Function) -> Option<String> {
    let is_raise = last(&call.name).ok()?.value.eq_ignore_ascii_case("raise");
    match arguments(call)?.as_slice() {
        [Expr::Identifier(kind), message] if is_raise && key(&kind.value) != "ignore" => {
            match Literal::without_columns(message)? {
                Literal::Text(text) => Some(text),
                _ => None,
            }
        }
        _ => None,
    }
}

struct Cursor<'t> {
    tokens: &'t [TokenWithSpan],
    at: usize,
}

impl<'t> Cursor<'t> {
    fn word(&self) -> String {
        word(self.tokens, self.at)
    }

    fn takes(&mut self, expected: &str) -> bool {
        let is_it = self.word() == expected;
        self.at += usize::from(is_it);
        is_it
    }

    fn one_of(&mut self, words: &[&'static str]) -> Option<&'static str> {
        words
            .iter()
            .copied()
            .find(|word| self.takes(word.trim_end()))
    }

    fn name(&mut self) -> Option<Ident> {
        let token = self.tokens.get(self.at)?;
        self.at += 1;
        match &token.token {
            Token::Word(word) => Some(word.clone().into_ident(token.span)),
            Token::SingleQuotedString(name) => Some(Ident::with_quote('\'', name.clone())),
            _ => None,
        }
    }

    /// A name, behind that of its database.
    fn qualified(&mut self) -> Option<Ident> {
        let name = self.name()?;
        let is_qualified = self
            .tokens
            .get(self.at)
            .is_some_and(|t| t.token == Token::Period);
        if !is_qualified {
            return Some(name);
        }
        self.at += 1;
        self.name()
    }

    fn head(&mut self, dialect: Dialect) -> Option<Head> {
        // MySQL: the definer stands before the word TRIGGER.
        let is_trigger = |token: &TokenWithSpan| match &token.token {
            Token::Word(word) => word.value.eq_ignore_ascii_case("trigger"),
            _ => false,
        };
        self.at = self.tokens.iter().position(is_trigger)? + 1;
        if self.takes("IF") && !(self.takes("NOT") && self.takes("EXISTS")) {
            return None;
        }
        let name = self.qualified()?;
        let when = self.one_of(&["BEFORE ", "AFTER "]);
        let when = match when {
            Some(when) => when,
            None if self.takes("INSTEAD") && self.takes("OF") => "INSTEAD OF ",
            // SQLite's default.
            None => "BEFORE ",
        };
        let event = self.one_of(&["INSERT", "UPDATE", "DELETE"])?;
        let mut columns = Vec::new();
        if self.takes("OF") {
            columns.push(self.name()?);
            while self.tokens.get(self.at)?.token == Token::Comma {
                self.at += 1;
                columns.push(self.name()?);
            }
        }
        if !self.takes("ON") {
            return None;
        }
        let table = self.qualified()?;
        if self.takes("FOR") && !(self.takes("EACH") && self.takes("ROW")) {
            return None;
        }
        let condition = if self.takes("WHEN") {
            self.up_to_begin()?
        } else {
            Vec::new()
        };
        if !self.takes("BEGIN") && dialect == Dialect::Sqlite {
            return None;
        }
        Some(Head {
            name,
            when,
            event,
            columns,
            table,
            condition,
        })
    }

    fn up_to_begin(&mut self) -> Option<Vec<TokenWithSpan>> {
        let from = self.at;
        while self.word() != "BEGIN" {
            self.tokens.get(self.at)?;
            self.at += 1;
        }
        self.tokens.get(from..self.at).map(<[_]>::to_vec)
    }

    /// The statements of the body.
    fn rest(&self) -> &'t [TokenWithSpan] {
        let rest = self.tokens.get(self.at..).unwrap_or_default();
        let is_closed = word(rest, rest.len().saturating_sub(1)) == "END"
            && rest.iter().any(|token| token.token == Token::SemiColon);
        match rest.split_last() {
            Some((_, body)) if is_closed => body,
            _ => rest,
        }
    }
}
