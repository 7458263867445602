//! The part that starts.

use anyhow::Result;
use walrus::ir::{UnaryOp, Value};
use walrus::{
    ConstExpr, FunctionBuilder, FunctionId, FunctionKind, GlobalId, LocalFunction, Module, ValType,
    passes,
};

use crate::data;
use crate::parts::{GATE, Plan};

/// The module with stubs for what has moved, and with exports of all that the second part uses.
pub(crate) fn emitted(mut module: Module, plan: &Plan) -> Result<Vec<u8>> {
    let gate = module
        .globals
        .add_local(ValType::I32, true, false, ConstExpr::Value(Value::I32(0)));
    for (id, slots) in &plan.slots {
        if let Some(slot) = slots.first() {
            let stub = stub(&mut module, plan, *id, gate, *slot)?;
            module.funcs.get_mut(*id).kind = FunctionKind::Local(stub);
        }
    }
    data::cut(&mut module, plan)?;
    let table = module.tables.get_mut(plan.table);
    table.initial = plan.table_slots;
    table.maximum = table.maximum.map(|most| most.max(plan.table_slots));
    for (id, name) in &plan.shared {
        module.exports.add(name, *id);
    }
    for (id, name) in &plan.globals {
        module.exports.add(name, *id);
    }
    module.exports.add(GATE, gate);
    for (id, name) in &plan.tables {
        module.exports.add(name, *id);
    }
    module.exports.add(&plan.build, plan.memory);
    passes::gc::run(&mut module);
    Ok(module.emit_wasm())
}

/// Calls what the second part puts into a slot, after it was loaded.
fn stub(
    module: &mut Module,
    plan: &Plan,
    of: FunctionId,
    gate: GlobalId,
    slot: u32,
) -> Result<LocalFunction> {
    let ty = module.funcs.get(of).ty();
    let (params, results) = module.types.params_results(ty);
    let (params, results) = (params.to_vec(), results.to_vec());
    let mut builder = FunctionBuilder::new(&mut module.types, &params, &results);
    let args: Vec<_> = params.iter().map(|ty| module.locals.add(*ty)).collect();
    let mut body = builder.func_body();
    body.global_get(gate).unop(UnaryOp::I32Eqz).if_else(
        None,
        |then| {
            then.call(plan.loader);
        },
        |_| {},
    );
    for arg in &args {
        body.local_get(*arg);
    }
    body.i32_const(i32::try_from(slot)?)
        .call_indirect(ty, plan.table);
    Ok(builder.local_func(args))
}
