//! Files that the reader picked or dropped. They are read by the worker alone; here only their handles are kept, so that an
//! engine that is started anew can have them again.

use std::cell::RefCell;

use js_sys::Array;
use nucleus_session::GivenFile;
use web_sys::{File, FileList};

/// All files that were given in this visit.
#[derive(Default)]
pub struct Disk {
    files: RefCell<Vec<File>>,
}

impl Disk {
    /// Keeps files, and says what they are.
    pub fn keep(&self, list: &FileList) -> Vec<GivenFile> {
        let given: Vec<File> = (0..list.length()).filter_map(|index| list.get(index)).collect();
        let described = given.iter().map(describe).collect();
        self.files.borrow_mut().extend(given);
        described
    }

    /// The files that are meant, in that order; of two that look the same the one given last.
    pub fn find(&self, wanted: &[GivenFile]) -> Array {
        let files = self.files.borrow();
        wanted.iter().filter_map(|wanted| files.iter().rev().find(|file| describe(file) == *wanted)).collect()
    }
}

fn describe(file: &File) -> GivenFile {
    GivenFile { name: file.name(), bytes: file.size() as u64 }
}
