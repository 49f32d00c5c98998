//! The files of weights, opened as far as their headers.

use nucleus_gpt2::checkpoint::{CheckpointError, Header, PREFIX, ShardIndex, header_length};
use nucleus_session::{Expected, Failure};
use web_sys::File;

use super::folder::{Folder, is_missing, missing};
use super::keeper::Keeper;
use super::progress::Progress;
use crate::disk;
use crate::fetch::{self, Remote, Validator};
use crate::halt::Halt;
use crate::store;

const ONE: &str = "model.safetensors";
const INDEX: &str = "model.safetensors.index.json";

/// Weights in formats that are not read, by the names that they have on the Hugging Face hub.
const OTHERS: [&str; 5] =
    ["pytorch_model.bin", "pytorch_model.bin.index.json", "tf_model.h5", "flax_model.msgpack", "rust_model.ot"];

/// All files of weights of a model.
pub(super) struct Weights {
    pub(super) parts: Vec<Part>,
    /// That of the one file, or of all as if they lay end to end.
    pub(super) header: Header,
}

/// One file of weights.
pub(super) struct Part {
    pub(super) name: String,
    pub(super) header: Header,
    /// The file's first bytes, at least the header.
    pub(super) head: Vec<u8>,
    pub(super) supply: Supply,
}

/// Where a file's bytes come from, if they are not kept.
pub(super) enum Supply {
    Remote(Remote),
    Disk(File),
}

impl Weights {
    /// Opens the one file or, where there is none, the index and all that it names.
    pub(super) async fn open(folder: &Folder, keeper: &mut Keeper, progress: &mut Progress<'_>) -> Result<Self, Halt> {
        let sharded = match folder {
            Folder::Web(_) => keeper.has_small(INDEX),
            Folder::Disk(files) => files.get(INDEX).is_some(),
        };
        if sharded {
            return Self::shards(folder, keeper, progress).await;
        }
        match Part::open(ONE, folder, keeper, progress).await {
            Ok(part) => Ok(Self { header: part.header.clone(), parts: vec![part] }),
            Err(halt) if is_missing(&halt) => match Self::shards(folder, keeper, progress).await {
                Err(other) if is_missing(&other) => Err(other_format(folder, progress).await?.unwrap_or(halt)),
                shards => shards,
            },
            Err(halt) => Err(halt),
        }
    }

    async fn shards(folder: &Folder, keeper: &mut Keeper, progress: &mut Progress<'_>) -> Result<Self, Halt> {
        let json = folder.small(INDEX, Expected::Json, keeper, progress.inbox).await?;
        let refused = |error: nucleus_gpt2::checkpoint::ShardError| Failure::Checkpoint {
            address: folder.address(INDEX),
            message: error.to_string(),
        };
        let index = ShardIndex::parse(&json).map_err(refused)?;
        let mut parts = Vec::new();
        for name in index.files() {
            parts.push(Part::open(name, folder, keeper, progress).await?);
        }
        let headers: Vec<Header> = parts.iter().map(|part| part.header.clone()).collect();
        Ok(Self { header: index.join(&headers).map_err(refused)?, parts })
    }

    /// Bytes of all files.
    pub(super) fn total(&self) -> u64 {
        self.header.file_length()
    }

    /// What is to be known of the files where they are kept.
    pub(super) fn for_keeping(&self) -> Vec<store::Weights> {
        let kept = |part: &Part| store::Weights {
            name: part.name.clone(),
            bytes: part.header.file_length(),
            validator: part.supply.validator(),
        };
        self.parts.iter().map(kept).collect()
    }
}

/// What is there in place of weights that can be read.
async fn other_format(folder: &Folder, progress: &Progress<'_>) -> Result<Option<Halt>, Halt> {
    let Folder::Web(address) = folder else { return Ok(None) };
    for name in OTHERS {
        if fetch::exists(&folder.address(name), progress.inbox).await? {
            return Ok(Some(Failure::OtherFormat { folder: address.clone(), found: name.to_owned() }.into()));
        }
    }
    Ok(None)
}

