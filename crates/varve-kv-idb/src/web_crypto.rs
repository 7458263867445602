//! Encryption by the browser's WebCrypto, which costs the download nothing. Workers of pages that
//! do not come over HTTPS, or from the machine itself, have none.
//!
//! WebCrypto copies what it is given at the call and works on other threads, so values are handed
//! to it as views of our memory, and those of a batch are under way together.

use std::sync::Arc;

use js_sys::{Array, ArrayBuffer, Object, Promise, Reflect, Uint8Array};
use send_wrapper::SendWrapper;
use varve_kv::{Bytes, KvError, LocalFuture};
use varve_kv_encrypted::{Cipher, Crypto, DATA_KEY_BYTES, HEAD_BYTES, SALT_BYTES};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::DomException;

use crate::convert::{release, to_js, value_from_js};
use crate::failure::Failure;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = crypto, js_name = getRandomValues, catch)]
    fn get_random_values(into: &mut [u8]) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(js_namespace = ["crypto", "subtle"], catch)]
    fn encrypt(algorithm: &Object, key: &JsValue, bytes: &[u8]) -> Result<Promise, JsValue>;

    #[wasm_bindgen(js_namespace = ["crypto", "subtle"], catch)]
    fn decrypt(algorithm: &Object, key: &JsValue, bytes: &[u8]) -> Result<Promise, JsValue>;

    #[wasm_bindgen(js_namespace = ["crypto", "subtle"], js_name = importKey, catch)]
    fn import_key(
        format: &str,
        bytes: &[u8],
        algorithm: &str,
        extractable: bool,
        usages: &Array,
    ) -> Result<Promise, JsValue>;

    #[wasm_bindgen(js_namespace = ["crypto", "subtle"], js_name = deriveKey, catch)]
    fn derive_key(
        algorithm: &Object,
        key: &JsValue,
        derived: &Object,
        extractable: bool,
        usages: &Array,
    ) -> Result<Promise, JsValue>;
}

/// WebCrypto.
#[derive(Debug, Clone, Copy)]
pub struct WebCrypto;

/// A `CryptoKey` for AES-256-GCM.
struct WebCipher(SendWrapper<JsValue>);

impl WebCrypto {
    /// The cipher of a `CryptoKey` of the caller's.
    pub fn of_key(key: JsValue) -> Arc<dyn Cipher> {
        Arc::new(WebCipher(SendWrapper::new(key)))
    }
}

impl Crypto for WebCrypto {
    fn random(&self, bytes: &mut [u8]) -> Result<(), KvError> {
        // More at once is refused.
        for part in bytes.chunks_mut(1 << 16) {
            get_random_values(part).map_err(|thrown| failed(&thrown))?;
        }
        Ok(())
    }

    fn of_passphrase<'a>(
        &'a self,
        passphrase: &'a str,
        salt: &'a [u8],
        iterations: u32,
    ) -> LocalFuture<'a, Result<Arc<dyn Cipher>, KvError>> {
        let details = [
            ("salt", to_js(salt).into()),
            ("iterations", iterations.into()),
        ];
        derived("PBKDF2", passphrase.as_bytes(), details)
    }

    fn derived<'a>(
        &'a self,
        data_key: &'a [u8; DATA_KEY_BYTES],
        salt: &'a [u8],
        info: &'a [u8],
    ) -> LocalFuture<'a, Result<Arc<dyn Cipher>, KvError>> {
        let details = [("salt", to_js(salt).into()), ("info", to_js(info).into())];
        derived("HKDF", data_key, details)
    }
}

