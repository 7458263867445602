//! `\d` and its like: lists of what the catalog has, by pg_catalog as psql reads it.

use varve_psql::{Align, quoted_literal};

use super::Shell;

/// A list: what it is called, its columns, and where its rows come from.
struct List {
    /// The letters after `\d`.
    command: &'static str,
    title: &'static str,
    columns: &'static [&'static str],
    sql: &'static str,
    /// The columns that a pattern is compared with: schema, and name.
    schema: &'static str,
    name: &'static str,
    /// What hides a row unless a pattern names its schema.
    visible: &'static str,
    order: &'static str,
}

const OF_USERS: &str = "n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')";

const LISTS: [List; 5] = [
    List {
        command: "n",
        title: "List of schemas",
        columns: &["Name", "Owner"],
        sql: "SELECT n.nspname, pg_get_userbyid(n.nspowner) FROM pg_namespace n \
              WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'",
        schema: "",
        name: "n.nspname",
        visible: "",
        order: "1",
    },
    List {
        command: "u",
        title: "List of roles",
        columns: &["Role name", "Attributes"],
        sql: "SELECT r.rolname, CASE WHEN r.rolsuper THEN 'Superuser' ELSE '' END \
              FROM pg_roles r WHERE r.rolname !~ '^pg_'",
        schema: "",
        name: "r.rolname",
        visible: "",
        order: "1",
    },
    List {
        command: "f",
        title: "List of functions",
        columns: &[
            "Schema",
            "Name",
            "Result data type",
            "Argument data types",
            "Type",
        ],
        sql: "SELECT n.nspname, p.proname, pg_get_function_result(p.oid), \
              pg_get_function_arguments(p.oid), \
              CASE p.prokind WHEN 'p' THEN 'proc' ELSE 'func' END \
              FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE true",
        schema: "n.nspname",
        name: "p.proname",
        visible: OF_USERS,
        order: "1, 2, 4",
    },
    List {
        command: "T",
        title: "List of data types",
        columns: &["Schema", "Name", "Description"],
        sql: "SELECT n.nspname, format_type(t.oid, NULL), NULL \
              FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace \
              WHERE t.typtype IN ('e', 'd', 'r') AND t.typelem = 0",
        schema: "n.nspname",
        name: "t.typname",
        visible: OF_USERS,
        order: "1, 2",
    },
    List {
        command: "D",
        title: "List of domains",
        columns: &[
            "Schema",
            "Name",
            "Type",
            "Collation",
            "Nullable",
            "Default",
            "Check",
        ],
        sql: "SELECT n.nspname, t.typname, format_type(t.typbasetype, t.typtypmod), NULL, \
              CASE WHEN t.typnotnull THEN 'not null' END, t.typdefault, \
              (SELECT string_agg(pg_get_constraintdef(c.oid, true), ' ') \
               FROM pg_constraint c WHERE c.contypid = t.oid) \
              FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace \
              WHERE t.typtype = 'd'",
        schema: "n.nspname",
        name: "t.typname",
        visible: OF_USERS,
        order: "1, 2",
    },
];

impl Shell {
    /// Runs a `\d` command; whether it found what it was asked for.
    pub fn describe(&mut self, command: &str, pattern: Option<&str>) -> Result<bool, String> {
        let letters = command.trim_start_matches('d').trim_end_matches(['+', 'S']);
        if let Some(list) = LISTS
            .iter()
            .find(|list| list.command == letters || letters == "g" && list.command == "u")
        {
            return Ok(self.show_list(list, pattern));
        }
        if letters.is_empty() {
            return Ok(match pattern {
                Some(pattern) => self.describe_relations(pattern, command.contains('+')),
                None => self.list_relations("tvmsE", None),
            });
        }
        let is_kind = |c: char| matches!(c, 't' | 'v' | 'm' | 's' | 'i' | 'E');
        if letters.chars().all(is_kind) {
            return Ok(self.list_relations(letters, pattern));
        }
        Err(format!("invalid command \\{command}"))
    }

