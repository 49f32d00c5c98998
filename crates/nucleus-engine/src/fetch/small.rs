//! Small files, whole.

use js_sys::Uint8Array;
use nucleus_session::{Expected, Failure, Found};

use super::answer::announced;
use super::ask::Ask;
use super::reader::{self, Next};
use super::recognise;
use super::remote::SILENCE;
use crate::halt::Halt;
use crate::inbox::Inbox;

/// More is no small file: the largest tokenizers of GPT-2's kind have some 10 MB.
const LIMIT: usize = 64 << 20;

/// Fetches a small file.
///
/// # Errors
/// [`Halt::Superseded`] when the inbox ends loading. [`Failure::Fetch`] and [`Failure::CrossOrigin`] without an answer of
/// success, [`Failure::WrongFile`] for something else under its name.
pub(crate) async fn small(address: &str, expected: Expected, inbox: &Inbox) -> Result<Vec<u8>, Halt> {
    let silent = || Failure::Fetch { address: address.into(), status: None };
    let response = inbox.patient(Ask::whole(address).send(), SILENCE).await?.ok_or_else(silent)??;
    if !response.ok() {
        return Err(Failure::Fetch { address: address.into(), status: Some(response.status()) }.into());
    }
    let wrong = |found| Failure::WrongFile { address: address.into(), expected, found };
    let mut file = Vec::new();
    if let Some(reader) = reader::of(&response) {
        loop {
            let next = inbox.patient(reader::next(&reader), SILENCE).await.inspect_err(|_| reader::cancel(&reader))?;
            match next.unwrap_or(Next::Broken) {
                Next::Part(part) if file.len() + part.length() as usize <= LIMIT => append(&mut file, &part),
                Next::Part(_) => {
                    reader::cancel(&reader);
                    return Err(wrong(Found::Other).into());
                }
                Next::End => break,
                Next::Broken => {
                    reader::cancel(&reader);
                    return Err(silent().into());
                }
            }
        }
    }
    if let Some(found) = recognise(&file) {
        return Err(wrong(found).into());
    }
    let received = file.len() as u64;
    match announced(&response) {
        // A length that is exceeded was that of the compressed file.
        Some(expected) if received < expected => {
            Err(Failure::Incomplete { address: address.into(), received, expected }.into())
        }
        _ => Ok(file),
    }
}

/// Whether a file is not there: the server says so, or sends its page for addresses that it does not know. Some servers
/// answer 403, to tell nobody what they have.
pub(crate) fn is_missing(halt: &Halt) -> bool {
    match halt {
        Halt::Failed(Failure::Fetch { status, .. }) => matches!(status, Some(403 | 404 | 410)),
        Halt::Failed(Failure::WrongFile { found, .. }) => *found == Found::Html,
        _ => false,
    }
}

/// Whether the server has a file, without fetching it.
pub(crate) async fn exists(address: &str, inbox: &Inbox) -> Result<bool, Halt> {
    let ask = Ask { method: "HEAD", ..Ask::whole(address) };
    Ok(inbox.patient(ask.send(), SILENCE).await?.is_some_and(|answer| answer.is_ok_and(|response| response.ok())))
}

fn append(file: &mut Vec<u8>, part: &Uint8Array) {
    let start = file.len();
    file.resize(start + part.length() as usize, 0);
    part.copy_to(&mut file[start..]);
}
