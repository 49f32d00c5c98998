//! The number formats of safetensors, and the three that weights come in.

use half::{bf16, f16};

/// How a tensor's numbers are stored. All are little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dtype {
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary16.
    F16,
    /// The upper half of a binary32.
    Bf16,
    /// A format that the safetensors crate knows and that weights do not come in; causal masks do.
    Other {
        /// The format's name.
        name: &'static str,
        /// Bytes per number.
        size: usize,
    },
}

/// Names and sizes in bytes, from the safetensors crate's `Dtype`.
const OTHERS: [(&str, usize); 12] = [
    ("BOOL", 1),
    ("U8", 1),
    ("I8", 1),
    ("F8_E5M2", 1),
    ("F8_E4M3", 1),
    ("I16", 2),
    ("U16", 2),
    ("I32", 4),
    ("U32", 4),
    ("I64", 8),
    ("U64", 8),
    ("F64", 8),
];

impl Dtype {
    /// The format that a header calls `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "F32" => Some(Self::F32),
            "F16" => Some(Self::F16),
            "BF16" => Some(Self::Bf16),
            _ => OTHERS.iter().find(|other| other.0 == name).map(|&(name, size)| Self::Other { name, size }),
        }
    }

    /// The name in a header.
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "F32",
            Self::F16 => "F16",
            Self::Bf16 => "BF16",
            Self::Other { name, .. } => name,
        }
    }

    /// Bytes per number.
    pub fn size(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F16 | Self::Bf16 => 2,
            Self::Other { size, .. } => size,
        }
    }

    /// The numbers as f32, exactly: every f16 and bf16 is one. `None` for the formats that weights do not come in.
    ///
    /// `bytes` holds whole numbers; what remains of a last one is left out.
    pub fn to_f32(self, bytes: &[u8]) -> Option<Vec<f32>> {
        let pairs = || bytes.as_chunks().0.iter().copied();
        Some(match self {
            Self::F32 => bytes.as_chunks().0.iter().copied().map(f32::from_le_bytes).collect(),
            Self::F16 => pairs().map(|pair| f16::from_le_bytes(pair).to_f32()).collect(),
            Self::Bf16 => pairs().map(|pair| bf16::from_le_bytes(pair).to_f32()).collect(),
            Self::Other { .. } => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_f16_becomes_the_same_number() {
        let bytes: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
        let numbers = Dtype::F16.to_f32(&bytes).unwrap();
        // 1, the largest, the smallest subnormal, minus infinity: IEEE 754-2008, table 3.5.
        assert_eq!((numbers[0x3c00], numbers[0x7bff], numbers[0x0001]), (1.0, 65504.0, 2f32.powi(-24)));
        assert_eq!(numbers[0xfc00], f32::NEG_INFINITY);
        assert!(numbers[0x7e00].is_nan());
    }

    #[test]
    fn bf16_is_the_upper_half_of_f32() {
        let bits = std::f32::consts::PI.to_bits() >> 16;
        let numbers = Dtype::Bf16.to_f32(&(bits as u16).to_le_bytes()).unwrap();
        assert_eq!(numbers, [f32::from_bits(bits << 16)]);
    }

    #[test]
    fn names_go_there_and_back_and_masks_are_not_weights() {
        for name in OTHERS.iter().map(|other| other.0).chain(["F32", "F16", "BF16"]) {
            assert_eq!(Dtype::from_name(name).unwrap().name(), name);
        }
        assert_eq!(Dtype::from_name("Q4_K"), None);
        assert_eq!(Dtype::from_name("BOOL").unwrap().to_f32(&[1]), None);
    }
}
