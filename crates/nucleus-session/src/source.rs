//! Where a model comes from.

use core::fmt;

use serde::{Deserialize, Serialize};

use crate::brief::brief;
use crate::files::FileSet;
use crate::models::ModelName;

/// Where a model's files are: `config.json`, the tokenizer's and the weights'.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ModelSource {
    /// A folder in `models/` beside the page.
    Site(ModelName),
    /// A model on the Hugging Face hub.
    Hub(HubId),
    /// A folder at another address.
    Web(FolderAddress),
    /// Files from the reader's disk; they travel beside the request, in this order.
    Files(FileSet),
}

/// `owner/name`, as the Hugging Face hub calls a model: `openai-community/gpt2`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HubId(String);

/// The `https:` address of a folder (`http:` where it is this computer's own), with a slash at its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderAddress(String);

/// What a text must be to name a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be {}", ModelSource::MUST)]
pub struct SourceError;

/// The longest address or id that is taken, bytes.
const LONGEST: usize = 2000;

impl ModelSource {
    /// What a text must be to name a source, to end a sentence with.
    pub const MUST: &'static str = "the name of a folder in models/, a Hugging Face id such as openai-community/gpt2, or the https:// address of a folder";

    /// Reads what a reader types or an address carries: a name without a slash, `owner/name`, or an address.
    ///
    /// An address may be that of a file in the folder, and a page on huggingface.co means its model.
    ///
    /// # Errors
    /// Where the text is none of the three.
    pub fn parse(text: &str) -> Result<Self, SourceError> {
        let text = text.trim();
        if text.len() > LONGEST {
            return Err(SourceError);
        }
        if let Some(address) = lower_host(text) {
            return match HubId::from_page(&address) {
                Some(id) => Ok(Self::Hub(id)),
                None => FolderAddress::new(&address).map(Self::Web).ok_or(SourceError),
            };
        }
        if text.contains('/') {
            return HubId::new(text).map(Self::Hub).ok_or(SourceError);
        }
        ModelName::new(text).map(Self::Site).ok_or(SourceError)
    }

    /// The text that [`parse`](Self::parse) reads; `None` for files, to which no address leads.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Site(name) => Some(name.as_str()),
            Self::Hub(id) => Some(id.as_str()),
            Self::Web(address) => Some(address.as_str()),
            Self::Files(_) => None,
        }
    }

    /// The folder's address, relative to the page or absolute, with a slash at its end; `None` for files.
    #[must_use]
    pub fn folder(&self) -> Option<String> {
        match self {
            Self::Site(name) => Some(name.folder()),
            Self::Hub(id) => Some(id.folder()),
            Self::Web(address) => Some(address.as_str().to_owned()),
            Self::Files(_) => None,
        }
    }
}

/// An address with scheme and host in the lower case that they mean; `None` for what is no address.
fn lower_host(text: &str) -> Option<String> {
    let (scheme, rest) = text.split_once("://")?;
    let (host, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    Some(format!("{}://{}{path}", scheme.to_ascii_lowercase(), host.to_ascii_lowercase()))
}

impl Default for ModelSource {
    fn default() -> Self {
        Self::Site(ModelName::default())
    }
}

/// For sentences: a long address is cut.
impl fmt::Display for ModelSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Files(files) => write!(f, "{} files from this computer", files.len()),
            other => f.write_str(&brief(other.text().unwrap_or_default())),
        }
    }
}

impl HubId {
    /// Checks an id: two parts of letters, digits, hyphens, dots and underscores.
    #[must_use]
    pub fn new(id: &str) -> Option<Self> {
        let (owner, name) = id.split_once('/')?;
        [owner, name].into_iter().all(|part| ModelName::new(part).is_some()).then(|| Self(id.to_owned()))
    }

