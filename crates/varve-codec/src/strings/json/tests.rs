use crate::integers::Scale;
use crate::scope::Scope;
use crate::string_data::Strings;
use crate::strings::json::template::{FieldKind, Template};
use crate::strings::json_choose::candidate;
use crate::strings::{StringSample, decode_plain, gather_plain};
use crate::tags::{TAG_CONSTANT, TAG_JSON, TAG_SHARED_DICTIONARY};
use crate::testing::{Random, mutations};
use crate::{
    BlockEncoder, BlockOptions, BlockValues, Codec, CodecError, Decoded, Shared, SharedWriter,
    Stage, decode_strings, gather_strings,
};
use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};

const BYTES_MAX: usize = 1 << 22;

fn strings(texts: &[String]) -> Strings {
    let mut strings = Strings::with_capacity(0);
    for text in texts {
        strings.push(text.as_bytes(), usize::MAX).unwrap();
    }
    strings
}

/// The shared part and the vector of documents by a plan that was made from them; nothing when they
/// do not share their shapes.
fn encoded(texts: &[String]) -> Option<(Vec<u8>, Vec<u8>)> {
    let strings = strings(texts);
    let vectors = [strings.as_ref()];
    let sample = StringSample {
        vectors: &vectors,
        block: Some(&vectors),
        scale: Scale {
            sample_rows: texts.len() as u64,
            block_rows: texts.len() as u64,
        },
        staged: false,
    };
    let (plan, shared) = candidate(sample, 2, &SharedWriter::default())?;
    let mut out = Vec::new();
    plan.encode(strings.as_ref(), &mut out);
    Some((shared.finish(), out))
}

/// Encodes, reads everything back, and says whether it took templates.
fn check(texts: &[String]) -> bool {
    let Some((shared, bytes)) = encoded(texts) else {
        return false;
    };
    let shared = Shared::decode(&shared, BYTES_MAX).unwrap();
    let scope = Scope::new(&shared, BYTES_MAX);
    let rows = texts.len();
    let back = decode_plain(scope, &bytes, rows).unwrap();
    assert_eq!(back.as_ref().len(), rows);
    for (row, text) in texts.iter().enumerate() {
        assert_eq!(back.as_ref().get(row), text.as_bytes());
    }
    let all: Vec<u16> = (0..rows as u16)
        .rev()
        .chain(0..rows.min(2) as u16)
        .collect();
    let some: Vec<u16> = all.iter().copied().step_by(7).collect();
    for positions in [all, some] {
        let back = gather_plain(scope, &bytes, rows, &positions).unwrap();
        assert_eq!(back.as_ref().len(), positions.len());
        for (i, position) in positions.iter().enumerate() {
            let text = &texts[usize::from(*position)];
            assert_eq!(back.as_ref().get(i), text.as_bytes());
        }
    }
    bytes[0] == TAG_JSON
}

fn repeated(rows: usize, text: impl Fn(usize) -> String) -> Vec<String> {
    (0..rows).map(text).collect()
}

fn titles(rows: usize) -> Vec<String> {
    let mut random = Random(8);
    repeated(rows, |i| {
        let title = format!("Title {}", i * i);
        let original = if i % 10 == 3 { "Other" } else { &title };
        let year = match i % 7 {
            0 => "\\\\N".to_owned(),
            year => (1990 + year).to_string(),
        };
        format!(
            "{{\"tconst\":\"tt{i:07}\",\"title\":\"{title}\",\"original\":\"{original}\",\
             \"adult\":{},\"year\":\"{year}\",\"rating\":{}.{}}}",
            i % 2,
            i % 10,
            1 + i % 9,
        )
    })
    .into_iter()
    .filter(|_| random.below(5) > 0)
    .collect()
}

