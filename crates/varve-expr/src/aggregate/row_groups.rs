//! Which group the rows of a batch belong to.

use std::borrow::Cow;

use varve_types::Runs;

/// The group of each row of a batch.
#[derive(Clone, Debug)]
pub enum RowGroups {
    /// One a row.
    Rows(Vec<u32>),
    /// One a run of rows.
    Runs {
        /// The row before which each run ends, strictly ascending.
        ends: Vec<u32>,
        /// The group of each run.
        groups: Vec<u32>,
    },
}

impl RowGroups {
    /// So many rows, all of group 0.
    pub fn one(rows: u32) -> RowGroups {
        let (ends, groups) = match rows {
            0 => (Vec::new(), Vec::new()),
            rows => (vec![rows], vec![0]),
        };
        RowGroups::Runs { ends, groups }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        match self {
            RowGroups::Rows(groups) => groups.len(),
            RowGroups::Runs { ends, .. } => ends.last().map_or(0, |end| *end as usize),
        }
    }

    /// The group of each row, one by one.
    pub fn each(&self) -> Cow<'_, [u32]> {
        match self {
            RowGroups::Rows(groups) => Cow::Borrowed(groups),
            RowGroups::Runs { ends, groups } => {
                let mut each = Vec::with_capacity(self.rows());
                for (end, group) in ends.iter().zip(groups) {
                    each.resize(*end as usize, *group);
                }
                Cow::Owned(each)
            }
        }
    }

    /// The groups of some of the rows.
    #[must_use]
    pub fn take(&self, rows: &[u32]) -> RowGroups {
        let each = self.each();
        let group = |row: &u32| each.get(*row as usize).copied();
        RowGroups::Rows(rows.iter().filter_map(group).collect())
    }

    /// Calls `visit(group, rows)` for rows of one group that follow each other.
    pub(super) fn each_run(&self, visit: &mut dyn FnMut(u32, u32)) {
        match self {
            RowGroups::Rows(groups) => {
                for same in groups.chunk_by(|a, b| a == b) {
                    if let (Some(group), Ok(rows)) = (same.first(), u32::try_from(same.len())) {
                        visit(*group, rows);
                    }
                }
            }
            RowGroups::Runs { ends, groups } => {
                let mut start = 0;
                for (end, group) in ends.iter().zip(groups) {
                    visit(*group, end - start);
                    start = *end;
                }
            }
        }
    }

    /// Calls `visit(run, group, rows)` for rows that follow each other in one run of a column and
    /// in one group.
    pub(super) fn each_run_of(&self, runs: &Runs<'_>, visit: &mut dyn FnMut(usize, usize, u32)) {
        let mut start = 0;
        let mut runs = runs.ends.iter().enumerate().peekable();
        self.each_run(&mut |group, rows| {
            let group_end = start + rows;
            while start < group_end
                && let Some((run, end)) = runs.peek().copied()
            {
                let until = group_end.min(*end);
                visit(run, group as usize, until - start);
                start = until;
                if until == *end {
                    runs.next();
                }
            }
        });
    }
}
