//! One run: open, let actors work until they are done or the process dies, open again, compare,
//! work on.

use std::rc::Rc;
use std::sync::Arc;

use varve_kv::fault::{CallFault, FaultKv, FaultPlan};
use varve_kv::{Durability, Entry, KeyRange, Kv, MemoryKv, Scan, ScanLimit, WriteBatch};
use varve_store::StoreSettings;
use varve_types::LocalFuture;

use crate::actors::{check_jobs, check_newest, end_jobs, flush, maintain, order_jobs, read, write};
use crate::chance::Chance;
use crate::check::{check_all, journal};
use crate::data::{KINDS, Kind, schema};
use crate::executor::{End, Executor};
use crate::failure::{Failure, Outcome, broken};
use crate::faults::Bug;
use crate::ledger::{Ledger, Token};
use crate::model::{Model, Rows, Tree};
use crate::world::{Excuses, Handle, World};

/// Calls of an open that may be the last one.
const RECOVERY_CALLS: u64 = 8;

/// What a store holds between two runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Base {
    entries: Vec<Entry>,
    model: Model,
    next_token: Token,
}

/// What happens in a run.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) seed: u64,
    pub(crate) settings: StoreSettings,
    pub(crate) bug: Bug,
    pub(crate) writers: u64,
    pub(crate) readers: u64,
    pub(crate) transactions: u64,
    /// How often somebody stops a job or lets it go on; without orders no jobs are run.
    pub(crate) job_orders: u64,
    pub(crate) yields_max: u32,
    /// What happens to which call, counted from 1.
    pub(crate) fault: Option<(u64, CallFault)>,
    /// How many bytes the store may grow.
    pub(crate) quota_bytes: Option<u64>,
    /// Which task is dropped after how many polls.
    pub(crate) drop_task: Option<(usize, u64)>,
    /// Whether another handle is opened meanwhile.
    pub(crate) fence: bool,
    pub(crate) excuses: Excuses,
    pub(crate) with_trace: bool,
}

/// How a run went.
#[derive(Clone, Debug)]
pub(crate) struct Ended {
    pub(crate) base: Base,
    /// Whether the planned fault happened.
    pub(crate) has_met_fault: bool,
    pub(crate) crashes: u64,
    pub(crate) tasks: usize,
}

/// Runs one round on a copy of `base`.
pub(crate) fn run_round(base: &Base, plan: &Plan) -> Result<Ended, Failure> {
    let mut round = Round::new(base, plan)?;
    let answer = round.run();
    // Futures hold handles, and spawned ones wait on this thread.
    drop(crate::env::take_spawned());
    match answer {
        Ok(ended) => Ok(ended),
        Err(failure) => Err(round.world.failed(failure.message)),
    }
}

struct Round<'a> {
    plan: &'a Plan,
    world: Rc<World>,
    chance: Chance,
    is_new: bool,
}

