//! Deterministic automata of the parts of an expression, built as far as texts lead.
//!
//! A state is a set of states of the expression and the kind of the character before it: what is
//! at a place between two characters hangs on the kinds of both. Characters are told apart only by
//! the sets of the expression that have them, and by their kind.

use varve_sort::VecMap;
use varve_types::{Result, meter};

use super::compile::{Extent, Program, State};
use super::set::{CharSet, is_word};
use super::syntax::Place;
use super::too_complex;

/// Steps over characters that one search may take.
const STEPS_MAX: u64 = 30_000_000;
/// States that an automaton may have before it is begun anew.
const STATES_MAX: usize = 2_000;

/// What kind of character is beside a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Beside {
    /// None: the start or the end of the text.
    Edge,
    Newline,
    Word,
    Other,
}

fn kind_of(c: char) -> Beside {
    match c {
        '\n' => Beside::Newline,
        c if is_word(c) => Beside::Word,
        _ => Beside::Other,
    }
}

fn holds(place: Place, before: Beside, after: Beside) -> bool {
    let (word_before, word_after) = (before == Beside::Word, after == Beside::Word);
    match place {
        Place::TextStart => before == Beside::Edge,
        Place::LineStart => matches!(before, Beside::Edge | Beside::Newline),
        Place::TextEnd => after == Beside::Edge,
        Place::LineEnd => matches!(after, Beside::Edge | Beside::Newline),
        Place::WordStart => !word_before && word_after,
        Place::WordEnd => word_before && !word_after,
        Place::WordBorder => word_before != word_after,
        Place::NoWordBorder => word_before == word_after,
    }
}

/// Characters that all sets treat alike.
#[derive(Debug, Default)]
struct Colors {
    ascii: Vec<u16>,
    others: VecMap<char, u16>,
    /// The sets that have such characters, and their kind.
    known: VecMap<(Vec<bool>, u8), u16>,
    /// For each color a character of it.
    samples: Vec<char>,
}

impl Colors {
    fn of(&mut self, sets: &[CharSet], c: char) -> Result<u16> {
        let at = u32::from(c) as usize;
        if let Some(color) = self.ascii.get(at) {
            return Ok(*color);
        }
        if let Some(color) = self.others.get(&c) {
            return Ok(*color);
        }
        let color = self.find(sets, c)?;
        // A text of many different characters must not fill the memory.
        if self.others.len() >= 10_000 {
            self.others.clear();
        }
        self.others.insert(c, color);
        Ok(color)
    }

    fn find(&mut self, sets: &[CharSet], c: char) -> Result<u16> {
        let kind = match kind_of(c) {
            Beside::Edge => 0,
            Beside::Newline => 1,
            Beside::Word => 2,
            Beside::Other => 3,
        };
        let has = sets.iter().map(|set| set.has(c)).collect();
        let next = u16::try_from(self.samples.len()).map_err(|_| too_complex())?;
        let color = *self.known.entry((has, kind)).or_insert(next);
        if color == next {
            self.samples.push(c);
        }
        Ok(color)
    }
}

/// A state: where a match may be, and the kind of the last character.
type Key = (Vec<usize>, Beside);

#[derive(Debug)]
struct Reached {
    key: Key,
    /// By color: the next state, or that it is not known yet.
    next: Vec<u32>,
    /// Whether the end is reached there, by the kind of what follows.
    accepts: [Option<bool>; 4],
}

const UNKNOWN: u32 = u32::MAX;

/// The automaton of one part.
#[derive(Debug, Default)]
struct Automaton {
    known: VecMap<Key, u32>,
    states: Vec<Reached>,
}

impl Automaton {
    fn state(&mut self, key: Key) -> u32 {
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let number = u32::try_from(self.states.len()).unwrap_or(UNKNOWN - 1);
        self.known.insert(key.clone(), number);
        self.states.push(Reached {
            key,
            next: Vec::new(),
            accepts: [None; 4],
        });
        number
    }

    /// Whether nothing can match any more.
    fn is_dead(&self, state: u32) -> bool {
        let state = self.states.get(state as usize);
        state.is_none_or(|state| state.key.0.is_empty())
    }
}

/// A part, and the text in which its matches are looked for.
#[derive(Clone, Copy)]
struct Search<'t> {
    program: &'t Program,
    part: Extent,
    text: &'t str,
}

