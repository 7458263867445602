//! The nondeterministic automaton of an expression, and what is known of its parts.

use varve_types::Result;

use super::set::CharSet;
use super::syntax::{Kind, Node, Parsed, Place, Prefers};
use super::too_complex;

/// The most states of an expression.
const STATES_MAX: usize = 20_000;
/// The most sets of characters of an expression.
const SETS_MAX: usize = 1_000;

/// A state; what it leads to is another one.
#[derive(Clone, Copy, Debug)]
pub(super) enum State {
    /// Over one character of a set.
    Over(usize, usize),
    /// To either one.
    Fork(usize, usize),
    /// Where a condition holds.
    If(Place, usize),
    /// Where another expression matches or not.
    Look(usize, usize),
    /// Nowhere: the end of a part, until something follows.
    End,
}

/// Where a part of the automaton begins and ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Extent {
    pub(super) start: usize,
    pub(super) end: usize,
}

/// A look at what is ahead or behind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    pub(super) ahead: bool,
    pub(super) negated: bool,
    /// The part; where it looks behind, after anything.
    pub(super) extent: Extent,
}

/// A part whose inside is asked for.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) extent: Extent,
    pub(super) prefers: Prefers,
    pub(super) shape: Shape,
}

#[derive(Clone, Debug)]
pub(super) enum Shape {
    /// Nothing of interest inside.
    Leaf,
    Capture(usize, Box<Part>),
    Concat(Vec<Part>),
    Alternatives(Vec<Part>),
    Repeat(Box<Part>, u32, Option<u32>),
    Reference(usize, bool),
}

/// A compiled expression.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) states: Vec<State>,
    pub(super) sets: Vec<CharSet>,
    pub(super) looks: Vec<Look>,
    pub(super) root: Part,
    /// Anything, then the expression.
    pub(super) search: Extent,
    pub(super) groups: usize,
    pub(super) has_references: bool,
}

struct Compiler {
    states: Vec<State>,
    sets: Vec<CharSet>,
    looks: Vec<Look>,
}

pub(super) fn compile(parsed: Parsed) -> Result<Program> {
    let mut compiler = Compiler {
        states: Vec::new(),
        sets: Vec::new(),
        looks: Vec::new(),
    };
    let root = compiler.part(&parsed.node)?;
    let again = compiler.simple(&parsed.node)?;
    let search = compiler.after_anything(again)?;
    Ok(Program {
        states: compiler.states,
        sets: compiler.sets,
        looks: compiler.looks,
        root,
        search,
        groups: parsed.groups,
        has_references: parsed.has_references,
    })
}

impl Compiler {
    fn state(&mut self, state: State) -> Result<usize> {
        if self.states.len() >= STATES_MAX {
            return Err(too_complex());
        }
        self.states.push(state);
        Ok(self.states.len() - 1)
    }

    fn set(&mut self, set: &CharSet) -> Result<usize> {
        if let Some(known) = self.sets.iter().position(|known| known == set) {
            return Ok(known);
        }
        if self.sets.len() >= SETS_MAX {
            return Err(too_complex());
        }
        self.sets.push(set.clone());
        Ok(self.sets.len() - 1)
    }

    /// Makes the end of a part lead on.
    fn join(&mut self, end: usize, next: usize) {
        if let Some(state) = self.states.get_mut(end) {
            *state = State::Fork(next, next);
        }
    }

    fn over(&mut self, state: fn(usize, usize) -> State, what: usize) -> Result<Extent> {
        let end = self.state(State::End)?;
        let start = self.state(state(what, end))?;
        Ok(Extent { start, end })
    }

    /// Any number of characters, then a part.
    fn after_anything(&mut self, part: Extent) -> Result<Extent> {
        let any = self.set(&CharSet::any())?;
        let fork = self.state(State::End)?;
        let over = self.state(State::Over(any, fork))?;
        if let Some(state) = self.states.get_mut(fork) {
            *state = State::Fork(part.start, over);
        }
        Ok(Extent {
            start: fork,
            end: part.end,
        })
    }

    /// The automaton of a part without a view of its inside.
    fn simple(&mut self, node: &Node) -> Result<Extent> {
        Ok(self.build(node, false)?.extent)
    }

    /// The automaton of a part, with its inside where that is of interest.
    fn part(&mut self, node: &Node) -> Result<Part> {
        self.build(node, node.is_complex)
    }

