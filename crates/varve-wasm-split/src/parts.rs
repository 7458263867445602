//! The plan of a split, and the two parts that it gives.

use std::collections::btree_map::Entry;
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{Hash, Hasher};

use anyhow::{Context, Result};
use walrus::{FunctionId, FunctionKind, GlobalId, MemoryId, Module, ModuleConfig, TableId};

use crate::calls::called_by;
use crate::data::{self, MovedData};
use crate::names::stable_name;
use crate::{first, second, supported};

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
    /// The table of functions.
    pub table: TableId,
    /// All tables; another one is that of references to what JavaScript has.
    pub tables: BTreeMap<TableId, String>,
    /// What loads the second part.
    pub loader: FunctionId,
    /// Constant texts that go into the second part.
    pub data: Vec<MovedData>,
}

/// The module in which the second part looks for what is in the first.
pub(crate) const FIRST: &str = "first";
pub(crate) const GATE: &str = "gate";

/// Splits a module: what `profile` names by its [`stable_name`] stays, with all that has no name.
/// The imported function `loader` loads the second part.
///
/// # Errors
///
/// The bytes are no module, it has no such import, or something that the parts could not share:
/// imports that are no functions, several memories, tags, passive segments, exports that are called
/// like the split's own.
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
        supported::check(module)?;
        let loader = supported::loader(module, loader)?;
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
        let memory = module.memories.iter().next();
        let memory = memory.context("the module has no memory")?.id();
        let table = module.tables.main_function_table()?;
        let table = table.context("the module has no table of functions")?;
        let mut slots: BTreeMap<FunctionId, Vec<u32>> = BTreeMap::new();
        for (slot, id) in supported::table_functions(module, table)? {
            if is_moved.contains(&id) {
                slots.entry(id).or_default().push(slot);
            }
        }
        let mut table_slots = module.tables.get(table).initial;
        for id in entered(module, &is_moved) {
            if let Entry::Vacant(entry) = slots.entry(id) {
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
        let globals = module.globals.iter().map(|global| global.id());
        let tables = module.tables.iter().map(|table| table.id());
        let plan = Plan {
            data: data::moved(module, &is_moved)?,
            shared: numbered('f', shared),
            globals: numbered('g', globals),
            tables: numbered('t', tables),
            moved,
            slots,
            table_slots,
            memory,
            build,
            table,
            loader,
        };
        supported::check_names(module, &plan)?;
        Ok(plan)
    }

    /// The names under which the first part exports what both use.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let shared = self.shared.values().chain(self.globals.values());
        let shared = shared.chain(self.tables.values()).map(String::as_str);
        shared.chain([GATE, self.build.as_str()])
    }
}

/// Short names, which are many: a letter and a number.
fn numbered<T: Ord>(letter: char, of: impl Iterator<Item = T>) -> BTreeMap<T, String> {
    let named = (0_usize..).zip(of);
    named
        .map(|(at, id)| (id, format!("{letter}{at}")))
        .collect()
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
