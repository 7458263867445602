//! The plan of a split, and the two parts that it gives.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{Hash, Hasher};

use anyhow::{Context, Result, bail, ensure};
use walrus::{
    ConstExpr, ElementItems, ElementKind, FunctionId, FunctionKind, GlobalId, MemoryId, Module,
    ModuleConfig, TableId, ir::Value,
};

use crate::calls::called_by;
use crate::names::stable_name;
use crate::{first, second};

/// A module in two.
pub struct Parts {
    /// What starts.
    pub first: Vec<u8>,
    /// What the loader has to instantiate, with the exports of the first part as module `first`.
    pub second: Vec<u8>,
    /// How many functions stay in the first part, and how many go into the second one.
    pub functions: (usize, usize),
}

/// Which function goes where, and by which names the parts know what they share.
pub(crate) struct Plan {
    /// Functions that go into the second part, in the order of the module.
    pub moved: Vec<FunctionId>,
    /// The slot of each function that the second part has to fill in.
    pub slots: BTreeMap<FunctionId, Vec<u32>>,
    /// How long the table has to be.
    pub table_slots: u64,
    /// Functions of the first part, and those that it imports, that the second part calls.
    pub shared: BTreeMap<FunctionId, String>,
    /// Globals that both parts use.
    pub globals: BTreeMap<GlobalId, String>,
    pub memory: MemoryId,
    /// The name by which the parts of one build share the memory.
    pub build: String,
    pub table: TableId,
    /// What loads the second part.
    pub loader: FunctionId,
}

/// The module in which the second part looks for what is in the first.
pub(crate) const FIRST: &str = "first";
pub(crate) const GATE: &str = "gate";
pub(crate) const TABLE: &str = "table";

/// Splits a module: what `profile` names by its [`stable_name`] stays, with all that has no name.
/// The imported function whose name begins with `loader` loads the second part.
///
/// # Errors
///
/// The bytes are no module, it has no such import, or not one memory and one table of functions
/// with constant places.
pub fn split(wasm: &[u8], profile: &HashSet<String>, loader: &str) -> Result<Parts> {
    let mut hasher = DefaultHasher::new();
    wasm.hash(&mut hasher);
    let mut sorted: Vec<&String> = profile.iter().collect();
    sorted.sort();
    sorted.hash(&mut hasher);
    let build = format!("varve-{:016x}", hasher.finish());
    // Ids belong to one module in memory, so each part has a module and a plan of its own.
    let planned = || -> Result<(Module, Plan)> {
        let module = parsed(wasm)?;
        let plan = Plan::of(&module, profile, loader, build.clone())?;
        Ok((module, plan))
    };
    let (module, plan) = planned()?;
    let all = module.funcs.iter_local().count();
    let functions = (all - plan.moved.len(), plan.moved.len());
    let first = first::emitted(module, &plan)?;
    let (module, plan) = planned()?;
    let second = second::emitted(module, &plan)?;
    Ok(Parts {
        first,
        second,
        functions,
    })
}

fn parsed(wasm: &[u8]) -> Result<Module> {
    let mut config = ModuleConfig::new();
    config.generate_producers_section(false);
    config.parse(wasm)
}

impl Plan {
    fn of(module: &Module, profile: &HashSet<String>, loader: &str, build: String) -> Result<Plan> {
        let loader = module.imports.iter().find_map(|import| match import.kind {
            walrus::ImportKind::Function(id) if import.name.starts_with(loader) => Some(id),
            _ => None,
        });
        let loader = loader.context("the module does not import its loader")?;
        let moved: Vec<FunctionId> = module
            .funcs
            .iter_local()
            .map(|(id, _)| id)
            .filter(|id| {
                let name = module.funcs.get(*id).name.as_deref();
                name.is_some_and(|name| !profile.contains(&stable_name(name)))
            })
            .filter(|id| module.start != Some(*id))
            .collect();
        let is_moved: HashSet<FunctionId> = moved.iter().copied().collect();
        let mut memories = module.memories.iter();
        let memory = memories.next().context("the module has no memory")?.id();
        ensure!(memories.next().is_none(), "the module has several memories");
        let table = module.tables.main_function_table()?;
        let table = table.context("the module has no table of functions")?;
        let mut slots = table_slots(module, table)?;
        slots.retain(|id, _| is_moved.contains(id));
        let mut table_slots = module.tables.get(table).initial;
        for id in entered(module, &is_moved) {
            if let std::collections::btree_map::Entry::Vacant(entry) = slots.entry(id) {
                entry.insert(vec![u32::try_from(table_slots)?]);
                table_slots += 1;
            }
        }
        let called = moved
            .iter()
            .filter_map(|id| match &module.funcs.get(*id).kind {
                FunctionKind::Local(function) => Some(called_by(function)),
                _ => None,
            });
        let called: BTreeSet<FunctionId> = called.flatten().collect();
        let shared = called.into_iter().filter(|id| !is_moved.contains(id));
        let shared = (0..)
            .zip(shared)
            .map(|(at, id): (usize, _)| (id, format!("f{at}")));
        let globals = (0..).zip(module.globals.iter());
        let globals = globals.map(|(at, global): (usize, _)| (global.id(), format!("g{at}")));
        Ok(Plan {
            shared: shared.collect(),
            globals: globals.collect(),
            moved,
            slots,
            table_slots,
            memory,
            build,
            table,
            loader,
        })
    }
}

/// The functions of the second part that the first one calls, or that others call by name.
fn entered(module: &Module, is_moved: &HashSet<FunctionId>) -> BTreeSet<FunctionId> {
    let staying = module
        .funcs
        .iter_local()
        .filter(|(id, _)| !is_moved.contains(id));
    let mut entered: BTreeSet<FunctionId> = staying
        .flat_map(|(_, function)| called_by(function))
        .collect();
    entered.extend(
        module
            .exports
            .iter()
            .filter_map(|export| match export.item {
                walrus::ExportItem::Function(id) => Some(id),
                _ => None,
            }),
    );
    entered.retain(|id| is_moved.contains(id));
    entered
}

/// The slots of the functions that are in the table from the beginning.
fn table_slots(module: &Module, table: TableId) -> Result<BTreeMap<FunctionId, Vec<u32>>> {
    let mut slots: BTreeMap<FunctionId, Vec<u32>> = BTreeMap::new();
    for element in module.elements.iter() {
        let ElementKind::Active { table: of, offset } = &element.kind else {
            continue;
        };
        let ConstExpr::Value(Value::I32(offset)) = offset else {
            bail!("a place of the table is not constant");
        };
        ensure!(*of == table, "functions are in another table");
        let ElementItems::Functions(functions) = &element.items else {
            bail!("the table holds something else than functions");
        };
        for (slot, function) in (u32::try_from(*offset)?..).zip(functions) {
            slots.entry(*function).or_default().push(slot);
        }
    }
    Ok(slots)
}
