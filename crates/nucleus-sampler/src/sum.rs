//! A sum in NumPy's order.

/// How many numbers are added without halving.
pub(crate) const BLOCK: usize = 128;

/// Adds as `numpy.sum` does: by halves down to blocks of 128, and in eight lanes within a block
/// (`numpy/_core/src/umath/loops_utils.h.src`). The error grows with the logarithm of the length,
/// and a processor adds the lanes side by side.
pub(crate) fn sum(values: &[f64]) -> f64 {
    sum_by(values, &block_sum)
}

/// The same sum over numbers that `block` makes of at most [`BLOCK`] items, and adds up.
pub(crate) fn sum_by<T>(items: &[T], block: &impl Fn(&[T]) -> f64) -> f64 {
    if items.len() <= BLOCK {
        return block(items);
    }
    let half = items.len() / 2;
    let (low, high) = items.split_at(half - half % 8);
    sum_by(low, block) + sum_by(high, block)
}

/// Adds at most [`BLOCK`] numbers in eight lanes.
pub(crate) fn block_sum(values: &[f64]) -> f64 {
    let (eights, rest) = values.as_chunks::<8>();
    let Some((first, eights)) = eights.split_first() else {
        return rest.iter().fold(0.0, |total, value| total + value);
    };
    let mut lane = *first;
    for eight in eights {
        for (total, value) in lane.iter_mut().zip(eight) {
            *total += value;
        }
    }
    let [a, b, c, d, e, f, g, h] = lane;
    let lanes = ((a + b) + (c + d)) + ((e + f) + (g + h));
    rest.iter().fold(lanes, |total, value| total + value)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn agrees_with_exact_arithmetic_at_every_length() {
        for n in 0..1100_u32 {
            let values: Vec<f64> = (0..n).map(f64::from).collect();
            assert_eq!(sum(&values), f64::from(n) * (f64::from(n) - 1.0) / 2.0);
        }
    }

    #[test]
    fn follows_numpys_order_of_additions() {
        // numpy.sum(1 / numpy.arange(1, n + 1)), numpy 2.4.6
        let harmonic = |n| sum(&(1..=n).map(|i| 1.0 / f64::from(i)).collect::<Vec<_>>());
        let numpy = [
            (8, 2.7178571428571425),
            (128, 5.433147092589173),     // one after the other: ...174
            (129, 5.440899030573669),     // ...67
            (1000, 7.485470860550345),    // ...343
            (50_257, 11.402130733433465), // ...484
        ];
        for (n, expected) in numpy {
            assert_eq!(harmonic(n), expected, "{n} terms");
        }
    }
}
