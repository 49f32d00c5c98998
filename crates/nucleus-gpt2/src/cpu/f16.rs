//! Weights in f16.
//!
//! WebAssembly has no instruction for f16. An f16 becomes an f32 of 2^-112 times its size by moving its bits to their
//! places ([`widen`]): sign-extend, shift, mask. The factor is made up for once per result, not per weight. Two more
//! powers of two keep every number in the middle of f32's range, where nothing is lost and nothing is slow:
//! each row of weights is scaled so that its largest lies in [2^14, 2^15), below which none of its weights is
//! subnormal unless it is 2^28 times smaller; and inputs are multiplied by 2^64. Powers of two commute with rounding.

use half::f16;

use super::BLOCK;
use super::f32::{Block, F32, blocks};
use super::lanes::{F32x4, sums, widen};
use super::tile::{self, Format, O};

/// f16 weights, times scaled f32 inputs.
#[derive(Debug)]
pub struct F16;

/// [`BLOCK`] numbers by their bits, eight at a time.
pub type Bits = [[i16; 8]; BLOCK / 8];

impl Format for F16 {
    type Weights = Bits;
    type Inputs = Block;

    #[inline(never)]
    fn tile<const R: usize>(weights: &[[Bits; O]], inputs: [&[Block]; R]) -> [[f32; O]; R] {
        let inputs = inputs.map(|row| &row[..weights.len()]);
        let mut lanes = [[F32x4::ZERO; O]; R];
        for (k, w) in weights.iter().enumerate() {
            for i in 0..BLOCK / 8 {
                for o in 0..O {
                    let [low, high] = widen(w[o][i]);
                    for r in 0..R {
                        lanes[r][o] += low * F32x4::new(inputs[r][k][2 * i]);
                        lanes[r][o] += high * F32x4::new(inputs[r][k][2 * i + 1]);
                    }
                }
            }
        }
        lanes.map(sums)
    }
}

/// What [`inputs`] multiplies with: 2^64.
const INPUT_EXPONENT: i32 = 64;

/// Rows of inputs, padded and scaled.
pub fn inputs(rows: &[f32], columns: usize) -> Vec<Block> {
    let mut all = blocks(rows, columns);
    all.as_flattened_mut().as_flattened_mut().iter_mut().for_each(|x| *x *= exp2(INPUT_EXPONENT));
    all
}

/// A row of weights as bits, rounded to the nearest f16 times a power of two; and what makes up for all factors in a
/// result.
pub fn encode(row: &[f32]) -> (Vec<Bits>, f32) {
    let largest = row.iter().fold(0.0, |largest: f32, x| largest.max(x.abs()));
    let exponent = (largest.to_bits() >> 23) as i32 - 127;
    // An f16 checkpoint may have numbers of 2^15 and more: they fit as they are.
    let shift = if exponent == 15 { 0 } else { (14 - exponent).min(100) };
    let mut all = vec![Bits::default(); row.len().div_ceil(BLOCK)];
    for (bits, x) in all.as_flattened_mut().as_flattened_mut().iter_mut().zip(row) {
        *bits = f16::from_f32(x * exp2(shift)).to_bits() as i16;
    }
    (all, exp2(112 - INPUT_EXPONENT - shift))
}

/// The numbers that [`encode`] made bits of, with the factor that it gave.
pub fn decode(bits: Bits, factor: f32) -> Block {
    let scale = exp2(INPUT_EXPONENT - 112) * factor;
    let mut block = Block::default();
    for (x, bits) in block.as_flattened_mut().iter_mut().zip(bits.as_flattened()) {
        *x = f16::from_bits(*bits as u16).to_f32() * scale;
    }
    block
}

/// As [`tile::products`], but each weight is widened once, not once for every three rows of inputs.
pub fn products_widened(
    weights: &[[Bits; O]],
    inputs: &[Block],
    blocks: usize,
    mut put: impl FnMut(usize, usize, [f32; O]),
) {
    let mut wide = vec![[Block::default(); O]; blocks];
    for (group, weights) in weights.chunks_exact(blocks).enumerate() {
        let pairs = wide.as_flattened_mut().as_flattened_mut().as_chunks_mut::<2>().0;
        for (wide, bits) in pairs.iter_mut().zip(weights.as_flattened().as_flattened()) {
            let [low, high] = widen(*bits);
            *wide = [low.to_array(), high.to_array()];
        }
        tile::products::<F32>(&wide, inputs, blocks, |_, r, sums| put(group, r, sums));
    }
}

/// 2^`exponent`, from -126 to 127.
fn exp2(exponent: i32) -> f32 {
    f32::from_bits(((exponent + 127) as u32) << 23)
}
