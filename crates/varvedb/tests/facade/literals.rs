//! Texts that differ in literals share plans, and no answer or error tells.

use std::sync::Arc;

use varve_kv::MemoryKv;
use varve_types::Value;
use varvedb::Session;

use super::{open, rows, run, session};

/// Hits and misses of a cache.
fn counts(session: &mut Session, cache: &str) -> (i64, i64) {
    let sql = format!("SELECT hits, misses FROM varve_caches WHERE name = '{cache}'");
    let found = rows(session, &sql);
    match found[0].as_slice() {
        [Value::Int8(hits), Value::Int8(misses)] => (*hits, *misses),
        other => panic!("{other:?}"),
    }
}

/// One session keeps plans, the other one plans each text anew.
struct Twins {
    kept: Session,
    anew: Session,
}

impl Twins {
    fn new(setup: &str) -> Twins {
        let mut twins = Twins {
            kept: session(),
            anew: session(),
        };
        run(&mut twins.anew, "SET varve.plan_cache_entries = 0");
        run(&mut twins.anew, "SET varve.parse_cache_entries = 0");
        run(&mut twins.kept, setup);
        run(&mut twins.anew, setup);
        twins
    }

    /// What both answer to a text, which must be the same.
    fn ask(&mut self, sql: &str) -> String {
        let kept = answer(&mut self.kept, sql);
        assert_eq!(kept, answer(&mut self.anew, sql), "{sql}");
        kept
    }

    /// How often a plan was found that was kept.
    fn hits(&mut self) -> i64 {
        counts(&mut self.kept, "plan").0
    }
}

/// All that a statement answers, errors with all their fields.
fn answer(session: &mut Session, sql: &str) -> String {
    match pollster::block_on(session.query(sql, &[])) {
        Ok(result) => format!(
            "{:?} {:?} {:?} {:?} {:?}",
            result.command,
            result.fields,
            result.affected_rows,
            result.notices,
            result.rows()
        ),
        Err(error) => format!("{:?}", error.fields()),
    }
}

const TYPES: [&str; 24] = [
    "smallint",
    "int",
    "bigint",
    "real",
    "float8",
    "numeric",
    "numeric(6, 2)",
    "text",
    "varchar(4)",
    "char(3)",
    "boolean",
    "date",
    "time",
    "timestamp",
    "timestamptz(3)",
    "interval",
    "uuid",
    "bytea",
    "jsonb",
    "int[]",
    "mood",
    "small",
    "pair",
    "regclass",
];

const LITERALS: [&str; 46] = [
    "1",
    "'1'",
    "NULL",
    "-1",
    "- 2",
    "0",
    "7.50",
    "-7.5",
    "1e2",
    "1e400",
    "0x1F",
    "1_000",
    "40000",
    "3000000000",
    "-2147483648",
    "2147483648",
    "-9223372036854775808",
    "9223372036854775808",
    "12345678901234567890123456789012345678901234567890",
    "0.00000000000000000000000000000000000000000000000000001",
    "true",
    "FALSE",
    "'true'",
    "''",
    "' 2 '",
    "'abc'",
    "'abcdef'",
    "'it''s'",
    "E'a\\tb'",
    "E'bad \\xff'",
    "'äöü'",
    "'a' \n 'b'",
    "'2024-02-03'",
    "'03/02/2024'",
    "'2024-02-30'",
    "'now'",
    "'today'",
    "'12:34:56.7'",
    "'2024-02-03 04:05:06.789012+02'",
    "'1 day 2 hours'",
    "'123e4567-e89b-12d3-a456-426614174000'",
    "'\\x00ff'",
    "'{\"a\": 1}'",
    "'{1,2,3}'",
    "'happy'",
    "'(1,2)'",
];

const KINDS: &str = "CREATE TYPE mood AS ENUM ('sad', 'happy');
    CREATE DOMAIN small AS int CHECK (VALUE < 100);
    CREATE TYPE pair AS (a int, b int);";

