//! The choice of a template for a block, and of a plan for each of its columns.

use std::sync::Arc;

use crate::SharedWriter;
use crate::integers::{IntegerKind, IntegerPlan, choose_integers};
use crate::string_data::StringsRef;
use crate::strings::split::cut::{Cut, Cutter, Values};
use crate::strings::split::find::templates;
use crate::strings::split::template::{Piece, Template};
use crate::strings::split_codec::{ColumnPlan, Split, put_cut};
use crate::strings::{StringPlan, StringSample, choose_strings, strings_of_form};

/// Strings of each sampled vector that templates are found on.
const LOOK_STRINGS: usize = 256;
/// Sampled vectors that templates are compared on.
const COMPARED_VECTORS: usize = 2;

/// The best template of a block, unless it saves little over the whole strings, or none could be
/// nested in its columns.
pub(crate) fn candidate(
    sample: StringSample<'_>,
    depth: u8,
    shared: &SharedWriter,
) -> Option<(StringPlan, SharedWriter)> {
    if depth < 2 {
        return None;
    }
    let (template, cutter) = best(sample.vectors)?;
    of_template(template, cutter, &[], sample, depth, shared)
}

/// The template of a block before, for one whose columns hold other values.
pub(crate) fn of_form(
    split: &Split,
    sample: StringSample<'_>,
    depth: u8,
    shared: &SharedWriter,
) -> Option<(StringPlan, SharedWriter)> {
    let (template, cutter) = (split.template.clone(), split.cutter.clone());
    of_template(template, cutter, &split.columns, sample, depth, shared)
}

/// A plan for each column, of the form that it has in `plans`, where there are such.
fn of_template(
    template: Template,
    cutter: Cutter,
    plans: &[ColumnPlan],
    sample: StringSample<'_>,
    depth: u8,
    shared: &SharedWriter,
) -> Option<(StringPlan, SharedWriter)> {
    let mut grown = shared.clone();
    let resource = grown.add_template(&template)?;
    let depth = depth.saturating_sub(1);
    let cuts = |vectors: &[StringsRef<'_>]| -> Option<Vec<Cut>> {
        let cut = |vector: &StringsRef<'_>| cutter.cut(&template, *vector);
        vectors.iter().map(cut).collect()
    };
    let sampled = cuts(sample.vectors)?;
    let block = match sample.block {
        Some(vectors) => Some(cuts(vectors)?),
        None => None,
    };
    let mut columns = Vec::new();
    for (at, piece) in template.columns().enumerate() {
        if let Piece::Number(_) = piece {
            let vectors: Vec<Vec<i64>> = numbers(&sampled, at).map(<[i64]>::to_vec).collect();
            let block: Option<Vec<&[i64]>> = block.as_ref().map(|cuts| numbers(cuts, at).collect());
            let kind = IntegerKind::Int64;
            let block = block.as_deref();
            let plan = match plans.get(at) {
                Some(ColumnPlan::Numbers(IntegerPlan::Basic)) => IntegerPlan::Basic,
                _ => {
                    let chosen =
                        choose_integers(kind, &vectors, block, sample.scale, depth, &grown);
                    grown = chosen.shared;
                    chosen.plan
                }
            };
            columns.push(ColumnPlan::Numbers(plan));
        } else {
            let vectors: Vec<StringsRef<'_>> = texts(&sampled, at).collect();
            let block: Option<Vec<StringsRef<'_>>> =
                block.as_ref().map(|cuts| texts(cuts, at).collect());
            let column = StringSample {
                vectors: &vectors,
                block: block.as_deref(),
                staged: false,
                ..sample
            };
            let of_form = match plans.get(at) {
                Some(ColumnPlan::Text(plan)) => strings_of_form(plan, column, depth, &grown),
                _ => None,
            };
            let (plan, shared) = of_form.unwrap_or_else(|| {
                let chosen = choose_strings(column, depth, &grown);
                (chosen.plan, chosen.shared)
            });
            columns.push(ColumnPlan::Text(plan));
            grown = shared;
        }
    }
    let split = Split {
        resource,
        template,
        cutter,
        columns,
        others: StringPlan::Basic,
    };
    Some((StringPlan::Split(Arc::new(split)), grown))
}

/// The template whose columns take the fewest bytes in the basic codecs, if it saves a sixteenth.
pub(crate) fn best(vectors: &[StringsRef<'_>]) -> Option<(Template, Cutter)> {
    let rows = vectors.iter().flat_map(|vector| {
        let rows = vector.len().min(LOOK_STRINGS);
        (0..rows).map(|row| vector.get(row))
    });
    let rows: Vec<&[u8]> = rows.collect();
    let compared = vectors.get(..COMPARED_VECTORS).unwrap_or(vectors);
    let mut whole = Vec::new();
    for vector in compared {
        StringPlan::Basic.encode(*vector, &mut whole);
    }
    let mut least = whole.len() - whole.len() / 16;
    let mut best = None;
    for template in templates(&rows) {
        let cutter = Cutter::new(&template);
        let basic: Vec<ColumnPlan> = template.columns().map(basic_plan).collect();
        let mut out = Vec::new();
        for vector in compared {
            let cut = cutter.cut(&template, *vector)?;
            put_cut(&cut, vector.len(), &basic, &StringPlan::Basic, &mut out);
        }
        if out.len() < least {
            least = out.len();
            best = Some((template, cutter));
        }
    }
    best
}

fn basic_plan(column: &Piece) -> ColumnPlan {
    match column {
        Piece::Number(_) => ColumnPlan::Numbers(IntegerPlan::Basic),
        _ => ColumnPlan::Text(StringPlan::Basic),
    }
}

/// Column `at` of each vector.
fn numbers(cuts: &[Cut], at: usize) -> impl Iterator<Item = &[i64]> {
    let column = move |cut| column(cut, at);
    cuts.iter().map(column).map(|values| match values {
        Some(Values::Numbers(integers)) => integers.as_slice(),
        _ => &[],
    })
}

fn texts(cuts: &[Cut], at: usize) -> impl Iterator<Item = StringsRef<'_>> {
    let column = move |cut| column(cut, at);
    cuts.iter().map(column).map(|values| match values {
        Some(Values::Text(texts)) => texts.as_ref(),
        _ => StringsRef {
            offsets: &[],
            bytes: &[],
        },
    })
}

fn column(cut: &Cut, at: usize) -> Option<&Values> {
    cut.columns.get(at)
}
