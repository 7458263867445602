//! Strings one after another, in Arrow's Utf8 layout.

use crate::meter::{Booking, fitting};

/// Strings as one buffer and offsets: string `i` is `offsets[i]..offsets[i + 1]` of the buffer.
#[derive(Debug)]
pub struct TextData {
    offsets: Vec<u32>,
    text: String,
    booking: Booking,
}

impl Clone for TextData {
    fn clone(&self) -> TextData {
        let mut copy = TextData::default();
        copy.push_range(self, 0, self.len());
        copy
    }
}

impl PartialEq for TextData {
    fn eq(&self, other: &TextData) -> bool {
        self.offsets == other.offsets && self.text == other.text
    }
}

impl Eq for TextData {}

impl Default for TextData {
    fn default() -> TextData {
        TextData {
            offsets: vec![0],
            text: String::new(),
            booking: Booking::default(),
        }
    }
}

impl TextData {
    /// Strings from offsets and a buffer, or `None` unless the offsets start at 0, never fall, end
    /// at the end of the buffer and lie on character borders.
    pub fn from_parts(offsets: Vec<u32>, text: String) -> Option<TextData> {
        let ends_right = offsets
            .last()
            .is_some_and(|end| *end as usize == text.len());
        let sound = offsets.first() == Some(&0)
            && ends_right
            && offsets.is_sorted()
            && offsets
                .iter()
                .all(|offset| text.is_char_boundary(*offset as usize));
        let booking = Booking::default();
        sound.then_some(TextData {
            offsets,
            text,
            booking,
        })
    }

    /// One string.
    pub(crate) fn single(text: &str) -> TextData {
        let mut data = TextData::default();
        data.push(text);
        data
    }

    /// Number of strings.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are no strings.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// String `i`; empty past the end.
    pub fn get(&self, i: usize) -> &str {
        let (Some(start), Some(end)) = (self.offsets.get(i), self.offsets.get(i + 1)) else {
            return "";
        };
        self.text.get(*start as usize..*end as usize).unwrap_or("")
    }

    /// Adds a string at the end; an empty one where the statement may not use so much memory, or
    /// the buffer would pass 4 GiB: see [`crate::meter`].
    pub fn push(&mut self, text: &str) {
        self.append(text);
        self.offsets.push(fitting(self.text.len(), "text buffer"));
    }

    /// Whether there was room.
    fn append(&mut self, text: &str) -> bool {
        let (len, capacity) = (self.text.len(), self.text.capacity());
        let Some(wanted) = self.booking.admit(len, capacity, text.len()) else {
            return false;
        };
        self.text.reserve_exact(wanted - len);
        self.text.push_str(text);
        true
    }

    /// Gives back what is booked for the buffer: whoever holds it books it from now on.
    pub(crate) fn give_back(&self) {
        self.booking.give_back();
    }

    /// Adds the strings `start..end` of others, all at once; false, and nothing added, where there
    /// are not so many or the buffer would pass 4 GiB.
    pub(crate) fn push_range(&mut self, from: &TextData, start: usize, end: usize) -> bool {
        let Some(offsets) = from.offsets.get(start..=end) else {
            return false;
        };
        let (Some(first), Some(last)) = (offsets.first(), offsets.last()) else {
            return false;
        };
        let text = from.text.get(*first as usize..*last as usize);
        let before = u32::try_from(self.text.len()).ok();
        let before = before.filter(|before| before.checked_add(last - first).is_some());
        let (Some(text), Some(before)) = (text, before) else {
            return false;
        };
        if !self.append(text) {
            let empty = core::iter::repeat_n(before, end - start);
            self.offsets.extend(empty);
            return true;
        }
        let moved = offsets.iter().skip(1).map(|end| end - first + before);
        self.offsets.extend(moved);
        true
    }

    /// The strings in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|i| self.get(i))
    }

    /// The offsets: one more than strings.
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// All strings one after another.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl<'a> FromIterator<&'a str> for TextData {
    fn from_iter<I: IntoIterator<Item = &'a str>>(strings: I) -> TextData {
        let mut data = TextData::default();
        for string in strings {
            data.push(string);
        }
        data
    }
}

#[cfg(test)]
mod tests {
    use super::TextData;

    #[test]
    fn parts_must_be_sound() {
        let cases = [
            (vec![0, 1, 3], "abc", true),
            (vec![0], "", true),
            (vec![], "", false),
            (vec![1, 3], "abc", false),
            (vec![0, 2], "abc", false),
            (vec![0, 3, 1, 3], "abc", false),
            (vec![0, 1, 2], "\u{e9}", false),
        ];
        for (offsets, text, sound) in cases {
            let data = TextData::from_parts(offsets.clone(), text.to_owned());
            assert_eq!(data.is_some(), sound, "{offsets:?} {text}");
        }
        let data: TextData = ["a", "", "bc"].into_iter().collect();
        assert_eq!(data.iter().collect::<Vec<_>>(), ["a", "", "bc"]);
        assert_eq!(data.get(3), "");
    }
}
