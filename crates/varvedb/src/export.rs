//! A whole database as one stream of bytes, and a database made of one.
//!
//! The bytes are the same from every build and backend, and they are in clear, also those of an
//! encrypted database: who needs them secret encrypts the stream.

use std::sync::Arc;

use varve_kv::Kv;
use varve_store::{Export, KnownContents, StoreImport};
use varve_types::{Env, MemoryAccount, MemoryBudget, Result};

use crate::database::Database;
use crate::encryption::unlock;
use crate::shared::options::Options;

impl Database {
    /// Begins to export what is committed by now; statements go on meanwhile. With the contents of
    /// an earlier export, what these list is left out. `XX001` where a part of it is damaged.
    ///
    /// ```no_run
    /// # async fn run(database: &varvedb::Database) -> varve_types::Result<()> {
    /// let mut export = database.export(None).await?;
    /// while let Some(chunk) = export.next_chunk().await? {
    ///     // At most 1 MiB.
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn export(&self, since: Option<&KnownContents>) -> Result<Export> {
        Ok(self.shared.store.export(since).await?)
    }

    /// Begins an import into `kv`, which whoever had it open loses. A whole export needs an empty
    /// store: where there is something, [`Import::write`] answers `55000`. It is encrypted where
    /// [`Options::encryption`] says so, whatever the exported one was.
    pub async fn import(kv: Arc<dyn Kv>, env: Arc<dyn Env>, options: Options) -> Result<Import> {
        let memory: Arc<dyn MemoryAccount> =
            Arc::new(MemoryBudget::new(options.memory_limit_bytes));
        let (unlocked, _) = unlock(Arc::clone(&kv), options.encryption.as_ref()).await?;
        let settings = options.store_settings();
        let import = StoreImport::begin(unlocked, Arc::clone(&env), memory, settings).await?;
        Ok(Import {
            import,
            kv,
            env,
            options,
        })
    }
}

/// An import under way. What was written of an export that is not complete is deleted when this is
/// aborted or fails, and else when the database is opened.
pub struct Import {
    import: StoreImport,
    kv: Arc<dyn Kv>,
    env: Arc<dyn Env>,
    options: Options,
}

impl Import {
    /// Takes the next bytes: of a whole export, and then of those that go on from it. After an
    /// error the import has ended. `55000` where an export does not fit what is there, `XX001`
    /// where it is damaged.
    pub async fn write(&mut self, bytes: &[u8]) -> Result<()> {
        Ok(self.import.write(bytes).await?)
    }

    /// Ends the import, and opens the database. `XX001` where the last export is not complete.
    pub async fn finish(self) -> Result<Database> {
        self.import.finish().await?;
        Database::open(self.kv, self.env, self.options).await
    }

    /// Gives up the export that is not complete yet.
    pub async fn abort(self) {
        self.import.abort().await;
    }
}

impl core::fmt::Debug for Import {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.import.fmt(f)
    }
}
