//! A matrix of weights in any of the formats.

use super::tile::{self, O};
use super::{BLOCK, f16, f32, int8};
use crate::weights::WeightFormat;

/// Weights as [rows, columns]: each row gives one number of a result.
#[derive(Debug)]
pub struct Matrix {
    columns: usize,
    rows: usize,
    weights: Weights,
}

/// Group after group of [`O`] rows, the last filled up with zeros; see [`O`] for the order within.
#[derive(Debug)]
enum Weights {
    F32(Vec<[f32::Block; O]>),
    /// With what the results of each row are multiplied with.
    F16(Vec<[f16::Bits; O]>, Vec<[f32; O]>),
    Int8(Vec<[int8::Weights; O]>),
}

impl Matrix {
    /// No rows yet, and memory for `rows` of them, each of `columns` numbers, at least 1.
    pub fn with_capacity(format: WeightFormat, rows: usize, columns: usize) -> Self {
        let groups = rows.div_ceil(O);
        let blocks = groups * columns.div_ceil(BLOCK);
        let weights = match format {
            WeightFormat::F32 => Weights::F32(Vec::with_capacity(blocks)),
            WeightFormat::F16 => Weights::F16(Vec::with_capacity(blocks), Vec::with_capacity(groups)),
            WeightFormat::Int8 => Weights::Int8(Vec::with_capacity(blocks)),
        };
        Self { columns, rows: 0, weights }
    }

    /// From a matrix that is stored the other way round, as [columns, rows].
    pub fn transposed(format: WeightFormat, numbers: &[f32], [columns, rows]: [usize; 2]) -> Self {
        let mut matrix = Self::with_capacity(format, rows, columns);
        for row in 0..rows {
            let numbers: Vec<f32> = numbers[row..].iter().step_by(rows).copied().collect();
            matrix.push(&numbers);
        }
        matrix
    }

    /// Appends a row.
    pub fn push(&mut self, row: &[f32]) {
        let place = self.rows % O;
        match &mut self.weights {
            Weights::F32(all) => append(all, place, f32::blocks(row, self.columns)),
            Weights::F16(all, factors) => {
                let (bits, factor) = f16::encode(row);
                append(all, place, bits);
                append(factors, place, vec![factor]);
            }
            Weights::Int8(all) => {
                append(all, place, f32::blocks(row, self.columns).iter().map(int8::Weights::nearest).collect());
            }
        }
        self.rows += 1;
    }

    /// Numbers in a row.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Rows pushed so far.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The numbers of row `i`, as near as the format holds them, appended to `numbers`.
    pub fn read_row(&self, i: usize, numbers: &mut Vec<f32>) {
        let (group, place, blocks) = (i / O, i % O, self.blocks());
        let end = numbers.len() + self.columns;
        for k in group * blocks..(group + 1) * blocks {
            let block = match &self.weights {
                Weights::F32(all) => all[k][place],
                Weights::F16(all, factors) => f16::decode(all[k][place], factors[group][place]),
                Weights::Int8(all) => all[k][place].numbers(),
            };
            numbers.extend_from_slice(block.as_flattened());
        }
        numbers.truncate(end);
    }

    /// Adds the products of the rows of `x` with the rows of the matrix to `y`.
    ///
    /// # Shapes
    /// - `x`: [n, `columns`]
    /// - `y`: [n, `rows`]
    pub fn add_product(&self, x: &[f32], y: &mut [f32]) {
        let (blocks, rows) = (self.blocks(), self.rows);
        let mut add = |group: usize, r: usize, sums: [f32; O]| {
            let (start, end) = (group * O, rows.min(group * O + O));
            y[r * rows..][start..end].iter_mut().zip(sums).for_each(|(y, sum)| *y += sum);
        };
        match &self.weights {
            Weights::F32(all) => tile::products::<f32::F32>(all, &f32::blocks(x, self.columns), blocks, add),
            Weights::F16(all, factors) => {
                let x = f16::inputs(x, self.columns);
                let scaled = |group: usize, r: usize, sums: [f32; O]| {
                    add(group, r, std::array::from_fn(|o| sums[o] * factors[group][o]));
                };
                if x.len() == blocks {
                    tile::products::<f16::F16>(all, &x, blocks, scaled);
                } else {
                    f16::products_widened(all, &x, blocks, scaled);
                }
            }
            Weights::Int8(all) => {
                let x: Vec<_> = f32::blocks(x, self.columns).iter().map(int8::Inputs::nearest).collect();
                tile::products::<int8::Int8>(all, &x, blocks, add);
            }
        }
    }

    /// Blocks in a row.
    fn blocks(&self) -> usize {
        self.columns.div_ceil(BLOCK)
    }
}

/// Appends a row to groups of rows, at its `place` in the last, which begins with place 0.
fn append<T: Copy + Default>(groups: &mut Vec<[T; O]>, place: usize, row: Vec<T>) {
    if place == 0 {
        groups.resize(groups.len() + row.len(), [T::default(); O]);
    }
    let start = groups.len() - row.len();
    groups[start..].iter_mut().zip(row).for_each(|(group, blocks)| group[place] = blocks);
}
