//! Nodes of four sizes. A node grows to the next size when it is full.

use varve_types::{Broken, invariant};

use crate::memtable::arena::Slot;

/// Where a node or a leaf is: its kind in three bits, its number in the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link(u32);

/// What a link leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Leaf(Slot),
    Node4(u32),
    Node16(u32),
    Node48(u32),
    Node256(u32),
    Nothing,
}

const NUMBER_BITS: u32 = 29;
const NUMBERS: u32 = 1 << NUMBER_BITS;

impl Link {
    pub(super) const NONE: Link = Link(u32::MAX);

    pub(super) fn new(target: Target) -> Result<Link, Broken> {
        let (kind, number) = match target {
            Target::Leaf(slot) => (0, slot.number()),
            Target::Node4(number) => (1, number),
            Target::Node16(number) => (2, number),
            Target::Node48(number) => (3, number),
            Target::Node256(number) => (4, number),
            Target::Nothing => return Ok(Link::NONE),
        };
        // Memory is bounded far below 2^29 nodes or units of keys.
        invariant!(number < NUMBERS, "numbers of a radix tree");
        Ok(Link((kind << NUMBER_BITS) | number))
    }

    #[inline]
    pub(super) fn target(self) -> Target {
        let number = self.0 % NUMBERS;
        match self.0 >> NUMBER_BITS {
            0 => Target::Leaf(Slot::from_number(number)),
            1 => Target::Node4(number),
            2 => Target::Node16(number),
            3 => Target::Node48(number),
            4 => Target::Node256(number),
            _ => Target::Nothing,
        }
    }

    #[inline]
    pub(super) fn exists(self) -> bool {
        self != Link::NONE
    }

    fn some(self) -> Option<Link> {
        self.exists().then_some(self)
    }
}

/// What every node begins with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    /// Bytes that all keys below have in common after those that led here. They are not kept: any
    /// leaf below has them.
    pub(super) skip: u32,
    /// Number of children.
    count: u16,
    /// A leaf below.
    pub(super) sample: Link,
    /// The leaf of the key that ends before the byte on which the node branches.
    pub(super) end: Link,
}

impl Header {
    pub(super) fn new(skip: u32, sample: Link) -> Header {
        Header {
            skip,
            count: 0,
            sample,
            end: Link::NONE,
        }
    }
}

/// Children of a node in the order of their bytes. A position is 0 for the key that ends at the
/// node, and `byte + 1` for the child under a byte.
pub(super) trait Children {
    fn header(&self) -> &Header;

    fn header_mut(&mut self) -> &mut Header;

    /// The link under a byte.
    fn find(&self, byte: u8) -> Link;

    /// The place of a link that exists.
    fn find_mut(&mut self, byte: u8) -> Option<&mut Link>;

    /// Adds a child under a byte that has none; false if the node is full.
    fn add(&mut self, byte: u8, child: Link) -> bool;

    /// The first child whose byte is not below `byte`.
    fn first_from(&self, byte: u8) -> Option<(u8, Link)>;

    /// The last child whose byte is not above `byte`.
    fn last_to(&self, byte: u8) -> Option<(u8, Link)>;
}

/// The positions of a node are below this.
pub(super) const POSITIONS: u16 = 257;

/// The first child at `position` or after it.
#[inline]
pub(super) fn first_at<C: Children>(node: &C, position: u16) -> Option<(u16, Link)> {
    let end = node.header().end;
    if position == 0 && end.exists() {
        return Some((0, end));
    }
    let byte = u8::try_from(position.saturating_sub(1)).ok()?;
    let (byte, link) = node.first_from(byte)?;
    Some((u16::from(byte) + 1, link))
}

/// The last child before `position`.
#[inline]
pub(super) fn last_before<C: Children>(node: &C, position: u16) -> Option<(u16, Link)> {
    let byte = position.checked_sub(2);
    let byte = byte.and_then(|byte| u8::try_from(byte).ok());
    if let Some((byte, link)) = byte.and_then(|byte| node.last_to(byte)) {
        return Some((u16::from(byte) + 1, link));
    }
    let end = node.header().end;
    (position > 0 && end.exists()).then_some((0, end))
}

/// Up to `N` children, sorted by their bytes.
#[derive(Clone, Debug)]
pub(super) struct Sorted<const N: usize> {
    header: Header,
    bytes: [u8; N],
    links: [Link; N],
}

pub(super) type Node4 = Sorted<4>;
pub(super) type Node16 = Sorted<16>;

impl<const N: usize> Sorted<N> {
    pub(super) fn new(header: Header) -> Sorted<N> {
        Sorted {
            header: Header { count: 0, ..header },
            bytes: [0; N],
            links: [Link::NONE; N],
        }
    }

    /// Which of the children have bytes that pass: one bit each.
    #[inline]
    fn matches(&self, test: impl Fn(u8) -> bool) -> u32 {
        // All of them, so that the loop has no branch; absent ones are masked out.
        let bits = self.bytes.iter().zip(0..);
        let all = bits.fold(0_u32, |all, (byte, i)| all | u32::from(test(*byte)) << i);
        all & ((1 << self.header.count) - 1)
    }

    #[inline]
    fn at(&self, place: u32) -> Option<(u8, Link)> {
        let link = self.links.get(place as usize)?.some()?;
        Some((*self.bytes.get(place as usize)?, link))
    }

    pub(super) fn children(&self) -> impl Iterator<Item = (u8, Link)> {
        let children = self.bytes.iter().copied().zip(self.links);
        children.take(usize::from(self.header.count))
    }
}

impl<const N: usize> Children for Sorted<N> {
    #[inline]
    fn header(&self) -> &Header {
        &self.header
    }

