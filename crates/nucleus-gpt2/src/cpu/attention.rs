//! Attention on the CPU, and the cache that it reads.
//!
//! A step has one query for each head and slot, so it is short sums over memory that is read once: there is nothing for a
//! matrix product to gain, and the many small tensors on the way to one would cost more than the sums do.

use std::ops::Range;

use super::lanes::{F32x4, sums};
use crate::cache::Room;
use crate::row::{Source, Span};

/// Numbers that are taken together.
type Quad = [f32; 4];

/// Positions that are taken together.
const AT_ONCE: usize = 4;

/// In place of the scores beyond the last position: its `exp` is exactly 0 beside any real score.
const LOWEST: f32 = -1e30;

/// Keys and values of one block: [slots, H, positions, D] each.
#[derive(Debug)]
pub struct Cache {
    heads: usize,
    /// D.
    width: usize,
    /// Positions of a slot, a multiple of [`AT_ONCE`].
    capacity: usize,
    /// D is filled up with zeros to whole quads.
    k: Vec<Quad>,
    v: Vec<Quad>,
}

/// Whether there is memory for so many numbers.
pub fn has_room(numbers: usize) -> bool {
    Vec::<f32>::new().try_reserve_exact(numbers).is_ok()
}

impl Cache {
    /// Room for some positions, for `heads` heads of `width` numbers each.
    pub fn new(room: Room, heads: usize, width: usize) -> Self {
        let capacity = room.positions.next_multiple_of(AT_ONCE);
        let zeros = || vec![[0.0; 4]; room.slots * heads * capacity * width.div_ceil(4)];
        Self { heads, width, capacity, k: zeros(), v: zeros() }
    }

    /// `softmax(scale Q K^T) V` of every row over the positions of its slot up to its own, which is written first. What a
    /// row gives depends on nothing but its own slot.
    ///
    /// # Shapes
    /// - `qkv`: [n, 3 C], the rows of all spans
    /// - result: [n, C]
    pub fn attend(&mut self, qkv: &[f32], spans: &[Span], scale: f64) -> Vec<f32> {
        let c = self.heads * self.width;
        let mut found = vec![0.0; qkv.len() / 3];
        let mut head = Head::new(self.width, self.capacity, scale);
        for span in spans {
            let rows = &qkv[3 * c * span.rows.start..3 * c * span.rows.end];
            let rows = || rows.chunks_exact(3 * c).zip(span.start..);
            rows().for_each(|(row, position)| self.write(row, span.slot, position));
            for h in 0..self.heads {
                let (block, columns) = (self.block(span.slot, h), h * self.width..(h + 1) * self.width);
                let (keys, values) = (&self.k[block.clone()], &self.v[block]);
                let found = found[c * span.rows.start..].chunks_exact_mut(c);
                for ((row, position), found) in rows().zip(found) {
                    head.attend(&row[columns.clone()], keys, values, position + 1, &mut found[columns.clone()]);
                }
            }
        }
        found
    }

    /// The quads of a head of a slot.
    fn block(&self, slot: usize, head: usize) -> Range<usize> {
        let quads = self.capacity * self.width.div_ceil(4);
        let start = (slot * self.heads + head) * quads;
        start..start + quads
    }

    /// Writes keys and values of a row, [3 C].
    fn write(&mut self, row: &[f32], slot: usize, position: usize) {
        let (c, quads) = (self.heads * self.width, self.width.div_ceil(4));
        for head in 0..self.heads {
            let at = self.block(slot, head).start + position * quads;
            for (store, part) in [(&mut self.k, 1), (&mut self.v, 2)] {
                let numbers = &row[part * c + head * self.width..][..self.width];
                store[at..at + quads].as_flattened_mut()[..self.width].copy_from_slice(numbers);
            }
        }
    }

    /// Puts into each slot what its source has, all at once.
    pub fn reorder(&mut self, sources: &[Source]) {
        let quads = self.width.div_ceil(4);
        let moved = || sources.iter().enumerate().filter(|(slot, source)| source.slot != *slot);
        let mut held = Vec::new();
        for head in 0..self.heads {
            let used = |slot: usize, len: usize| {
                let start = self.block(slot, head).start;
                start..start + len * quads
            };
            let copies = moved().map(|(slot, source)| (used(source.slot, source.len), used(slot, source.len)));
            let copies: Vec<(Range<usize>, Range<usize>)> = copies.collect();
            for store in [&mut self.k, &mut self.v] {
                held.clear();
                copies.iter().for_each(|(source, _)| held.extend_from_slice(&store[source.clone()]));
                let mut rest = &held[..];
                for (_, target) in &copies {
                    let (copy, others) = rest.split_at(target.len());
                    store[target.clone()].copy_from_slice(copy);
                    rest = others;
                }
            }
        }
    }
}

