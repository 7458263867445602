//! Tables with rows: the statements that make them, and what is in them then.

use crate::chance::Chance;
use crate::literals::{Taste, in_row, raw};
use crate::types::{Ty, declared};

/// Rows of one INSERT.
const INSERT_ROWS_MAX: usize = 500;

/// A value of a row as its type writes it; `None` is NULL.
pub type Cell = Option<String>;

#[derive(Clone, Debug)]
pub struct Column {
    pub name: String,
    pub ty: Ty,
    pub declared: &'static str,
}

#[derive(Clone, Debug)]
pub struct Table {
    pub name: String,
    /// The first is the row's number: unique, never NULL, an integer.
    pub columns: Vec<Column>,
    pub has_primary_key: bool,
    pub kind: Kind,
    /// The rows that are left at the end.
    pub rows: Vec<Vec<Cell>>,
}

/// What holds the rows of a table, where plans are to differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Plain,
    /// Partitions by the hash of the number, or by its range.
    Hash,
    Range,
    /// Every second row is in a table that inherits.
    Parent,
    View,
}

impl Kind {
    /// What a statement has that reads it.
    pub fn shape(self) -> Option<&'static str> {
        match self {
            Kind::Plain => None,
            Kind::Hash | Kind::Range => Some("partitioned table"),
            Kind::Parent => Some("inherited table"),
            Kind::View => Some("view"),
        }
    }

    /// What follows CREATE TABLE, and the tables below.
    fn below(self, name: &str) -> (&'static str, Vec<String>) {
        let part = |number: u32, bounds: &str| {
            format!("CREATE TABLE {name}_{number} PARTITION OF {name} {bounds}")
        };
        match self {
            Kind::Plain | Kind::View => ("", Vec::new()),
            Kind::Hash => (
                " PARTITION BY HASH (id)",
                vec![
                    part(0, "FOR VALUES WITH (MODULUS 2, REMAINDER 0)"),
                    part(1, "FOR VALUES WITH (MODULUS 2, REMAINDER 1)"),
                ],
            ),
            Kind::Range => (
                " PARTITION BY RANGE (id)",
                vec![
                    part(0, "FOR VALUES FROM (MINVALUE) TO (8)"),
                    part(1, "DEFAULT"),
                ],
            ),
            Kind::Parent => (
                "",
                vec![format!("CREATE TABLE {name}_0 () INHERITS ({name})")],
            ),
        }
    }
}

/// A step of the script that makes a world.
#[derive(Clone, Debug)]
pub enum Step {
    /// CREATE TABLE of the table of this index.
    Create(usize),
    /// CREATE INDEX.
    Index(String),
    /// CREATE VIEW.
    View(String),
    /// INSERT into the table of this index.
    Insert(usize, Vec<Vec<Cell>>),
    /// UPDATE, DELETE.
    Change(String),
    /// What moves rows to another place: CHECKPOINT, VACUUM.
    Move(&'static str),
}

/// Who runs a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// With all that changes plans.
    Full,
    /// Without keys and indexes, all in memory, rows in another order.
    Plain,
    /// As another engine understands it.
    Peer,
}

/// Tables and how they are made.
#[derive(Clone, Debug)]
pub struct World {
    pub tables: Vec<Table>,
    pub script: Vec<Step>,
}

impl World {
    pub fn new(seed: u64) -> World {
        let mut chance = Chance::new(seed);
        let tables = 2 + chance.index(3);
        let has_large = chance.one_in(16);
        let mut world = World {
            tables: Vec::new(),
            script: Vec::new(),
        };
        for index in 0..tables {
            let rows = if has_large && index == 0 {
                chance.pick(&[1024, 1500, 2300, 3100])
            } else {
                chance.pick(&[0, 1, 3, 8, 12, 20, 30, 60])
            };
            add_table(&mut world, &mut chance, rows);
        }
        // Of their own, so that the rows of a seed stay what they were.
        let mut chance = Chance::of_case(seed, u64::MAX);
        let kinds = [
            (60, Kind::Plain),
            (10, Kind::Hash),
            (10, Kind::Range),
            (10, Kind::Parent),
        ];
        for table in &mut world.tables {
            table.kind = chance.weighted(&kinds);
        }
        if chance.one_in(3) {
            add_view(&mut world, &mut chance);
        }
        world
    }

