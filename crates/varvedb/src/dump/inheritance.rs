//! Inheritance and partitions: tables are made on their own, and put together once they have their
//! rows, keys and indexes.

use varve_types::Result;

use super::definitions::OF_USERS;
use super::{Dump, Relation, texts};

impl Dump<'_, '_> {
    /// ` PARTITION BY ...` for a table that has partitions.
    pub(super) async fn partitioning(&mut self, table: &Relation) -> Result<String> {
        if table.kind != "p" {
            return Ok(String::new());
        }
        let sql = format!("SELECT pg_get_partkeydef({})", table.oid);
        let row = self.cells(&sql).await?.into_iter().next();
        let [by] = texts(row.unwrap_or_default());
        Ok(format!(" PARTITION BY {by}"))
    }

    /// Which tables are parts or children of others.
    pub(super) async fn inheritance(&mut self) -> Result<()> {
        let sql = format!(
            "SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname), \
             c.relispartition, \
             pg_get_expr(c.relpartbound, c.oid), quote_ident(pn.nspname) || '.' \
             || quote_ident(p.relname) \
             FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid \
             JOIN pg_namespace n ON n.oid = c.relnamespace \
             JOIN pg_class p ON p.oid = i.inhparent \
             JOIN pg_namespace pn ON pn.oid = p.relnamespace \
             WHERE c.relkind IN ('r', 'p') AND c.relpersistence <> 't' AND {OF_USERS} \
             ORDER BY 1, i.inhseqno"
        );
        for row in self.cells(&sql).await? {
            let [child, is_partition, bound, parent] = texts(row);
            self.write(&match is_partition.as_str() {
                "t" => format!("ALTER TABLE {parent}\n    ATTACH PARTITION {child} {bound};\n\n"),
                _ => format!("ALTER TABLE {child}\n    INHERIT {parent};\n\n"),
            })?;
        }
        Ok(())
    }
}
