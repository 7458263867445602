//! Fixed inputs give fixed bytes, which a browser gives too (`tests/browser/kv.test.mjs`), and
//! which the definitions of the algorithms give (made once with WebCrypto in Node).

use pollster::block_on;
use varve_kv_encrypted::{Crypto, NativeCrypto};

#[test]
fn fixed_inputs_give_fixed_bytes() {
    let crypto = NativeCrypto;
    let passphrase = block_on(crypto.of_passphrase("tea \u{1f375}", &[7; 16], 1000)).unwrap();
    let derived = block_on(crypto.derived(&[9; 32], &[7; 16], b"info")).unwrap();
    let mut answers = String::new();
    for cipher in [passphrase, derived] {
        let sealed = block_on(cipher.seal([5; 28], b"key", b"value")).unwrap();
        let opened = block_on(cipher.open(b"key", &sealed)).unwrap();
        let moved = block_on(cipher.open(b"yek", &sealed)).unwrap();
        answers.extend(sealed.iter().map(|byte| format!("{byte:02x}")));
        answers.push_str(&format!(
            "\n{:?} {:?}\n",
            opened.as_deref(),
            moved.as_deref()
        ));
    }
    assert_eq!(answers, include_str!("known_answers.txt"));
}
