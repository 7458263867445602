//! Result columns, parameters, and the statements that are not queries.

use varve_ast::{Command, Isolation, TransactionModes, VacuumExtent};
use varve_catalog::{ColumnDef, Dropped, TableDef};
use varve_plan::{CopyFormat, CopyHeader, CopyOptions, Plan, Relation, Statement, Utility};
use varve_types::LogicalType::{self, Boolean, Float8, Int4, Int8, Text, Timestamp, TimestampTz};
use varve_types::{ColumnId, ObjectId};

use super::bound;

fn fields(sql: &str) -> Vec<(String, LogicalType)> {
    match bound(sql).expect(sql).statement {
        Statement::Query(query) => query
            .fields
            .into_iter()
            .map(|field| (field.name, field.ty))
            .collect(),
        other => panic!("{sql}: {other:?}"),
    }
}

#[test]
fn result_columns_have_postgresql_s_names_and_types() {
    let cases: &[(&str, &[(&str, LogicalType)])] = &[
        (
            "select 1, 3000000000, 1.5, 'x', null, true",
            &[
                ("?column?", Int4),
                ("?column?", Int8),
                ("?column?", LogicalType::Numeric),
                ("?column?", Text),
                ("?column?", Text),
                ("?column?", Boolean),
            ],
        ),
        (
            "select a, t.b, a + b, A as \"Z\", c x from t",
            &[
                ("a", Int4),
                ("b", Int8),
                ("?column?", Int8),
                ("Z", Int4),
                ("x", Text),
            ],
        ),
        (
            "select count(*), max(a), avg(a), lower(c), coalesce(a, b) from t group by c, a, b",
            &[
                ("count", Int8),
                ("max", Int4),
                ("avg", LogicalType::Numeric),
                ("lower", Text),
                ("coalesce", Int8),
            ],
        ),
        (
            "select 1::bigint, cast('1' as float8), a::text from t",
            &[("int8", Int8), ("float8", Float8), ("a", Text)],
        ),
        (
            "select case when e then 1 end, case when e then 1 else a end from t",
            &[("case", Int4), ("a", Int4)],
        ),
        (
            "select -9223372036854775808, 9223372036854775808, -2147483648",
            &[
                ("?column?", Int8),
                ("?column?", LogicalType::Numeric),
                ("?column?", Int4),
            ],
        ),
        (
            "select u.*, t.a from t, u",
            &[("id", Int4), ("a", Int4), ("name", Text), ("a", Int4)],
        ),
        (
            "select * from u join t using (a)",
            &[
                ("a", Int4),
                ("id", Int4),
                ("name", Text),
                ("b", Int8),
                ("c", Text),
                ("d", Float8),
                ("e", Boolean),
                ("f", LogicalType::Date),
                ("g", Timestamp),
                ("h", TimestampTz),
            ],
        ),
        (
            "select * from (values (1, 'x'), (null, 'y')) as v(n)",
            &[("n", Int4), ("column2", Text)],
        ),
        ("select \"Id\" from \"Mixed\"", &[("Id", Int4)]),
        (
            "select timestamp '2020-01-01', h > f from t",
            &[("timestamp", Timestamp), ("?column?", Boolean)],
        ),
        (
            "select extract(year from h), trim(c), position('x' in c) from t",
            &[
                ("extract", LogicalType::Numeric),
                ("btrim", Text),
                ("position", Int4),
            ],
        ),
        ("select from t", &[]),
        (
            "select c || a, a || 'x' from public.t",
            &[("?column?", Text), ("?column?", Text)],
        ),
        (
            "select c like 'a!%' escape '!', nullif(a, 1) from t",
            &[("?column?", Boolean), ("nullif", Int4)],
        ),
    ];
    for (sql, expected) in cases {
        let expected: Vec<_> = expected
            .iter()
            .map(|(name, ty)| ((*name).to_owned(), *ty))
            .collect();
        assert_eq!(fields(sql), expected, "{sql}");
    }
}

