//! The statements: every function, operator and aggregate with arguments that are large.

use varve_expr::{FunctionFacts, function_facts, function_names};

/// Numbers by chance.
pub struct Chance(u64);

impl Chance {
    /// Those of a seed.
    pub fn new(seed: u64) -> Chance {
        Chance(seed.wrapping_add(0x9e37_79b9_7f4a_7c15))
    }

    fn below(&mut self, count: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let high = usize::try_from(self.0 >> 33).unwrap_or(0);
        high.checked_rem(count).unwrap_or(0)
    }

    fn of<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from.get(self.below(from.len())).copied().unwrap_or("NULL")
    }
}

/// What there is to be called.
pub struct Statements {
    functions: Vec<FunctionFacts>,
    operators: Vec<&'static str>,
    aggregates: Vec<&'static str>,
}

/// Functions that wait, that end the statement's work elsewhere, or that change settings.
const LEFT_OUT: [&str; 6] = [
    "pg_sleep",
    "pg_sleep_for",
    "pg_sleep_until",
    "set_config",
    "setval",
    "pg_cancel_backend",
];

/// Statements that were found, each of a class of its own; `N` is a number.
const FIXED: [&str; 24] = [
    "SELECT sum(length(r)) FROM generate_series(1, N) g, LATERAL (SELECT repeat('x', 1000000) AS r) s",
    "SELECT string_agg(g::text, ',') OVER (ORDER BY g) FROM generate_series(1, N * 50) g",
    "SELECT jsonb_path_query(j, '$.**.**.**.**.**') FROM (SELECT jsonb_agg(jsonb_build_array(g, g)) j FROM generate_series(1, N) g) s",
    "WITH RECURSIVE r AS (SELECT 'x' AS t UNION ALL SELECT t || t FROM r) SELECT t FROM r",
    "WITH RECURSIVE r AS (SELECT ARRAY[1] AS t UNION ALL SELECT t || t FROM r) SELECT t FROM r",
    "WITH RECURSIVE r AS (SELECT '[1]'::jsonb AS t UNION ALL SELECT t || t FROM r) SELECT t FROM r",
    "SELECT array_agg(repeat('x', 1000000)) FROM generate_series(1, N)",
    "SELECT array_fill(repeat('x', 100000), ARRAY[N, 1000])",
    "SELECT string_to_array(repeat(',', N * 10000), ',')",
    "SELECT regexp_split_to_array(repeat(',', N * 10000), ',')",
    "SELECT regexp_matches(repeat('ab', N * 1000), '(a+?)(b*)+?$', 'g')",
    "SELECT repeat('x', 1000000) || g FROM generate_series(1, N) g ORDER BY 1 DESC",
    "SELECT DISTINCT repeat('x', 1000000) || g FROM generate_series(1, N) g",
    "SELECT count(*) FROM (SELECT repeat('x', 1000000) AS r) a, generate_series(1, N) g GROUP BY a.r || g",
    "SELECT lag(repeat('x', 100000) || g, 1) OVER (ORDER BY g) FROM generate_series(1, N) g",
    "SELECT first_value(repeat('x', 100000) || g) OVER (PARTITION BY g % 2) FROM generate_series(1, N) g",
    "DO $$ DECLARE t text := 'x'; BEGIN LOOP t := t || t; END LOOP; END $$",
    "DO $$ DECLARE a int[] := ARRAY[1]; BEGIN LOOP a := a || a; END LOOP; END $$",
    "SELECT a.t, b.t FROM chain a, chain b, chain c WHERE length(a.t || b.t || c.t) < N",
    "SELECT json_agg(a) FROM chain a, chain b",
    "UPDATE chain SET t = repeat(t, N)",
    "INSERT INTO chain SELECT g + 100000, NULL, repeat('x', 100000) FROM generate_series(1, N) g",
    "SELECT jsonb_object_agg(g, repeat('x', 10000)) FROM generate_series(1, N) g",
    "VALUES (repeat('x', 10000000)), (repeat('y', 10000000)), (repeat('z', 10000000)), (repeat('w', 10000000)), (repeat('v', 10000000)), (repeat('u', 10000000))",
];

