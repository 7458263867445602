//! What encryption costs: the same load into two stores of ours on disk, one of them encrypted.

use std::path::Path;

use varve_bench::measure::median;

use crate::cases::{self, Figure};
use crate::rows::Orders;
use crate::varve::Varve;

/// Figures of a store in clear and of an encrypted one.
pub struct Pair {
    pub clear: Vec<Figure>,
    pub encrypted: Vec<Figure>,
}

/// Medians of so many runs, each in a new folder. The two take turns, so that both meet what else
/// the machine does.
pub fn measure(folder: &Path, orders: &Orders, runs: usize) -> std::io::Result<Pair> {
    let (mut clear, mut encrypted) = (Vec::new(), Vec::new());
    for run in 1..=runs {
        for (is_encrypted, figures) in [(false, &mut clear), (true, &mut encrypted)] {
            println!("run {run} of {runs}, encrypted: {is_encrypted}");
            let folder = tempfile::tempdir_in(folder)?;
            let mut engine = match is_encrypted {
                true => Varve::encrypted(folder.path()),
                false => Varve::new(Some(folder.path())),
            };
            figures.push(cases::load(&mut engine, orders));
        }
    }
    Ok(Pair {
        clear: medians(&clear),
        encrypted: medians(&encrypted),
    })
}

fn medians(runs: &[Vec<Figure>]) -> Vec<Figure> {
    let first = runs.first().map_or(&[][..], Vec::as_slice);
    let of = |(at, figure): (usize, &Figure)| {
        let mut values: Vec<f64> = runs.iter().map(|run| run[at].value).collect();
        Figure {
            value: median(&mut values),
            ..figure.clone()
        }
    };
    first.iter().enumerate().map(of).collect()
}
