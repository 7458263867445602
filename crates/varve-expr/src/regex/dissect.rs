//! Finds matches, and what the parts of an expression match in them.

use core::ops::Range;

use varve_types::Result;

use super::automaton::Automata;
use super::compile::{Part, Program, Shape};
use super::set::same_but_case;
use super::syntax::Prefers;
use super::{Spans, too_complex};

/// The deepest nesting of parts, which are taken apart by recursion.
const DEPTH_MAX: usize = 250;

/// The first match that begins at `start` or later.
pub(super) fn find(
    program: &Program,
    automata: &mut Automata,
    text: &str,
    start: usize,
) -> Result<Option<Spans>> {
    let rest = text.get(start..).unwrap_or_default();
    if !program.has_references && !automata.reaches(program, program.search, text, start)? {
        return Ok(None);
    }
    let borders = rest.char_indices().map(|(at, _)| start + at);
    for begin in borders.chain([text.len()]) {
        for end in ends_from(program, automata, text, begin)? {
            let mut search = Search {
                program,
                automata,
                text,
                spans: vec![None; program.groups + 1],
                depth: 0,
            };
            if search.dissect(&program.root, begin..end)? {
                let mut spans = search.spans;
                if let Some(whole) = spans.first_mut() {
                    *whole = Some((begin, end));
                }
                return Ok(Some(spans));
            }
        }
    }
    Ok(None)
}

/// Where matches that begin at `begin` may end, in the order in which they are tried. Only back
/// references can refuse the first one: without them the shortest is found without a look at the
/// rest of the text.
fn ends_from(
    program: &Program,
    automata: &mut Automata,
    text: &str,
    begin: usize,
) -> Result<Vec<usize>> {
    let whole = program.root.extent;
    if program.root.prefers == Prefers::Shorter && !program.has_references {
        let first = automata.first_end(program, whole, text, begin)?;
        return Ok(first.into_iter().collect());
    }
    let ends = automata.ends(program, whole, text, begin..text.len())?;
    Ok(preferred(ends, program.root.prefers))
}

/// Ends of matches in the order in which they are tried.
fn preferred(mut ends: Vec<usize>, prefers: Prefers) -> Vec<usize> {
    if prefers != Prefers::Shorter {
        ends.reverse();
    }
    ends
}

struct Search<'s> {
    program: &'s Program,
    automata: &'s mut Automata,
    text: &'s str,
    spans: Spans,
    depth: usize,
}

