//! Files over HTTP, with a name for whatever is not the file that was asked for.

use js_sys::Uint8Array;
use nucleus_gpt2::checkpoint::{Impostor, impostor};
use nucleus_session::{Expected, Failure, Found};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{ReadableStreamDefaultReader, Response, WorkerGlobalScope};

use crate::halt::Halt;
use crate::js;

/// How many of a file's first bytes [`recognise`] wants to see.
const ENOUGH: usize = 100;

/// A file on its way.
///
/// An address is relative to the worker's own, so a site works under any path.
#[derive(Debug)]
pub struct Download {
    address: String,
    expected: Expected,
    reader: Option<ReadableStreamDefaultReader>,
    announced: Option<u64>,
    received: u64,
}

impl Download {
    /// Asks for a file, and waits for the first line of the answer.
    ///
    /// # Errors
    /// [`Failure::Fetch`] when there is no answer, or one that is not success.
    pub async fn open(address: &str, expected: Expected) -> Result<Self, Failure> {
        let failed = |status| Failure::Fetch { address: address.into(), status };
        let worker = js_sys::global().unchecked_into::<WorkerGlobalScope>();
        let answer = JsFuture::from(worker.fetch_with_str(address)).await.map_err(|_| failed(None))?;
        let response: Response = answer.unchecked_into();
        if !response.ok() {
            return Err(failed(Some(response.status())));
        }
        let reader = response.body().map(|body| body.get_reader().unchecked_into());
        Ok(Self { address: address.into(), expected, reader, announced: announced(&response), received: 0 })
    }

    /// Bytes in all; `None` if the server does not say, or says it of the compressed file only.
    #[must_use]
    pub fn total(&self) -> Option<u64> {
        self.announced
    }

    /// The next bytes, as the network brings them; `None` at the end of the file.
    ///
    /// # Errors
    /// [`Failure::Fetch`] when the connection breaks, [`Failure::Incomplete`] when the end comes early.
    pub async fn next(&mut self) -> Result<Option<Uint8Array>, Failure> {
        let Some(reader) = &self.reader else {
            return self.end();
        };
        let broken = |_| Failure::Fetch { address: self.address.clone(), status: None };
        let part = JsFuture::from(reader.read()).await.map_err(broken)?;
        if js::flag(&part, "done") {
            return self.end();
        }
        let bytes: Uint8Array = js::get(&part, "value").unchecked_into();
        self.received += u64::from(bytes.length());
        // A length that is exceeded was that of the compressed file.
        self.announced = self.announced.filter(|&announced| announced >= self.received);
        Ok(Some(bytes))
    }

    /// Lets the connection go.
    pub fn cancel(self) {
        if let Some(reader) = self.reader {
            // Nobody waits for it, but somebody has to take an error, or the browser reports it as a rejected promise.
            spawn_local(async move { drop(JsFuture::from(reader.cancel()).await) });
        }
    }

    fn end(&self) -> Result<Option<Uint8Array>, Failure> {
        match self.announced {
            Some(expected) if expected != self.received => {
                Err(Failure::Incomplete { address: self.address.clone(), received: self.received, expected })
            }
            _ => Ok(None),
        }
    }

    /// The whole file.
    ///
    /// `progress` hears the bytes that came and those in all (0 if unknown) after each part; when it says no, the rest
    /// is not fetched.
    ///
    /// # Errors
    /// [`Halt::Superseded`] when `progress` says no. [`Halt::Failed`] with the errors of [`next`](Self::next), with
    /// [`Failure::WrongFile`] as soon as the first bytes tell, and with [`Failure::OutOfMemory`].
    pub async fn whole(mut self, mut progress: impl FnMut(u64, u64) -> bool) -> Result<Vec<u8>, Halt> {
        let mut file = Vec::new();
        let mut known = false;
        while let Some(part) = self.next().await? {
            append(&mut file, &part, self.announced)?;
            if !known && file.len() >= ENOUGH {
                self.recognise(&file)?;
                known = true;
            }
            if !progress(self.received, self.announced.unwrap_or(0)) {
                self.cancel();
                return Err(Halt::Superseded);
            }
        }
        self.recognise(&file)?;
        Ok(file)
    }

    fn recognise(&self, start: &[u8]) -> Result<(), Failure> {
        match recognise(start) {
            None => Ok(()),
            Some(found) => Err(Failure::WrongFile { address: self.address.clone(), expected: self.expected, found }),
        }
    }
}

/// What the first bytes of a file show it to be, if it is none that this crate asks for.
#[must_use]
pub fn recognise(start: &[u8]) -> Option<Found> {
    if start.is_empty() {
        return Some(Found::Empty);
    }
    impostor(start).map(|impostor| match impostor {
        Impostor::LfsPointer => Found::LfsPointer,
        Impostor::Html => Found::Html,
    })
}

/// The length that the server announces, where it is that of the file itself.
fn announced(response: &Response) -> Option<u64> {
    let header = |name: &str| response.headers().get(name).ok().flatten();
    let compressed = header("content-encoding").is_some_and(|coding| coding != "identity");
    if compressed { None } else { header("content-length")?.parse().ok() }
}

/// Adds a part of a file, with room for all that is announced, so that a large file is not moved as it grows.
fn append(file: &mut Vec<u8>, part: &Uint8Array, announced: Option<u64>) -> Result<(), Failure> {
    let (start, length) = (file.len(), part.length() as usize);
    let room = announced
        .and_then(|total| usize::try_from(total).ok())
        .map_or(length, |total| length.max(total.saturating_sub(start)));
    if file.capacity() - start < length {
        let full = |_| Failure::OutOfMemory { message: format!("{} bytes for a file", start + room) };
        file.try_reserve(room).map_err(full)?;
    }
    file.resize(start + length, 0);
    part.copy_to(&mut file[start..]);
    Ok(())
}

#[cfg(test)]
mod tests {
    #[cfg(target_family = "wasm")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    #[test]
    fn what_is_not_a_model_file_is_named() {
        let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 7017680\n";
        assert_eq!(recognise(pointer), Some(Found::LfsPointer));
        assert_eq!(recognise(b"\n<!doctype html><title>404</title>"), Some(Found::Html));
        assert_eq!(recognise(b""), Some(Found::Empty));
        assert_eq!(recognise(b"{}"), None);
        assert_eq!(recognise(b"\x40\0\0\0\0\0\0\0{"), None);
    }
}
