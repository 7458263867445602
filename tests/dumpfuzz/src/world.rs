//! Random objects of every kind, as statements that make them.

use varve_kv::fault::SplitMix64;

/// What names and texts are put together of.
const PARTS: [&str; 34] = [
    "a",
    "B",
    "\"",
    "'",
    "\\",
    "\n",
    "\r",
    "\t",
    "\n\\! touch /tmp/dumped\n",
    "\\.\n",
    "$$",
    "$a$",
    "$function$",
    "--",
    "/*",
    "*/",
    ";",
    "é",
    "漢字",
    ":x",
    ":'x'",
    "%s",
    ".",
    "select",
    "order",
    " ",
    "\u{1}",
    "€",
    "{}",
    "E'",
    "begin",
    "\\q",
    "(",
    "\u{301}",
];

/// Longest name in bytes.
const NAME_BYTES_MAX: usize = 63;

/// Objects of one database.
pub struct World {
    chance: SplitMix64,
    count: usize,
    /// What can get another name: how ALTER names it, and the first part of its name.
    named: Vec<String>,
}

impl World {
    /// The objects that follow from a seed.
    pub fn new(seed: u64) -> World {
        World {
            chance: SplitMix64::new(seed),
            count: 0,
            named: Vec::new(),
        }
    }

    fn text(&mut self) -> String {
        let parts = 1 + self.chance.up_to(5);
        let mut text = String::new();
        for _ in 0..parts {
            let at = usize::try_from(self.chance.up_to(PARTS.len() as u64 - 1)).unwrap_or(0);
            text.push_str(PARTS[at]);
        }
        text
    }

    /// A new name of any characters, in quotes; some are as long as names can be.
    fn name(&mut self) -> String {
        self.count += 1;
        let mut name = match self.chance.up_to(5) {
            0 => format!("n{}", self.count),
            _ => format!("{}{}", self.text(), self.count),
        };
        if self.chance.up_to(15) == 0 {
            let text = self.text().repeat(9);
            name = format!("{}{text}", self.count);
        }
        // Names of 63 bytes are the longest.
        let cut = (0..=NAME_BYTES_MAX)
            .rev()
            .find(|at| name.is_char_boundary(*at));
        name.truncate(cut.unwrap_or(0));
        format!("\"{}\"", name.replace('"', "\"\""))
    }

    fn literal(&mut self) -> String {
        format!("'{}'", self.text().replace('\'', "''"))
    }

    /// The statements, in an order in which they can be run.
    pub fn statements(&mut self) -> Vec<String> {
        let schema = self.name();
        let mut all = vec![format!("CREATE SCHEMA {schema}")];
        let schema = match self.chance.up_to(2) {
            0 => "public".to_owned(),
            _ => schema,
        };
        let types = self.types(&schema, &mut all);
        let function = self.functions(&schema, &mut all);
        let table = self.tables(&schema, &types, &function, &mut all);
        self.users(&schema, (&table.0, &table.1), &types, &mut all);
        self.renames(&schema, &mut all);
        all
    }

