//! Triggers: BEFORE a row is written it may be changed or left out; AFTER the statement its rows
//! are looked at again.
//!
//! A table without triggers is asked for them once a statement, and that is all.

use varve_bind::row_variables;
use varve_catalog::{Event, TableDef, TriggerDef};
use varve_dml::{RowPair, StatementTxn, Timing, Trigger};
use varve_expr::coerce_length;
use varve_types::{
    ArrayValue, ElementType, Error, LocalFuture, LogicalType, Result, RowValue, SqlState, Value,
    meter,
};

use crate::caller::Caller;
use crate::frame::Frame;
use crate::routine::{Outcome, Routine};

/// A trigger that is ready to be fired, for many rows.
struct Armed<'r> {
    caller: Caller<'r>,
    table: &'r TableDef,
    event: Event,
    condition: Option<Routine>,
    body: Routine,
    frame: Frame,
}

impl<'a> Caller<'a> {
    /// The triggers of a table that an event fires.
    ///
    /// Inline, so that the futures of a body are compiled where a session is used, and only there.
    #[inline]
    pub fn triggers(
        self,
        table: &'a TableDef,
        event: Event,
        timing: Timing,
        assigned: &[usize],
    ) -> Result<Vec<Box<dyn Trigger + 'a>>> {
        let mut armed: Vec<Box<dyn Trigger + 'a>> = Vec::new();
        for def in self.catalog.triggers_of(table.object) {
            let is_of = (def.before, def.for_each_row) == (timing.before, timing.for_each_row);
            if !is_of || !def.fires(event, table, assigned) {
                continue;
            }
            let function = self.catalog.functions.get(&def.function);
            let function = function.ok_or_else(|| Error::internal("a trigger has no function"))?;
            let body = Routine::new(function.code()?);
            let mut frame = self.frame(table, event, def);
            frame.name = self.catalog.shown_function(function).into_string();
            frame.declare(&body.code, self.catalog)?;
            armed.push(Box::new(Armed {
                caller: self,
                table,
                event,
                condition: def.condition_code()?.map(Routine::new),
                body,
                frame,
            }));
        }
        Ok(armed)
    }

    /// The variables of a trigger, those of NEW and OLD first.
    fn frame(&self, table: &TableDef, event: Event, def: &TriggerDef) -> Frame {
        let mut frame = Frame::default();
        if def.for_each_row {
            for record in ["new", "old"] {
                frame.add_record(record, row_variables(table, record));
            }
        }
        let level = if def.for_each_row { "ROW" } else { "STATEMENT" };
        let schema = self.catalog.schema_name(table.schema);
        let texts = [
            ("tg_name", def.name.as_str()),
            ("tg_when", def.when()),
            ("tg_level", level),
            ("tg_op", event.word()),
            ("tg_relname", &table.name),
            ("tg_table_name", &table.name),
            ("tg_table_schema", schema),
        ];
        for (name, text) in texts {
            frame.add("", name, LogicalType::Text, Value::text(text));
        }
        let count = meter::fitting(def.arguments.len(), "arguments of a trigger");
        frame.add("", "tg_nargs", LogicalType::Int4, Value::Int4(count));
        let arguments = def.arguments.iter().map(|text| Value::text(text.as_str()));
        let mut arguments = ArrayValue::of(ElementType::Text, arguments.collect());
        for dimension in &mut arguments.dimensions {
            dimension.lower = 0;
        }
        let ty = LogicalType::Array(ElementType::Text);
        frame.add("", "tg_argv", ty, Value::array(&arguments));
        frame
    }
}