/// One head of one row at a time, and the memory that it takes.
struct Head {
    scale: f32,
    query: Vec<F32x4>,
    /// Scores, then the softmax of them but for its sum.
    shares: Vec<F32x4>,
    mixed: Vec<F32x4>,
}

impl Head {
    fn new(width: usize, positions: usize, scale: f64) -> Self {
        let quads = || vec![F32x4::ZERO; width.div_ceil(4)];
        let shares = Vec::with_capacity(positions / AT_ONCE);
        Self { scale: scale as f32, query: quads(), shares, mixed: quads() }
    }

    /// Attends to the first `seen` positions.
    fn attend(&mut self, query: &[f32], keys: &[Quad], values: &[Quad], seen: usize, found: &mut [f32]) {
        for (quad, numbers) in self.query.iter_mut().zip(query.chunks(4)) {
            let mut padded = [0.0; 4];
            padded[..numbers.len()].copy_from_slice(numbers);
            *quad = F32x4::new(padded) * F32x4::splat(self.scale);
        }
        self.scores(keys, seen);
        let sum = self.softmax(seen);
        self.mix(values, seen);
        for (numbers, quad) in found.chunks_mut(4).zip(&self.mixed) {
            let quad = (*quad / F32x4::splat(sum)).to_array();
            numbers.iter_mut().zip(quad).for_each(|(number, x)| *number = x);
        }
    }

    /// The products with the keys, four at a time: what lies beyond the last position is computed and not used.
    #[inline(never)]
    fn scores(&mut self, keys: &[Quad], seen: usize) {
        let (query, quads) = (&self.query[..], self.query.len());
        self.shares.clear();
        for keys in keys.chunks_exact(AT_ONCE * quads).take(seen.div_ceil(AT_ONCE)) {
            let keys: [&[Quad]; AT_ONCE] = std::array::from_fn(|i| &keys[i * quads..][..quads]);
            let mut lanes = [F32x4::ZERO; AT_ONCE];
            for q in 0..quads {
                for i in 0..AT_ONCE {
                    lanes[i] += query[q] * F32x4::new(keys[i][q]);
                }
            }
            self.shares.push(F32x4::new(sums(lanes)));
        }
    }

    /// `exp(score - highest)` in place of each score; their sum.
    fn softmax(&mut self, seen: usize) -> f32 {
        if let Some(last) = self.shares.last_mut() {
            let mut scores = last.to_array();
            scores[(seen - 1) % AT_ONCE + 1..].fill(LOWEST);
            *last = F32x4::new(scores);
        }
        let highest = self.shares.iter().fold(F32x4::splat(LOWEST), |highest, scores| highest.max(*scores));
        let highest = highest.to_array().into_iter().fold(LOWEST, f32::max);
        let mut sum = F32x4::ZERO;
        for shares in &mut self.shares {
            *shares = (*shares - F32x4::splat(highest)).exp();
            sum += *shares;
        }
        let [a, b, c, d] = sum.to_array();
        (a + b) + (c + d)
    }

