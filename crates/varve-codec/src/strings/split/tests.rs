use std::sync::Arc;

use crate::integers::{IntegerPlan, Scale};
use crate::string_data::{Strings, StringsRef};
use crate::strings::split::cut::Cutter;
use crate::strings::split::number::NumberForm;
use crate::strings::split::template::{Piece, Template};
use crate::strings::split_choose::{best, candidate};
use crate::strings::split_codec::{ColumnPlan, Split};
use crate::strings::{StringPlan, StringSample};
use crate::tags::{TAG_PLAIN, TAG_SPLIT};
use crate::testing::{Random, mutations};
use crate::{Shared, SharedWriter, decode_strings, gather_strings};
use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};

fn constant(text: &str) -> Piece {
    Piece::Constant(text.as_bytes().to_vec())
}

fn number(radix: u8, upper: bool, width: usize) -> Piece {
    Piece::Number(NumberForm::new(radix, upper, width).unwrap())
}

const DECIMAL: Piece = Piece::Number(NumberForm::DECIMAL);
const COUNTER: Piece = Piece::Number(NumberForm::COUNTER);

fn strings<T: AsRef<[u8]>>(texts: impl IntoIterator<Item = T>) -> Strings {
    let mut strings = Strings::with_capacity(0);
    for text in texts {
        strings.push(text.as_ref(), usize::MAX).unwrap();
    }
    strings
}

/// A plan of basic columns for a template, and its shared part.
fn plan(pieces: Vec<Piece>) -> (StringPlan, Shared) {
    let template = Template::new(pieces).unwrap();
    let mut shared = SharedWriter::default();
    let resource = shared.add_template(&template).unwrap();
    let columns = template.columns().map(|piece| match piece {
        Piece::Number(_) => ColumnPlan::Numbers(IntegerPlan::Basic),
        _ => ColumnPlan::Text(StringPlan::Basic),
    });
    let split = Split {
        resource,
        columns: columns.collect(),
        cutter: Cutter::new(&template),
        template,
        others: StringPlan::Basic,
    };
    let shared = Shared::decode(&shared.finish(), usize::MAX).unwrap();
    (StringPlan::Split(Arc::new(split)), shared)
}

/// Reads all strings back, whole and by row; returns the bytes.
fn round_trip(plan: &StringPlan, shared: &Shared, texts: StringsRef<'_>) -> (u8, Vec<u8>) {
    let mut bytes = Vec::new();
    let tag = plan.encode(texts, &mut bytes);
    let rows = texts.len();
    let scope = crate::scope::Scope::new(shared, 1 << 24);
    let back = crate::strings::decode_plain(scope, &bytes, rows).unwrap();
    let positions: Vec<u16> = (0..rows as u16).rev().collect();
    let some = gather_strings(shared, &bytes, rows, &positions, 1 << 24).unwrap();
    for row in 0..rows {
        assert_eq!(back.as_ref().get(row), texts.get(row), "row {row}");
        assert_eq!(
            some.as_ref().get(rows - 1 - row),
            texts.get(row),
            "row {row}"
        );
    }
    (tag, bytes)
}

fn found(texts: &Strings) -> Option<Vec<Piece>> {
    let texts = texts.as_ref();
    let vectors: Vec<StringsRef<'_>> = (0..texts.len())
        .step_by(1024)
        .map(|start| texts.slice(start, start + 1024))
        .collect();
    best(&vectors).map(|(template, _)| template.pieces().to_vec())
}

fn base36(mut value: usize) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit((value % 36) as u32, 36).unwrap());
        value /= 36;
        if value == 0 {
            return digits.into_iter().rev().collect();
        }
    }
}

