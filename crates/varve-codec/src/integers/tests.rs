use crate::integers::encodings::integer_encodings;
use crate::integers::{
    IntegerKind, decode_integer, decode_integers, decode_plain, encode_integers, gather_integers,
};
use crate::scope::Scope;
use crate::tags::{
    TAG_ALP, TAG_CONSTANT, TAG_DECIMAL, TAG_DELTA, TAG_DICTIONARY, TAG_FRAME, TAG_LINEAR,
    TAG_PATCHED, TAG_PLAIN, TAG_RUN_ENDS,
};
use crate::testing::{Random, mutations};
use crate::{CodecError, Decoded, Shared, integer_from_f64};
use proptest::prelude::{Strategy, any, prop_oneof, proptest};

fn encoded(kind: IntegerKind, integers: &[i64]) -> (u8, Vec<u8>) {
    let mut out = Vec::new();
    let tag = encode_integers(kind, integers, &mut out).unwrap();
    assert_eq!(tag, out[0]);
    (tag, out)
}

/// The slow twin of every form: one integer a row.
fn expand(decoded: Decoded<Vec<i64>>, rows: usize) -> Vec<i64> {
    match decoded {
        Decoded::Shared { .. } => unreachable!("these vectors have no shared part"),
        Decoded::Plain(integers) => integers,
        Decoded::Constant(integer) => vec![integer[0]; rows],
        Decoded::Dictionary { codes, values } => codes
            .into_iter()
            .map(|code| values[code as usize])
            .collect(),
        Decoded::RunEnds { ends, values } => (0..rows as u32)
            .map(|row| values[ends.iter().position(|end| row < *end).unwrap()])
            .collect(),
    }
}

fn check(kind: IntegerKind, integers: &[i64]) -> u8 {
    let rows = integers.len();
    let (tag, bytes) = encoded(kind, integers);
    assert_eq!(
        expand(
            decode_integers(kind, &Shared::default(), &bytes, rows).unwrap(),
            rows
        ),
        integers
    );
    let positions: Vec<u16> = (0..rows as u16)
        .rev()
        .step_by(3)
        .chain(0..rows.min(2) as u16)
        .collect();
    let expected: Vec<i64> = positions
        .iter()
        .map(|at| integers[usize::from(*at)])
        .collect();
    assert_eq!(
        gather_integers(kind, &Shared::default(), &bytes, rows, &positions).unwrap(),
        expected
    );
    for (row, integer) in integers.iter().enumerate().step_by(97) {
        assert_eq!(
            decode_integer(kind, &Shared::default(), &bytes, rows, row as u16),
            Ok(*integer)
        );
    }
    tag
}