#[test]
fn each_literal_means_the_same_in_each_type() {
    for ty in TYPES {
        let table = "CREATE TABLE t (id int PRIMARY KEY, v TYPE)";
        let mut twins = Twins::new(&format!("{KINDS} {}", table.replace("TYPE", ty)));
        // What is first makes the plan, so everything is first once.
        for first in 0..LITERALS.len() {
            let turned = LITERALS.iter().cycle().skip(first * 7 % LITERALS.len());
            let count = if first == 0 { LITERALS.len() } else { 2 };
            run(&mut twins.kept, "SET varve.plan_cache_entries = 0");
            run(&mut twins.kept, "SET varve.plan_cache_entries = 256");
            for (at, literal) in turned.take(count).enumerate() {
                let id = first * 100 + at;
                for sql in [
                    format!("INSERT INTO t VALUES ({id}, {literal}) RETURNING id"),
                    format!("UPDATE t  SET v = {literal} WHERE id = {id}"),
                    format!("SELECT v FROM t WHERE v = {literal}"),
                    format!("SELECT id, v FROM t WHERE id >= {id} AND v < {literal} ORDER BY id"),
                ] {
                    // Those of `now` differ by themselves.
                    if !sql.contains("'now'") || ty == "text" {
                        twins.ask(&sql);
                    }
                }
            }
        }
        assert!(twins.hits() > 0, "{ty}");
    }
}

const SHOP: &str = "CREATE TABLE a (id int PRIMARY KEY, n int NOT NULL DEFAULT 5 CHECK (n <> 13),
        s text UNIQUE, d date, g int GENERATED ALWAYS AS (n * 2) STORED);
    CREATE TABLE b (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, a int REFERENCES a,
        state text);
    CREATE INDEX open ON b (a) WHERE state = 'open';
    CREATE INDEX later ON a (d) WHERE n > 10;
    CREATE VIEW shown AS SELECT id, n, s FROM a WHERE n = 5 OR n < 4;
    CREATE VIEW checked AS SELECT id, n FROM a WHERE n > 3 WITH CHECK OPTION;
    CREATE TABLE told (line text);
    CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF NEW.n = 66 THEN RAISE EXCEPTION 'no %', NEW.n; END IF;
            IF NEW.n = 67 THEN NEW.n := NEW.n / (NEW.n - 67); END IF;
            RAISE NOTICE 'told of %', NEW.n;
            RETURN NEW;
        END $$;
    CREATE TRIGGER tells BEFORE INSERT OR UPDATE ON a FOR EACH ROW EXECUTE FUNCTION tell();
    CREATE FUNCTION twice(x int) RETURNS int LANGUAGE sql AS 'SELECT x * 2';
    CREATE FUNCTION loud(x int) RETURNS int LANGUAGE plpgsql AS $$
        BEGIN RAISE NOTICE 'x is %', x; RETURN x; END $$;";

