//! An adaptive radix tree: a map of key bytes whose nodes branch on one byte each.
//!
//! Paper: Leis, Kemper, Neumann, "The Adaptive Radix Tree: ARTful Indexing for Main-Memory
//! Databases" (2013): nodes of 4, 16, 48 and 256 children, path compression, lazy expansion. Here
//! the nodes of each size lie in a slab and links are numbers of 32 bits. A leaf is the whole key
//! in an arena, with the number that is kept for it; keys are never removed. So a node keeps only
//! how many bytes it skips: a search goes down without looking at skipped bytes and compares the
//! key at the end, and whoever needs them takes them from a leaf below (as in a Patricia trie).

mod cursor;
mod node;

use crate::memtable::arena::Arena;
use crate::memtable::key_index::KeyIndex;
use crate::slab::Slab;
use cursor::{Ascent, Descent};
use node::{
    Children, Header, Link, Node4, Node16, Node48, Node256, POSITIONS, Target, first_at,
    last_before,
};
use std::ops::Bound;
use varve_types::{Broken, Invariant};

/// The bytes of a leaf before its key.
const NUMBER_BYTES: usize = 4;

/// The index of a memtable.
#[derive(Debug)]
pub(crate) struct ArtIndex {
    root: Link,
    nodes4: Slab<Node4>,
    nodes16: Slab<Node16>,
    nodes48: Slab<Node48>,
    nodes256: Slab<Node256>,
    /// Leaves: the number, then the key.
    leaves: Arena,
}

impl Default for ArtIndex {
    fn default() -> ArtIndex {
        ArtIndex {
            root: Link::NONE,
            nodes4: Slab::default(),
            nodes16: Slab::default(),
            nodes48: Slab::default(),
            nodes256: Slab::default(),
            leaves: Arena::default(),
        }
    }
}

/// Where a link is kept.
#[derive(Clone, Copy)]
enum Place {
    Root,
    /// Under a byte of the node at this link.
    Child(Link, u8),
}

/// What a way down that does not look at skipped bytes found.
struct Descended {
    /// A leaf that has all bytes that led the way.
    nearest: Link,
    /// The last node, and where its link is kept.
    node: Link,
    place: Place,
    /// Bytes of the key that led to the byte on which `node` branches.
    depth: usize,
    /// The way ended at a node without the wanted child, and it skipped no bytes.
    is_sure: bool,
}

impl KeyIndex for ArtIndex {
    fn get(&self, key: &[u8]) -> Option<u32> {
        let mut link = self.root;
        let mut depth = 0;
        loop {
            let (header, child) = match link.target() {
                Target::Leaf(slot) => {
                    let (number, found) = split(self.leaves.get(slot))?;
                    return (found == key).then_some(number);
                }
                Target::Node4(number) => step(self.nodes4.get(number)?, key, depth),
                Target::Node16(number) => step(self.nodes16.get(number)?, key, depth),
                Target::Node48(number) => step(self.nodes48.get(number)?, key, depth),
                Target::Node256(number) => step(self.nodes256.get(number)?, key, depth),
                Target::Nothing => return None,
            };
            depth += header.skip as usize + 1;
            link = child;
        }
    }

    fn insert(&mut self, key: &[u8], number: u32) -> Result<Option<u32>, Broken> {
        if !self.root.exists() {
            self.root = self.add_leaf(key, number)?;
            return Ok(None);
        }
        let found = self.descend_blindly(key);
        if found.is_sure {
            let leaf = self.add_leaf(key, number)?;
            let byte = key.get(found.depth).copied();
            self.add_child(found.node, found.place, byte, leaf)?;
            return Ok(None);
        }
        let near = self.key(found.nearest);
        let common = common_bytes(near, key);
        if common == near.len() && common == key.len() {
            return self.replace(found.nearest, number).map(Some);
        }
        let branch = near.get(common).copied();
        let leaf = self.add_leaf(key, number)?;
        self.insert_at(key, common, branch, leaf)?;
        Ok(None)
    }