/// Vectors that make each codec the smallest.
fn shapes() -> Vec<(IntegerKind, u8, Vec<i64>)> {
    let mut random = Random(7);
    let mut below = |end: usize| random.below(end) as i64;
    let cents: Vec<i64> = (0..1024).map(|_| below(100_000)).collect();
    let prices = |cents: &[i64]| {
        cents
            .iter()
            .map(|c| integer_from_f64(*c as f64 / 100.0))
            .collect()
    };
    let mut odd_prices: Vec<i64> = prices(&cents);
    odd_prices[3] = integer_from_f64(f64::NAN);
    odd_prices[900] = integer_from_f64(-0.0);
    odd_prices[1023] = integer_from_f64(1.0 / 3.0);
    let sevenths = |below: i64, i: i64| (below - (i & 1) * (1 << 40)) as f64 / 7.0;
    let doubles = (0..1024).map(|i| integer_from_f64(sevenths(below(1 << 40), i)));
    let doubles: Vec<i64> = doubles.collect();
    let extremes = [i64::MIN, i64::MAX, 0, -1];
    let mut with_outliers: Vec<i64> = (0..1024).map(|_| 7000 + below(500)).collect();
    with_outliers[17] = i64::MIN;
    with_outliers[400] = 8000;
    with_outliers[1023] = i64::MAX;
    let jittered = (0..1024)
        .map(|i| 1_700_000_000_000 + 50 * i + below(50))
        .collect();
    vec![
        (IntegerKind::Int64, TAG_PLAIN, vec![]),
        (IntegerKind::Int32, TAG_CONSTANT, vec![-5; 1024]),
        (
            IntegerKind::Float64,
            TAG_CONSTANT,
            vec![integer_from_f64(-0.0); 3],
        ),
        (
            IntegerKind::Int64,
            TAG_DELTA,
            (0..1024).map(|i| 1_700_000_000 + i * 60).collect(),
        ),
        (IntegerKind::Int32, TAG_FRAME, cents.clone()),
        (
            IntegerKind::Int64,
            TAG_FRAME,
            cents.iter().map(|c| c - 1_000_000).collect(),
        ),
        (
            IntegerKind::Int64,
            TAG_DICTIONARY,
            (0..1024).map(|i| i * i % 7 * 1_234_567_891).collect(),
        ),
        (
            IntegerKind::Int64,
            TAG_DICTIONARY,
            (0..1024).map(|i| extremes[i * i % 7 % 4]).collect(),
        ),
        (
            IntegerKind::Int32,
            TAG_RUN_ENDS,
            (0..1024).map(|i| (i / 300 * 7919) % 1009).collect(),
        ),
        (IntegerKind::Float64, TAG_ALP, odd_prices),
        (IntegerKind::Int64, TAG_PATCHED, with_outliers),
        (IntegerKind::Int64, TAG_LINEAR, jittered),
        (IntegerKind::Float64, TAG_PLAIN, doubles),
        (IntegerKind::Int64, TAG_PLAIN, extremes.to_vec()),
    ]
}

#[test]
fn each_shape_takes_its_codec_and_comes_back() {
    for (kind, tag, integers) in shapes() {
        assert_eq!(
            check(kind, &integers),
            tag,
            "{kind:?} {:?}",
            &integers[..integers.len().min(5)]
        );
    }
}

#[test]
fn golden_bytes() {
    let cases: [(IntegerKind, Vec<i64>, &[u8]); 10] = [
        (IntegerKind::Int64, vec![], &[TAG_PLAIN]),
        (
            IntegerKind::Int32,
            vec![i64::from(i32::MIN), i64::from(i32::MAX)],
            &[TAG_PLAIN, 0, 0, 0, 0x80, 0xff, 0xff, 0xff, 0x7f],
        ),
        (IntegerKind::Int64, vec![-2; 9], &[TAG_CONSTANT, 3]),
        (
            IntegerKind::Int64,
            vec![1, 9, 2, 4, 8, 3, 3, 7],
            &[TAG_FRAME, 2, 4, 0x80, 0x31, 0x27, 0x62],
        ),
        (
            IntegerKind::Int64,
            vec![5, 15, 25, 35, 45, 55, 65, 75, 85],
            &[TAG_DELTA, 10, 20, 0],
        ),
        (
            IntegerKind::Int64,
            [900_000_007, -3, -3, 900_000_007, -3].repeat(3),
            &[
                TAG_DICTIONARY,
                2,
                0x29,
                0x25,
                TAG_DELTA,
                5,
                0x94,
                0xa4,
                0xa7,
                0xda,
                0x06,
                0,
            ],
        ),
        (
            IntegerKind::Int32,
            [vec![70_000; 20], vec![1; 12]].concat(),
            &[
                TAG_RUN_ENDS,
                2,
                0xf3,
                0x03,
                TAG_FRAME,
                2,
                17,
                0x6f,
                0x11,
                1,
                0,
                0,
            ],
        ),
        (
            IntegerKind::Float64,
            [0.25, 1.5, f64::INFINITY, -0.75, 0.5, 0.25, 0.75, 2.0]
                .map(integer_from_f64)
                .to_vec(),
            &[
                TAG_ALP, 187, 1, 2, 11, 1, 128, 128, 128, 128, 128, 128, 128, 240, 255, 1,
                TAG_FRAME, 149, 1, 9, 100, 194, 133, 3, 208, 135, 140, 165, 137,
            ],
        ),
        (
            IntegerKind::Int64,
            (0..32)
                .map(|i| {
                    if i == 5 {
                        90
                    } else if i == 30 {
                        -3
                    } else {
                        i * i % 8
                    }
                })
                .collect(),
            &[
                TAG_PATCHED,
                5,
                3,
                1,
                5,
                8,
                170,
                227,
                57,
                156,
                227,
                57,
                158,
                227,
                57,
                158,
                227,
                57,
                130,
            ],
        ),
        (
            IntegerKind::Int64,
            (0..32).map(|i| 1000 + 7 * i + i * i % 8).collect(),
            &[
                TAG_LINEAR, 128, 192, 3, 208, 15, 3, 8, 131, 48, 8, 131, 48, 8, 131, 48, 8, 131, 48,
            ],
        ),
    ];
    for (kind, integers, bytes) in cases {
        let written = encoded(kind, &integers).1;
        assert_eq!(written, bytes, "{integers:?} {written:02x?}");
        check(kind, &integers);
    }
}

