//! Four numbers at a time: the few operations that the products are made of.
//!
//! A product is never fused with a sum, and sums of integers are exact, so every processor gives the same bits, and a
//! native test speaks for the browser. `wide` has the instructions: WebAssembly's simd128, SSE2, NEON.

use bytemuck::cast;
use wide::{f32x4, i8x16, i16x8, i16x16, i32x4, i32x8};

/// Four f32.
pub type F32x4 = f32x4;
/// Four i32.
pub type I32x4 = i32x4;

/// The sum of each of the four: of the first two of its numbers, of the last two, of both.
#[inline(always)]
pub fn sums(lanes: [F32x4; 4]) -> [f32; 4] {
    let [a, b, c, d] = f32x4::transpose(lanes);
    ((a + b) + (c + d)).to_array()
}

/// Adds the products of 16 pairs, in two steps of 4 x 2. The caller sees to it that nothing overflows.
#[inline(always)]
pub fn add_products(sum: I32x4, a: [i8; 16], b: [i16; 16]) -> I32x4 {
    let [a0, a1]: [i16x8; 2] = cast(i16x16::from_i8x16(i8x16::new(a)));
    let [b0, b1]: [i16x8; 2] = cast(b);
    sum + (a0.dot(b0) + a1.dot(b1))
}

/// Eight f16, by their bits, as f32 of 2^-112 times their size: the exponents are those of f16, whose bias is 15, and
/// f32's is 127. Subnormal numbers come out right, infinity and NaN do not.
#[inline(always)]
pub fn widen(bits: [i16; 8]) -> [F32x4; 2] {
    let [low, high]: [i32x4; 2] = cast(i32x8::from_i16x8(i16x8::new(bits)));
    let mask = i32x4::splat(0x8fff_ffff_u32 as i32);
    [cast((low << 13) & mask), cast((high << 13) & mask)]
}
