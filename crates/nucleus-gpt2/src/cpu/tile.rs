//! The loop that all formats share.

/// How weights and inputs are held, and their dot product.
pub trait Format {
    /// [`BLOCK`](super::BLOCK) weights.
    type Weights;
    /// As many inputs.
    type Inputs;

    /// The products of `O` rows of the matrix with `R` rows of inputs, each row of `blocks` blocks. Each product is
    /// summed in an order that does not depend on `O` and `R`.
    ///
    /// Functions of their own, so that a browser has the few that matter compiled well soon; and plain loops, which are
    /// sure to be inlined.
    fn tile<const O: usize, const R: usize>(
        weights: &[Self::Weights],
        inputs: &[Self::Inputs],
        blocks: usize,
    ) -> [[f32; R]; O];
}

/// Rows of the matrix that are taken at a time. With [`R`], 8 sums at once: enough to hide the time that an addition
/// takes, and few enough to stay in 16 registers.
pub const O: usize = 4;
/// Rows of inputs that are taken at a time.
const R: usize = 2;

/// Every row of weights times every row of inputs: `put(row of weights, row of inputs, product)`.
///
/// `blocks`, at least 1, is the length of a row of either.
pub fn products<F: Format>(
    weights: &[F::Weights],
    inputs: &[F::Inputs],
    blocks: usize,
    mut put: impl FnMut(usize, usize, f32),
) {
    let mut groups = weights.chunks_exact(O * blocks);
    let mut row = 0;
    for group in groups.by_ref() {
        strip::<F, O>(group, inputs, blocks, |o, r, product| put(row + o, r, product));
        row += O;
    }
    for single in groups.remainder().chunks_exact(blocks) {
        strip::<F, 1>(single, inputs, blocks, |_, r, product| put(row, r, product));
        row += 1;
    }
}

/// `O` rows of weights times every row of inputs.
fn strip<F: Format, const O: usize>(
    weights: &[F::Weights],
    inputs: &[F::Inputs],
    blocks: usize,
    mut put: impl FnMut(usize, usize, f32),
) {
    let mut groups = inputs.chunks_exact(R * blocks);
    let mut row = 0;
    for group in groups.by_ref() {
        for (o, sums) in F::tile::<O, R>(weights, group, blocks).into_iter().enumerate() {
            sums.into_iter().zip(row..).for_each(|(sum, r)| put(o, r, sum));
        }
        row += R;
    }
    for single in groups.remainder().chunks_exact(blocks) {
        for (o, [sum]) in F::tile::<O, 1>(weights, single, blocks).into_iter().enumerate() {
            put(o, row, sum);
        }
        row += 1;
    }
}

/// `N` rows, one after the other, as rows.
pub fn cut<T, const N: usize>(all: &[T], blocks: usize) -> [&[T]; N] {
    std::array::from_fn(|i| &all[i * blocks..][..blocks])
}