    fn build(&mut self, node: &Node, is_open: bool) -> Result<Part> {
        let mut shape = Shape::Leaf;
        let extent = match &node.kind {
            Kind::Empty => {
                let end = self.state(State::End)?;
                let start = self.state(State::Fork(end, end))?;
                Extent { start, end }
            }
            Kind::Set(set) => {
                let set = self.set(set)?;
                self.over(State::Over, set)?
            }
            Kind::Place(place) => {
                let end = self.state(State::End)?;
                let start = self.state(State::If(*place, end))?;
                Extent { start, end }
            }
            Kind::Look {
                ahead,
                negated,
                inside,
            } => self.look(*ahead, *negated, inside)?,
            Kind::Concat(nodes) => {
                let (extent, parts) = self.concat(nodes, is_open)?;
                if is_open {
                    shape = Shape::Concat(parts);
                }
                extent
            }
            Kind::Alternatives(nodes) => {
                let (extent, parts) = self.alternatives(nodes, is_open)?;
                if is_open {
                    shape = Shape::Alternatives(parts);
                }
                extent
            }
            Kind::Repeat { inside, min, max } => {
                let extent = self.repeat(inside, *min, *max)?;
                if is_open {
                    // One time of it, apart from the automaton of all.
                    let one = self.build(inside, inside.is_complex)?;
                    shape = Shape::Repeat(Box::new(one), *min, *max);
                }
                extent
            }
            Kind::Capture(group, inside) => {
                let part = self.build(inside, is_open && inside.is_complex)?;
                let extent = part.extent;
                if is_open {
                    shape = Shape::Capture(*group, Box::new(part));
                }
                extent
            }
            Kind::Reference { group, ignore_case } => {
                shape = Shape::Reference(*group, *ignore_case);
                self.any_text()?
            }
        };
        Ok(Part {
            extent,
            prefers: node.prefers,
            shape,
        })
    }

    fn look(&mut self, ahead: bool, negated: bool, inside: &Node) -> Result<Extent> {
        let mut extent = self.simple(inside)?;
        if !ahead {
            extent = self.after_anything(extent)?;
        }
        self.looks.push(Look {
            ahead,
            negated,
            extent,
        });
        let look = self.looks.len() - 1;
        self.over(State::Look, look)
    }

    fn concat(&mut self, nodes: &[Node], is_open: bool) -> Result<(Extent, Vec<Part>)> {
        let mut parts = Vec::with_capacity(nodes.len());
        for node in nodes {
            let part = self.build(node, is_open && node.is_complex)?;
            if let Some(before) = parts.last().map(|before: &Part| before.extent.end) {
                self.join(before, part.extent.start);
            }
            parts.push(part);
        }
        let start = parts.first().map_or(0, |part| part.extent.start);
        let end = parts.last().map_or(0, |part| part.extent.end);
        Ok((Extent { start, end }, parts))
    }

    fn alternatives(&mut self, nodes: &[Node], is_open: bool) -> Result<(Extent, Vec<Part>)> {
        let end = self.state(State::End)?;
        let mut parts = Vec::with_capacity(nodes.len());
        let mut start = None;
        for node in nodes.iter().rev() {
            let part = self.build(node, is_open && node.is_complex)?;
            // The end of each leads to the end of all: a state of its own stays between.
            self.join(part.extent.end, end);
            start = Some(match start {
                None => part.extent.start,
                Some(others) => self.state(State::Fork(part.extent.start, others))?,
            });
            parts.push(part);
        }
        parts.reverse();
        let start = start.unwrap_or(end);
        Ok((Extent { start, end }, parts))
    }

    /// The automaton of a reference: any text may do, and what it must be is looked at afterwards.
    fn any_text(&mut self) -> Result<Extent> {
        let any = self.set(&CharSet::any())?;
        let end = self.state(State::End)?;
        let start = self.state(State::End)?;
        let over = self.state(State::Over(any, start))?;
        if let Some(state) = self.states.get_mut(start) {
            *state = State::Fork(end, over);
        }
        Ok(Extent { start, end })
    }

    /// So many times, one after another; those that may be missing lead to the end.
    fn repeat(&mut self, inside: &Node, min: u32, max: Option<u32>) -> Result<Extent> {
        let end = self.state(State::End)?;
        let start = self.state(State::End)?;
        let mut last = start;
        for _ in 0..min {
            let one = self.simple(inside)?;
            self.join(last, one.start);
            last = one.end;
        }
        match max {
            None => {
                let one = self.simple(inside)?;
                let fork = self.state(State::Fork(one.start, end))?;
                self.join(last, fork);
                self.join(one.end, fork);
            }
            Some(max) => {
                for _ in min..max {
                    let one = self.simple(inside)?;
                    let fork = self.state(State::Fork(one.start, end))?;
                    self.join(last, fork);
                    last = one.end;
                }
                self.join(last, end);
            }
        }
        Ok(Extent { start, end })
    }
}
