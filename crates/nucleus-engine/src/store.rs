//! Models that are kept in the browser, in its origin private file system.
//!
//! A folder for each source holds the files of the model under their own names, a [`Manifest`], and for each file of
//! weights a list of checksums, one for each block of [`BLOCK`] bytes. A block counts as kept once its checksum is
//! written, so that a visit that ends anywhere leaves what came before. Files are read and written through synchronous
//! access handles, which copy nothing; the browser gives each to one tab at a time.

mod entry;
mod file;
mod manifest;
mod opfs;

use nucleus_session::{KeptModel, ModelSource};
use web_sys::FileSystemDirectoryHandle;

pub(crate) use entry::Entry;
pub(crate) use manifest::{BLOCK, Manifest, Small, Weights, blocks, bytes_of_blocks};
pub(crate) use opfs::Refused;

/// The folder for all models.
const FOLDER: &str = "nucleus-models";

/// Where models are kept.
pub(crate) struct Store {
    folder: FileSystemDirectoryHandle,
}

impl Store {
    /// Opens the store, or says why there is none.
    pub(crate) async fn open() -> Result<Self, Refused> {
        let root = opfs::root().await?;
        Ok(Self { folder: opfs::folder(&root, FOLDER, true).await? })
    }

    /// What is kept of a source; `None` where nothing is.
    pub(crate) async fn entry(&self, source: &ModelSource) -> Result<Option<Entry>, Refused> {
        let Some(text) = source.text() else { return Ok(None) };
        let Ok(folder) = opfs::folder(&self.folder, &manifest::folder_name(text), false).await else {
            return Ok(None);
        };
        let entry = Entry::open(folder).await?;
        Ok(entry.filter(|entry| entry.manifest().source == text))
    }

    /// Whether all of a source is here, as seen without opening it.
    pub(crate) async fn has_all(&self, source: &ModelSource) -> bool {
        self.list().await.iter().any(|kept| kept.source == *source && kept.complete)
    }

    /// Begins to keep a model, in the place of what was kept of it.
    pub(crate) async fn create(&self, manifest: Manifest) -> Result<Entry, Refused> {
        let name = manifest::folder_name(&manifest.source);
        // What cannot be removed is in use, and then it cannot be opened either.
        let _ = opfs::remove(&self.folder, &name).await;
        Entry::create(opfs::folder(&self.folder, &name, true).await?, manifest).await
    }

    /// Deletes what is kept of a source.
    pub(crate) async fn delete(&self, source: &ModelSource) -> Result<(), Refused> {
        match source.text() {
            Some(text) => opfs::remove(&self.folder, &manifest::folder_name(text)).await,
            None => Ok(()),
        }
    }

    /// All that is kept, in the order of the names.
    pub(crate) async fn list(&self) -> Vec<KeptModel> {
        let mut all = Vec::new();
        for name in opfs::names(&self.folder).await {
            if let Ok(folder) = opfs::folder(&self.folder, &name, false).await {
                all.extend(Entry::summary(&folder).await);
            }
        }
        all.sort_by(|a, b| a.source.text().cmp(&b.source.text()));
        all
    }
}

/// Bytes that the browser still gives to this page; `None` where it does not tell.
pub(crate) async fn room() -> Option<u64> {
    opfs::room().await
}
