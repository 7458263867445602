use super::frequencies::LOG_MIN;
use super::{
    BitReader, BitWriter, ContextCounts, ContextDecoder, ContextEncoder, Contexts, DecodeTable,
    EncodeTable, Frequencies, LOG_MAX, decode_columns, decode_symbols, encode_columns,
    encode_symbols,
};
use crate::testing::{Random, mutations};
use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

fn counts(symbols: &[u8]) -> Vec<u32> {
    let mut counts = vec![0; 256];
    for symbol in symbols {
        counts[usize::from(*symbol)] += 1;
    }
    counts
}

/// The slow twin: one state after another, by the definition of the coder.
fn decode_slowly(frequencies: &Frequencies, bytes: &[u8], count: usize) -> Vec<u8> {
    let bit = |at: usize| {
        u32::from(
            bytes
                .get(at / 8)
                .is_some_and(|byte| byte >> (at % 8) & 1 == 1),
        )
    };
    let mut at = 0;
    let mut take = |width: u32| {
        let value = (0..width).map(|i| bit(at + i as usize) << i).sum::<u32>();
        at += width as usize;
        value
    };
    let size = 1 << frequencies.log;
    let mut slots = vec![usize::MAX; size];
    let mut slot = 0;
    for (symbol, frequency) in frequencies.of.iter().enumerate() {
        for _ in 0..*frequency {
            slots[slot] = symbol;
            slot = (slot + size / 2 + size / 8 + 3) % size;
        }
    }
    let mut states: Vec<u32> = (0..count.min(4)).map(|_| take(frequencies.log)).collect();
    let mut symbols = Vec::new();
    for i in 0..count {
        let state = states[i % 4] as usize;
        let symbol = slots[state];
        symbols.push(symbol as u8);
        let before = slots[..state].iter().filter(|s| **s == symbol).count() as u32;
        let mut x = u32::from(frequencies.of[symbol]) + before;
        if i + 4 < count {
            let mut width = 0;
            while x << width < size as u32 {
                width += 1;
            }
            x = (x << width) + take(width);
            states[i % 4] = x - size as u32;
        }
    }
    symbols
}

fn round_trip(symbols: &[u8], log: u32) -> usize {
    let frequencies = Frequencies::of(&counts(symbols), log);
    let mut bits = BitWriter::default();
    encode_symbols(&EncodeTable::new(&frequencies), symbols, &mut bits);
    let bytes = bits.finish();
    let table = DecodeTable::new(&frequencies);
    let mut reader = BitReader::new(&bytes);
    let back = decode_symbols(&table, &mut reader, symbols.len());
    assert_eq!(back, symbols);
    assert_eq!(reader.end(), Ok(()));
    assert_eq!(decode_slowly(&frequencies, &bytes, symbols.len()), symbols);
    bytes.len()
}

#[test]
fn skewed_symbols_take_about_their_entropy() {
    let mut random = Random(3);
    let symbols: Vec<u8> = (0..1024)
        .map(|_| (random.next() & random.next() & random.next()).count_ones() as u8)
        .collect();
    let frequencies = Frequencies::of(&counts(&symbols), 11);
    let ideal = frequencies.cost(&counts(&symbols)) as usize / 256 / 8;
    let bytes = round_trip(&symbols, 11);
    assert!(bytes <= ideal + 6 && bytes >= ideal, "{bytes} {ideal}");
}

#[test]
fn golden_bytes() {
    let symbols: Vec<u8> = (0..32_u32).map(|i| (i * i % 7 % 4) as u8).collect();
    let frequencies = Frequencies::of(&counts(&symbols)[..4], 5);
    assert_eq!(frequencies.of, [14, 9, 9, 0]);
    let mut head = BitWriter::default();
    frequencies.write(&mut head);
    assert_eq!(head.finish(), [5, 3, 120, 20, 42]);
    let mut bits = BitWriter::default();
    encode_symbols(&EncodeTable::new(&frequencies), &symbols, &mut bits);
    let bytes = bits.finish();
    assert_eq!(bytes, [88, 243, 237, 242, 207, 63, 31, 0]);
}

#[test]
fn any_bytes_are_an_answer() {
    let symbols: Vec<u8> = (0..1000_u32).map(|i| (i * i % 61) as u8).collect();
    let frequencies = Frequencies::of(&counts(&symbols)[..61], 9);
    let mut bits = BitWriter::default();
    frequencies.write(&mut bits);
    mutations(&bits.finish(), 4000, |bytes| {
        if let Ok(frequencies) = Frequencies::read(&mut BitReader::new(bytes)) {
            let sum: u32 = frequencies.of.iter().map(|of| u32::from(*of)).sum();
            assert_eq!(sum, 1 << frequencies.log);
        }
    });
    let mut bits = BitWriter::default();
    encode_symbols(&EncodeTable::new(&frequencies), &symbols, &mut bits);
    let table = DecodeTable::new(&frequencies);
    mutations(&bits.finish(), 2000, |bytes| {
        let fast = decode_symbols(&table, &mut BitReader::new(bytes), 1000);
        assert_eq!(fast, decode_slowly(&frequencies, bytes, 1000));
    });
}

