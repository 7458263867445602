//! Calls of functions: those that mean the same, and those that have another name here.

use sqlparser::ast::{
    CeilFloorKind, DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr,
    FunctionArgumentClause, FunctionArgumentList, FunctionArguments, TrimWhereField, WindowFrame,
    WindowFrameBound, WindowFrameUnits, WindowSpec, WindowType,
};
use varve_types::{SqlText, sql};

use crate::Dialect;
use crate::expression::literal::arguments;
use crate::expression::operator::Level;
use crate::names;
use crate::scope::Writer;
use crate::script::{Fault, Result};

/// Functions that have the same name and meaning in all three.
const SAME: &[&str] = &[
    "abs",
    "avg",
    "ceil",
    "ceiling",
    "char_length",
    "character_length",
    "coalesce",
    "count",
    "concat_ws",
    "cos",
    "cume_dist",
    "dense_rank",
    "exp",
    "first_value",
    "floor",
    "lag",
    "last_value",
    "lead",
    "left",
    "ln",
    "lower",
    "lpad",
    "ltrim",
    "mod",
    "nth_value",
    "ntile",
    "nullif",
    "octet_length",
    "percent_rank",
    "pi",
    "power",
    "rank",
    "repeat",
    "replace",
    "reverse",
    "right",
    "row_number",
    "rpad",
    "rtrim",
    "sign",
    "sin",
    "sqrt",
    "substr",
    "substring",
    "sum",
    "tan",
    "trim",
    "upper",
];