#[test]
fn templates_are_found() {
    let mut random = Random(11);
    let mut any = |end: usize| random.below(end);
    let names = ["ada", "ben", "cleo", "dan", "eva", "finn", "gwen", "hal"];
    let domains = ["gmail.com", "yahoo.com", "example.org", "hotmail.com"];
    let hex = |value: usize, width: usize| format!("{value:0width$x}");
    type Case<'a> = (Box<dyn FnMut(usize) -> String + 'a>, Vec<Piece>);
    let cases: Vec<Case<'_>> = vec![
        (
            Box::new(|i| format!("user{i}@{}", domains[i * i % 7 % 4])),
            vec![constant("user"), DECIMAL, constant("@"), Piece::Text],
        ),
        (
            Box::new(|i| format!("Customer#{:09}", i * 7919 % 150_000)),
            vec![constant("Customer#"), number(10, false, 9)],
        ),
        (
            Box::new(|i| {
                format!(
                    "2024-{:02}-{:02} item/{}",
                    i * 5 % 12 + 1,
                    i * 3 % 28,
                    i * i
                )
            }),
            vec![
                constant("2024-"),
                number(10, false, 2),
                constant("-"),
                number(10, false, 2),
                constant(" item/"),
                DECIMAL,
            ],
        ),
        (
            Box::new(|i| {
                let low = (i * 2_654_435_761) & 0xffff_ffff;
                let node = (i * 0x9e37_79b9_7f4a) & 0xffff_ffff_ffff;
                format!("{}-2da5-{}", hex(low, 8), hex(node, 12))
            }),
            vec![
                number(16, false, 8),
                constant("-2da5-"),
                number(16, false, 12),
            ],
        ),
        (
            Box::new(|i| {
                let (first, last) = (names[i * 31 % 8], names[i * i % 61 % 8]);
                format!(
                    "{first}.{last}{}@{}",
                    base36(40_000 + i),
                    domains[i * i % 7 % 4]
                )
            }),
            vec![
                Piece::Text,
                constant("."),
                Piece::Text,
                COUNTER,
                constant("@"),
                Piece::Text,
            ],
        ),
    ];
    for (mut text, pieces) in cases {
        let texts = strings((0..3000).map(&mut text));
        assert_eq!(found(&texts), Some(pieces));
    }
    let named = (0..3000).map(|_| {
        let (first, last) = (names[any(8)], names[any(8)]);
        let place = any(4);
        format!("{first}.{last}{}@{}", any(10_000), domains[place])
    });
    let pieces = vec![
        Piece::Text,
        constant("."),
        Piece::Text,
        DECIMAL,
        constant("@"),
        Piece::Text,
    ];
    assert_eq!(found(&strings(named)), Some(pieces));
    let integers = strings((0..3000).map(|i| names[i * i % 61 % 8]));
    assert_eq!(found(&integers), None);
}

#[test]
fn columns_of_a_candidate_take_their_own_plans() {
    let mut random = Random(5);
    let names = ["ada", "ben", "cleo", "dan", "eva", "finn", "gwen", "hal"];
    let texts =
        strings((0..8192).map(|i| format!("{}{}@mail.org", names[random.below(8)], 70 + i)));
    let vectors: Vec<StringsRef<'_>> = (0..8)
        .map(|i| texts.as_ref().slice(i * 1024, i * 1024 + 1024))
        .collect();
    let sample = StringSample {
        vectors: &vectors,
        block: Some(&vectors),
        scale: Scale {
            sample_rows: 8192,
            block_rows: 8192,
        },
        staged: true,
    };
    let (plan, shared) = candidate(sample, 2, &SharedWriter::default()).unwrap();
    let shared = Shared::decode(&shared.finish(), usize::MAX).unwrap();
    assert_eq!(shared.len(), 2, "the template and the names");
    for vector in vectors {
        let (tag, bytes) = round_trip(&plan, &shared, vector);
        assert_eq!(tag, TAG_SPLIT);
        assert!(bytes.len() < 430, "{} bytes", bytes.len());
    }
}

#[test]
fn golden_bytes() {
    let (plan, shared) = plan(vec![
        constant("a#"),
        number(10, false, 3),
        constant("-"),
        Piece::Text,
        constant("."),
        number(16, true, 2),
    ]);
    let texts: Vec<String> = (0..12)
        .map(|i| match i {
            5 => "other".to_owned(),
            _ => format!("a#{:03}-{}.{:02X}", 7 + i, ["x", "yy"][i / 6], 250 + i % 3),
        })
        .collect();
    let (tag, bytes) = round_trip(&plan, &shared, strings(&texts).as_ref());
    assert_eq!(tag, TAG_SPLIT);
    let expected = [
        &[TAG_SPLIT, 0, 1, 5][..],
        &[6, 5, 14, 2, 1, 0x10, 0],
        &[10, 3, 2, 0xa4, 0, 1, 1, 2, b'x', b'y', b'y'],
        &[7, 4, 0xf4, 3, 2, 0x24, 0x91, 0x24],
        b"\x01other",
    ];
    assert_eq!(bytes, expected.concat());
    let mut out = Vec::new();
    let template = Template::new(vec![
        constant("a#"),
        number(10, false, 3),
        Piece::Text,
        COUNTER,
    ]);
    template.unwrap().write(&mut out);
    assert_eq!(out, b"\x04\x00\x02a#\x02\x03\x01\x05\x00");
}