/// `#` and `@` stand for a number and a string.
const STATEMENTS: [&str; 49] = [
    "INSERT INTO a VALUES (#, #, @)",
    "INSERT INTO a (id, n, s, d) VALUES (#, #, @, '2024-01-#'), (#, #, @, @)",
    "INSERT INTO a (s, id) VALUES (@, #) ON CONFLICT (id) DO UPDATE SET n = #, s = excluded.s \
     WHERE a.n < # RETURNING *",
    "INSERT INTO a (id, n) VALUES (#, #) ON CONFLICT DO NOTHING",
    "INSERT INTO a (id, g) VALUES (#, #)",
    "INSERT INTO a (id) VALUES (#, #)",
    "INSERT INTO a (id, n) VALUES (#, # + #), (#, DEFAULT)",
    "INSERT INTO a (id, n) VALUES (#, (SELECT max(n) FROM a WHERE n < #))",
    "INSERT INTO a (id, n) SELECT id + #, n FROM a WHERE n = # AND id < 3",
    "INSERT INTO a (id, missing) VALUES (#, @)",
    "INSERT INTO missing VALUES (#, @)",
    "INSERT INTO b (a, state) VALUES (#, @)",
    "INSERT INTO b VALUES (#, #, @)",
    "INSERT INTO b OVERRIDING USER VALUE VALUES (#, #, @)",
    "INSERT INTO b OVERRIDING SYSTEM VALUE VALUES (#, #, @)",
    "INSERT INTO b (state, a) VALUES (@, NULL) ON CONFLICT (a) WHERE state = @ AND a > # DO NOTHING",
    "INSERT INTO shown VALUES (#, #, @) RETURNING s, n",
    "INSERT INTO checked VALUES (#, #)",
    "INSERT INTO told VALUES (@), (#), (NULL), (true)",
    "UPDATE a SET n = #, s = @ WHERE id = # RETURNING id, n, s",
    "UPDATE a SET n = n + #, d = @ WHERE s = @",
    "UPDATE a SET n = #, id = 1000 / (n - #) WHERE id <= # AND NOT n = #",
    "UPDATE a SET (n, s) = (#, @) WHERE id = #",
    "UPDATE a SET n = #, d = s::date WHERE id = #",
    "UPDATE shown SET n = # WHERE id = #",
    "UPDATE checked SET n = # WHERE id = #",
    "UPDATE b SET state = @ FROM a WHERE a.id = b.a AND a.n > # AND b.state <> @",
    "DELETE FROM b WHERE a = # AND state = 'open'",
    "DELETE FROM b WHERE (a = # AND state = @) OR (a = # AND id >= #)",
    "DELETE FROM a WHERE id = # AND n <> #",
    "SELECT * FROM a WHERE id = #",
    "SELECT * FROM a WHERE id = # AND id = # ORDER BY id",
    "SELECT n, s FROM a WHERE s = @ OR n = # ORDER BY 1, 2 LIMIT #",
    "SELECT #, n FROM a WHERE n < # GROUP BY n HAVING count(*) > # ORDER BY n DESC",
    "SELECT count(*), count(*) FILTER (WHERE n = #) FROM a WHERE d > @",
    "SELECT s::int FROM a WHERE n = # AND id < #",
    "SELECT # / (n - #) FROM a WHERE id < # AND n = #",
    "SELECT id FROM b WHERE state = @ AND a > # ORDER BY id",
    "SELECT id FROM b WHERE a = # AND state = 'open' ORDER BY id",
    "SELECT a.id, b.id FROM a LEFT JOIN b ON b.a = a.id AND b.state = @ WHERE a.n >= # ORDER BY 1, 2",
    "SELECT id FROM a WHERE id IN (SELECT a FROM b WHERE state = @ AND id > #) AND n > # ORDER BY id",
    "SELECT id, (SELECT count(*) FROM b WHERE b.a = a.id AND b.id < #) FROM a WHERE n > # ORDER BY 1",
    "SELECT id FROM a WHERE n = # UNION SELECT id FROM a WHERE n = # ORDER BY id",
    "SELECT twice(n), loud(n) FROM a WHERE n = # AND s > @ ORDER BY 1",
    "SELECT DISTINCT n = # FROM a WHERE (n = # OR n > #) AND missing = #",
    "SELECT n FROM shown WHERE n = # AND s <= @ ORDER BY n FOR UPDATE",
    "SELECT oid::regclass, relname FROM pg_class WHERE relname = @ AND relkind = 'r'",
    "SELECT time_bucket_gapfill('1 day', d), count(*) FROM a WHERE d >= '2024-01-01' AND \
     d < '2024-01-1#' AND n > # GROUP BY 1 ORDER BY 1",
    "SELECT FROM a WHERE n = # AND s LIKE @ AND n BETWEEN # AND # AND d = DATE @",
];

const NUMBERS: [&str; 14] = [
    "1",
    "2",
    "3",
    "4",
    "5",
    "7",
    "13",
    "66",
    "67",
    "-1",
    "100000",
    "4000000000",
    "2.5",
    "0",
];