impl Writer<'_> {
    pub(crate) fn call(&mut self, call: &Function) -> Result<SqlText> {
        if let Some(moment) = self.moment(call) {
            return Ok(moment);
        }
        let name = names::last(&call.name)?;
        let lower = name.value.to_ascii_lowercase();
        let refused = || {
            let message = format!("the function {lower}, which has no counterpart");
            Err(Fault::new(names::line(name), message))
        };
        let FunctionArguments::List(list) = &call.args else {
            return refused();
        };
        // MySQL: the value that was to be inserted.
        if lower == "values"
            && let Some([Expr::Identifier(column)]) = arguments(call).as_deref()
        {
            return Ok(sql!["excluded.", self.name(column)]);
        }
        if call.uses_odbc_syntax || !call.within_group.is_empty() || call.null_treatment.is_some() {
            return refused();
        }
        let is_star = matches!(
            list.args.as_slice(),
            [FunctionArg::Unnamed(FunctionArgExpr::Wildcard)]
        );
        let arguments = match is_star {
            true => vec![sql!["*"]],
            false => self.arguments(list)?,
        };
        let distinct = match list.duplicate_treatment {
            Some(DuplicateTreatment::Distinct) => "DISTINCT ",
            _ => "",
        };
        let made = match lower.as_str() {
            "group_concat" => Some(self.group_concat(list, &arguments)?),
            _ if !list.clauses.is_empty() => None,
            _ => self.named(&lower, distinct, &arguments),
        };
        let Some(mut text) = made else {
            return refused();
        };
        if let Some(filter) = &call.filter {
            text.push(sql![" FILTER (WHERE ", self.expr(filter)?, ")"]);
        }
        if let Some(over) = &call.over {
            text.push(sql![" OVER ", self.window(over)?]);
        }
        Ok(text)
    }

    fn arguments(&mut self, list: &FunctionArgumentList) -> Result<Vec<SqlText>> {
        let texts = list.args.iter().map(|argument| match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => self.expr(expr),
            _ => Err(Fault::new(0, "an argument that has no counterpart")),
        });
        texts.collect()
    }

    fn named(&self, name: &str, distinct: &'static str, args: &[SqlText]) -> Option<SqlText> {
        let is_mysql = self.dialect == Dialect::MySql;
        let all = SqlText::joined(args, ", ");
        let part = |part: &'static str, of: &SqlText| {
            Some(sql!["extract(", part, " FROM ", of, ")::integer"])
        };
        match (name, args) {
            ("min", [_]) => Some(sql!["min(", distinct, all, ")"]),
            ("max", [_]) => Some(sql!["max(", distinct, all, ")"]),
            ("round", [of, digits]) => Some(sql!["round((", of, ")::numeric, ", digits, ")"]),
            ("round", [_]) => Some(sql!["round(", all, ")"]),
            ("length", [_]) if is_mysql => Some(sql!["octet_length(", all, ")"]),
            ("length", [_]) => Some(sql!["length(", all, ")"]),
            ("ifnull", [..]) => Some(sql!["coalesce(", all, ")"]),
            ("iif" | "if", [condition, yes, no]) => {
                let text = sql!["CASE WHEN ", condition, " THEN ", yes, " ELSE ", no, " END"];
                Some(text)
            }
            ("total", [of]) => Some(sql!["coalesce(sum(", of, ")::double precision, 0)"]),
            ("instr", [text, part]) => Some(sql!["strpos(", text, ", ", part, ")"]),
            ("pow", [_, _]) => Some(sql!["power(", all, ")"]),
            ("hex", [of]) => Some(sql!["upper(encode((", of, ")::bytea, 'hex'))"]),
            ("lcase", [_]) => Some(sql!["lower(", all, ")"]),
            ("ucase", [_]) => Some(sql!["upper(", all, ")"]),
            ("concat", [_, ..]) if is_mysql => {
                let texts: Vec<SqlText> = args.iter().map(|a| sql!["(", a, ")::text"]).collect();
                Some(sql!["(", SqlText::joined(&texts, " || "), ")"])
            }
            ("date", [of]) if is_mysql => Some(sql!["(", of, ")::date"]),
            ("year", [of]) if is_mysql => part("year", of),
            ("month", [of]) if is_mysql => part("month", of),
            ("day" | "dayofmonth", [of]) if is_mysql => part("day", of),
            ("hour", [of]) if is_mysql => part("hour", of),
            ("minute", [of]) if is_mysql => part("minute", of),
            ("json_valid", [of]) => Some(sql!["(", of, " IS JSON)"]),
            ("json_extract", [_, _]) => Some(sql!["json_extract(", all, ")"]),
            ("uuid", []) if is_mysql => Some(sql!["gen_random_uuid()"]),
            _ => {
                let same = SAME.iter().find(|same| **same == name)?;
                Some(sql![*same, "(", distinct, all, ")"])
            }
        }
    }

    fn group_concat(&mut self, list: &FunctionArgumentList, args: &[SqlText]) -> Result<SqlText> {
        let fault = || Fault::new(0, "a form of group_concat that has no counterpart");
        let (first, separator) = args.split_first().ok_or_else(fault)?;
        let mut separator = separator.first().cloned().unwrap_or(SqlText::literal(","));
        let mut order = SqlText::default();
        for clause in &list.clauses {
            match clause {
                FunctionArgumentClause::OrderBy(items) => {
                    order = sql![" ORDER BY ", self.order_items(items)?];
                }
                FunctionArgumentClause::Separator(value) => {
                    separator = self.expr(&Expr::Value(value.clone()))?;
                }
                _ => return Err(fault()),
            }
        }
        let distinct = match list.duplicate_treatment {
            Some(DuplicateTreatment::Distinct) => "DISTINCT ",
            _ => "",
        };
        let value = sql![distinct, "(", first, ")::text"];
        Ok(sql!["string_agg(", value, ", ", separator, order, ")"])
    }

    fn window(&mut self, window: &WindowType) -> Result<SqlText> {
        match window {
            WindowType::NamedWindow(name) => Ok(self.give(name)),
            WindowType::WindowSpec(spec) => self.window_spec(spec),
        }
    }

    pub(crate) fn window_spec(&mut self, spec: &WindowSpec) -> Result<SqlText> {
        let mut parts = Vec::new();
        if let Some(name) = &spec.window_name {
            parts.push(self.give(name));
        }
        if !spec.partition_by.is_empty() {
            parts.push(sql!["PARTITION BY ", self.exprs(&spec.partition_by)?]);
        }
        if !spec.order_by.is_empty() {
            parts.push(sql!["ORDER BY ", self.order_items(&spec.order_by)?]);
        }
        if let Some(frame) = &spec.window_frame {
            parts.push(self.frame(frame)?);
        }
        Ok(sql!["(", SqlText::joined(&parts, " "), ")"])
    }

    fn frame(&mut self, frame: &WindowFrame) -> Result<SqlText> {
        let units = match frame.units {
            WindowFrameUnits::Rows => "ROWS ",
            WindowFrameUnits::Range => "RANGE ",
            WindowFrameUnits::Groups => "GROUPS ",
        };
        let start = self.bound(&frame.start_bound)?;
        match &frame.end_bound {
            Some(end) => Ok(sql![units, "BETWEEN ", start, " AND ", self.bound(end)?]),
            None => Ok(sql![units, start]),
        }
    }

    fn bound(&mut self, bound: &WindowFrameBound) -> Result<SqlText> {
        Ok(match bound {
            WindowFrameBound::CurrentRow => sql!["CURRENT ROW"],
            WindowFrameBound::Preceding(None) => sql!["UNBOUNDED PRECEDING"],
            WindowFrameBound::Following(None) => sql!["UNBOUNDED FOLLOWING"],
            WindowFrameBound::Preceding(Some(n)) => sql![self.expr(n)?, " PRECEDING"],
            WindowFrameBound::Following(Some(n)) => sql![self.expr(n)?, " FOLLOWING"],
        })
    }

    /// Calls with a grammar of their own.
    pub(crate) fn special(&mut self, expr: &Expr) -> Result<SqlText> {
        match expr {
            Expr::Substring {
                expr,
                substring_from: Some(from),
                substring_for,
                ..
            } => {
                let mut text = sql!["substr(", self.expr(expr)?, ", ", self.expr(from)?];
                if let Some(length) = substring_for {
                    text.push(sql![", ", self.expr(length)?]);
                }
                text.push(")");
                Ok(text)
            }
            Expr::Trim {
                trim_where,
                trim_what,
                expr,
                trim_characters,
            } => {
                let side = match trim_where {
                    Some(TrimWhereField::Leading) => "ltrim(",
                    Some(TrimWhereField::Trailing) => "rtrim(",
                    Some(TrimWhereField::Both) | None => "btrim(",
                };
                let mut text = sql![side, self.expr(expr)?];
                if let Some(what) = trim_what {
                    text.push(sql![", ", self.expr(what)?]);
                }
                if let Some(characters) = trim_characters {
                    text.push(sql![", ", self.exprs(characters)?]);
                }
                text.push(")");
                Ok(text)
            }
            Expr::Ceil {
                expr,
                field: CeilFloorKind::DateTimeField(sqlparser::ast::DateTimeField::NoDateTime),
            } => Ok(sql!["ceil(", self.expr(expr)?, ")"]),
            Expr::Floor {
                expr,
                field: CeilFloorKind::DateTimeField(sqlparser::ast::DateTimeField::NoDateTime),
            } => Ok(sql!["floor(", self.expr(expr)?, ")"]),
            Expr::Position { expr, r#in } => {
                let text = self.operand(r#in, Level::Compare)?;
                Ok(sql!["strpos(", text, ", ", self.expr(expr)?, ")"])
            }
            _ => Err(Fault::new(0, "a call that has no counterpart")),
        }
    }
}
