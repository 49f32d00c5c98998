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
use super::lanes::{F32x4, sum, widen};
use super::tile::{self, Format, cut};

/// f16 weights, times scaled f32 inputs.
#[derive(Debug)]
pub struct F16;

/// [`BLOCK`] numbers by their bits, eight at a time.
pub type Bits = [[i16; 8]; BLOCK / 8];

impl Format for F16 {
    type Weights = Bits;
    type Inputs = Block;

    #[inline(never)]
    fn tile<const O: usize, const R: usize>(weights: &[Bits], inputs: &[Block], blocks: usize) -> [[f32; R]; O] {
        let (w, x) = (cut::<_, O>(weights, blocks), cut::<_, R>(inputs, blocks));
        let mut sums = [[F32x4::ZERO; R]; O];
        for k in 0..blocks {
            for i in 0..BLOCK / 8 {
                for o in 0..O {
                    let [low, high] = widen(w[o][k][i]);
                    for r in 0..R {
                        sums[o][r] += low * F32x4::new(x[r][k][2 * i]);
                        sums[o][r] += high * F32x4::new(x[r][k][2 * i + 1]);
                    }
                }
            }
        }
        sums.map(|row| row.map(sum))
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

/// Appends a row of weights as bits, rounded to the nearest f16 times a power of two; and gives what makes up for all
/// factors in a result.
pub fn push(row: &[f32], all: &mut Vec<Bits>) -> f32 {
    let largest = row.iter().fold(0.0, |largest: f32, x| largest.max(x.abs()));
    let exponent = (largest.to_bits() >> 23) as i32 - 127;
    // An f16 checkpoint may have numbers of 2^15 and more: they fit as they are.
    let shift = if exponent == 15 { 0 } else { (14 - exponent).min(100) };
    let start = all.len();
    all.resize(start + row.len().div_ceil(BLOCK), Bits::default());
    for (bits, x) in all[start..].as_flattened_mut().as_flattened_mut().iter_mut().zip(row) {
        *bits = f16::from_f32(x * exp2(shift)).to_bits() as i16;
    }
    exp2(112 - INPUT_EXPONENT - shift)
}

/// The numbers that [`push`] made bits of, with the factor that it gave.
pub fn numbers(bits: &[Bits], factor: f32) -> impl Iterator<Item = f32> {
    let scale = exp2(INPUT_EXPONENT - 112) * factor;
    bits.as_flattened().as_flattened().iter().map(move |&bits| f16::from_bits(bits as u16).to_f32() * scale)
}

/// As [`tile::products`], but each weight is widened once, not once for every two rows of inputs.
pub fn products_widened(weights: &[Bits], inputs: &[Block], blocks: usize, mut put: impl FnMut(usize, usize, f32)) {
    let mut wide = vec![Block::default(); tile::O * blocks];
    let mut row = 0;
    for group in weights.chunks(tile::O * blocks) {
        for (wide, bits) in wide.as_flattened_mut().as_chunks_mut::<2>().0.iter_mut().zip(group.as_flattened()) {
            let [low, high] = widen(*bits);
            *wide = [low.to_array(), high.to_array()];
        }
        tile::products::<F32>(&wide[..group.len()], inputs, blocks, |o, r, sum| put(row + o, r, sum));
        row += tile::O;
    }
}

/// 2^`exponent`, from -126 to 127.
fn exp2(exponent: i32) -> f32 {
    f32::from_bits(((exponent + 127) as u32) << 23)
}
