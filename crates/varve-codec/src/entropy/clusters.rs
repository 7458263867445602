//! The choice of clusters: contexts whose codes are distributed alike are merged, the pair first
//! whose merger costs the least bits, tables included.

use super::contexts::{CLUSTERS_MAX, CODES_MAX, Contexts, LOG};
use super::{FRACTION_BITS, Frequencies, log2};

/// Contexts that start as clusters of their own; rarer ones join the best of those.
const SEEDS: usize = 48;
/// About what a code takes in a table, and a table besides.
const CODE_BITS: i64 = 5;
const TABLE_BITS: i64 = 250;
/// The context at the start of a string, after those of all codes.
const START: usize = 256;

/// Counts of codes by the code before, for the training of [`Contexts`].
#[derive(Debug)]
pub(crate) struct ContextCounts(Vec<[u32; 256]>);

impl ContextCounts {
    pub(crate) fn new() -> ContextCounts {
        ContextCounts(vec![[0; 256]; START + 1])
    }

    /// Counts the codes of a string.
    pub(crate) fn add(&mut self, codes: &[u8]) {
        let mut context = START;
        for code in codes {
            let counts = self.0.get_mut(context);
            if let Some(count) = counts.and_then(|counts| counts.get_mut(usize::from(*code))) {
                *count += 1;
            }
            context = usize::from(*code);
        }
    }

    /// Contexts for codes like those counted. Tables cost the first part of `scale` over the
    /// second here: what was counted of what they are for.
    pub(crate) fn contexts(&self, scale: (u64, u64)) -> Contexts {
        let mut totals: Vec<(u64, usize)> = self
            .0
            .iter()
            .enumerate()
            .map(|(context, counts)| (counts.iter().map(|c| u64::from(*c)).sum(), context))
            .filter(|(total, _)| *total > 0)
            .collect();
        varve_sort::sort_by_key(&mut totals, |(total, context)| (u64::MAX - total, *context));
        let mut clusters: Vec<Cluster> = Vec::new();
        let share = |bits: i64| {
            let bits = bits.cast_unsigned() << FRACTION_BITS;
            (bits * scale.0 / scale.1.max(1)).cast_signed()
        };
        let costs = (share(CODE_BITS), share(TABLE_BITS));
        for (i, (_, context)) in totals.iter().enumerate() {
            let Some(counts) = self.0.get(*context) else {
                continue;
            };
            let cluster = Cluster::new(*context, counts);
            if i < SEEDS {
                clusters.push(cluster);
                continue;
            }
            let best = clusters
                .iter_mut()
                .min_by_key(|other| other.merger(&cluster, costs));
            if let Some(best) = best {
                best.merge(&cluster);
            }
        }
        merge_all(&mut clusters, costs);
        self.finish(&clusters)
    }

    fn finish(&self, clusters: &[Cluster]) -> Contexts {
        let mut seen: Vec<(u64, u8)> = (0..=u8::MAX)
            .map(|code| {
                let counts = clusters.iter().map(|cluster| cluster.count(code));
                (counts.map(u64::from).sum(), code)
            })
            .filter(|(count, _)| *count > 0)
            .collect();
        varve_sort::sort_by(&mut seen, |a, b| b.cmp(a));
        let mut known: Vec<u8> = seen.iter().take(CODES_MAX).map(|(_, code)| *code).collect();
        varve_sort::sort(&mut known);
        let of = |context: usize| {
            let at = clusters
                .iter()
                .position(|cluster| cluster.contexts.contains(&context));
            at.and_then(|at| u8::try_from(at).ok()).unwrap_or(0)
        };
        let frequencies = |cluster: &Cluster| {
            let known = known.iter().map(|code| cluster.count(*code));
            let counts: Vec<u32> = core::iter::once(1).chain(known).collect();
            Frequencies::of(&counts, LOG)
        };
        let mut tables: Vec<Frequencies> = clusters.iter().map(frequencies).collect();
        if tables.is_empty() {
            tables.push(Frequencies::of(&[1], LOG));
        }
        Contexts {
            start: of(START),
            clusters: known.iter().map(|code| of(usize::from(*code))).collect(),
            frequencies: tables,
            known,
        }
    }
}

