//! Expressions of a wanted type.

use crate::ast::{Expr, Part, Query};
use crate::functions::{Arg, Function, null, word_text};
use crate::literals::{Taste, quoted, raw, typed};
use crate::types::Ty;

use super::{Generator, Scope};

/// Functions whose last digits are those of a library.
const LIBRARY: [&str; 31] = [
    "exp", "ln", "log", "log10", "power", "pow", "^", "sin", "cos", "tan", "cot", "asin", "acos",
    "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "sind", "cosd", "tand",
    "cotd", "asind", "acosd", "atand", "atan2d", "cbrt", "||/",
];

impl Generator<'_> {
    /// Any expression of a type.
    pub fn expr(&mut self, ty: Ty, depth: u32, scope: &Scope) -> Expr {
        if depth == 0 || !self.has_room() {
            return self.leaf(ty, scope);
        }
        match self.chance.below(100) {
            0..28 => self.leaf(ty, scope),
            28..34 => self.case(ty, depth, scope),
            34..42 => self.choice(ty, depth, scope),
            42..52 => self.cast(ty, depth, scope),
            52..56 if self.level < 2 => self.scalar_subquery(ty, scope),
            56..62 if matches!(ty, Ty::Int4s | Ty::Texts) => self.array(ty, depth, scope),
            56..60 if matches!(ty, Ty::Int4 | Ty::Text) => self.element(ty, depth, scope),
            _ if ty == Ty::Bool => self.condition(depth, scope),
            _ => self.call(ty, depth, scope),
        }
    }

    /// A column or a constant.
    pub fn leaf(&mut self, ty: Ty, scope: &Scope) -> Expr {
        if self.chance.percent(80) {
            let outer = !scope.outer.is_empty() && self.chance.percent(25);
            let rels = if outer { &scope.outer } else { &scope.rels };
            let exact = Scope::columns(rels, |of| of == ty);
            if !exact.is_empty() {
                if outer {
                    self.shape("outer column");
                }
                return self.chance.pick(&exact);
            }
            let near = Scope::columns(rels, |of| safe_cast(of, ty));
            if !near.is_empty() && self.chance.percent(60) {
                let column = self.chance.pick(&near);
                return cast_to(column, ty.name(), ty);
            }
        }
        self.constant(ty)
    }

    pub fn constant(&mut self, ty: Ty) -> Expr {
        if self.chance.one_in(15) {
            return Expr::leaf(ty, null(ty));
        }
        let taste = if self.is_risky {
            Taste::Wild
        } else {
            Taste::Mild
        };
        let value = raw(ty, taste, &mut self.chance);
        Expr::leaf(ty, typed(ty, &value))
    }

    /// A function or operator.
    fn call(&mut self, ty: Ty, depth: u32, scope: &Scope) -> Expr {
        let functions = self.functions;
        let fits =
            |function: &&Function| function.result == ty && (self.is_risky || !function.is_risky);
        let found: Vec<_> = functions.functions.iter().filter(fits).collect();
        if found.is_empty() {
            return self.leaf(ty, scope);
        }
        let function = self.chance.pick(&found);
        self.function(function, depth, scope)
    }

    /// A call of a function.
    pub(super) fn function(&mut self, function: &Function, depth: u32, scope: &Scope) -> Expr {
        self.shape("function");
        let is_float = |arg: &Arg| matches!(arg, Arg::Of(ty) if ty.is_float());
        if LIBRARY.contains(&function.name) && function.args.iter().any(is_float) {
            self.tolerance.digits = true;
        }
        let args = function.args.iter().map(|arg| match *arg {
            Arg::Of(ty) => self.expr(ty, depth - 1, scope),
            Arg::Word(ty, values) => {
                // Now and then what makes no sense there.
                if self.is_risky && self.chance.one_in(8) {
                    return self.expr(ty, depth - 1, scope);
                }
                Expr::leaf(ty, word_text(ty, values, &mut self.chance))
            }
        });
        let args = args.collect();
        Expr::call(function.result, function.name, args)
    }

    fn case(&mut self, ty: Ty, depth: u32, scope: &Scope) -> Expr {
        self.shape("CASE");
        let mut template = String::from("CASE");
        let mut holes = Vec::new();
        let simple = self.chance.one_in(4);
        let of = self.comparable(scope);
        if simple {
            template.push_str(" {}");
            holes.push(Part::Expr(self.expr(of, depth - 1, scope)));
        }
        for _ in 0..1 + self.chance.index(2) {
            let when = if simple {
                self.expr(of, depth - 1, scope)
            } else {
                self.condition(depth - 1, scope)
            };
            let then = self.expr(ty, depth - 1, scope);
            template.push_str(" WHEN {} THEN {}");
            holes.extend([Part::Expr(when), Part::Expr(then)]);
        }
        if self.chance.percent(70) {
            template.push_str(" ELSE {}");
            holes.push(Part::Expr(self.expr(ty, depth - 1, scope)));
        }
        template.push_str(" END");
        Expr::form(ty, &template, holes)
    }

    /// COALESCE and its like.
    fn choice(&mut self, ty: Ty, depth: u32, scope: &Scope) -> Expr {
        let names: &[&str] = if ty.is_comparable() {
            &["coalesce", "nullif", "greatest", "least"]
        } else {
            &["coalesce"]
        };
        let name = self.chance.pick(names);
        self.shape(match name {
            "coalesce" => "COALESCE",
            "nullif" => "NULLIF",
            _ => "GREATEST, LEAST",
        });
        if matches!(name, "greatest" | "least") && !ty.is_exact() {
            self.tolerance.looks = true;
        }
        let count = if name == "nullif" {
            2
        } else {
            1 + self.chance.index(3)
        };
        let args = (0..count).map(|_| self.expr(ty, depth - 1, scope));
        let args = args.collect();
        Expr::call(ty, name, args)
    }

    fn cast(&mut self, ty: Ty, depth: u32, scope: &Scope) -> Expr {
        self.shape("cast");
        let all: Vec<Ty> = Ty::all()
            .filter(|from| safe_cast(*from, ty) || (self.is_risky && risky_cast(*from, ty)))
            .collect();
        if all.is_empty() {
            return self.leaf(ty, scope);
        }
        let from = self.chance.pick(&all);
        let inner = self.expr(from, depth - 1, scope);
        let target = match ty {
            Ty::Varchar if self.chance.percent(50) => "varchar(3)",
            Ty::Bpchar if self.chance.percent(50) => "char(4)",
            Ty::Numeric if self.is_risky && self.chance.percent(30) => "numeric(6,2)",
            Ty::Timestamp if self.chance.one_in(4) => "timestamp(0)",
            Ty::Time if self.chance.one_in(4) => "time(1)",
            _ => ty.name(),
        };
        if self.chance.one_in(3) {
            let template = format!("CAST({{}} AS {target})");
            return Expr::form(ty, &template, vec![Part::Expr(inner)]);
        }
        cast_to(inner, target, ty)
    }

    fn array(&mut self, ty: Ty, depth: u32, scope: &Scope) -> Expr {
        self.shape("ARRAY[]");
        let of = if ty == Ty::Int4s { Ty::Int4 } else { Ty::Text };
        let items = (0..1 + self.chance.index(3)).map(|_| self.expr(of, depth - 1, scope));
        let items: Vec<Part> = items.map(Part::Expr).collect();
        let template = format!("ARRAY[{}]", vec!["{}"; items.len()].join(", "));
        Expr::form(ty, &template, items)
    }

    fn element(&mut self, ty: Ty, depth: u32, scope: &Scope) -> Expr {
        self.shape("subscript");
        let of = if ty == Ty::Int4 { Ty::Int4s } else { Ty::Texts };
        let array = self.expr(of, depth - 1, scope);
        let index = self.expr(Ty::Int4, depth - 1, scope);
        Expr::form(ty, "({})[{}]", vec![Part::Expr(array), Part::Expr(index)])
    }

    /// A query that gives one row with one column, or none.
    pub(super) fn scalar_subquery(&mut self, ty: Ty, scope: &Scope) -> Expr {
        self.shape("scalar subquery");
        let query = self.single_row_query(ty, &scope.inside());
        Expr::form(ty, "({})", vec![Part::Query(Box::new(query))])
    }

    fn single_row_query(&mut self, ty: Ty, scope: &Scope) -> Query {
        self.level += 1;
        let query = if self.chance.percent(70) {
            self.global_aggregate(&[ty], scope)
        } else {
            let (mut query, total) = self.query(&[ty], scope);
            if total && query.limit.is_none() && ty.is_exact() {
                query.limit = Some("LIMIT 1".to_owned());
                query
            } else {
                self.global_aggregate(&[ty], scope)
            }
        };
        self.level -= 1;
        query
    }

    /// A type whose values can be compared, better one that there are columns of.
    pub(super) fn comparable(&mut self, scope: &Scope) -> Ty {
        let columns = Scope::columns(&scope.rels, Ty::is_comparable);
        if !columns.is_empty() && self.chance.percent(80) {
            return self.chance.pick(&columns).ty;
        }
        loop {
            let ty = self.ty();
            if ty.is_comparable() {
                return ty;
            }
        }
    }

    /// A pattern for LIKE.
    pub(super) fn like_pattern(&mut self) -> Expr {
        let patterns = [
            "a%", "%b", "%", "_", "a_%", "%a%", "", "ab", "h%o", "%\\%", "_b%",
        ];
        Expr::leaf(Ty::Text, quoted(self.chance.pick(&patterns)))
    }
}