#[test]
fn parameters_take_the_type_of_their_place() {
    let cases: &[(&str, &[LogicalType])] = &[
        ("select * from t where a = $1 and c = $2", &[Int4, Text]),
        ("select $1", &[Text]),
        ("select $1::int", &[Int4]),
        ("select $2 + a, $1::int8 from t", &[Int8, Int4]),
        (
            "insert into t (b, d, h) values ($1, $2, $3)",
            &[Int8, Float8, TimestampTz],
        ),
        (
            "update t set g = $1 where b in ($2, $3)",
            &[Timestamp, Int8, Int8],
        ),
        ("select 1 from t limit $1 offset $2", &[Int8, Int8]),
        (
            "select coalesce(a, $1), case when e then $2 else d end from t",
            &[Int4, Float8],
        ),
        ("insert into u (name, id) select $1, $2", &[Text, Int4]),
        ("select $1 = $1", &[Text]),
        ("select a = $1, $1 from t", &[Int4]),
        (
            "select 1 from t where h between $1 and $2",
            &[TimestampTz, TimestampTz],
        ),
        ("select 1 from t where c like $1", &[Text]),
    ];
    for (sql, expected) in cases {
        assert_eq!(bound(sql).expect(sql).parameters, *expected, "{sql}");
    }
}

#[test]
fn scans_read_only_the_columns_used() {
    let columns = |sql: &str| {
        let Statement::Query(query) = bound(sql).unwrap().statement else {
            panic!("{sql}")
        };
        let mut plan = query.plan;
        loop {
            plan = match plan {
                Plan::Scan(scan) => return scan.columns,
                Plan::Project { input, .. }
                | Plan::Filter { input, .. }
                | Plan::Sort { input, .. }
                | Plan::Limit { input, .. }
                | Plan::Aggregate { input, .. } => *input,
                other => panic!("{other:?}"),
            };
        }
    };
    let cases: &[(&str, &[usize])] = &[
        ("select count(*) from t", &[]),
        ("select c from t where b > 1", &[2]),
        ("select c from t where b > d", &[1, 2, 3]),
        ("select sum(d) from t group by c", &[2, 3]),
        (
            "select x from (select a as x, b as y, c from t) q order by y",
            &[0, 1],
        ),
        ("select * from t", &[0, 1, 2, 3, 4, 5, 6, 7]),
    ];
    for (sql, expected) in cases {
        assert_eq!(columns(sql), *expected, "{sql}");
    }
}

#[test]
fn changes_read_positions() {
    let Statement::Update(update) = bound("update t set c = 'x' where b = 1").unwrap().statement
    else {
        panic!()
    };
    let Plan::Project { input, exprs } = update.source else {
        panic!()
    };
    // Every column and the position; the column that is overwritten is not read.
    assert_eq!(exprs.len(), 9);
    let Plan::Scan(scan) = *input else { panic!() };
    assert!(scan.with_position);
    assert_eq!(scan.columns, [0, 1, 3, 4, 5, 6, 7]);
    let Statement::Delete(delete) = bound("delete from t").unwrap().statement else {
        panic!()
    };
    let Plan::Scan(scan) = delete.source else {
        panic!()
    };
    assert!(scan.with_position && scan.columns.is_empty());
    assert_eq!(scan.relation, Relation::Tree(varve_types::TreeId(1)));
}

#[test]
fn tables_are_defined() {
    let sql = "CREATE TABLE IF NOT EXISTS public.N (Id bigint, \"B\" double precision null, \
               c timestamp with time zone not null, d bool, e timestamp, f float, \
               constraint n_pk primary key (c, id))";
    let Statement::CreateTable { definition, exists } = bound(sql).unwrap().statement else {
        panic!()
    };
    assert!(!exists);
    let column = |(id, (name, ty, nullable)): (u32, (&str, _, _))| {
        ColumnDef::new(ColumnId(id), name, ty, nullable)
    };
    let columns = [
        ("id", Int8, false),
        ("B", Float8, true),
        ("c", TimestampTz, false),
        ("d", Boolean, true),
        ("e", Timestamp, true),
        ("f", Float8, true),
    ];
    let table = TableDef {
        key_name: Some("n_pk".to_owned()),
        ..TableDef::new("n", (1..).zip(columns).map(column).collect(), vec![2, 0])
    };
    assert_eq!(definition.table, table);
    assert!(definition.indexes.is_empty());
    let again = bound("create table if not exists t (a int)")
        .unwrap()
        .statement;
    assert!(matches!(again, Statement::CreateTable { exists: true, .. }));
    let dropped = bound("drop table if exists t, nope, t").unwrap();
    let Statement::Utility(utility) = dropped.statement else {
        panic!()
    };
    assert_eq!(*utility, Utility::Drop(vec![Dropped::Table(ObjectId(1))]));
    let message = "table \"nope\" does not exist, skipping";
    assert_eq!(dropped.messages.len(), 1);
    assert_eq!(dropped.messages[0].text, message);
}

