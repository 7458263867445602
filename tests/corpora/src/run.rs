//! Runs the files of the families, several at a time, each on a database of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::archive::{SourceFile, read_folder};
use crate::arguments::Arguments;
use crate::causes::Causes;
use crate::classify::FOLLOWS;
use crate::engine::Client;
use crate::family::{Family, Reader};
use crate::glob::matches;
use crate::record::{Place, Step, Verdict};
use crate::regress::{self, Fixture};
use crate::report::FamilyReport;
use crate::server_files::ServerFiles;
use crate::sets;
use crate::skips::Skips;
use crate::slt::{Dialect, Labels, Texts, check, parse};

/// A record with how it ended.
pub type Judged = (Place, String, Verdict);

/// The tests that set the stage for all others of PostgreSQL's.
const REGRESS_STAGE: [&str; 7] = [
    "test_setup",
    "create_function_c",
    "create_misc",
    "create_operator",
    "create_type",
    "create_index",
    "create_aggregate",
];

/// A family's files, read.
struct Corpus {
    family: Family,
    files: Vec<SourceFile>,
    texts: Texts,
    server_files: ServerFiles,
}

/// Runs a family; nothing where its folder is missing.
pub fn run_family(
    family: Family,
    arguments: &Arguments,
    skips: &Skips,
) -> Result<Option<FamilyReport>, String> {
    let folder = arguments.root.join(family.name);
    if !folder.is_dir() {
        return Ok(None);
    }
    let corpus = Corpus::read(family, &folder)?;
    let jobs = corpus.jobs(arguments);
    let report = Mutex::new(FamilyReport::new(family));
    let broken = Mutex::new(None);
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..arguments.threads.min(jobs.len()) {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let judged = match corpus.run(job, arguments, skips) {
                        Ok(judged) => judged,
                        Err(message) => {
                            *broken.lock().expect("the message") = Some(message);
                            continue;
                        }
                    };
                    let mut report = report.lock().expect("the report");
                    for (place, sql, verdict) in judged {
                        report.add(place, sql, verdict);
                    }
                }
            });
        }
    });
    if let Some(message) = broken.into_inner().expect("the message") {
        return Err(message);
    }
    let mut report = report.into_inner().expect("the report");
    report.failures.sort_by(|a, b| a.place.cmp(&b.place));
    Ok(Some(report))
}

impl Corpus {
    fn read(family: Family, folder: &Path) -> Result<Corpus, String> {
        let files = read_folder(folder)
            .map_err(|error| format!("{} cannot be read: {error}", folder.display()))?;
        let is_data = |file: &&SourceFile| {
            let ends = [".data", ".csv", ".tbl", ".tsv"];
            ends.iter().any(|end| file.path.ends_with(end))
        };
        let server_files = ServerFiles::new(files.iter().filter(is_data));
        let is_text = |file: &&SourceFile| !is_data(file) && !file.path.ends_with(".parquet");
        let texts = files.iter().filter(is_text);
        let texts = texts.map(|file| {
            let text = file.text();
            // RisingWave's templates of files, as its generator fills them.
            let text = match family.reader {
                Reader::Slt(Dialect::RisingWave) => text.replace("$view_type", "view"),
                _ => text.to_owned(),
            };
            (file.path.clone(), Arc::from(text))
        });
        Ok(Corpus {
            family,
            texts: texts.collect(),
            server_files,
            files,
        })
    }

    /// The files that are run, those of the wanted part.
    fn jobs(&self, arguments: &Arguments) -> Vec<String> {
        let included = self.included();
        let is_job = |path: &&String| {
            let ends = self.family.endings.iter().any(|end| path.ends_with(end));
            // RisingLight's own runner leaves out files with such names: others include them, or
            // they need data that is not here.
            let is_part = matches!(self.family.reader, Reader::Slt(Dialect::RisingLight))
                && path
                    .rsplit('/')
                    .next()
                    .is_some_and(|name| name.starts_with('_'));
            ends && !is_part && !included.contains(path.as_str())
        };
        let mut paths: Vec<String> = match self.family.reader {
            Reader::Slt(_) => self.texts.keys().filter(is_job).cloned().collect(),
            Reader::Regress => {
                let scripts = self.texts.keys().filter(is_job);
                scripts
                    .filter(|path| path.contains("sql/"))
                    .cloned()
                    .collect()
            }
            _ => vec![self.family.name.to_owned()],
        };
        if let Some(pattern) = &arguments.file {
            paths.retain(|path| matches(pattern, path));
        }
        if let Some((part, parts)) = arguments.part {
            let numbered = paths.into_iter().enumerate();
            let ours = numbered.filter(|(at, _)| at % parts == part - 1);
            paths = ours.map(|(_, path)| path).collect();
        }
        // The longest first, so that none is left alone at the end.
        let length = |path: &String| self.texts.get(path).map_or(0, |text| text.len());
        paths.sort_by_key(|path| std::cmp::Reverse(length(path)));
        paths
    }

    /// Files that run as parts of others.
    fn included(&self) -> BTreeSet<String> {
        let Reader::Slt(dialect @ (Dialect::RisingWave | Dialect::RisingLight)) =
            self.family.reader
        else {
            return BTreeSet::new();
        };
        let mut included = BTreeSet::new();
        for path in self.texts.keys() {
            for step in parse(dialect, path, &self.texts) {
                let (Step::Broken(place, _) | Step::LeftOut(place, _)) = &step else {
                    if let Step::Run(record) = &step
                        && &*record.place.file != path
                    {
                        included.insert(record.place.file.to_string());
                    }
                    continue;
                };
                if &*place.file != path {
                    included.insert(place.file.to_string());
                }
            }
        }
        included
    }

