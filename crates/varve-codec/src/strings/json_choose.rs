//! The shapes of a block's documents, and a cascade for each of their fields.

use std::sync::Arc;

use crate::SharedWriter;
use crate::integers::same::put_rows;
use crate::integers::{IntegerKind, Scale, choose_integers};
use crate::string_data::{Strings, StringsRef};
use crate::strings::json::pattern::Slot;
use crate::strings::json::shape::patterns;
use crate::strings::json::split::{Column, Parts, Rows, Shape, split};
use crate::strings::json_plan::{FieldPlan, JsonPlan};
use crate::strings::{ChosenStrings, StringPlan, StringSample, choose_strings, same};

/// A plan by templates, if the documents of the sample share their shapes.
pub(super) fn candidate(
    sample: StringSample<'_>,
    depth: u8,
    shared: &SharedWriter,
) -> Option<(StringPlan, SharedWriter)> {
    let block = sample.block.unwrap_or(sample.vectors);
    let shapes = shapes(sample.vectors, block)?;
    let mut grown = shared.clone();
    let templates: Vec<_> = shapes.iter().map(Shape::template).collect();
    let resource = grown.add_templates(&templates)?;
    let (block_parts, sample_parts) = (parts(&shapes, block), parts(&shapes, sample.vectors));
    let mut fields = Vec::with_capacity(shapes.len());
    for (at, shape) in shapes.iter().enumerate() {
        let mut chooser = FieldChooser {
            sample: rows_of(&sample_parts, at).collect(),
            block: rows_of(&block_parts, at).collect(),
            staged: sample.staged,
            depth,
            shared: grown,
        };
        fields.push(chooser.choose(shape)?);
        grown = chooser.shared;
    }
    let codes: Vec<Vec<i64>> = sample_parts.iter().map(|part| part.codes.clone()).collect();
    let codes = choose_integers(
        IntegerKind::Int32,
        &codes,
        None,
        sample.scale,
        depth - 1,
        &grown,
    );
    let exceptions: Vec<StringsRef<'_>> = sample_parts
        .iter()
        .map(|part| part.exceptions.as_ref())
        .filter(|strings| !strings.is_empty())
        .collect();
    let exceptions = choose_strings(
        StringSample {
            vectors: &exceptions,
            block: None,
            ..sample
        },
        depth - 1,
        &codes.shared,
    );
    let plan = JsonPlan {
        resource,
        shapes,
        fields,
        codes: codes.plan,
        exceptions: exceptions.plan,
    };
    Some((StringPlan::Codec(Arc::new(plan)), exceptions.shared))
}

/// The shapes of the documents in `sample`, as all of `block` have them; `None` where they share
/// none.
fn shapes(sample: &[StringsRef<'_>], block: &[StringsRef<'_>]) -> Option<Vec<Shape>> {
    let mut shapes: Vec<Shape> = patterns(sample).into_iter().map(Shape::new).collect();
    if shapes.is_empty() {
        return None;
    }
    let block_parts = parts(&shapes, block);
    for (at, shape) in shapes.iter_mut().enumerate() {
        let rows: Vec<&Rows> = rows_of(&block_parts, at).collect();
        shape.refine(&rows);
    }
    Some(shapes)
}

/// The documents of each vector, cut by their shapes.
fn parts(shapes: &[Shape], vectors: &[StringsRef<'_>]) -> Vec<Parts> {
    let vectors = vectors.iter();
    vectors.map(|vector| split(shapes, *vector)).collect()
}

/// The rows of shape `at` in each vector that has some.
fn rows_of(parts: &[Parts], at: usize) -> impl Iterator<Item = &Rows> {
    let rows = parts.iter().filter_map(move |part| part.shapes.get(at));
    rows.filter(|rows| rows.count > 0)
}

/// Chooses for the fields of one shape.
struct FieldChooser<'a> {
    sample: Vec<&'a Rows>,
    block: Vec<&'a Rows>,
    staged: bool,
    depth: u8,
    shared: SharedWriter,
}

