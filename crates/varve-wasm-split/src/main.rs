//! `varve-wasm-split IN.wasm PROFILE FIRST.wasm SECOND.wasm`: splits a module by a profile, whose
//! lines have a path and the hashes of the functions of this path that stay in the first part.
//!
//! `varve-wasm-split --names IN.wasm`: prints the functions of a module by their numbers, as a
//! profile names them; those without a name have none here either.

use std::collections::HashSet;
use std::fs;

use anyhow::{Result, bail};
use varve_wasm_split::{split, stable_name};

const LOADER: &str = "loadSecondPart";

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["--names", module] => {
            let module = walrus::Module::from_file(module)?;
            for (at, function) in module.funcs.iter().enumerate() {
                let name = function.name.as_deref().map(stable_name);
                println!("{at} {}", name.unwrap_or_default());
            }
        }
        [module, profile, first, second] => {
            let profile = fs::read_to_string(profile)?;
            let profile = names(&profile);
            let parts = split(&fs::read(module)?, &profile, LOADER)?;
            fs::write(first, &parts.first)?;
            fs::write(second, &parts.second)?;
            let (staying, moved) = parts.functions;
            println!("{staying} functions in the first part, {moved} in the second");
        }
        _ => bail!(
            "usage: varve-wasm-split IN.wasm PROFILE FIRST.wasm SECOND.wasm, or --names IN.wasm"
        ),
    }
    Ok(())
}

/// The functions of a profile, one by one.
fn names(profile: &str) -> HashSet<String> {
    let lines = profile.lines().map(|line| line.split(' '));
    let names = lines.flat_map(|mut words| {
        let path = words.next().unwrap_or_default();
        words.map(move |hash| format!("{path} {hash}"))
    });
    names.collect()
}