    fn range(&self) -> Option<(&[u8], &[u8])> {
        let mut first = self.root;
        while !matches!(first.target(), Target::Leaf(_)) {
            (_, first) = self.first_at(first, 0)?;
        }
        let mut last = self.root;
        while !matches!(last.target(), Target::Leaf(_)) {
            (_, last) = self.last_before(last, POSITIONS)?;
        }
        Some((self.key(first), self.key(last)))
    }

    fn ascend<'a>(&'a self, from: Bound<&[u8]>) -> impl Iterator<Item = (&'a [u8], u32)> + use<'a> {
        Ascent::new(self, from)
    }

    fn descend<'a>(
        &'a self,
        from: Bound<&[u8]>,
    ) -> impl Iterator<Item = (&'a [u8], u32)> + use<'a> {
        Descent::new(self, from)
    }
}

/// The header of a node, and the link that `key` takes at it.
#[inline]
fn step<'a, C: Children>(node: &'a C, key: &[u8], depth: usize) -> (&'a Header, Link) {
    let header = node.header();
    let at = depth + header.skip as usize;
    let link = match key.get(at) {
        Some(byte) => node.find(*byte),
        None if at == key.len() => header.end,
        None => Link::NONE,
    };
    (header, link)
}

/// The number and the key of a leaf.
#[inline]
fn split(leaf: &[u8]) -> Option<(u32, &[u8])> {
    let (number, key) = leaf.split_first_chunk::<NUMBER_BYTES>()?;
    Some((u32::from_le_bytes(*number), key))
}

/// How many bytes two keys begin with alike; by eight at a time, since keys often begin alike.
fn common_bytes(a: &[u8], b: &[u8]) -> usize {
    let (chunks_a, _) = a.as_chunks::<8>();
    let (chunks_b, _) = b.as_chunks::<8>();
    let chunks = chunks_a.iter().zip(chunks_b);
    let common = chunks.take_while(|(a, b)| a == b).count() * 8;
    let (rest_a, rest_b) = (a.iter().skip(common), b.iter().skip(common));
    common + rest_a.zip(rest_b).take_while(|(a, b)| a == b).count()
}

impl ArtIndex {
    fn header(&self, link: Link) -> Option<&Header> {
        Some(match link.target() {
            Target::Node4(number) => self.nodes4.get(number)?.header(),
            Target::Node16(number) => self.nodes16.get(number)?.header(),
            Target::Node48(number) => self.nodes48.get(number)?.header(),
            Target::Node256(number) => self.nodes256.get(number)?.header(),
            Target::Leaf(_) | Target::Nothing => return None,
        })
    }

    #[inline]
    fn first_at(&self, link: Link, position: u16) -> Option<(u16, Link)> {
        match link.target() {
            Target::Node4(number) => first_at(self.nodes4.get(number)?, position),
            Target::Node16(number) => first_at(self.nodes16.get(number)?, position),
            Target::Node48(number) => first_at(self.nodes48.get(number)?, position),
            Target::Node256(number) => first_at(self.nodes256.get(number)?, position),
            Target::Leaf(_) | Target::Nothing => None,
        }
    }

    #[inline]
    fn last_before(&self, link: Link, position: u16) -> Option<(u16, Link)> {
        match link.target() {
            Target::Node4(number) => last_before(self.nodes4.get(number)?, position),
            Target::Node16(number) => last_before(self.nodes16.get(number)?, position),
            Target::Node48(number) => last_before(self.nodes48.get(number)?, position),
            Target::Node256(number) => last_before(self.nodes256.get(number)?, position),
            Target::Leaf(_) | Target::Nothing => None,
        }
    }

    fn find(&self, link: Link, byte: u8) -> Link {
        let found = match link.target() {
            Target::Node4(number) => self.nodes4.get(number).map(|node| node.find(byte)),
            Target::Node16(number) => self.nodes16.get(number).map(|node| node.find(byte)),
            Target::Node48(number) => self.nodes48.get(number).map(|node| node.find(byte)),
            Target::Node256(number) => self.nodes256.get(number).map(|node| node.find(byte)),
            Target::Leaf(_) | Target::Nothing => None,
        };
        found.unwrap_or(Link::NONE)
    }