const STRINGS: [&str; 13] = [
    "'open'",
    "'5'",
    "'it''s'",
    "'2024-01-02'",
    "''",
    "'12'",
    "NULL",
    "'äöü äöü'",
    "E'\\n'",
    "'a'",
    "'2024-13-02'",
    "'03/02/2024'",
    "'now'",
];

/// White space of several kinds, all of which the same plan serves.
const SPACES: [&str; 4] = [" ", "  ", "\n", " /* ä */ "];

/// Numbers that look like chance, the same each time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % count
    }

    fn of(&mut self, statement: &str) -> String {
        let mut sql = String::new();
        for part in statement.chars() {
            match part {
                '#' => sql.push_str(NUMBERS[self.below(NUMBERS.len())]),
                '@' => sql.push_str(STRINGS[self.below(STRINGS.len())]),
                ' ' if self.below(20) == 0 => sql.push_str(SPACES[self.below(SPACES.len())]),
                part => sql.push(part),
            }
        }
        sql
    }
}

#[test]
fn no_answer_tells_whether_plans_are_shared() {
    let mut twins = Twins::new(SHOP);
    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    for round in 0..60 {
        for _ in 0..STATEMENTS.len() {
            let statement = STATEMENTS[chance.below(STATEMENTS.len())];
            twins.ask(&chance.of(statement));
        }
        match round % 10 {
            3 => drop(twins.ask("CREATE INDEX again ON a (n) WHERE n = 5")),
            5 => drop(twins.ask("SET DateStyle = 'SQL, DMY'")),
            6 => drop(twins.ask("DROP INDEX again")),
            7 => drop(twins.ask("ALTER TABLE b ALTER COLUMN state TYPE varchar(10)")),
            8 => drop(twins.ask("RESET DateStyle")),
            _ => {}
        }
    }
    assert!(twins.hits() > 500, "{}", twins.hits());
}

#[test]
fn settings_decide_what_literals_are() {
    let mut twins = Twins::new("CREATE TABLE t (d date, at timestamptz)");
    let before = twins.hits();
    for setting in [
        "SET DateStyle = 'ISO, DMY'",
        "SET DateStyle = 'ISO, MDY'",
        "SET TimeZone = 'Asia/Tokyo'",
        "RESET TimeZone",
    ] {
        twins.ask(setting);
        for day in 3..8 {
            twins.ask(&format!(
                "INSERT INTO t VALUES ('0{day}/02/2024', '2024-05-06 07:0{day}') RETURNING d, at"
            ));
        }
    }
    assert!(twins.hits() - before >= 16);
}

#[test]
fn errors_point_into_the_text_that_was_given() {
    let mut twins = Twins::new("CREATE TABLE t (id int PRIMARY KEY, n int, s text)");
    let positions = |session: &mut Session| {
        [
            "UPDATE t SET n = 1 WHERE id = 1",
            "UPDATE t SET s = 'ten', n = s::int WHERE id = 1",
            "UPDATE t SET  s = 'long and äöü', n = s::int WHERE id = 1",
            "INSERT INTO t VALUES (1, 2, '3')",
            "INSERT INTO t VALUES (100, 'no', '3')",
            "INSERT INTO t VALUES (1, 2.5, NULL), (2, 3000000000, NULL)",
        ]
        .map(|sql| {
            let error = pollster::block_on(session.query(sql, &[])).err();
            let error = error.map(|error| (error.state().code().to_owned(), error.position()));
            error.map(|(state, position)| (state, position.unwrap_or(0)))
        })
    };
    run(&mut twins.kept, "INSERT INTO t VALUES (1, 1, 'one')");
    run(&mut twins.anew, "INSERT INTO t VALUES (1, 1, 'one')");
    let kept = positions(&mut twins.kept);
    assert_eq!(kept, positions(&mut twins.anew));
    let at = |state: &str, position| Some((state.to_owned(), position));
    assert_eq!(kept[2], at("22P02", 0));
    assert_eq!(kept[4], at("22P02", 28));
}

