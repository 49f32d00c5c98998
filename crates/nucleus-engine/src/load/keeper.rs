//! What is kept of the model that is being loaded.

use nucleus_session::{Keeping, ModelSource};

use crate::clock;
use crate::store::{self, Entry, Manifest, Refused, Small, Store, Weights};

/// From so many bytes on, files beside the page are kept too: smaller ones the browser's own cache holds.
const LARGE: u64 = 32 << 20;

/// Another tab that loads the same model has it for a moment only, if it is all here: how long to wait for each try,
/// milliseconds, and how often.
const PATIENCE: (i32, u32) = (200, 15);

/// Keeps one model, as far as the browser allows.
pub(crate) struct Keeper {
    source: ModelSource,
    store: Result<Store, Refused>,
    entry: Option<Entry>,
    /// Why what comes now is not kept.
    refused: Option<Refused>,
    /// Whether this model is one to keep.
    wanted: bool,
    /// The small files that came in this visit.
    small: Vec<(String, Vec<u8>)>,
}

impl Keeper {
    /// Looks for what is kept of a source.
    pub(crate) async fn open(source: &ModelSource) -> Self {
        let wanted = matches!(source, ModelSource::Hub(_) | ModelSource::Web(_));
        let store = if source.text().is_some() { Store::open().await } else { Err(Refused::NoStorage) };
        let mut keeper = Self { source: source.clone(), store, entry: None, refused: None, wanted, small: Vec::new() };
        match keeper.find().await {
            Ok(entry) => keeper.entry = entry,
            Err(refused) => keeper.refused = Some(refused),
        }
        keeper
    }

    async fn find(&self) -> Result<Option<Entry>, Refused> {
        let store = self.store.as_ref().map_err(Clone::clone)?;
        let mut tries = PATIENCE.1;
        loop {
            match store.entry(&self.source).await {
                Err(Refused::InUse) if tries > 0 && store.has_all(&self.source).await => tries -= 1,
                found => return found,
            }
            clock::sleep(PATIENCE.0).await;
        }
    }

    /// A small file of a model that is here as a whole.
    pub(crate) async fn small(&self, name: &str) -> Option<Vec<u8>> {
        self.complete()?.small(name).await
    }

    /// Whether the model that is here, whole or in part, has a small file of this name.
    pub(crate) fn has_small(&self, name: &str) -> bool {
        self.entry.as_ref().is_some_and(|entry| entry.manifest().small.iter().any(|small| small.name == name))
    }

    /// The entry, if nothing is missing in it.
    pub(crate) fn complete(&self) -> Option<&Entry> {
        self.entry.as_ref().filter(|entry| entry.is_complete())
    }

    /// A small file that came, to be kept with the weights.
    pub(crate) fn remember(&mut self, name: &str, bytes: &[u8]) {
        if self.source.text().is_some() {
            self.small.push((name.to_owned(), bytes.to_vec()));
        }
    }

    /// A file of weights that is here, whole or in part, and its place in the entry.
    pub(crate) fn weights(&self, name: &str) -> Option<(usize, &Weights)> {
        self.entry.as_ref()?.manifest().weights.iter().enumerate().find(|(_, file)| file.name == name)
    }

    /// Blocks of a file that are here.
    pub(crate) fn kept_blocks(&self, file: usize) -> u64 {
        self.entry.as_ref().map_or(0, |entry| entry.kept_blocks(file))
    }

    /// Bytes of the weights that are here.
    pub(crate) fn kept(&self) -> u64 {
        self.entry.as_ref().map_or(0, Entry::kept)
    }

    /// From now on blocks of these files come. What is here of other files is given up.
    pub(crate) async fn begin(&mut self, weights: Vec<Weights>) {
        let large = weights.iter().map(|file| file.bytes).sum::<u64>() > LARGE;
        // The reader's own files are kept already.
        self.wanted |= large && self.source.text().is_some();
        let same = |entry: &&Entry| entry.manifest().weights == weights;
        if !self.wanted || self.refused.is_some() || self.entry.as_ref().filter(same).is_some() {
            return;
        }
        self.entry = None;
        match self.create(weights).await {
            Ok(entry) => self.entry = Some(entry),
            Err(refused) => self.refused = Some(refused),
        }
    }

    async fn create(&self, weights: Vec<Weights>) -> Result<Entry, Refused> {
        let store = self.store.as_ref().map_err(Clone::clone)?;
        let source = self.source.text().unwrap_or_default().to_owned();
        let small = self.small.iter().map(|(name, bytes)| Small::of(name, bytes)).collect();
        let manifest = Manifest { source, small, weights };
        let needed = manifest.total();
        if let Some(room) = store::room().await.filter(|room| *room < needed) {
            return Err(Refused::TooLittle { room, needed });
        }
        let entry = store.create(manifest).await?;
        entry.write_small(&self.small).await?;
        Ok(entry)
    }

    /// Whether it is known by now that nothing will be kept.
    pub(crate) fn is_refused(&self) -> bool {
        self.refused.is_some()
    }

    /// Whether blocks that come are kept.
    pub(crate) fn keeps(&self) -> bool {
        self.entry.is_some()
    }

    /// Reads a block of a file of weights; whether it is here and undamaged.
    pub(crate) fn read(&self, file: usize, block: u64, into: &mut Vec<u8>) -> bool {
        self.entry.as_ref().is_some_and(|entry| entry.read(file, block, into))
    }

    /// Keeps a block. Where that fails, nothing of the model is kept: the next visit starts cleanly.
    pub(crate) async fn write(&mut self, file: usize, block: u64, bytes: &[u8]) {
        let Some(entry) = &mut self.entry else { return };
        if let Err(refused) = entry.write(file, block, bytes) {
            self.discard().await;
            self.refused = Some(refused);
        }
    }

    /// Deletes what is here.
    pub(crate) async fn discard(&mut self) {
        // It is open no longer: only then can it be deleted.
        self.entry = None;
        if let Ok(store) = &self.store {
            // What cannot be deleted is found out to be useless when it is read.
            let _ = store.delete(&self.source).await;
        }
    }

    /// The last block has come: the files are closed, for other tabs to read.
    pub(crate) fn finish(mut self) -> Keeping {
        let kept = match self.entry.take() {
            Some(entry) => entry.flush(),
            None => Err(self.refused.take().unwrap_or(Refused::NoStorage)),
        };
        match kept {
            Ok(()) => Keeping::Kept,
            Err(_) if !self.wanted => Keeping::NotNeeded,
            Err(refused) => Keeping::NotKept { message: refused.to_string() },
        }
    }
}
