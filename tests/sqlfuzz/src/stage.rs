//! A world as several engines hold it.

use crate::answer::{Failure, Outcome};
use crate::engine::Engine;
use crate::postgres::Postgres;
use crate::world::{Flavour, World};

/// Engines with the same rows.
pub struct Stage<'a> {
    pub world: World,
    full: Option<Engine>,
    plain: Option<Engine>,
    postgres: Option<&'a mut Postgres>,
    is_peer_filled: bool,
    /// Statements run, of ours.
    pub statements: u64,
}

impl<'a> Stage<'a> {
    pub fn new(world: World, postgres: Option<&'a mut Postgres>) -> Stage<'a> {
        Stage {
            world,
            full: None,
            plain: None,
            postgres,
            is_peer_filled: false,
            statements: 0,
        }
    }

    /// The same engines for another world.
    pub fn enter(&mut self, world: World) {
        self.world = world;
        self.full = None;
        self.plain = None;
        self.is_peer_filled = false;
    }

    /// Why the world cannot be made, if it cannot.
    pub fn prepare(&mut self) -> Result<(), (String, Failure)> {
        filled(&mut self.full, &self.world, Flavour::Full)
    }

    /// The engine with keys, indexes and runs.
    pub fn full(&mut self, sql: &str) -> Outcome {
        self.statements += 1;
        ask(&mut self.full, &self.world, Flavour::Full, sql)
    }

    /// The engine that has nothing but rows.
    pub fn plain(&mut self, sql: &str) -> Outcome {
        self.statements += 1;
        ask(&mut self.plain, &self.world, Flavour::Plain, sql)
    }

    /// Which version PostgreSQL is of.
    pub fn peer_version(&self) -> u32 {
        let postgres = self.postgres.as_deref();
        postgres.map_or(0, |postgres| postgres.version)
    }

    /// PostgreSQL; an error where there is none.
    pub fn peer(&mut self, sql: &str) -> Outcome {
        let none = || Failure::new(crate::answer::FailureKind::Panic, "no server was named");
        let postgres = self.postgres.as_deref_mut().ok_or_else(none)?;
        if !self.is_peer_filled {
            postgres.clear();
            for statement in self.world.statements(Flavour::Peer) {
                postgres.query(&statement)?;
            }
            self.is_peer_filled = true;
        }
        postgres.query(sql)
    }
}

fn ask(engine: &mut Option<Engine>, world: &World, flavour: Flavour, sql: &str) -> Outcome {
    filled(engine, world, flavour).map_err(|(_, failure)| failure)?;
    match engine {
        Some(engine) => engine.query(sql),
        None => unreachable!("it was filled"),
    }
}

/// Makes the world, again where the engine broke.
fn filled(
    engine: &mut Option<Engine>,
    world: &World,
    flavour: Flavour,
) -> Result<(), (String, Failure)> {
    if engine.as_ref().is_some_and(|engine| !engine.is_broken) {
        return Ok(());
    }
    let mut made = Engine::new();
    for statement in world.statements(flavour) {
        if let Err(failure) = made.query(&statement) {
            return Err((statement, failure));
        }
    }
    *engine = Some(made);
    Ok(())
}