    /// The statements of the script.
    pub fn statements(&self, flavour: Flavour) -> Vec<String> {
        let texts = self.script.iter().flat_map(|step| match step {
            Step::Create(table) => self.create(*table, flavour),
            Step::View(text) => vec![text.clone()],
            Step::Index(_) if flavour == Flavour::Plain => Vec::new(),
            Step::Move(_) if flavour != Flavour::Full => Vec::new(),
            Step::Index(text) | Step::Change(text) => vec![text.clone()],
            Step::Move(text) => vec![(*text).to_owned()],
            Step::Insert(table, rows) if flavour == Flavour::Plain => {
                let rows: Vec<_> = rows.iter().rev().cloned().collect();
                self.inserts(*table, "", &rows)
            }
            Step::Insert(table, rows) if self.tables[*table].kind == Kind::Parent => {
                let is_even = |row: &Vec<Cell>| number(row) % 2 == 0;
                let (below, own): (Vec<_>, Vec<_>) = rows.iter().cloned().partition(is_even);
                let mut inserts = self.inserts(*table, "", &own);
                inserts.extend(self.inserts(*table, "_0", &below));
                inserts
            }
            Step::Insert(table, rows) => self.inserts(*table, "", rows),
        });
        texts.collect()
    }

    fn create(&self, table: usize, flavour: Flavour) -> Vec<String> {
        let table = &self.tables[table];
        let columns = table.columns.iter();
        let columns: Vec<String> = columns
            .map(|column| format!("{} {}", column.name, column.declared))
            .collect();
        let key = if table.has_primary_key && flavour != Flavour::Plain {
            ", PRIMARY KEY (id)"
        } else {
            ""
        };
        let (name, columns) = (&table.name, columns.join(", "));
        let (by, below) = match flavour {
            Flavour::Plain => ("", Vec::new()),
            _ => table.kind.below(name),
        };
        let mut statements = vec![format!("CREATE TABLE {name} ({columns}{key}){by}")];
        statements.extend(below);
        statements
    }

    /// INSERTs into a table, or the one below it of this ending.
    fn inserts(&self, table: usize, ending: &str, rows: &[Vec<Cell>]) -> Vec<String> {
        let table = &self.tables[table];
        let chunks = rows.chunks(INSERT_ROWS_MAX).map(|rows| {
            let rows: Vec<String> = rows.iter().map(|row| row_text(table, row)).collect();
            format!(
                "INSERT INTO {}{ending} VALUES {}",
                table.name,
                rows.join(", ")
            )
        });
        chunks.collect()
    }
}

fn row_text(table: &Table, row: &[Cell]) -> String {
    let cells = table.columns.iter().zip(row);
    let cells: Vec<String> = cells
        .map(|(column, cell)| in_row(column.ty, cell.as_deref()))
        .collect();
    format!("({})", cells.join(", "))
}

/// How the values of a column are made.
struct Maker {
    ty: Ty,
    null_percent: u64,
    /// The values, where there are few.
    pool: Vec<String>,
    /// Grows with the rows, so that zone maps tell something.
    grows: bool,
}

impl Maker {
    fn new(column: &Column, chance: &mut Chance) -> Maker {
        let ty = column.ty;
        let taste = if chance.one_in(6) && !column.declared.starts_with("numeric(") {
            Taste::Wild
        } else {
            Taste::Mild
        };
        let pool = if chance.percent(60) {
            2 + chance.index(6)
        } else {
            0
        };
        Maker {
            ty,
            null_percent: chance.pick(&[0, 0, 5, 20, 60]),
            pool: (0..pool).map(|_| raw(ty, taste, chance)).collect(),
            grows: chance.one_in(3) && (ty.is_integer() || ty == Ty::Numeric || ty == Ty::Float8),
        }
    }

