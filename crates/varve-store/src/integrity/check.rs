//! Reads everything that is stored and compares it with what is known of it.

use std::sync::Arc;

use roaring::RoaringTreemap;
use varve_kv::{Bytes, Key, KvError, Scan, ScanLimit};
use varve_types::{CommitSeq, Failure};

use crate::error::{Result, StoreError};
use crate::format::catalog;
use crate::format::keys::{self, Found};
use crate::format::log::{self, Content};
use crate::format::manifest::Manifest;
use crate::integrity::inspect::Inspection;
use crate::integrity::readable;
use crate::integrity::references::References;
use crate::run::Run;
use crate::store::{Snapshot, Store};
use crate::{CheckReport, Problem};

/// The log is read in answers of about this size.
const SCAN_BYTES_MAX: u64 = 4 << 20;

impl Store {
    /// Reads every value of the store: records and their copies, run heads and deletion vectors,
    /// all pages of all runs, decoded and compared with their zone maps and filters, and the log.
    /// Reads and commits go on meanwhile.
    ///
    /// What is damaged is reported, not answered as an error; an error is one of the backend.
    pub async fn check(self: &Arc<Store>) -> Result<CheckReport> {
        let mut report = CheckReport::default();
        self.check_records(&mut report).await?;
        let snapshot = self.pin();
        // Content comes first, so that references to it can be looked up.
        let mut content = RoaringTreemap::new();
        for run in snapshot.version.all_runs() {
            self.check_run(run, &mut content, &mut report).await?;
        }
        Ok(report)
    }

    fn pin(self: &Arc<Store>) -> Arc<Snapshot> {
        Arc::clone(&self.begin().snapshot)
    }

    /// Manifest, catalog and log, while nobody changes them.
    async fn check_records(&self, report: &mut CheckReport) -> Result<()> {
        let _commit_lock = self.take_commit_lock().await;
        let catalog_version = self.state().manifest.catalog_version;
        let is_new = self.state().manifest.number == 0;
        if !is_new {
            for key in [keys::manifest(), keys::manifest_copy()] {
                let value = self.record(&key, report).await?;
                let read = value.map(|value| Manifest::decode(&value).map(|_| ()));
                report.note(read, &key);
            }
        }
        if catalog_version != 0 {
            for key in [
                keys::catalog(catalog_version),
                keys::catalog_copy(catalog_version),
            ] {
                let value = self.record(&key, report).await?;
                let read = value.map(|value| catalog::decode(catalog_version, &value).map(|_| ()));
                report.note(read, &key);
            }
        }
        self.check_log(report).await
    }

    async fn check_log(&self, report: &mut CheckReport) -> Result<()> {
        let range = keys::intents_and_log();
        let mut next = Some(Scan::forward(range, ScanLimit::bytes(SCAN_BYTES_MAX)));
        let mut record = Vec::new();
        while let Some(scan) = next.take() {
            let entries = match self.kv.scan(&scan).await {
                Ok(entries) => entries,
                Err(error @ KvError::Corrupt { .. }) => {
                    report.add(error.into());
                    return Ok(());
                }
                Err(error) => return Err(error.into()),
            };
            next = scan.rest(&entries);
            for (key, value) in entries {
                report.values += 1;
                report.bytes += value.len() as u64;
                let Some(Found::Log(seq, part)) = keys::parse(&key) else {
                    continue;
                };
                let read = log::open_value(seq, part, &value).and_then(|content| {
                    match content {
                        Content::Part { bytes, is_last } => {
                            record.extend_from_slice(bytes);
                            if is_last {
                                log::decode(seq, &record)?;
                                record.clear();
                            }
                        }
                        Content::Records { first, records } => {
                            for (seq, record) in (first.0..).map(CommitSeq).zip(records) {
                                log::decode(seq, record)?;
                            }
                        }
                    }
                    Ok(())
                });
                if let Err(error) = read {
                    report.add(error);
                    record.clear();
                }
            }
        }
        Ok(())
    }

    /// The value of a record that must be there; what keeps it from being read is noted.
    async fn record(&self, key: &Key, report: &mut CheckReport) -> Result<Option<Bytes>> {
        let value = readable(&*self.kv, key).await?;
        if let Some(value) = &value {
            report.values += 1;
            report.bytes += value.len() as u64;
        }
        Ok(value)
    }

    async fn check_run(
        &self,
        run: &Run,
        content: &mut RoaringTreemap,
        report: &mut CheckReport,
    ) -> Result<()> {
        let head = match run.head() {
            Ok(head) => Arc::clone(head),
            Err(error) => {
                report.add_of_run(run, error);
                return Ok(());
            }
        };
        let mut inspection = Inspection::new(self, run, head);
        if run
            .deletion_vector
            .folded
            .max()
            .is_some_and(|last| u64::from(last) >= run.rows)
        {
            let message = format!(
                "the deletion vector of run {} names rows that it lacks",
                run.id
            );
            report.add_of_run(run, StoreError::corrupted(message));
        }
        let mut references = References::new(run);
        for group in 0..inspection.groups() {
            for vector in inspection.group(group).await? {
                if let Some(columns) = &vector.columns {
                    report.rows += vector.rows as u64;
                    references.check(inspection.head(), vector.first_row, columns, content);
                }
            }
        }
        inspection.errors.extend(references.error());
        report.values += 1 + inspection.values;
        report.bytes += inspection.bytes;
        for error in inspection.errors {
            report.add_of_run(run, error);
        }
        Ok(())
    }
}

impl CheckReport {
    fn note(&mut self, read: Option<Result<()>>, key: &Key) {
        match read {
            Some(Ok(())) => {}
            Some(Err(error)) if error.failure() == Some(Failure::FormatTooNew) => self.add(error),
            // The same bytes lie at two keys, so that the checksum of the copy names the first.
            Some(Err(_)) => self.add(StoreError::corrupted(format!(
                "{} is corrupt",
                keys::describe(key)
            ))),
            None => self.add(StoreError::missing(key)),
        }
    }

    fn add(&mut self, error: StoreError) {
        self.problems.push(Problem {
            tree: None,
            run: None,
            error,
        });
    }

    fn add_of_run(&mut self, run: &Run, error: StoreError) {
        self.problems.push(Problem {
            tree: Some(run.tree),
            run: Some(run.id),
            error,
        });
    }
}
