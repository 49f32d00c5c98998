//! The products against f64, on shapes of every kind.

use super::Matrix;
use crate::weights::WeightFormat;

/// Numbers from -1 to 1, a few of them 0, as many again small.
fn numbers(n: usize, seed: u32) -> Vec<f32> {
    let mut state = seed.wrapping_mul(2_654_435_761) | 1;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..n)
        .map(|_| match next() {
            x if x > 0.9 => 0.0,
            x if x < -0.8 => 1e-3 * next(),
            _ => next(),
        })
        .collect()
}

fn matrix(format: WeightFormat, weights: &[f32], columns: usize) -> Matrix {
    let mut matrix = Matrix::with_capacity(format, weights.len() / columns, columns);
    weights.chunks_exact(columns).for_each(|row| matrix.push(row));
    matrix
}

fn product(matrix: &Matrix, x: &[f32]) -> Vec<f32> {
    let mut y = vec![0.0; x.len() / matrix.columns() * matrix.rows()];
    matrix.add_product(x, &mut y);
    y
}

/// (rows of weights, columns, rows of inputs): odd ends in each, and none.
fn shapes() -> impl Iterator<Item = (usize, usize, usize)> {
    let some = [(1, 1, 1), (4, 32, 2), (5, 33, 3), (3, 31, 16), (9, 64, 17), (13, 100, 8), (2, 257, 5), (64, 96, 4)];
    some.into_iter().chain((1..=17).map(|n| (6, 40 + n, n)))
}

/// How far a product may be off, as a part of the sum of its terms' sizes: a rounding for each addition and product of
/// f32 in a lane, and those of the format.
fn tolerance(format: WeightFormat, columns: usize) -> f64 {
    let sums = (columns as f64 / 4.0 + 4.0) * f64::from(f32::EPSILON);
    sums + match format {
        WeightFormat::F32 => 0.0,
        WeightFormat::F16 => 2f64.powi(-12),
        // Half a step, as a part of the largest in the block, which the check below puts in every term's place.
        WeightFormat::Int8 => 1.0 / 254.0 + 1.0 / 65_534.0,
    }
}

#[test]
fn products_are_those_of_f64() {
    for format in [WeightFormat::F32, WeightFormat::F16, WeightFormat::Int8] {
        for (rows, columns, n) in shapes() {
            let (weights, x) = (numbers(rows * columns, 1), numbers(n * columns, 2));
            let y = product(&matrix(format, &weights, columns), &x);
            for (i, &y) in y.iter().enumerate() {
                let (w, x) = (&weights[i % rows * columns..][..columns], &x[i / rows * columns..][..columns]);
                let terms = || w.iter().zip(x).map(|(&w, &x)| f64::from(w) * f64::from(x));
                // Every number is below 1 in size: of int8, a step is at most that of 1.
                let sizes = match format {
                    WeightFormat::Int8 => x.iter().map(|x| f64::from(x.abs())).sum::<f64>() + columns as f64 / 250.0,
                    _ => terms().map(f64::abs).sum(),
                };
                let distance = (f64::from(y) - terms().sum::<f64>()).abs();
                let limit = tolerance(format, columns) * sizes + 1e-30;
                assert!(distance <= limit, "{format:?}, {rows} x {columns}, {n} rows: {distance} > {limit}");
            }
        }
    }
}

/// A position must not depend on what stands beside it, nor a result on the run.
#[test]
fn a_row_alone_has_the_bits_of_a_row_among_others() {
    for format in [WeightFormat::F32, WeightFormat::F16, WeightFormat::Int8] {
        for (rows, columns, n) in shapes() {
            let matrix = matrix(format, &numbers(rows * columns, 3), columns);
            let x = numbers(n * columns, 4);
            let alone: Vec<f32> = x.chunks_exact(columns).flat_map(|row| product(&matrix, row)).collect();
            assert_eq!(product(&matrix, &x), alone, "{format:?}, {rows} x {columns}, {n} rows");
        }
    }
}

#[test]
fn products_are_added_to_what_is_there() {
    let matrix = matrix(WeightFormat::F32, &[1.0, 2.0, 3.0, 4.0], 2);
    let mut y = [100.0, 200.0];
    matrix.add_product(&[10.0, 1.0], &mut y);
    assert_eq!(y, [112.0, 234.0]);
}

#[test]
fn transposing_is_reading_the_other_way() {
    let (rows, columns) = (5, 37);
    let weights = numbers(rows * columns, 5);
    let turned: Vec<f32> =
        (0..columns).flat_map(|c| (0..rows).map(move |r| (r, c))).map(|(r, c)| weights[r * columns + c]).collect();
    let x = numbers(columns, 6);
    for format in [WeightFormat::F32, WeightFormat::F16, WeightFormat::Int8] {
        let transposed = Matrix::transposed(format, &turned, [columns, rows]);
        assert_eq!(product(&transposed, &x), product(&matrix(format, &weights, columns), &x));
    }
}

fn row(format: WeightFormat, weights: &[f32]) -> Vec<f32> {
    let mut row = Vec::new();
    matrix(format, weights, weights.len()).read_row(0, &mut row);
    row
}

#[test]
fn rows_come_back_as_the_format_holds_them() {
    let weights = numbers(45, 7);
    assert_eq!(row(WeightFormat::F32, &weights), weights);
    for (&w, found) in weights.iter().zip(row(WeightFormat::F16, &weights)) {
        assert!((w - found).abs() <= w.abs() * 2f32.powi(-11), "{w}: {found}");
    }
    for (&w, found) in weights.iter().zip(row(WeightFormat::Int8, &weights)) {
        assert!((w - found).abs() <= 1.0 / 253.0, "{w}: {found}");
    }
}

/// Every f16, the largest, subnormal ones and negative zero too, is held exactly beside any other.
#[test]
fn f16_is_exact_for_numbers_of_f16() {
    let all = (0..=u16::MAX).map(half::f16::from_bits).filter(|x| x.is_finite()).map(half::f16::to_f32);
    let all: Vec<f32> = all.collect();
    for weights in all.chunks(32).chain([&*all, &[0.0; 3]]) {
        assert_eq!(row(WeightFormat::F16, weights), weights);
        let one = |i: usize| (0..weights.len()).map(|k| if k == i { 1.0 } else { 0.0 }).collect::<Vec<f32>>();
        for i in [0, weights.len() / 2, weights.len() - 1] {
            assert_eq!(product(&matrix(WeightFormat::F16, weights, weights.len()), &one(i)), [weights[i]]);
        }
    }
}

/// Weights and inputs that f16 or an integer could not hold as they are.
#[test]
fn sizes_far_from_1_are_no_worse() {
    for format in [WeightFormat::F32, WeightFormat::F16, WeightFormat::Int8] {
        for (weight, input) in [(1e-8f32, 1.0f32), (1e-12, 1e12), (1e6, 1e-6), (1e-3, 1e5), (0.0, 1.0), (1.0, 0.0)] {
            let expected = f64::from(weight) * f64::from(input) * 40.0;
            let [y] = product(&matrix(format, &[weight; 40], 40), &[input; 40])[..] else { panic!("not one result") };
            assert!((f64::from(y) - expected).abs() <= 1e-3 * expected, "{format:?}: {weight} x {input} = {y}");
        }
    }
}
