//! Data of several kinds, made by integer arithmetic alone.

/// SplitMix64.
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of `seed`.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// Any number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: u64) -> u64 {
        self.draw() % end
    }

    /// One of `items`, which are not empty.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        let at = self.below(items.len() as u64);
        usize::try_from(at).ok().and_then(|at| items.get(at))
    }
}

const WORDS: [&str; 26] = [
    "varve",
    "layer",
    "sediment",
    "fine",
    "sorted",
    "laid",
    "once",
    "never",
    "disturbed",
    "page",
    "column",
    "vector",
    "run",
    "group",
    "key",
    "index",
    "scan",
    "fetch",
    "value",
    "browser",
    "the",
    "of",
    "and",
    "in",
    "to",
    "is",
];
const STATES: [&str; 5] = ["new", "open", "paid", "sent", "done"];

/// What the bytes look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Words, some much more frequent than others, and numbers.
    Text,
    /// Nothing to compress.
    Random,
    /// Little-endian numbers of 8 and of 4 bytes.
    Columnar,
    /// Objects of one shape, a line each.
    Json,
    /// Stretches of all these, and of equal bytes.
    Mixed,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 5] = [
        Kind::Text,
        Kind::Random,
        Kind::Columnar,
        Kind::Json,
        Kind::Mixed,
    ];

    /// The first `bytes` of this kind.
    pub fn data(self, bytes: usize) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes + 256);
        match self {
            Kind::Text => text(&mut out, bytes),
            Kind::Random => {
                let mut random = Random::new(2);
                while out.len() < bytes {
                    out.extend_from_slice(&random.draw().to_le_bytes());
                }
            }
            Kind::Columnar => columnar(&mut out, bytes),
            Kind::Json => {
                let mut random = Random::new(4);
                for id in 0.. {
                    if out.len() >= bytes {
                        break;
                    }
                    out.extend_from_slice(json_row(&mut random, id).as_bytes());
                }
            }
            Kind::Mixed => {
                let stretch = bytes / 7 + 1000;
                for number in 0..7 {
                    match number % 4 {
                        0 => out.extend(Kind::Text.data(stretch)),
                        1 => out.extend(Kind::Random.data(stretch / 3)),
                        2 => out.extend(Kind::Columnar.data(stretch * 2)),
                        _ => out.resize(out.len() + stretch / 2, 7),
                    }
                }
            }
        }
        out.truncate(bytes);
        out
    }
}

fn text(out: &mut Vec<u8>, bytes: usize) {
    let mut random = Random::new(1);
    while out.len() < bytes {
        // The product of two draws prefers the first words.
        let at = random.below(26) * random.below(26) / 26;
        let word = usize::try_from(at).ok().and_then(|at| WORDS.get(at));
        out.extend_from_slice(word.copied().unwrap_or_default().as_bytes());
        out.push(if random.below(12) == 0 { b'\n' } else { b' ' });
        if random.below(9) == 0 {
            out.extend_from_slice(random.below(100_000).to_string().as_bytes());
        }
    }
}

fn columnar(out: &mut Vec<u8>, bytes: usize) {
    let mut random = Random::new(3);
    let mut time = 1_700_000_000_000_000_u64;
    while out.len() < bytes {
        time += 50_000 + random.below(700);
        out.extend_from_slice(&time.to_le_bytes());
        if (out.len() >> 16) & 1 == 1 {
            for _ in 0..16 {
                let number = u32::try_from(random.below(300)).unwrap_or_default();
                out.extend_from_slice(&number.to_le_bytes());
            }
        }
    }
}

/// One order, with a line end.
pub fn json_row(random: &mut Random, id: u64) -> String {
    let state = random.pick(&STATES).copied().unwrap_or_default();
    let first = random.pick(&WORDS).copied().unwrap_or_default();
    let second = random.pick(&WORDS).copied().unwrap_or_default();
    let user = random.below(5000);
    let (month, day) = (1 + random.below(12), 1 + random.below(28));
    let (hour, minute) = (random.below(24), random.below(60));
    let (units, cents) = (random.below(10_000), random.below(100));
    format!(
        "{{\"id\":{id},\"user\":\"user{user}@example.com\",\"status\":\"{state}\",\"tags\":[\"{first}\",\
         \"{second}\"],\"at\":\"2026-{month:02}-{day:02}T{hour:02}:{minute:02}:00Z\",\
         \"amount\":{units}.{cents:02}}}\n"
    )
}