    fn run(&self, path: &str, arguments: &Arguments, skips: &Skips) -> Result<Vec<Judged>, String> {
        let answers = arguments.answers.as_deref();
        let setup = self.family.setup.iter().map(|sql| (*sql).to_owned());
        let limit = Duration::from_secs(arguments.seconds);
        let mut client = Client::new(arguments.backend, setup.collect(), limit);
        Ok(match self.family.reader {
            Reader::Slt(dialect) => self.run_slt(dialect, path, &mut client, skips),
            Reader::Regress => self.run_regress(path, &mut client, skips),
            Reader::TpcH => sets::tpch(&mut client, &self.files, answers)?,
            Reader::Tsbs => sets::tsbs(&mut client, &self.files),
            Reader::ClickBench => sets::clickbench(&mut client, &self.files, answers)?,
            Reader::H2o => sets::h2o(&mut client, &self.files, answers)?,
        })
    }

    fn run_slt(
        &self,
        dialect: Dialect,
        path: &str,
        client: &mut Client,
        skips: &Skips,
    ) -> Vec<Judged> {
        let family = self.family.name;
        let mut labels = Labels::new();
        let mut causes = Causes::default();
        let mut judged = Vec::new();
        // Why all that follows is skipped.
        let mut needs: Option<String> = None;
        for step in parse(dialect, path, &self.texts) {
            match step {
                Step::Needs(need) => {
                    if let Some(reason) = skips.of_need(family, path, &need) {
                        needs.get_or_insert(format!("{need}: {reason}"));
                    }
                }
                Step::LeftOut(place, why) => {
                    let verdict = Verdict::Skipped(format!("left out by the corpus: {why}"));
                    judged.push((place, String::new(), verdict));
                }
                Step::Broken(place, line) => {
                    let verdict =
                        Verdict::failed("runner: a line that is not known", String::new(), line);
                    judged.push((place, String::new(), verdict));
                }
                Step::Run(record) => {
                    let reason = needs
                        .clone()
                        .or_else(|| skips.of_record(family, &record.place, &record.sql));
                    let verdict = match reason {
                        Some(reason) => Verdict::Skipped(reason),
                        None => {
                            let outcome =
                                self.server_files
                                    .execute(client, &record.connection, &record.sql);
                            check(dialect, &record, &outcome, &mut labels, &mut causes)
                        }
                    };
                    let verdict = after_restart(verdict, client);
                    judged.push((record.place, record.sql, verdict));
                }
            }
        }
        judged
    }

    fn run_regress(&self, path: &str, client: &mut Client, skips: &Skips) -> Vec<Judged> {
        let (folder, name) = path.split_once("sql/").unwrap_or(("", path));
        let name = name.trim_end_matches(".sql");
        let text = |path: &str| self.texts.get(path).map_or("", |text| &**text);
        let skip = |place: &Place, sql: &str| skips.of_record(self.family.name, place, sql);
        let fixture = |path, script, outputs| Fixture {
            path,
            script,
            outputs,
            files: &self.server_files,
            setup: self.family.setup,
            skip: &skip,
        };
        let mut causes = Causes::default();
        for stage in REGRESS_STAGE {
            if stage == name {
                break;
            }
            let script = text(&format!("{folder}sql/{stage}.sql"));
            regress::run(client, &fixture(path, script, Vec::new()), &mut causes);
        }
        client.restarts = 0;
        let alternatives = [
            format!("{folder}expected/{name}.out"),
            format!("{folder}expected/{name}_1.out"),
            format!("{folder}expected/{name}_2.out"),
        ];
        let outputs = alternatives.iter().filter_map(|path| self.texts.get(path));
        let outputs = outputs.map(|text| &**text).collect();
        let judged = regress::run(client, &fixture(path, text(path), outputs), &mut causes);
        let again = |(place, sql, verdict)| (place, sql, after_restart(verdict, client));
        judged.into_iter().map(again).collect()
    }
}

/// After a panic or a hang the tables are gone: what fails by that is its trace.
fn after_restart(verdict: Verdict, client: &Client) -> Verdict {
    match verdict {
        Verdict::Failed(mut failed)
            if client.restarts > 0 && failed.class.contains("does not exist") =>
        {
            failed.class = format!("{FOLLOWS}the new database after a panic or a hang");
            Verdict::Failed(failed)
        }
        verdict => verdict,
    }
}

/// The families that a command line names, or all.
pub fn wanted_families(arguments: &Arguments) -> Result<Vec<Family>, String> {
    let known: BTreeMap<&str, Family> = crate::family::FAMILIES
        .iter()
        .map(|family| (family.name, *family))
        .collect();
    if arguments.families.is_empty() {
        return Ok(crate::family::FAMILIES.to_vec());
    }
    let names = arguments.families.iter();
    names
        .map(|name| {
            let names: Vec<&str> = known.keys().copied().collect();
            let family = known.get(name.as_str()).copied();
            family.ok_or(format!("no family {name}; there are {}", names.join(", ")))
        })
        .collect()
}
