//! Damage: flipped and replaced bytes, mostly near the front where the parameters are, cuts,
//! insertions, and pieces moved within the bytes.

use crate::random::Random;

/// Numbers that parsers stumble over.
const EDGES: [u8; 8] = [0, 1, 0x7f, 0x80, 0xff, 0xfe, 0x40, 0x3f];

/// Replaces `to` by a damaged copy of `from`.
pub fn damage(from: &[u8], random: &mut Random, to: &mut Vec<u8>) {
    to.clear();
    to.extend_from_slice(from);
    for _ in 0..=random.below(4) {
        let front = random.below(2) == 0;
        let reach = if front { to.len().min(24) } else { to.len() };
        let at = random.below(reach);
        match random.below(12) {
            0 => to.truncate(at),
            1 if at < to.len() => to.insert(at, random.byte()),
            2 if at < to.len() => drop(to.remove(at)),
            3 => to.push(random.byte()),
            4 => {
                let piece = random.below(9);
                let source = random.below(to.len().saturating_sub(piece));
                let room = to.len().saturating_sub(at);
                let end = source + piece.min(room).min(to.len() - source);
                to.copy_within(source..end, at);
            }
            5 | 6 => replace(to, at, EDGES.get(random.below(8)).copied().unwrap_or(0)),
            7 => replace(to, at, random.byte()),
            _ => {
                let flip = 1 << random.below(8);
                if let Some(byte) = to.get_mut(at) {
                    *byte ^= flip;
                }
            }
        }
    }
}

fn replace(bytes: &mut [u8], at: usize, with: u8) {
    if let Some(byte) = bytes.get_mut(at) {
        *byte = with;
    }
}
