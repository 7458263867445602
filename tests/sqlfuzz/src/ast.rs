//! Random queries as trees: what can be written and made smaller.

use crate::types::Ty;

/// An expression: text with expressions and queries in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    pub ty: Ty,
    pub parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    Text(String),
    Expr(Expr),
    Query(Box<Query>),
}

impl Expr {
    /// One without parts: a column, a constant.
    pub fn leaf(ty: Ty, text: impl Into<String>) -> Expr {
        Expr {
            ty,
            parts: vec![Part::Text(text.into())],
        }
    }

    /// A template with `{}` for each part.
    pub fn form(ty: Ty, template: &str, holes: Vec<Part>) -> Expr {
        let mut parts = Vec::new();
        let mut holes = holes.into_iter();
        for (index, text) in template.split("{}").enumerate() {
            if index > 0 {
                parts.extend(holes.next());
            }
            if !text.is_empty() {
                parts.push(Part::Text(text.to_owned()));
            }
        }
        Expr { ty, parts }
    }

    /// `name(a, b)`, or an operator between or before its arguments.
    pub fn call(ty: Ty, name: &str, args: Vec<Expr>) -> Expr {
        let is_word = name.starts_with(|first: char| first.is_ascii_alphabetic());
        let template = match args.len() {
            1 if !is_word => format!("({name} {{}})"),
            2 if !is_word => format!("({{}} {name} {{}})"),
            len => format!("{name}({})", vec!["{}"; len].join(", ")),
        };
        Expr::form(ty, &template, args.into_iter().map(Part::Expr).collect())
    }

    /// Whether it is nothing but text.
    pub fn is_leaf(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, Part::Text(_)))
    }
}

/// A query with what stands around it.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    pub recursive: bool,
    pub with: Vec<With>,
    pub body: Body,
    /// Expressions or positions, with `DESC` and the like.
    pub order: Vec<(Expr, &'static str)>,
    pub limit: Option<String>,
}

/// A named query.
#[derive(Clone, Debug, PartialEq)]
pub struct With {
    pub name: String,
    pub columns: Vec<String>,
    pub hint: &'static str,
    pub query: Query,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    Select(Box<Select>),
    /// `UNION ALL` and the like.
    Set(&'static str, Box<Query>, Box<Query>),
    Values(Vec<Vec<Expr>>),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Select {
    pub distinct: Distinct,
    /// Expressions with their names.
    pub items: Vec<(Expr, String)>,
    pub from: Vec<From>,
    pub filter: Option<Expr>,
    pub group: Vec<Group>,
    pub having: Option<Expr>,
    /// `WINDOW name AS (...)`
    pub windows: Vec<(String, Expr)>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub enum Distinct {
    #[default]
    All,
    Rows,
    On(Vec<Expr>),
}

/// An element of GROUP BY.
#[derive(Clone, Debug, PartialEq)]
pub enum Group {
    One(Expr),
    /// `ROLLUP (...)`, `CUBE (...)`.
    Many(&'static str, Vec<Expr>),
    Sets(Vec<Vec<Expr>>),
}

#[derive(Clone, Debug, PartialEq)]
pub enum From {
    Table {
        name: String,
        alias: String,
    },
    Query {
        lateral: bool,
        query: Box<Query>,
        alias: String,
        columns: Vec<String>,
    },
    Function {
        call: Expr,
        alias: String,
        /// Columns, `WITH ORDINALITY` where there are two.
        columns: Vec<String>,
    },
    Join {
        /// `LEFT JOIN` and the like.
        kind: &'static str,
        on: On,
        left: Box<From>,
        right: Box<From>,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub enum On {
    /// A cross or natural join.
    None,
    Condition(Expr),
    Using(Vec<String>),
}

impl Query {
    pub fn of(body: Body) -> Query {
        Query {
            recursive: false,
            with: Vec::new(),
            body,
            order: Vec::new(),
            limit: None,
        }
    }

    pub fn select(select: Select) -> Query {
        Query::of(Body::Select(Box::new(select)))
    }

    /// The SELECT, where it is one.
    pub fn as_select(&self) -> Option<&Select> {
        match &self.body {
            Body::Select(select) => Some(select),
            _ => None,
        }
    }

    pub fn as_select_mut(&mut self) -> Option<&mut Select> {
        match &mut self.body {
            Body::Select(select) => Some(select),
            _ => None,
        }
    }
}