pub(super) fn cast_to(inner: Expr, target: &str, ty: Ty) -> Expr {
    Expr::form(ty, &format!("({{}})::{target}"), vec![Part::Expr(inner)])
}

/// Casts that do not fail.
fn safe_cast(from: Ty, to: Ty) -> bool {
    use Ty::{
        Bool, Bpchar, Date, Float4, Float8, Int2, Int4, Int8, Interval, Json, Jsonb, Numeric, Text,
        Time, Timestamp, Timestamptz, Varchar,
    };
    matches!(
        (from, to),
        (Int2, Int4 | Int8 | Numeric | Float4 | Float8)
            | (Int4, Int8 | Numeric | Float4 | Float8 | Bool)
            | (Int8, Numeric | Float4 | Float8)
            | (Float4, Float8)
            | (Bool, Int4)
            | (Text | Varchar | Bpchar, Text | Varchar | Bpchar)
            | (Date, Timestamp | Timestamptz)
            | (Timestamp, Timestamptz | Date | Time)
            | (Timestamptz, Timestamp | Date | Time)
            | (Time, Interval)
            | (Interval, Time)
            | (Json, Jsonb)
            | (Jsonb, Json)
    ) || (matches!(to, Text | Varchar) && from != to)
}

/// Those that do for some values.
fn risky_cast(from: Ty, to: Ty) -> bool {
    from != to
        && ((from.is_number() && to.is_number())
            || from == Ty::Text
            || (from == Ty::Jsonb && (to.is_number() || to == Ty::Bool)))
}
