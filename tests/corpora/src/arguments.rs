//! What the command line says.

use std::path::PathBuf;

use crate::engine::Backend;

pub const USAGE: &str = "usage: corpora [--root DIR] [--family NAME] [--file GLOB] \
[--backend memory|rocksdb|postgres]
               [--json FILE] [--failures FILE] [--answers DIR]
               [--top N] [--part K/N] [--threads N] [--seconds N]
       corpora --script FILE [--backend memory|rocksdb|postgres]

  --root     a folder laid out like the corpora (../shared/corpora beside the repository)
  --family   only this family; may be given several times
  --file     only files whose path below the family's folder matches; `*` and `?` stand for text
  --backend  where databases are kept: memory (the default), or rocksdb in a temporary folder;
             postgres runs all on the server of VARVE_POSTGRES (host:port) instead, as a peer
  --json     writes every failed record there
  --failures writes where they are: with the backend postgres, the list postgres_fails.txt
  --answers  writes the answers of ClickBench and H2O there: with the backend postgres, what is
             expected of others
  --top      how many classes of failures are printed (40)
  --part     only the K-th of N parts of the files, from 1
  --threads  how many files run at a time (as many as there are cores)
  --seconds  time limit of one statement (20)
  --script   runs this script instead and prints what `psql -a -q` would";

#[derive(Clone, Debug)]
pub struct Arguments {
    pub root: PathBuf,
    pub families: Vec<String>,
    pub file: Option<String>,
    pub backend: Backend,
    pub json: Option<PathBuf>,
    pub failures: Option<PathBuf>,
    pub answers: Option<PathBuf>,
    pub top: usize,
    pub part: Option<(usize, usize)>,
    pub threads: usize,
    pub seconds: u64,
    pub script: Option<PathBuf>,
}

impl Default for Arguments {
    fn default() -> Arguments {
        let threads = std::thread::available_parallelism();
        Arguments {
            root: default_root(),
            families: Vec::new(),
            file: None,
            backend: Backend::Memory,
            json: None,
            failures: None,
            answers: None,
            top: 40,
            part: None,
            threads: threads.map_or(1, std::num::NonZero::get),
            seconds: 20,
            script: None,
        }
    }
}

/// `../shared/corpora` beside the repository.
pub fn default_root() -> PathBuf {
    let package = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let repository = package.ancestors().nth(2).unwrap_or(package);
    repository.join("../shared/corpora")
}

impl Arguments {
    pub fn parse(mut words: impl Iterator<Item = String>) -> Result<Arguments, String> {
        let mut arguments = Arguments::default();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--root" => arguments.root = PathBuf::from(value()?),
                "--family" => arguments.families.push(value()?),
                "--script" => arguments.script = Some(PathBuf::from(value()?)),
                "--file" => arguments.file = Some(value()?),
                "--failures" => arguments.failures = Some(PathBuf::from(value()?)),
                "--json" => arguments.json = Some(PathBuf::from(value()?)),
                "--answers" => arguments.answers = Some(PathBuf::from(value()?)),
                "--top" => arguments.top = number(&value()?)?,
                "--threads" => arguments.threads = number(&value()?)?.max(1),
                "--seconds" => arguments.seconds = number(&value()?)? as u64,
                "--part" => arguments.part = Some(part(&value()?)?),
                "--backend" => {
                    let name = value()?;
                    arguments.backend = Backend::from_name(&name)
                        .ok_or(format!("no backend {name} in this build"))?;
                }
                other => return Err(format!("unknown argument {other}")),
            }
        }
        Ok(arguments)
    }
}

fn number(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| format!("{text} is no number"))
}

fn part(text: &str) -> Result<(usize, usize), String> {
    let (part, parts) = text.split_once('/').ok_or(format!("{text} is no K/N"))?;
    let (part, parts) = (number(part)?, number(parts)?);
    if part == 0 || part > parts {
        return Err(format!("{text}: there is no such part"));
    }
    Ok((part, parts))
}

#[cfg(test)]
mod tests {
    use super::Arguments;

    fn parse(text: &str) -> Result<Arguments, String> {
        Arguments::parse(text.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn arguments_are_read_or_refused() {
        let given = parse("--family a --family b --top 3 --part 2/10").unwrap();
        assert_eq!(given.families, ["a", "b"]);
        assert_eq!((given.top, given.part), (3, Some((2, 10))));
        assert!(parse("--part 0/10").is_err());
        assert!(parse("--backend tape").is_err());
        assert!(parse("--top").is_err());
    }
}
