//! What the page calls.

use std::rc::Rc;
use std::sync::Arc;

use varve_kv::conformance::{Backend, CASES};
use varve_kv::{
    Bytes, Durability, Guard, KeyRange, Kv, KvError, LocalFuture, Scan, ScanLimit, WriteBatch,
};
use varve_kv_encrypted::{Crypto, Encryption, EncryptionKey, OpenError};
use varve_kv_idb::{IdbKv, WebCrypto};
use wasm_bindgen::prelude::{JsError, wasm_bindgen};

struct Idb;

impl Backend for Idb {
    fn open<'a>(&'a self, name: &'a str) -> LocalFuture<'a, Result<Box<dyn Kv>, KvError>> {
        Box::pin(async move {
            Ok(Box::new(IdbKv::open(&format!("suite-{name}")).await?) as Box<dyn Kv>)
        })
    }
}

/// The same with encrypted values.
struct Encrypted;

impl Backend for Encrypted {
    fn open<'a>(&'a self, name: &'a str) -> LocalFuture<'a, Result<Box<dyn Kv>, KvError>> {
        Box::pin(async move {
            let kv: Arc<dyn Kv> = Arc::new(IdbKv::open(&format!("encrypted-{name}")).await?);
            let key = EncryptionKey::Passphrase("a passphrase".into());
            let encryption = Encryption::new(key, Arc::new(WebCrypto));
            let opened = varve_kv_encrypted::open(&kv, Some(&encryption)).await;
            let opened = opened.map_err(|error| match error {
                OpenError::Kv(error) => error,
                other => KvError::Backend {
                    message: format!("{other:?}"),
                },
            })?;
            let opened = opened.and_then(Arc::into_inner);
            let opened = opened.ok_or(KvError::Closed)?;
            Ok(Box::new(opened) as Box<dyn Kv>)
        })
    }
}

/// The names of all cases.
#[wasm_bindgen(js_name = caseNames)]
pub fn case_names() -> Vec<String> {
    CASES.iter().map(|case| case.name.to_owned()).collect()
}

/// Runs one case and answers what went wrong.
#[wasm_bindgen(js_name = runCase)]
pub async fn run_case(name: String, is_encrypted: bool) -> Option<String> {
    let backend: &dyn Backend = if is_encrypted { &Encrypted } else { &Idb };
    match CASES.iter().find(|case| case.name == name) {
        None => Some("there is no such case".to_owned()),
        Some(case) => case.run(backend).await.err().map(|failure| failure.0),
    }
}

/// What the browser's ciphers make of fixed inputs: the same as the native ones, whose test has the
/// same values.
#[wasm_bindgen(js_name = knownAnswers)]
pub async fn known_answers() -> Result<Vec<String>, JsError> {
    let mut answers = Vec::new();
    let crypto = WebCrypto;
    let passphrase = crypto
        .of_passphrase("tea \u{1f375}", &[7; 16], 1000)
        .await?;
    let derived = crypto.derived(&[9; 32], &[7; 16], b"info").await?;
    for cipher in [passphrase, derived] {
        let sealed = cipher.seal([5; 28], b"key", b"value").await?;
        let opened = cipher.open(b"key", &sealed).await?;
        let moved = cipher.open(b"yek", &sealed).await?;
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        answers.push(hex(&sealed));
        answers.push(format!("{:?} {:?}", opened.as_deref(), moved.as_deref()));
    }
    Ok(answers)
}

/// Deletes a database.
#[wasm_bindgen]
pub async fn destroy(name: String) -> Result<(), JsError> {
    Ok(IdbKv::destroy(&name).await?)
}

/// An open store with text keys.
#[wasm_bindgen]
pub struct Store(Rc<IdbKv>);

#[wasm_bindgen]
impl Store {
    /// Opens a store.
    pub async fn open(name: String) -> Result<Store, JsError> {
        Ok(Self(Rc::new(IdbKv::open(&name).await?)))
    }

    /// Writes one value.
    pub async fn put(&self, key: String, value: Vec<u8>, is_strict: bool) -> Result<(), JsError> {
        let mut batch = WriteBatch::new();
        batch.put(key, value);
        Ok(self.0.commit(batch, durability(is_strict)).await?)
    }

    /// Writes `count` values of `bytes` bytes each, under one prefix, in one commit.
    #[wasm_bindgen(js_name = putMany)]
    pub async fn put_many(
        &self,
        prefix: String,
        count: u32,
        bytes: u32,
        is_strict: bool,
    ) -> Result<(), JsError> {
        let mut batch = WriteBatch::new();
        let mut random = varve_kv::fault::SplitMix64::new(u64::from(count));
        for number in 0..count {
            let words = std::iter::repeat_with(|| random.next_u64().to_le_bytes());
            let value: Bytes = words.flatten().take(usize::try_from(bytes)?).collect();
            batch.put(format!("{prefix}{number:08}"), value);
        }
        Ok(self.0.commit(batch, durability(is_strict)).await?)
    }

    /// Writes one value if a key holds another one.
    #[wasm_bindgen(js_name = putIf)]
    pub async fn put_if(
        &self,
        guarded: String,
        holds: Vec<u8>,
        key: String,
        value: Vec<u8>,
    ) -> Result<(), JsError> {
        let mut batch = WriteBatch::new();
        batch.put(key, value).guard(Guard::Holds {
            key: guarded.into(),
            value: holds.into(),
        });
        Ok(self.0.commit(batch, Durability::Strict).await?)
    }

    /// Reads one value.
    pub async fn get(&self, key: String) -> Result<Option<Vec<u8>>, JsError> {
        let values = self.0.get_many(&[key.into()]).await?;
        Ok(values
            .into_iter()
            .next()
            .flatten()
            .map(|value| value.to_vec()))
    }

    /// Counts the keys that begin with a prefix.
    pub async fn count(&self, prefix: String, is_reverse: bool) -> Result<u32, JsError> {
        let range = KeyRange::prefix(prefix);
        let scan = if is_reverse {
            Scan::reverse(range, ScanLimit::NONE)
        } else {
            Scan::forward(range, ScanLimit::NONE)
        };
        Ok(u32::try_from(self.0.scan(&scan).await?.len())?)
    }

    /// Deletes every key.
    pub async fn clear(&self) -> Result<(), JsError> {
        let mut batch = WriteBatch::new();
        batch.delete_range(KeyRange::all());
        Ok(self.0.commit(batch, Durability::Strict).await?)
    }

    /// Begins a commit whose future is polled once and then dropped.
    #[wasm_bindgen(js_name = putIfAndForget)]
    pub fn put_if_and_forget(&self, guarded: String, holds: Vec<u8>, key: String, value: Vec<u8>) {
        let mut batch = WriteBatch::new();
        batch.put(key, value).guard(Guard::Holds {
            key: guarded.into(),
            value: holds.into(),
        });
        let mut future = self.0.commit(batch, Durability::Strict);
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        drop(future.as_mut().poll(&mut context));
    }

    /// Gives up the store.
    pub async fn close(&self) -> Result<(), JsError> {
        Ok(self.0.close().await?)
    }
}

fn durability(is_strict: bool) -> Durability {
    if is_strict {
        Durability::Strict
    } else {
        Durability::Relaxed
    }
}