#[test]
fn copies() {
    let csv = CopyOptions {
        format: CopyFormat::Csv,
        header: CopyHeader::None,
        delimiter: b',',
        quote: b'"',
        escape: b'"',
        null: String::new(),
        default: None,
        force_quote: Vec::new(),
        force_not_null: Vec::new(),
        force_null: Vec::new(),
    };
    let with_header = CopyOptions {
        header: CopyHeader::Line,
        ..csv.clone()
    };
    let cases = [
        (
            "copy u from stdin",
            vec![0, 1, 2],
            CopyOptions {
                format: CopyFormat::Text,
                delimiter: b'\t',
                null: "\\N".to_owned(),
                ..csv.clone()
            },
        ),
        ("copy u (name, id) from stdin csv", vec![2, 0], csv.clone()),
        (
            "copy u from stdin with csv header force not null name;",
            vec![0, 1, 2],
            CopyOptions {
                force_not_null: vec![2],
                ..with_header.clone()
            },
        ),
        (
            "copy u from stdin (format csv, header true, delimiter ';', null 'NA', quote '''')",
            vec![0, 1, 2],
            CopyOptions {
                delimiter: b';',
                quote: b'\'',
                escape: b'\'',
                null: "NA".to_owned(),
                ..with_header
            },
        ),
        (
            "copy u from stdin (format csv, delimiter E'\\t', header false)",
            vec![0, 1, 2],
            CopyOptions {
                delimiter: b'\t',
                ..csv
            },
        ),
    ];
    for (sql, columns, options) in cases {
        let Statement::CopyFrom(copy) = bound(sql).expect(sql).statement else {
            panic!("{sql}")
        };
        assert_eq!((copy.columns, copy.options), (columns, options), "{sql}");
    }
}

#[test]
fn commands() {
    let modes = |isolation, read_only, deferrable| TransactionModes {
        isolation,
        read_only,
        deferrable,
    };
    let none = modes(None, None, None);
    let read_only = modes(None, Some(true), None);
    let text = |text: &str| text.to_owned();
    let set = |name: &str, value: Option<&str>, local| Command::Set {
        name: name.to_owned(),
        value: value.map(str::to_owned),
        local,
    };
    let constraints = |names: Option<&[&str]>, deferred| Command::SetConstraints {
        names: names.map(|names| names.iter().map(|name| (*name).to_owned()).collect()),
        deferred,
    };
    let cases = [
        ("begin", Command::Begin(none)),
        ("begin work", Command::Begin(none)),
        (
            "start transaction isolation level repeatable read",
            Command::Begin(modes(Some(Isolation::RepeatableRead), None, None)),
        ),
        (
            "begin isolation level read committed read write",
            Command::Begin(modes(Some(Isolation::ReadCommitted), Some(false), None)),
        ),
        (
            "begin isolation level read uncommitted, read only, not deferrable",
            Command::Begin(modes(
                Some(Isolation::ReadUncommitted),
                Some(true),
                Some(false),
            )),
        ),
        ("commit", Command::Commit { chain: false }),
        (
            "end transaction and no chain",
            Command::Commit { chain: false },
        ),
        ("commit and chain", Command::Commit { chain: true }),
        ("rollback", Command::Rollback { chain: false }),
        ("abort work and chain", Command::Rollback { chain: true }),
        ("savepoint A", Command::Savepoint(text("a"))),
        ("rollback to \"A\"", Command::RollbackTo(text("A"))),
        ("abort work to savepoint s", Command::RollbackTo(text("s"))),
        ("release s", Command::Release(text("s"))),
        ("release savepoint s", Command::Release(text("s"))),
        (
            "set transaction read only",
            Command::SetTransaction(read_only),
        ),
        (
            "set session characteristics as transaction isolation level serializable, deferrable",
            Command::SetCharacteristics(modes(Some(Isolation::Serializable), None, Some(true))),
        ),
        ("set constraints all deferred", constraints(None, true)),
        (
            "set constraints a, public.b immediate",
            constraints(Some(&["a", "b"]), false),
        ),
        (
            "set synchronous_commit = off",
            set("synchronous_commit", Some("off"), false),
        ),
        (
            "set local Varve.Durability to 'Strict'",
            set("varve.durability", Some("Strict"), true),
        ),
        ("set session a = default", set("a", None, false)),
        ("set a to -1, b, 'c'", set("a", Some("-1, b, c"), false)),
        ("set time zone 'UTC'", set("timezone", Some("UTC"), false)),
        ("reset all", Command::Reset(None)),
        ("reset a.b", Command::Reset(Some(text("a.b")))),
        ("show all", Command::Show(None)),
        ("show time zone", Command::Show(Some(text("timezone")))),
        (
            "show transaction isolation level",
            Command::Show(Some(text("transaction_isolation"))),
        ),
        ("checkpoint", Command::Checkpoint),
    ];
    for (sql, expected) in cases {
        let statements = varve_parser::parse(sql).expect(sql);
        assert_eq!(statements[0].command(), Some(&expected), "{sql}");
        assert_eq!(
            bound(sql).expect(sql).statement,
            Statement::Command(expected),
            "{sql}"
        );
    }
}

