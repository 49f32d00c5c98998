//! The token embedding, which is also the head: a [V, C] matrix.

use std::ops::Range;

use burn::tensor::{DType, Device, Int, Tensor, TensorData};
use nucleus_decode::sampler::TokenId;

use crate::checkpoint::Dtype;
use crate::cpu::{self, Matrix};
use crate::weights::WeightFormat;

/// The rows of a [V, C] matrix.
#[derive(Debug)]
pub enum Embedding {
    /// For burn's operations.
    Tensors(Pieces),
    /// For this crate's, on the CPU.
    Cpu(Matrix),
}

/// The rows, cut into tensors of about equal height.
///
/// GPT-2's matrix has 154,389,504 bytes in f32; WebGPU promises bindings of 134,217,728. The results do not depend on
/// the cut: a row is looked up in one piece, and each logit is the product with one row.
#[derive(Debug)]
pub struct Pieces {
    /// [rows, C] each; all but the last have `rows` rows.
    pieces: Vec<Tensor<2>>,
    rows: usize,
}

impl Embedding {
    /// Uploads the matrix, at most `max_bytes` (as f32, at least one row) to a tensor, and never holds more than one
    /// piece in f32 on the way. `bytes` are its V C numbers in `dtype`; `None` where weights do not come in that format.
    pub fn from_bytes(
        bytes: &[u8],
        dtype: Dtype,
        [v, c]: [usize; 2],
        max_bytes: usize,
        device: &Device,
    ) -> Option<Self> {
        let row = c * dtype.size();
        let rows = piece_rows(v, c, max_bytes);
        let upload = |range: Range<usize>| {
            let numbers = dtype.to_f32(&bytes[range.start * row..range.end * row])?;
            Some(Tensor::from_data(TensorData::new(numbers, [range.len(), c]), (device, DType::F32)))
        };
        let pieces = (0..v).step_by(rows).map(|start| upload(start..v.min(start + rows))).collect::<Option<_>>()?;
        Some(Self::Tensors(Pieces { pieces, rows }))
    }

    /// For this crate's kernels on the CPU, with no rows yet: [`pack`](Self::pack) brings them.
    pub fn to_pack([v, c]: [usize; 2], format: WeightFormat) -> Self {
        Self::Cpu(Matrix::with_capacity(format, v, c))
    }

    /// Appends whole rows to a matrix made [`to_pack`](Self::to_pack); `None` where weights do not come in that format.
    pub fn pack(&mut self, bytes: &[u8], dtype: Dtype) -> Option<()> {
        let Self::Cpu(matrix) = self else { return None };
        for row in bytes.chunks_exact(matrix.columns() * dtype.size()) {
            matrix.push(&dtype.to_f32(row)?);
        }
        Some(())
    }

    /// The rows of `ids`, each less than V.
    ///
    /// # Shapes
    /// - result: [n, C] for n ids, at least 1
    pub fn rows_of(&self, ids: &[TokenId], device: &Device) -> Tensor<2> {
        match self {
            Self::Tensors(pieces) => pieces.rows_of(ids, device),
            Self::Cpu(matrix) => {
                let mut numbers = Vec::new();
                ids.iter().for_each(|id| matrix.read_row(id.index(), &mut numbers));
                cpu::tensor(numbers, matrix.columns())
            }
        }
    }

    /// `x` times the transposed matrix.
    ///
    /// # Shapes
    /// - `x`: [n, C]
    /// - result: [n, V]
    pub fn logits(&self, x: Tensor<2>) -> Tensor<2> {
        match self {
            Self::Tensors(pieces) => pieces.logits(&x),
            Self::Cpu(matrix) => {
                let mut logits = vec![0.0; x.dims()[0] * matrix.rows()];
                cpu::with_slice(x, |x| matrix.add_product(x, &mut logits));
                cpu::tensor(logits, matrix.rows())
            }
        }
    }
}

