//! One kept model.

use nucleus_session::{KeptModel, ModelSource};
use web_sys::FileSystemDirectoryHandle;

use super::file::{self, BlockFile};
use super::manifest::{Manifest, Small, blocks};
use super::opfs::{self, Handle, Refused};

/// The manifest's file.
const MANIFEST: &str = "kept.json";

/// A model's folder, open: no other tab has it until it is dropped.
pub(crate) struct Entry {
    folder: FileSystemDirectoryHandle,
    manifest: Manifest,
    files: Vec<BlockFile>,
}

impl Entry {
    /// Opens what is there; `None` where nothing is that could be used.
    pub(super) async fn open(folder: FileSystemDirectoryHandle) -> Result<Option<Self>, Refused> {
        let Some(manifest) = manifest(&folder).await else { return Ok(None) };
        Self::with(folder, manifest).await.map(Some)
    }

    /// Writes the manifest of a model, of which nothing is here yet.
    pub(super) async fn create(folder: FileSystemDirectoryHandle, manifest: Manifest) -> Result<Self, Refused> {
        let mut entry = Self::with(folder, manifest).await?;
        for file in &mut entry.files {
            file.clear()?;
        }
        let json = serde_json::to_vec(&entry.manifest).map_err(|error| Refused::Other(error.to_string()))?;
        write(&entry.folder, MANIFEST, &json).await?;
        Ok(entry)
    }

    async fn with(folder: FileSystemDirectoryHandle, manifest: Manifest) -> Result<Self, Refused> {
        let mut files = Vec::new();
        for file in &manifest.weights {
            files.push(BlockFile::open(&folder, file).await?);
        }
        Ok(Self { folder, manifest, files })
    }

    pub(crate) fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Bytes of the weights that are here.
    pub(crate) fn kept(&self) -> u64 {
        self.files.iter().map(BlockFile::kept).sum()
    }

    /// Blocks of a file of weights that are here.
    pub(crate) fn kept_blocks(&self, file: usize) -> u64 {
        self.files.get(file).map_or(0, |file| blocks(file.kept()))
    }

    /// Whether nothing is missing.
    pub(crate) fn is_complete(&self) -> bool {
        self.files.iter().zip(&self.manifest.weights).all(|(file, weights)| file.kept() == weights.bytes)
    }

    /// A small file, if it is here undamaged.
    pub(crate) async fn small(&self, name: &str) -> Option<Vec<u8>> {
        let small = self.manifest.small.iter().find(|small| small.name == name)?;
        opfs::snapshot(&self.folder, name).await.ok().filter(|bytes| small.is(bytes))
    }

    /// Writes the small files that the manifest names.
    pub(crate) async fn write_small(&self, files: &[(String, Vec<u8>)]) -> Result<(), Refused> {
        for Small { name, .. } in &self.manifest.small {
            if let Some((_, bytes)) = files.iter().find(|(given, _)| given == name) {
                write(&self.folder, name, bytes).await?;
            }
        }
        Ok(())
    }

    /// Makes `into` a block of a file of weights, or nothing where it is not here undamaged; whether it is. Files count as in the
    /// manifest.
    pub(crate) fn read(&self, file: usize, block: u64, into: &mut Vec<u8>) -> bool {
        self.files.get(file).is_some_and(|file| file.read(block, into))
    }

    /// Writes a block.
    pub(crate) fn write(&mut self, file: usize, block: u64, bytes: &[u8]) -> Result<(), Refused> {
        self.files.get_mut(file).map_or(Ok(()), |file| file.write(block, bytes))
    }

    /// Lets the system write what it still holds back.
    pub(crate) fn flush(&self) -> Result<(), Refused> {
        self.files.iter().try_for_each(BlockFile::flush)
    }

    /// What a folder holds, as seen without opening it; `None` where that is no model.
    pub(super) async fn summary(folder: &FileSystemDirectoryHandle) -> Option<KeptModel> {
        let manifest = manifest(folder).await?;
        let mut weights = 0;
        for file in &manifest.weights {
            weights += file::kept(folder, file).await;
        }
        let small: u64 = manifest.small.iter().map(|file| file.bytes).sum();
        Some(KeptModel {
            source: ModelSource::parse(&manifest.source).ok()?,
            bytes: small + weights,
            total: Some(manifest.total()),
            complete: small + weights == manifest.total(),
        })
    }
}

async fn manifest(folder: &FileSystemDirectoryHandle) -> Option<Manifest> {
    serde_json::from_slice(&opfs::snapshot(folder, MANIFEST).await.ok()?).ok()
}

async fn write(folder: &FileSystemDirectoryHandle, name: &str, bytes: &[u8]) -> Result<(), Refused> {
    let handle = Handle::open(folder, name).await?;
    handle.truncate(0)?;
    handle.write(0, bytes)?;
    handle.flush()
}