/// A place in the text at which a part is looked at.
#[derive(Clone, Copy)]
struct Here<'t> {
    program: &'t Program,
    /// The end of the part.
    end: usize,
    text: &'t str,
    at: usize,
    after: Beside,
}

/// The automata of an expression.
#[derive(Debug)]
pub(super) struct Automata {
    colors: Colors,
    of_parts: VecMap<Extent, Automaton>,
    steps_left: u64,
}

impl Automata {
    pub(super) fn new(program: &Program) -> Result<Automata> {
        let mut colors = Colors::default();
        let ascii = (0..128_u8).map(|byte| colors.find(&program.sets, char::from(byte)));
        let ascii: Result<_> = ascii.collect();
        colors.ascii = ascii?;
        Ok(Automata {
            colors,
            of_parts: VecMap::new(),
            steps_left: 0,
        })
    }

    /// Begins a search: it has its own limit of steps.
    pub(super) fn begin(&mut self) {
        self.steps_left = STEPS_MAX;
    }

    pub(super) fn spend(&mut self, steps: usize) -> Result<()> {
        meter::steps(steps)?;
        self.steps_left = self
            .steps_left
            .checked_sub(steps as u64)
            .ok_or_else(too_complex)?;
        Ok(())
    }

    /// Whether some match of the part begins at `start`.
    pub(super) fn reaches(
        &mut self,
        program: &Program,
        part: Extent,
        text: &str,
        start: usize,
    ) -> Result<bool> {
        let mut found = false;
        self.run(program, part, text, start..text.len(), &mut |_| {
            found = true;
            false
        })?;
        Ok(found)
    }

    /// Where matches of the part that begin at `range.start` end, up to `range.end`, in ascending
    /// order.
    pub(super) fn ends(
        &mut self,
        program: &Program,
        part: Extent,
        text: &str,
        range: core::ops::Range<usize>,
    ) -> Result<Vec<usize>> {
        let mut ends = Vec::new();
        self.run(program, part, text, range, &mut |end| {
            ends.push(end);
            true
        })?;
        Ok(ends)
    }

    /// Where the shortest match of the part that begins at `start` ends.
    pub(super) fn first_end(
        &mut self,
        program: &Program,
        part: Extent,
        text: &str,
        start: usize,
    ) -> Result<Option<usize>> {
        let mut first = None;
        self.run(program, part, text, start..text.len(), &mut |end| {
            first = Some(end);
            false
        })?;
        Ok(first)
    }

    /// Whether the part matches exactly this range of the text.
    pub(super) fn matches(
        &mut self,
        program: &Program,
        part: Extent,
        text: &str,
        range: core::ops::Range<usize>,
    ) -> Result<bool> {
        let mut found = false;
        let wanted = range.end;
        self.run(program, part, text, range, &mut |end| {
            found |= end == wanted;
            true
        })?;
        Ok(found)
    }

    /// Runs from `range.start`; `visit` is told of each end of a match, and says whether to go on.
    fn run(
        &mut self,
        program: &Program,
        part: Extent,
        text: &str,
        range: core::ops::Range<usize>,
        visit: &mut dyn FnMut(usize) -> bool,
    ) -> Result<()> {
        // Taken out, so that a look ahead or behind can run automata of its own.
        let mut automaton = self.of_parts.remove(&part).unwrap_or_default();
        let search = Search {
            program,
            part,
            text,
        };
        let result = self.run_in(&mut automaton, search, range, visit);
        self.of_parts.insert(part, automaton);
        result
    }

    fn run_in(
        &mut self,
        automaton: &mut Automaton,
        search: Search<'_>,
        range: core::ops::Range<usize>,
        visit: &mut dyn FnMut(usize) -> bool,
    ) -> Result<()> {
        let Search {
            program,
            part,
            text,
        } = search;
        let before = text.get(..range.start).unwrap_or_default();
        let before = before.chars().next_back().map_or(Beside::Edge, kind_of);
        let mut state = automaton.state((vec![part.start], before));
        let mut at = range.start;
        let mut rest = text.get(at..).unwrap_or_default().chars();
        loop {
            self.spend(1)?;
            let c = rest.next();
            let after = c.map_or(Beside::Edge, kind_of);
            let here = Here {
                program,
                end: part.end,
                text,
                at,
                after,
            };
            if self.accepts(automaton, state, here)? && !visit(at) {
                return Ok(());
            }
            let Some(c) = c.filter(|_| at < range.end) else {
                return Ok(());
            };
            state = self.next(automaton, state, here, c)?;
            if automaton.is_dead(state) {
                return Ok(());
            }
            at += c.len_utf8();
        }
    }

