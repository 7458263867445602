use super::{cells, table};
use crate::set::Values;

fn types(text: &str) -> Vec<(String, Values)> {
    let set = table::read("t", text.as_bytes());
    set.columns
        .into_iter()
        .map(|column| (column.name, column.values))
        .collect()
}

#[test]
fn cells_have_the_narrowest_type() {
    let columns = types(
        "id,price,zip,at,day,note\n1,0.5,01234,2016-01-01T00:00:00Z,1970-01-02,\"a,\"\"b\"\"\"\n-2,NA,00001,1969-12-31 23:59:59.5,2000-03-01,\n",
    );
    let expected = [
        ("id", Values::Int64(vec![1, -2])),
        ("price", Values::Float64(vec![0.5, 0.0])),
        ("zip", Values::Text(["01234", "00001"].iter().collect())),
        ("at", Values::Int64(vec![1_451_606_400_000_000, -500_000])),
        ("day", Values::Int32(vec![1, 11_017])),
        ("note", Values::Text(["a,\"b\"", ""].iter().collect())),
    ];
    for ((name, values), (expected_name, expected)) in columns.iter().zip(&expected) {
        assert_eq!(name, expected_name);
        assert_eq!(values, expected, "{name}");
    }
    assert_eq!(columns.len(), expected.len());
}

#[test]
fn bars_have_no_quotes_and_files_may_have_no_names() {
    let columns = types("A\"|1|null\nB|2|3\n");
    let expected = [
        ("c1", Values::Text(["A\"", "B"].iter().collect())),
        ("c2", Values::Int64(vec![1, 2])),
        ("c3", Values::Int64(vec![0, 3])),
    ];
    assert_eq!(columns.len(), 3);
    for ((name, values), (expected_name, expected)) in columns.iter().zip(&expected) {
        assert_eq!((name.as_str(), values), (*expected_name, expected));
    }
}

#[test]
fn what_looks_like_a_number_but_is_none() {
    for cell in ["", "-", "007", "1e999", "inf", "nan", "1.2.3", "12a"] {
        assert_eq!(cells::number(cell.as_bytes()), None, "{cell}");
    }
    assert_eq!(cells::number(b"-0.5"), Some(-0.5));
    assert_eq!(cells::time(b"2016-13-01 00:00:00"), None);
}