impl<'a> Round<'a> {
    fn new(base: &Base, plan: &'a Plan) -> Result<Round<'a>, Failure> {
        let mut chance = Chance::new(plan.seed);
        let kv = MemoryKv::new();
        let mut batch = WriteBatch::new();
        for (key, value) in &base.entries {
            batch.put(key.clone(), Arc::clone(value));
        }
        // A call on memory is over at its first poll.
        now(kv.commit(batch, Durability::Strict))?.map_err(|error| kv_failure(&error))?;
        let faults = FaultPlan::new(chance.next_u64()).yields_max(plan.yields_max);
        let faulty = FaultKv::new(kv, faults);
        if let Some((call, fault)) = &plan.fault {
            faulty.fault_in(*call, fault.clone());
        }
        if let Some(bytes) = plan.quota_bytes {
            faulty.set_quota_bytes(Some(faulty.inner().bytes() + bytes));
        }
        let ledger = Ledger::new(base.model.clone(), base.next_token);
        let world = World::new(
            Arc::new(faulty),
            plan.settings.clone(),
            plan.bug,
            ledger,
            plan.with_trace,
        );
        world.excuses.set(plan.excuses);
        Ok(Round {
            plan,
            world: Rc::new(world),
            chance,
            is_new: base.model.trees.is_empty(),
        })
    }

    fn run(&mut self) -> Result<Ended, Failure> {
        let (end, tasks, was_dropped) = self.work()?;
        let kv = Arc::clone(&self.world.kv);
        let mut crashes = 0;
        let has_met_fault = match &self.plan.fault {
            Some((call, _)) => kv.calls() >= *call,
            None => was_dropped,
        };
        kv.set_quota_bytes(None);
        kv.forget_faults();
        let has_crashed = end == End::Stopped || self.chance.one_in(2);
        if has_crashed {
            crashes += 1;
            self.crash()?;
        }
        self.world.excuses.set(Excuses::default());
        while has_crashed && self.chance.one_in(3) {
            let call = 1 + self.chance.below(RECOVERY_CALLS);
            let carried_out = self.chance.one_in(2);
            kv.fault_in(call, CallFault::Crash { carried_out });
            let mut chance = self.chance.fork();
            let world = Rc::clone(&self.world);
            let opening = async move { world.open(&mut chance).await.map(drop) };
            if self.alone("open", opening)? == End::Done {
                kv.forget_faults();
                break;
            }
            crashes += 1;
            self.crash()?;
        }
        self.recover(has_crashed)?;
        let entries = now(kv.inner().scan(&all()))?.map_err(|error| kv_failure(&error))?;
        let ledger = self.world.ledger();
        let base = Base {
            entries,
            model: ledger.newest_model(),
            next_token: ledger.next_token(),
        };
        Ok(Ended {
            base,
            has_met_fault,
            crashes,
            tasks,
        })
    }

    /// Opens the store and lets the actors work. Answers also how many tasks there were and whether
    /// the planned one was dropped.
    fn work(&mut self) -> Result<(End, usize, bool), Failure> {
        let world = Rc::clone(&self.world);
        let opened: Rc<std::cell::RefCell<Option<Handle>>> = Rc::default();
        let slot = Rc::clone(&opened);
        let mut chance = self.chance.fork();
        let opening = async move {
            let handle = world.open(&mut chance).await?;
            slot.borrow_mut().replace(handle);
            Ok(())
        };
        if self.alone("open", opening)? == End::Stopped {
            return Ok((End::Stopped, 0, false));
        }
        let Some(handle) = opened.borrow_mut().take() else {
            // The open was refused, as a fault may have it.
            return Ok((End::Done, 0, false));
        };
        if self.is_new {
            let handle = handle.clone();
            self.alone("set-up", async move { set_up(&handle).await })?;
        }
        let mut executor = Executor::new(self.chance.fork());
        self.spawn_actors(&mut executor, &handle);
        if let Some((index, polls)) = self.plan.drop_task {
            executor.drop_after(index, polls);
        }
        let mut end = self.drive(&mut executor)?;
        let tasks = executor.len();
        let was_dropped = self
            .plan
            .drop_task
            .is_some_and(|(index, _)| executor.was_dropped(index));
        if end == End::Done && self.plan.job_orders > 0 {
            self.spawn(
                &mut executor,
                "last jobs".to_owned(),
                end_jobs(handle.clone()),
            );
            end = self.drive(&mut executor)?;
        }
        drop(executor);
        if end == End::Done {
            self.world.kv.set_quota_bytes(None);
            let mut chance = self.chance.fork();
            let last = async move { finish(&handle, &mut chance).await };
            return Ok((self.alone("end", last)?, tasks, was_dropped));
        }
        Ok((end, tasks, was_dropped))
    }

    fn spawn_actors(&mut self, executor: &mut Executor, handle: &Handle) {
        for at in 0..self.plan.writers {
            let work = write(handle.clone(), self.chance.fork(), self.plan.transactions);
            self.spawn(executor, format!("writer {at}"), work);
        }
        if self.plan.job_orders > 0 {
            let jobs = handle.store.job_runner().run();
            executor.spawn_daemon("jobs", Box::pin(jobs));
            let work = order_jobs(handle.clone(), self.chance.fork(), self.plan.job_orders);
            self.spawn(executor, "orders to jobs".to_owned(), work);
        }
        let work = maintain(handle.clone(), self.chance.fork(), self.plan.transactions);
        self.spawn(executor, "maintenance".to_owned(), work);
        for at in 0..self.plan.readers {
            let work = read(handle.clone(), self.chance.fork(), 2);
            self.spawn(executor, format!("reader {at}"), work);
        }
        if self.plan.fence {
            let world = Rc::clone(&self.world);
            let chance = self.chance.fork();
            let transactions = self.plan.transactions;
            let work = async move { open_another(world, chance, transactions).await };
            self.spawn(executor, "another opener".to_owned(), work);
        }
    }

    fn spawn(
        &self,
        executor: &mut Executor,
        name: String,
        work: impl Future<Output = Outcome<()>> + 'static,
    ) {
        let world = Rc::clone(&self.world);
        let task: LocalFuture<'static, ()> = {
            let name = name.clone();
            Box::pin(async move {
                let outcome = work.await;
                world.settle(&name, outcome);
            })
        };
        executor.spawn(name, task);
    }

    /// Runs one task and nothing beside it.
    fn alone(
        &mut self,
        name: &str,
        work: impl Future<Output = Outcome<()>> + 'static,
    ) -> Result<End, Failure> {
        let mut executor = Executor::new(self.chance.fork());
        self.spawn(&mut executor, name.to_owned(), work);
        self.drive(&mut executor)
    }

