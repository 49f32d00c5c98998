//! A sum in NumPy's order.

/// Adds as `numpy.sum` does, so that totals agree with it to the bit: by halves down to blocks of
/// 128, and in eight lanes within a block (`numpy/_core/src/umath/loops_utils.h.src`). The error
/// grows with the logarithm of the length, and the lanes let the processor add in parallel.
pub(crate) fn sum(values: &[f64]) -> f64 {
    if values.len() <= 128 {
        return block_sum(values);
    }
    let half = values.len() / 2;
    let (low, high) = values.split_at(half - half % 8);
    sum(low) + sum(high)
}

fn block_sum(values: &[f64]) -> f64 {
    let (eights, rest) = values.as_chunks::<8>();
    let Some((first, eights)) = eights.split_first() else {
        return rest.iter().sum();
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
