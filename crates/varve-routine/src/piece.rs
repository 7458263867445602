//! Runs the SQL in a body.

use std::sync::Arc;

use varve_bind::{RoutineVariable, bind_piece, names_of};
use varve_expr::Locale;
use varve_parser::parse;
use varve_parser::plpgsql::Source;
use varve_plan::Bound;
use varve_types::{Error, LogicalType, Result, SqlState, TypeMod, Value};

use crate::body::Body;
use crate::caller::{Answer, Within};

impl Body<'_, '_> {
    /// The catalog as the statements before have left it.
    fn look_around(&mut self) -> Result<()> {
        let catalog = self.caller.session.catalog_now(&self.txn.store)?;
        if !Arc::ptr_eq(&catalog, &self.catalog) {
            self.locale = Locale {
                enums: catalog.enums().cloned(),
                names: Some(names_of(&catalog)),
                ..self.caller.locale.clone()
            };
            self.catalog = catalog;
        }
        let known = self.routine.catalog.as_ref();
        if !known.is_some_and(|known| Arc::ptr_eq(known, &self.catalog)) {
            self.routine.bound.fill(None);
            self.routine.catalog = Some(Arc::clone(&self.catalog));
        }
        Ok(())
    }

    /// Runs a bound statement.
    async fn run_bound(&mut self, bound: &Bound, values: Option<&[Value]>) -> Result<Answer> {
        let within = Within {
            catalog: &self.catalog,
            locale: &self.locale,
            parameters: values.unwrap_or(&self.frame.values),
        };
        let result = self.caller.session.run_bound(self.txn, bound, within);
        result.await.map_err(Error::without_position)
    }

    /// Runs a piece.
    pub(super) async fn piece(&mut self, number: usize) -> Result<Answer> {
        self.look_around()?;
        let code = Arc::clone(&self.routine.code);
        let (Some(piece), Some(known)) =
            (code.pieces.get(number), self.routine.bound.get_mut(number))
        else {
            return Err(Error::internal("a step without its piece"));
        };
        let layout = self.frame.layout;
        let bound = match known {
            Some((same, bound)) if *same == layout => Arc::clone(bound),
            _ => {
                let variables = self.frame.known(&code, piece.scope);
                let count = self.frame.numbered;
                let statement = &piece.statement;
                let bound = bind_piece(statement, &self.catalog, &variables, count, &self.locale);
                let bound = Arc::new(bound.map_err(|error| match statement.is_of_rows() {
                    true => error,
                    false => in_statement(error, &piece.text),
                })?);
                *known = Some((layout, Arc::clone(&bound)));
                bound
            }
        };
        self.run_bound(&bound, None)
            .await
            .map_err(|error| in_statement(error, &piece.text))
    }

    /// The rows of a piece, or of a statement whose text is computed.
    pub(super) async fn rows(&mut self, source: &Source) -> Result<Answer> {
        let (text, using) = match source {
            Source::Piece(piece) => return self.piece(*piece).await,
            Source::Text(text, using) => (text, using),
        };
        let (text, _) = self.value(*text).await?;
        if text.is_null() {
            let message = "query string argument of EXECUTE is null";
            return Err(Error::new(SqlState::NULL_VALUE_NOT_ALLOWED, message));
        }
        let text = self.shown(&text);
        let mut variables = Vec::with_capacity(using.len());
        let mut values = Vec::with_capacity(using.len());
        for piece in using {
            let (value, ty) = self.value(*piece).await?;
            values.push(value);
            variables.push(RoutineVariable {
                scope: 0,
                qualifier: String::new(),
                is_field: false,
                name: String::new(),
                ty,
                modifier: TypeMod::NONE,
            });
        }
        let variables: Vec<_> = variables.iter().enumerate().collect();
        let mut result = Answer::default();
        let statements = parse(&text).map_err(Error::without_position)?;
        for statement in &statements {
            self.look_around()?;
            let count = variables.len();
            let bound = bind_piece(statement, &self.catalog, &variables, count, &self.locale)?;
            let ran = self.run_bound(&bound, Some(&values)).await;
            result = ran.map_err(|error| in_statement(error, &text))?;
        }
        Ok(result)
    }

    /// The value of a piece that is a query, and its type.
    pub(super) async fn value(&mut self, piece: usize) -> Result<(Value, LogicalType)> {
        let result = self.piece(piece).await?;
        let mut rows = result.rows();
        if rows.len() > 1 {
            let message = "query returned more than one row";
            return Err(Error::new(SqlState::CARDINALITY_VIOLATION, message));
        }
        let row = rows.pop().unwrap_or_default();
        if row.len() > 1 {
            let message = format!("query returned {} columns", row.len());
            return Err(Error::new(SqlState::SYNTAX_ERROR, message));
        }
        let ty = result.fields.first().map(|field| field.ty);
        let value = row.into_iter().next().unwrap_or(Value::Null);
        Ok((value, ty.unwrap_or(LogicalType::Text)))
    }
}

/// The error of a statement, whose text it names; none for an expression.
fn in_statement(error: Error, text: &str) -> Error {
    match text.is_empty() {
        true => error,
        false => error.in_context(format!("SQL statement \"{text}\"")),
    }
}