#[test]
fn the_exact_text_comes_back() {
    let cases: [(bool, &str, Vec<String>); 17] = [
        (true, "objects", titles(600)),
        (
            true,
            "whitespace",
            repeated(50, |i| format!(" {{ \"a\" :\t{i} ,\n\"b\": [ {i} ] }}\r\n")),
        ),
        (
            true,
            "numbers",
            repeated(50, |i| {
                let odd = [
                    "1e5",
                    "1.0",
                    "-0",
                    "0.10",
                    "1E+2",
                    "123456789012345678901234567890",
                ];
                format!("{{\"n\":{}}}", odd[i % 6])
            }),
        ),
        (
            true,
            "scalars",
            repeated(50, |i| {
                format!(
                    "{{\"v\":{}}}",
                    ["null", "true", "false", "\"s\"", "7", "{}", "[]"][i % 7]
                )
            }),
        ),
        (
            true,
            "escapes",
            repeated(50, |i| {
                format!(
                    "{{\"s\":\"\\\"{i}\\\\\",\"u\":\"\\u00{:02x}\\\\\"}}",
                    i + 32
                )
            }),
        ),
        (
            true,
            "keys twice",
            repeated(50, |i| format!("{{\"a\":{i},\"a\":\"{i}\"}}")),
        ),
        (
            true,
            "keys escaped",
            repeated(50, |i| format!("{{\"a\\\"b\":{i}}}")),
        ),
        (
            true,
            "arrays of one length",
            repeated(50, |i| format!("[{i}.5,{}]", i * 2)),
        ),
        (
            true,
            "arrays of many lengths",
            repeated(50, |i| {
                let items: Vec<String> = (0..i % 5).map(|item| item.to_string()).collect();
                format!("{{\"id\":{i},\"items\":[{}]}}", items.join(","))
            }),
        ),
        (
            true,
            "two shapes",
            repeated(50, |i| match i % 3 {
                0 => format!("{{\"a\":{i}}}"),
                _ => format!("{{\"b\":{i},\"c\":\"x\"}}"),
            }),
        ),
        (
            true,
            "some are no JSON",
            repeated(50, |i| match i % 5 {
                0 => "{\"a\":".to_owned(),
                1 => String::new(),
                _ => format!("{{\"a\":{i}}}"),
            }),
        ),
        (
            true,
            "not quite JSON",
            repeated(50, |i| format!("{{\"a\":{i}x,\"b\":nope}}")),
        ),
        (
            true,
            "nested",
            repeated(50, |i| {
                format!("{{\"a\":{{\"b\":{{\"c\":{i}}},\"d\":[{{\"e\":\"{i}\"}}]}}}}")
            }),
        ),
        (
            true,
            "documents in a field",
            repeated(50, |i| match i % 2 {
                0 => format!("{{\"v\":{{\"x\":{i},\"y\":\"a\"}}}}"),
                _ => format!("{{\"v\":{{\"z\":\"{i}\"}}}}"),
            }),
        ),
        (false, "no values", repeated(50, |_| "{}".to_owned())),
        (false, "text", repeated(50, |i| format!("line {i}"))),
        (
            false,
            "half of an object",
            repeated(50, |i| format!("{{\"a\":\"{i}")),
        ),
    ];
    for (templates, what, texts) in cases {
        assert_eq!(check(&texts), templates, "{what}");
    }
}

#[test]
fn shapes_that_fit_no_template_are_values() {
    let deep = |i: usize| format!("{}{i}{}", "[".repeat(5000), "]".repeat(5000));
    assert!(check(&repeated(20, deep)));
    let wide = |i: usize| {
        let items: Vec<String> = (0..400).map(|item| (item * i).to_string()).collect();
        format!("{{\"id\":{i},\"items\":[{}]}}", items.join(","))
    };
    assert!(check(&repeated(20, wide)));
    let nested = |i: usize| {
        let items: Vec<String> = (0..90).map(|item| format!("[{item},{i},7]")).collect();
        format!("[{}]", items.join(","))
    };
    assert!(check(&repeated(20, nested)));
}