impl Statements {
    /// All that the engine knows.
    pub fn new() -> Statements {
        let [_, _, aggregates, operators] = function_names();
        let functions = function_facts().into_iter();
        Statements {
            functions: functions
                .filter(|facts| !LEFT_OUT.contains(&facts.name))
                .collect(),
            operators: operators.1.into_iter().collect(),
            aggregates: aggregates.1.into_iter().collect(),
        }
    }

    /// Statement `number`: the fixed ones first, then each function in turn, and others by chance.
    pub fn statement(&self, number: usize, chance: &mut Chance) -> String {
        if let Some(fixed) = FIXED.get(number) {
            let count = chance.of(&["1000", "100", "5000"]);
            return fixed.replace('N', count);
        }
        match chance.below(8) {
            0 | 1 => self.aggregate(chance),
            2 => self.operator(chance),
            _ => {
                let at = (number - FIXED.len()) % self.functions.len().max(1);
                self.functions
                    .get(at)
                    .map_or_else(String::new, |facts| call(facts, chance))
            }
        }
    }

    fn operator(&self, chance: &mut Chance) -> String {
        let operator = chance.of(&self.operators);
        let types = [25, 17, 20, 1700, 3802, 1007, 1009, 114, 1186];
        let left = types.get(chance.below(types.len())).copied().unwrap_or(25);
        let right = match chance.below(3) {
            0 => types.get(chance.below(types.len())).copied().unwrap_or(25),
            _ => left,
        };
        let (left, right) = (argument(left, chance), argument(right, chance));
        around(&format!("({left}) {operator} ({right})"), false, chance)
    }

    fn aggregate(&self, chance: &mut Chance) -> String {
        let name = chance.of(&self.aggregates);
        let ty = [25, 17, 20, 1700, 3802, 1007, 1009, 701, 1186];
        let ty = ty.get(chance.below(ty.len())).copied().unwrap_or(25);
        let mut arguments = argument(ty, chance);
        if matches!(name, "string_agg" | "json_object_agg" | "jsonb_object_agg") {
            arguments = format!("({arguments})::text, {}", argument(25, chance));
        }
        let rows = chance.of(&["100", "1000", "20000"]);
        let call = match chance.below(4) {
            0 => format!("{name}({arguments}) OVER (ORDER BY g)"),
            1 => format!(
                "{name}({arguments}) OVER (ORDER BY g ROWS BETWEEN 10 PRECEDING AND CURRENT ROW)"
            ),
            2 => format!("{name}({arguments}) FILTER (WHERE g > 1)"),
            _ => format!("{name}({arguments} ORDER BY g)"),
        };
        let group = match chance.below(2) {
            0 if !call.contains("OVER") => " GROUP BY g % 10",
            _ => "",
        };
        format!("SELECT {call} FROM generate_series(1, {rows}) g{group}")
    }
}

impl Default for Statements {
    fn default() -> Statements {
        Statements::new()
    }
}

fn call(facts: &FunctionFacts, chance: &mut Chance) -> String {
    let arguments: Vec<String> = facts
        .arguments
        .iter()
        .map(|oid| argument(*oid, chance))
        .collect();
    let call = format!("{}({})", facts.name, arguments.join(", "));
    around(&call, facts.returns_set, chance)
}

/// A statement around a value.
fn around(call: &str, is_set: bool, chance: &mut Chance) -> String {
    let rows = chance.of(&["3", "100", "2000"]);
    match chance.below(4) {
        0 if is_set => {
            format!("SELECT count(*) FROM generate_series(1, {rows}) g, LATERAL {call} s")
        }
        0 => format!("SELECT sum(length(({call})::text)) FROM generate_series(1, {rows}) g"),
        1 => format!("SELECT {call} FROM generate_series(1, {rows}) g"),
        2 => format!("SELECT {call} AS c FROM generate_series(1, {rows}) g ORDER BY 1"),
        _ => format!("SELECT {call} FROM (SELECT 1 AS g) s"),
    }
}

