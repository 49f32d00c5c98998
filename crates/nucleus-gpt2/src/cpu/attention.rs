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