    fn header_mut(&mut self) -> &mut Header {
        &mut self.header
    }

    #[inline]
    fn find(&self, byte: u8) -> Link {
        let place = self.matches(|other| other == byte).trailing_zeros();
        self.links
            .get(place as usize)
            .copied()
            .unwrap_or(Link::NONE)
    }

    fn find_mut(&mut self, byte: u8) -> Option<&mut Link> {
        let place = self.matches(|other| other == byte).trailing_zeros();
        self.links.get_mut(place as usize)
    }

    fn add(&mut self, byte: u8, child: Link) -> bool {
        let count = usize::from(self.header.count);
        if count >= N {
            return false;
        }
        let place = self.matches(|other| other < byte).count_ones() as usize;
        if let (Some(bytes), Some(links)) =
            (self.bytes.get_mut(place..), self.links.get_mut(place..))
        {
            bytes.rotate_right(1);
            links.rotate_right(1);
            if let (Some(first), Some(link)) = (bytes.first_mut(), links.first_mut()) {
                (*first, *link) = (byte, child);
            }
        }
        self.header.count += 1;
        true
    }

    #[inline]
    fn first_from(&self, byte: u8) -> Option<(u8, Link)> {
        self.at(self.matches(|other| other >= byte).trailing_zeros())
    }

    #[inline]
    fn last_to(&self, byte: u8) -> Option<(u8, Link)> {
        let below = self.matches(|other| other <= byte);
        self.at(below.checked_ilog2()?)
    }
}

/// Up to 48 children in the order in which they came, and by byte which of them.
#[derive(Clone, Debug)]
pub(super) struct Node48 {
    header: Header,
    /// 48 where there is none.
    places: [u8; 256],
    links: [Link; 48],
}

impl Node48 {
    pub(super) fn new(header: Header) -> Node48 {
        Node48 {
            header: Header { count: 0, ..header },
            places: [48; 256],
            links: [Link::NONE; 48],
        }
    }

    fn link(&self, place: u8) -> Link {
        let link = self.links.get(usize::from(place));
        link.copied().unwrap_or(Link::NONE)
    }

    pub(super) fn children(&self) -> impl Iterator<Item = (u8, Link)> {
        let places = self.places.iter().zip(0_u8..=255);
        places
            .map(|(place, byte)| (byte, self.link(*place)))
            .filter(|(_, link)| link.exists())
    }
}

impl Children for Node48 {
    #[inline]
    fn header(&self) -> &Header {
        &self.header
    }

    fn header_mut(&mut self) -> &mut Header {
        &mut self.header
    }

    #[inline]
    fn find(&self, byte: u8) -> Link {
        let place = self.places.get(usize::from(byte));
        place.map_or(Link::NONE, |place| self.link(*place))
    }

    fn find_mut(&mut self, byte: u8) -> Option<&mut Link> {
        let place = *self.places.get(usize::from(byte))?;
        self.links.get_mut(usize::from(place))
    }

    fn add(&mut self, byte: u8, child: Link) -> bool {
        let count = self.header.count;
        let Some(link) = self.links.get_mut(usize::from(count)) else {
            return false;
        };
        *link = child;
        if let Some(place) = self.places.get_mut(usize::from(byte)) {
            *place = count.to_le_bytes()[0];
        }
        self.header.count += 1;
        true
    }

    #[inline]
    fn first_from(&self, byte: u8) -> Option<(u8, Link)> {
        let places = self.places.get(usize::from(byte)..)?;
        let next = places.iter().position(|place| *place < 48)?;
        let byte = byte.checked_add(u8::try_from(next).ok()?)?;
        Some((byte, self.find(byte)))
    }

    #[inline]
    fn last_to(&self, byte: u8) -> Option<(u8, Link)> {
        let places = self.places.get(..=usize::from(byte))?;
        let last = places.iter().rposition(|place| *place < 48)?;
        let byte = u8::try_from(last).ok()?;
        Some((byte, self.find(byte)))
    }
}

/// A link for every byte.
#[derive(Clone, Debug)]
pub(super) struct Node256 {
    header: Header,
    links: [Link; 256],
}

impl Node256 {
    pub(super) fn new(header: Header) -> Node256 {
        Node256 {
            header: Header { count: 0, ..header },
            links: [Link::NONE; 256],
        }
    }
}

impl Children for Node256 {
    #[inline]
    fn header(&self) -> &Header {
        &self.header
    }

    fn header_mut(&mut self) -> &mut Header {
        &mut self.header
    }

    #[inline]
    fn find(&self, byte: u8) -> Link {
        let link = self.links.get(usize::from(byte));
        link.copied().unwrap_or(Link::NONE)
    }

    fn find_mut(&mut self, byte: u8) -> Option<&mut Link> {
        self.links.get_mut(usize::from(byte))
    }

    fn add(&mut self, byte: u8, child: Link) -> bool {
        if let Some(link) = self.links.get_mut(usize::from(byte)) {
            *link = child;
        }
        self.header.count += 1;
        true
    }

    #[inline]
    fn first_from(&self, byte: u8) -> Option<(u8, Link)> {
        let links = self.links.get(usize::from(byte)..)?;
        let next = links.iter().position(|link| link.exists())?;
        let byte = byte.checked_add(u8::try_from(next).ok()?)?;
        Some((byte, self.find(byte)))
    }

    #[inline]
    fn last_to(&self, byte: u8) -> Option<(u8, Link)> {
        let links = self.links.get(..=usize::from(byte))?;
        let last = links.iter().rposition(|link| link.exists())?;
        let byte = u8::try_from(last).ok()?;
        Some((byte, self.find(byte)))
    }
}
