//! XXH64 by Yann Collet: a checksum that is as fast as reading memory.
//!
//! <https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md>, with seed 0.

const P1: u64 = 0x9E37_79B1_85EB_CA87;
const P2: u64 = 0xC2B2_AE3D_27D4_EB4F;
const P3: u64 = 0x1656_67B1_9E37_79F9;
const P4: u64 = 0x85EB_CA77_C2B2_AE63;
const P5: u64 = 0x27D4_EB2F_1656_67C5;

/// The XXH64 of `bytes`. It finds damage, not malice.
pub fn checksum(bytes: &[u8]) -> u64 {
    let (stripes, rest) = bytes.as_chunks::<32>();
    let start = if stripes.is_empty() { P5 } else { converge(stripes) };
    finish(start.wrapping_add(bytes.len() as u64), rest)
}

/// Four sums that do not wait for each other, one for each 8 bytes of a stripe, become one.
fn converge(stripes: &[[u8; 32]]) -> u64 {
    let mut sums = [P1.wrapping_add(P2), P2, 0, P1.wrapping_neg()];
    for stripe in stripes {
        let lanes = stripe.as_chunks::<8>().0;
        for (sum, lane) in sums.iter_mut().zip(lanes) {
            *sum = round(*sum, u64::from_le_bytes(*lane));
        }
    }
    let [a, b, c, d] = sums;
    let start =
        a.rotate_left(1).wrapping_add(b.rotate_left(7)).wrapping_add(c.rotate_left(12)).wrapping_add(d.rotate_left(18));
    sums.into_iter().fold(start, |all, sum| (all ^ round(0, sum)).wrapping_mul(P1).wrapping_add(P4))
}

fn round(sum: u64, lane: u64) -> u64 {
    sum.wrapping_add(lane.wrapping_mul(P2)).rotate_left(31).wrapping_mul(P1)
}

/// What is left of less than a stripe, and the last mixing.
fn finish(mut hash: u64, rest: &[u8]) -> u64 {
    let (lanes, rest) = rest.as_chunks::<8>();
    for lane in lanes {
        hash = (hash ^ round(0, u64::from_le_bytes(*lane))).rotate_left(27).wrapping_mul(P1).wrapping_add(P4);
    }
    let (halves, bytes) = rest.as_chunks::<4>();
    for half in halves {
        let half = u64::from(u32::from_le_bytes(*half));
        hash = (hash ^ half.wrapping_mul(P1)).rotate_left(23).wrapping_mul(P2).wrapping_add(P3);
    }
    for &byte in bytes {
        hash = (hash ^ u64::from(byte).wrapping_mul(P5)).rotate_left(11).wrapping_mul(P1);
    }
    hash = (hash ^ (hash >> 33)).wrapping_mul(P2);
    hash = (hash ^ (hash >> 29)).wrapping_mul(P3);
    hash ^ (hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values that implementations of XXH64 with seed 0 agree on.
    #[test]
    fn known_sums() {
        for (text, sum) in [
            ("", 0xEF46_DB37_51D8_E999),
            ("a", 0xD24E_C4F1_A98C_6E5B),
            ("abc", 0x44BC_2CF5_AD77_0999),
            ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1),
        ] {
            assert_eq!(checksum(text.as_bytes()), sum, "{text:?}");
        }
    }

    #[test]
    fn one_bit_anywhere_changes_it() {
        let mut bytes: Vec<u8> = (0..100).collect();
        let whole = checksum(&bytes);
        for bit in 0..800 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(checksum(&bytes), whole, "bit {bit}");
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }
}