    fn accepts(&mut self, automaton: &mut Automaton, state: u32, here: Here<'_>) -> Result<bool> {
        let index = here.after as usize;
        let Some(reached) = automaton.states.get_mut(state as usize) else {
            return Ok(false);
        };
        let known = reached.accepts.get(index).copied().flatten();
        if let Some(known) = known.filter(|_| here.program.looks.is_empty()) {
            return Ok(known);
        }
        let accepts = self.closure(&reached.key, here)?.contains(&here.end);
        if let Some(slot) = reached.accepts.get_mut(index) {
            *slot = Some(accepts);
        }
        Ok(accepts)
    }

    fn next(
        &mut self,
        automaton: &mut Automaton,
        state: u32,
        here: Here<'_>,
        c: char,
    ) -> Result<u32> {
        let color = usize::from(self.colors.of(&here.program.sets, c)?);
        let Some(reached) = automaton.states.get(state as usize) else {
            return Ok(state);
        };
        let known = reached.next.get(color).filter(|next| **next != UNKNOWN);
        if let Some(known) = known.filter(|_| here.program.looks.is_empty()) {
            return Ok(*known);
        }
        let mut over = Vec::new();
        for from in self.closure(&reached.key, here)? {
            if let Some(State::Over(set, to)) = here.program.states.get(from)
                && here.program.sets.get(*set).is_some_and(|set| set.has(c))
            {
                over.push(*to);
            }
        }
        varve_sort::sort(&mut over);
        over.dedup();
        let key = (over, kind_of(c));
        if automaton.states.len() > STATES_MAX {
            *automaton = Automaton::default();
            return Ok(automaton.state(key));
        }
        let next = automaton.state(key);
        if let Some(reached) = automaton.states.get_mut(state as usize) {
            if reached.next.len() <= color {
                reached.next.resize(color + 1, UNKNOWN);
            }
            if let Some(slot) = reached.next.get_mut(color) {
                *slot = next;
            }
        }
        Ok(next)
    }

    /// The states of the expression that are reached without a character: those over one, and the
    /// end of the part.
    fn closure(&mut self, key: &Key, here: Here<'_>) -> Result<Vec<usize>> {
        let mut met = vec![false; here.program.states.len()];
        let mut reached = Vec::new();
        let mut left = key.0.clone();
        left.reverse();
        let mut steps = 0;
        while let Some(state) = left.pop() {
            match met.get_mut(state) {
                Some(met) if !*met => *met = true,
                _ => continue,
            }
            steps += 1;
            if state == here.end {
                reached.push(state);
                continue;
            }
            match here.program.states.get(state) {
                Some(State::Over(..)) => reached.push(state),
                Some(State::Fork(first, second)) => left.extend([*second, *first]),
                Some(State::If(place, next)) if holds(*place, key.1, here.after) => {
                    left.push(*next);
                }
                Some(State::Look(look, next)) if self.sees(*look, here)? => left.push(*next),
                _ => {}
            }
        }
        self.spend(steps)?;
        Ok(reached)
    }

    /// Whether a look ahead or behind finds what it wants.
    fn sees(&mut self, look: usize, here: Here<'_>) -> Result<bool> {
        let Some(look) = here.program.looks.get(look).copied() else {
            return Ok(false);
        };
        let found = if look.ahead {
            self.reaches(here.program, look.extent, here.text, here.at)?
        } else {
            self.matches(here.program, look.extent, here.text, 0..here.at)?
        };
        Ok(found != look.negated)
    }
}

#[cfg(test)]
mod tests {
    use super::Colors;

    #[test]
    fn more_colors_than_their_numbers_are_refused() {
        let mut colors = Colors {
            samples: vec!['a'; usize::from(u16::MAX)],
            ..Colors::default()
        };
        assert_eq!(colors.find(&[], 'b').ok(), Some(u16::MAX));
        assert!(colors.find(&[], ' ').is_err());
    }
}