    fn key(&self, leaf: Link) -> &[u8] {
        self.leaf(leaf).map_or(&[], |(key, _)| key)
    }

    /// The key and the number of a leaf.
    #[inline]
    fn leaf(&self, link: Link) -> Option<(&[u8], u32)> {
        let Target::Leaf(slot) = link.target() else {
            return None;
        };
        let (number, key) = split(self.leaves.get(slot))?;
        Some((key, number))
    }

    fn add_leaf(&mut self, key: &[u8], number: u32) -> Result<Link, Broken> {
        Link::new(Target::Leaf(self.leaves.push(&number.to_le_bytes(), key)?))
    }

    /// Sets the number of a leaf; returns the one before.
    fn replace(&mut self, leaf: Link, number: u32) -> Result<u32, Broken> {
        let stored = match leaf.target() {
            Target::Leaf(slot) => self.leaves.get_mut(slot),
            _ => None,
        };
        let stored = stored.and_then(<[u8]>::first_chunk_mut);
        let stored = stored.or_broken("leaf of a radix tree")?;
        let before = u32::from_le_bytes(*stored);
        *stored = number.to_le_bytes();
        Ok(before)
    }

    /// Goes down by the bytes on which nodes branch, to a leaf or a node without the wanted child.
    fn descend_blindly(&self, key: &[u8]) -> Descended {
        let mut link = self.root;
        let mut place = Place::Root;
        let mut depth = 0;
        let mut skipped = 0;
        let mut last = (Link::NONE, Place::Root, 0);
        loop {
            let Some(header) = self.header(link) else {
                // A leaf; it may differ from the key anywhere after the last branch.
                return Descended {
                    nearest: link,
                    node: last.0,
                    place: last.1,
                    depth: last.2,
                    is_sure: false,
                };
            };
            skipped += header.skip;
            depth += header.skip as usize;
            let byte = key.get(depth).copied();
            let child = match byte {
                Some(byte) => self.find(link, byte),
                None if depth == key.len() => header.end,
                None => Link::NONE,
            };
            if !child.exists() {
                return Descended {
                    nearest: header.sample,
                    node: link,
                    place,
                    depth,
                    is_sure: skipped == 0 && depth <= key.len(),
                };
            }
            last = (link, place, depth);
            place = Place::Child(link, byte.unwrap_or(0));
            link = child;
            depth += 1;
        }
    }

    /// Inserts a leaf whose key has `common` bytes in common with the nearest other key, which goes
    /// on with `branch`.
    fn insert_at(
        &mut self,
        key: &[u8],
        common: usize,
        branch: Option<u8>,
        leaf: Link,
    ) -> Result<(), Broken> {
        let mut link = self.root;
        let mut place = Place::Root;
        let mut depth = 0;
        while let Some(header) = self.header(link) {
            let end = depth + header.skip as usize;
            if common < end {
                // The skipped bytes differ: a new node takes those in common, this one the rest.
                let rest = u32::try_from(end - common - 1).or_broken("skip of a node")?;
                self.set_skip(link, rest);
                break;
            }
            let byte = key.get(end).copied();
            if common == end {
                return self.add_child(link, place, byte, leaf);
            }
            place = Place::Child(link, byte.unwrap_or(0));
            link = byte.map_or(Link::NONE, |byte| self.find(link, byte));
            depth = end + 1;
        }
        let skip = common.checked_sub(depth).or_broken("depth of a node")?;
        let skip = u32::try_from(skip).or_broken("skip of a node")?;
        let mut node = Node4::new(Header::new(skip, leaf));
        for (byte, child) in [(branch, link), (key.get(common).copied(), leaf)] {
            match byte {
                Some(byte) => drop(node.add(byte, child)),
                None => node.header_mut().end = child,
            }
        }
        let node = Link::new(Target::Node4(self.nodes4.add(node)?))?;
        self.set(place, node)
    }

