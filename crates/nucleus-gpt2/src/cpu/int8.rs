//! Weights in int8.

use super::BLOCK;
use super::f32::Block;
use super::lanes::{F32x4, I32x4, add_products, sum};
use super::tile::{Format, cut};

/// int8 weights, times inputs in 16 bits.
#[derive(Debug)]
pub struct Int8;

/// [`BLOCK`] numbers: `scale` times each of the integers, which lie from -127 to 127.
#[derive(Clone, Copy, Debug)]
pub struct Weights {
    scale: f32,
    integers: [[i8; 16]; BLOCK / 16],
}

/// [`BLOCK`] numbers: `scale` times each of the integers, which lie from -32,767 to 32,767.
#[derive(Clone, Copy, Debug)]
pub struct Inputs {
    scale: f32,
    integers: [[i16; 16]; BLOCK / 16],
}

impl Weights {
    /// The nearest integers, where the largest number of the block is 127.
    pub fn nearest(block: &Block) -> Self {
        let (scale, inverse) = scale(block, 127.0);
        let mut integers = [[0; 16]; BLOCK / 16];
        for (integer, x) in integers.as_flattened_mut().iter_mut().zip(block.as_flattened()) {
            *integer = (x * inverse).round_ties_even() as i8;
        }
        Self { scale, integers }
    }

    /// What they stand for.
    pub fn numbers(&self) -> impl Iterator<Item = f32> {
        self.integers.as_flattened().iter().map(|&integer| f32::from(integer) * self.scale)
    }
}

impl Inputs {
    /// The nearest integers, where the largest number of the block is 32,767.
    pub fn nearest(block: &Block) -> Self {
        let (scale, inverse) = scale(block, 32_767.0);
        let mut integers = [[0; 16]; BLOCK / 16];
        for (integer, x) in integers.as_flattened_mut().iter_mut().zip(block.as_flattened()) {
            *integer = (x * inverse).round_ties_even() as i16;
        }
        Self { scale, integers }
    }
}

/// What one step stands for, and its inverse.
fn scale(block: &Block, max: f32) -> (f32, f32) {
    let largest = block.as_flattened().iter().fold(0.0, |largest: f32, x| largest.max(x.abs()));
    // Of numbers this small, the inverse would overflow, and nothing of them is left in a sum.
    if largest < 1e-30 { (0.0, 0.0) } else { (largest / max, max / largest) }
}

impl Format for Int8 {
    type Weights = Weights;
    type Inputs = Inputs;

    #[inline(never)]
    fn tile<const O: usize, const R: usize>(weights: &[Weights], inputs: &[Inputs], blocks: usize) -> [[f32; R]; O] {
        let (w, x) = (cut::<_, O>(weights, blocks), cut::<_, R>(inputs, blocks));
        let mut sums = [[F32x4::ZERO; R]; O];
        for k in 0..blocks {
            for o in 0..O {
                for r in 0..R {
                    let (w, x) = (&w[o][k], &x[r][k]);
                    let mut dot = I32x4::ZERO;
                    for i in 0..BLOCK / 16 {
                        dot = add_products(dot, w.integers[i], x.integers[i]);
                    }
                    sums[o][r] += F32x4::from_i32x4(dot) * F32x4::splat(w.scale * x.scale);
                }
            }
        }
        sums.map(|row| row.map(sum))
    }
}
