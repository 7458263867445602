//! What a module must be like to be split.

use std::collections::HashSet;

use anyhow::{Result, bail, ensure};
use walrus::{
    ConstExpr, DataKind, ElementItems, ElementKind, FunctionId, ImportKind, Module, TableId,
    ir::Value,
};

use crate::parts::Plan;

/// Refuses what the parts could not share, or would do twice. All of it is what rustc does not
/// emit, and `wasm-bindgen` does not add.
pub(crate) fn check(module: &Module) -> Result<()> {
    for import in module.imports.iter() {
        let is_function = matches!(import.kind, ImportKind::Function(_));
        ensure!(is_function, "`{}` is imported and no function", import.name);
    }
    ensure!(module.tags.iter().next().is_none(), "the module has tags");
    ensure!(
        module.memories.iter().count() == 1,
        "the module has not one memory"
    );
    for data in module.data.iter() {
        let is_active = matches!(data.kind, DataKind::Active { .. });
        ensure!(is_active, "data is not put into memory at the start");
    }
    for element in module.elements.iter() {
        let is_active = matches!(element.kind, ElementKind::Active { .. });
        ensure!(is_active, "elements are not put into a table at the start");
    }
    Ok(())
}

/// Refuses exports of the module that have names of the split's.
pub(crate) fn check_names(module: &Module, plan: &Plan) -> Result<()> {
    let ours: HashSet<&str> = plan.names().collect();
    for export in module.exports.iter() {
        let is_ours = ours.contains(export.name.as_str());
        ensure!(!is_ours, "the module exports `{}` already", export.name);
    }
    Ok(())
}

/// The function that loads the second part: an import of this name, without parameters and results.
pub(crate) fn loader(module: &Module, name: &str) -> Result<FunctionId> {
    for import in module.imports.iter() {
        if let ImportKind::Function(id) = import.kind
            && import.name == name
        {
            let (params, results) = module.types.params_results(module.funcs.get(id).ty());
            ensure!(
                params.is_empty() && results.is_empty(),
                "`{name}` takes or gives something"
            );
            return Ok(id);
        }
    }
    bail!("the module does not import `{name}`")
}

/// The functions that are in the table from the beginning, each with its slot.
pub(crate) fn table_functions(module: &Module, table: TableId) -> Result<Vec<(u32, FunctionId)>> {
    let mut found = Vec::new();
    let mut known = HashSet::new();
    for element in module.elements.iter() {
        let ElementKind::Active { table: of, offset } = &element.kind else {
            continue;
        };
        let ConstExpr::Value(Value::I32(offset)) = offset else {
            bail!("a place of the table is not constant");
        };
        ensure!(*of == table, "elements are in another table");
        let ElementItems::Functions(functions) = &element.items else {
            bail!("the table holds something else than functions");
        };
        for (slot, function) in (u32::try_from(*offset)?..).zip(functions) {
            ensure!(known.insert(slot), "slot {slot} is filled twice");
            found.push((slot, *function));
        }
    }
    Ok(found)
}
