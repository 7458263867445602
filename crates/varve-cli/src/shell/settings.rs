//! `\set` and `\pset`.

use varve_psql::{Layout, Verbosity, switch};

use super::Shell;

impl Shell {
    /// The variables that a shell begins with.
    pub fn set_first_variables(&mut self) {
        let first = [
            ("AUTOCOMMIT", "on"),
            ("ECHO", "none"),
            ("ENCODING", "UTF8"),
            ("ERROR", "false"),
            ("LAST_ERROR_MESSAGE", ""),
            ("LAST_ERROR_SQLSTATE", "00000"),
            ("ON_ERROR_STOP", "off"),
            ("QUIET", if self.quiet { "on" } else { "off" }),
            ("ROW_COUNT", "0"),
            ("SERVER_VERSION_NAME", "16.0"),
            ("SERVER_VERSION_NUM", "160000"),
            ("SQLSTATE", "00000"),
            ("USER", "postgres"),
            ("VERBOSITY", "default"),
            ("VERSION", concat!("VarveDB ", env!("CARGO_PKG_VERSION"))),
            ("VERSION_NAME", "16.0"),
            ("VERSION_NUM", "160000"),
        ];
        for (name, value) in first {
            self.variables.set(name, value);
        }
    }

    /// `\set name value`; those that steer the shell take only what they know.
    pub fn set_variable(&mut self, name: &str, value: &str) -> Result<(), String> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii();
        if name.is_empty() || !name.chars().all(is_name) {
            return Err(format!("invalid variable name: \"{name}\""));
        }
        let mut value = value;
        match name {
            "VERBOSITY" => {
                self.verbosity = match value {
                    "default" | "" => Verbosity::Default,
                    "verbose" => Verbosity::Verbose,
                    "terse" => Verbosity::Terse,
                    "sqlstate" => Verbosity::SqlState,
                    _ => {
                        return Err(unknown_value(
                            name,
                            value,
                            "default, verbose, terse, sqlstate",
                        ));
                    }
                }
            }
            "ECHO" if !["all", "errors", "none", "queries"].contains(&value) => {
                return Err(unknown_value(name, value, "none, errors, queries, all"));
            }
            "AUTOCOMMIT" | "ON_ERROR_STOP" | "QUIET" => {
                // A switch without a value is on.
                let is_on = if value.is_empty() {
                    Some(true)
                } else {
                    switch(value)
                };
                let is_on = is_on.ok_or_else(|| {
                    format!("unrecognized value \"{value}\" for \"{name}\": Boolean expected")
                })?;
                value = if is_on { "on" } else { "off" };
                if name == "QUIET" {
                    self.quiet = is_on;
                }
            }
            "ON_ERROR_ROLLBACK" if switch(value) != Some(false) => {
                return Err("ON_ERROR_ROLLBACK is not supported".to_owned());
            }
            _ => {}
        }
        self.variables.set(name, value);
        Ok(())
    }

    /// `\unset name`
    pub fn unset_variable(&mut self, name: &str) -> Result<(), String> {
        match name {
            "QUIET" | "ON_ERROR_STOP" => self.set_variable(name, "off"),
            "AUTOCOMMIT" => self.set_variable(name, "on"),
            "ECHO" => self.set_variable(name, "none"),
            "VERBOSITY" => self.set_variable(name, "default"),
            _ => {
                self.variables.unset(name);
                Ok(())
            }
        }
    }

    /// `\pset name value`, and says what is set then.
    pub fn set_format(&mut self, name: &str, value: Option<&str>) -> Result<(), String> {
        let said = match name {
            "format" => self.set_layout(value.unwrap_or("aligned"))?,
            "expanded" | "x" | "vertical" | "tuples_only" | "t" | "footer" => {
                self.set_switch(name, value)?
            }
            "null" => {
                value.unwrap_or_default().clone_into(&mut self.format.null);
                format!("Null display is \"{}\".", self.format.null)
            }
            "fieldsep" | "fieldsep_zero" | "recordsep" => self.set_separator(name, value),
            "title" | "C" => {
                self.title = value.map(str::to_owned);
                match value {
                    Some(title) => format!("Title is \"{title}\"."),
                    None => "Title is unset.".to_owned(),
                }
            }
            "border" => match value {
                None | Some("1") => "Border style is 1.".to_owned(),
                Some(style) => return Err(format!("\\pset: border {style} is not supported")),
            },
            "linestyle" => match value {
                None | Some("ascii") => "Line style is ascii.".to_owned(),
                Some(style) => return Err(format!("\\pset: line style {style} is not supported")),
            },
            // There is no pager, and nothing is wrapped.
            "pager" => "Pager usage is off.".to_owned(),
            "columns" => "Target width is unset.".to_owned(),
            _ => return Err(format!("\\pset: unknown option: {name}")),
        };
        self.say(&said);
        Ok(())
    }

    fn set_layout(&mut self, value: &str) -> Result<String, String> {
        self.format.layout = match value {
            "aligned" | "a" | "wrapped" => Layout::Aligned,
            "unaligned" | "u" => Layout::Unaligned,
            "csv" => Layout::Csv,
            _ => {
                let known = "\\pset: allowed formats are aligned, csv, unaligned, wrapped";
                return Err(known.to_owned());
            }
        };
        Ok(format!("Output format is {value}."))
    }

    /// What is on or off, and without a value the other one.
    fn set_switch(&mut self, name: &str, value: Option<&str>) -> Result<String, String> {
        let (what, is_on) = match name {
            "tuples_only" | "t" => ("Tuples only", &mut self.format.tuples_only),
            "footer" => ("Default footer", &mut self.format.footer),
            _ => ("Expanded display", &mut self.format.expanded),
        };
        *is_on = match value {
            None => !*is_on,
            Some("auto") if matches!(name, "expanded" | "x" | "vertical") => false,
            Some(word) => switch(word).ok_or_else(|| {
                format!("\\pset: unrecognized value \"{word}\" for \"{name}\": Boolean expected")
            })?,
        };
        Ok(format!("{what} is {}.", on_off(*is_on)))
    }

    fn set_separator(&mut self, name: &str, value: Option<&str>) -> String {
        let format = &mut self.format;
        match name {
            "fieldsep" => {
                value.unwrap_or("|").clone_into(&mut format.separator);
                format!("Field separator is \"{}\".", format.separator)
            }
            "fieldsep_zero" => {
                "\0".clone_into(&mut format.separator);
                "Field separator is zero byte.".to_owned()
            }
            _ => {
                let separator = value.unwrap_or("\n");
                separator.clone_into(&mut format.record_separator);
                "Record separator is set.".to_owned()
            }
        }
    }
}

pub fn on_off(is_on: bool) -> &'static str {
    if is_on { "on" } else { "off" }
}

fn unknown_value(name: &str, value: &str, known: &str) -> String {
    format!("unrecognized value \"{value}\" for \"{name}\"\nAvailable values are: {known}.")
}
