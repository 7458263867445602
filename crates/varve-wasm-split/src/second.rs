//! The part that is loaded.

use std::collections::BTreeMap;

use anyhow::Result;
use walrus::ir::Value;
use walrus::{
    ConstExpr, DataId, ElementId, ElementItems, ElementKind, ExportId, FunctionBuilder, FunctionId,
    FunctionKind, GlobalId, GlobalKind, ImportedFunction, Module, ValType, passes,
};

use crate::data;
use crate::parts::{FIRST, GATE, Plan};

/// The module of what has moved: it imports all else, and fills the slots of the table.
pub(crate) fn emitted(mut module: Module, plan: &Plan) -> Result<Vec<u8>> {
    let texts = data::taken(&module, plan)?;
    remove_roots(&mut module);
    for (offset, bytes) in texts {
        data::add(&mut module, plan, offset, bytes);
    }
    import_memory_and_tables(&mut module, plan);
    import_globals(&mut module, plan);
    import_functions(&mut module, plan);
    fill_slots(&mut module, plan)?;
    let (gate, _) = module.add_import_global(FIRST, GATE, ValType::I32, true, false);
    module.start = Some(opener(&mut module, gate));
    passes::gc::run(&mut module);
    Ok(module.emit_wasm())
}

/// Takes off all that would keep what stays in the first part, or would do it again.
fn remove_roots(module: &mut Module) {
    let exports: Vec<ExportId> = module.exports.iter().map(|export| export.id()).collect();
    for id in exports {
        module.exports.delete(id);
    }
    let elements: Vec<ElementId> = module.elements.iter().map(|one| one.id()).collect();
    for id in elements {
        module.elements.delete(id);
    }
    for table in module.tables.iter_mut() {
        table.elem_segments.clear();
    }
    let data: Vec<DataId> = module.data.iter().map(|one| one.id()).collect();
    for id in data {
        module.data.delete(id);
    }
    for memory in module.memories.iter_mut() {
        memory.data_segments.clear();
    }
}

fn import_memory_and_tables(module: &mut Module, plan: &Plan) {
    let import = module.imports.add(FIRST, &plan.build, plan.memory);
    module.memories.get_mut(plan.memory).import = Some(import);
    for (id, name) in &plan.tables {
        let import = module.imports.add(FIRST, name, *id);
        module.tables.get_mut(*id).import = Some(import);
    }
    let table = module.tables.get_mut(plan.table);
    table.initial = plan.table_slots;
    table.maximum = table.maximum.map(|most| most.max(plan.table_slots));
}

fn import_globals(module: &mut Module, plan: &Plan) {
    for (id, name) in &plan.globals {
        let import = module.imports.add(FIRST, name, *id);
        module.globals.get_mut(*id).kind = GlobalKind::Import(import);
    }
}

fn import_functions(module: &mut Module, plan: &Plan) {
    for (id, name) in &plan.shared {
        let ty = module.funcs.get(*id).ty();
        match &module.funcs.get(*id).kind {
            // Imports come through the first part: only its glue knows what they are.
            FunctionKind::Import(import) => {
                let import = module.imports.get_mut(import.import);
                FIRST.clone_into(&mut import.module);
                import.name.clone_from(name);
            }
            _ => {
                let import = module.imports.add(FIRST, name, *id);
                let imported = ImportedFunction { import, ty };
                module.funcs.get_mut(*id).kind = FunctionKind::Import(imported);
            }
        }
    }
}

/// One segment for each run of slots side by side.
fn fill_slots(module: &mut Module, plan: &Plan) -> Result<()> {
    let mut by_slot: BTreeMap<u32, FunctionId> = BTreeMap::new();
    for (id, slots) in &plan.slots {
        by_slot.extend(slots.iter().map(|slot| (*slot, *id)));
    }
    let mut runs: Vec<(u32, Vec<FunctionId>)> = Vec::new();
    for (slot, id) in by_slot {
        match runs.last_mut() {
            Some((start, run)) if u32::try_from(run.len())? == slot - *start => run.push(id),
            _ => runs.push((slot, vec![id])),
        }
    }
    for (slot, run) in runs {
        let kind = ElementKind::Active {
            table: plan.table,
            offset: ConstExpr::Value(Value::I32(i32::try_from(slot)?)),
        };
        let id = module.elements.add(kind, ElementItems::Functions(run));
        module.tables.get_mut(plan.table).elem_segments.insert(id);
    }
    Ok(())
}

/// A function that opens the gate: slots are filled before it runs.
fn opener(module: &mut Module, gate: GlobalId) -> FunctionId {
    let mut builder = FunctionBuilder::new(&mut module.types, &[], &[]);
    builder.func_body().i32_const(1).global_set(gate);
    builder.finish(Vec::new(), &mut module.funcs)
}
