//! Abbreviations of time zones that need no zone to be known: PostgreSQL's default set.

/// What an abbreviation stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Abbreviation {
    /// An offset from UTC, as it is.
    Fixed {
        /// East of UTC.
        offset_s: i32,
        is_summer: bool,
    },
    /// What it means in this zone at the time in question, which changed.
    Of(&'static str),
}

/// Each with its minutes east of UTC and a D for summer time, or with a zone.
const KNOWN: &str = "\
    ACDT 630D;ACSST 630D;ACST 570;ACT -300;ACWST 525;ADT -180D;AEDT 660D;AESST 660D;AEST 600; \
    AFT 270;AKDT -480D;AKST -540;ALMST 420D;ALMT 360;AMST Asia/Yerevan;AMT -240; \
    ANAST Asia/Anadyr;ANAT Asia/Anadyr;ARST America/Argentina/Buenos_Aires; \
    ART America/Argentina/Buenos_Aires;AST -240;AWSST 540D;AWST 480;AZOST 0D;AZOT -60; \
    AZST Asia/Baku;AZT Asia/Baku;BDST 120D;BDT 360;BNT 480;BORT 480;BOT -240;BRA -180; \
    BRST -120D;BRT -180;BST 60D;BTT 360;CADT 630D;CAST 570;CCT 480;CDT -300D;CEST 120D;CET 60; \
    CETDST 120D;CHADT 825D;CHAST 765;CHUT 600;CKT Pacific/Rarotonga;CLST -180D; \
    CLT America/Santiago;COT -300;CST -360;CXT 420;DAVT Antarctica/Davis;DDUT 600; \
    EASST Pacific/Easter;EAST Pacific/Easter;EAT 180;EDT -240D;EEST 180D;EET 120;EETDST 180D; \
    EGST 0D;EGT -60;EST -300;FET 180;FJST 780D;FJT 720;FKST Atlantic/Stanley; \
    FKT Atlantic/Stanley;FNST -60D;FNT -120;GALT -360;GAMT -540;GEST Asia/Tbilisi; \
    GET Asia/Tbilisi;GFT -180;GILT 720;GMT 0;GYT America/Guyana;HKT 480;HST -600;ICT 420; \
    IDT 180D;IOT Indian/Chagos;IRKST Asia/Irkutsk;IRKT Asia/Irkutsk;IRT 210;IST 120;JAYT 540; \
    JST 540;KDT 600D;KGST 360D;KGT Asia/Bishkek;KOST Pacific/Kosrae;KRAST Asia/Krasnoyarsk; \
    KRAT Asia/Krasnoyarsk;KST 540;LHDT Australia/Lord_Howe;LHST 630;LIGT 600; \
    LINT Pacific/Kiritimati;LKT Asia/Colombo;MAGST Asia/Magadan;MAGT Asia/Magadan;MART -570; \
    MAWT Antarctica/Mawson;MDT -360D;MEST 120D;MESZ 120D;MET 60;METDST 120D;MEZ 60;MHT 720; \
    MMT 390;MPT 600;MSD 240D;MSK Europe/Moscow;MST -420;MUST 300D;MUT 240;MVT 300;MYT 480; \
    NDT -150D;NFT -210;NOVST Asia/Novosibirsk;NOVT Asia/Novosibirsk;NPT 345;NST -210; \
    NUT Pacific/Niue;NZDT 780D;NZST 720;NZT 720;OMSST Asia/Omsk;OMST Asia/Omsk;PDT -420D; \
    PET -300;PETST Asia/Kamchatka;PETT Asia/Kamchatka;PGT 600;PHT 480;PKST 360D;PKT 300; \
    PMDT -120D;PMST -180;PONT 660;PST -480;PWT 540;PYST -180D;PYT America/Asuncion;RET 240; \
    SADT 630D;SAST 120;SCT 240;SGT Asia/Singapore;TAHT -600;TFT 300;TJT 300;TKT Pacific/Fakaofo; \
    TMT Asia/Ashgabat;TOT 780;TRUT 600;TVT 720;UCT 0;ULAST 540D;ULAT Asia/Ulaanbaatar;UT 0; \
    UTC 0;UYST -120D;UYT -180;UZST 360D;UZT 300;VET America/Caracas;VLAST Asia/Vladivostok; \
    VLAT Asia/Vladivostok;VOLT Europe/Volgograd;VUT 660;WADT 480D;WAKT 720;WAST 420;WAT 60; \
    WDT 540D;WET 0;WETDST 60D;WFT 720;WGST -120D;WGT -180;XJT 360;YAKST Asia/Yakutsk; \
    YAKT Asia/Yakutsk;YAPT 600;YEKST 360D;YEKT Asia/Yekaterinburg;Z 0;ZULU 0;";

/// What an abbreviation stands for, in any case.
pub(crate) fn abbreviation(text: &str) -> Option<Abbreviation> {
    let (_, meaning) = KNOWN
        .split_terminator(';')
        .filter_map(|entry| entry.trim_start().split_once(' '))
        .find(|(known, _)| known.eq_ignore_ascii_case(text))?;
    let minutes = meaning.strip_suffix('D').unwrap_or(meaning);
    Some(match minutes.parse::<i32>() {
        Ok(minutes) => Abbreviation::Fixed {
            offset_s: minutes * 60,
            is_summer: meaning.ends_with('D'),
        },
        Err(_) => Abbreviation::Of(meaning),
    })
}