/// A value of the type with this OID, at some limit of what there is.
fn argument(oid: u32, chance: &mut Chance) -> String {
    let from: &[&str] = match oid {
        16 => &["true", "g % 2 = 0"],
        17 => &[
            "convert_to(repeat('x', 8000000 + g::int), 'UTF8')",
            "'\\x00ff'::bytea",
        ],
        20 => &[
            "9223372036854775807",
            "16000000",
            "(-1)::int8",
            "g::int8",
            "100000000",
        ],
        21 => &["32767::int2", "(-1)::int2"],
        23 => &["2147483647", "16000000", "-1", "g::int", "100000000", "3"],
        26 => &["1259::oid"],
        114 => &[
            "(repeat('[', 200) || repeat(']', 200))::json",
            "('[' || repeat('1,', 2000000) || '1]')::json",
            "json_build_object('a', repeat('x', 5000000))",
        ],
        700 => &["3.4e38::float4", "1e-45::float4"],
        701 => &["1.7e308::float8", "5e-324::float8", "g::float8"],
        1700 => &[
            "9.9e30",
            "1e-30",
            "99999999999999999999999999999999999999",
            "g::numeric",
        ],
        1082 => &["'5874897-12-31'::date", "'4713-01-01 BC'::date"],
        1083 => &["'23:59:59.999999'::time"],
        1114 => &["'294276-12-31'::timestamp", "'4713-01-01 BC'::timestamp"],
        1184 => &["'294276-12-31 00:00+00'::timestamptz", "now()"],
        1186 => &[
            "'178000000 years'::interval",
            "'1 microsecond'::interval",
            "'1 day'::interval",
        ],
        2950 => &["'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid"],
        3802 => &[
            "('[' || repeat('1,', 1000000) || '1]')::jsonb",
            "(repeat('[', 200) || repeat(']', 200))::jsonb",
            "jsonb_build_object('a', repeat('x', 5000000), 'b', g)",
            "'{\"a\": [1, {\"b\": 2}]}'::jsonb",
        ],
        1000 => &["array_fill(true, ARRAY[1000000])"],
        1005 => &["array_fill(1::int2, ARRAY[1000000])"],
        1007 => &[
            "array_fill(7, ARRAY[1000, 1000])",
            "array_fill(g::int, ARRAY[2000000])",
            "ARRAY[1, 2, 3]",
            "ARRAY[1000, 1000, 1000]",
        ],
        1016 => &["array_fill(7::int8, ARRAY[2000000])"],
        1009 => &[
            "string_to_array(repeat('x,', 500000), ',')",
            "ARRAY['a', '0', repeat('b', 5000000)]",
            "ARRAY['{a}', '$']",
        ],
        1021 | 1022 => &["array_fill(0.5::float8, ARRAY[1000000])"],
        1231 => &["array_fill(1.5::numeric, ARRAY[1000000])"],
        2277 => &[
            "array_fill(g::int, ARRAY[1000000])",
            "string_to_array(repeat('x,', 500000), ',')",
        ],
        2278 => &["NULL"],
        4072 => &["'$.**.**.**'", "'$[*].a'"],
        _ => &[
            "repeat('x', 15000000 + g::int)",
            "repeat('ab%', 3000000)",
            "repeat('\u{e4}', 7000000)",
            "'YYYY-MM-DD'",
            "''",
            "'[[:alpha:]]+?x'",
            "repeat('YYYY', 100000)",
            "'hex'",
            "'$.**.**.**'",
            "'g'",
            "g::text",
        ],
    };
    let chosen = chance.of(from);
    chosen.to_owned()
}