#[test]
fn odd_strings_are_exceptions() {
    let cases: [(Vec<Piece>, &[&str]); 4] = [
        (
            vec![constant("n"), DECIMAL],
            &[
                "n",
                "n01",
                "n-0",
                "n+1",
                "n1x",
                "m1",
                "",
                "n1234567890123456789",
                "n1n1",
                "n 1",
            ],
        ),
        (
            vec![number(10, false, 3), constant("/"), Piece::Text, DECIMAL],
            &["12/a1", "0123/a1", "123/a", "123a1", "/1", "123/a1\u{e9}"],
        ),
        (
            vec![number(16, false, 4), constant("-"), number(36, true, 2)],
            &[
                "12AB-0Z",
                "12ab-0z",
                "12ab-",
                "12ab-0Z0-",
                "02ab5-00",
                "-12ab-00",
            ],
        ),
        (
            vec![Piece::Text, COUNTER, constant("@")],
            &["", "@", "a0@", "anna@anna"],
        ),
    ];
    let fitting = |case: usize, row: usize| match case {
        0 => format!("n{}", row * 3),
        1 => format!("{row:03}/text{row}"),
        2 => format!("{:04x}-{:02}", row * 50, row % 100),
        _ => format!("name{}@", base36(1000 + row)),
    };
    for (case, (pieces, odd)) in cases.into_iter().enumerate() {
        let (plan, shared) = plan(pieces);
        for text in odd {
            let mut texts: Vec<String> = (0..200).map(|row| fitting(case, row)).collect();
            let (_, without) = round_trip(&plan, &shared, strings(&texts).as_ref());
            assert_eq!(
                without.get(..3),
                Some(&[TAG_SPLIT, 0, 0][..]),
                "case {case}"
            );
            for at in [17, 199, 0] {
                texts[at] = (*text).to_owned();
            }
            let (_, bytes) = round_trip(&plan, &shared, strings(&texts).as_ref());
            assert_eq!(
                bytes.get(..3),
                Some(&[TAG_SPLIT, 0, 3][..]),
                "case {case} {text}"
            );
        }
    }
}

#[test]
fn zeros_before_a_number_belong_to_the_text() {
    let (plan, shared) = plan(vec![Piece::Text, DECIMAL]);
    let texts = ["a007", "b000", "c10", "0", "00", "d99999999999999999999999"];
    let repeated = strings(texts.iter().cycle().take(600));
    let (tag, bytes) = round_trip(&plan, &shared, repeated.as_ref());
    assert_eq!((tag, bytes.get(2)), (TAG_SPLIT, Some(&0)));
}

#[test]
fn a_vector_unlike_the_template_is_written_otherwise() {
    let (plan, shared) = plan(vec![constant("n"), DECIMAL]);
    let texts = strings((0..300).map(|i| match i % 3 {
        0 => format!("other {i}"),
        _ => format!("n{}", i * i),
    }));
    let (tag, _) = round_trip(&plan, &shared, texts.as_ref());
    assert_eq!(tag, TAG_PLAIN);
    round_trip(&plan, &shared, strings::<&str>([]).as_ref());
    round_trip(&plan, &shared, strings([b"\xff\x00n1"]).as_ref());
}