/// The key that a function makes of a secret, by SHA-256.
fn derived<'a>(
    function: &'static str,
    secret: &'a [u8],
    details: [(&'static str, JsValue); 2],
) -> LocalFuture<'a, Result<Arc<dyn Cipher>, KvError>> {
    Box::pin(async move {
        let usages = Array::of1(&"deriveKey".into());
        let imported = import_key("raw", secret, function, false, &usages);
        let imported = answer(imported).await?;
        let algorithm = object(function, details);
        drop(Reflect::set(&algorithm, &"hash".into(), &"SHA-256".into()));
        let aes = object("AES-GCM", [("length", 256.into())]);
        let usages = Array::of2(&"encrypt".into(), &"decrypt".into());
        let key = derive_key(&algorithm, &imported, &aes, false, &usages);
        Ok(WebCrypto::of_key(answer(key).await?))
    })
}

impl Cipher for WebCipher {
    fn seal(
        &self,
        head: [u8; HEAD_BYTES],
        associated: &[u8],
        value: &[u8],
    ) -> LocalFuture<'static, Result<Bytes, KvError>> {
        let started = encrypt(&gcm(&head, associated), &self.0, value);
        let started = started.map(JsFuture::from);
        Box::pin(async move {
            let sealed = bytes_of(started.map_err(|thrown| failed(&thrown))?.await)?;
            let count = usize::try_from(sealed.length()).unwrap_or(usize::MAX);
            let zeros = std::iter::repeat_n(0, count);
            let mut bytes: Bytes = head.into_iter().chain(zeros).collect();
            if let Some((_, target)) =
                Bytes::get_mut(&mut bytes).and_then(|all| all.split_at_mut_checked(HEAD_BYTES))
            {
                sealed.copy_to(target);
            }
            release(&sealed);
            Ok(bytes)
        })
    }

    fn open(
        &self,
        associated: &[u8],
        sealed: &[u8],
    ) -> LocalFuture<'static, Result<Option<Bytes>, KvError>> {
        let Some((head, ciphertext)) = sealed.split_first_chunk::<HEAD_BYTES>() else {
            return Box::pin(std::future::ready(Ok(None)));
        };
        let started = decrypt(&gcm(head, associated), &self.0, ciphertext);
        let started = started.map(JsFuture::from);
        Box::pin(async move {
            match started.map_err(|thrown| failed(&thrown))?.await {
                // So it calls a tag that does not fit.
                Err(thrown) if is_named(&thrown, "OperationError") => Ok(None),
                opened => Ok(value_from_js(bytes_of(opened)?.into())?),
            }
        })
    }
}

fn gcm(head: &[u8; HEAD_BYTES], associated: &[u8]) -> Object {
    let (_, nonce) = head.split_at(SALT_BYTES);
    let details = [
        ("iv", to_js(nonce).into()),
        ("additionalData", to_js(associated).into()),
    ];
    object("AES-GCM", details)
}

fn object<const N: usize>(name: &str, details: [(&str, JsValue); N]) -> Object {
    let object = Object::new();
    // Setting a property of a fresh plain object cannot fail.
    drop(Reflect::set(&object, &"name".into(), &name.into()));
    for (name, value) in details {
        drop(Reflect::set(&object, &name.into(), &value));
    }
    object
}

async fn answer(started: Result<Promise, JsValue>) -> Result<JsValue, KvError> {
    let started = started.map_err(|thrown| failed(&thrown))?;
    JsFuture::from(started)
        .await
        .map_err(|thrown| failed(&thrown))
}

fn bytes_of(answer: Result<JsValue, JsValue>) -> Result<Uint8Array, KvError> {
    let buffer = answer.map_err(|thrown| failed(&thrown))?;
    Ok(Uint8Array::new(&buffer.unchecked_into::<ArrayBuffer>()))
}

fn is_named(thrown: &JsValue, name: &str) -> bool {
    let exception = thrown.dyn_ref::<DomException>();
    exception.is_some_and(|exception| exception.name() == name)
}

fn failed(thrown: &JsValue) -> KvError {
    let message = match thrown.dyn_ref::<DomException>() {
        Some(exception) => format!("{}: {}", exception.name(), exception.message()),
        None => format!("{thrown:?}"),
    };
    Failure::backend(format!("WebCrypto failed: {message}")).into()
}
