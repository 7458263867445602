//! What the command line says.

use crate::oracle::Oracle;

pub const USAGE: &str = "usage: fuzz sql [--seed N] [--queries N] [--expressions N] [--oracle NAME]
                [--postgres HOST:PORT] [--seconds N] [--threads N] [--case ORACLE:SEED:INDEX]

  --seed         the first seed (1); each makes tables, and 200 queries over them
  --queries      how many queries are checked (10000)
  --expressions  how many expressions are compared with PostgreSQL (0)
  --oracle       tlp, norec, pqs, plans, postgres or all (all; those of PostgreSQL if it is named)
  --postgres     a server whose user postgres needs no password
  --seconds      no new query after so many seconds
  --threads      how many run at a time (as many as there are cores)
  --case         one case of a failure, as it was printed; may be given several times
  --failures     failures after which a run stops (30)
  --quick        failures are not made smaller";

#[derive(Clone, Debug)]
pub struct Arguments {
    pub seed: u64,
    pub queries: u64,
    pub expressions: u64,
    pub oracles: Vec<Oracle>,
    pub postgres: Option<String>,
    pub seconds: Option<u64>,
    pub threads: usize,
    pub cases: Vec<CaseName>,
    pub failures: usize,
    pub quick: bool,
}

/// Which case of a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CaseName {
    pub oracle: Oracle,
    pub seed: u64,
    pub index: u64,
}

impl core::fmt::Display for CaseName {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}:{}:{}", self.oracle.name(), self.seed, self.index)
    }
}

impl CaseName {
    pub fn parse(text: &str) -> Option<CaseName> {
        let mut words = text.trim().split(':');
        let (oracle, seed, index) = (words.next()?, words.next()?, words.next()?);
        Some(CaseName {
            oracle: Oracle::of_name(oracle)?,
            seed: seed.parse().ok()?,
            index: index.parse().ok()?,
        })
    }
}

impl Default for Arguments {
    fn default() -> Arguments {
        let threads = std::thread::available_parallelism();
        Arguments {
            seed: 1,
            queries: 10_000,
            expressions: 0,
            oracles: Vec::new(),
            postgres: None,
            seconds: None,
            threads: threads.map_or(1, std::num::NonZero::get),
            cases: Vec::new(),
            failures: 30,
            quick: false,
        }
    }
}

impl Arguments {
    pub fn parse(mut words: impl Iterator<Item = String>) -> Result<Arguments, String> {
        let mut arguments = Arguments::default();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--seed" => arguments.seed = number(&value()?)?,
                "--queries" => arguments.queries = number(&value()?)?,
                "--expressions" => arguments.expressions = number(&value()?)?,
                "--postgres" => arguments.postgres = Some(value()?),
                "--seconds" => arguments.seconds = Some(number(&value()?)?),
                "--threads" => arguments.threads = number(&value()?)?.max(1) as usize,
                "--failures" => arguments.failures = number(&value()?)? as usize,
                "--quick" => arguments.quick = true,
                "--case" => {
                    let text = value()?;
                    let name = CaseName::parse(&text).ok_or(format!("{text} is no case"))?;
                    arguments.cases.push(name);
                }
                "--oracle" => {
                    let name = value()?;
                    if name != "all" {
                        let oracle = Oracle::of_name(&name).ok_or(format!("no oracle {name}"))?;
                        arguments.oracles.push(oracle);
                    }
                }
                other => return Err(format!("unknown argument {other}")),
            }
        }
        arguments.complete()
    }

    fn complete(mut self) -> Result<Arguments, String> {
        if self.oracles.is_empty() {
            let all = Oracle::ALL.into_iter();
            let has_server = self.postgres.is_some();
            let usable = |oracle: &Oracle| !oracle.needs_server() || has_server;
            self.oracles = all
                .filter(|oracle| *oracle != Oracle::Expression && usable(oracle))
                .collect();
        }
        let of_cases = self.cases.iter().map(|case| case.oracle);
        let mut wanted = self.oracles.iter().copied().chain(of_cases);
        let needs_server = self.expressions > 0 || wanted.any(Oracle::needs_server);
        if needs_server && self.postgres.is_none() {
            return Err("name a server by --postgres".to_owned());
        }
        Ok(self)
    }
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{text} is no number"))
}

#[cfg(test)]
mod tests {
    use super::{Arguments, CaseName};
    use crate::oracle::Oracle;

    fn parse(text: &str) -> Result<Arguments, String> {
        Arguments::parse(text.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn arguments_are_read_or_refused() {
        let given = parse("--seed 3 --oracle tlp --case norec:1:2").unwrap();
        assert_eq!((given.seed, given.oracles), (3, vec![Oracle::Tlp]));
        let name = CaseName::parse("norec:1:2").unwrap();
        assert_eq!(given.cases, [name]);
        assert_eq!(name.to_string(), "norec:1:2");
        assert_eq!(parse("").unwrap().oracles.len(), 4);
        assert!(parse("--expressions 5").is_err());
        assert!(parse("--oracle moon").is_err());
    }
}
