//! Entity tags, and the two headers that compare them (RFC 9110, sections 8.8.3 and 13.1).

use std::fs::Metadata;
use std::time::UNIX_EPOCH;

/// The tag of a file's present content: its length and the time of its last change, in
/// nanoseconds. Two builds that write different bytes differ in at least one of them.
pub(super) fn tag(metadata: &Metadata) -> String {
    let changed = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let nanoseconds = changed.map_or(0, |since| since.as_nanos());
    format!("\"{:x}-{nanoseconds:x}\"", metadata.len())
}

/// Whether the client has this content already, so that 304 answers it. The comparison is the
/// weak one, as `If-None-Match` asks: a cache may have marked our tag `W/`.
pub(super) fn has_already(if_none_match: Option<&str>, tag: &str) -> bool {
    let Some(value) = if_none_match else {
        return false;
    };
    let mut known = value.split(',').map(str::trim);
    known.any(|one| one == "*" || one.strip_prefix("W/").unwrap_or(one) == tag)
}

/// Whether a `Range` still means the content that the client began with. A date never does: no
/// answer of this server carries one to compare with.
pub(super) fn same_as_begun(if_range: Option<&str>, tag: &str) -> bool {
    if_range.is_none_or(|value| value.trim() == tag)
}

#[cfg(test)]
mod tests {
    use super::{has_already, same_as_begun};

    #[test]
    fn if_none_match_takes_a_list_a_star_and_a_weak_tag() {
        assert!(has_already(Some("\"a-1\""), "\"a-1\""));
        assert!(has_already(Some("\"x\", W/\"a-1\""), "\"a-1\""));
        assert!(has_already(Some("*"), "\"a-1\""));
        assert!(!has_already(Some("\"a-2\""), "\"a-1\""));
        assert!(!has_already(None, "\"a-1\""));
    }

    #[test]
    fn if_range_compares_strongly() {
        assert!(same_as_begun(None, "\"a-1\""));
        assert!(same_as_begun(Some("\"a-1\""), "\"a-1\""));
        assert!(!same_as_begun(Some("W/\"a-1\""), "\"a-1\""));
        assert!(!same_as_begun(Some("Sat, 29 Oct 1994 19:43:31 GMT"), "\"a-1\""));
    }
}
