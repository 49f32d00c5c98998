//! Numbers in sentences.

use core::fmt::Display;

/// A number with a comma between groups of three digits before its point: `50,257`, `2,868,170.6`. It is not negative.
pub fn grouped(number: impl Display) -> String {
    let text = number.to_string();
    let whole = text.find('.').unwrap_or(text.len());
    let mut out = String::with_capacity(text.len() + whole / 3);
    for (place, digit) in text.chars().enumerate() {
        if place > 0 && place < whole && (whole - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A count and its noun: `1 token`, `3,912 tokens`.
pub(super) fn counted(n: usize, noun: &str) -> String {
    format!("{} {noun}{}", grouped(n), if n == 1 { "" } else { "s" })
}

/// A quotient with one decimal.
pub(super) fn tenths(value: u64, unit: u64) -> String {
    grouped(format_args!("{:.1}", value as f64 / unit as f64))
}

/// How long rows took together, in milliseconds, and where it was measured, how long one after the other.
#[must_use]
pub fn together(n_rows: usize, together_ms: f64, alone_ms: Option<f64>) -> String {
    let ms = |time: f64| grouped(format_args!("{time:.0}"));
    let together = format!("Together the {n_rows} rows took {} ms", ms(together_ms));
    let Some(alone_ms) = alone_ms else { return format!("{together}.") };
    let ratio = together_ms / alone_ms;
    let kind = if ratio > 1.0 { "times as long" } else { "of the time" };
    format!("{together}, one after the other {} ms: {ratio:.2} {kind}.", ms(alone_ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_before_the_point() {
        for (number, text) in
            [(0.0, "0.0"), (999.0, "999.0"), (1000.0, "1,000.0"), (2_868_170.6, "2,868,170.6"), (f64::INFINITY, "inf")]
        {
            assert_eq!(grouped(format_args!("{number:.1}")), text);
        }
        assert_eq!(counted(1, "token"), "1 token");
        assert_eq!(counted(50_257, "token"), "50,257 tokens");
        assert_eq!(tenths(1_558_000, 1000), "1,558.0");
    }

    #[test]
    fn times_are_compared_in_plain_words() {
        let shorter = together(4, 300.0, Some(400.0));
        assert_eq!(shorter, "Together the 4 rows took 300 ms, one after the other 400 ms: 0.75 of the time.");
        let longer = together(4, 1810.0, Some(1000.0));
        assert_eq!(longer, "Together the 4 rows took 1,810 ms, one after the other 1,000 ms: 1.81 times as long.");
        assert_eq!(together(2, 12.0, None), "Together the 2 rows took 12 ms.");
    }
}
