//! Frames of zstd that have a dictionary in common, in the shared part of their block.
//!
//! Large values fill a frame with few rows. Where rows are like each other, each frame would tell
//! again what the others have told. So the beginning of an earlier frame is their dictionary.

use crate::frames::cut;
use crate::shared::{SharedWriter, joined};
use crate::{CodecError, WrittenFrame, ZstdDictionary, ZstdFraming, ZstdStage, write_zstd_frames};

/// The most bytes of a dictionary: each reader of the block keeps them.
const DICTIONARY_BYTES_MAX: usize = 112 << 10;
/// Eight smaller vectors have a frame in common.
const VECTOR_BYTES_MIN: usize = 64 << 10;
/// A dictionary that is stored once serves about so many blocks.
const BLOCKS_EXPECTED: usize = 8;

/// What the frames of the next block may refer to.
#[derive(Clone, Debug)]
pub struct FrameDictionary {
    dictionary: ZstdDictionary,
    /// Whether the block before has it in its shared part.
    is_stored: bool,
}

/// The frames of a block under zstd.
#[derive(Debug)]
pub struct ZstdBlock {
    /// Its frames.
    pub frames: Vec<WrittenFrame>,
    /// Its shared part, with the dictionary if the frames have one.
    pub shared: Vec<u8>,
    /// For the block that follows.
    pub dictionary: Option<FrameDictionary>,
}

/// Frames of encoded vectors under zstd: with a dictionary of the block before, or one of their
/// own, where that pays for it.
pub fn write_zstd_block(
    vectors: &[Vec<u8>],
    shared: Vec<u8>,
    before: Option<&FrameDictionary>,
    stage: &mut ZstdStage<'_>,
) -> Result<ZstdBlock, CodecError> {
    let all = || vectors.iter().map(Vec::as_slice);
    let cuts = cut(all(), stage.vectors_max);
    let own = cuts.first().and_then(|vectors| beginning(vectors));
    let plain = ZstdBlock {
        frames: write_zstd_frames(all(), stage)?,
        shared,
        dictionary: own.clone(),
    };
    let Some(FrameDictionary {
        dictionary,
        is_stored,
    }) = before.cloned().or(own)
    else {
        return Ok(plain);
    };
    let mut added = SharedWriter::default();
    if added.add_dictionary(&dictionary).is_none() {
        return Ok(plain);
    }
    let (shared, resource) = joined(&plain.shared, &added)?;
    stage.dictionary = Some((u64::from(resource), dictionary.clone()));
    // A frame that the dictionary was not taken from tells whether the others are like it.
    let other = usize::from(before.is_none());
    let (Some(vectors_of_one), Some(one)) = (cuts.get(other), plain.frames.get(other)) else {
        return Ok(plain);
    };
    let tried = write_zstd_frames(vectors_of_one.iter().copied(), stage)?;
    if bytes(&tried) * 4 > one.bytes() * 3 {
        return Ok(plain);
    }
    let frames = write_zstd_frames(all(), stage)?;
    let saved_bytes = bytes(&plain.frames).saturating_sub(bytes(&frames));
    // A shared part that is as it was is stored once.
    let blocks = if plain.shared.is_empty() {
        BLOCKS_EXPECTED
    } else {
        1
    };
    let is_free = is_stored && plain.shared.is_empty();
    if !is_free && saved_bytes * blocks <= stored_bytes(&dictionary, stage)? {
        return Ok(plain);
    }
    Ok(ZstdBlock {
        frames,
        shared,
        dictionary: Some(FrameDictionary {
            dictionary,
            is_stored: true,
        }),
    })
}

fn bytes(frames: &[WrittenFrame]) -> usize {
    frames.iter().map(WrittenFrame::bytes).sum()
}

/// What a dictionary takes in a shared part.
fn stored_bytes(
    dictionary: &ZstdDictionary,
    stage: &mut ZstdStage<'_>,
) -> Result<usize, CodecError> {
    let framing = ZstdFraming::Compact;
    let stored = stage
        .encoder
        .compress(dictionary.bytes(), stage.level, None, framing);
    stored.map(|stored| stored.len())
}

