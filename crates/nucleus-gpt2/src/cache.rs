//! Keys and values of the positions read so far: allocated once, written in place.

use burn::tensor::{Device, Tensor};

use crate::config::Config;

/// One block's share of the cache.
#[derive(Debug)]
pub struct LayerCache {
    /// [1, H, `n_ctx`, D]; what lies beyond `len` is left over and never read.
    k: Tensor<4>,
    /// Of the same shape.
    v: Tensor<4>,
    /// Positions written.
    len: usize,
}

impl LayerCache {
    /// An empty cache with room for all `n_ctx` positions.
    pub fn new(config: &Config, device: &Device) -> Self {
        let zeros = || Tensor::zeros([1, config.n_head, config.n_ctx, config.d_head()], device);
        Self { k: zeros(), v: zeros(), len: 0 }
    }

    /// Positions in the cache.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Forgets all positions but the first `len`, of those that are there. The memory stays.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Writes n positions after those already there, and gives all of them back.
    ///
    /// The caller makes sure that there is room. What is returned are views where the device can make them: drop them
    /// before the next call, or it must copy the whole cache instead of writing to it.
    ///
    /// # Shapes
    /// - `k` and `v`: [1, H, n, D]
    /// - results: [1, H, `len`, D], with the new `len`
    pub fn append(&mut self, k: Tensor<4>, v: Tensor<4>) -> (Tensor<4>, Tensor<4>) {
        let start = self.len;
        self.len += k.dims()[2];
        (write(&mut self.k, k, start), write(&mut self.v, v, start))
    }
}

fn write(store: &mut Tensor<4>, new: Tensor<4>, start: usize) -> Tensor<4> {
    let [_, h, n, d] = new.dims();
    debug_assert!(store.can_mut(), "the cache is still viewed elsewhere, so this write would copy all of it");
    store.inplace(|store| store.slice_assign([0..1, 0..h, start..start + n, 0..d], new));
    store.clone().slice([0..1, 0..h, 0..start + n, 0..d])
}

#[cfg(test)]
mod tests {
    use burn::tensor::TensorData;

    use super::*;

    fn cache() -> LayerCache {
        let config =
            Config::from_json(br#"{"model_type": "gpt2", "n_embd": 4, "n_head": 2, "n_positions": 5}"#).unwrap();
        LayerCache::new(&config, &Device::flex())
    }

    /// [1, 2, n, 2], counting up from `first`.
    fn block(first: f32, n: usize) -> Tensor<4> {
        let numbers: Vec<f32> = (0..4 * n).map(|i| first + i as f32).collect();
        Tensor::from_data(TensorData::new(numbers, [1, 2, n, 2]), &Device::flex())
    }

    #[test]
    fn what_was_written_comes_back_in_order() {
        let mut cache = cache();
        drop(cache.append(block(0.0, 2), block(100.0, 2)));
        let (k, v) = cache.append(block(50.0, 1), block(150.0, 1));
        assert_eq!((cache.len(), k.dims()), (3, [1, 2, 3, 2]));
        let expected = [0.0, 1.0, 2.0, 3.0, 50.0, 51.0, 4.0, 5.0, 6.0, 7.0, 52.0, 53.0];
        assert_eq!(k.into_data().try_into_vec::<f32>().unwrap(), expected);
        assert_eq!(v.into_data().try_into_vec::<f32>().unwrap(), expected.map(|x| x + 100.0));
    }

    #[test]
    fn cleared_positions_are_not_seen_again() {
        let mut cache = cache();
        drop(cache.append(block(0.0, 4), block(0.0, 4)));
        cache.truncate(0);
        let (k, _) = cache.append(block(9.0, 1), block(9.0, 1));
        assert_eq!(k.into_data().try_into_vec::<f32>().unwrap(), [9.0, 10.0, 11.0, 12.0]);
    }

    /// The store must be the only owner of its memory whenever it is written: then burn writes in place.
    #[test]
    fn the_store_is_uniquely_owned_between_writes() {
        let mut cache = cache();
        assert!(cache.k.can_mut() && cache.v.can_mut());
        let views = cache.append(block(0.0, 1), block(0.0, 1));
        assert!(!cache.k.can_mut(), "the views share the memory of the store: nothing was copied");
        drop(views);
        assert!(cache.k.can_mut() && cache.v.can_mut());
    }
}