impl FieldChooser<'_> {
    fn choose(&mut self, shape: &Shape) -> Option<Vec<FieldPlan>> {
        let mut plans: Vec<FieldPlan> = Vec::new();
        let columns = self.sample.first()?.columns.iter();
        for (at, (column, slot)) in columns.zip(shape.field_slots()).enumerate() {
            // Documents in slots of documents must end; text between quotes holds none.
            let depth = self.depth - u8::from(slot == Slot::Raw);
            let plan = match column {
                Column::Integers(_) => self.integers(at),
                Column::Text(_) => self.text(at, depth, &plans),
            };
            plans.push(plan);
        }
        Some(plans)
    }

    fn integers(&mut self, at: usize) -> FieldPlan {
        let sample: Vec<Vec<i64>> = integers_of(&self.sample, at).map(<[i64]>::to_vec).collect();
        let block: Vec<&[i64]> = integers_of(&self.block, at).collect();
        let rows = |rows: &[&Rows]| rows.iter().map(|rows| rows.count as u64).sum();
        let scale = Scale {
            sample_rows: rows(&self.sample),
            block_rows: rows(&self.block),
        };
        let block = Some(block.as_slice());
        let kind = IntegerKind::Int64;
        let chosen = choose_integers(kind, &sample, block, scale, self.depth, &self.shared);
        self.shared = chosen.shared;
        FieldPlan::Integers(chosen.plan)
    }

    fn text(&mut self, at: usize, depth: u8, plans: &[FieldPlan]) -> FieldPlan {
        let sample: Vec<StringsRef<'_>> = text_of(&self.sample, at).collect();
        let block: Vec<StringsRef<'_>> = text_of(&self.block, at).collect();
        let alone = self.choose_text(depth, &sample, &block);
        let same = plans.iter().enumerate().filter_map(|(of, plan)| {
            let FieldPlan::Text(plan) = plan else {
                return None;
            };
            self.same(of, plan, &sample, &block)
        });
        let best = same.min_by_key(|(cost, ..)| *cost);
        match best {
            Some((cost, plan, shared)) if cost < alone.cost => {
                self.shared = shared;
                plan
            }
            _ => {
                self.shared = alone.shared;
                FieldPlan::Text(alone.plan)
            }
        }
    }

    fn choose_text(
        &self,
        depth: u8,
        sample: &[StringsRef<'_>],
        block: &[StringsRef<'_>],
    ) -> ChosenStrings {
        let rows = |vectors: &[StringsRef<'_>]| vectors.iter().map(|all| all.len() as u64).sum();
        let sample = StringSample {
            vectors: sample,
            block: Some(block),
            scale: Scale {
                sample_rows: rows(sample),
                block_rows: rows(block),
            },
            staged: self.staged,
        };
        choose_strings(sample, depth, &self.shared)
    }

    /// What it costs to store only the values that differ from those of field `of`, if most are
    /// equal.
    fn same(
        &self,
        of: usize,
        plan: &StringPlan,
        sample: &[StringsRef<'_>],
        block: &[StringsRef<'_>],
    ) -> Option<(u64, FieldPlan, SharedWriter)> {
        let differing = |rows: &[&Rows], values: &[StringsRef<'_>]| {
            let mut positions_bytes = Vec::new();
            let vectors = text_of(rows, of).zip(values).map(|(reference, values)| {
                let (positions, rows) = same::differing(reference, *values);
                put_rows(&positions, &mut positions_bytes);
                same::collect(rows.iter().map(|row| values.get(*row)), usize::MAX).ok()
            });
            let vectors: Option<Vec<Strings>> = vectors.collect();
            Some((vectors?, positions_bytes.len() as u64))
        };
        let (picked, positions_bytes) = differing(&self.sample, sample)?;
        let rows: usize = sample.iter().map(|vector| vector.len()).sum();
        let differs: usize = picked.iter().map(|strings| strings.as_ref().len()).sum();
        if differs * 2 > rows {
            return None;
        }
        let (all, _) = differing(&self.block, block)?;
        let picked: Vec<StringsRef<'_>> = picked.iter().map(Strings::as_ref).collect();
        let all: Vec<StringsRef<'_>> = all.iter().map(Strings::as_ref).collect();
        let block_rows: usize = block.iter().map(|vector| vector.len()).sum();
        let scale = Scale {
            sample_rows: rows as u64,
            block_rows: block_rows as u64,
        };
        let own = self.choose_text(self.depth - 1, &picked, &all);
        let mut out = Vec::new();
        for vector in &picked {
            plan.encode(*vector, &mut out);
        }
        let overlay_cost = scale.up(out.len() as u64);
        let (cost, differing, shared) = if overlay_cost <= own.cost {
            (overlay_cost, plan.clone(), self.shared.clone())
        } else {
            (own.cost, own.plan, own.shared)
        };
        let of = u8::try_from(of).ok()?;
        let cost = cost + scale.up(positions_bytes);
        Some((cost, FieldPlan::Same { of, differing }, shared))
    }
}

fn integers_of<'a>(rows: &[&'a Rows], at: usize) -> impl Iterator<Item = &'a [i64]> {
    rows.iter()
        .filter_map(move |rows| match rows.columns.get(at) {
            Some(Column::Integers(integers)) => Some(integers.as_slice()),
            _ => None,
        })
}

fn text_of<'a>(rows: &[&'a Rows], at: usize) -> impl Iterator<Item = StringsRef<'a>> {
    rows.iter()
        .filter_map(move |rows| match rows.columns.get(at) {
            Some(Column::Text(strings)) => Some(strings.as_ref()),
            _ => None,
        })
}
