//! The loop that all formats share.

/// Rows of the matrix that are taken at a time, and lie in memory together: the first block of each, then the second of
/// each, and so on. So the weights are one run of memory from the first to the last, which is what a processor's
/// prefetching is made for; four rows one after the other, each of a few kilobytes, are read at half the speed.
pub const O: usize = 4;
/// Rows of inputs that are taken at a time. With [`O`], 12 sums at once: enough to hide the time that an addition takes,
/// and few enough to stay in 16 registers.
const R: usize = 3;

/// How weights and inputs are held, and their dot product.
pub trait Format {
    /// [`BLOCK`](super::BLOCK) weights.
    type Weights;
    /// As many inputs.
    type Inputs;

    /// The products of [`O`] rows of the matrix with `R` rows of inputs. Each product is summed in an order that does not
    /// depend on `R`.
    ///
    /// Functions of their own, so that a browser has the few that matter compiled well soon; and plain loops, which are
    /// sure to be inlined.
    fn tile<const R: usize>(weights: &[[Self::Weights; O]], inputs: [&[Self::Inputs]; R]) -> [[f32; O]; R];
}

/// Every row of weights times every row of inputs: `put(group of rows of weights, row of inputs, products)`.
///
/// `blocks`, at least 1, is the length of a row of either.
pub fn products<F: Format>(
    weights: &[[F::Weights; O]],
    inputs: &[F::Inputs],
    blocks: usize,
    mut put: impl FnMut(usize, usize, [f32; O]),
) {
    for (group, weights) in weights.chunks_exact(blocks).enumerate() {
        let mut several = inputs.chunks_exact(R * blocks);
        let mut row = 0;
        for rows in several.by_ref() {
            let rows = std::array::from_fn(|r| &rows[r * blocks..][..blocks]);
            F::tile::<R>(weights, rows).into_iter().zip(row..).for_each(|(products, row)| put(group, row, products));
            row += R;
        }
        for single in several.remainder().chunks_exact(blocks) {
            let [products] = F::tile::<1>(weights, [single]);
            put(group, row, products);
            row += 1;
        }
    }
}
