//! D9: what a time tracker on an X11 desktop writes: every 30 seconds all windows with their
//! properties as pretty-printed JSON, nearly equal to the snapshot before; and small import rows.
//!
//! A row is about 300 times as wide as those of other sets, so there are 200 times fewer.

use super::column::{id, int64};
use super::timestamps::FIRST_MS;
use crate::random::Random;
use crate::set::{Column, Set, Texts, Values};
use std::fmt::Write;

const ROWS_DIVISOR: usize = 200;
const STEP_MS: i64 = 30_000;
const WINDOWS: usize = 12;
const PACKAGES: u64 = 80;
const PROPERTIES: [(&str, u64); 27] = [
    ("WM_NAME", 12),
    ("_NET_WM_NAME", 12),
    ("WM_CLASS", 12),
    ("WM_STATE", 10),
    ("WM_PROTOCOLS", 8),
    ("WM_HINTS", 8),
    ("WM_NORMAL_HINTS", 8),
    ("WM_CLIENT_MACHINE", 8),
    ("WM_CLIENT_LEADER", 6),
    ("WM_WINDOW_ROLE", 6),
    ("WM_LOCALE_NAME", 6),
    ("WM_ICON_NAME", 6),
    ("WM_TRANSIENT_FOR", 2),
    ("_NET_WM_PID", 8),
    ("_NET_WM_STATE", 8),
    ("_NET_WM_DESKTOP", 8),
    ("_NET_WM_USER_TIME", 6),
    ("_NET_WM_ICON_NAME", 6),
    ("_NET_WM_WINDOW_TYPE", 6),
    ("_NET_WM_ALLOWED_ACTIONS", 5),
    ("_NET_WM_SYNC_REQUEST_COUNTER", 4),
    ("_NET_WM_OPAQUE_REGION", 3),
    ("_NET_FRAME_EXTENTS", 5),
    ("_NET_STARTUP_ID", 3),
    ("_GTK_APPLICATION_ID", 3),
    ("_MOTIF_WM_HINTS", 4),
    ("XdndAware", 3),
];
const PROGRAMS: [&str; 8] = [
    "firefox",
    "code",
    "gnome-terminal",
    "nautilus",
    "thunderbird",
    "evince",
    "slack",
    "spotify",
];
const WORDS: [&str; 24] = [
    "report", "draft", "inbox", "issue", "review", "main", "notes", "budget", "travel", "photos",
    "music", "search", "settings", "build", "release", "meeting", "plan", "design", "video",
    "shop", "news", "mail", "query", "table",
];

struct Window {
    number: u64,
    program: &'static str,
    title: String,
    properties: String,
}

struct Desktop {
    windows: Vec<Window>,
    focused: usize,
    opened: u64,
    received_bytes: u64,
    sent_bytes: u64,
}

pub(super) fn events(name: &str, rows: usize) -> Set {
    let rows = rows / ROWS_DIVISOR;
    let mut random = Random::of_set(9);
    let mut desktop = Desktop {
        windows: Vec::new(),
        focused: 0,
        opened: 0,
        received_bytes: 0,
        sent_bytes: 0,
    };
    for _ in 0..WINDOWS {
        open(&mut desktop, &mut random);
    }
    let mut time_ms = FIRST_MS;
    let mut times = Vec::with_capacity(rows);
    let mut kinds = Texts::default();
    let mut data = Texts::default();
    for _ in 0..rows {
        times.push(time_ms);
        let mut json = String::new();
        let written = if random.percent(10) {
            kinds.push("app_usage_import_v1");
            put_usage(time_ms, &mut random, &mut json)
        } else {
            kinds.push("x11_v2");
            step(&mut desktop, &mut random);
            put_snapshot(&desktop, &mut random, &mut json)
        };
        written.expect("a string takes any text");
        data.push(&json);
        time_ms += STEP_MS;
    }
    let columns = vec![
        id(1, rows),
        int64("timestamp_unix_ms", times),
        Column::new("data_type", Values::Text(kinds)),
        Column::new("data", Values::Text(data)),
    ];
    Set::new(name, columns)
}

