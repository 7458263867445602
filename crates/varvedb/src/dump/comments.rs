//! Comments on what the script makes.

use varve_types::{Result, SqlText};

use super::definitions::OF_USERS;
use super::{Dump, literal, texts};

/// What has comments: how COMMENT ON names it, and where it is. `d` is the comment, `n` the schema.
const COMMENTED: [(&str, &str); 7] = [
    (
        "'SCHEMA ' || quote_ident(n.nspname)",
        "JOIN pg_namespace n ON n.oid = d.objoid WHERE d.classoid = 2615",
    ),
    (
        "CASE t.typtype WHEN 'd' THEN 'DOMAIN ' ELSE 'TYPE ' END || quote_ident(n.nspname) || '.' \
         || quote_ident(t.typname)",
        "JOIN pg_type t ON t.oid = d.objoid JOIN pg_namespace n ON n.oid = t.typnamespace \
         WHERE d.classoid = 1247 AND t.typtype IN ('e', 'd', 'c')",
    ),
    (
        "CASE c.relkind WHEN 'v' THEN 'VIEW ' WHEN 'm' THEN 'MATERIALIZED VIEW ' WHEN 'S' \
         THEN 'SEQUENCE ' WHEN 'i' THEN 'INDEX ' ELSE 'TABLE ' END || quote_ident(n.nspname) \
         || '.' || quote_ident(c.relname)",
        "JOIN pg_class c ON c.oid = d.objoid JOIN pg_namespace n ON n.oid = c.relnamespace \
         WHERE d.classoid = 1259 AND d.objsubid = 0 AND c.relpersistence <> 't'",
    ),
    (
        "'COLUMN ' || quote_ident(n.nspname) || '.' || quote_ident(c.relname) || '.' \
         || quote_ident(a.attname)",
        "JOIN pg_class c ON c.oid = d.objoid JOIN pg_namespace n ON n.oid = c.relnamespace \
         JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.objsubid \
         WHERE d.classoid = 1259 AND c.relpersistence <> 't'",
    ),
    (
        "'CONSTRAINT ' || quote_ident(k.conname) || ' ON ' || CASE WHEN k.contypid <> 0 \
         THEN 'DOMAIN ' ELSE '' END || quote_ident(n.nspname) || '.' \
         || quote_ident(coalesce(c.relname, t.typname))",
        "JOIN pg_constraint k ON k.oid = d.objoid JOIN pg_namespace n ON n.oid = k.connamespace \
         LEFT JOIN pg_class c ON c.oid = k.conrelid LEFT JOIN pg_type t ON t.oid = k.contypid \
         WHERE d.classoid = 2606 AND c.relpersistence IS DISTINCT FROM 't'",
    ),
    (
        "CASE p.prokind WHEN 'p' THEN 'PROCEDURE ' ELSE 'FUNCTION ' END || quote_ident(n.nspname) || '.' || quote_ident(p.proname) || '(' \
         || pg_get_function_identity_arguments(p.oid) || ')'",
        "JOIN pg_proc p ON p.oid = d.objoid JOIN pg_namespace n ON n.oid = p.pronamespace \
         WHERE d.classoid = 1255",
    ),
    (
        "'TRIGGER ' || quote_ident(t.tgname) || ' ON ' || quote_ident(n.nspname) || '.' \
         || quote_ident(c.relname)",
        "JOIN pg_trigger t ON t.oid = d.objoid JOIN pg_class c ON c.oid = t.tgrelid \
         JOIN pg_namespace n ON n.oid = c.relnamespace \
         WHERE d.classoid = 2620 AND c.relpersistence <> 't'",
    ),
];

/// What has no schema: how COMMENT ON names it, what its name is in the database that is dumped or
/// loaded, and the catalog that has it.
const SHARED: [(&str, &str, &str); 2] = [
    (
        "DATABASE",
        "current_database()",
        "pg_database WHERE datname",
    ),
    ("ROLE", "current_user", "pg_authid WHERE rolname"),
];

impl Dump<'_, '_> {
    pub(super) async fn comments(&mut self) -> Result<()> {
        for (what, name, of) in SHARED {
            let catalog = of.split(' ').next().unwrap_or_default();
            let sql = format!("SELECT shobj_description(oid, '{catalog}') FROM {of} = {name}");
            let said = self.cell(&sql).await?;
            if !said.is_empty() {
                let sql = format!(
                    "BEGIN EXECUTE pg_catalog.format('COMMENT ON {what} %I IS %L', {name}, {}); END",
                    literal(&said)
                );
                let block = SqlText::dollar_quoted(&sql, "comment");
                self.write(&format!("DO {block};\n\n"))?;
            }
        }
        for (name, source) in COMMENTED {
            let sql = format!(
                "SELECT {name}, d.description FROM pg_description d {source} AND {OF_USERS} \
                 ORDER BY 1"
            );
            for row in self.cells(&sql).await? {
                let [name, said] = texts(row);
                let said = literal(&said);
                self.write(&format!("COMMENT ON {name} IS {said};\n\n"))?;
            }
        }
        Ok(())
    }
}
