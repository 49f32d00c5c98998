//! Exponentials of numbers that are not above 0, fast enough for a whole vocabulary.

use crate::sum::BLOCK;

/// Below this an exponential is 0 in f64, so nothing smaller need be told apart.
pub(crate) const UNDERFLOW: f64 = -750.0;

/// Replaces each x of a block, from [`UNDERFLOW`] to 0, by exp(x): the value of `libm::exp`, to
/// the bit.
///
/// The algorithm is `libm`'s (FreeBSD's `e_exp.c`, whose constants these are), and so is the order
/// of operations, but with selections in place of branches and stage by stage: a compiler turns
/// each of these short loops into vector instructions, and all takes an eighth of the time.
///
/// The idea: exp(x) = 2^k exp(r) with x = k ln 2 + r, where k is whole and r small.
pub(crate) fn exp_block(block: &mut [f64]) {
    let (mut powers, mut terms) = ([0.0; BLOCK], [0.0; BLOCK]);
    // By index: three zipped slices cost a third more.
    for i in 0..block.len() {
        powers[i] = power(block[i]);
    }
    for i in 0..block.len() {
        let (high, low) = remainder(block[i], powers[i]);
        // From TINY to 0, exp(x) is taken as 1 + x.
        terms[i] = if block[i] > TINY { 0.0 } else { term(high - low) };
        block[i] = high;
    }
    for i in 0..block.len() {
        let (high, k, c) = (block[i], powers[i], terms[i]);
        let low = low_part(k);
        let y = 1.0 + ((high - low) * c / (2.0 - c) - low + high);
        block[i] = scaled(y, k);
    }
}

const TINY: f64 = -f64::from_bits(0x3e30_0001_0000_0000);

/// k: x / ln 2 to the nearest whole number, by `e_exp.c`'s rules.
#[inline(always)]
fn power(x: f64) -> f64 {
    const ABOUT_HALF_LN_2: f64 = -f64::from_bits(0x3fd6_2e43_0000_0000);
    let k = x * core::f64::consts::LOG2_E - 0.5;
    let rounded = k + ROUNDER - ROUNDER;
    let towards_zero = rounded + if rounded < k { 1.0 } else { 0.0 };
    if x > ABOUT_HALF_LN_2 { 0.0 } else { towards_zero }
}

/// r = x - k ln 2 as a difference of two numbers, since ln 2 has more bits than fit in one.
#[inline(always)]
fn remainder(x: f64, k: f64) -> (f64, f64) {
    const LN_2_UPPER: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
    (x - k * LN_2_UPPER, low_part(k))
}

#[inline(always)]
fn low_part(k: f64) -> f64 {
    const LN_2_LOWER: f64 = 1.908_214_929_270_587_7e-10;
    k * LN_2_LOWER
}

/// c, for which exp(r) = 1 + r + r c / (2 - c): a polynomial of r squared, fitted by Remez.
#[inline(always)]
fn term(r: f64) -> f64 {
    const P1: f64 = 1.666_666_666_666_660_2e-1;
    const P2: f64 = -2.777_777_777_701_559_3e-3;
    const P3: f64 = 6.613_756_321_437_934e-5;
    const P4: f64 = -1.653_390_220_546_525_2e-6;
    const P5: f64 = 4.138_136_797_057_238_5e-8;
    let square = r * r;
    r - square * (P1 + square * (P2 + square * (P3 + square * (P4 + square * P5))))
}

/// y 2^k for a y near 1 and a k from -1082 to 0: k + 64 is added to y's exponent, which leaves a
/// normal number, and the multiplication by 2^-64 rounds if the result is none.
#[inline(always)]
fn scaled(y: f64, k: f64) -> f64 {
    const MARGIN: f64 = 64.0;
    const BACK: f64 = f64::from_bits((1023 - 64) << 52);
    let exponent = (k + (ROUNDER + MARGIN)).to_bits() << 52;
    f64::from_bits(y.to_bits().wrapping_add(exponent)) * BACK
}

/// 1.5 times 2^52: added to a number below 2^51, it leaves the nearest whole number in the lowest
/// bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Uniforms;

    fn exp(x: f64) -> f64 {
        let mut block = [x];
        exp_block(&mut block);
        block[0]
    }

    fn assert_same(x: f64) {
        let (own, libm) = (exp(x), libm::exp(x));
        assert_eq!(own.to_bits(), libm.to_bits(), "exp({x:e}) is {own:e}, but libm's is {libm:e}");
    }

    #[test]
    fn equals_libm_at_every_scale() {
        let mut uniforms = Uniforms::new(2);
        for scale in [1e-300, 1e-30, 1e-9, 1e-8, 1e-3, 0.3, 0.4, 1.0, 2.0, 40.0, 750.0] {
            for _ in 0..20_000 {
                assert_same(-scale * uniforms.draw().get());
            }
        }
    }

    #[test]
    fn equals_libm_around_every_edge() {
        let halves = (0..2160).map(|n| -f64::from(n) * core::f64::consts::LN_2 / 2.0);
        let edges = [0.0, UNDERFLOW, TINY, -708.396_418_532_264_1, -745.133_219_101_941_1];
        for edge in halves.chain(edges).filter(|&edge| edge >= UNDERFLOW) {
            for step in -40_i64..=40 {
                let near = f64::from_bits(edge.to_bits().wrapping_add_signed(step));
                if (UNDERFLOW..=0.0).contains(&near) {
                    assert_same(near);
                }
            }
        }
        for high in [0x3fd6_2e42, 0x3fd6_2e43, 0x3ff0_a2b1, 0x3ff0_a2b2, 0x3e30_0000, 0x3e30_0001] {
            let edge = -f64::from_bits(high << 32);
            assert_same(edge);
            assert_same(edge.next_up());
            assert_same(edge.next_down());
        }
    }

    #[test]
    fn the_place_in_a_block_makes_no_difference() {
        let mut block: [f64; BLOCK] = core::array::from_fn(|i| -0.37 * i as f64);
        let one_by_one = block.map(exp);
        exp_block(&mut block);
        assert_eq!(block, one_by_one);
    }

    #[test]
    fn is_zero_at_the_lower_end_and_one_at_the_upper() {
        assert_eq!(exp(UNDERFLOW), 0.0);
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(-0.0), 1.0);
    }
}
