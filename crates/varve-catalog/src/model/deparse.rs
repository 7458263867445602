//! Bound expressions as SQL text, for EXPLAIN and for what the catalog tells of definitions.

use varve_expr::{DEFAULT_LOCALE, Expr, Locale, Parameter, format_value};
use varve_types::{LogicalType, PredicateTest, SqlText, TypeMod, Value, sql};

use crate::model::catalog::Catalog;

/// An expression over these columns, in parentheses where it is an operation.
pub fn deparse(expr: &Expr, columns: &[SqlText]) -> SqlText {
    Printer {
        columns,
        catalog: None,
    }
    .expr(expr)
}

/// Expressions with commas between them.
pub fn deparse_list(exprs: &[Expr], columns: &[SqlText]) -> SqlText {
    let printer = Printer {
        columns,
        catalog: None,
    };
    printer.list(exprs)
}

/// A test of a column.
pub fn deparse_predicate(column: &SqlText, test: &PredicateTest) -> SqlText {
    let printer = Printer {
        columns: &[],
        catalog: None,
    };
    printer.predicate(column, test)
}

/// Writes expressions.
pub struct Printer<'a> {
    /// The columns by position.
    pub columns: &'a [SqlText],
    /// Has the names of types, labels and sequences.
    pub catalog: Option<&'a Catalog>,
}

