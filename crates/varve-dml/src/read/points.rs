//! Keys that conditions name one by one: by `=`, IN and IS NULL.

use varve_types::{CompareOp, Predicate, PredicateTest, Value, encode_key_value};

/// The values of leading columns of a key, in ascending order, each combination once.
pub struct Points {
    /// For each of the columns which test names its values.
    pub tests: Vec<usize>,
    /// Whether a column has more than one value, or none.
    pub is_several: bool,
    /// The combinations.
    pub keys: Vec<Vec<Value>>,
}

impl Points {
    /// The values that tests name of the columns up to the first one without; `None` for more than
    /// `max` combinations.
    pub fn of<C: PartialEq>(
        columns: impl IntoIterator<Item = C>,
        tests: &[Predicate<C>],
        max: u64,
    ) -> Option<Points> {
        let mut points = Points {
            tests: Vec::new(),
            is_several: false,
            keys: vec![Vec::new()],
        };
        for column in columns {
            let mut numbered = tests.iter().enumerate();
            let named = numbered.find_map(|(number, test)| {
                let values = values_of(&test.test).filter(|_| test.column == column)?;
                Some((number, values))
            });
            let Some((number, values)) = named else {
                break;
            };
            let combinations = (points.keys.len() as u64).checked_mul(values.len() as u64)?;
            if combinations > max {
                return None;
            }
            points.tests.push(number);
            points.is_several |= values.len() != 1;
            let longer = points.keys.iter().flat_map(|key| {
                let with = |value: &Value| [key.as_slice(), core::slice::from_ref(value)].concat();
                values.iter().map(with)
            });
            points.keys = longer.collect();
        }
        Some(points)
    }
}

/// The values that pass a test, each once and in ascending order, where it names them.
fn values_of(test: &PredicateTest) -> Option<Vec<Value>> {
    match test {
        PredicateTest::Compare(CompareOp::Eq, value) => Some(vec![value.clone()]),
        PredicateTest::IsNull => Some(vec![Value::Null]),
        PredicateTest::In(values) => {
            let keyed = values.iter().map(|value| {
                let mut key = Vec::new();
                encode_key_value(value, &mut key);
                (key, value.clone())
            });
            let mut keyed: Vec<(Vec<u8>, Value)> = keyed.collect();
            varve_sort::sort_by(&mut keyed, |left, right| left.0.cmp(&right.0));
            keyed.dedup_by(|left, right| left.0 == right.0);
            Some(keyed.into_iter().map(|(_, value)| value).collect())
        }
        PredicateTest::Compare(..) | PredicateTest::IsNotNull => None,
    }
}

#[cfg(test)]
mod tests {
    use super::Points;
    use varve_types::{ColumnPredicate, CompareOp, PredicateTest, Value};

    #[test]
    fn combinations_of_values() {
        let test = |column, test| ColumnPredicate { column, test };
        let ints =
            |values: &[i32]| PredicateTest::In(values.iter().copied().map(Value::Int4).collect());
        let tests = [
            test(3, PredicateTest::Compare(CompareOp::Gt, Value::Int4(0))),
            test(3, ints(&[5, -1, 5])),
            test(1, PredicateTest::Compare(CompareOp::Eq, Value::Int4(7))),
            test(2, PredicateTest::IsNull),
            test(4, ints(&[])),
        ];
        let cases: [(&[usize], u64, Option<&str>); 7] = [
            (&[3], 2, Some("-1; 5")),
            (&[3], 1, None),
            (&[1, 3], 9, Some("7 -1; 7 5")),
            (&[3, 2, 1], 9, Some("-1 NULL 7; 5 NULL 7")),
            (&[1, 0, 3], 9, Some("7")),
            (&[0], 9, Some("")),
            (&[1, 4], 9, Some("none")),
        ];
        for (columns, max, expected) in cases {
            let points = Points::of(columns.iter().copied(), &tests, max);
            let shown = points.map(|points| {
                let value = |value: &Value| match value {
                    Value::Int4(number) => number.to_string(),
                    _ => "NULL".to_owned(),
                };
                let key = |key: &Vec<Value>| key.iter().map(value).collect::<Vec<_>>().join(" ");
                let keys: Vec<String> = points.keys.iter().map(key).collect();
                if keys.is_empty() {
                    return "none".to_owned();
                }
                keys.join("; ")
            });
            assert_eq!(shown.as_deref(), expected, "{columns:?}");
        }
    }
}