impl Part {
    async fn open(name: &str, folder: &Folder, keeper: &Keeper, progress: &mut Progress<'_>) -> Result<Self, Halt> {
        let mut head = Vec::new();
        let mut supply = match folder {
            Folder::Disk(files) => Supply::Disk(files.get(name).cloned().ok_or_else(|| missing(name))?),
            Folder::Web(_) => Supply::Remote(match keeper.weights(name) {
                Some((file, known)) if keeper.read(file, 0, &mut head) => {
                    Remote::known(folder.address(name), known.validator.clone(), known.bytes)
                }
                _ => Remote::new(folder.address(name)),
            }),
        };
        if head.is_empty() {
            supply.first(&mut head, progress).await?;
        }
        let header = header(&mut head, &mut supply, progress).await?;
        if let Supply::Remote(remote) = &mut supply {
            remote.set_total(header.file_length());
        }
        Ok(Self { name: name.to_owned(), header, head, supply })
    }
}

/// The longest header that is read, bytes: it comes before the reader has agreed to a download. GPT-2's largest has some
/// 70,000.
const LONGEST: usize = 4 << 20;

/// Reads the header, and as much of the file as it takes for that.
async fn header(head: &mut Vec<u8>, supply: &mut Supply, progress: &mut Progress<'_>) -> Result<Header, Halt> {
    if let Some(found) = fetch::recognise(head) {
        let (address, expected) = (supply.address(), Expected::Safetensors);
        return Err(Failure::WrongFile { address, expected, found }.into());
    }
    let address = supply.address();
    let refused = |error: CheckpointError| Failure::Checkpoint { address: address.clone(), message: error.to_string() };
    let total = supply.total();
    let length = header_length(head, total.unwrap_or(u64::MAX)).map_err(refused)?;
    if length > LONGEST {
        let message =
            format!("its header has {length} bytes, but that of a GPT-2 has {LONGEST} at most: it is of another model");
        return Err(Failure::Checkpoint { address, message }.into());
    }
    let end = PREFIX + length;
    if head.len() < end {
        supply.read(head.len() as u64, end as u64, end as u64, head, progress).await?;
    }
    if head.len() < end {
        // The length was not known, and the file has ended.
        header_length(head, head.len() as u64).map_err(refused)?;
    }
    let json = &head[PREFIX..end];
    let header = match total {
        Some(total) => Header::parse(json, total),
        None => Header::describe(json),
    };
    Ok(header.map_err(refused)?)
}

impl Supply {
    /// The first bytes of the file, as many as come in one piece.
    async fn first(&mut self, into: &mut Vec<u8>, progress: &mut Progress<'_>) -> Result<(), Halt> {
        match self {
            Self::Remote(remote) => remote.first(into, progress).await,
            Self::Disk(file) => Ok(disk::read(file, 0, fetch::FIRST, into).await?),
        }
    }

    /// Appends bytes `at..until` of the file; a server is asked for those up to `goal` at once.
    pub(super) async fn read(
        &mut self,
        at: u64,
        until: u64,
        goal: u64,
        into: &mut Vec<u8>,
        progress: &mut Progress<'_>,
    ) -> Result<(), Halt> {
        match self {
            Self::Remote(remote) => remote.read(at, until, goal, into, progress).await,
            Self::Disk(file) => {
                disk::read(file, at, until, into).await?;
                progress.came(until - at);
                Ok(())
            }
        }
    }

    pub(super) fn address(&self) -> String {
        match self {
            Self::Remote(remote) => remote.address().to_owned(),
            Self::Disk(file) => file.name(),
        }
    }

    fn total(&self) -> Option<u64> {
        match self {
            Self::Remote(remote) => remote.total(),
            Self::Disk(file) => Some(file.size() as u64),
        }
    }

    fn validator(&self) -> Validator {
        match self {
            Self::Remote(remote) => remote.validator().clone(),
            Self::Disk(_) => Validator::default(),
        }
    }
}
