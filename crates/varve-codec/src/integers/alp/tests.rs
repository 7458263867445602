use crate::bits::width_for;
use crate::integer_from_f64;
use crate::integers::alp::Parts;
use crate::integers::leaves::stats::Stats;
use std::io::Read;
use std::path::PathBuf;

/// The vectors and results that the authors of ALP publish: file, exponent, factor, exceptions, bit
/// width. That of POI-lon is left out: it is meant for ALP-RD. Of Gov/10 the published pair is (3,
/// 1), which gives 41 exceptions and 29 bits; the published counts are those of (13, 11), the pair
/// of the greatest exponent among the equally good.
const EXPECTED: [(&str, u8, u8, usize, u32); 14] = [
    ("basel_temp_f", 14, 7, 47, 28),
    ("bird_migration_f", 14, 9, 2, 17),
    ("bitcoin_transactions_f", 14, 10, 11, 30),
    ("cms1", 14, 5, 10, 41),
    ("cms25", 14, 4, 6, 42),
    ("neon_bio_temp_c", 14, 12, 0, 10),
    ("gov10", 13, 11, 72, 27),
    ("gov30", 18, 18, 4, 0),
    ("gov40", 18, 18, 3, 0),
    ("medicare9", 16, 16, 3, 10),
    ("neon_pm10_dust", 14, 11, 0, 8),
    ("nyc29", 14, 1, 5, 42),
    ("stocks_de", 14, 11, 5, 10),
    ("stocks_usa_c", 14, 12, 0, 7),
];

/// The files of a tar archive: names and contents.
fn untar(mut bytes: &[u8]) -> Vec<(String, &[u8])> {
    let mut files = Vec::new();
    while bytes.len() >= 512 && bytes[0] != 0 {
        let text = |from: usize, to: usize| {
            let field = &bytes[from..to];
            let end = field.iter().position(|byte| *byte == 0);
            String::from_utf8_lossy(&field[..end.unwrap_or(field.len())]).into_owned()
        };
        let length = usize::from_str_radix(text(124, 136).trim(), 8).unwrap();
        files.push((text(0, 100), &bytes[512..512 + length]));
        bytes = &bytes[512 + length.next_multiple_of(512)..];
    }
    files
}

#[test]
fn published_vectors_give_the_published_results() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora");
    let path = root.join("compression/alp/samples_1024.tar.zst");
    let Ok(archive) = std::fs::read(&path) else {
        println!("skipped: no {}", path.display());
        return;
    };
    let mut unpacked = Vec::new();
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(archive.as_slice()).unwrap();
    decoder.read_to_end(&mut unpacked).unwrap();
    let files = untar(&unpacked);
    for (name, exponent, factor, exceptions, width) in EXPECTED {
        let (_, text) = files
            .iter()
            .find(|(path, _)| path.ends_with(&format!("{name}.csv")))
            .unwrap();
        let numbers = std::str::from_utf8(text).unwrap().split_whitespace();
        let integers: Vec<i64> = numbers
            .map(|number| integer_from_f64(number.parse().unwrap()))
            .collect();
        let parts = Parts::of(&[], &integers).unwrap();
        let span = Stats::of(&parts.scaled_integers).span();
        assert_eq!(
            (
                parts.pair.exponent,
                parts.pair.factor,
                parts.exceptions.len(),
                width_for(span)
            ),
            (exponent, factor, exceptions, width),
            "{name}"
        );
    }
}

#[test]
fn exceptions_take_an_integer_beside_them() {
    let nan = f64::NAN;
    let numbers = [nan, -0.0, 0.25, 0.5, nan, f64::INFINITY, 0.75];
    let parts = Parts::of(&[], &numbers.map(integer_from_f64)).unwrap();
    assert_eq!(parts.exceptions, [0, 1, 4, 5]);
    let least = parts.scaled_integers[2];
    let expected = [1, 1, 1, 2, 2, 2, 3].map(|quarters| quarters * least);
    assert_eq!(parts.scaled_integers, expected);
}