    fn set_skip(&mut self, link: Link, skip: u32) {
        let header = match link.target() {
            Target::Node4(number) => self.nodes4.get_mut(number).map(Children::header_mut),
            Target::Node16(number) => self.nodes16.get_mut(number).map(Children::header_mut),
            Target::Node48(number) => self.nodes48.get_mut(number).map(Children::header_mut),
            Target::Node256(number) => self.nodes256.get_mut(number).map(Children::header_mut),
            Target::Leaf(_) | Target::Nothing => None,
        };
        if let Some(header) = header {
            header.skip = skip;
        }
    }

    fn set(&mut self, place: Place, link: Link) -> Result<(), Broken> {
        let Place::Child(parent, byte) = place else {
            self.root = link;
            return Ok(());
        };
        let slot = match parent.target() {
            Target::Node4(number) => find_mut(self.nodes4.get_mut(number), byte),
            Target::Node16(number) => find_mut(self.nodes16.get_mut(number), byte),
            Target::Node48(number) => find_mut(self.nodes48.get_mut(number), byte),
            Target::Node256(number) => find_mut(self.nodes256.get_mut(number), byte),
            Target::Leaf(_) | Target::Nothing => None,
        };
        *slot.or_broken("link of a radix tree")? = link;
        Ok(())
    }

    /// Adds a leaf under a byte that has no child, or as the key that ends here. A full node is
    /// replaced by a larger one.
    fn add_child(
        &mut self,
        node: Link,
        place: Place,
        byte: Option<u8>,
        leaf: Link,
    ) -> Result<(), Broken> {
        let larger = match node.target() {
            Target::Node4(number) => {
                let Some(full) = add(self.nodes4.get_mut(number), byte, leaf) else {
                    return Ok(());
                };
                let grown = grown(Node16::new(*full.header()), full.children());
                self.nodes4.free(number);
                Target::Node16(self.nodes16.add(grown)?)
            }
            Target::Node16(number) => {
                let Some(full) = add(self.nodes16.get_mut(number), byte, leaf) else {
                    return Ok(());
                };
                let grown = grown(Node48::new(*full.header()), full.children());
                self.nodes16.free(number);
                Target::Node48(self.nodes48.add(grown)?)
            }
            Target::Node48(number) => {
                let Some(full) = add(self.nodes48.get_mut(number), byte, leaf) else {
                    return Ok(());
                };
                let grown = grown(Node256::new(*full.header()), full.children());
                self.nodes48.free(number);
                Target::Node256(self.nodes256.add(grown)?)
            }
            Target::Node256(number) => {
                add(self.nodes256.get_mut(number), byte, leaf);
                return Ok(());
            }
            Target::Leaf(_) | Target::Nothing => {
                return Err(Broken::new("node of a radix tree"));
            }
        };
        let larger = Link::new(larger)?;
        self.set(place, larger)?;
        self.add_child(larger, place, byte, leaf)
    }

    /// Bytes allocated.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        self.nodes4.bytes()
            + self.nodes16.bytes()
            + self.nodes48.bytes()
            + self.nodes256.bytes()
            + self.leaves.bytes()
    }
}

fn find_mut<C: Children>(node: Option<&mut C>, byte: u8) -> Option<&mut Link> {
    node?.find_mut(byte)
}

/// Adds a leaf to a node; returns the node if it is full.
fn add<C: Children>(node: Option<&mut C>, byte: Option<u8>, leaf: Link) -> Option<&mut C> {
    let node = node?;
    match byte {
        Some(byte) => (!node.add(byte, leaf)).then_some(node),
        None => {
            node.header_mut().end = leaf;
            None
        }
    }
}

/// An empty node with the children of a smaller one.
fn grown<C: Children>(mut node: C, children: impl Iterator<Item = (u8, Link)>) -> C {
    for (byte, child) in children {
        node.add(byte, child);
    }
    node
}

#[cfg(test)]
mod tests;