impl Armed<'_> {
    /// Calls the function for a row or a statement; `None` where the condition does not hold.
    async fn call(
        &mut self,
        txn: &mut StatementTxn,
        pair: Option<&RowPair>,
    ) -> Result<Option<Outcome>> {
        if let Some(RowPair { old, new }) = pair {
            let width = self.frame.variables.iter();
            let width = width.take_while(|known| known.qualifier == "new").count();
            for (from, row) in [(0, new), (width, old)] {
                for at in 0..width {
                    let value = row.as_ref().and_then(|row| row.get(at)).cloned();
                    if let Some(known) = self.frame.values.get_mut(from + at) {
                        *known = value.unwrap_or(Value::Null);
                    }
                }
            }
        }
        if let Some(condition) = &mut self.condition {
            let tested = self.caller.call(txn, condition, &mut self.frame).await?;
            if !matches!(tested, Outcome::Value(Value::Boolean(true))) {
                return Ok(None);
            }
        }
        let outcome = self
            .caller
            .call(txn, &mut self.body, &mut self.frame)
            .await?;
        if let Outcome::Ended | Outcome::Nothing = outcome {
            let message = "control reached end of trigger procedure without RETURN";
            let error = Error::new(SqlState::NO_RETURN_STATEMENT, message);
            let context = format!("PL/pgSQL function {}", self.frame.name);
            return Err(error.in_context(context));
        }
        Ok(Some(outcome))
    }

    /// The row that a function makes of one; `None` where it leaves the row out.
    fn changed_row(&self, outcome: Outcome, pair: &RowPair) -> Result<NewRow> {
        let (table, locale) = (self.table, self.caller.locale);
        let values = match outcome {
            Outcome::Unchanged | Outcome::Ended | Outcome::Nothing => return Ok(NewRow::Same),
            Outcome::Value(Value::Null) | Outcome::Row(None) => return Ok(NewRow::LeftOut),
            Outcome::Value(Value::Row(_, stored)) => {
                let row = RowValue::read(&stored)?.fields;
                let mut given = row.into_iter().map(|(_, value)| value);
                let values = table.columns.iter().map(|column| {
                    let value = given.next().unwrap_or(Value::Null);
                    varve_expr::cast_value(&value, column.ty, true, locale)
                });
                values.collect::<Result<Vec<Value>>>()?
            }
            Outcome::Value(_) => {
                let message = "cannot return non-composite value from function returning \
                               composite type";
                return Err(Error::new(SqlState::DATATYPE_MISMATCH, message));
            }
            Outcome::Record(name) => match (name.as_str(), self.event) {
                ("new", Event::Delete) | ("old", Event::Insert) => return Ok(NewRow::LeftOut),
                ("old", Event::Delete) => return Ok(NewRow::Same),
                (record, _) => {
                    let width = table.columns.len();
                    let from = if record == "new" { 0 } else { width };
                    let values = self.frame.values.iter().skip(from);
                    values.take(width).cloned().collect()
                }
            },
            Outcome::Row(Some(named)) => {
                let Some(mut new) = pair.new.clone() else {
                    return Ok(NewRow::Same);
                };
                for (name, value) in named {
                    let mut columns = table.columns.iter().zip(&mut new);
                    if let Some((column, place)) = columns.find(|(column, _)| column.name == name) {
                        *place = varve_expr::cast_value(&value, column.ty, false, locale)?;
                    }
                }
                new
            }
        };
        let columns = table.columns.iter().zip(values);
        let values =
            columns.map(|(column, value)| coerce_length(value, column.ty, column.modifier, false));
        Ok(NewRow::Values(values.collect::<Result<_>>()?))
    }
}

/// What becomes of a row before which a trigger was fired.
enum NewRow {
    Same,
    LeftOut,
    Values(Vec<Value>),
}

impl Trigger for Armed<'_> {
    #[inline]
    fn before_row<'a>(
        &'a mut self,
        txn: &'a mut StatementTxn,
        mut pair: RowPair,
    ) -> LocalFuture<'a, Result<Option<RowPair>>> {
        Box::pin(async move {
            let Some(outcome) = self.call(txn, Some(&pair)).await? else {
                return Ok(Some(pair));
            };
            match self.changed_row(outcome, &pair)? {
                NewRow::Same => {}
                NewRow::LeftOut => return Ok(None),
                NewRow::Values(values) => pair.new = Some(values),
            }
            Ok(Some(pair))
        })
    }

    #[inline]
    fn fire<'a>(
        &'a mut self,
        txn: &'a mut StatementTxn,
        pair: Option<&'a RowPair>,
    ) -> LocalFuture<'a, Result<()>> {
        Box::pin(async move { self.call(txn, pair).await.map(drop) })
    }
}
