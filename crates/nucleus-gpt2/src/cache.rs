//! Keys and values of the positions read so far: allocated once, written in place.

use burn::tensor::{Device, Int, Tensor, TensorData};

use crate::config::Config;
use crate::cpu;
use crate::row::Source;

/// One block's share of the cache.
#[derive(Debug)]
pub enum LayerCache {
    /// For burn's operations, on any device.
    Tensors(Box<TensorCache>),
    /// For this crate's attention on the CPU.
    Cpu(cpu::Cache),
}

/// The room that a block's cache has.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Texts side by side.
    pub slots: usize,
    /// Positions of each.
    pub positions: usize,
}

impl LayerCache {
    /// A cache with room for some positions, and nothing in it.
    pub fn new(config: &Config, room: Room, on_cpu: bool, device: &Device) -> Self {
        let (heads, d) = (config.n_head, config.d_head());
        if on_cpu {
            return Self::Cpu(cpu::Cache::new(room, heads, d));
        }
        let zeros = || Tensor::zeros([room.slots, heads, room.positions, d], device);
        Self::Tensors(Box::new(TensorCache { k: zeros(), v: zeros() }))
    }

    /// Puts into each slot what its source has, all at once.
    pub fn reorder(&mut self, sources: &[Source]) {
        match self {
            Self::Tensors(cache) => cache.reorder(sources),
            Self::Cpu(cache) => cache.reorder(sources),
        }
    }
}

/// Keys and values as burn tensors.
#[derive(Debug)]
pub struct TensorCache {
    /// [slots, H, positions, D]; what was not written is never read.
    k: Tensor<4>,
    /// Of the same shape.
    v: Tensor<4>,
}

impl TensorCache {
    /// Writes n positions of a slot from `start` on, and gives back all up to the last of them.
    ///
    /// The caller makes sure that there is room. What is returned are views where the device can make them: drop them
    /// before the next call, or it must copy the whole cache instead of writing to it.
    ///
    /// # Shapes
    /// - `k` and `v`: [1, H, n, D]
    /// - results: [1, H, `start` + n, D]
    pub fn write(&mut self, k: Tensor<4>, v: Tensor<4>, slot: usize, start: usize) -> (Tensor<4>, Tensor<4>) {
        (write(&mut self.k, k, slot, start), write(&mut self.v, v, slot, start))
    }

    fn reorder(&mut self, sources: &[Source]) {
        let longest = sources.iter().map(|source| source.len).max().unwrap_or(0);
        if longest > 0 {
            reorder(&mut self.k, sources, longest);
            reorder(&mut self.v, sources, longest);
        }
    }
}

fn write(store: &mut Tensor<4>, new: Tensor<4>, slot: usize, start: usize) -> Tensor<4> {
    let [_, h, n, d] = new.dims();
    debug_assert!(store.can_mut(), "the cache is still viewed elsewhere, so this write would copy all of it");
    store.inplace(|store| store.slice_assign([slot..slot + 1, 0..h, start..start + n, 0..d], new));
    store.clone().slice([slot..slot + 1, 0..h, 0..start + n, 0..d])
}

fn reorder(store: &mut Tensor<4>, sources: &[Source], longest: usize) {
    let [slots, h, _, d] = store.dims();
    let used = [0..slots, 0..h, 0..longest, 0..d];
    let order: Vec<i32> = sources.iter().map(|source| source.slot as i32).collect();
    let order = Tensor::<1, Int>::from_data(TensorData::new(order, [slots]), &store.device());
    let copies = store.clone().slice(used.clone()).select(0, order);
    store.inplace(|store| store.slice_assign(used, copies));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two heads of width 2, five positions.
    fn cache(slots: usize) -> TensorCache {
        let config =
            Config::from_json(br#"{"model_type": "gpt2", "n_embd": 4, "n_head": 2, "n_positions": 5}"#).unwrap();
        match LayerCache::new(&config, Room { slots, positions: 5 }, false, &Device::flex()) {
            LayerCache::Tensors(cache) => *cache,
            LayerCache::Cpu(_) => panic!("not of tensors"),
        }
    }

    /// [1, 2, n, 2], counting up from `first`.
    fn block(first: f32, n: usize) -> Tensor<4> {
        let numbers: Vec<f32> = (0..4 * n).map(|i| first + i as f32).collect();
        Tensor::from_data(TensorData::new(numbers, [1, 2, n, 2]), &Device::flex())
    }

    fn numbers(tensor: Tensor<4>) -> Vec<f32> {
        tensor.into_data().try_into_vec().unwrap()
    }

    #[test]
    fn what_was_written_comes_back_in_order() {
        let mut cache = cache(1);
        drop(cache.write(block(0.0, 2), block(100.0, 2), 0, 0));
        let (k, v) = cache.write(block(50.0, 1), block(150.0, 1), 0, 2);
        assert_eq!(k.dims(), [1, 2, 3, 2]);
        let expected = [0.0, 1.0, 2.0, 3.0, 50.0, 51.0, 4.0, 5.0, 6.0, 7.0, 52.0, 53.0];
        assert_eq!(numbers(k), expected);
        assert_eq!(numbers(v), expected.map(|x| x + 100.0));
    }

    #[test]
    fn slots_do_not_see_each_other() {
        let mut cache = cache(2);
        drop(cache.write(block(0.0, 2), block(0.0, 2), 1, 0));
        let (k, _) = cache.write(block(20.0, 1), block(20.0, 1), 0, 0);
        assert_eq!(numbers(k), [20.0, 21.0, 22.0, 23.0]);
        let (_, v) = cache.write(block(40.0, 1), block(40.0, 1), 1, 2);
        assert_eq!(numbers(v), [0.0, 1.0, 2.0, 3.0, 40.0, 41.0, 4.0, 5.0, 6.0, 7.0, 42.0, 43.0]);
    }

    #[test]
    fn a_slot_is_copied_as_often_as_it_is_a_source() {
        let mut cache = cache(3);
        (0..3).for_each(|slot| drop(cache.write(block(10.0 * slot as f32, 1), block(0.0, 1), slot, 0)));
        cache.reorder(&[2, 0, 0].map(|slot| Source { slot, len: 1 }));
        for (slot, first) in [(0, 20.0), (1, 0.0), (2, 0.0)] {
            assert_eq!(numbers(cache.k.clone().slice([slot..slot + 1, 0..2, 0..1, 0..2])), numbers(block(first, 1)));
        }
        assert!(cache.k.can_mut());
    }

    /// The store must be the only owner of its memory whenever it is written: then burn writes in place.
    #[test]
    fn the_store_is_uniquely_owned_between_writes() {
        let mut cache = cache(1);
        assert!(cache.k.can_mut() && cache.v.can_mut());
        let views = cache.write(block(0.0, 1), block(0.0, 1), 0, 0);
        assert!(!cache.k.can_mut(), "the views share the memory of the store: nothing was copied");
        drop(views);
        assert!(cache.k.can_mut() && cache.v.can_mut());
    }
}
