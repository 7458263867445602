use crate::string_data::Strings;
use crate::strings::{decode_strings, encode_strings, gather_strings};
use crate::tags::{TAG_CONSTANT, TAG_DICTIONARY, TAG_PLAIN, TAG_RUN_ENDS};
use crate::testing::mutations;
use crate::{CodecError, Decoded, Shared};
use proptest::prelude::{Strategy, any, prop_oneof, proptest};

const BYTES_MAX: usize = 1 << 20;

fn strings(texts: &[Vec<u8>]) -> Strings {
    let mut strings = Strings::with_capacity(texts.len());
    for text in texts {
        strings.push(text, usize::MAX).unwrap();
    }
    strings
}

fn encoded(texts: &[Vec<u8>]) -> (u8, Vec<u8>) {
    let mut out = Vec::new();
    let tag = encode_strings(strings(texts).as_ref(), &mut out).unwrap();
    assert_eq!(tag, out[0]);
    (tag, out)
}

fn list(strings: &Strings) -> Vec<Vec<u8>> {
    let strings = strings.as_ref();
    (0..strings.len())
        .map(|i| strings.get(i).to_vec())
        .collect()
}

/// The slow twin of every form: one string a row.
fn expand(decoded: Decoded<Strings>, rows: usize) -> Vec<Vec<u8>> {
    match decoded {
        Decoded::Shared { .. } => unreachable!("these vectors have no shared part"),
        Decoded::Plain(strings) => list(&strings),
        Decoded::Constant(one) => vec![list(&one)[0].clone(); rows],
        Decoded::Dictionary { codes, values } => {
            let values = list(&values);
            codes
                .into_iter()
                .map(|code| values[code as usize].clone())
                .collect()
        }
        Decoded::RunEnds { ends, values } => (0..rows as u32)
            .map(|row| list(&values)[ends.iter().position(|end| row < *end).unwrap()].clone())
            .collect(),
    }
}

fn check(texts: &[Vec<u8>]) -> u8 {
    let rows = texts.len();
    let (tag, bytes) = encoded(texts);
    assert_eq!(
        expand(
            decode_strings(&Shared::default(), &bytes, rows, BYTES_MAX).unwrap(),
            rows
        ),
        texts
    );
    let positions: Vec<u16> = (0..rows as u16)
        .rev()
        .step_by(3)
        .chain(0..rows.min(2) as u16)
        .collect();
    let expected: Vec<Vec<u8>> = positions
        .iter()
        .map(|at| texts[usize::from(*at)].clone())
        .collect();
    let gathered = gather_strings(&Shared::default(), &bytes, rows, &positions, BYTES_MAX).unwrap();
    assert_eq!(list(&gathered), expected);
    tag
}

fn shapes() -> Vec<(u8, Vec<Vec<u8>>)> {
    let texts = |rows: usize, text: &dyn Fn(usize) -> String| -> Vec<Vec<u8>> {
        (0..rows).map(|i| text(i).into_bytes()).collect()
    };
    vec![
        (TAG_PLAIN, vec![]),
        (TAG_CONSTANT, texts(1024, &|_| String::new())),
        (TAG_CONSTANT, texts(1, &|_| "varve".to_owned())),
        (TAG_PLAIN, texts(1024, &|i| format!("{i}@example.org"))),
        (
            TAG_DICTIONARY,
            texts(1024, &|i| format!("state {}", i * i % 11)),
        ),
        (
            TAG_RUN_ENDS,
            texts(1024, &|i| format!("region {}", i / 200 % 3)),
        ),
    ]
}

#[test]
fn each_shape_takes_its_codec_and_comes_back() {
    for (tag, texts) in shapes() {
        assert_eq!(check(&texts), tag, "{:?}", texts.first());
    }
}

#[test]
fn golden_bytes() {
    let cases: [(&[&str], &[u8]); 4] = [
        (&["a", "", "bcd"], b"\x00\x00\x02\x31abcd"),
        (&["ab", "ab"], b"\x01ab"),
        (
            &["pear", "fig", "pear", "fig", "fig", "pear", "fig", "pear"],
            b"\x02\x02\xa5\x00\x03\x01\x02figpear",
        ),
        (
            &["fig", "fig", "fig", "fig", "fig", "pear", "pear", "pear"],
            b"\x03\x02\x3c\x00\x03\x01\x02figpear",
        ),
    ];
    for (texts, bytes) in cases {
        let texts: Vec<Vec<u8>> = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
        assert_eq!(encoded(&texts).1, bytes, "{texts:?}");
        check(&texts);
    }
}

#[test]
fn limits_are_held_to() {
    let long = vec![b"x".to_vec(); 1025];
    let error = encode_strings(strings(&long).as_ref(), &mut Vec::new());
    assert_eq!(error, Err(CodecError::TooManyRows(1025)));
    let (_, bytes) = encoded(&vec![vec![b'x'; 100]; 1000]);
    assert!(decode_strings(&Shared::default(), &bytes, 1000, 100).is_ok());
    let too_large = Err(CodecError::TooLarge {
        bytes: 300,
        bytes_max: 299,
    });
    assert_eq!(
        gather_strings(&Shared::default(), &bytes, 1000, &[0, 1, 2], 299),
        too_large
    );
    assert!(gather_strings(&Shared::default(), &bytes, 1000, &[1000], BYTES_MAX).is_err());
    assert!(decode_strings(&Shared::default(), &bytes, 1025, BYTES_MAX).is_err());
}

#[test]
fn any_bytes_are_an_answer() {
    for (_, texts) in shapes() {
        let rows = texts.len();
        mutations(&encoded(&texts).1, 4000, |bytes| {
            for rows in [rows, 3] {
                let whole = decode_strings(&Shared::default(), bytes, rows, BYTES_MAX);
                let positions: Vec<u16> = (0..rows as u16).step_by(61).collect();
                let some = gather_strings(&Shared::default(), bytes, rows, &positions, BYTES_MAX);
                if let (Ok(whole), Ok(some)) = (whole, some) {
                    let whole = expand(whole, rows);
                    let picked: Vec<_> = positions
                        .iter()
                        .map(|at| whole[usize::from(*at)].clone())
                        .collect();
                    assert_eq!(picked, list(&some));
                }
            }
        });
    }
}

fn vector() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let runs = proptest::collection::vec((0..4_u8, 1..60_usize), 0..30);
    prop_oneof![
        proptest::collection::vec(any::<Vec<u8>>(), 0..60),
        proptest::collection::vec(proptest::collection::vec(0..3_u8, 0..3), 0..1024),
        runs.prop_map(|runs| {
            let rows = runs
                .into_iter()
                .flat_map(|(v, n)| vec![vec![v; usize::from(v) * 5]; n]);
            rows.take(1024).collect()
        }),
    ]
}

proptest! {
    #[test]
    fn strings_round_trip(texts in vector()) {
        check(&texts);
    }
}