    /// The values by their shares, four at a time and then one: what lies beyond the last position is not touched.
    #[inline(never)]
    fn mix(&mut self, values: &[Quad], seen: usize) {
        let (mixed, quads) = (&mut self.mixed[..], self.query.len());
        mixed.fill(F32x4::ZERO);
        let groups = values.chunks_exact(AT_ONCE * quads).zip(&self.shares);
        for (values, shares) in groups.take(seen / AT_ONCE) {
            let values: [&[Quad]; AT_ONCE] = std::array::from_fn(|i| &values[i * quads..][..quads]);
            let shares = shares.to_array().map(F32x4::splat);
            for q in 0..quads {
                let [a, b, c, d]: [F32x4; AT_ONCE] = std::array::from_fn(|i| shares[i] * F32x4::new(values[i][q]));
                mixed[q] += (a + b) + (c + d);
            }
        }
        let done = seen / AT_ONCE * AT_ONCE;
        for position in done..seen {
            let share = F32x4::splat(self.shares[position / AT_ONCE].to_array()[position % AT_ONCE]);
            let values = &values[position * quads..][..quads];
            mixed.iter_mut().zip(values).for_each(|(mixed, value)| *mixed += share * F32x4::new(*value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers from -1 to 1.
    fn numbers(n: usize, seed: u32) -> Vec<f32> {
        let mut state = seed.wrapping_mul(2_654_435_761) | 1;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 23) as f32 - 1.0
        };
        (0..n).map(|_| next()).collect()
    }

    /// The formula in f64 for the last of `rows`, [n, 3 C], which are all that its slot has.
    fn formula(rows: &[f32], heads: usize, width: usize, scale: f64) -> Vec<f64> {
        let c = heads * width;
        let part = |row: usize, part: usize, i: usize| f64::from(rows[row * 3 * c + part * c + i]);
        let n = rows.len() / (3 * c);
        let one = |i: usize| {
            let columns = i / width * width..(i / width + 1) * width;
            let score = |row| columns.clone().map(|d| part(n - 1, 0, d) * part(row, 1, d)).sum::<f64>() * scale;
            let shares: Vec<f64> = (0..n).map(|row| score(row).exp()).collect();
            shares.iter().enumerate().map(|(row, share)| share * part(row, 2, i)).sum::<f64>()
                / shares.iter().sum::<f64>()
        };
        (0..c).map(one).collect()
    }

    fn span(rows: Range<usize>, slot: usize, start: usize) -> Span {
        Span { rows, slot, start }
    }

    /// Widths and lengths that fill no quad and some that do; a prompt in two parts beside another slot.
    #[test]
    fn rows_attend_to_their_own_slot_up_to_themselves() {
        for (heads, width, n) in [(1, 1, 3), (2, 3, 9), (3, 4, 8), (2, 7, 13), (1, 64, 33)] {
            let (c, scale) = (heads * width, 2.0);
            let [ours, theirs] = [1, 2].map(|seed| numbers(n * 3 * c, seed));
            let mut cache = Cache::new(Room { slots: 3, positions: n }, heads, width);
            let first = cache.attend(
                &[&ours[..6 * c], &theirs[..3 * c]].concat(),
                &[span(0..2, 2, 0), span(2..3, 0, 0)],
                scale,
            );
            let rest = [&theirs[3 * c..], &ours[6 * c..]].concat();
            let second = cache.attend(&rest, &[span(0..n - 1, 0, 1), span(n - 1..2 * n - 3, 2, 2)], scale);
            let found = [&first[..2 * c], &second[(n - 1) * c..], &first[2 * c..], &second[..(n - 1) * c]].concat();
            for (i, found) in found.chunks_exact(c).enumerate() {
                let text = if i < n { &ours } else { &theirs };
                for (x, expected) in found.iter().zip(formula(&text[..(i % n + 1) * 3 * c], heads, width, scale)) {
                    assert!((f64::from(*x) - expected).abs() < 2e-6, "{heads} x {width}, row {i}: {x}, not {expected}");
                }
            }
        }
    }

    /// Scores far from 0, and equal: the softmax neither overflows nor vanishes.
    #[test]
    fn shares_of_large_scores_are_those_of_small_ones() {
        for size in [1e-20f32, 1.0, 1e4, -1e4] {
            let mut cache = Cache::new(Room { slots: 1, positions: 6 }, 1, 1);
            let rows: Vec<f32> = (0..6).flat_map(|i| [size, 1e4, i as f32]).collect();
            assert_eq!(cache.attend(&rows, &[span(0..6, 0, 0)], 1.0), [0.0, 0.5, 1.0, 1.5, 2.0, 2.5], "{size}");
        }
    }

    #[test]
    fn slots_are_copied_all_at_once() {
        let mut cache = Cache::new(Room { slots: 3, positions: 4 }, 2, 1);
        // Keys of 0: the mean of the values of a slot.
        let row = |v: f32| [0.0, 0.0, 0.0, 0.0, v, 10.0 * v];
        for (slot, v) in [(0, 1.0), (1, 2.0), (2, 4.0)] {
            cache.attend(&row(v), &[span(0..1, slot, 0)], 1.0);
        }
        cache.reorder(&[1, 0, 0].map(|slot| Source { slot, len: 1 }));
        let spans = [0, 1, 2].map(|slot| span(slot..slot + 1, slot, 1));
        assert_eq!(cache.attend(&[row(0.0); 3].concat(), &spans, 1.0), [1.0, 10.0, 0.5, 5.0, 0.5, 5.0]);
    }

    #[test]
    fn what_no_memory_can_hold_does_not_fit() {
        assert!(has_room(1000) && !has_room(usize::MAX / 4));
    }
}