    /// Texts that name all kinds of objects.
    fn users(
        &mut self,
        schema: &str,
        (table, [id, a, b]): (&str, &[String; 3]),
        [mood, label, ..]: &[String; 4],
        all: &mut Vec<String>,
    ) {
        let [called, argument, view, over, atomic, several, sequence] = [0; 7].map(|_| self.name());
        let text = self.literal();
        let called = format!("{schema}.{called}");
        let (view, over) = (format!("{schema}.{view}"), format!("{schema}.{over}"));
        let (atomic, several) = (format!("{schema}.{atomic}"), format!("{schema}.{several}"));
        let sequence = format!("{schema}.{sequence}");
        let regclass = sequence.replace('\'', "''");
        all.extend([
            format!(
                "CREATE FUNCTION {called}({argument} int) RETURNS int LANGUAGE sql IMMUTABLE \
                 AS 'SELECT $1 + 1'"
            ),
            format!("CREATE SEQUENCE {sequence}"),
            format!(
                "CREATE VIEW {view} AS SELECT *, {called}({id}), '{regclass}'::regclass AS seq \
                 FROM {table} WHERE {b} = {label}::{mood} AND {a} <> {text}"
            ),
            format!(
                "CREATE VIEW {over} AS SELECT x.{a}, y.* FROM {view} x JOIN \
                 (SELECT {id} AS own, {called}({id}) FROM {table}) y ON y.own = x.{id}"
            ),
            format!(
                "CREATE FUNCTION {atomic}({argument} int DEFAULT {called}(1)) RETURNS SETOF text \
                 LANGUAGE sql BEGIN ATOMIC SELECT {a} FROM {table} WHERE {id} >= {argument}; END"
            ),
            format!(
                "CREATE FUNCTION {several}() RETURNS bigint LANGUAGE sql BEGIN ATOMIC \
                 UPDATE {table} SET {a} = {a} || {text} WHERE {id} < 0; \
                 SELECT count(*) FROM {over}; END"
            ),
        ]);
        for column in [id, a, b] {
            self.named
                .push(format!("TABLE {table} RENAME COLUMN {column}"));
        }
        self.named.push(format!("TYPE {mood} RENAME VALUE {label}"));
        for named in [
            format!("TABLE {table}"),
            format!("VIEW {view}"),
            format!("VIEW {over}"),
            format!("SEQUENCE {sequence}"),
            format!("TYPE {mood}"),
            format!("FUNCTION {called}(int)"),
            format!("FUNCTION {atomic}(int)"),
        ] {
            self.named.push(format!("{named} RENAME"));
        }
    }

    /// Gives some of the objects other names.
    fn renames(&mut self, schema: &str, all: &mut Vec<String>) {
        let mut named = core::mem::take(&mut self.named);
        if schema != "public" {
            named.push(format!("SCHEMA {schema} RENAME"));
        }
        for one in named {
            if self.chance.up_to(2) > 0 {
                let to = match one.contains("RENAME VALUE") {
                    true => self.literal(),
                    false => self.name(),
                };
                all.push(format!("ALTER {one} TO {to}"));
            }
        }
    }

    /// An enumeration with one of its labels, a domain, a composite type.
    fn types(&mut self, schema: &str, all: &mut Vec<String>) -> [String; 4] {
        let mood = format!("{schema}.{}", self.name());
        let (label, other) = (self.literal(), self.literal());
        let labels = match label == other {
            true => label.clone(),
            false => format!("{label}, {other}"),
        };
        all.push(format!("CREATE TYPE {mood} AS ENUM ({labels})"));
        let domain = format!("{schema}.{}", self.name());
        let (check, text, default) = (self.name(), self.literal(), self.literal());
        all.push(format!(
            "CREATE DOMAIN {domain} AS text DEFAULT {default} CONSTRAINT {check} \
             CHECK (VALUE <> {text} || 'x')"
        ));
        let pair = format!("{schema}.{}", self.name());
        let (one, two) = (self.name(), self.name());
        all.push(format!("CREATE TYPE {pair} AS ({one} int, {two} {mood})"));
        for (kind, name) in [("TYPE", &mood), ("DOMAIN", &domain), ("TYPE", &pair)] {
            let said = self.literal();
            all.push(format!("COMMENT ON {kind} {name} IS {said}"));
        }
        [mood, label, domain, pair]
    }

    /// Functions of both languages; gives one for triggers.
    fn functions(&mut self, schema: &str, all: &mut Vec<String>) -> String {
        let (name, argument, default, text) =
            (self.name(), self.name(), self.literal(), self.literal());
        let body = format!("SELECT {text} || {argument}").replace('\'', "''");
        all.push(format!(
            "CREATE FUNCTION {schema}.{name}({argument} text DEFAULT {default}) RETURNS text \
             LANGUAGE sql IMMUTABLE STRICT AS '{body}'"
        ));
        let said = self.literal();
        all.push(format!(
            "COMMENT ON FUNCTION {schema}.{name}(text) IS {said}"
        ));
        let (name, text) = (self.name(), self.literal());
        let body = format!("BEGIN RAISE NOTICE USING MESSAGE = {text}; RETURN NEW; END");
        let body = body.replace('\'', "''");
        let name = format!("{schema}.{name}");
        all.push(format!(
            "CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS '{body}'"
        ));
        name
    }

