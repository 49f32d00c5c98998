//! Weights in int8.

use super::BLOCK;
use super::f32::Block;
use super::lanes::{F32x4, I32x4, add_products, sums};
use super::tile::{Format, O};

/// int8 weights, times inputs in 16 bits.
#[derive(Debug)]
pub struct Int8;

/// [`BLOCK`] numbers: `scale` times each of the integers, which lie from -127 to 127.
#[derive(Clone, Copy, Debug, Default)]
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
    pub fn numbers(&self) -> Block {
        let mut block = Block::default();
        for (x, integer) in block.as_flattened_mut().iter_mut().zip(self.integers.as_flattened()) {
            *x = f32::from(*integer) * self.scale;
        }
        block
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
    fn tile<const R: usize>(weights: &[[Weights; O]], inputs: [&[Inputs]; R]) -> [[f32; O]; R] {
        let inputs = inputs.map(|row| &row[..weights.len()]);
        let mut lanes = [[F32x4::ZERO; O]; R];
        for (k, w) in weights.iter().enumerate() {
            for r in 0..R {
                let x = &inputs[r][k];
                for o in 0..O {
                    let mut dot = I32x4::ZERO;
                    for i in 0..BLOCK / 16 {
                        dot = add_products(dot, w[o].integers[i], x.integers[i]);
                    }
                    lanes[r][o] += F32x4::from_i32x4(dot) * F32x4::splat(w[o].scale * x.scale);
                }
            }
        }
        lanes.map(sums)
    }
}