impl Search<'_> {
    fn matches(&mut self, part: &Part, range: Range<usize>) -> Result<bool> {
        self.automata
            .matches(self.program, part.extent, self.text, range)
    }

    /// Where a part that begins at `range.start` may end.
    fn ends(&mut self, part: &Part, range: Range<usize>) -> Result<Vec<usize>> {
        let ends = self
            .automata
            .ends(self.program, part.extent, self.text, range)?;
        Ok(preferred(ends, part.prefers))
    }

    /// Sets what the groups of a part match, where the part is known to match this range, but for
    /// its back references; false where those do not fit.
    fn dissect(&mut self, part: &Part, range: Range<usize>) -> Result<bool> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(too_complex());
        }
        self.automata.spend(1)?;
        let found = match &part.shape {
            Shape::Leaf => true,
            Shape::Capture(group, inside) => {
                let found = self.dissect(inside, range.clone())?;
                if let Some(span) = self.spans.get_mut(*group).filter(|_| found) {
                    *span = Some((range.start, range.end));
                }
                found
            }
            Shape::Concat(parts) => self.concat(parts, part.extent.end, range)?,
            Shape::Alternatives(parts) => {
                let mut found = false;
                for part in parts {
                    if self.matches(part, range.clone())? && self.dissect(part, range.clone())? {
                        found = true;
                        break;
                    }
                    self.forget(part);
                }
                found
            }
            Shape::Repeat(inside, min, max) => self.repeat(inside, *min, *max, range)?,
            Shape::Reference(group, ignore_case) => self.refers(*group, *ignore_case, range),
        };
        self.depth -= 1;
        Ok(found)
    }

    /// The first part up to each place where the others may begin.
    fn concat(&mut self, parts: &[Part], end: usize, range: Range<usize>) -> Result<bool> {
        let Some((first, others)) = parts.split_first() else {
            return Ok(range.is_empty());
        };
        let Some(second) = others.first() else {
            return self.dissect(first, range);
        };
        let rest = Part {
            extent: super::compile::Extent {
                start: second.extent.start,
                end,
            },
            prefers: Prefers::Neither,
            shape: Shape::Leaf,
        };
        for middle in self.ends(first, range.clone())? {
            if !self.matches(&rest, middle..range.end)? {
                continue;
            }
            if self.dissect(first, range.start..middle)? {
                self.depth += 1;
                if self.depth > DEPTH_MAX {
                    return Err(too_complex());
                }
                let found = self.concat(others, end, middle..range.end)?;
                self.depth -= 1;
                if found {
                    return Ok(true);
                }
            }
            parts.iter().for_each(|part| self.forget(part));
        }
        Ok(false)
    }

    /// Cuts the range into pieces that the part matches: each as the part prefers, the first ones
    /// first. Pieces are found before any is taken apart.
    fn repeat(
        &mut self,
        part: &Part,
        min: u32,
        max: Option<u32>,
        range: Range<usize>,
    ) -> Result<bool> {
        if min == 0 && range.is_empty() {
            return Ok(true);
        }
        let min = min.max(1) as usize;
        let bytes = range.end - range.start;
        let most = max
            .map_or(usize::MAX, |max| max as usize)
            .min(bytes)
            .max(min);
        // For each piece, the ends that are left to be tried, the next one last.
        let mut pieces: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut ends = self.ends(part, range.clone())?;
        ends.reverse();
        pieces.push((range.start, ends));
        while let Some((start, ends)) = pieces.last_mut() {
            let Some(end) = ends.pop() else {
                pieces.pop();
                continue;
            };
            let start = *start;
            self.automata.spend(1)?;
            let count = pieces.len();
            if end == range.end {
                if count >= min && self.dissect_pieces(part, &pieces, end)? {
                    return Ok(true);
                }
                self.forget(part);
                continue;
            }
            // An empty piece is of use only to make up the least number of them.
            if end == start && (count >= min || min - count < range.end - end) {
                continue;
            }
            if count >= most {
                continue;
            }
            let mut next = self.ends(part, end..range.end)?;
            next.reverse();
            pieces.push((end, next));
        }
        Ok(false)
    }

    /// Takes the pieces apart, of which each ends where the next one starts.
    fn dissect_pieces(
        &mut self,
        part: &Part,
        pieces: &[(usize, Vec<usize>)],
        end: usize,
    ) -> Result<bool> {
        let ends = pieces.iter().skip(1).map(|(start, _)| *start).chain([end]);
        for ((start, _), end) in pieces.iter().zip(ends) {
            self.forget(part);
            if !self.dissect(part, *start..end)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn refers(&mut self, group: usize, ignore_case: bool, range: Range<usize>) -> bool {
        let Some((start, end)) = self.spans.get(group).copied().flatten() else {
            return false;
        };
        let text = |range: Range<usize>| self.text.get(range).unwrap_or_default();
        let (wanted, found) = (text(start..end), text(range));
        if !ignore_case {
            return wanted == found;
        }
        let (mut wanted, mut found) = (wanted.chars(), found.chars());
        loop {
            match (wanted.next(), found.next()) {
                (None, None) => return true,
                (Some(a), Some(b)) if same_but_case(a, b) => {}
                _ => return false,
            }
        }
    }

    /// Unsets the groups of a part.
    fn forget(&mut self, part: &Part) {
        match &part.shape {
            Shape::Leaf | Shape::Reference(..) => {}
            Shape::Capture(group, inside) => {
                if let Some(span) = self.spans.get_mut(*group) {
                    *span = None;
                }
                self.forget(inside);
            }
            Shape::Concat(parts) | Shape::Alternatives(parts) => {
                parts.iter().for_each(|part| self.forget(part));
            }
            Shape::Repeat(inside, ..) => self.forget(inside),
        }
    }
}
