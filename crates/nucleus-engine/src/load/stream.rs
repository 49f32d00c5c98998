//! Weights from where they are to the device, a block at a time.

use std::ops::Range;

use nucleus_gpt2::checkpoint::TensorInfo;
use nucleus_gpt2::{LoadError, Loader};
use nucleus_session::Failure;

use super::Job;
use super::keeper::Keeper;
use super::progress::Progress;
use super::weights::{Part, Weights};
use crate::halt::Halt;
use crate::store::{BLOCK, blocks, bytes_of_blocks};

/// Blocks after which the device must have taken what it was given.
const SETTLE: u64 = 4;

/// Puts all weights into `loader`. In memory are never more than one block and what the loader itself holds.
pub(super) async fn stream(
    job: &Job<'_>,
    weights: &mut Weights,
    loader: &mut Loader,
    keeper: &mut Keeper,
    progress: &mut Progress<'_>,
) -> Result<(), Halt> {
    let mut block = Vec::with_capacity(BLOCK as usize);
    let mut start = 0;
    for part in &mut weights.parts {
        for number in 0..blocks(part.header.file_length()) {
            fill(&mut block, number, part, keeper, progress).await?;
            put(loader, start + number * BLOCK, &block)
                .map_err(|error| Failure::Checkpoint { address: part.supply.address(), message: error.to_string() })?;
            if number % SETTLE == SETTLE - 1 {
                job.inbox.unless_ended(loader.settle()).await?.map_err(device_lost)?;
            }
            job.give_way().await?;
        }
        start += part.header.file_length();
    }
    Ok(())
}

fn device_lost(error: LoadError) -> Failure {
    Failure::DeviceLost { message: error.to_string() }
}

/// Makes `block` the bytes of a block: those that are kept, else those that come, which are then kept.
async fn fill(
    block: &mut Vec<u8>,
    number: u64,
    part: &mut Part,
    keeper: &mut Keeper,
    progress: &mut Progress<'_>,
) -> Result<(), Halt> {
    let total = part.header.file_length();
    let (from, until) = (number * BLOCK, bytes_of_blocks(number + 1, total));
    let kept = keeper.weights(&part.name).map(|(file, _)| file);
    if kept.is_some_and(|file| keeper.read(file, number, block)) {
        progress.came(until - from);
        return Ok(());
    }
    block.clear();
    let known = part.head.get(from as usize..part.head.len().min(until as usize)).unwrap_or_default();
    block.extend_from_slice(known);
    progress.came(known.len() as u64);
    let at = from + block.len() as u64;
    // A damaged block in the middle is asked for alone.
    let goal = if kept.is_some_and(|file| keeper.kept_blocks(file) > number + 1) { until } else { total };
    if at < until {
        part.supply.read(at, until, goal, block, progress).await?;
    }
    let received = from + block.len() as u64;
    if received < until {
        return Err(Failure::Incomplete { address: part.supply.address(), received, expected: total }.into());
    }
    if let Some(file) = kept {
        keeper.write(file, number, block).await;
    }
    Ok(())
}

/// Gives the loader what a block at `start` holds of its tensors.
fn put(loader: &mut Loader, start: u64, block: &[u8]) -> Result<(), LoadError> {
    let pieces: Vec<_> =
        pieces(loader.wanted(), start, block.len()).map(|(tensor, piece)| (tensor.name.clone(), piece)).collect();
    pieces.into_iter().try_for_each(|(name, piece)| loader.put_part(&name, &block[piece]))
}

/// The tensors of which a block at `start` holds bytes, and which bytes of the block those are.
fn pieces(tensors: &[TensorInfo], start: u64, length: usize) -> impl Iterator<Item = (&TensorInfo, Range<usize>)> {
    let end = start + length as u64;
    let first = tensors.partition_point(|tensor| tensor.range.end <= start);
    tensors[first..].iter().take_while(move |tensor| tensor.range.start < end).map(move |tensor| {
        let piece = tensor.range.start.max(start) - start..tensor.range.end.min(end) - start;
        (tensor, piece.start as usize..piece.end as usize)
    })
}

#[cfg(test)]
mod tests {
    use nucleus_gpt2::checkpoint::Dtype;
    #[cfg(target_family = "wasm")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    #[test]
    fn every_byte_of_every_tensor_comes_once_and_in_order() {
        let ranges = [10..13, 13..14, 20..41, 41..42];
        let tensor = |range: &Range<u64>| TensorInfo {
            name: range.start.to_string().into(),
            dtype: Dtype::F32,
            shape: Vec::new(),
            range: range.clone(),
        };
        let tensors: Vec<TensorInfo> = ranges.iter().map(tensor).collect();
        for length in 1..50 {
            let mut bytes = Vec::new();
            for start in (0..50).step_by(length) {
                let pieces = pieces(&tensors, start as u64, length);
                bytes.extend(pieces.flat_map(|(_, piece)| piece.map(move |byte| (start + byte) as u64)));
            }
            assert_eq!(bytes, ranges.iter().cloned().flatten().collect::<Vec<u64>>(), "blocks of {length}");
        }
    }
}
