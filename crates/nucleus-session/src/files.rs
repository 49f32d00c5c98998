//! Files from the reader's disk.

use core::ops::Deref;

use serde::{Deserialize, Serialize};

/// A file that the reader chose or dropped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenFile {
    /// Its name, without folders.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
}

/// A file as the page keeps it. Two that have the same name and size are two files all the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiskFile {
    /// Which of the files that were given in this visit, from 0.
    pub number: u32,
    /// What it is.
    pub file: GivenFile,
}

/// The files that make a model, in the order in which they travel beside the request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSet(Vec<DiskFile>);

impl Deref for DiskFile {
    type Target = GivenFile;

    fn deref(&self) -> &GivenFile {
        &self.file
    }
}

impl Deref for FileSet {
    type Target = [DiskFile];

    fn deref(&self) -> &[DiskFile] {
        &self.0
    }
}

impl FromIterator<DiskFile> for FileSet {
    fn from_iter<I: IntoIterator<Item = DiskFile>>(files: I) -> Self {
        Self(files.into_iter().collect())
    }
}

/// The first files of a visit.
impl FromIterator<GivenFile> for FileSet {
    fn from_iter<I: IntoIterator<Item = GivenFile>>(files: I) -> Self {
        (0..).zip(files).map(|(number, file)| DiskFile { number, file }).collect()
    }
}