#[test]
fn decimals_of_old_stores_are_read() {
    let f = integer_from_f64;
    let integers = [0.25, 1.5, f64::INFINITY, -0.75, 0.5, 0.25, 0.75, 2.0].map(f);
    let bytes = [
        [TAG_DECIMAL, 2, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0x7f].as_slice(),
        &[TAG_FRAME, 0x95, 0x01, 9],
        &[0x64, 0xc2, 0x85, 0x03, 0xd0, 0x87, 0x8c, 0xa5, 0x89],
    ]
    .concat();
    let shared = Shared::default();
    let decoded = decode_integers(IntegerKind::Float64, &shared, &bytes, 8).unwrap();
    assert_eq!(expand(decoded, 8), integers);
    let picked = gather_integers(IntegerKind::Float64, &shared, &bytes, 8, &[7, 2, 0]);
    assert_eq!(picked, Ok(vec![f(2.0), f(f64::INFINITY), f(0.25)]));
    mutations(&bytes, 4000, |bytes| {
        let _ = decode_integers(IntegerKind::Float64, &shared, bytes, 8);
        let _ = gather_integers(IntegerKind::Float64, &shared, bytes, 8, &[7, 2, 0]);
    });
}

#[test]
fn limits_are_held_to() {
    let long = vec![0; 1025];
    assert_eq!(
        encode_integers(IntegerKind::Int64, &long, &mut Vec::new()),
        Err(CodecError::TooManyRows(1025))
    );
    let (_, bytes) = encoded(IntegerKind::Int64, &[1, 2, 3]);
    assert!(decode_integers(IntegerKind::Int64, &Shared::default(), &bytes, usize::MAX).is_err());
    let outside = CodecError::PositionOutOfRange {
        position: 3,
        rows: 3,
    };
    assert_eq!(
        decode_integer(IntegerKind::Int64, &Shared::default(), &bytes, 3, 3),
        Err(outside)
    );
    let (_, wide) = encoded(IntegerKind::Int64, &[1 << 40]);
    assert!(decode_integers(IntegerKind::Int32, &Shared::default(), &wide, 1).is_err());
}

#[test]
fn any_bytes_are_an_answer() {
    for (kind, _, integers) in shapes() {
        let rows = integers.len();
        mutations(&encoded(kind, &integers).1, 4000, |bytes| {
            for rows in [rows, 3] {
                let whole = decode_integers(kind, &Shared::default(), bytes, rows)
                    .map(|decoded| expand(decoded, rows));
                let positions: Vec<u16> = (0..rows as u16).step_by(61).collect();
                let some = gather_integers(kind, &Shared::default(), bytes, rows, &positions);
                if let (Ok(whole), Ok(some)) = (whole, some) {
                    let picked: Vec<i64> =
                        positions.iter().map(|at| whole[usize::from(*at)]).collect();
                    assert_eq!(picked, some);
                }
            }
        });
    }
}

