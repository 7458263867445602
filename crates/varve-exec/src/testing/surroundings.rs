//! A source, a scratch space, an environment and a cancel flag in memory.

use core::cell::{Cell, RefCell};
use core::future::Future;
use core::pin::Pin;
use core::sync::atomic::{AtomicU64, Ordering};
use core::task::{Context, Poll};
use std::collections::BTreeMap;
use std::sync::Arc;

use varve_expr::{DEFAULT_LOCALE, Parameters};
use varve_plan::{Plan, Relation, ScanNode, SystemView};
use varve_types::meter::Cancel;
use varve_types::{
    Batch, Column, ColumnData, Env, Error, LocalFuture, LogicalType, MemoryAccount, MemoryBudget,
    Result, RowPosition, ScanSpec, SqlState, TableScan, TreeId, Value,
};

use crate::{BatchStream, ExecContext, ScanSource, Scratch, ScratchTicket, execute};

/// All that a query needs, and what it did with it.
pub(crate) struct Setting {
    pub(crate) source: TestSource,
    pub(crate) scratch: TestScratch,
    pub(crate) env: TestEnv,
    pub(crate) memory: Arc<MemoryBudget>,
    pub(crate) cancel: TestCancel,
    pub(crate) params: Vec<Value>,
}

impl Setting {
    pub(crate) fn new() -> Setting {
        Setting {
            source: TestSource::default(),
            scratch: TestScratch::default(),
            env: TestEnv::default(),
            memory: Arc::new(MemoryBudget::new(1 << 30)),
            cancel: TestCancel {
                checks_left: Cell::new(u64::MAX),
            },
            params: Vec::new(),
        }
    }

    /// A setting with one table.
    pub(crate) fn with(batches: Vec<Batch>) -> Setting {
        let mut setting = Setting::new();
        setting.add_table(batches);
        setting
    }

    /// Adds a table; the first one is number 0.
    pub(crate) fn add_table(&mut self, batches: Vec<Batch>) {
        self.source.tables.push(batches);
    }

    pub(crate) fn scan(&self, table: usize, letters: &str) -> Plan {
        let types = super::types_of_letters(letters);
        Plan::Scan(ScanNode {
            table: None,
            relation: Relation::Tree(TreeId(table as u64)),
            name: format!("t{table}"),
            column_names: vec!["column".to_owned(); types.len()],
            columns: (0..types.len()).collect(),
            types,
            predicates: Vec::new(),
            with_position: false,
            order: Vec::new(),
            first_of: 0,
        })
    }

    pub(crate) fn context(&self) -> ExecContext<'_> {
        ExecContext {
            source: &self.source,
            scratch: &self.scratch,
            env: &self.env,
            memory: self.memory.clone(),
            params: Parameters::given(&self.params),
            locale: &DEFAULT_LOCALE,
            host: None,
            cancel: &self.cancel,
        }
    }

    /// All batches; checks what every stream promises.
    pub(crate) fn run(&self, plan: &Plan) -> Result<Vec<Batch>> {
        let context = self.context();
        let answer = pollster::block_on(async {
            let mut stream = execute(plan, &context)?;
            let mut batches = Vec::new();
            while let Some(batch) = stream.next().await? {
                assert!((1..=1024).contains(&batch.rows()), "{}", batch.rows());
                batches.push(batch);
            }
            assert!(stream.next().await?.is_none(), "a stream stays at its end");
            Ok(batches)
        });
        self.assert_clean();
        answer
    }

    pub(crate) fn assert_clean(&self) {
        assert_eq!(self.memory.used_bytes(), 0, "all memory is given back");
        assert_eq!(self.scratch.held(), 0, "all scratch space is given back");
    }
}

#[derive(Default)]
pub(crate) struct TestSource {
    pub(crate) tables: Vec<Vec<Batch>>,
    /// What it was asked for.
    pub(crate) requests: RefCell<Vec<TableScan>>,
    pub(crate) batches_given: Cell<u64>,
    pub(crate) lookups: Cell<u64>,
    pub(crate) knows_counts: bool,
}

impl TestSource {
    fn project(&self, batch: &Batch, first_row: usize, request: &TableScan) -> Batch {
        let mut batch = batch.compact();
        let mut columns: Vec<_> = request
            .columns
            .iter()
            .map(|i| batch.column(*i).unwrap())
            .collect();
        if request.with_position {
            let positions = (first_row..first_row + batch.rows()).map(|row| row as i64);
            let data = ColumnData::Int64(positions.collect());
            columns.push(Arc::new(
                Column::plain(LogicalType::Int8, data, None).unwrap(),
            ));
        }
        let mut out = Batch::new(columns, batch.rows());
        for predicate in &request.predicates {
            let column = predicate.column.column().unwrap();
            let keep = predicate.test.select(&batch.column(column).unwrap());
            (out, batch) = (out.select(&keep), batch.select(&keep).compact());
        }
        out
    }
}