    /// The model of a page such as `https://huggingface.co/openai-community/gpt2/tree/main`.
    fn from_page(address: &str) -> Option<Self> {
        let path =
            address.strip_prefix("https://huggingface.co/").or_else(|| address.strip_prefix("https://hf.co/"))?;
        let mut parts = path.split(['/', '?', '#']);
        let (owner, name) = (parts.next()?, parts.next()?);
        // A file in the folder keeps its revision: it is an address like any other.
        match parts.next() {
            Some("resolve" | "raw") => None,
            _ => Self::new(&format!("{owner}/{name}")),
        }
    }

    /// The id itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The folder of the model's newest files.
    #[must_use]
    pub fn folder(&self) -> String {
        format!("https://huggingface.co/{}/resolve/main/", self.0)
    }
}

impl FolderAddress {
    /// Takes the folder of an address: up to the last slash where its last part looks like a file, else all of it.
    #[must_use]
    pub fn new(address: &str) -> Option<Self> {
        let address = address.split(['?', '#']).next()?;
        let (scheme, rest) = address.split_once("://")?;
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        // Those that the page's content security policy allows.
        let local = ["localhost", "127.0.0.1"].contains(&host.rsplit_once(':').map_or(host, |(name, _)| name));
        let allowed = scheme == "https" || (scheme == "http" && local);
        let plain = |c: char| c.is_ascii_graphic() && !"\\\"<>^`{|}@".contains(c);
        if !allowed || host.is_empty() || !rest.chars().all(plain) {
            return None;
        }
        let is_file = |last: &str| [".json", ".safetensors", ".txt"].iter().any(|end| last.ends_with(end));
        let folder = match path.rsplit_once('/') {
            Some((folder, last)) if is_file(last) => folder,
            None if is_file(path) => "",
            _ => path.trim_end_matches('/'),
        };
        let slash = if folder.is_empty() { "" } else { "/" };
        Some(Self(format!("{scheme}://{host}/{folder}{slash}")))
    }

    /// The address itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(text: &str) -> Option<String> {
        ModelSource::parse(text).ok().and_then(|source| source.folder())
    }

    #[test]
    fn a_source_is_a_name_an_id_or_an_address() {
        for (text, expected) in [
            ("tales", "models/tales/"),
            (" openai-community/gpt2 ", "https://huggingface.co/openai-community/gpt2/resolve/main/"),
            (
                "https://huggingface.co/distilbert/distilgpt2",
                "https://huggingface.co/distilbert/distilgpt2/resolve/main/",
            ),
            ("https://huggingface.co/a/b/tree/main", "https://huggingface.co/a/b/resolve/main/"),
            ("https://huggingface.co/a/b/resolve/v1/config.json", "https://huggingface.co/a/b/resolve/v1/"),
            ("https://example.org/models/x", "https://example.org/models/x/"),
            ("https://example.org/models/x/model.safetensors?download=true", "https://example.org/models/x/"),
            ("https://example.org", "https://example.org/"),
            ("HTTPS://Example.ORG/Models/X", "https://example.org/Models/X/"),
            ("HTTPS://HuggingFace.co/a/B", "https://huggingface.co/a/B/resolve/main/"),
            ("http://localhost:8080/m/", "http://localhost:8080/m/"),
            ("http://127.0.0.1:8080/m", "http://127.0.0.1:8080/m/"),
        ] {
            assert_eq!(folder(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_leads_elsewhere_is_refused() {
        for text in [
            "",
            "a/b/c",
            "../x",
            "a/..",
            "http://example.org/m/",
            "http://localhost.example.org/m/",
            "http://[::1]:8080/m/",
            "javascript://x",
            "https:///m",
            "https://a b/",
            "https://user@host/m",
            "ftp://example.org/m",
            "https://x/\"><script>",
        ] {
            assert_eq!(ModelSource::parse(text), Err(SourceError), "{text}");
        }
        assert_eq!(ModelSource::parse(&format!("https://x/{}", "a".repeat(3000))), Err(SourceError));
    }

    #[test]
    fn a_source_is_read_from_the_text_that_it_writes() {
        for text in ["tales", "openai-community/gpt2", "https://example.org/m/"] {
            assert_eq!(ModelSource::parse(text).unwrap().text(), Some(text));
        }
    }
}
