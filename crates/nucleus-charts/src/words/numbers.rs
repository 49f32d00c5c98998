//! Numbers as text: grouped counts, probabilities to two significant digits, logits, nats.

/// A count with a comma between groups of three digits: `50,257`.
pub fn count(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A count and its noun: `1 token`, `3,912 tokens`.
pub fn counted(n: usize, noun: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", count(n))
}

/// A probability as a percentage of two significant digits, scientific below 0.01 %: `43%`,
/// `0.90%`, `9.4×10⁻³%`.
///
/// Between 99 % and 1 one decimal stands behind the point (`99.7%`, at most `>99.9%`), so that only
/// certainty reads `100%`. Exactly 0 reads `0`, as no rounded number does. `p` is expected in [0,
/// 1]; what is not finite reads `–`.
pub fn probability(p: f64) -> String {
    if !p.is_finite() {
        return "–".to_owned();
    }
    if p <= 0.0 {
        return "0".to_owned();
    }
    let percent = p * 100.0;
    match percent {
        _ if p >= 1.0 => "100%".to_owned(),
        99.95.. => ">99.9%".to_owned(),
        99.0.. => format!("{percent:.1}%"),
        9.95.. => format!("{percent:.0}%"),
        0.995.. => format!("{percent:.1}%"),
        0.0995.. => format!("{percent:.2}%"),
        0.01.. => format!("{percent:.3}%"),
        _ => format!("{}%", scientific(percent)),
    }
}

/// A logit, raw or divided by the temperature, with two decimals; scientific from a million on.
pub fn logit(value: f64) -> String {
    let magnitude = value.abs();
    let digits = match magnitude {
        _ if value.is_nan() => return "–".to_owned(),
        f64::INFINITY => "∞".to_owned(),
        1e6.. => scientific(magnitude),
        _ => format!("{magnitude:.2}"),
    };
    let sign = if value < 0.0 && digits != "0.00" { "−" } else { "" };
    format!("{sign}{digits}")
}

/// An amount of information with its unit: `2.90 nats`.
pub fn nats(value: f64) -> String {
    format!("{} nats", logit(value))
}

/// A setting such as a temperature, as short as it can be: `0.8`, `1`, `10^-40` as `1.0×10⁻⁴⁰`.
pub fn fixed(value: f64) -> String {
    match value {
        0.0 => "0".to_owned(),
        0.0001..1e6 => {
            let rounded = (value * 1e4).round() / 1e4;
            rounded.to_string()
        }
        _ => scientific(value),
    }
}

/// How many decimals (at least 4, at most 15) show that `start <= u < end` holds, also after
/// rounding.
pub fn decimals_between(start: f64, u: f64, end: f64) -> usize {
    let shows = |decimals: &i32| {
        let scale = 10_f64.powi(*decimals);
        let [start, u, end] = [start, u, end].map(|x| (x * scale).round());
        start <= u && u < end
    };
    (4..15).find(shows).unwrap_or(15) as usize
}

/// Two significant digits and a power of ten: `9.4×10⁻³`.
fn scientific(value: f64) -> String {
    let text = format!("{value:.1e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let superscript: String = exponent.chars().map(raised).collect();
    format!("{mantissa}×10{superscript}")
}

/// A digit or a minus sign, raised.
fn raised(character: char) -> char {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    match character.to_digit(10) {
        Some(digit) => DIGITS[digit as usize],
        None => '⁻',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped() {
        let pairs = [(0, "0"), (999, "999"), (1000, "1,000"), (50_257, "50,257"), (1_234_567, "1,234,567")];
        for (n, text) in pairs {
            assert_eq!(count(n), text);
        }
        assert_eq!(counted(1, "token"), "1 token");
        assert_eq!(counted(2000, "token"), "2,000 tokens");
    }

    #[test]
    fn probabilities_have_two_significant_digits() {
        let pairs = [
            (1.0, "100%"),
            (0.999_99, ">99.9%"),
            (0.9972, "99.7%"),
            (0.99, "99.0%"),
            (0.425, "42%"),
            (0.0995, "10%"),
            (0.0943, "9.4%"),
            (0.009, "0.90%"),
            (0.000_943, "0.094%"),
            (0.0001, "0.010%"),
            (0.000_094, "9.4×10⁻³%"),
            (1e-40, "1.0×10⁻³⁸%"),
            (0.0, "0"),
            (f64::NAN, "–"),
        ];
        for (p, text) in pairs {
            assert_eq!(probability(p), text, "{p}");
        }
    }

    #[test]
    fn logits_are_signed_and_short() {
        let pairs = [
            (12.345, "12.35"),
            (-0.001, "0.00"),
            (-3.0, "−3.00"),
            (-2.5e9, "−2.5×10⁹"),
            (f64::NEG_INFINITY, "−∞"),
            (f64::NAN, "–"),
        ];
        for (value, text) in pairs {
            assert_eq!(logit(value), text);
        }
        assert_eq!(nats(2.9), "2.90 nats");
    }

    #[test]
    fn settings_are_as_short_as_can_be() {
        for (value, text) in
            [(1.0, "1"), (0.8, "0.8"), (0.7 + 0.1, "0.8"), (10.0, "10"), (0.0, "0"), (1e-40, "1.0×10⁻⁴⁰")]
        {
            assert_eq!(fixed(value), text);
        }
    }

    #[test]
    fn decimals_show_that_u_is_inside() {
        assert_eq!(decimals_between(0.5810, 0.6142, 0.6625), 4);
        assert_eq!(decimals_between(0.614_21, 0.614_23, 0.614_24), 5);
        assert_eq!(decimals_between(0.5, 0.999_96, 1.0), 5);
    }
}
