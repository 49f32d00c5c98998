//! A matrix of weights in any of the formats.

use super::{BLOCK, f16, f32, int8, tile};
use crate::weights::WeightFormat;

/// Weights as [rows, columns]: each row gives one number of a result.
#[derive(Debug)]
pub struct Matrix {
    columns: usize,
    rows: usize,
    weights: Weights,
}

/// Row after row, each of [`Matrix::blocks`] blocks.
#[derive(Debug)]
enum Weights {
    F32(Vec<f32::Block>),
    /// With what a row's results are multiplied with.
    F16(Vec<f16::Bits>, Vec<f32>),
    Int8(Vec<int8::Weights>),
}

impl Matrix {
    /// No rows yet, and memory for `rows` of them, each of `columns` numbers, at least 1.
    pub fn with_capacity(format: WeightFormat, rows: usize, columns: usize) -> Self {
        let blocks = rows * columns.div_ceil(BLOCK);
        let weights = match format {
            WeightFormat::F32 => Weights::F32(Vec::with_capacity(blocks)),
            WeightFormat::F16 => Weights::F16(Vec::with_capacity(blocks), Vec::with_capacity(rows)),
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
        match &mut self.weights {
            Weights::F32(all) => all.extend(f32::blocks(row, self.columns)),
            Weights::F16(all, factors) => {
                factors.push(f16::push(row, all));
            }
            Weights::Int8(all) => all.extend(f32::blocks(row, self.columns).iter().map(int8::Weights::nearest)),
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
        let (range, columns) = (i * self.blocks()..(i + 1) * self.blocks(), self.columns);
        match &self.weights {
            Weights::F32(all) => numbers.extend(&all[range].as_flattened().as_flattened()[..columns]),
            Weights::F16(all, factors) => {
                numbers.extend(f16::numbers(&all[range], factors[i]).take(columns));
            }
            Weights::Int8(all) => numbers.extend(all[range].iter().flat_map(int8::Weights::numbers).take(columns)),
        }
    }

    /// Adds the products of the rows of `x` with the rows of the matrix to `y`.
    ///
    /// # Shapes
    /// - `x`: [n, `columns`]
    /// - `y`: [n, `rows`]
    pub fn add_product(&self, x: &[f32], y: &mut [f32]) {
        let (blocks, rows) = (self.blocks(), self.rows);
        match &self.weights {
            Weights::F32(all) => {
                let x = f32::blocks(x, self.columns);
                tile::products::<f32::F32>(all, &x, blocks, |o, r, sum| y[r * rows + o] += sum);
            }
            Weights::F16(all, factors) => {
                let x = f16::inputs(x, self.columns);
                let put = |o: usize, r: usize, sum: f32| y[r * rows + o] += sum * factors[o];
                if x.len() == blocks {
                    tile::products::<f16::F16>(all, &x, blocks, put);
                } else {
                    f16::products_widened(all, &x, blocks, put);
                }
            }
            Weights::Int8(all) => {
                let x: Vec<_> = f32::blocks(x, self.columns).iter().map(int8::Inputs::nearest).collect();
                tile::products::<int8::Int8>(all, &x, blocks, |o, r, sum| y[r * rows + o] += sum);
            }
        }
    }

    /// Blocks in a row.
    fn blocks(&self) -> usize {
        self.columns.div_ceil(BLOCK)
    }
}
