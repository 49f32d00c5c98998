//! The origin private file system, with errors as text.

use js_sys::{AsyncIterator, Uint8Array};
use thiserror::Error;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    FileSystemDirectoryHandle, FileSystemFileHandle, FileSystemGetDirectoryOptions, FileSystemGetFileOptions,
    FileSystemReadWriteOptions, FileSystemRemoveOptions, FileSystemSyncAccessHandle, StorageEstimate, StorageManager,
    WorkerGlobalScope,
};

use crate::js;

/// Why the browser does not keep a file. The text ends a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum Refused {
    /// There is no such file system, or no quick access to it.
    #[error("this browser keeps no files for pages")]
    NoStorage,
    /// The file is open elsewhere.
    #[error("another tab is using what is kept")]
    InUse,
    /// No room.
    #[error("the browser's storage for this page is full")]
    Full,
    /// The browser allows nothing to be kept.
    #[error("the browser keeps nothing here, as in a private window")]
    Forbidden,
    /// The browser gives less room than the model needs.
    #[error("the browser gives this page {room} bytes more, but the model needs {needed}")]
    TooLittle {
        /// Bytes.
        room: u64,
        /// Bytes.
        needed: u64,
    },
    /// Anything else.
    #[error("the browser refuses ({0})")]
    Other(String),
}

/// A file that this tab alone may read and write, until it is dropped.
pub(super) struct Handle(FileSystemSyncAccessHandle);

fn storage() -> Option<StorageManager> {
    let navigator = js_sys::global().unchecked_into::<WorkerGlobalScope>().navigator();
    js::get(&navigator, "storage").is_object().then(|| navigator.storage())
}

/// The folder of this origin.
pub(super) async fn root() -> Result<FileSystemDirectoryHandle, Refused> {
    let storage = storage().ok_or(Refused::NoStorage)?;
    if !js::get(&storage, "getDirectory").is_function() {
        return Err(Refused::NoStorage);
    }
    let root = JsFuture::from(storage.get_directory()).await;
    root.map(JsCast::unchecked_into).map_err(|error| refused(&error))
}

/// Bytes that are left.
pub(super) async fn room() -> Option<u64> {
    let estimate = JsFuture::from(storage()?.estimate().ok()?).await.ok()?.unchecked_into::<StorageEstimate>();
    Some((estimate.get_quota()? - estimate.get_usage()?).max(0.0) as u64)
}

/// A folder in a folder.
pub(super) async fn folder(
    parent: &FileSystemDirectoryHandle,
    name: &str,
    create: bool,
) -> Result<FileSystemDirectoryHandle, Refused> {
    let options = FileSystemGetDirectoryOptions::new();
    options.set_create(create);
    let found = JsFuture::from(parent.get_directory_handle_with_options(name, &options)).await;
    found.map(JsCast::unchecked_into).map_err(|error| refused(&error))
}

/// The names in a folder.
pub(super) async fn names(folder: &FileSystemDirectoryHandle) -> Vec<String> {
    let mut names = Vec::new();
    let keys: AsyncIterator = folder.keys();
    while let Ok(promise) = keys.next() {
        let Ok(step) = JsFuture::from(promise).await else { break };
        if js::flag(&step, "done") {
            break;
        }
        names.extend(js::get(&step, "value").as_string());
    }
    names
}

/// Removes a folder and all in it; one that is not there is no error.
pub(super) async fn remove(parent: &FileSystemDirectoryHandle, name: &str) -> Result<(), Refused> {
    let options = FileSystemRemoveOptions::new();
    options.set_recursive(true);
    match JsFuture::from(parent.remove_entry_with_options(name, &options)).await {
        Ok(_) => Ok(()),
        Err(error) if js::text(&error, "name") == "NotFoundError" => Ok(()),
        Err(error) => Err(refused(&error)),
    }
}

async fn file(folder: &FileSystemDirectoryHandle, name: &str, create: bool) -> Result<FileSystemFileHandle, Refused> {
    let options = FileSystemGetFileOptions::new();
    options.set_create(create);
    let found = JsFuture::from(folder.get_file_handle_with_options(name, &options)).await;
    found.map(JsCast::unchecked_into).map_err(|error| refused(&error))
}

/// The bytes of a small file as they are at this moment, also while another tab has it.
pub(super) async fn snapshot(folder: &FileSystemDirectoryHandle, name: &str) -> Result<Vec<u8>, Refused> {
    let file = JsFuture::from(file(folder, name, false).await?.get_file()).await;
    let file = file.map_err(|error| refused(&error))?.unchecked_into::<web_sys::File>();
    let bytes = JsFuture::from(file.array_buffer()).await.map_err(|error| refused(&error))?;
    Ok(Uint8Array::new(&bytes).to_vec())
}

/// The length of a file in bytes; 0 where there is none.
pub(super) async fn length(folder: &FileSystemDirectoryHandle, name: &str) -> u64 {
    let Ok(file) = file(folder, name, false).await else { return 0 };
    let file = JsFuture::from(file.get_file()).await;
    file.map_or(0, |file| file.unchecked_into::<web_sys::File>().size() as u64)
}

/// Why the browser refused.
fn refused(error: &JsValue) -> Refused {
    match js::text(error, "name").as_str() {
        "NoModificationAllowedError" => Refused::InUse,
        "QuotaExceededError" => Refused::Full,
        "SecurityError" | "NotAllowedError" => Refused::Forbidden,
        _ => Refused::Other(js::message(error)),
    }
}

impl Handle {
    /// Opens a file, which is made if there is none.
    pub(super) async fn open(folder: &FileSystemDirectoryHandle, name: &str) -> Result<Self, Refused> {
        let file = file(folder, name, true).await?;
        if !js::get(&file, "createSyncAccessHandle").is_function() {
            return Err(Refused::NoStorage);
        }
        let handle = JsFuture::from(file.create_sync_access_handle()).await;
        handle.map(|handle| Self(handle.unchecked_into())).map_err(|error| refused(&error))
    }

    /// Bytes in the file.
    pub(super) fn length(&self) -> u64 {
        self.0.get_size().map_or(0, |size| size as u64)
    }

    /// Reads into the whole of `into`; whether there were enough bytes.
    pub(super) fn read(&self, at: u64, into: &mut [u8]) -> bool {
        let wanted = into.len() as f64;
        self.0.read_with_u8_array_and_options(into, &place(at)).is_ok_and(|read| read == wanted)
    }

    /// Writes all of `bytes`, or says why not.
    pub(super) fn write(&self, at: u64, bytes: &[u8]) -> Result<(), Refused> {
        match self.0.write_with_u8_array_and_options(bytes, &place(at)) {
            Ok(written) if written == bytes.len() as f64 => Ok(()),
            Ok(_) => Err(Refused::Full),
            Err(error) => Err(refused(&error)),
        }
    }

    /// Cuts the file off.
    pub(super) fn truncate(&self, length: u64) -> Result<(), Refused> {
        self.0.truncate_with_f64(length as f64).map_err(|error| refused(&error))
    }

    /// Lets the system write what it still holds back.
    pub(super) fn flush(&self) -> Result<(), Refused> {
        self.0.flush().map_err(|error| refused(&error))
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.0.close();
    }
}

fn place(at: u64) -> FileSystemReadWriteOptions {
    let options = FileSystemReadWriteOptions::new();
    options.set_at_f64(at as f64);
    options
}
