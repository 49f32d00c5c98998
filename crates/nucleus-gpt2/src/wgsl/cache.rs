//! Keys and values on the device, and how they are copied.

use burn::tensor::Device;
use nucleus_decode::sampler::TokenId;

use super::kernel::{Buffer, Kernel};
use super::matrix::QUAD;
use super::pass::Scratch;
use crate::config::Config;
use crate::row::{Row, Source};

/// Keys and values of every block: [slots, H, `capacity`, D] each.
#[derive(Debug, Default)]
pub struct Cache {
    /// Positions that a slot has room for.
    pub capacity: usize,
    pub k: Vec<Buffer>,
    pub v: Vec<Buffer>,
    /// One more of these, where there are slots to reorder.
    spare: Option<Buffer>,
}

impl Cache {
    /// A cache with room for `slots` texts of `capacity` positions.
    pub fn empty(config: &Config, slots: usize, capacity: usize, device: &Device) -> Option<Self> {
        let buffer = || Buffer::empty(slots * capacity * config.n_embd, device);
        let layers = || (0..config.n_layer).map(|_| buffer()).collect::<Option<Vec<_>>>();
        let spare = if slots > 1 { Some(buffer()?) } else { None };
        Some(Self { capacity, k: layers()?, v: layers()?, spare })
    }

    /// Puts into each slot what its source has, all at once: each buffer is copied into the spare one and becomes the
    /// spare one of the next. Only positions that were read are copied.
    pub fn reorder(&mut self, sources: &[Source], config: &Config, kernel: &Kernel, scratch: &Scratch) {
        let Some(spare) = &mut self.spare else { return };
        let row = |source: &Source| Row { id: TokenId(0), position: source.len, slot: source.slot };
        scratch.write_params(&sources.iter().map(row).collect::<Vec<_>>(), self.capacity, 0);
        let longest = sources.iter().map(|source| source.len).max().unwrap_or(0);
        let quads = longest * config.d_head() / QUAD;
        let groups = [quads.div_ceil(64).max(1), config.n_head, sources.len()];
        for buffer in self.k.iter_mut().chain(&mut self.v) {
            kernel.launch(groups, [scratch.params(), buffer, spare]);
            std::mem::swap(buffer, spare);
        }
    }
}
