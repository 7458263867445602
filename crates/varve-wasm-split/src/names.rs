//! Names of functions that builds share.

/// What a profile calls a function: its path without the arguments of what is generic, and six
/// hexadecimal digits of a hash of its whole name, which tell the instances of one path apart:
/// `varve_run::page::Page::read 19a8c4`.
///
/// The name is one that `wasm-bindgen` wrote. What differs between builds is left out: hashes of
/// crates, and the numbers of its shims, some of which share a name without them.
pub fn stable_name(name: &str) -> String {
    let whole = without_shim_numbers(&without_crate_hashes(name));
    format!("{} {:06x}", path(&whole), hash(&whole) >> 8)
}

/// FNV-1a of 32 bits.
fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

/// `core::ptr` for `core[15266d276e3a2055]::ptr`.
fn without_crate_hashes(name: &str) -> String {
    let mut kept = String::with_capacity(name.len());
    let mut rest = name;
    while let Some((before, after)) = rest.split_once('[') {
        kept.push_str(before);
        let hash = after.split_once(']').filter(|(hash, _)| {
            let is_hash = !hash.is_empty() && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
            // A slice, such as `&[u8]`, does not follow a name.
            is_hash && before.ends_with(|last: char| last.is_alphanumeric() || last == '_')
        });
        rest = match hash {
            Some((_, behind)) => behind,
            None => {
                kept.push('[');
                after
            }
        };
    }
    kept.push_str(rest);
    kept
}

/// `__wbg_get` for `__wbg_get_d7176cfb76d71114`, and `shim_idx: ` for `shim_idx: 1977`.
fn without_shim_numbers(name: &str) -> String {
    const INDEX: &str = "shim_idx: ";
    const HASH_DIGITS: usize = 16;
    let mut kept = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(letter) = rest.chars().next() {
        if let Some(number) = rest.strip_prefix(INDEX) {
            kept.push_str(INDEX);
            rest = number.trim_start_matches(|digit: char| digit.is_ascii_digit());
            continue;
        }
        let behind = rest.get(letter.len_utf8()..).unwrap_or_default();
        let is_hexadecimal = |hash: &str| hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        rest = match behind.split_at_checked(HASH_DIGITS) {
            Some((hash, behind)) if letter == '_' && is_hexadecimal(hash) => behind,
            _ => {
                kept.push(letter);
                behind
            }
        };
    }
    kept
}

/// `a::B::c` for `<a::B<d> as e::F>::c::<g>`: of what stands in angle brackets, only the type that
/// a method is of is kept.
fn path(name: &str) -> String {
    let mut path = String::new();
    let mut depth = 0_usize;
    // The type of a method stands in brackets at the front, and ends where its trait begins.
    let mut is_type = name.starts_with('<');
    let mut last = ' ';
    for (at, letter) in name.char_indices() {
        let rest = name.get(at..).unwrap_or_default();
        match letter {
            '<' => depth += 1,
            // The arrow of a function's type is no bracket.
            '>' if last != '-' => depth = depth.saturating_sub(1),
            ' ' => {}
            _ if depth == 0 || depth == 1 && is_type => path.push(letter),
            _ => {}
        }
        is_type &= depth > 0 && !(depth == 1 && rest.starts_with(" as "));
        last = letter;
    }
    let path = path.replace("::::", "::");
    path.trim_end_matches("::").to_owned()
}

#[cfg(test)]
mod tests {
    use super::{path, stable_name, without_crate_hashes, without_shim_numbers};

    #[test]
    fn hashes_of_crates_are_left_out() {
        let cases = [
            ("varve_run[19a8c4]::page::read", "varve_run::page::read"),
            ("core[15]::ptr::drop::<[u8]>", "core::ptr::drop::<[u8]>"),
            ("<&[ad; 4] as a_b[0]::C>::f", "<&[ad; 4] as a_b::C>::f"),
            ("memcpy", "memcpy"),
            ("broken[", "broken["),
        ];
        for (name, kept) in cases {
            assert_eq!(without_crate_hashes(name), kept);
        }
    }

    #[test]
    fn a_path_is_read_without_what_is_generic() {
        let cases = [
            ("a::b::c", "a::b::c"),
            ("<a::B>::c", "a::B::c"),
            ("<a::B<d::E> as f::G<h>>::c::<i, j>", "a::B::c"),
            (
                "a::b::<fn(u8) -> c::D>::e::{closure#0}",
                "a::b::e::{closure#0}",
            ),
            ("<&mut a::B as c::D>::e", "&muta::B::e"),
            ("<[a::B; 4] as c::D<e>>::f", "[a::B;4]::f"),
            ("memcpy", "memcpy"),
        ];
        for (name, expected) in cases {
            assert_eq!(path(name), expected);
        }
    }

    #[test]
    fn numbers_of_shims_are_left_out() {
        let cases = [
            (
                "a::__wbg_get_d7176cfb76d71114 externref shim",
                "a::__wbg_get externref shim",
            ),
            (
                "F { shim_idx: 1977, ret: Unit }",
                "F { shim_idx: , ret: Unit }",
            ),
            ("a::read_facade", "a::read_facade"),
        ];
        for (name, kept) in cases {
            assert_eq!(without_shim_numbers(name), kept);
        }
    }

    #[test]
    fn instances_of_a_path_differ_and_builds_do_not() {
        let one = stable_name("a[1]::b::<c[2]::D>");
        assert_eq!(one, stable_name("a[3]::b::<c[4]::D>"));
        assert_ne!(one, stable_name("a[1]::b::<c[2]::E>"));
    }
}