impl Pieces {
    fn rows_of(&self, ids: &[TokenId], device: &Device) -> Tensor<2> {
        let mut order: Vec<usize> = (0..ids.len()).collect();
        order.sort_by_key(|&i| ids[i].index() / self.rows);
        let mut found = Vec::new();
        for group in order.chunk_by(|&a, &b| ids[a].index() / self.rows == ids[b].index() / self.rows) {
            let within = group.iter().map(|&i| ids[i].index() % self.rows);
            found.push(self.pieces[ids[group[0]].index() / self.rows].clone().select(0, indices(within, device)));
        }
        if found.len() == 1 {
            return found.remove(0);
        }
        let mut position = vec![0; ids.len()];
        order.iter().enumerate().for_each(|(place, &i)| position[i] = place);
        Tensor::cat(found, 0).select(0, indices(position.into_iter(), device))
    }

    fn logits(&self, x: &Tensor<2>) -> Tensor<2> {
        let mut parts: Vec<_> = self.pieces.iter().map(|piece| x.clone().matmul(piece.clone().transpose())).collect();
        if parts.len() == 1 { parts.remove(0) } else { Tensor::cat(parts, 1) }
    }
}

/// Rows of C numbers in f32 per piece, so that no piece has more than `max_bytes` and the last is not a sliver.
fn piece_rows(v: usize, c: usize, max_bytes: usize) -> usize {
    let most = (max_bytes / (c * size_of::<f32>())).clamp(1, v);
    v.div_ceil(v.div_ceil(most))
}

fn indices(values: impl Iterator<Item = usize>, device: &Device) -> Tensor<1, Int> {
    let values: Vec<i32> = values.map(|value| value as i32).collect();
    let n = values.len();
    Tensor::from_data(TensorData::new(values, [n]), device)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Row i is [i, 10 i + 1].
    fn bytes(v: usize) -> Vec<u8> {
        (0..v).flat_map(|i| [i as f32, 10.0 * i as f32 + 1.0]).flat_map(f32::to_le_bytes).collect()
    }

    fn cut(v: usize, max_bytes: usize) -> Embedding {
        Embedding::from_bytes(&bytes(v), Dtype::F32, [v, 2], max_bytes, &Device::flex()).unwrap()
    }

    /// In several pieces, in one, and packed.
    fn tables(v: usize) -> Vec<Embedding> {
        let mut packed = Embedding::to_pack([v, 2], WeightFormat::F32);
        bytes(v).chunks(24).for_each(|rows| packed.pack(rows, Dtype::F32).unwrap());
        [8, 24, 1000].into_iter().map(|max_bytes| cut(v, max_bytes)).chain([packed]).collect()
    }

    fn pieces(v: usize, max_bytes: usize) -> usize {
        let Embedding::Tensors(cut) = cut(v, max_bytes) else { panic!("not in pieces") };
        cut.pieces.len()
    }

    #[test]
    fn pieces_are_as_large_as_allowed_and_about_equal() {
        assert_eq!(piece_rows(50_257, 768, 134_217_728), 25_129);
        assert_eq!(piece_rows(50_257, 768, usize::MAX), 50_257);
        assert_eq!(piece_rows(10, 2, 0), 1);
        assert_eq!((pieces(10, 24), pieces(10, 80)), (4, 1));
    }

    #[test]
    fn rows_come_back_in_the_order_asked_for() {
        for (i, table) in tables(10).iter().enumerate() {
            let ids = [9, 0, 3, 3, 8, 2].map(TokenId);
            let rows = table.rows_of(&ids, &Device::flex()).into_data().try_into_vec::<f32>().unwrap();
            let expected: Vec<f32> = ids.iter().flat_map(|id| [id.0 as f32, 10.0 * id.0 as f32 + 1.0]).collect();
            assert_eq!(rows, expected, "table {i}");
        }
    }

    #[test]
    fn logits_are_the_products_with_every_row() {
        for (i, table) in tables(7).iter().enumerate() {
            let x = Tensor::<2>::from_data(TensorData::from([[1.0f32, 0.0], [2.0, 1.0]]), &Device::flex());
            let logits = table.logits(x).into_data().try_into_vec::<f32>().unwrap();
            let expected: Vec<f32> = (0..7).map(|i| i as f32).chain((0..7).map(|i| 12.0 * i as f32 + 1.0)).collect();
            assert_eq!(logits, expected, "table {i}");
        }
    }
}