    fn cell(&self, row: usize, chance: &mut Chance) -> Cell {
        if chance.percent(self.null_percent) {
            return None;
        }
        if self.grows {
            return Some((row / 7 + chance.index(3)).to_string());
        }
        if self.pool.is_empty() {
            return Some(raw(self.ty, Taste::Mild, chance));
        }
        Some(chance.pick(&self.pool))
    }
}

fn add_table(world: &mut World, chance: &mut Chance, rows: usize) {
    let index = world.tables.len();
    let types: Vec<Ty> = Ty::all().collect();
    let common = [
        Ty::Int4,
        Ty::Int4,
        Ty::Int8,
        Ty::Text,
        Ty::Text,
        Ty::Numeric,
        Ty::Bool,
    ];
    let mut columns = vec![Column {
        name: "id".to_owned(),
        ty: chance.pick(&[Ty::Int4, Ty::Int4, Ty::Int8]),
        declared: "",
    }];
    columns[0].declared = columns[0].ty.name();
    let letter = letter(index);
    for number in 0..2 + chance.index(6) {
        let ty = if chance.percent(50) {
            chance.pick(&common)
        } else {
            chance.pick(&types)
        };
        columns.push(Column {
            name: format!("{letter}{number}"),
            ty,
            declared: declared(ty, chance.index(4)),
        });
    }
    let makers: Vec<Maker> = columns
        .iter()
        .map(|column| Maker::new(column, chance))
        .collect();
    let table = Table {
        name: format!("t{index}"),
        columns,
        has_primary_key: chance.percent(70),
        kind: Kind::Plain,
        rows: Vec::new(),
    };
    let mut made: Vec<Vec<Cell>> = (0..rows)
        .map(|row| {
            let cells = makers.iter().map(|maker| maker.cell(row, chance));
            let mut cells: Vec<Cell> = cells.collect();
            cells[0] = Some((row + 1).to_string());
            cells
        })
        .collect();
    world.tables.push(table);
    script(world, chance, &mut made, &makers);
    world.tables[index].rows = made;
}

/// What the names of a table's columns begin with.
fn letter(table: usize) -> char {
    char::from(b'a' + u8::try_from(table % 26).unwrap_or(0))
}

/// A view of some rows of a table, whose columns have names of their own.
fn add_view(world: &mut World, chance: &mut Chance) {
    let index = world.tables.len();
    let mut view = chance.pick(&world.tables);
    let of = std::mem::replace(&mut view.name, format!("t{index}"));
    for column in view.columns.iter_mut().skip(1) {
        column.name.replace_range(..1, &letter(index).to_string());
    }
    let names: Vec<&str> = view
        .columns
        .iter()
        .map(|column| column.name.as_str())
        .collect();
    let rest = chance.between(0, 2);
    view.rows.retain(|row| number(row) % 3 != rest);
    view.kind = Kind::View;
    world.script.push(Step::View(format!(
        "CREATE VIEW {} ({}) AS SELECT * FROM {of} WHERE id % 3 <> {rest}",
        view.name,
        names.join(", ")
    )));
    world.tables.push(view);
}

