//! Plans as EXPLAIN shows them.

use varve_plan::explain;
use varve_types::LogicalType;

use super::{bound, bound_with};

#[test]
fn plans_are_shown_as_trees() {
    let cases: &[(&str, &[&str])] = &[
        ("select 1 + 1", &["Result"]),
        ("select * from t", &["Seq Scan on t"]),
        (
            "select c from t where b > 5 and c like '%x%' and d is not null",
            &[
                "Seq Scan on t",
                "  Pushed Filter: ((b > 5) AND (d IS NOT NULL))",
                "  Filter: (c ~~ '%x%'::text)",
            ],
        ),
        (
            "select c from t where c like 'x%' and c like 'y%z' and c ^@ 'z' and c like 'w'",
            &[
                "Seq Scan on t",
                "  Pushed Filter: ((c >= 'x'::text) AND (c < 'y'::text) AND (c >= 'y'::text) \
                 AND (c < 'z'::text) AND (c >= 'z'::text) AND (c < '{'::text) \
                 AND (c = 'w'::text))",
                "  Filter: (c ~~ 'y%z'::text)",
            ],
        ),
        (
            "select c from t where c like '' and not c like 'x%' and c ilike 'x%'",
            &[
                "Seq Scan on t",
                "  Pushed Filter: (c = ''::text)",
                "  Filter: ((NOT (c ~~ 'x%'::text)) AND (c ~~* 'x%'::text))",
            ],
        ),
        (
            "select 1 from t where b = 1 + 2 and d < 3 and e and not e",
            &[
                "Seq Scan on t",
                "  Pushed Filter: ((b = 3) AND (d < 3) AND (e = true) AND (e = false))",
            ],
        ),
        (
            "select 1 from t where b between $1 and 10 and b in (1, null, 2) and f = '2020-02-29'",
            &[
                "Seq Scan on t",
                "  Pushed Filter: ((b >= $1) AND (b <= 10) AND (b IN (1, 2)) \
                 AND (f = '2020-02-29'::date))",
            ],
        ),
        (
            "select 1 from u where a = 5000000000 or false",
            &["Seq Scan on u", "  Filter: ((a)::bigint = 5000000000)"],
        ),
        (
            "select 1 from u where a = 5::bigint",
            &["Seq Scan on u", "  Pushed Filter: (a = 5)"],
        ),
        (
            "select 1 from u where 5 < a",
            &["Seq Scan on u", "  Pushed Filter: (a > 5)"],
        ),
        (
            "select 1 from u where a = 1.5",
            &["Seq Scan on u", "  Filter: ((a)::numeric = 1.5)"],
        ),
        (
            "select 1 from u where a = null",
            &["Seq Scan on u", "  Filter: false"],
        ),
        (
            "select 1 from t where a <> 1 and a = b",
            &[
                "Seq Scan on t",
                "  Pushed Filter: (a <> 1)",
                "  Filter: ((a)::bigint = b)",
            ],
        ),
        (
            "select * from t where a = 7",
            &["Index Lookup (art) on t", "  Index Cond: (a = 7)"],
        ),
        (
            "select * from t where a = $1 and b > 3",
            &[
                "Index Lookup (art) on t",
                "  Index Cond: (a = $1)",
                "  Filter: (b > 3)",
            ],
        ),
        (
            "select v from p where x = 1 and y = 'k'",
            &[
                "Index Lookup (art) on p",
                "  Index Cond: ((y = 'k'::text) AND (x = 1))",
            ],
        ),
        (
            "select v from p where x = 1",
            &["Seq Scan on p", "  Pushed Filter: (x = 1)"],
        ),
        (
            "select c, count(*), sum(b) from t where e group by c having count(*) > 2 \
             order by 2 desc, c limit 5 offset 1",
            &[
                "Limit",
                "  Limit: 5",
                "  Offset: 1",
                "  ->  Sort",
                "        Sort Key: count(*) DESC, c",
                "        ->  HashAggregate",
                "              Group Key: c",
                "              Filter: (count(*) > 2)",
                "              ->  Seq Scan on t",
                "                    Pushed Filter: (e = true)",
            ],
        ),
        (
            "select count(distinct c) filter (where b > 1), avg(d + 1) from t",
            &["Aggregate", "  ->  Seq Scan on t"],
        ),
        (
            "select distinct c from t order by c desc nulls last",
            &[
                "Sort",
                "  Sort Key: c DESC NULLS LAST",
                "  ->  HashAggregate",
                "        Group Key: c",
                "        ->  Seq Scan on t",
            ],
        ),
        (
            "select * from t join u on t.a = u.a and t.b > u.id where name = 'n' and t.c = 'x'",
            &[
                "Hash Join",
                "  Hash Cond: (t.a = u.a)",
                "  Join Filter: (t.b > (u.id)::bigint)",
                "  ->  Seq Scan on t",
                "        Pushed Filter: (c = 'x'::text)",
                "  ->  Seq Scan on u",
                "        Pushed Filter: (name = 'n'::text)",
            ],
        ),
        (
            "select 1 from t, u, p where u.id = t.a and p.x = u.a + 1",
            &[
                "Hash Join",
                "  Hash Cond: ((u.a + 1) = p.x)",
                "  ->  Hash Join",
                "        Hash Cond: (t.a = u.id)",
                "        ->  Seq Scan on t",
                "        ->  Seq Scan on u",
                "  ->  Seq Scan on p",
            ],
        ),
        (
            "select 1 from t cross join u",
            &["Nested Loop", "  ->  Seq Scan on t", "  ->  Seq Scan on u"],
        ),
        (
            "select 1 from t join u using (a) where a = 3",
            &[
                "Hash Join",
                "  Hash Cond: (t.a = u.a)",
                "  ->  Index Lookup (art) on t",
                "        Index Cond: (a = 3)",
                "  ->  Seq Scan on u",
            ],
        ),
        (
            "select s from (select b + 1 as s, c from t where b > 2) as q where s < 9",
            &[
                "Seq Scan on t",
                "  Pushed Filter: (b > 2)",
                "  Filter: ((b + 1) < 9)",
            ],
        ),
        (
            "select * from (select a from t order by b limit 3) as q where a > 1",
            &[
                "Subquery Scan",
                "  Filter: (a > 1)",
                "  ->  Limit",
                "        Limit: 3",
                "        ->  Sort",
                "              Sort Key: b",
                "              ->  Seq Scan on t",
            ],
        ),
        (
            "select a from t fetch first row only",
            &["Limit", "  Limit: 1", "  ->  Seq Scan on t"],
        ),
        ("select a from t limit all offset null", &["Seq Scan on t"]),
        ("values (1, 'x'), (2, 'y')", &["Values Scan", "  Rows: 2"]),
        (
            "explain insert into u values (1, 2, 'x')",
            &["Insert on u", "  ->  Values Scan", "        Rows: 1"],
        ),
        (
            "insert into u (id, name) select a, c from t where a = 1",
            &[
                "Insert on u",
                "  ->  Index Lookup on t",
                "        Index Cond: (a = 1)",
            ],
        ),
        (
            "update t set b = b + 1 where a = $1",
            &[
                "Update on t",
                "  ->  Index Lookup on t",
                "        Index Cond: (a = $1)",
            ],
        ),
        (
            "delete from t x where x.b < 3",
            &[
                "Delete on t",
                "  ->  Seq Scan on t",
                "        Pushed Filter: (b < 3)",
            ],
        ),
        (
            "select table_name from varve_tables where ordinal = 1",
            &["Seq Scan on varve_tables", "  Filter: (ordinal = 1)"],
        ),
        ("commit", &[]),
    ];
    let mut wrong = Vec::new();
    for (sql, lines) in cases {
        let bound = bound(sql).expect(sql);
        let seen = explain(&bound.statement);
        if seen != *lines {
            wrong.push(format!("{sql}:\n{}", seen.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn given_parameter_types_are_kept() {
    let sql = "select * from t where a = $1";
    let bound = bound_with(sql, &[Some(LogicalType::Int8)]).unwrap();
    assert_eq!(bound.parameters, [LogicalType::Int8]);
    assert_eq!(
        explain(&bound.statement),
        ["Seq Scan on t", "  Filter: ((a)::bigint = $1)"]
    );
}