/// The beginning of the vectors of a frame as a dictionary. `None` where it would be taken for a
/// trained one, and for small vectors: their frames hold rows enough to refer to.
fn beginning(vectors: &[&[u8]]) -> Option<FrameDictionary> {
    let bytes: usize = vectors.iter().map(|vector| vector.len()).sum();
    if bytes < vectors.len() * VECTOR_BYTES_MIN {
        return None;
    }
    let mut text = Vec::new();
    for vector in vectors {
        let room = DICTIONARY_BYTES_MAX - text.len();
        text.extend_from_slice(vector.get(..room).unwrap_or(vector));
    }
    let dictionary = ZstdDictionary::new(&text).ok()?;
    (dictionary.id() == 0).then_some(FrameDictionary {
        dictionary,
        is_stored: false,
    })
}

#[cfg(test)]
#[cfg(feature = "zstd-encode")]
mod tests {
    use super::{ZstdBlock, bytes, write_zstd_block};
    use crate::testing::Random;
    use crate::{BLOCK_VECTORS_MAX, Shared, StructuredZstd, ZstdStage, put_frames, read_frames};

    const VECTOR_BYTES: usize = 200 << 10;

    /// Vectors of which each has `own` bytes of its own among what all have in common.
    fn vectors(count: u64, own: usize) -> Vec<Vec<u8>> {
        let mut common = Random(5);
        let common: Vec<u8> = (0..VECTOR_BYTES).map(|_| common.below(256) as u8).collect();
        let vector = |seed| {
            let mut random = Random(100 + seed);
            let mut vector = common.clone();
            vector[..100 << 10].rotate_left(seed as usize);
            for byte in vector.iter_mut().rev().take(own) {
                *byte = random.below(256) as u8;
            }
            vector
        };
        (0..count).map(vector).collect()
    }

    fn write(vectors: &[Vec<u8>], shared: &[u8], before: Option<&ZstdBlock>) -> ZstdBlock {
        let mut stage = ZstdStage {
            encoder: &mut StructuredZstd::new(),
            level: 3,
            dictionary: None,
            vectors_max: BLOCK_VECTORS_MAX,
        };
        let before = before.and_then(|block| block.dictionary.as_ref());
        write_zstd_block(vectors, shared.to_vec(), before, &mut stage).unwrap()
    }

    fn check(vectors: &[Vec<u8>], block: &ZstdBlock) {
        let shared = Shared::decode(&block.shared, 1 << 20).unwrap();
        let mut stored = Vec::new();
        put_frames(&block.frames, &mut stored).unwrap();
        for frame in read_frames(&stored, 0, vectors.len()).unwrap() {
            let first = frame.first_vector();
            let read = frame.vector(&stored, first, &shared).unwrap();
            assert_eq!(read, vectors[first]);
        }
    }

    #[test]
    fn what_frames_have_in_common_is_stored_once() {
        let vectors = vectors(12, 90 << 10);
        let block = write(&vectors, &[], None);
        assert!(block.shared.len() > 100 << 10);
        let all: usize = vectors.iter().map(Vec::len).sum();
        assert!(
            bytes(&block.frames) < all * 6 / 10,
            "{}",
            bytes(&block.frames)
        );
        check(&vectors, &block);
        let next = write(&vectors[..1], &[], Some(&block));
        assert_eq!(next.shared, block.shared);
        check(&vectors[..1], &next);
    }

    #[test]
    fn blocks_of_one_frame_take_it_from_the_block_before() {
        let vectors = vectors(3, 90 << 10);
        let first = write(&vectors[..1], &[], None);
        assert!(first.shared.is_empty());
        let second = write(&vectors[1..2], &[], Some(&first));
        assert!(!second.shared.is_empty());
        check(&vectors[1..2], &second);
        let third = write(&vectors[2..], &[], Some(&second));
        assert_eq!(third.shared, second.shared);
        check(&vectors[2..], &third);
    }

    #[test]
    fn nothing_is_kept_for_frames_that_are_not_alike_or_small() {
        let block = write(&vectors(4, VECTOR_BYTES), &[], None);
        assert!(block.shared.is_empty());
        let small: Vec<Vec<u8>> = (0..64).map(|i| vec![i; 1000]).collect();
        let block = write(&small, &[], None);
        assert!(block.shared.is_empty() && block.dictionary.is_none());
        check(&small, &block);
    }

    #[test]
    fn the_dictionary_comes_behind_other_resources() {
        let mut other = crate::SharedWriter::default();
        other
            .add_integers(crate::IntegerKind::Int64, &[1, 2, 3])
            .unwrap();
        let vectors = vectors(12, 90 << 10);
        let block = write(&vectors, &other.finish(), None);
        assert_eq!(Shared::decode(&block.shared, 1 << 20).unwrap().len(), 2);
        check(&vectors, &block);
    }
}
