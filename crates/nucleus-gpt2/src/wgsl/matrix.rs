//! Weights on the device: packed, in pieces that can be bound, and filled part by part.

use burn::tensor::Device;
use half::f16;

use super::kernel::{Binding, Buffer};
use crate::checkpoint::Dtype;
use crate::weights::WeightFormat;

/// Numbers in the unit that kernels read: a `vec4<f32>`.
pub const QUAD: usize = 4;

/// Numbers that share a scale where weights are held as int8; columns must be a multiple.
pub const BLOCK: usize = 32;

/// A [rows, columns] matrix, row by row; columns are a multiple of [`QUAD`]. A vector is a matrix of one row.
#[derive(Debug)]
pub struct Matrix {
    format: WeightFormat,
    columns: usize,
    pieces: Vec<Piece>,
}

/// The first row of a piece, and how many it has.
pub type Cut = (usize, usize);

/// Some rows of a matrix in a buffer of their own, since a binding may not be larger than a limit.
#[derive(Debug)]
pub struct Piece {
    /// The first row.
    pub first: usize,
    /// How many rows.
    pub rows: usize,
    /// Their numbers.
    pub buffer: Buffer,
}

impl Matrix {
    /// A matrix with anything in it, in pieces of about equal height and of at most `max_bytes`, but at least one row.
    /// `None` where the device is not burn's WebGPU.
    pub fn empty([rows, columns]: [usize; 2], format: WeightFormat, max_bytes: usize, device: &Device) -> Option<Self> {
        let words_of_row = words(columns, format);
        let most = (max_bytes / (4 * words_of_row)).clamp(1, rows);
        let height = rows.div_ceil(rows.div_ceil(most));
        let piece = |first: usize| {
            let rows = height.min(rows - first);
            Some(Piece { first, rows, buffer: Buffer::empty(rows * words_of_row, device)? })
        };
        Some(Self { format, columns, pieces: (0..rows).step_by(height).map(piece).collect::<Option<_>>()? })
    }

    /// Writes numbers from the `at`-th on; `bytes` are those of the file. Both begin and end at a multiple of [`unit`].
    /// `None` where weights do not come in that format.
    pub fn write(&self, at: usize, bytes: &[u8], dtype: Dtype) -> Option<()> {
        let (size, end) = (dtype.size(), at + bytes.len() / dtype.size());
        for piece in &self.pieces {
            let (first, last) = (piece.first * self.columns, (piece.first + piece.rows) * self.columns);
            let (from, to) = (at.max(first), end.min(last));
            if from < to {
                let part = &bytes[(from - at) * size..(to - at) * size];
                let offset = 4 * words(from - first, self.format);
                piece.buffer.write(offset as u64, packed(part, dtype, self.format)?);
            }
        }
        Some(())
    }

    /// The pieces, from the first row on.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The only piece of a matrix that was not to be cut.
    pub fn whole(&self) -> &Buffer {
        &self.pieces[0].buffer
    }

    /// Where it is cut.
    pub fn cuts(&self) -> Vec<Cut> {
        self.pieces.iter().map(|piece| (piece.first, piece.rows)).collect()
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.buffer.bytes()).sum()
    }
}

/// The buffer of a matrix in a module, for the function [`quad`].
pub fn binding(format: WeightFormat) -> Binding {
    match format {
        WeightFormat::F32 => ("w", "vec4<f32>"),
        WeightFormat::F16 => ("w", "vec2<u32>"),
        WeightFormat::Int8 => ("w", "u32"),
    }
}

/// The function `quad(at)`: the `at`-th four numbers of the matrix.
pub fn quad(format: WeightFormat) -> &'static str {
    match format {
        WeightFormat::F32 => include_str!("shaders/quad_f32.wgsl"),
        WeightFormat::F16 => include_str!("shaders/quad_f16.wgsl"),
        WeightFormat::Int8 => include_str!("shaders/quad_int8.wgsl"),
    }
}

/// Numbers that parts of a matrix must be a multiple of.
pub fn unit(format: WeightFormat) -> usize {
    if format == WeightFormat::Int8 { BLOCK } else { QUAD }
}

/// Words of 32 bits that hold `numbers`, a multiple of [`unit`].
fn words(numbers: usize, format: WeightFormat) -> usize {
    match format {
        WeightFormat::F32 => numbers,
        WeightFormat::F16 => numbers / 2,
        WeightFormat::Int8 => numbers / BLOCK * (BLOCK / 4 + 1),
    }
}

/// Numbers as they lie in the file, as they lie on the device. What is too large for an f16 becomes its largest.
fn packed(bytes: &[u8], dtype: Dtype, format: WeightFormat) -> Option<Vec<u8>> {
    match (dtype, format) {
        (Dtype::F32, WeightFormat::F32) | (Dtype::F16, WeightFormat::F16) => return Some(bytes.to_vec()),
        _ => {}
    }
    let numbers = dtype.to_f32(bytes)?;
    let most = f16::MAX.to_f32();
    Some(match format {
        WeightFormat::F32 => numbers.iter().flat_map(|x| x.to_le_bytes()).collect(),
        WeightFormat::F16 => numbers.iter().flat_map(|x| f16::from_f32(x.clamp(-most, most)).to_le_bytes()).collect(),
        WeightFormat::Int8 => numbers.chunks_exact(BLOCK).flat_map(int8_block).collect(),
    })
}

/// 32 numbers as 32 bytes and the scale: the largest in size, of which each byte counts 127ths.
fn int8_block(numbers: &[f32]) -> impl Iterator<Item = u8> {
    let largest = numbers.iter().fold(0.0f32, |largest, x| largest.max(x.abs()));
    let steps = if largest > 0.0 { 127.0 / largest } else { 0.0 };
    numbers.iter().map(move |x| (x * steps).round() as i8 as u8).chain(largest.to_le_bytes())
}
