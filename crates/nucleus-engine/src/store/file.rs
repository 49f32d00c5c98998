//! A file of weights that is kept block by block.

use nucleus_gpt2::checkpoint::checksum;
use web_sys::FileSystemDirectoryHandle;

use super::manifest::{BLOCK, Weights, blocks, bytes_of_blocks};
use super::opfs::{self, Handle, Refused};

/// Bytes of a checksum, little-endian.
const SUM: u64 = 8;

/// The blocks of one file, and their checksums.
pub(super) struct BlockFile {
    data: Handle,
    sums: Handle,
    /// One for each block from the first on.
    known: Vec<u64>,
    bytes: u64,
}

impl BlockFile {
    pub(super) async fn open(folder: &FileSystemDirectoryHandle, file: &Weights) -> Result<Self, Refused> {
        let (data, sums) =
            (Handle::open(folder, &file.name).await?, Handle::open(folder, &sums_name(&file.name)).await?);
        let mut listed = vec![0; usize::try_from(sums.length().min(SUM * blocks(file.bytes))).unwrap_or(0)];
        if !sums.read(0, &mut listed) {
            listed.clear();
        }
        let known = listed.as_chunks().0.iter().copied().map(u64::from_le_bytes).collect();
        Ok(Self { data, sums, known, bytes: file.bytes })
    }

    /// Bytes that are here, from the first on.
    pub(super) fn kept(&self) -> u64 {
        bytes_of_blocks(self.known.len() as u64, self.bytes)
    }

    /// Makes `into` the bytes of a block, or nothing where the block is not here undamaged; whether it is.
    pub(super) fn read(&self, block: u64, into: &mut Vec<u8>) -> bool {
        into.clear();
        let Some(&sum) = usize::try_from(block).ok().and_then(|block| self.known.get(block)) else { return false };
        let (start, end) = (block * BLOCK, bytes_of_blocks(block + 1, self.bytes));
        into.resize((end - start) as usize, 0);
        let sound = self.data.read(start, into) && checksum(into) == sum;
        if !sound {
            into.clear();
        }
        sound
    }

    /// Writes a block: one that is here already, or the next one.
    pub(super) fn write(&mut self, block: u64, bytes: &[u8]) -> Result<(), Refused> {
        let sum = checksum(bytes);
        self.data.write(block * BLOCK, bytes)?;
        self.sums.write(block * SUM, &sum.to_le_bytes())?;
        match self.known.get_mut(block as usize) {
            Some(known) => *known = sum,
            None => self.known.push(sum),
        }
        Ok(())
    }

    /// Forgets every block.
    pub(super) fn clear(&mut self) -> Result<(), Refused> {
        self.known.clear();
        self.sums.truncate(0)?;
        self.data.truncate(0)
    }

    pub(super) fn flush(&self) -> Result<(), Refused> {
        self.data.flush()?;
        self.sums.flush()
    }
}

/// Bytes of a file that are here, as seen without opening it.
pub(super) async fn kept(folder: &FileSystemDirectoryHandle, file: &Weights) -> u64 {
    bytes_of_blocks(opfs::length(folder, &sums_name(&file.name)).await / SUM, file.bytes)
}

fn sums_name(name: &str) -> String {
    format!("{name}.sums")
}