/// What happens in 30 seconds.
fn step(desktop: &mut Desktop, random: &mut Random) {
    if random.percent(30) {
        desktop.focused = random.below(desktop.windows.len() as u64) as usize;
    }
    if random.percent(20) {
        let focused = desktop.focused;
        desktop.windows[focused].title = title(desktop.windows[focused].program, random);
    }
    if random.percent(5) {
        let closed = random.below(desktop.windows.len() as u64) as usize;
        desktop.windows.remove(closed);
        open(desktop, random);
        desktop.focused = desktop.windows.len() - 1;
    }
    desktop.received_bytes += random.below(1 << 20);
    desktop.sent_bytes += random.below(1 << 17);
}

fn open(desktop: &mut Desktop, random: &mut Random) {
    desktop.opened += 1;
    let number = 0x0240_0000 + 0x20_0000 * (desktop.opened % 64) + random.below(1 << 12);
    let program = random.choice(&PROGRAMS);
    let mut properties = String::new();
    let count = 40 + random.below(21);
    for i in 0..count {
        let name = random.weighted(&PROPERTIES);
        let value = property(random);
        let comma = if i + 1 < count { "," } else { "" };
        writeln!(properties, "        \"{name}#{i}\": \"{value}\"{comma}")
            .expect("a string takes any text");
    }
    let title = title(program, random);
    desktop.windows.push(Window {
        number,
        program,
        title,
        properties,
    });
}

fn title(program: &str, random: &mut Random) -> String {
    let words: Vec<&str> = (0..2 + random.below(5))
        .map(|_| random.choice(&WORDS))
        .collect();
    format!("{} - {program}", words.join(" "))
}

fn property(random: &mut Random) -> String {
    match random.below(6) {
        0 => format!("0x{:08x}", random.below(1 << 32)),
        1 => random.below(100_000).to_string(),
        2 => (0..3)
            .map(|_| random.choice(&WORDS))
            .collect::<Vec<_>>()
            .join("."),
        _ => "WM_DELETE_WINDOW, WM_TAKE_FOCUS, _NET_WM_PING".to_owned(),
    }
}

fn put_snapshot(desktop: &Desktop, random: &mut Random, out: &mut String) -> std::fmt::Result {
    writeln!(
        out,
        "{{\n  \"os_info\": {{\"os_type\": \"Linux\", \"hostname\": \"desk\"}},"
    )?;
    writeln!(
        out,
        "  \"network\": {{\"rx\": {}, \"tx\": {}}},",
        desktop.received_bytes, desktop.sent_bytes
    )?;
    writeln!(out, "  \"ms_since_user_input\": {},", random.below(30_000))?;
    writeln!(
        out,
        "  \"focused_window\": {},",
        desktop.windows[desktop.focused].number
    )?;
    writeln!(out, "  \"windows\": [")?;
    for (i, window) in desktop.windows.iter().enumerate() {
        writeln!(out, "    {{\n      \"window_id\": {},", window.number)?;
        writeln!(out, "      \"program\": \"/usr/bin/{}\",", window.program)?;
        writeln!(out, "      \"title\": \"{}\",", window.title)?;
        write!(
            out,
            "      \"properties\": {{\n{}      }}\n",
            window.properties
        )?;
        let comma = if i + 1 < desktop.windows.len() {
            ","
        } else {
            ""
        };
        writeln!(out, "    }}{comma}")?;
    }
    write!(out, "  ]\n}}")
}

fn put_usage(time_ms: i64, random: &mut Random, out: &mut String) -> std::fmt::Result {
    let package = random.below(PACKAGES);
    let used_ms = random.below(600_000);
    write!(
        out,
        "{{\"package_name\":\"org.example.app{package:02}\",\"app_name\":\"App {package}\""
    )?;
    write!(
        out,
        ",\"device\":\"phone\",\"type\":\"UseApp\",\"start_ms\":{time_ms}"
    )?;
    write!(
        out,
        ",\"duration_ms\":{used_ms},\"end_ms\":{}",
        time_ms + used_ms as i64
    )?;
    write!(
        out,
        ",\"act_type\":\"{}\"}}",
        random.choice(&["foreground", "background"])
    )
}
