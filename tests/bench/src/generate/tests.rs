use super::{GENERATORS, Size, generator};
use crate::set::{Set, Values};

fn set(name: &str) -> Set {
    generator(name).unwrap().set(Size::S)
}

fn first_lines(name: &str, lines: usize) -> String {
    let mut csv = Vec::new();
    set(name).write_csv(&mut csv).unwrap();
    let text = String::from_utf8(csv).unwrap();
    text.lines().take(lines).collect::<Vec<_>>().join("\n")
}

#[test]
fn first_rows_are_what_the_definitions_give() {
    let cases = [
        ("D1d", "id,price\n0,0\n1,0.01\n2,0.02"),
        (
            "D2b",
            "id,email\n0,user0@example.org\n1,user1@yahoo.com\n2,user2@gmail.com",
        ),
        (
            "D3 exact",
            "id,ts\n0,1700000000000\n1,1700000000050\n2,1700000000100",
        ),
        ("D4c", "id,status\n0,pending\n1,processing\n2,shipped"),
        ("D5", "id,region\n0,north\n1,north\n2,north"),
        (
            "D10 wire_main",
            "id,name,age,score,active,category\n0,user_0,18,0,f,books\n1,user_1,19,0.95,t,garden\n2,user_2,20,1.9,t,games",
        ),
        (
            "D13",
            "id,ts,customer_id,status,region,email,price,note\n1,1700000000021,310,delivered,north,sue.nash0@gmail.com,236.67,friend with paid handle will ring wrap\n2,1700000000082,2954,packed,north,eva.nash1@yahoo.com,815.71,gate door handle no wrap please friend\n3,1700000000108,9549,delivered,north,ida.bell2@yahoo.com,269.06,",
        ),
    ];
    for (name, lines) in cases {
        assert_eq!(first_lines(name, 4), lines, "{name}");
    }
}

/// Sets that benchmarks of other crates load too.
#[test]
fn hashes_are_stable() {
    let cases = [
        (
            "D1a",
            "2e5f631e611b5774a488a6ab02e03f9d8a12775565e6fcf21f33aaecdd4e4e84",
        ),
        (
            "D6",
            "053f5c447b6e54869c95937d5ca7fe81bff38efabe38aeae8c24775143192446",
        ),
        (
            "D13",
            "77f913d58d616c7d95b6bd53c0e0d2ae5f64e08572edbab83670fedd540337a5",
        ),
        (
            "D14",
            "c49f8765b847a01fcd67dd23ee2ebd0daeff379a03e3f8182ce2d9935601dae2",
        ),
    ];
    for (name, hash) in cases {
        assert_eq!(set(name).csv_hash().0, hash, "{name}");
    }
}

#[test]
fn every_set_is_there_once_and_again_the_same() {
    for (i, generator) in GENERATORS.iter().enumerate() {
        assert!(
            GENERATORS
                .iter()
                .skip(i + 1)
                .all(|other| other.name != generator.name)
        );
        let set = generator.set(Size::S);
        assert!(set.rows() > 0, "{}", generator.name);
        for column in &set.columns {
            if let Values::Int32(ints) = &column.values {
                assert!(ints.iter().all(|int| i32::try_from(*int).is_ok()));
            }
        }
    }
    assert_eq!(set("D9"), set("D9"));
    assert_eq!(set("D11"), set("D11"));
}

#[test]
fn shares_and_ranges_are_those_of_the_definitions() {
    let orders = set("D13");
    let Some(validity) = &orders.columns[7].validity else {
        panic!("notes are often missing")
    };
    let missing = validity.iter().filter(|valid| !**valid).count();
    assert!((59_000..61_000).contains(&missing), "{missing}");
    let prices = set("D1c");
    let Values::Float64(doubles) = &prices.columns[1].values else {
        panic!("prices are doubles")
    };
    let mut distinct: Vec<u64> = doubles.iter().map(|double| double.to_bits()).collect();
    distinct.sort_unstable();
    distinct.dedup();
    assert!((300..=500).contains(&distinct.len()), "{}", distinct.len());
    let cpu = set("D6");
    assert_eq!((cpu.rows(), cpu.columns.len()), (86_400, 21));
    let readings = set("D7 readings");
    assert!(readings.columns[9].validity.is_some());
}

/// Snapshots follow each other with few bytes changed, and repeat much within themselves.
#[cfg(not(target_arch = "wasm32"))]
#[test]
fn events_are_like_those_of_a_desktop() {
    let events = set("D9");
    let Values::Text(data) = &events.columns[3].values else {
        panic!("events are text")
    };
    let big: Vec<&[u8]> = (0..data.len())
        .map(|row| data.get(row))
        .filter(|d| d.len() > 1000)
        .collect();
    let average = big.iter().map(|d| d.len()).sum::<usize>() / big.len();
    assert!((25_000..40_000).contains(&average), "{average}");
    let raw: usize = big.iter().take(50).map(|d| d.len()).sum();
    let compressed = |d: &&&[u8]| zstd::bulk::compress(d, 3).unwrap().len();
    let frames: usize = big.iter().take(50).map(|d| compressed(&d)).sum();
    let ratio = raw as f64 / frames as f64;
    assert!((6.0..8.0).contains(&ratio), "{ratio}");
}