    fn show_list(&mut self, list: &List, pattern: Option<&str>) -> bool {
        let mut sql = list.sql.to_owned();
        match pattern.map(Pattern::of) {
            Some(pattern) => sql.push_str(&pattern.condition(list.schema, list.name)),
            None if list.visible.is_empty() => {}
            None => sql.push_str(&format!(" AND {}", list.visible)),
        }
        sql.push_str(&format!(" ORDER BY {}", list.order));
        let Some(rows) = self.rows_of(&sql) else {
            return false;
        };
        let heads: Vec<_> = list
            .columns
            .iter()
            .map(|name| (*name, Align::Left))
            .collect();
        self.print_own_table(list.title, &heads, &rows, None);
        true
    }

    /// `\dt`, `\dv`, ...: relations of the kinds that the letters name.
    fn list_relations(&mut self, letters: &str, pattern: Option<&str>) -> bool {
        let kinds: Vec<&str> = letters
            .chars()
            .map(|letter| match letter {
                't' => "'r','p'",
                'v' => "'v'",
                'm' => "'m'",
                's' => "'S'",
                'i' => "'i','I'",
                _ => "'f'",
            })
            .collect();
        let with_indexes = letters.contains('i');
        let table = "(SELECT t.relname FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid \
                     WHERE i.indexrelid = c.oid)";
        let condition = match pattern.map(Pattern::of) {
            Some(pattern) => pattern.condition("n.nspname", "c.relname"),
            None => format!(" AND {OF_USERS} AND pg_table_is_visible(c.oid)"),
        };
        let sql = format!(
            "SELECT n.nspname, c.relname, CASE c.relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' \
             WHEN 'm' THEN 'materialized view' WHEN 'i' THEN 'index' WHEN 'S' THEN 'sequence' \
             ELSE 'table' END, pg_get_userbyid(c.relowner){} \
             FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
             WHERE c.relkind IN ({}){condition} ORDER BY 1, 2",
            if with_indexes {
                format!(", {table}")
            } else {
                String::new()
            },
            kinds.join(","),
        );
        let Some(rows) = self.rows_of(&sql) else {
            return false;
        };
        if rows.is_empty() {
            let message = match pattern {
                Some(pattern) => format!("Did not find any relation named \"{pattern}\"."),
                None => "Did not find any relations.".to_owned(),
            };
            self.complain_of(&message);
            return false;
        }
        let mut heads = vec!["Schema", "Name", "Type", "Owner"];
        if with_indexes {
            heads.push("Table");
        }
        let heads: Vec<_> = heads.iter().map(|name| (*name, Align::Left)).collect();
        self.print_own_table("List of relations", &heads, &rows, None);
        true
    }
}

/// What follows a `\d` command: names with `*` and `?`, in two parts with a point between.
pub struct Pattern {
    schema: Option<String>,
    name: String,
}

impl Pattern {
    /// Reads a pattern; what is in double quotes is taken as it stands.
    pub fn of(text: &str) -> Pattern {
        let mut parts = vec![String::new()];
        let mut quoted = false;
        for c in text.chars() {
            let Some(part) = parts.last_mut() else { break };
            match c {
                '"' => quoted = !quoted,
                '.' if !quoted => parts.push(String::new()),
                '*' if !quoted => part.push_str(".*"),
                '?' if !quoted => part.push('.'),
                c if r"\^$.|?*+()[]{}".contains(c) => part.extend(['\\', c]),
                c if quoted => part.push(c),
                c => part.extend(c.to_lowercase()),
            }
        }
        let name = parts.pop().unwrap_or_default();
        Pattern {
            schema: parts.pop(),
            name,
        }
    }

    /// The condition on two columns, as it continues a WHERE.
    pub fn condition(&self, schema: &str, name: &str) -> String {
        let matches = |column: &str, pattern: &str| {
            format!(
                " AND {column} ~ {}",
                quoted_literal(&format!("^({pattern})$"))
            )
        };
        let mut condition = matches(name, &self.name);
        if let Some(pattern) = &self.schema
            && !schema.is_empty()
        {
            condition.push_str(&matches(schema, pattern));
        }
        condition
    }
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn patterns_become_conditions() {
        let cases = [
            ("Album", " AND c ~ '^(album)$'"),
            ("a*", " AND c ~ '^(a.*)$'"),
            ("\"A.b\"", " AND c ~  E'^(A\\\\.b)$'"),
            ("s.t?", " AND c ~ '^(t.)$' AND n ~ '^(s)$'"),
        ];
        for (pattern, condition) in cases {
            assert_eq!(
                Pattern::of(pattern).condition("n", "c"),
                condition,
                "{pattern}"
            );
        }
    }
}