fn vector() -> impl Strategy<Value = Vec<i64>> {
    let integer = prop_oneof![
        any::<i64>(),
        -100..100_i64,
        any::<i32>().prop_map(i64::from)
    ];
    let narrow = proptest::collection::vec((0..6_i64, 1..40_usize), 0..60);
    prop_oneof![
        proptest::collection::vec(integer, 0..300),
        (
            any::<i64>(),
            proptest::collection::vec(-3..900_i64, 0..1024)
        )
            .prop_map(|(start, steps)| {
                let mut at = start;
                steps
                    .into_iter()
                    .map(|step| {
                        at = at.wrapping_add(step);
                        at
                    })
                    .collect()
            }),
        (any::<i64>(), narrow).prop_map(|(scale, runs)| {
            let rows = runs
                .into_iter()
                .flat_map(|(v, n)| vec![v.wrapping_mul(scale); n]);
            rows.take(1024).collect()
        }),
    ]
}

proptest! {
    #[test]
    fn integers_round_trip(integers in vector()) {
        check(IntegerKind::Int64, &integers);
        check(IntegerKind::Float64, &integers);
        let low: Vec<i64> = integers.iter().map(|integer| i64::from(*integer as i32)).collect();
        check(IntegerKind::Int32, &low);
    }

    #[test]
    fn decimals_round_trip(
        digits in proptest::collection::vec(any::<i32>(), 0..400),
        power in 0..9_i32,
    ) {
        let scale = 10_f64.powi(power);
        let numbers = digits.iter().map(|digits| f64::from(*digits) / scale);
        let integers: Vec<i64> = numbers.map(integer_from_f64).collect();
        check(IntegerKind::Float64, &integers);
    }
}

fn doubles() -> impl Strategy<Value = Vec<i64>> {
    let special = [
        f64::NAN,
        -f64::NAN,
        f64::from_bits(0x7ff0_0000_0000_0001),
        -0.0,
        0.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        5e-324,
        f64::MIN_POSITIVE / 3.0,
        f64::MAX,
        9_223_372_036_854_775_808.0,
    ];
    let double = prop_oneof![
        any::<u64>().prop_map(f64::from_bits),
        any::<i32>().prop_map(|cents| f64::from(cents) / 100.0),
        (0..special.len()).prop_map(move |at| special[at]),
        (0..1 << 30).prop_map(|part| 1.0 + f64::from(part) / 7.0),
    ];
    proptest::collection::vec((double, 1..5_usize), 1..200).prop_map(|runs| {
        let runs = runs.into_iter();
        let integers = runs.flat_map(|(double, rows)| vec![integer_from_f64(double); rows]);
        integers.collect()
    })
}

/// Every codec that can hold the integers gives them back, whole and by position.
fn check_every_codec(kind: IntegerKind, integers: &[i64]) {
    let rows = integers.len();
    let scattered: Vec<u16> = (0..rows as u16).rev().step_by(7).collect();
    let tail = vec![rows as u16 - 1];
    for (shared, bytes) in integer_encodings(kind, integers) {
        let shared = Shared::decode(&shared, 1 << 20).unwrap();
        let whole = decode_plain(Scope::new(&shared, 0), kind, &bytes, rows).unwrap();
        assert_eq!(whole, integers, "tag {}", bytes[0]);
        for positions in [&scattered, &tail] {
            let some = gather_integers(kind, &shared, &bytes, rows, positions).unwrap();
            let expected: Vec<i64> = positions
                .iter()
                .map(|at| integers[usize::from(*at)])
                .collect();
            assert_eq!(some, expected, "tag {}", bytes[0]);
        }
    }
}

proptest! {
    #[test]
    fn every_codec_of_doubles_round_trips(integers in doubles()) {
        check_every_codec(IntegerKind::Float64, &integers);
    }

    #[test]
    fn every_codec_of_integers_round_trips(integers in vector()) {
        if !integers.is_empty() {
            check_every_codec(IntegerKind::Int64, &integers);
        }
    }
}

#[test]
fn extremes_that_alternate_round_trip_in_every_codec() {
    let integers: Vec<i64> = (0..1000)
        .map(|i| if i % 2 == 0 { i64::MIN } else { i64::MAX })
        .collect();
    check_every_codec(IntegerKind::Int64, &integers);
    check_every_codec(IntegerKind::Float64, &integers);
}
