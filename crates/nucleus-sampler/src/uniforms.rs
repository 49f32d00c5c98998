//! Uniform numbers, the same as NumPy's: PCG64 seeded through `SeedSequence`.
//!
//! The generator is PCG XSL-RR 128/64 (M. E. O'Neill, "PCG: A Family of Simple Fast
//! Space-Efficient Statistically Good Algorithms for Random Number Generation", 2014), and the
//! seeding follows `numpy/random/bit_generator.pyx`. A learner checks any draw with
//! `numpy.random.default_rng(seed).random()`.

use crate::Unit;

/// PCG's 128-bit multiplier.
const MULTIPLIER: u128 = 0x2360_ED05_1FC6_5DA4_4385_DF64_9FCC_F645;

/// A stream of uniform numbers that a seed determines.
///
/// ```
/// # use nucleus_sampler::Uniforms;
/// // numpy.random.default_rng(42).random() == 0.7739560485559633
/// assert_eq!(Uniforms::new(42).draw().get(), 0.7739560485559633);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uniforms {
    state: u128,
    increment: u128,
}

impl Uniforms {
    /// The stream of `numpy.random.default_rng(seed)`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self::from_pool(mixed_pool(seed, None))
    }

    /// The stream of `numpy.random.default_rng(SeedSequence(seed).spawn(n)[index])`: the same for
    /// every n above `index`, and unlike the streams of all other indices.
    #[must_use]
    pub fn spawned(seed: u64, index: u32) -> Self {
        Self::from_pool(mixed_pool(seed, Some(index)))
    }

    /// The number that the stream of `seed` gives after `step` others, found by a jump.
    #[must_use]
    pub fn nth(seed: u64, step: u64) -> Unit {
        let mut uniforms = Self::new(seed);
        uniforms.advance(step);
        uniforms.draw()
    }

    /// The next number; the stream moves on by one.
    pub fn draw(&mut self) -> Unit {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
        Unit::from_bits(output(self.state))
    }

    /// The next number; the stream stays where it is.
    #[must_use]
    pub fn peek(&self) -> Unit {
        self.clone().draw()
    }

    /// Skips `steps` numbers in O(log `steps`) multiplications.
    ///
    /// A step is x -> a x + c; two of them are x -> a^2 x + (a + 1) c, and so on by squaring
    /// (F. B. Brown, "Random Number Generation with Arbitrary Strides", 1994).
    pub fn advance(&mut self, steps: u64) {
        let (mut factor, mut term) = (MULTIPLIER, self.increment);
        let mut left = steps;
        while left > 0 {
            if left & 1 == 1 {
                self.state = self.state.wrapping_mul(factor).wrapping_add(term);
            }
            term = factor.wrapping_add(1).wrapping_mul(term);
            factor = factor.wrapping_mul(factor);
            left >>= 1;
        }
    }

    /// PCG's own seeding, from the 256 bits that `SeedSequence` makes of its pool.
    fn from_pool(pool: [u32; 4]) -> Self {
        let words = generated_words(pool);
        let wide = |high: u64, low: u64| u128::from(high) << 64 | u128::from(low);
        let (start, sequence) = (wide(words[0], words[1]), wide(words[2], words[3]));
        let increment = sequence << 1 | 1;
        let state = increment.wrapping_add(start).wrapping_mul(MULTIPLIER).wrapping_add(increment);
        Self { state, increment }
    }
}

/// XSL-RR: the halves are combined by exclusive or and rotated by the top six bits.
fn output(state: u128) -> u64 {
    let folded = (state >> 64) as u64 ^ state as u64;
    folded.rotate_right((state >> 122) as u32)
}

/// `SeedSequence`'s hash of single words; its constant changes with every word.
struct Hash {
    constant: u32,
    multiplier: u32,
}

impl Hash {
    fn of(&mut self, word: u32) -> u32 {
        let word = word ^ self.constant;
        self.constant = self.constant.wrapping_mul(self.multiplier);
        let word = word.wrapping_mul(self.constant);
        word ^ word >> 16
    }
}

/// `SeedSequence.mix_entropy`: spreads seed and spawn key over a pool of four words.
///
/// A root sequence hashes zeros where its seed has no words, and a spawned one pads its seed with
/// zeros, so the four words are the same for both.
fn mixed_pool(seed: u64, spawn_key: Option<u32>) -> [u32; 4] {
    let mut hash = Hash { constant: 0x43b0_d7e5, multiplier: 0x931e_8875 };
    let mut pool = [seed as u32, (seed >> 32) as u32, 0, 0].map(|word| hash.of(word));
    for from in 0..pool.len() {
        for to in 0..pool.len() {
            if from != to {
                pool[to] = mixed(pool[to], hash.of(pool[from]));
            }
        }
    }
    if let Some(key) = spawn_key {
        pool = pool.map(|word| mixed(word, hash.of(key)));
    }
    pool
}

fn mixed(x: u32, y: u32) -> u32 {
    let word = x.wrapping_mul(0xca01_f9dd).wrapping_sub(y.wrapping_mul(0x4973_f715));
    word ^ word >> 16
}

/// `SeedSequence.generate_state(4, numpy.uint64)`: the low half of each word comes first.
fn generated_words(pool: [u32; 4]) -> [u64; 4] {
    let mut hash = Hash { constant: 0x8b51_f9dd, multiplier: 0x58f3_8ded };
    let mut halves = pool.into_iter().cycle().map(|word| hash.of(word));
    core::array::from_fn(|_| {
        let mut half = || u64::from(halves.next().unwrap_or_default()); // `cycle` never ends
        half() | half() << 32
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_jump_lands_where_single_steps_do() {
        let mut walked = Uniforms::new(7);
        for step in 0..200 {
            assert_eq!(Uniforms::nth(7, step), walked.peek());
            walked.draw();
        }
    }

    #[test]
    fn jumps_add_up() {
        let mut once = Uniforms::spawned(u64::MAX, 3);
        let mut twice = once.clone();
        once.advance(1 << 40);
        twice.advance((1 << 40) - 12_345);
        twice.advance(12_345);
        assert_eq!(once, twice);
    }

    #[test]
    fn peeking_changes_nothing() {
        let mut uniforms = Uniforms::new(1);
        let (first, second) = (uniforms.peek(), uniforms.peek());
        assert_eq!(first, second);
        assert_eq!(uniforms.draw(), first);
        assert_ne!(uniforms.draw(), first);
    }

    #[test]
    fn streams_differ_by_seed_and_by_index() {
        let firsts = [
            Uniforms::new(1).draw(),
            Uniforms::new(2).draw(),
            Uniforms::spawned(1, 0).draw(),
            Uniforms::spawned(1, 1).draw(),
        ];
        for (i, a) in firsts.iter().enumerate() {
            assert!(firsts[..i].iter().all(|b| a != b));
        }
    }
}
