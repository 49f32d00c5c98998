//! The files of one model, by name, wherever they are.

use nucleus_session::{Expected, Failure, ModelSource};
use web_sys::File;

use super::keeper::Keeper;
use crate::disk::{self, Disk};
use crate::fetch;
use crate::halt::Halt;
use crate::inbox::Inbox;

/// Where the files of a model are.
pub(crate) enum Folder {
    /// On a server; the address ends with a slash.
    Web(String),
    /// On the reader's disk.
    Disk(Disk),
}

impl Folder {
    /// The folder of a source; `files` are those of [`ModelSource::Files`].
    ///
    /// # Errors
    /// [`Failure::Files`] where files do not make a model.
    pub(crate) fn of(source: &ModelSource, files: Vec<File>) -> Result<Self, Failure> {
        match source.folder() {
            Some(address) => Ok(Self::Web(address)),
            None => Disk::new(files).map(Self::Disk),
        }
    }

    /// What a file is called in messages: its address, or its name.
    pub(crate) fn address(&self, name: &str) -> String {
        match self {
            Self::Web(folder) => format!("{folder}{name}"),
            Self::Disk(_) => name.to_owned(),
        }
    }

    /// A small file: of what is kept, else from where it is.
    ///
    /// # Errors
    /// Those of [`fetch::small`]; [`Failure::Files`] and [`Failure::Unreadable`] for the reader's own.
    pub(crate) async fn small(
        &self,
        name: &str,
        expected: Expected,
        keeper: &mut Keeper,
        inbox: &Inbox,
    ) -> Result<Vec<u8>, Halt> {
        if let Some(bytes) = keeper.small(name).await {
            return Ok(bytes);
        }
        match self {
            Self::Web(_) => {
                let bytes = fetch::small(&self.address(name), expected, inbox).await?;
                keeper.remember(name, &bytes);
                Ok(bytes)
            }
            Self::Disk(files) => {
                let file = files.get(name).ok_or_else(|| missing(name))?;
                let mut bytes = Vec::new();
                disk::read(file, 0, file.size() as u64, &mut bytes).await?;
                match fetch::recognise(&bytes) {
                    None => Ok(bytes),
                    Some(found) => Err(Failure::WrongFile { address: file.name(), expected, found }.into()),
                }
            }
        }
    }
}

/// Whether a file is not there, so that another may stand in for it.
pub(crate) fn is_missing(halt: &Halt) -> bool {
    matches!(halt, Halt::Failed(Failure::Files { .. })) || fetch::is_missing(halt)
}

pub(super) fn missing(name: &str) -> Failure {
    Failure::Files { message: format!("{name} is missing: choose it too") }
}