#[test]
fn a_thousand_statements_share_a_tree_and_a_plan() {
    let mut session = session();
    run(
        &mut session,
        "CREATE TABLE t (id int PRIMARY KEY, s text, x float8)",
    );
    for cache in ["parse", "plan"] {
        counts(&mut session, cache);
    }
    let statements: [fn(i32) -> String; 4] = [
        |n| {
            format!(
                "INSERT INTO t VALUES ({n}, 'line {n}', {})",
                f64::from(n) / 4.0
            )
        },
        |n| format!("UPDATE t SET s = '{n}', x = -{n} WHERE id = {n}"),
        |n| format!("SELECT s, x FROM t WHERE id = {n}"),
        |n| format!("DELETE FROM t WHERE id = {n}"),
    ];
    for statement in statements {
        let before = ["parse", "plan"].map(|cache| counts(&mut session, cache));
        for n in 0..1000 {
            pollster::block_on(session.query(&statement(n), &[])).unwrap();
        }
        let after = ["parse", "plan"].map(|cache| counts(&mut session, cache));
        for (before, after) in before.into_iter().zip(after) {
            // The questions are hits, too.
            assert_eq!(after.1 - before.1, 1, "{}", statement(0));
            assert!(after.0 - before.0 >= 999, "{}", statement(0));
        }
    }
}

#[test]
fn statements_of_a_script_share_a_plan() {
    let mut twins = Twins::new("CREATE TABLE t (id int PRIMARY KEY, s text)");
    let before = twins.hits();
    let lines = (0..500).map(|n| format!("INSERT INTO t VALUES ({n}, 'line {n}')"));
    let script = lines.collect::<Vec<String>>().join(";\n");
    run(&mut twins.kept, &script);
    run(&mut twins.anew, &script);
    assert!(twins.hits() - before >= 499);
    twins.ask("SELECT count(*), max(s) FROM t");
    for script in [
        "INSERT INTO t VALUES (500, 'a'); INSERT INTO t VALUES ('many', 'b')",
        "UPDATE t SET s = 'ä' WHERE id = 1; UPDATE t SET s = 'b' WHERE id = 'two'",
    ] {
        let place = |session: &mut Session| {
            let error = pollster::block_on(session.execute_script(script)).unwrap_err();
            format!("{:?}", error.fields())
        };
        assert_eq!(place(&mut twins.kept), place(&mut twins.anew), "{script}");
    }
    twins.ask("SELECT count(*), max(s) FROM t");
}

#[test]
fn plans_that_literals_decide_are_not_shared() {
    let mut session = session();
    run(
        &mut session,
        "CREATE TABLE t (id int PRIMARY KEY, a int, state text)",
    );
    run(
        &mut session,
        "CREATE INDEX open ON t (a) WHERE state = 'open'",
    );
    counts(&mut session, "plan");
    for statement in [
        |n| format!("SELECT * FROM t WHERE a = 1 AND state = '{n}'"),
        |n| format!("SELECT * FROM t LIMIT {n}"),
        |n| format!("SELECT {n} AS a, id FROM t ORDER BY 1"),
        |n: i32| format!("SELECT * FROM t WHERE a IN ({n})"),
    ] {
        let before = counts(&mut session, "plan");
        for n in 0..9 {
            pollster::block_on(session.query(&statement(n), &[])).unwrap();
        }
        let after = counts(&mut session, "plan");
        assert_eq!(after.1 - before.1, 9, "{}", statement(0));
    }
}

#[test]
fn a_text_with_parameters_keeps_its_literals() {
    let database = open(&Arc::new(MemoryKv::new()));
    let mut session = database.session();
    run(&mut session, "CREATE TABLE t (id int PRIMARY KEY)");
    run(&mut session, "INSERT INTO t VALUES (1)");
    let sql = "SELECT id FROM t WHERE id = 1";
    let with = pollster::block_on(session.query(sql, &[Value::Int4(1)])).unwrap_err();
    rows(&mut session, sql);
    let again = pollster::block_on(session.query(sql, &[Value::Int4(1)])).unwrap_err();
    assert_eq!(with.fields(), again.fields());
}
