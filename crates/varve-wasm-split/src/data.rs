//! Constant texts that go into the second part with the only function that reads them.
//!
//! Such a text stands between two lines that name the function, and the function must keep the
//! compiler from looking into it (`black_box`), so that nothing but a call of it leads to the text.
//! As long as the second part is not there, the bytes in memory are 0; a call loads it.
//!
//! ```text
//! --[second part: path::of::function
//! text
//! --]second part
//! ```

use std::collections::HashSet;
use std::ops::Range;

use anyhow::{Result, bail};
use walrus::ir::Value;
use walrus::{ConstExpr, DataId, DataKind, FunctionId, Module};

use crate::names::stable_name;
use crate::parts::Plan;

const BEGIN: &[u8] = b"--[second part: ";
const END: &[u8] = b"--]second part\n";

/// Bytes of a segment that move.
pub(crate) struct MovedData {
    segment: DataId,
    bytes: Range<usize>,
}

/// The texts whose functions move.
pub(crate) fn moved(module: &Module, is_moved: &HashSet<FunctionId>) -> Result<Vec<MovedData>> {
    let mut found = Vec::new();
    for data in module.data.iter() {
        let mut from = 0;
        while let Some(begin) = position(&data.value, BEGIN, from) {
            let Some(end) = position(&data.value, END, begin) else {
                bail!("a text of the second part has no end");
            };
            let end = end + END.len();
            from = end;
            let named = data.value.get(begin + BEGIN.len()..end).unwrap_or_default();
            let named = named.split(|byte| *byte == b'\n').next();
            let path = String::from_utf8_lossy(named.unwrap_or_default());
            if moves(module, is_moved, &path)? {
                found.push(MovedData {
                    segment: data.id(),
                    bytes: begin..end,
                });
            }
        }
    }
    Ok(found)
}

fn position(bytes: &[u8], of: &[u8], from: usize) -> Option<usize> {
    let behind = bytes.get(from..)?;
    let found = behind.windows(of.len()).position(|window| window == of);
    found.map(|at| from + at)
}

/// Whether the function of a path goes into the second part.
fn moves(module: &Module, is_moved: &HashSet<FunctionId>, path: &str) -> Result<bool> {
    for (id, _) in module.funcs.iter_local() {
        let name = module.funcs.get(id).name.as_deref().map(stable_name);
        let is_it = name.is_some_and(|name| name.split(' ').next() == Some(path));
        if is_it {
            return Ok(is_moved.contains(&id));
        }
    }
    bail!("`{path}` reads a text of the second part, and is no function");
}

/// Takes the bytes out of the first part.
pub(crate) fn cut(module: &mut Module, plan: &Plan) -> Result<()> {
    // From the last one on, so that the places of the others stay.
    for moved in plan.data.iter().rev() {
        let behind = offset(module, moved)? + i32::try_from(moved.bytes.len())?;
        let data = module.data.get_mut(moved.segment);
        let rest = data.value.split_off(moved.bytes.end);
        data.value.truncate(moved.bytes.start);
        add(module, plan, behind, rest);
    }
    Ok(())
}

/// The bytes with their places in memory, to be added to the second part.
pub(crate) fn taken(module: &Module, plan: &Plan) -> Result<Vec<(i32, Vec<u8>)>> {
    let taken = plan.data.iter().map(|moved| {
        let value = &module.data.get(moved.segment).value;
        let bytes = value.get(moved.bytes.clone()).unwrap_or_default();
        Ok((offset(module, moved)?, bytes.to_vec()))
    });
    taken.collect()
}

/// Adds a segment.
pub(crate) fn add(module: &mut Module, plan: &Plan, offset: i32, bytes: Vec<u8>) {
    let kind = DataKind::Active {
        memory: plan.memory,
        offset: ConstExpr::Value(Value::I32(offset)),
    };
    let id = module.data.add(kind, bytes);
    let memory = module.memories.get_mut(plan.memory);
    memory.data_segments.insert(id);
}

/// Where in memory the bytes are.
fn offset(module: &Module, moved: &MovedData) -> Result<i32> {
    match &module.data.get(moved.segment).kind {
        DataKind::Active {
            offset: ConstExpr::Value(Value::I32(offset)),
            ..
        } => Ok(offset + i32::try_from(moved.bytes.start)?),
        _ => bail!("data lies at no fixed place"),
    }
}