impl ScanSource for TestSource {
    fn scan<'a>(
        &'a self,
        request: TableScan,
    ) -> LocalFuture<'a, Result<Box<dyn BatchStream + 'a>>> {
        Box::pin(async move {
            Turn::default().await;
            self.requests.borrow_mut().push(request.clone());
            let (mut first_row, mut batches) = (0, Vec::new());
            for batch in &self.tables[request.tree.0 as usize] {
                let out = self.project(batch, first_row, &request);
                first_row += batch.rows();
                if !out.is_empty() {
                    batches.push(out);
                }
            }
            let stream = TestStream {
                batches: batches.into_iter(),
                given: &self.batches_given,
            };
            Ok(Box::new(stream) as Box<dyn BatchStream>)
        })
    }

    fn view_rows(
        &self,
        _: SystemView,
        _: &[usize],
        _: &[varve_types::PartPredicate],
    ) -> Result<Vec<Batch>> {
        Err(Error::unsupported("system views"))
    }

    fn lookup<'a>(
        &'a self,
        tree: TreeId,
        keys: &'a [Vec<Value>],
        columns: &'a [usize],
        with_position: bool,
    ) -> LocalFuture<'a, Result<Vec<Batch>>> {
        Box::pin(async move {
            Turn::default().await;
            self.lookups.set(self.lookups.get() + 1);
            let request = ScanSpec {
                predicates: keys[0]
                    .iter()
                    .enumerate()
                    .map(|(column, value)| varve_types::PartPredicate {
                        column: varve_types::KeyPart::Column(column),
                        test: varve_types::PredicateTest::In(vec![value.clone()]),
                    })
                    .collect(),
                with_position,
                ..ScanSpec::of(tree, columns.to_vec())
            };
            let batches = self.tables[tree.0 as usize].iter();
            Ok(batches
                .map(|batch| self.project(batch, 0, &request))
                .collect())
        })
    }

    fn fetch<'a>(
        &'a self,
        _: TreeId,
        _: &'a [RowPosition],
        _: &'a [usize],
    ) -> LocalFuture<'a, Result<Vec<Batch>>> {
        Box::pin(async { Err(Error::unsupported("fetch")) })
    }

    fn row_count(&self, relation: &Relation) -> Option<u64> {
        let Relation::Tree(tree) = relation else {
            return None;
        };
        let rows = self.tables[tree.0 as usize]
            .iter()
            .map(Batch::rows)
            .sum::<usize>();
        self.knows_counts.then_some(rows as u64)
    }
}

struct TestStream<'a> {
    batches: std::vec::IntoIter<Batch>,
    given: &'a Cell<u64>,
}

impl BatchStream for TestStream<'_> {
    fn next(&mut self) -> LocalFuture<'_, Result<Option<Batch>>> {
        Box::pin(async move {
            Turn::default().await;
            let batch = self.batches.next();
            self.given
                .set(self.given.get() + u64::from(batch.is_some()));
            Ok(batch)
        })
    }
}

#[derive(Default)]
pub(crate) struct TestScratch {
    batches: RefCell<BTreeMap<u64, Batch>>,
    pub(crate) written: Cell<u64>,
    pub(crate) refuses_after: Cell<Option<u64>>,
}

impl TestScratch {
    /// Batches not yet freed.
    pub(crate) fn held(&self) -> usize {
        self.batches.borrow().len()
    }
}

impl Scratch for TestScratch {
    fn write<'a>(&'a self, batch: &'a Batch) -> LocalFuture<'a, Result<ScratchTicket>> {
        Box::pin(async move {
            Turn::default().await;
            let ticket = self.written.get();
            if self
                .refuses_after
                .get()
                .is_some_and(|after| ticket >= after)
            {
                return Err(Error::new(SqlState::OUT_OF_MEMORY, "no scratch space"));
            }
            self.written.set(ticket + 1);
            self.batches.borrow_mut().insert(ticket, batch.compact());
            Ok(ScratchTicket(ticket))
        })
    }

    fn read<'a>(
        &'a self,
        ticket: ScratchTicket,
        types: &'a [LogicalType],
    ) -> LocalFuture<'a, Result<Batch>> {
        Box::pin(async move {
            Turn::default().await;
            let batch = self.batches.borrow()[&ticket.0].clone();
            let columns = batch.physical_columns().iter();
            assert!(
                columns
                    .map(|column| column.logical_type())
                    .eq(types.iter().copied())
            );
            Ok(batch)
        })
    }

    fn free(&self, ticket: ScratchTicket) {
        let freed = self.batches.borrow_mut().remove(&ticket.0);
        assert!(freed.is_some(), "a ticket is freed once");
    }
}

/// A clock that goes on by one millisecond with each look.
#[derive(Default)]
pub(crate) struct TestEnv {
    looks: AtomicU64,
    pub(crate) yields: AtomicU64,
}

impl Env for TestEnv {
    fn now_us(&self) -> i64 {
        0
    }

    fn monotonic_us(&self) -> u64 {
        self.looks.fetch_add(1, Ordering::Relaxed) * 1000
    }

    fn random_u64(&self) -> u64 {
        0
    }

    fn slice_us(&self) -> u64 {
        8000
    }

    fn yield_now(&self) -> LocalFuture<'static, ()> {
        self.yields.fetch_add(1, Ordering::Relaxed);
        Box::pin(Turn::default())
    }

    fn spawn(&self, _: LocalFuture<'static, ()>) {}
}

pub(crate) struct TestCancel {
    pub(crate) checks_left: Cell<u64>,
}

impl Cancel for TestCancel {
    fn check(&self) -> Result<()> {
        let left = self.checks_left.get();
        self.checks_left.set(left.saturating_sub(1));
        if left == 0 {
            return Err(Error::new(SqlState::QUERY_CANCELED, "canceled"));
        }
        Ok(())
    }
}

/// Is ready when polled for the second time, so that every wait is a real one.
#[derive(Default)]
struct Turn {
    polled: bool,
}

impl Future for Turn {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if core::mem::replace(&mut self.polled, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }
}
