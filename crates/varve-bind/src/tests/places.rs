//! Where errors are: the place that PostgreSQL marks.

use super::bound;

#[test]
fn errors_stand_where_postgresql_puts_them() {
    // The mark stands before the place.
    let cases = [
        // Strings.
        (r"select U&'ab@\00'", "invalid Unicode escape"),
        (r"select U&'\D800@'", "invalid Unicode surrogate pair"),
        (r"select U&'@\DC00'", "invalid Unicode surrogate pair"),
        (
            "select U&'a' uescape @'+'",
            "invalid Unicode escape character at or near \"'+'\"",
        ),
        (r"select E'ab@\u00'", "invalid Unicode escape"),
        (
            r"select E'\ud800@x'",
            "invalid Unicode surrogate pair at or near \"x\"",
        ),
        (
            r"select E'@\u0000'",
            "invalid Unicode escape value at or near \"\\u0000\"",
        ),
        // Casts.
        ("select 1.5@::bool", "cannot cast type numeric to boolean"),
        (
            "select @cast(1.5 as bool)",
            "cannot cast type numeric to boolean",
        ),
        (
            "select 1::@numeric(1001)",
            "NUMERIC precision 1001 must be between 1 and 1000",
        ),
        (
            "select cast(1 as @varchar(0))",
            "length for type varchar must be at least 1",
        ),
        (
            "create table x (a int, b @varchar(0) not null)",
            "length for type varchar must be at least 1",
        ),
        ("select 'x'::@nope[]", "type \"nope[]\" does not exist"),
        // Operators and what they join.
        (
            "select date '2020-01-01' @* 2",
            "operator does not exist: date * integer",
        ),
        (
            "select date '2020-01-01' @+ date '2020-01-02'",
            "operator does not exist: date + date",
        ),
        (
            "select 2 @^-1",
            "operator does not exist: integer ^- integer",
        ),
        ("select @! 5", "operator does not exist: ! integer"),
        (
            "select case when true then @1 else true end",
            "CASE types boolean and integer cannot be matched",
        ),
        (
            "select coalesce(null, 1, @true)",
            "COALESCE types integer and boolean cannot be matched",
        ),
        (
            "select array[1, @true]",
            "ARRAY types integer and boolean cannot be matched",
        ),
        (
            "create table x (a int check (a > @(select 1)))",
            "cannot use subquery in check constraint",
        ),
        (
            "create sequence s increment 1 start 1 @increment 2",
            "conflicting or redundant options",
        ),
        (
            "select @123abc",
            "trailing junk after numeric literal at or near \"123abc\"",
        ),
        // Windows.
        (
            "select sum(a) over (rows between @unbounded following and current row) from t",
            "frame start cannot be UNBOUNDED FOLLOWING",
        ),
        (
            "select sum(a) over (rows between 1 following and @current row) from t",
            "frame starting from following row cannot have preceding rows",
        ),
        (
            "select sum(a) over @(range 1 preceding) from t",
            "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column",
        ),
        (
            "select sum(a) over @(w order by a) from t window w as (order by a)",
            "cannot override ORDER BY clause of window \"w\"",
        ),
        // Set operations.
        (
            "select 1, 2 union select 1, @'a'::text",
            "UNION types integer and text cannot be matched",
        ),
        (
            "select 1 except select @a, b from t",
            "each EXCEPT query must have the same number of columns",
        ),
        // Recursive queries.
        (
            "with recursive @x as (select n from x) select * from x",
            "recursive query \"x\" does not have the form non-recursive-term UNION [ALL] \
             recursive-term",
        ),
        (
            "with recursive x(n) as (select n from @x union all select 1) select * from x",
            "recursive reference to query \"x\" must not appear within its non-recursive term",
        ),
        (
            "with recursive x(n) as (select 1 union all select (select n from @x)) select * from x",
            "recursive reference to query \"x\" must not appear within a subquery",
        ),
        (
            "with recursive x(n) as (select 1 union all select n from t left join @x on a = n) \
             select * from x",
            "recursive reference to query \"x\" must not appear within an outer join",
        ),
        (
            "with recursive x(n) as (select 1 union all (select a from t except select n from @x)) \
             select * from x",
            "recursive reference to query \"x\" must not appear within EXCEPT",
        ),
        (
            "with recursive x(n) as (select 1 union all (select n from x union select n from @x)) \
             select * from x",
            "recursive reference to query \"x\" must not appear more than once",
        ),
        (
            "with recursive x(n) as (select 1 union all select @count(*)::int from x) \
             select * from x",
            "aggregate functions are not allowed in a recursive query's recursive term",
        ),
        (
            "with recursive x(n) as (select 1 union all select n from x order by @n) \
             select * from x",
            "ORDER BY in a recursive query is not implemented",
        ),
        (
            "with recursive @x as (select * from y), y as (select * from x) select * from x",
            "mutual recursion between WITH items is not implemented",
        ),
        (
            "with recursive x(n) as (select @1 union all select n + 1.5 from x) select * from x",
            "recursive query \"x\" column 1 has type integer in non-recursive term but type \
             numeric overall",
        ),
        // Calls.
        (
            "select @nope(distinct 1)",
            "function nope(integer) does not exist",
        ),
        ("select @nope(*)", "function nope() does not exist"),
        (
            "select @abs(1) within group (order by 1)",
            "function abs(integer, integer) does not exist",
        ),
        (
            "select count(@generate_series(1, 2))",
            "aggregate function calls cannot contain set-returning function calls",
        ),
    ];
    let mut wrong = Vec::new();
    for (marked, message) in cases {
        let place = marked.find('@').map(|at| u32::try_from(at + 1).unwrap());
        let Err(error) = bound(&marked.replace('@', "")) else {
            wrong.push(format!("{marked}: no error"));
            continue;
        };
        let seen = (error.position(), error.message());
        if seen != (place, message) {
            wrong.push(format!("{marked}: {seen:?}, wanted {place:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
