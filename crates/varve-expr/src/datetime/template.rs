//! Templates of `to_char`, `to_date` and `to_timestamp`, such as `YYYY-MM-DD HH24:MI:SS`, cut into
//! patterns and literal text.

/// A pattern of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pattern {
    Meridiem {
        dotted: bool,
    },
    Era {
        dotted: bool,
    },
    Hour12,
    Hour24,
    Minute,
    Second,
    Millisecond,
    Microsecond,
    /// So many digits of a fraction.
    Fraction(u32),
    SecondsOfDay,
    Year {
        digits: u32,
        iso: bool,
    },
    YearWithComma,
    Month(Name),
    MonthNumber,
    Day(Name),
    DayOfYear,
    IsoDayOfYear,
    DayOfMonth,
    DayOfWeek,
    IsoDayOfWeek,
    WeekOfMonth,
    WeekOfYear,
    IsoWeek,
    Century,
    Julian,
    Quarter,
    Roman,
    Zone,
    ZoneHour,
    ZoneMinute,
    Offset,
}

/// Whether a name is written in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name {
    Full,
    Short,
}

/// How letters are written: as the pattern has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    Upper,
    Capital,
    Lower,
}

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Literal characters, and whether they stood between quotes.
    Text { text: String, quoted: bool },
    Field {
        pattern: Pattern,
        /// Its name in upper case.
        name: &'static str,
        case: Case,
        /// `FM`: neither zeros nor blanks are added.
        bare: bool,
        /// `FX`: what is read has exactly the form of the template from here on.
        exact: bool,
        /// `TH` or `th`.
        ordinal: Option<Case>,
    },
}

use Pattern as P;

impl Pattern {
    /// Whether what it stands for is digits.
    pub(super) fn is_digits(self) -> bool {
        !matches!(
            self,
            P::Meridiem { .. }
                | P::Era { .. }
                | P::Month(_)
                | P::Day(_)
                | P::Roman
                | P::Zone
                | P::ZoneHour
                | P::Offset
        )
    }
}

/// Longer patterns stand before those that they begin with; letters are in upper case.
const PATTERNS: [(&str, Pattern); 53] = [
    ("A.D.", P::Era { dotted: true }),
    ("B.C.", P::Era { dotted: true }),
    ("A.M.", P::Meridiem { dotted: true }),
    ("P.M.", P::Meridiem { dotted: true }),
    ("AD", P::Era { dotted: false }),
    ("BC", P::Era { dotted: false }),
    ("AM", P::Meridiem { dotted: false }),
    ("PM", P::Meridiem { dotted: false }),
    ("CC", P::Century),
    ("DAY", P::Day(Name::Full)),
    ("DDD", P::DayOfYear),
    ("DD", P::DayOfMonth),
    ("DY", P::Day(Name::Short)),
    ("D", P::DayOfWeek),
    ("FF1", P::Fraction(1)),
    ("FF2", P::Fraction(2)),
    ("FF3", P::Fraction(3)),
    ("FF4", P::Fraction(4)),
    ("FF5", P::Fraction(5)),
    ("FF6", P::Fraction(6)),
    ("HH24", P::Hour24),
    ("HH12", P::Hour12),
    ("HH", P::Hour12),
    ("IDDD", P::IsoDayOfYear),
    ("ID", P::IsoDayOfWeek),
    ("IW", P::IsoWeek),
    (
        "IYYY",
        P::Year {
            digits: 4,
            iso: true,
        },
    ),
    (
        "IYY",
        P::Year {
            digits: 3,
            iso: true,
        },
    ),
    (
        "IY",
        P::Year {
            digits: 2,
            iso: true,
        },
    ),
    (
        "I",
        P::Year {
            digits: 1,
            iso: true,
        },
    ),
    ("J", P::Julian),
    ("MI", P::Minute),
    ("MM", P::MonthNumber),
    ("MONTH", P::Month(Name::Full)),
    ("MON", P::Month(Name::Short)),
    ("MS", P::Millisecond),
    ("OF", P::Offset),
    ("Q", P::Quarter),
    ("RM", P::Roman),
    ("SSSSS", P::SecondsOfDay),
    ("SSSS", P::SecondsOfDay),
    ("SS", P::Second),
    ("TZH", P::ZoneHour),
    ("TZM", P::ZoneMinute),
    ("TZ", P::Zone),
    ("US", P::Microsecond),
    ("WW", P::WeekOfYear),
    ("W", P::WeekOfMonth),
    ("Y,YYY", P::YearWithComma),
    (
        "YYYY",
        P::Year {
            digits: 4,
            iso: false,
        },
    ),
    (
        "YYY",
        P::Year {
            digits: 3,
            iso: false,
        },
    ),
    (
        "YY",
        P::Year {
            digits: 2,
            iso: false,
        },
    ),
    (
        "Y",
        P::Year {
            digits: 1,
            iso: false,
        },
    ),
];

/// The longest template.
const PIECES_MAX: usize = 10_000;

fn strip_any_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let start = text.get(..prefix.len())?;
    start
        .eq_ignore_ascii_case(prefix)
        .then(|| text.get(prefix.len()..))?
}

/// The case that the letters of a pattern ask for.
fn case_of(text: &str) -> Case {
    let mut letters = text.chars().filter(char::is_ascii_alphabetic);
    match (letters.next(), letters.next()) {
        (Some(first), _) if first.is_ascii_lowercase() => Case::Lower,
        (_, Some(second)) if second.is_ascii_lowercase() => Case::Capital,
        _ => Case::Upper,
    }
}

/// The pieces of a template.
pub(super) fn pieces(template: &str) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut rest = template;
    while !rest.is_empty() && pieces.len() < PIECES_MAX {
        let (mut bare, mut exact) = (false, false);
        let mut start = rest;
        // Modifiers in front: FM counts, FX in what is read, TM changes nothing.
        while let Some((prefix, after)) = ["FM", "FX", "TM"]
            .iter()
            .find_map(|prefix| Some((*prefix, strip_any_case(start, prefix)?)))
        {
            bare |= prefix == "FM";
            exact |= prefix == "FX";
            start = after;
        }
        let found = PATTERNS
            .iter()
            .find_map(|(name, pattern)| Some((*name, *pattern, strip_any_case(start, name)?)));
        if let Some((name, pattern, after)) = found {
            let case = case_of(start.get(..name.len()).unwrap_or_default());
            let ordinal = strip_any_case(after, "TH").map(|_| case_of(after));
            rest = match ordinal {
                Some(_) => after.get(2..).unwrap_or_default(),
                None => after,
            };
            pieces.push(Piece::Field {
                pattern,
                name,
                case,
                bare,
                exact,
                ordinal,
            });
            continue;
        }
        rest = literal(start, &mut pieces);
    }
    pieces
}

/// Takes quoted text, or one character as it is; gives what follows.
fn literal<'a>(text: &'a str, pieces: &mut Vec<Piece>) -> &'a str {
    let mut chars = text.chars();
    let mut taken = String::new();
    match chars.next() {
        Some('"') => {
            while let Some(c) = chars.next() {
                match c {
                    '"' => break,
                    '\\' => taken.extend(chars.next()),
                    c => taken.push(c),
                }
            }
        }
        Some('\\') if chars.as_str().starts_with('"') => taken.extend(chars.next()),
        first => taken.extend(first),
    }
    let quoted = text.starts_with('"');
    match pieces.last_mut() {
        Some(Piece::Text {
            text: before,
            quoted: same,
        }) if *same == quoted => before.push_str(&taken),
        _ => pieces.push(Piece::Text {
            text: taken,
            quoted,
        }),
    }
    chars.as_str()
}