/// The slow twin of columns: every code by the definition of the format.
fn decode_columns_slowly(contexts: &Contexts, bytes: &[u8], lengths: &[usize]) -> Vec<Vec<u8>> {
    let mut bits = BitReader::new(bytes);
    let mut states: Vec<usize> = (0..4).map(|_| bits.take(10) as usize).collect();
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    order.sort_by_key(|string| core::cmp::Reverse(lengths[*string]));
    let mut strings: Vec<Vec<u8>> = lengths.iter().map(|_| Vec::new()).collect();
    for column in 0..lengths.iter().copied().max().unwrap_or(0) {
        let reaching = order.iter().filter(|string| lengths[**string] > column);
        for (turn, string) in reaching.enumerate() {
            let known = |code: &u8| contexts.known.iter().position(|known| known == code);
            let cluster = match strings[*string].last() {
                None => contexts.start,
                Some(before) => known(before).map_or(0, |at| contexts.clusters[at]),
            };
            let frequencies = &contexts.frequencies[usize::from(cluster)].of;
            let mut slots = [0; 1024];
            let mut slot = 0;
            for (symbol, frequency) in frequencies.iter().enumerate() {
                for _ in 0..*frequency {
                    slots[slot] = symbol;
                    slot = (slot + 512 + 128 + 3) % 1024;
                }
            }
            let state = states[turn % 4];
            let symbol = slots[state];
            let before = slots[..state].iter().filter(|s| **s == symbol).count();
            let x = usize::from(frequencies[symbol]) + before;
            let width = (0..=10).find(|width| x << width >= 1024).unwrap();
            states[turn % 4] = (x << width) + bits.take(width) as usize - 1024;
            strings[*string].push(match symbol {
                0 => bits.take(8) as u8,
                symbol => contexts.known[symbol - 1],
            });
        }
    }
    strings
}

proptest! {
    #[test]
    fn columns_are_those_of_the_slow_twin(
        strings in proptest::collection::vec(
            proptest::collection::vec(proptest::prop_oneof![0..9_u8, any::<u8>()], 0..20),
            0..30,
        ),
        long in proptest::collection::vec(0..4_u8, 0..400),
        trained in 0..30_usize,
    ) {
        let mut strings = strings;
        strings.push(long);
        let mut counts = ContextCounts::new();
        strings.iter().take(trained).for_each(|string| counts.add(string));
        let contexts = counts.contexts((1, 1));
        let mut resource = Vec::new();
        contexts.write(&mut resource);
        prop_assert_eq!(Contexts::read(&resource), Ok(contexts.clone()));
        let mut at = 0;
        let span = |string: &Vec<u8>| {
            at += string.len() as u32;
            (at - string.len() as u32, at)
        };
        let spans: Vec<(u32, u32)> = strings.iter().map(span).collect();
        let codes = strings.concat();
        let mut bits = BitWriter::default();
        encode_columns(&ContextEncoder::new(&contexts), &codes, &spans, &mut bits).unwrap();
        let bytes = bits.finish();
        let mut back = vec![0; codes.len()];
        let decoder = ContextDecoder::new(&contexts);
        prop_assert_eq!(decode_columns(&decoder, &bytes, &spans, &mut back), Ok(()));
        prop_assert_eq!(&back, &codes);
        let lengths: Vec<usize> = strings.iter().map(Vec::len).collect();
        prop_assert_eq!(decode_columns_slowly(&contexts, &bytes, &lengths), strings);
    }

    #[test]
    fn symbols_round_trip(symbols: Vec<u8>, mask: u8, log in LOG_MIN..=LOG_MAX) {
        let symbols: Vec<u8> = symbols.iter().map(|symbol| symbol & mask).collect();
        round_trip(&symbols, log);
    }

    #[test]
    fn frequencies_come_back(
        counts in proptest::collection::vec(any::<u32>(), 1..=256),
        mask: u32,
        log in LOG_MIN..=LOG_MAX,
    ) {
        let counts: Vec<u32> = counts.iter().map(|count| count & mask).collect();
        let frequencies = Frequencies::of(&counts, log);
        let sum: u32 = frequencies.of.iter().map(|of| u32::from(*of)).sum();
        prop_assert_eq!(sum, 1 << frequencies.log);
        for (count, of) in counts.iter().zip(&frequencies.of) {
            prop_assert!(*count == 0 || *of > 0);
        }
        let mut bits = BitWriter::default();
        frequencies.write(&mut bits);
        let bytes = bits.finish();
        let mut reader = BitReader::new(&bytes);
        prop_assert_eq!(Frequencies::read(&mut reader), Ok(frequencies));
        prop_assert_eq!(reader.end(), Ok(()));
    }
}
