//! A short fingerprint of a run's tokens, for the address.

use core::fmt;

use nucleus_sampler::TokenId;

/// How many tokens a run had and a hash of their ids, written `40-9f3a01bc`.
///
/// Devices round differently, and where two tokens are nearly even they may part. A link carries
/// the check of the run it was taken from, so that the page can say when its own run came out
/// otherwise. It is no protection against forgery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Check {
    /// How many tokens the hash is of.
    pub tokens: usize,
    hash: u32,
}

impl Check {
    /// Of the tokens so far.
    #[must_use]
    pub fn of(tokens: impl IntoIterator<Item = TokenId>) -> Self {
        // FNV-1a, 32 bits (RFC 9923), over the ids as little-endian bytes.
        let mut check = Self { tokens: 0, hash: 0x811c_9dc5 };
        for token in tokens {
            check.tokens += 1;
            for byte in token.0.to_le_bytes() {
                check.hash = (check.hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
            }
        }
        check
    }

    /// Reads what [`Display`](fmt::Display) writes.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (tokens, hash) = text.split_once('-')?;
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if hash.len() != 8 || !digits(hash) || !digits(tokens) {
            return None;
        }
        Some(Self { tokens: tokens.parse().ok()?, hash: u32::from_str_radix(hash, 16).ok()? })
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:08x}", self.tokens, self.hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ids: &[u32]) -> Check {
        Check::of(ids.iter().map(|&id| TokenId(id)))
    }

    #[test]
    fn every_change_of_a_token_shows() {
        let whole = check(&[5, 6, 7]);
        for other in [&[5, 6, 8][..], &[6, 5, 7], &[5, 6], &[5, 6, 7, 0], &[]] {
            assert_ne!(check(other), whole, "{other:?}");
        }
        assert_eq!(check(&[5, 6, 7]), whole);
    }

    #[test]
    fn the_hash_is_fnv_1a() {
        // FNV-1a of the four bytes of "foob" is 0x3f5076ef.
        assert_eq!(check(&[u32::from_le_bytes(*b"foob")]).to_string(), "1-3f5076ef");
    }

    #[test]
    fn it_is_read_as_it_is_written() {
        for ids in [&[][..], &[1], &[50_256, 0, 3]] {
            assert_eq!(Check::parse(&check(ids).to_string()), Some(check(ids)));
        }
        for text in ["", "-", "3", "3-", "x-01234567", "3-0123456", "3-0123456g", "3-+1234567"] {
            assert_eq!(Check::parse(text), None, "{text}");
        }
    }
}
