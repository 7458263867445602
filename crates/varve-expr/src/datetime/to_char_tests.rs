//! Answers of PostgreSQL.

use super::{interval_to_char, timestamp_to_char};
use crate::datetime::{Zone, parse_interval, parse_timestamp};
use crate::tree::{DEFAULT_LOCALE, IntervalStyle, Locale};
use varve_types::TypeMod;

#[test]
fn timestamps() {
    let cases = [
        (
            "2024-02-29 13:04:05.678901",
            "HH24:MI:SS.MS US SSSS SSSSS AM a.m. A.D. bc Y,YYY YYYY YYY YY Y IYYY IYY IY I",
            "13:04:05.678 678901 47045 47045 PM p.m. A.D. ad 2,024 2024 024 24 4 2024 024 24 4",
        ),
        (
            "2024-02-29 13:04:05.678901",
            "MONTH Month month MON Mon mon MM DAY Day day DY Dy dy DDD IDDD DD D ID W WW IW CC",
            "FEBRUARY  February  february  FEB Feb feb 02 THURSDAY  Thursday  thursday  THU Thu \
             thu 060 060 29 5 4 5 09 09 21",
        ),
        (
            "2024-02-29 13:04:05.678901",
            "J Q RM rm FF1 FF3 FF6",
            "2460370 1 II   ii   6 678 678901",
        ),
        (
            "2024-02-09",
            r#"FMMonth FMDD, FMDay DDth FMDDTH FMRM RM "lit""x" \"y FXHH"#,
            r#"February 9, Friday 09th 9TH II II   litx "4 12"#,
        ),
        ("0044-03-15 BC", "YYYY BC Y,YYY CC", "0044 BC 0,044 -01"),
        (
            "2024-02-09",
            "IYYY-IW-ID W WW J Q D",
            "2024-06-5 2 06 2460350 1 6",
        ),
        ("2024-02-09", r#"a\b "q"#, r"a\b q"),
        (
            "2024-02-09",
            "DDTH DDth MMth YYYYth HH12TH",
            "09TH 09th 02nd 2024th 12TH",
        ),
        ("11111-02-09", "YYYY YYYth", "11111 111th"),
    ];
    let mut wrong = String::new();
    for (text, template, expected) in cases {
        let us = parse_timestamp(text, false, &DEFAULT_LOCALE).unwrap();
        let found = timestamp_to_char(us, None, template).unwrap();
        if found != expected {
            wrong += &format!("{text} {template}:\n  {found}\n  {expected}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn zones() {
    let zone = Zone::named("America/New_York").unwrap();
    let locale = Locale {
        zone: zone.clone(),
        ..Locale::default()
    };
    let us = parse_timestamp("2024-02-29 13:04:05", true, &locale).unwrap();
    let found = timestamp_to_char(zone.local_us(us), Some(zone.at(us)), "TZ tz TZH TZM OF");
    assert_eq!(found.unwrap(), "EST est -05 00 -05");
}

#[test]
fn intervals() {
    let cases = [
        (
            "1 year 2 mons 3 days 25:06:07.89",
            "YYYY MM DD HH24 HH12 MI SS MS DDD",
            "0001 02 03 25 01 06 07 890 423",
        ),
        ("-1 day -2:03", "DD HH24:MI", "-1 -02:-03"),
        (
            "14 months 3 days 25:06:07.89",
            "YYYY YY Y,YYY MM RM Q CC DDD W WW J SSSS",
            "0001 01 0,001 02 II   1 00 423 1 61 1721459 90367",
        ),
        ("-14 months -3 days", "YYYY YY MM DD", "-0001 -01 -02 -3"),
    ];
    let mut wrong = String::new();
    let read = |text| parse_interval(text, TypeMod::NONE, IntervalStyle::Postgres).unwrap();
    for (text, template, expected) in cases {
        let found = interval_to_char(read(text), template).unwrap();
        if found != expected {
            wrong += &format!("{text} {template}:\n  {found}\n  {expected}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    for template in ["TZ", "Month", "Day", "AD"] {
        let error = interval_to_char(read("1 day"), template).unwrap_err();
        assert_eq!(error.state().code(), "22007", "{template}");
    }
}
