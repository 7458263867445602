//! Conditions on the beginning of strings as tests that a scan makes.

use varve_catalog::model::table::TableDef;
use varve_expr::Expr;
use varve_expr::walk::is_fixed;
use varve_types::{LogicalType, PartPredicate};

use crate::optimize::push_down::part_of;
use crate::plan::PushedPredicate;
use crate::plan::prefix::{Prefix, PrefixForm};

/// Tests that hold wherever `LIKE`, `^@` or `starts_with` does, and whether they say the same;
/// `None` for a condition that is none of these or says nothing of the beginning.
pub(super) fn prefix_range(
    condition: &Expr,
    table: Option<&TableDef>,
) -> Option<(Vec<PushedPredicate>, bool)> {
    let Expr::Call { function, args, .. } = condition else {
        return None;
    };
    let [input, value] = args.as_slice() else {
        return None;
    };
    let form = match function.name() {
        "~~" => PrefixForm::Pattern,
        "^@" | "starts_with" => PrefixForm::Text,
        _ => return None,
    };
    let input = match input {
        Expr::Cast {
            input,
            to: LogicalType::Text,
            ..
        } if input.logical_type() == LogicalType::Varchar => input,
        input if input.logical_type() == LogicalType::Text => input,
        _ => return None,
    };
    let column = part_of(input, table)?;
    if let Expr::Literal { value, .. } = value {
        let range = form.range(value.str()?);
        let fixed = |test| PushedPredicate::Fixed(PartPredicate { column, test });
        let predicates: Vec<_> = range.tests.into_iter().map(fixed).collect();
        return (!predicates.is_empty()).then_some((predicates, range.is_all));
    }
    is_fixed(value).then(|| {
        let value = value.clone();
        let prefix = Prefix { form, value };
        // What a pattern says beyond its beginning is not known yet.
        let says_all = form == PrefixForm::Text;
        let predicate = PushedPredicate::Prefix { column, prefix };
        (vec![predicate], says_all)
    })
}
