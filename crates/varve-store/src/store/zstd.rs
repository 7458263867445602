//! What makes frames of zstd, fetched when it is first wanted.

use std::sync::Arc;

use crate::store::Store;
use crate::zstd::ZstdSource;

impl Store {
    /// Says where encoders of zstd come from, if this build has none.
    pub fn set_zstd_source(&self, source: Arc<dyn ZstdSource>) {
        self.state().zstd_source = Some(source);
    }

    /// Whether frames of zstd can be made; what makes them is fetched for that. Where that fails,
    /// what is written waits for zstd, and the next one who asks tries again.
    pub(crate) async fn fetch_zstd(&self) -> bool {
        let source = {
            let state = self.state();
            match (&state.zstd, &state.zstd_source) {
                (Some(_), _) => return true,
                (None, None) => return false,
                (None, Some(source)) => Arc::clone(source),
            }
        };
        let Ok(encoders) = source.fetch().await else {
            return false;
        };
        self.state().zstd = Some(encoders);
        true
    }

    /// Fetches it where runs wait for it.
    pub(crate) async fn fetch_due_zstd(&self) {
        let waits = self.state().waits_for_zstd();
        if waits {
            self.fetch_zstd().await;
        }
    }
}
