//! Between burn's tensors on the CPU and slices. A Flex tensor is a run of memory: nothing is copied that lies in order.

use burn::backend::Flex;
use burn::tensor::{Device, Tensor, TensorData};

/// What `read` makes of the numbers of a tensor, row after row.
///
/// # Panics
/// If the tensor is not one of f32 on the CPU, which would be a bug: matrices in this module's form are made there only.
pub fn with_slice<const D: usize, T>(x: Tensor<D>, read: impl FnOnce(&[f32]) -> T) -> T {
    let x = x.try_into_primitive::<Flex>().expect("the tensor is on the CPU").to_contiguous();
    read(x.as_slice().expect("the tensor is of f32, in order"))
}

/// Rows of `columns` numbers as a tensor.
///
/// # Shapes
/// - result: [n, `columns`]
pub fn tensor(numbers: Vec<f32>, columns: usize) -> Tensor<2> {
    let rows = numbers.len() / columns;
    Tensor::from_data(TensorData::new(numbers, [rows, columns]), &Device::flex())
}
