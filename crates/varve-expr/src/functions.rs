//! The function table by name, as the outside sees it.

use std::sync::OnceLock;

use varve_types::LogicalType;

use crate::kernels::TABLE;
use crate::tree::{Binding, Entry, Function, Kernel, Param, Volatility, bind};

/// The rows of the table by name.
fn all_entries() -> &'static [&'static Entry] {
    static BY_NAME: OnceLock<Vec<&'static Entry>> = OnceLock::new();
    BY_NAME.get_or_init(|| {
        let mut all: Vec<&Entry> = TABLE.iter().copied().flatten().collect();
        varve_sort::sort_by_key(&mut all, |entry| entry.name);
        all
    })
}

/// The OIDs of functions begin here.
const FIRST_FUNCTION: u32 = 20_000;

/// The OID of the first function of a name; it may be another one in another version.
pub fn function_number(name: &str) -> Option<u32> {
    let at = all_entries().partition_point(|entry| entry.name < name);
    let found = all_entries()
        .get(at)
        .is_some_and(|entry| entry.name == name);
    let at = u32::try_from(at).ok().filter(|_| found)?;
    FIRST_FUNCTION.checked_add(at)
}

/// The name of the function with an OID.
pub fn function_name(number: u32) -> Option<&'static str> {
    let at = usize::try_from(number.checked_sub(FIRST_FUNCTION)?).ok()?;
    all_entries().get(at).map(|entry| entry.name)
}

/// What the catalog tells of a function.
#[derive(Clone, Debug)]
pub struct FunctionFacts {
    /// Its OID.
    pub number: u32,
    /// Its name.
    pub name: &'static str,
    /// The OIDs of the types of its arguments.
    pub arguments: Vec<u32>,
    /// The OID of the type of its result.
    pub result: u32,
    /// Whether a NULL argument makes the result NULL.
    pub is_strict: bool,
    /// Whether it answers with rows.
    pub returns_set: bool,
    /// What the result depends on.
    pub volatility: Volatility,
}

/// All functions that are no operators, by name.
pub fn function_facts() -> Vec<FunctionFacts> {
    let named = (FIRST_FUNCTION..).zip(all_entries());
    let named = named.filter(|(_, entry)| !entry.is_operator() && !entry.name.starts_with('\0'));
    named
        .map(|(number, entry)| FunctionFacts {
            number,
            name: entry.name,
            arguments: entry.args.iter().map(|param| param.oid()).collect(),
            result: entry.result.oid(),
            is_strict: entry.strict,
            returns_set: matches!(entry.kernel, Kernel::Set(_)),
            volatility: entry.volatility,
        })
        .collect()
}

/// The rows of the table with this name, in the order of the table.
pub(crate) fn entries_of(name: &str) -> &'static [&'static Entry] {
    let all = all_entries();
    let first = all.partition_point(|entry| entry.name < name);
    let rest = all.get(first..).unwrap_or_default();
    let count = rest.partition_point(|entry| entry.name == name);
    rest.get(..count).unwrap_or_default()
}

/// Whether a name is that of a function that answers with rows.
pub fn is_set_function(name: &str) -> bool {
    entries_of(name)
        .iter()
        .any(|entry| matches!(entry.kernel, Kernel::Set(_)))
}

/// The symbol of an operator that there is.
pub fn operator_named(symbol: &str) -> Option<&'static str> {
    let entry = entries_of(symbol).first()?;
    entry.is_operator().then_some(entry.name)
}

/// Whether there is a function or operator of this name.
pub fn is_function(name: &str) -> bool {
    !entries_of(name).is_empty()
}

/// Whether a function takes any number of arguments of any types.
pub fn repeats_any(name: &str) -> bool {
    let mut entries = entries_of(name).iter();
    entries.any(|entry| entry.variadic && entry.args.last() == Some(&Param::ANY))
}

impl Function {
    /// The function with this name and exactly these types of arguments: a repeated one once,
    /// without those that are of any type.
    pub fn find(name: &str, arg_types: &[LogicalType], args: usize) -> Option<Function> {
        entries_of(name).iter().find_map(|entry| {
            let typed = entry.args.iter().filter(|param| **param != Param::ANY);
            let params: Vec<_> = typed
                .copied()
                .zip(arg_types.iter().copied().map(Some))
                .collect();
            let bound = match bind(&params) {
                Binding::Of(ty) => Some(ty),
                Binding::Plain => None,
                Binding::Unknown | Binding::Conflict => return None,
            };
            let function = Function {
                entry,
                bound,
                spread: false,
            };
            let fits = function.arg_types() == arg_types && function.takes(args);
            fits.then_some(function)
        })
    }

    /// What computes a form of SQL that is no call, by the name that the binder knows; `bound` is
    /// the type of the elements of its arrays.
    pub fn form(name: &str, bound: Option<LogicalType>) -> Option<Function> {
        let entry = entries_of(name)
            .first()
            .filter(|_| name.starts_with('\0'))?;
        Some(Function {
            entry,
            bound,
            spread: false,
        })
    }
}
