//! Files that the reader picked or dropped. They are read by the worker alone; here only their handles are kept, so that an
//! engine that is started anew can have them again.

use std::cell::RefCell;

use js_sys::Array;
use nucleus_session::{DiskFile, GivenFile};
use web_sys::{File, FileList};

/// All files that were given in this visit; a file's number is its place here.
#[derive(Default)]
pub struct Disk {
    files: RefCell<Vec<File>>,
}

impl Disk {
    /// Keeps files, and says what they are.
    pub fn keep(&self, list: &FileList) -> Vec<DiskFile> {
        (0..list.length()).filter_map(|index| list.get(index)).map(|file| self.keep_one(file)).collect()
    }

    /// Keeps a file.
    pub fn keep_one(&self, file: File) -> DiskFile {
        let mut files = self.files.borrow_mut();
        let described = GivenFile { name: file.name(), bytes: file.size() as u64 };
        files.push(file);
        DiskFile { number: files.len() as u32 - 1, file: described }
    }

    /// The files that are meant, in that order.
    pub fn find(&self, wanted: &[DiskFile]) -> Array {
        let files = self.files.borrow();
        wanted.iter().filter_map(|wanted| files.get(wanted.number as usize)).collect()
    }
}