#[test]
fn limits_are_held_to() {
    let (plan, shared) = plan(vec![constant(&"x".repeat(50)), DECIMAL]);
    let texts = strings((0..1000).map(|i| format!("{}{}", "x".repeat(50), 1000 + i)));
    let (_, bytes) = round_trip(&plan, &shared, texts.as_ref());
    assert!(bytes.len() < 60);
    assert!(decode_strings(&shared, &bytes, 1000, 54_000).is_ok());
    assert!(decode_strings(&shared, &bytes, 1000, 53_999).is_err());
    assert!(gather_strings(&shared, &bytes, 1000, &[3, 999], 108).is_ok());
    assert!(gather_strings(&shared, &bytes, 1000, &[3, 999], 107).is_err());
}

#[test]
fn any_bytes_are_an_answer() {
    let pieces = vec![Piece::Text, number(36, false, 3), constant("-"), DECIMAL];
    let template = Template::new(pieces.clone()).unwrap();
    let (plan, shared) = plan(pieces);
    let mut texts: Vec<String> = (0..300)
        .map(|i| format!("{}0{i:02}-{}", i % 7, i * i))
        .collect();
    texts[20] = "odd".to_owned();
    texts[200] = "odder".to_owned();
    let (tag, bytes) = round_trip(&plan, &shared, strings(&texts).as_ref());
    assert_eq!(tag, TAG_SPLIT);
    let positions: Vec<u16> = (0..300).step_by(7).collect();
    mutations(&bytes, 6000, |bytes| {
        let whole = decode_strings(&shared, bytes, 300, 1 << 16);
        let some = gather_strings(&shared, bytes, 300, &positions, 1 << 16);
        if let (Ok(crate::Decoded::Plain(whole)), Ok(some)) = (whole, some) {
            for (at, position) in positions.iter().enumerate() {
                let position = usize::from(*position);
                assert_eq!(whole.as_ref().get(position), some.as_ref().get(at));
            }
        }
    });
    let mut out = Vec::new();
    template.write(&mut out);
    mutations(&out, 3000, |bytes| {
        let _ = Template::read(crate::ByteReader::new(bytes));
    });
}

/// Strings of one template, some of them damaged.
fn damaged() -> impl Strategy<Value = (Vec<Piece>, Vec<Vec<u8>>)> {
    let piece = prop_oneof![
        Just(Piece::Text),
        Just(DECIMAL),
        Just(COUNTER),
        (1..4_usize).prop_map(|width| number(10, false, width)),
        (1..4_usize).prop_map(|width| number(16, true, width)),
        (1..4_usize).prop_map(|width| number(36, false, width)),
        proptest::collection::vec(prop_oneof![Just(b'.'), Just(b'0'), any::<u8>()], 1..3)
            .prop_map(Piece::Constant),
    ];
    let pieces = proptest::collection::vec(piece, 1..7);
    let damage = (0..40_usize, 0..20_usize, any::<u8>());
    let seed = any::<u64>();
    (pieces, seed, proptest::collection::vec(damage, 0..6)).prop_map(|(pieces, seed, damage)| {
        let mut random = Random(seed);
        let mut texts: Vec<Vec<u8>> = Vec::new();
        for row in 0..40 {
            let mut text = Vec::new();
            for piece in &pieces {
                match piece {
                    Piece::Constant(bytes) => text.extend_from_slice(bytes),
                    Piece::Text => text.extend((0..random.below(4)).map(|_| random.next() as u8)),
                    Piece::Number(form) if form.is_counter() => form.put(row + 30, &mut text),
                    Piece::Number(form) => form.put(random.next() as i64 >> 40 & 0xfff, &mut text),
                }
            }
            texts.push(text);
        }
        for (row, at, byte) in damage {
            if let Some(slot) = texts[row].get_mut(at) {
                *slot = byte;
            }
        }
        (pieces, texts)
    })
}

proptest! {
    #[test]
    fn damaged_strings_come_back((pieces, texts) in damaged()) {
        if Template::new(pieces.clone()).is_some() {
            let (plan, shared) = plan(pieces);
            round_trip(&plan, &shared, strings(&texts).as_ref());
        }
    }

    #[test]
    fn whatever_is_found_brings_the_strings_back((_, texts) in damaged()) {
        let texts = strings(texts.iter().cycle().take(200));
        if let Some(pieces) = found(&texts) {
            let (plan, shared) = plan(pieces);
            round_trip(&plan, &shared, texts.as_ref());
        }
    }
}
