use super::{Abbreviation, Zone, abbreviation, table};
use crate::datetime::{parse_timestamp, write_timestamp};
use crate::tree::Locale;

fn in_zone(name: &str, text: &str) -> String {
    let locale = Locale {
        zone: Zone::named(name).unwrap(),
        ..Locale::default()
    };
    let us = parse_timestamp(text, true, &locale).unwrap();
    let mut shown = String::new();
    write_timestamp(us, true, &locale, &mut shown);
    shown
}

#[test]
fn clocks_are_those_of_the_zone() {
    let cases = [
        // Winter and summer.
        (
            "America/New_York",
            "2021-01-15 12:00",
            "2021-01-15 12:00:00-05",
        ),
        (
            "America/New_York",
            "2021-07-15 12:00",
            "2021-07-15 12:00:00-04",
        ),
        // Clocks are put forward from 2 to 3 and back from 2 to 1.
        (
            "America/New_York",
            "2021-03-14 02:30",
            "2021-03-14 03:30:00-04",
        ),
        (
            "America/New_York",
            "2021-11-07 01:30",
            "2021-11-07 01:30:00-05",
        ),
        (
            "America/New_York",
            "2021-11-07 05:30Z",
            "2021-11-07 01:30:00-04",
        ),
        // After the last transition of the database its rule goes on.
        (
            "America/New_York",
            "2300-07-15 12:00",
            "2300-07-15 12:00:00-04",
        ),
        (
            "america/new_york",
            "1883-11-18 12:00Z",
            "1883-11-18 07:03:58-04:56:02",
        ),
        (
            "Asia/Kolkata",
            "2021-07-15 12:00",
            "2021-07-15 12:00:00+05:30",
        ),
        (
            "Australia/Lord_Howe",
            "2021-07-15 12:00",
            "2021-07-15 12:00:00+10:30",
        ),
        (
            "Australia/Lord_Howe",
            "2021-12-15 12:00",
            "2021-12-15 12:00:00+11",
        ),
        (
            "Europe/Dublin",
            "2021-07-15 12:00",
            "2021-07-15 12:00:00+01",
        ),
        ("Pacific/Apia", "2011-12-31 12:00", "2011-12-31 12:00:00+14"),
        (
            "PST8PDT,M3.2.0,M11.1.0",
            "2021-07-15 12:00",
            "2021-07-15 12:00:00-07",
        ),
        (
            "<+03:30>-3:30",
            "2021-07-15 12:00",
            "2021-07-15 12:00:00+03:30",
        ),
        (
            "XXX3YYY,J60/0,300/1:30",
            "2021-03-01 12:00",
            "2021-03-01 12:00:00-02",
        ),
        (
            "XXX3YYY,J60/0,300/1:30",
            "2021-02-28 12:00",
            "2021-02-28 12:00:00-03",
        ),
        ("foo5", "2021-07-15 12:00", "2021-07-15 12:00:00-05"),
    ];
    for (zone, text, expected) in cases {
        assert_eq!(in_zone(zone, text), expected, "{zone} {text}");
    }
    assert_eq!(Zone::named("No/Such"), None);
    assert_eq!(Zone::named("EST5EDT,M13.1.0,M11.1.0"), None);
    assert_eq!(Zone::named("EST5EDT,M3.1.0"), None);
}

#[test]
fn every_zone_of_the_database_is_read() {
    let names = table::names();
    assert!(names.len() > 500, "{}", names.len());
    assert!(names.contains(&"Europe/Berlin"));
    for name in names {
        let zone = Zone::named(name).unwrap();
        assert!(name == "UTC" || zone.name() == name);
        let rules = zone.0.as_deref();
        assert!(rules.is_none_or(|rules| rules.tail.is_some()), "{name}");
        let sorted = rules.is_none_or(|rules| rules.transitions.is_sorted());
        assert!(sorted, "{name}");
    }
    assert!(table::version().starts_with("20"));
}

#[test]
fn offsets_are_named_as_postgresql_names_them() {
    let cases = [
        (-7 * 3600, "<-07>+07"),
        (19_800, "<+05:30>-05:30"),
        (0, "<+00>-00"),
    ];
    for (offset_s, name) in cases {
        let zone = Zone::of_offset(offset_s).unwrap();
        assert_eq!((zone.name(), zone.offset_s(0)), (name, offset_s));
    }
}

#[test]
fn abbreviations_are_offsets_or_zones() {
    let fixed = |minutes: i32, is_summer| {
        let offset_s = minutes * 60;
        Some(Abbreviation::Fixed {
            offset_s,
            is_summer,
        })
    };
    assert_eq!(abbreviation("pdt"), fixed(-420, true));
    assert_eq!(abbreviation("Z"), fixed(0, false));
    assert_eq!(abbreviation("msk"), Some(Abbreviation::Of("Europe/Moscow")));
    assert_eq!(abbreviation("xyz"), None);
    let moscow = Zone::named("Europe/Moscow").unwrap();
    let at = |text: &str| parse_timestamp(text, true, &Locale::default()).unwrap();
    let offset = |text: &str| moscow.offset_of_abbreviation_s("MSK", at(text));
    assert_eq!(offset("2012-06-01"), Some(4 * 3600));
    assert_eq!(offset("2000-01-01"), Some(3 * 3600));
    assert_eq!(offset("2000-07-01"), Some(3 * 3600));
}
