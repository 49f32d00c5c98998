//! The `Range` header: which bytes of a file to send (RFC 9110, section 14).

use std::ops::Range;

/// What a `Range` header asks of a file of known length.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Everything: no header, another unit, several ranges, or a header that is not well formed.
    /// A server may ignore each of these.
    Whole,
    /// These bytes, never empty.
    Part(Range<u64>),
    /// No byte of the file is in the range: the answer is 416.
    Unsatisfiable,
}

/// Reads `bytes=first-last`, `bytes=first-` and `bytes=-count`; `last` is inclusive.
pub(super) fn parse(header: Option<&str>, length: u64) -> Wanted {
    let Some((first, last)) = header.and_then(|value| value.trim().strip_prefix("bytes=")?.split_once('-')) else {
        return Wanted::Whole;
    };
    let range = match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => first..length.min(last.saturating_add(1)),
        (Some(first), None) if last.is_empty() => first..length,
        (None, Some(count)) if first.is_empty() => length.saturating_sub(count)..length,
        _ => return Wanted::Whole,
    };
    if range.is_empty() { Wanted::Unsatisfiable } else { Wanted::Part(range) }
}

/// Digits only: `parse` alone would take a sign, and a comma (several ranges) must fail here.
fn number(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::{Wanted, parse};

    fn part(header: &str) -> Wanted {
        parse(Some(header), 100)
    }

    #[test]
    fn the_three_forms_give_their_bytes() {
        assert_eq!(part("bytes=0-0"), Wanted::Part(0..1));
        assert_eq!(part("bytes=10-19"), Wanted::Part(10..20));
        assert_eq!(part("bytes=90-"), Wanted::Part(90..100));
        assert_eq!(part("bytes=-7"), Wanted::Part(93..100));
    }

    #[test]
    fn a_range_that_runs_over_the_end_is_cut() {
        assert_eq!(part("bytes=90-5000"), Wanted::Part(90..100));
        assert_eq!(part("bytes=-5000"), Wanted::Part(0..100));
        assert_eq!(part("bytes=0-18446744073709551615"), Wanted::Part(0..100));
    }

    #[test]
    fn a_range_past_the_end_cannot_be_satisfied() {
        assert_eq!(part("bytes=100-"), Wanted::Unsatisfiable);
        assert_eq!(part("bytes=100-200"), Wanted::Unsatisfiable);
        assert_eq!(part("bytes=-0"), Wanted::Unsatisfiable);
        assert_eq!(parse(Some("bytes=0-"), 0), Wanted::Unsatisfiable);
    }

    #[test]
    fn what_is_not_one_well_formed_range_is_ignored() {
        for header in ["bytes=", "bytes=-", "bytes=5-4", "bytes=a-b", "bytes=+1-2", "bytes=0-1,5-6", "lines=0-1", "0-1"]
        {
            assert_eq!(part(header), Wanted::Whole, "{header}");
        }
        assert_eq!(parse(None, 100), Wanted::Whole);
    }
}