impl Printer<'_> {
    pub(crate) fn list(&self, exprs: &[Expr]) -> SqlText {
        SqlText::joined(&self.each(exprs), ", ")
    }

    fn each(&self, exprs: &[Expr]) -> Vec<SqlText> {
        exprs.iter().map(|expr| self.expr(expr)).collect()
    }

    fn joined(&self, items: &[Expr], between: &'static str) -> SqlText {
        sql!["(", SqlText::joined(&self.each(items), between), ")"]
    }

    fn between(&self, left: &Expr, op: &'static str, right: &Expr) -> SqlText {
        sql!["(", self.expr(left), " ", op, " ", self.expr(right), ")"]
    }

    /// An expression, in parentheses where it is an operation.
    pub fn expr(&self, expr: &Expr) -> SqlText {
        match expr {
            Expr::Column { index, .. } => {
                let known = self.columns.get(*index).cloned();
                known.unwrap_or_else(|| sql!["column", *index])
            }
            Expr::Literal { value, ty } => self.literal(value, *ty),
            Expr::Parameter {
                parameter: Parameter::Given(index),
                ..
            } => sql!["$", index + 1],
            Expr::Parameter {
                parameter: Parameter::Called(index),
                ..
            } => sql!["$called", *index],
            Expr::Placeholder { .. } => sql!["?"],
            // PostgreSQL shows them so too; parameters of the statement count from 1.
            Expr::Outer { slot, .. } => sql!["$outer", *slot],
            Expr::Compare { op, left, right } => self.between(left, op.symbol(), right),
            Expr::Distinct {
                left,
                right,
                negated,
            } => match negated {
                true => self.between(left, "IS NOT DISTINCT FROM", right),
                false => self.between(left, "IS DISTINCT FROM", right),
            },
            Expr::And(items) => self.joined(items, " AND "),
            Expr::Or(items) => self.joined(items, " OR "),
            Expr::Not(input) => sql!["(NOT ", self.expr(input), ")"],
            Expr::IsNull { input, negated } => {
                let test = if *negated { " IS NOT NULL" } else { " IS NULL" };
                sql!["(", self.expr(input), test, ")"]
            }
            Expr::InList {
                input,
                list,
                negated,
            } => {
                let op = if *negated { " NOT IN " } else { " IN " };
                sql!["(", self.expr(input), op, self.joined(list, ", "), ")"]
            }
            Expr::Call { function, args, .. }
                if function.name() == "\0array" && args.is_empty() =>
            {
                let ty = self.type_name(expr.logical_type(), TypeMod::NONE);
                sql!["ARRAY[]::", ty]
            }
            Expr::Call { function, args, .. } if function.name().starts_with('\0') => {
                self.form(function.name(), args)
            }
            Expr::Call { function, args, .. } => match (function.is_operator(), args.as_slice()) {
                (true, [left, right]) => self.between(left, function.name(), right),
                (true, [input]) => sql!["(", function.name(), " ", self.expr(input), ")"],
                _ => self.call(function.name(), args),
            },
            Expr::Cast {
                input,
                to,
                modifier,
                ..
            } if let (Some(_), Expr::Literal { value, ty }) = (self.catalog, &**input)
                && ty == to
                && !value.is_null() =>
            {
                let (shown, _) = self.bare(value);
                sql![shown, "::", self.type_name(*to, *modifier)]
            }
            Expr::Cast {
                input,
                to,
                modifier,
                ..
            } => sql!["(", self.expr(input), ")::", self.type_name(*to, *modifier)],
            Expr::Case {
                branches,
                otherwise,
                ty,
            } => {
                // PostgreSQL writes them over several lines in definitions.
                let [first, when, last] = match self.catalog {
                    Some(_) => ["\nCASE", "\n    ", "\nEND"],
                    None => ["CASE", " ", " END"],
                };
                let mut text = sql![first];
                for (condition, result) in branches {
                    text.push(sql![when, "WHEN ", self.expr(condition)]);
                    text.push(sql![" THEN ", self.expr(result)]);
                }
                match otherwise {
                    Some(otherwise) => text.push(sql![when, "ELSE ", self.expr(otherwise)]),
                    None if self.catalog.is_some() => {
                        text.push(sql![when, "ELSE ", self.literal(&Value::Null, *ty)]);
                    }
                    None => {}
                }
                text.push(last);
                text
            }
            Expr::Coalesce { args, .. } => sql!["COALESCE(", self.list(args), ")"],
        }
    }

    fn call(&self, name: &'static str, args: &[Expr]) -> SqlText {
        if let (Some(catalog), "nextval" | "currval", [Expr::Literal { value, .. }]) =
            (self.catalog, name, args)
            && let Some(sequence) = catalog.sequence_of(value)
        {
            let sequence = SqlText::literal(sequence.as_str());
            return sql![name, "(", sequence, "::regclass)"];
        }
        match (name, args) {
            ("timezone", [zone, time]) => return self.between(time, "AT TIME ZONE", zone),
            ("extract", [Expr::Literal { value, .. }, from]) => {
                let field = SqlText::name(value.str().unwrap_or_default());
                return sql!["EXTRACT(", field, " FROM ", self.expr(from), ")"];
            }
            (name, []) if let Some(word) = word_of_grammar(name) => return sql![word],
            (name, args) if let Some(word) = word_of_grammar(name) => {
                return sql![word, "(", self.list(args), ")"];
            }
            _ => {}
        }
        let called = match name {
            // Words of the grammar; in quotes they would be functions that do not exist.
            "greatest" => sql!["GREATEST"],
            "least" => sql!["LEAST"],
            "nullif" => sql!["NULLIF"],
            name => SqlText::name(name),
        };
        sql![called, "(", self.list(args), ")"]
    }

    fn type_name(&self, ty: LogicalType, modifier: TypeMod) -> SqlText {
        let known = self
            .catalog
            .and_then(|catalog| catalog.type_sql(ty, modifier));
        known.unwrap_or_else(|| SqlText::built_in_type(ty, modifier))
    }

    /// A form of SQL that is computed by a function.
    fn form(&self, name: &'static str, args: &[Expr]) -> SqlText {
        match (name, args) {
            ("\0array" | "\0arrays", items) => sql!["ARRAY[", self.list(items), "]"],
            ("\0element", [array, subscripts @ ..]) => {
                let mut text = sql!["(", self.expr(array), ")"];
                for subscript in subscripts {
                    text.push(sql!["[", self.expr(subscript), "]"]);
                }
                text
            }
            ("\0slice", [array, bounds @ ..]) => {
                let mut text = sql!["(", self.expr(array), ")"];
                for bounds in bounds.chunks(3) {
                    if let [_, lower, upper] = bounds {
                        // Without the spaces psql would read `:name` as a variable.
                        text.push(sql!["[", self.expr(lower), " : ", self.expr(upper), "]"]);
                    }
                }
                text
            }
            ("\0any" | "\0all", [Expr::Literal { value, .. }, left, right]) => {
                let word = if name == "\0any" { " ANY (" } else { " ALL (" };
                let symbol = SqlText::operator(value.str().unwrap_or_default());
                let (left, right) = (self.expr(left), self.expr(right));
                sql!["(", left, " ", symbol, word, right, "))"]
            }
            ("\0row", [row, fields @ ..]) => {
                let fields = sql!["ROW(", self.list(fields), ")"];
                match row.logical_type() {
                    ty @ LogicalType::Row(_) if self.is_named(ty) => {
                        sql![fields, "::", self.type_name(ty, TypeMod::NONE)]
                    }
                    _ => fields,
                }
            }
            ("\0field", [_, row, Expr::Literal { value, .. }]) => {
                let named = self.field_name(row.logical_type(), value);
                sql!["(", self.expr(row), ").", named.unwrap_or_default()]
            }
            ("\0row is null", [row]) => sql!["(", self.expr(row), " IS NULL)"],
            ("\0row is not null", [row]) => sql!["(", self.expr(row), " IS NOT NULL)"],
            ("\0domain" | "\0domains", [value, Expr::Literal { value: domain, .. }, ..]) => {
                match (self.catalog, domain) {
                    (Some(catalog), Value::Oid(number)) => {
                        let name = catalog.type_text(*number, TypeMod::NONE);
                        sql!["(", self.expr(value), ")::", name.unwrap_or_default()]
                    }
                    _ => self.expr(value),
                }
            }
            (name, args) => {
                let name = SqlText::name(name.trim_start_matches('\0'));
                sql![name, "(", self.list(args), ")"]
            }
        }
    }

    fn is_named(&self, ty: LogicalType) -> bool {
        let catalog = self.catalog;
        catalog.is_some_and(|catalog| catalog.type_sql(ty, TypeMod::NONE).is_some())
    }

    fn field_name(&self, row: LogicalType, place: &Value) -> Option<SqlText> {
        let LogicalType::Row(id) = row else {
            return None;
        };
        let fields = self.catalog?.fields_of(id)?;
        let place = usize::try_from(place.integer()?).ok()?;
        fields.get(place).map(|(name, _, _)| SqlText::name(name))
    }

    /// A test of a column.
    pub fn predicate(&self, column: &SqlText, test: &PredicateTest) -> SqlText {
        match test {
            PredicateTest::Compare(op, value) => {
                sql![
                    "(",
                    column,
                    " ",
                    op.symbol(),
                    " ",
                    self.constant(value),
                    ")"
                ]
            }
            PredicateTest::In(values) => {
                let shown: Vec<SqlText> = values.iter().map(|one| self.constant(one)).collect();
                sql!["(", column, " IN (", SqlText::joined(&shown, ", "), "))"]
            }
            PredicateTest::IsNull => sql!["(", column, " IS NULL)"],
            PredicateTest::IsNotNull => sql!["(", column, " IS NOT NULL)"],
        }
    }

    fn literal(&self, value: &Value, ty: LogicalType) -> SqlText {
        match value {
            Value::Null => sql!["NULL::", self.type_name(ty, TypeMod::NONE)],
            value => self.typed(value, ty),
        }
    }

    /// A constant: numbers as they are, all else quoted with its type.
    fn constant(&self, value: &Value) -> SqlText {
        self.typed(value, value.logical_type().unwrap_or(LogicalType::Text))
    }

    fn locale(&self) -> Locale {
        Locale {
            enums: self.catalog.and_then(|catalog| catalog.enums().cloned()),
            ..DEFAULT_LOCALE.clone()
        }
    }

    fn typed(&self, value: &Value, ty: LogicalType) -> SqlText {
        let text = format_value(value, &self.locale());
        if self.catalog.is_some()
            && let Some(number) = self.number(value, &text)
        {
            return number;
        }
        let is_finite = match value {
            Value::Null => return sql!["NULL"],
            Value::Boolean(truth) => return if *truth { sql!["true"] } else { sql!["false"] },
            Value::Int4(_) | Value::Int8(_) => true,
            Value::Float8(number) => number.is_finite(),
            Value::Numeric(number) => number.is_finite(),
            _ => false,
        };
        match is_finite {
            true => SqlText::number(text),
            false => sql![
                SqlText::literal(&text),
                "::",
                self.type_name(ty, TypeMod::NONE)
            ],
        }
    }

    /// A value that stands alone in a definition, as PostgreSQL writes it: with its type where it
    /// would be read as one of another.
    pub fn value(&self, value: &Value, ty: LogicalType) -> SqlText {
        match self.bare(value) {
            _ if value.is_null() => self.literal(value, ty),
            (shown, true) => shown,
            (shown, false) => sql![shown, "::", self.type_name(ty, TypeMod::NONE)],
        }
    }

    /// A value without its type, and whether it is read as one of it.
    fn bare(&self, value: &Value) -> (SqlText, bool) {
        let text = format_value(value, &self.locale());
        match value {
            Value::Int4(0..) => (SqlText::number(text), true),
            Value::Numeric(number)
                if number.is_finite() && text.contains('.') && !text.starts_with('-') =>
            {
                (SqlText::number(text), true)
            }
            Value::Boolean(truth) => match truth {
                true => (sql!["true"], true),
                false => (sql!["false"], true),
            },
            _ => (SqlText::literal(&text), false),
        }
    }

    /// A number as PostgreSQL writes it in definitions: with the type of a literal that is as it
    /// is, whatever type it was taken for, and below zero so that it stays a constant.
    fn number(&self, value: &Value, text: &str) -> Option<SqlText> {
        let is_finite = match value {
            Value::Int2(_) | Value::Int4(_) | Value::Int8(_) => true,
            Value::Float4(number) => number.is_finite(),
            Value::Float8(number) => number.is_finite(),
            Value::Numeric(number) => number.is_finite(),
            _ => return None,
        };
        (is_finite && !text.contains('e')).then(|| self.number_text(text))
    }

    /// The same of the text of a finite number.
    fn number_text(&self, text: &str) -> SqlText {
        let ty = match (text.parse::<i32>(), text.parse::<i64>()) {
            (Ok(_), _) => "integer",
            (_, Ok(_)) => "bigint",
            _ => "numeric",
        };
        match ty {
            "integer" | "numeric" if !text.starts_with('-') => SqlText::number(text),
            ty => sql![SqlText::literal(text), "::", ty],
        }
    }
}

/// The word of what is called without a name of a function.
fn word_of_grammar(name: &str) -> Option<&'static str> {
    const WORDS: [(&str, &str); 10] = [
        ("current_schema", "CURRENT_SCHEMA"),
        ("current_timestamp", "CURRENT_TIMESTAMP"),
        ("current_date", "CURRENT_DATE"),
        ("current_time", "CURRENT_TIME"),
        ("localtimestamp", "LOCALTIMESTAMP"),
        ("localtime", "LOCALTIME"),
        ("current_user", "CURRENT_USER"),
        ("session_user", "SESSION_USER"),
        ("current_role", "CURRENT_ROLE"),
        ("current_catalog", "CURRENT_CATALOG"),
    ];
    let mut words = WORDS.iter();
    words
        .find(|(known, _)| *known == name)
        .map(|(_, word)| *word)
}