/// The long way to the rows of the last table; changes them as it goes.
fn script(world: &mut World, chance: &mut Chance, rows: &mut Vec<Vec<Cell>>, makers: &[Maker]) {
    let index = world.tables.len() - 1;
    let table = world.tables[index].clone();
    let name = &table.name;
    let mut steps = vec![Step::Create(index)];
    let mut indexes: Vec<String> = (0..chance.index(4))
        .filter_map(|number| index_statement(&table, number, chance))
        .collect();
    let late = indexes.split_off(chance.index(indexes.len() + 1));
    steps.extend(indexes.into_iter().map(Step::Index));
    let parts = 1 + chance.index(3);
    let first = rows.len() / parts.max(1);
    let mut from = 0;
    for part in 0..parts {
        let to = if part + 1 == parts {
            rows.len()
        } else {
            from + first
        };
        if to > from {
            let inserted = rows[from..to].to_vec();
            steps.push(Step::Insert(index, inserted));
        }
        from = to;
        if chance.percent(40) {
            steps.push(Step::Move("CHECKPOINT"));
        }
    }
    if chance.percent(40) {
        let modulus = chance.between(2, 9);
        let rest = chance.between(0, modulus - 1);
        steps.push(Step::Change(format!(
            "DELETE FROM {name} WHERE id % {modulus} = {rest}"
        )));
        rows.retain(|row| number(row) % modulus != rest);
        if chance.one_in(3) {
            steps.push(Step::Move("CHECKPOINT"));
        }
    }
    if chance.percent(40) && table.columns.len() > 1 && !rows.is_empty() {
        for _ in 0..1 + chance.index(3) {
            update(&mut steps, &table, rows, makers, chance);
        }
    }
    steps.extend(late.into_iter().map(Step::Index));
    if chance.one_in(5) {
        steps.push(Step::Move("VACUUM"));
    }
    world.script.extend(steps);
}

fn number(row: &[Cell]) -> i64 {
    let id = row[0].as_ref().and_then(|id| id.parse().ok());
    id.unwrap_or(0)
}

/// One row, or all above a number, get a new value in one column.
fn update(
    steps: &mut Vec<Step>,
    table: &Table,
    rows: &mut [Vec<Cell>],
    makers: &[Maker],
    chance: &mut Chance,
) {
    let column = 1 + chance.index(table.columns.len() - 1);
    let at = chance.index(rows.len());
    let cell = makers[column].cell(at, chance);
    let id = number(&rows[at]);
    let op = chance.pick(&["=", "=", ">"]);
    let value = in_row(table.columns[column].ty, cell.as_deref());
    let (name, changed) = (&table.name, &table.columns[column].name);
    steps.push(Step::Change(format!(
        "UPDATE {name} SET {changed} = {value} WHERE id {op} {id}"
    )));
    for row in rows {
        if (op == "=" && number(row) == id) || (op == ">" && number(row) > id) {
            row[column] = cell.clone();
        }
    }
}

fn index_statement(table: &Table, number: usize, chance: &mut Chance) -> Option<String> {
    let mut keys: Vec<&Column> = table
        .columns
        .iter()
        .filter(|column| column.ty.is_comparable())
        .collect();
    chance.shuffle(&mut keys);
    keys.truncate(1 + chance.index(2));
    let mut parts: Vec<String> = Vec::new();
    for key in &keys {
        let name = &key.name;
        let text = match key.ty {
            Ty::Text | Ty::Varchar if chance.one_in(4) => format!("lower({name})"),
            Ty::Int4 if chance.one_in(6) => format!("({name} % 3)"),
            _ => name.clone(),
        };
        let direction = chance.pick(&["", "", " DESC", " NULLS FIRST", " DESC NULLS LAST"]);
        parts.push(format!("{text}{direction}"));
    }
    let mut text = format!(
        "CREATE INDEX i{number}_{0} ON {0} ({1})",
        table.name,
        parts.join(", ")
    );
    if chance.one_in(4) {
        let include = chance.pick(&table.columns);
        text.push_str(&format!(" INCLUDE ({})", include.name));
    }
    if chance.one_in(5) {
        let column = table.columns.iter().find(|column| column.ty == Ty::Int4)?;
        let condition = chance.pick(&["> 3", "= 1", "IS NOT NULL", "IS NULL"]);
        text.push_str(&format!(" WHERE {} {condition}", column.name));
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::{Flavour, World};

    #[test]
    fn a_seed_is_one_world() {
        for seed in 0..20 {
            let (a, b) = (World::new(seed), World::new(seed));
            assert_eq!(a.statements(Flavour::Full), b.statements(Flavour::Full));
        }
    }
}
