//! Weights in f32.

use super::BLOCK;
use super::lanes::{F32x4, sums};
use super::tile::{Format, O};

/// Weights and inputs as they are.
#[derive(Debug)]
pub struct F32;

/// [`BLOCK`] numbers, four at a time.
pub type Block = [[f32; 4]; BLOCK / 4];

impl Format for F32 {
    type Weights = Block;
    type Inputs = Block;

    #[inline(never)]
    fn tile<const R: usize>(weights: &[[Block; O]], inputs: [&[Block]; R]) -> [[f32; O]; R] {
        let inputs = inputs.map(|row| &row[..weights.len()]);
        let mut lanes = [[F32x4::ZERO; O]; R];
        for (k, w) in weights.iter().enumerate() {
            for i in 0..BLOCK / 4 {
                for r in 0..R {
                    let x = F32x4::new(inputs[r][k][i]);
                    for o in 0..O {
                        lanes[r][o] += F32x4::new(w[o][i]) * x;
                    }
                }
            }
        }
        lanes.map(sums)
    }
}

/// Rows of `columns` numbers as rows of whole blocks, padded with zeros.
pub fn blocks(rows: &[f32], columns: usize) -> Vec<Block> {
    let per_row = columns.div_ceil(BLOCK);
    let mut all = vec![[[0.0; 4]; BLOCK / 4]; rows.len() / columns * per_row];
    for (row, blocks) in rows.chunks_exact(columns).zip(all.chunks_exact_mut(per_row)) {
        blocks.as_flattened_mut().as_flattened_mut()[..columns].copy_from_slice(row);
    }
    all
}