#[test]
fn values_take_the_codecs_of_their_kind() {
    let numbers = repeated(1000, |i| {
        format!("{{\"id\":\"tt{i:07}\",\"at\":{i}.25,\"k\":\"same\"}}")
    });
    let (shared, bytes) = encoded(&numbers).unwrap();
    assert!(bytes.len() + shared.len() < 100, "{}", bytes.len());
    let copies = repeated(1000, |i| {
        let hash = i * 2_654_435_761 % 1_000_003;
        let other = if i % 20 == 0 { i } else { hash };
        format!("{{\"a\":\"x{hash:x}y\",\"b\":\"x{other:x}y\"}}")
    });
    let alone = repeated(1000, |i| {
        format!("{{\"a\":\"x{:x}y\"}}", i * 2_654_435_761 % 1_000_003)
    });
    let bytes = |texts: &[String]| encoded(texts).unwrap().1.len();
    assert!(bytes(&copies) < bytes(&alone) + 400);
}

#[test]
fn golden_bytes() {
    let texts = repeated(3, |i| {
        format!("{{\"a\":{},\"b\":\"{}\"}}", i + 5, ["x", "yz", ""][i])
    });
    let (shared, bytes) = encoded(&texts).unwrap();
    assert_eq!(
        shared,
        b"\x01\x05\x15\x01\x02\x05{\"a\":\x01\x00\x06,\"b\":\"\x00\x02\"}"
    );
    assert_eq!(
        bytes,
        b"\x06\x00\x02\x01\x00\x04\x04\x0a\x02\x24\x07\x00\x00\x02\x09xyz"
    );
}

#[test]
fn any_bytes_are_an_answer() {
    let mut texts = titles(500);
    texts.extend(repeated(100, |i| format!("{{\"other\":[{i}]}}")));
    texts.extend(repeated(20, |i| format!("none {i}")));
    let rows = texts.len();
    let (shared, bytes) = encoded(&texts).unwrap();
    let positions: Vec<u16> = (0..rows as u16).step_by(61).collect();
    let decode = |shared: &Shared, bytes: &[u8]| {
        let whole = decode_strings(shared, bytes, rows, BYTES_MAX);
        let some = gather_strings(shared, bytes, rows, &positions, BYTES_MAX);
        if let (Ok(Decoded::Plain(whole)), Ok(some)) = (whole, some) {
            for (i, position) in positions.iter().enumerate() {
                let text = whole.as_ref().get(usize::from(*position));
                assert_eq!(some.as_ref().get(i), text);
            }
        }
    };
    let sound = Shared::decode(&shared, BYTES_MAX).unwrap();
    mutations(&bytes, 3000, |bytes| decode(&sound, bytes));
    mutations(&shared, 3000, |shared| {
        if let Ok(shared) = Shared::decode(shared, BYTES_MAX) {
            decode(&shared, &bytes);
        }
    });
}

#[test]
fn limits_are_held_to() {
    let texts = titles(500);
    let (shared, bytes) = encoded(&texts).unwrap();
    let shared = Shared::decode(&shared, BYTES_MAX).unwrap();
    let total: usize = texts.iter().map(String::len).sum();
    assert!(decode_strings(&shared, &bytes, texts.len(), total).is_ok());
    assert!(decode_strings(&shared, &bytes, texts.len(), total - 1).is_err());
    let first = texts[0].len();
    assert!(gather_strings(&shared, &bytes, texts.len(), &[0], first).is_ok());
    assert!(gather_strings(&shared, &bytes, texts.len(), &[0], first - 1).is_err());
}

fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        any::<f32>().prop_map(|number| format!("{number:?}")),
        (0..1000_u16).prop_map(|number| number.to_string()),
        "[a-z\\\\ ,:{}]{0,6}".prop_map(|text| format!("\"{}\"", text.replace('\\', "\\\\"))),
        Just("null".to_owned()),
        Just("true".to_owned()),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let member =
            ("[ab]{1,2}", inner.clone()).prop_map(|(key, value)| format!("\"{key}\": {value}"));
        prop_oneof![
            proptest::collection::vec(inner, 0..4).prop_map(|all| format!("[{}]", all.join(", "))),
            proptest::collection::vec(member, 0..4)
                .prop_map(|all| format!("{{{}}}", all.join(","))),
        ]
    })
}

fn documents() -> impl Strategy<Value = Vec<String>> {
    let fields = (value(), value(), "[a-c\"\\\\]{0,3}");
    let rows = proptest::collection::vec(fields, 2..40);
    rows.prop_map(|rows| {
        let document = |(a, b, odd): (String, String, String)| match odd.len() {
            3 => format!("{{\"a\":{a},\"b\":{b}{odd}"),
            2 => format!("{{\"b\":{b}}}"),
            _ => format!("{{\"a\":{a},\"b\":{b}}}"),
        };
        rows.into_iter().map(document).collect()
    })
}

proptest! {
    #[test]
    fn generated_documents_come_back(texts in documents()) {
        check(&texts);
    }
}

/// Titles in the manner of D8 as a block encoder has them: an id costs nothing, a copy of a field
/// little.
#[test]
fn blocks_of_documents_are_small() {
    let mut random = Random(11);
    let texts: Vec<String> = (0..8192)
        .map(|i| {
            let title = format!("{:x}", random.next());
            let other = if random.below(10) == 0 {
                "none"
            } else {
                &title
            };
            format!("{{\"id\":\"tt{i:07}\",\"title\":\"{title}\",\"original\":\"{other}\"}}")
        })
        .collect();
    let strings = strings(&texts);
    let rows = [1024; 8];
    let values = BlockValues::Strings(strings.as_ref());
    let options = BlockOptions {
        stage: Stage::Lz4,
        point_reads: false,
        codec: Codec::Auto,
    };
    let block = BlockEncoder::new(options).encode(values, &rows).unwrap();
    assert_eq!(block.tags, 1 << TAG_JSON);
    let bytes: usize = block.vectors.iter().map(Vec::len).sum();
    assert!(bytes < 8192 * 14, "{bytes}");
}

/// Documents of many kilobytes are chosen for in time that grows with their bytes.
#[test]
fn long_documents_are_taken() {
    let long = |i: usize| {
        let items: Vec<String> = (0..1500)
            .map(|item| format!("{{\"k\":{},\"v\":\"{item}\"}}", item * i))
            .collect();
        format!("{{\"id\":{i},\"items\":[{}]}}", items.join(", "))
    };
    assert!(check(&repeated(50, long)));
}

#[test]
fn one_long_value_in_many_fields_stops_at_the_limit() {
    const FIELDS: u8 = 100;
    let mut writer = SharedWriter::default();
    writer.add_strings(&strings(&["v".repeat(1000)])).unwrap();
    let template = Template {
        fields: vec![(b",".to_vec(), FieldKind::Text); usize::from(FIELDS)],
        tail: Vec::new(),
    };
    let resource = writer.add_templates(&[template]).unwrap();
    let shared = Shared::decode(&writer.finish(), BYTES_MAX).unwrap();
    // Every document takes template 0; every field the only value of the dictionary.
    let mut bytes = vec![TAG_JSON, resource, 2, TAG_CONSTANT, 0];
    for _ in 0..FIELDS {
        bytes.extend_from_slice(&[4, TAG_SHARED_DICTIONARY, 0, TAG_CONSTANT, 0]);
    }
    let decoded = |bytes_max| decode_plain(Scope::new(&shared, bytes_max), &bytes, 1);
    assert_eq!(decoded(100_100).unwrap().bytes.len(), 100_100);
    let stopped = CodecError::TooLarge {
        bytes: 2002,
        bytes_max: 1500,
    };
    assert_eq!(decoded(1500), Err(stopped));
}