/// Contexts with one table.
struct Cluster {
    contexts: Vec<usize>,
    counts: Vec<u32>,
    total: u64,
    /// Codes that occur.
    codes: Vec<u8>,
}

impl Cluster {
    fn new(context: usize, counts: &[u32; 256]) -> Cluster {
        let mut cluster = Cluster {
            contexts: vec![context],
            counts: counts.to_vec(),
            total: counts.iter().map(|count| u64::from(*count)).sum(),
            codes: Vec::new(),
        };
        cluster.find_codes();
        cluster
    }

    fn find_codes(&mut self) {
        let counts = (0..=u8::MAX).zip(&self.counts);
        self.codes = counts
            .filter(|(_, c)| **c > 0)
            .map(|(code, _)| code)
            .collect();
    }

    fn count(&self, code: u8) -> u32 {
        self.counts.get(usize::from(code)).copied().unwrap_or(0)
    }

    /// What merging costs, in fractions of a bit; below 0 where one table fewer pays.
    fn merger(&self, other: &Cluster, (code_cost, table_cost): (i64, i64)) -> i64 {
        let grown = |a: u64, b: u64| weight(a + b) - weight(a) - weight(b);
        let (few, many) = match self.codes.len() < other.codes.len() {
            true => (self, other),
            false => (other, self),
        };
        let mut cost = grown(self.total, other.total) - table_cost;
        for code in &few.codes {
            let (a, b) = (few.count(*code), many.count(*code));
            if b > 0 {
                cost -= grown(u64::from(a), u64::from(b)) + code_cost;
            }
        }
        cost
    }

    fn merge(&mut self, other: &Cluster) {
        self.contexts.extend(&other.contexts);
        self.total += other.total;
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.find_codes();
    }
}

/// `count * log2(count)`: the bits of codes are this of all less this of each.
fn weight(count: u64) -> i64 {
    (count * log2(count)).cast_signed()
}

/// Merges until there are few enough clusters and no merger pays.
fn merge_all(clusters: &mut Vec<Cluster>, costs: (i64, i64)) {
    // By cluster, its mergers with those after it.
    let mergers_of = |cluster: &Cluster, others: &[Cluster]| -> Vec<i64> {
        others
            .iter()
            .map(|other| cluster.merger(other, costs))
            .collect()
    };
    let mut mergers: Vec<Vec<i64>> = (1..=clusters.len())
        .zip(clusters.iter())
        .map(|(next, cluster)| mergers_of(cluster, clusters.get(next..).unwrap_or_default()))
        .collect();
    loop {
        let pairs = mergers.iter().enumerate().flat_map(|(first, row)| {
            let seconds = first + 1..;
            row.iter()
                .zip(seconds)
                .map(move |(cost, second)| (*cost, first, second))
        });
        let Some((cost, first, second)) = pairs.min() else {
            return;
        };
        if cost >= 0 && clusters.len() <= CLUSTERS_MAX {
            return;
        }
        let merged = clusters.remove(second);
        mergers.remove(second);
        for (row, costs) in mergers.iter_mut().enumerate().take(second) {
            costs.remove(second - row - 1);
        }
        if let Some(cluster) = clusters.get_mut(first) {
            cluster.merge(&merged);
        }
        let Some(cluster) = clusters.get(first) else {
            return;
        };
        for (row, row_costs) in mergers.iter_mut().enumerate().take(first) {
            if let (Some(slot), Some(other)) =
                (row_costs.get_mut(first - row - 1), clusters.get(row))
            {
                *slot = other.merger(cluster, costs);
            }
        }
        if let Some(row) = mergers.get_mut(first) {
            *row = mergers_of(cluster, clusters.get(first + 1..).unwrap_or_default());
        }
    }
}
