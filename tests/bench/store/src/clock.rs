//! Time: of the processor where nothing waits for a disk, else of the wall.

use std::time::Instant;

use cpu_time::ThreadTime;

use crate::engine::Place;

/// A started clock.
pub enum Clock {
    /// What this thread has worked.
    Processor(ThreadTime),
    /// What has passed.
    Wall(Instant),
}

impl Clock {
    /// The clock that suits the place.
    pub fn start(place: Place) -> Clock {
        match place {
            Place::Memory => Clock::Processor(ThreadTime::now()),
            Place::Disk => Clock::wall(),
        }
    }

    /// A clock that counts waiting too.
    pub fn wall() -> Clock {
        Clock::Wall(Instant::now())
    }

    /// Seconds since the start.
    pub fn seconds(&self) -> f64 {
        match self {
            Clock::Processor(start) => start.elapsed().as_secs_f64(),
            Clock::Wall(start) => start.elapsed().as_secs_f64(),
        }
    }
}

/// The median of seconds that `work` takes, over `passes` passes with their number.
pub fn median_seconds(place: Place, passes: usize, mut work: impl FnMut(usize)) -> f64 {
    let mut seconds: Vec<f64> = (0..passes)
        .map(|pass| {
            let clock = Clock::start(place);
            work(pass);
            clock.seconds()
        })
        .collect();
    varve_bench::measure::median(&mut seconds)
}