    fn tables(
        &mut self,
        schema: &str,
        [mood, label, domain, pair]: &[String; 4],
        function: &str,
        all: &mut Vec<String>,
    ) -> (String, [String; 3]) {
        let table = format!("{schema}.{}", self.name());
        let [id, a, b, c, d, e] = [0; 6].map(|_| self.name());
        let (check, unique, text, other) =
            (self.name(), self.name(), self.literal(), self.literal());
        all.push(format!(
            "CREATE TABLE {table} ({id} int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, \
             {a} text DEFAULT {text} UNIQUE, {b} {mood} DEFAULT {label}, {c} {domain}, {d} {pair}, \
             {e} text GENERATED ALWAYS AS ({a} || {other}) STORED, \
             CONSTRAINT {check} CHECK ({a} <> {other} OR {id} > 0), \
             CONSTRAINT {unique} UNIQUE ({id}, {a}))"
        ));
        for _ in 0..3 {
            let value = self.literal();
            all.push(format!(
                "INSERT INTO {table} ({a}, {c}) VALUES ({value}, {value})"
            ));
        }
        self.indexes(&table, (&id, &a), all);
        let (child, parent, key) = (self.name(), self.name(), self.name());
        let child = format!("{schema}.{child}");
        all.push(format!(
            "CREATE TABLE {child} ({parent} int, CONSTRAINT {key} FOREIGN KEY ({parent}) \
             REFERENCES {table} ({id}) ON DELETE CASCADE)"
        ));
        let (view, one, literal) = (self.name(), self.name(), self.literal());
        let view = format!("{schema}.{view}");
        all.push(format!(
            "CREATE VIEW {view} AS SELECT {a}, {literal} AS {one} FROM {table} -- {{\n WHERE {id} > 0 \
             /* \\! */ WITH CHECK OPTION"
        ));
        let kept = format!("{schema}.{}", self.name());
        all.push(format!(
            "CREATE MATERIALIZED VIEW {kept} AS SELECT {one} FROM {view} -- all"
        ));
        let (trigger, argument) = (self.name(), self.literal());
        all.push(format!(
            "CREATE TRIGGER {trigger} BEFORE INSERT OR UPDATE OF {a} ON {table} FOR EACH ROW \
             WHEN (NEW.{a} <> {literal}) EXECUTE FUNCTION {function}({argument})"
        ));
        for named in [
            format!("TABLE {table}"),
            format!("COLUMN {table}.{a}"),
            format!("CONSTRAINT {check} ON {table}"),
            format!("VIEW {view}"),
            format!("MATERIALIZED VIEW {kept}"),
            format!("TRIGGER {trigger} ON {table}"),
        ] {
            let said = self.literal();
            all.push(format!("COMMENT ON {named} IS {said}"));
        }
        self.families(schema, &table, all);
        (table, [id, a, b])
    }

    fn indexes(&mut self, table: &str, (id, a): (&str, &str), all: &mut Vec<String>) {
        let (index, text) = (self.name(), self.literal());
        all.push(format!(
            "CREATE INDEX {index} ON {table} (lower({a}), ({a} || {text}) DESC, ({id} + 1))"
        ));
        all.push(format!("CREATE INDEX ON {table} ({a}) WHERE {a} <> {text}"));
        let sequence = self.name();
        all.push(format!("CREATE SEQUENCE {sequence} OWNED BY {table}.{a}"));
        let name = sequence.replace('\'', "''");
        all.push(format!("SELECT setval('{name}', 7)"));
        all.push(format!(
            "ALTER TABLE {table} ADD s{} bigint DEFAULT nextval('{name}')",
            self.count
        ));
    }

    fn families(&mut self, schema: &str, table: &str, all: &mut Vec<String>) {
        let (parent, part, key, value) = (self.name(), self.name(), self.name(), self.literal());
        all.push(format!(
            "CREATE TABLE {schema}.{parent} ({key} text) PARTITION BY LIST ({key})"
        ));
        all.push(format!(
            "CREATE TABLE {schema}.{part} PARTITION OF {schema}.{parent} FOR VALUES IN ({value})"
        ));
        all.push(format!("INSERT INTO {schema}.{parent} VALUES ({value})"));
        let child = self.name();
        all.push(format!(
            "CREATE TABLE {schema}.{child} () INHERITS ({table})"
        ));
    }
}
