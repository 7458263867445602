//! Averages as SQL has them: NULL counts for nothing.

/// A sum and of how many it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mean {
    sum: f64,
    count: u32,
}

impl Mean {
    /// Takes a figure in.
    pub fn add(&mut self, figure: Option<f64>) {
        if let Some(figure) = figure {
            self.sum += figure;
            self.count += 1;
        }
    }

    /// The average, if there was a figure.
    pub fn value(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / f64::from(self.count))
    }
}
