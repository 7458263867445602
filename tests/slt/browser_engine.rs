//! The package `varvedb` on IndexedDB in a real Chromium, driven over the pipes of
//! `tests/browser/slt-bridge.mjs`.
//!
//! Each line to the bridge is a JSON request, each line from it the answer: `{"open": name}`,
//! `{"reopen": true}`, `{"sql": text}`; `{"types": [..], "rows": [[..]]}`, `{"changed": n}` or
//! `{"error": {"state", "message"}}`. With each, `refused` says how often the call was refused
//! because the second part of the engine did not come, and `isLost` that the engine ended for that
//! reason.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use sqllogictest::{DB, DBOutput, DefaultColumnType};

use crate::native_engine::EngineError;

/// How the workers get the second part of the engine.
#[derive(Clone, Copy)]
pub enum SecondPart {
    /// Beside the first answers, as the package does it.
    Ahead,
    /// When something in it is called first.
    InCalls,
    /// Both ways, and both fail at random.
    Failing,
}

/// A browser with a persistent profile of its own.
pub struct Browser {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    databases: u32,
    refused: u64,
    lost: u64,
    is_lost: bool,
}

impl Browser {
    /// Starts the bridge.
    pub fn start(second: SecondPart) -> Browser {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut process = Command::new("node")
            .arg("tests/browser/slt-bridge.mjs")
            .args(match second {
                SecondPart::Ahead => None,
                SecondPart::InCalls => Some("stubs"),
                SecondPart::Failing => Some("failing"),
            })
            .current_dir(root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("node runs the bridge");
        let input = process.stdin.take().expect("the bridge's input");
        let output = BufReader::new(process.stdout.take().expect("the bridge's output"));
        Browser {
            process,
            input,
            output,
            databases: 0,
            refused: 0,
            lost: 0,
            is_lost: false,
        }
    }

    /// How many calls were refused because the second part did not come, and how many engines were
    /// lost.
    pub fn failures(&self) -> (u64, u64) {
        (self.refused, self.lost)
    }

    /// Whether the engine has ended since it was asked last, as it could not load its second part
    /// in the middle of a statement.
    pub fn was_lost(&mut self) -> bool {
        std::mem::take(&mut self.is_lost)
    }

    fn call(&mut self, request: &Value) -> Result<Value, EngineError> {
        let broken = |message: String| EngineError {
            state: "08006".to_owned(),
            message,
        };
        let mut line = request.to_string();
        line.push('\n');
        self.input
            .write_all(line.as_bytes())
            .map_err(|error| broken(error.to_string()))?;
        line.clear();
        self.output
            .read_line(&mut line)
            .map_err(|error| broken(error.to_string()))?;
        let answer: Value =
            serde_json::from_str(&line).map_err(|error| broken(format!("{error}: {line:?}")))?;
        self.refused += answer["refused"].as_u64().unwrap_or(0);
        if answer["isLost"] == true {
            self.is_lost = true;
            self.lost += 1;
        }
        match answer.get("error") {
            Some(error) => {
                let text = |name: &str| error[name].as_str().unwrap_or_default().to_owned();
                Err(EngineError {
                    state: text("state"),
                    message: text("message"),
                })
            }
            None => Ok(answer),
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The bridge ends, and its browser with it, when its input does; a kill is for one that
        // hangs.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A database of that browser.
pub struct BrowserEngine(Arc<Mutex<Browser>>);

impl BrowserEngine {
    /// A new, empty database.
    pub fn open(browser: &Arc<Mutex<Browser>>) -> Result<BrowserEngine, EngineError> {
        let engine = BrowserEngine(Arc::clone(browser));
        let name = {
            let mut browser = browser.lock().unwrap_or_else(PoisonError::into_inner);
            browser.databases += 1;
            format!("slt-{}", browser.databases)
        };
        engine.call(&json!({ "open": name }))?;
        Ok(engine)
    }

    fn call(&self, request: &Value) -> Result<Value, EngineError> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .call(request)
    }
}

impl DB for BrowserEngine {
    type Error = EngineError;
    type ColumnType = DefaultColumnType;

    fn run(&mut self, sql: &str) -> Result<DBOutput<DefaultColumnType>, EngineError> {
        let request = match sql.trim().strip_prefix("-- ") {
            Some("reopen") => json!({ "reopen": true }),
            // The package has no call for it: what is in the log is flushed when the log is full.
            Some("flush") => return Ok(DBOutput::StatementComplete(0)),
            Some(other) => panic!("no such command: {other}"),
            None => json!({ "sql": sql }),
        };
        let answer = self.call(&request)?;
        let Some(rows) = answer["rows"].as_array() else {
            return Ok(DBOutput::StatementComplete(
                answer["changed"].as_u64().unwrap_or(0),
            ));
        };
        let types =
            answer["types"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|oid| match oid.as_u64() {
                    Some(20 | 23) => DefaultColumnType::Integer,
                    Some(701) => DefaultColumnType::FloatingPoint,
                    _ => DefaultColumnType::Text,
                });
        let cell = |value: &Value| match value.as_str() {
            None => "NULL".to_owned(),
            Some("") => "(empty)".to_owned(),
            Some(text) => text.to_owned(),
        };
        let row = |row: &Value| row.as_array().into_iter().flatten().map(cell).collect();
        Ok(DBOutput::Rows {
            types: types.collect(),
            rows: rows.iter().map(row).collect(),
        })
    }

    fn engine_name(&self) -> &str {
        "varve"
    }

    fn error_sql_state(error: &EngineError) -> Option<String> {
        Some(error.state.clone())
    }
}
