//! Messages as bytes, and back.

use serde::de::DeserializeOwned;
use thiserror::Error;

use super::{Report, Request};

/// Bytes that are not a message, or a message that cannot be put into bytes.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProtocolError {
    /// The bytes end early, go on too long, or mean nothing.
    #[error("a message of {length} bytes cannot be read: {source}")]
    Decode {
        /// Bytes in the message.
        length: usize,
        /// What postcard says.
        source: postcard::Error,
    },
    /// Bytes are left after the end of the message.
    #[error("a message of {length} bytes has {left} bytes too many")]
    Trailing {
        /// Bytes in the message.
        length: usize,
        /// Bytes after its end.
        left: usize,
    },
    /// The message cannot be written.
    #[error("a message cannot be written: {0}")]
    Encode(postcard::Error),
}

macro_rules! message {
    ($($name:ident),*) => {$(
        impl $name {
            /// The message as bytes.
            ///
            /// # Errors
            /// When postcard cannot write it, which for these types would be a bug.
            pub fn encode(&self) -> Result<Vec<u8>, ProtocolError> {
                postcard::to_allocvec(self).map_err(ProtocolError::Encode)
            }

            /// The message that the bytes stand for.
            ///
            /// # Errors
            /// When the bytes are not exactly one message of this type.
            pub fn decode(bytes: &[u8]) -> Result<Self, ProtocolError> {
                decode(bytes)
            }
        }
    )*};
}

message!(Request, Report);

fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ProtocolError> {
    let length = bytes.len();
    let (message, rest) =
        postcard::take_from_bytes(bytes).map_err(|source| ProtocolError::Decode { length, source })?;
    if rest.is_empty() { Ok(message) } else { Err(ProtocolError::Trailing { length, left: rest.len() }) }
}