#[test]
fn vacuum_names_its_tables() {
    use varve_ast::VacuumExtent::{Compress, Deleted, Full};
    let cases: [(&str, VacuumExtent, &[&str]); 5] = [
        ("vacuum", Deleted, &[]),
        ("vacuum full t, u", Full, &["t", "u"]),
        ("vacuum (full, skip_locked off) t", Full, &["t"]),
        ("vacuum (compress) t", Compress, &["t"]),
        ("vacuum (compress off) t", Deleted, &["t"]),
    ];
    for (sql, extent, names) in cases {
        let statements = varve_parser::parse(sql).expect(sql);
        let Some(Command::Vacuum {
            extent: found,
            tables,
            workers,
            unused,
        }) = statements[0].command()
        else {
            panic!("{sql}")
        };
        let tables = tables
            .iter()
            .map(|name| varve_catalog::qualified_name(name).unwrap());
        let tables: Vec<String> = tables.map(|name| name.to_string()).collect();
        assert_eq!(
            (*found, tables),
            (
                extent,
                names.iter().map(|name| (*name).to_owned()).collect()
            ),
            "{sql}"
        );
        assert!(unused.is_empty() && workers.is_none(), "{sql}");
    }
}

#[test]
fn a_bound_statement_names_its_tables() {
    let cases: [(&str, &[&str]); 4] = [
        ("select 1", &[]),
        ("select u.a from t join u on t.a = u.a, u as v", &["t", "u"]),
        ("insert into u select a, a, c from t", &["u", "t"]),
        ("delete from p", &["p"]),
    ];
    for (sql, expected) in cases {
        let found = bound(sql).expect(sql).found;
        let tables = found.tables();
        let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
        assert_eq!(names, expected, "{sql}");
    }
}

#[test]
fn rows_are_locked_by_their_positions() {
    for (sql, update) in [
        (
            "select c from t where b > 3 order by d limit 2 for update",
            true,
        ),
        ("select * from t for share of t", false),
        ("select c from t where a = 1 for update", true),
    ] {
        let Statement::Query(query) = bound(sql).expect(sql).statement else {
            panic!("{sql}")
        };
        let strength = query.plan.row_lock().expect(sql).strength;
        assert_eq!(
            strength == varve_plan::LockStrength::Update,
            update,
            "{sql}"
        );
        let lines = varve_plan::explain(&bound(sql).unwrap().statement);
        assert_eq!(lines[0], "LockRows", "{sql}");
        assert!(query.fields.iter().all(|field| !field.name.is_empty()));
    }
    for (sql, message) in [
        (
            "select distinct a from t for update",
            "FOR UPDATE is not allowed with DISTINCT clause",
        ),
        (
            "select a from t group by a for share",
            "FOR SHARE is not allowed with GROUP BY clause",
        ),
        (
            "select count(*) from t for update",
            "FOR UPDATE is not allowed with aggregate functions",
        ),
        (
            "select 1 from t for update of u",
            "relation \"u\" in FOR UPDATE clause not found in FROM clause",
        ),
    ] {
        assert_eq!(bound(sql).unwrap_err().message(), message, "{sql}");
    }
}