    fn drive(&self, executor: &mut Executor) -> Result<End, Failure> {
        let world = &self.world;
        let end = executor.run(|| world.kv.is_crashing() || world.has_failed())?;
        world.check()?;
        Ok(end)
    }

    /// No task of the dead process is left.
    fn crash(&self) -> Result<(), Failure> {
        drop(crate::env::take_spawned());
        let report = now(self.world.kv.crash())?.map_err(|error| kv_failure(&error))?;
        self.world.note(|| format!("crash: {report:?}"));
        Ok(())
    }

    /// Opens again, compares, and works on for a while.
    fn recover(&mut self, has_crashed: bool) -> Result<(), Failure> {
        let world = Rc::clone(&self.world);
        let mut chance = self.chance.fork();
        let again = async move {
            let handle = world.open(&mut chance).await?;
            compare(&handle, has_crashed, &mut chance).await?;
            check_records(&handle).await?;
            write(handle.clone(), chance.fork(), 2).await?;
            // What comes next starts from what is stored.
            flush(&handle).await?;
            finish(&handle, &mut chance).await
        };
        match self.alone("recovery", again)? {
            End::Done => Ok(()),
            End::Stopped => Err(Failure::new("the recovery stopped")),
        }
    }
}

/// The trees that a new store begins with.
async fn set_up(handle: &Handle) -> Outcome<()> {
    let mut transaction = handle.store.begin();
    let mut model = Model::default();
    for kind in [Kind::Keyed].into_iter().chain(KINDS) {
        let tree = transaction.new_tree_id();
        transaction.create_tree(schema(tree, kind))?;
        let rows = Rows::new();
        model.trees.insert(tree, Tree { kind, rows });
    }
    transaction.commit(Durability::Strict).await?;
    *handle.world.ledger() = Ledger::new(model, 0);
    Ok(())
}

/// What is there after an open becomes what the next transactions start from.
async fn compare(handle: &Handle, has_crashed: bool, chance: &mut Chance) -> Outcome<()> {
    let transaction = handle.store.begin();
    let journal = journal(&transaction).await?;
    let (model, trees) = {
        let ledger = handle.world.ledger();
        let tokens = ledger.check_opened(&journal, has_crashed)?;
        (ledger.model(&tokens), ledger.all_trees())
    };
    check_all(&transaction, &model, &trees, chance).await?;
    let mut ledger = handle.world.ledger();
    let next_token = ledger.next_token();
    *ledger = Ledger::new(model, next_token);
    Ok(())
}

/// With all actors done, nothing is stored that nobody accounts for. A handle that an error ended
/// is opened again instead.
async fn finish(handle: &Handle, chance: &mut Chance) -> Outcome<()> {
    if !handle.is_newest() {
        return Ok(());
    }
    check_newest(handle, chance).await?;
    if chance.one_in(2) || handle.world.excuses.get().io {
        flush(handle).await?;
        check_newest(handle, chance).await?;
    }
    check_records(handle).await?;
    if handle.world.excuses.get() == Excuses::default() {
        check_jobs(handle)?;
    }
    if chance.one_in(4) {
        let last = handle.store.stats().last_commit;
        handle.store.close().await?;
        handle.world.note(|| format!("closed at {last}"));
        handle.world.ledger().promise(handle.number, last);
    }
    Ok(())
}

/// Every record is there, can be read, and is accounted for.
async fn check_records(handle: &Handle) -> Outcome<()> {
    let strays = handle.store.stray_records().await?;
    if !strays.is_empty() {
        return broken(format!("nobody accounts for {}", strays.join(", ")));
    }
    let report = handle.store.check().await?;
    match report.problems.first() {
        None => Ok(()),
        Some(problem) => broken(format!("the check of the store: {}", problem.error)),
    }
}

/// A second opener fences the first one, and works on alone.
async fn open_another(world: Rc<World>, mut chance: Chance, transactions: u64) -> Outcome<()> {
    for _ in 0..chance.below(150) {
        crate::executor::yield_now().await;
    }
    let handle = world.open(&mut chance).await?;
    check_newest(&handle, &mut chance).await?;
    write(handle.clone(), chance.fork(), transactions).await?;
    flush(&handle).await?;
    check_newest(&handle, &mut chance).await
}

fn all() -> Scan {
    Scan::forward(KeyRange::all(), ScanLimit::NONE)
}

fn kv_failure(error: &varve_kv::KvError) -> Failure {
    Failure::new(format!("the simulation itself failed: {error}"))
}

/// The answer of a future that never waits.
fn now<T>(future: impl Future<Output = T>) -> Result<T, Failure> {
    let mut future = core::pin::pin!(future);
    let mut context = core::task::Context::from_waker(core::task::Waker::noop());
    match future.as_mut().poll(&mut context) {
        core::task::Poll::Ready(value) => Ok(value),
        core::task::Poll::Pending => Err(Failure::new("a call on memory waited")),
    }
}
