//! The numbers of a plan.

use nucleus_gpt2::Config;
use nucleus_gpt2::checkpoint::{Dtype, TensorInfo};
use nucleus_session::{Failure, WeightFormat};

/// Weights in a block of 8-bit integers that share a scale.
const INT8_BLOCK: u64 = 32;

/// Bytes of WebAssembly's memory that weights and cache may take on the CPU: of 4 GiB, the rest is for everything else.
const HEAP: u64 = (4 << 30) - (256 << 20);

/// How the weights will be held: as the reader chose, else as the file has them.
pub(super) fn format(choice: Option<WeightFormat>, tensors: &[TensorInfo]) -> WeightFormat {
    let mut matrices = tensors.iter().filter(|tensor| is_matrix(tensor)).peekable();
    let all_f16 = matrices.peek().is_some() && matrices.all(|tensor| tensor.dtype == Dtype::F16);
    choice.unwrap_or(if all_f16 { WeightFormat::F16 } else { WeightFormat::F32 })
}

/// The number formats of the file, that of the most bytes first: `F32`, or `F16, F32`.
pub(super) fn stored(wanted: &[TensorInfo]) -> String {
    let mut formats: Vec<(&str, u64)> = Vec::new();
    for tensor in wanted {
        let (name, bytes) = (tensor.dtype.name(), tensor.range.end - tensor.range.start);
        match formats.iter_mut().find(|(known, _)| *known == name) {
            Some((_, sum)) => *sum += bytes,
            None => formats.push((name, bytes)),
        }
    }
    formats.sort_by_key(|&(_, bytes)| std::cmp::Reverse(bytes));
    formats.into_iter().map(|(name, _)| name).collect::<Vec<_>>().join(", ")
}

/// Numbers among the weights; a head that is the token embedding counts once.
pub(super) fn parameters(wanted: &[TensorInfo], config: &Config) -> u64 {
    held(wanted, config).map(numbers).sum()
}

/// Bytes of weights and cache on the device. What is no matrix of a product stays in 32 bits.
pub(super) fn device_memory(wanted: &[TensorInfo], config: &Config, format: WeightFormat) -> u64 {
    let weights: u64 = held(wanted, config).map(|tensor| bytes(tensor, format)).sum();
    let cache = [2, config.n_layer, config.n_ctx, config.n_embd, size_of::<f32>()];
    weights + cache.iter().map(|&size| size as u64).product::<u64>()
}

/// Bytes of the largest tensor, as it will be held.
pub(super) fn largest_tensor(wanted: &[TensorInfo], format: WeightFormat) -> u64 {
    wanted.iter().map(|tensor| bytes(tensor, format)).max().unwrap_or(0)
}

/// Refuses what the device cannot hold, before it is fetched. The token embedding and the head are split where they are
/// too large for one binding; other tensors are not.
pub(super) fn check(
    name: &str,
    wanted: &[TensorInfo],
    format: WeightFormat,
    device_memory: u64,
    largest_binding: u64,
    on_cpu: bool,
) -> Result<(), Failure> {
    let refuse = |what: String, needed, limit| Failure::TooLarge { name: name.to_owned(), what, needed, limit };
    if on_cpu && device_memory > HEAP {
        return Err(refuse("the model".into(), device_memory, HEAP));
    }
    let whole = wanted.iter().filter(|tensor| !is_embedding(&tensor.name));
    match whole.map(|tensor| (tensor, bytes(tensor, format))).find(|(_, bytes)| *bytes > largest_binding) {
        Some((tensor, bytes)) => Err(refuse(format!("the tensor {}", tensor.name), bytes, largest_binding)),
        None => Ok(()),
    }
}

/// The tensors that are held: where the head is tied, a copy of it in the file is not.
fn held<'a>(wanted: &'a [TensorInfo], config: &Config) -> impl Iterator<Item = &'a TensorInfo> + use<'a> {
    let tied = config.tie_word_embeddings;
    wanted.iter().filter(move |tensor| !(tied && &*tensor.name == "lm_head.weight"))
}

fn bytes(tensor: &TensorInfo, format: WeightFormat) -> u64 {
    let numbers = numbers(tensor);
    match format {
        WeightFormat::F16 if is_matrix(tensor) => 2 * numbers,
        WeightFormat::Int8 if is_matrix(tensor) => numbers + 4 * numbers.div_ceil(INT8_BLOCK),
        _ => 4 * numbers,
    }
}

fn numbers(tensor: &TensorInfo) -> u64 {
    tensor.shape.iter().map(|&size| size as u64).product()
}

/// A matrix that a vector is multiplied with: not the positions, of which rows are looked up.
fn is_matrix(tensor: &TensorInfo) -> bool {
    tensor.shape.len() == 2 && !tensor.name.ends_with("wpe.weight")
}

fn is_embedding(name: &str) -> bool {
    name.ends_with("wte.weight") || name.ends_with("lm_head.weight")
}

#[cfg(test)]
mod tests {
    #[cfg(target_family = "wasm")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    fn config(fields: &str) -> Config {
        Config::from_json(format!(r#"{{"model_type": "gpt2", "n_layer": 2{fields}}}"#).as_bytes()).unwrap()
    }

    fn tensor(name: &str, dtype: Dtype, shape: &[usize]) -> TensorInfo {
        let bytes = shape.iter().product::<usize>() * dtype.size();
        TensorInfo { name: name.into(), dtype, shape: shape.to_vec(), range: 0..bytes as u64 }
    }

    /// 1000 x 64 token embedding, 10 x 64 positions, a vector of 64.
    fn tensors(dtype: Dtype) -> Vec<TensorInfo> {
        vec![
            tensor("transformer.wte.weight", dtype, &[1000, 64]),
            tensor("transformer.wpe.weight", Dtype::F32, &[10, 64]),
            tensor("transformer.ln_f.weight", Dtype::F32, &[64]),
        ]
    }

    #[test]
    fn weights_are_held_as_chosen_or_as_in_the_file() {
        let f16 = tensors(Dtype::F16);
        assert_eq!(format(None, &f16), WeightFormat::F16);
        assert_eq!(format(None, &tensors(Dtype::F32)), WeightFormat::F32);
        assert_eq!(format(None, &tensors(Dtype::Bf16)), WeightFormat::F32);
        assert_eq!(format(Some(WeightFormat::Int8), &f16), WeightFormat::Int8);
        assert_eq!(format(None, &[]), WeightFormat::F32);
        assert_eq!((stored(&f16), stored(&tensors(Dtype::F32))), ("F16, F32".into(), "F32".into()));
    }

    #[test]
    fn memory_is_that_of_the_weights_and_of_the_cache() {
        let (wanted, config) = (tensors(Dtype::F32), config(r#", "n_positions": 10, "n_embd": 64, "n_head": 2"#));
        let cache = 2 * 2 * 10 * 64 * 4;
        let vectors = 4 * (640 + 64);
        let of = |format| device_memory(&wanted, &config, format) - cache;
        assert_eq!(of(WeightFormat::F32), 4 * 64_000 + vectors);
        assert_eq!(of(WeightFormat::F16), 2 * 64_000 + vectors);
        assert_eq!(of(WeightFormat::Int8), 64_000 + 4 * 2000 + vectors);
        assert_eq!(largest_tensor(&wanted, WeightFormat::F16), 128_000);
    }

    #[test]
    fn a_copy_of_the_tied_head_counts_once() {
        let mut wanted = tensors(Dtype::F32);
        let one = parameters(&wanted, &config(""));
        wanted.push(tensor("lm_head.weight", Dtype::F32, &[1000, 64]));
        assert_eq!(parameters(&wanted, &config("")), one);
        assert_eq!(parameters(&wanted, &config(r#", "tie_word_embeddings": false"#)), one + 64_000);
    }

    /// CASE 29: what is larger than a binding is split, or refused before the download.
    #[test]
    fn what_the_device_cannot_hold_is_refused_with_both_numbers() {
        let mut wanted = tensors(Dtype::F32);
        let check = |wanted: &[TensorInfo], memory, limit, cpu| {
            check("x", wanted, WeightFormat::F32, memory, limit, cpu).map_err(|failure| failure.to_string())
        };
        assert_eq!(check(&wanted, 1 << 40, 100_000, false), Ok(()), "the embedding is split");
        wanted.push(tensor("h.0.mlp.c_fc.weight", Dtype::F32, &[200, 200]));
        let refused = check(&wanted, 0, 100_000, false).unwrap_err();
        assert!(refused.contains("c_fc") && refused.contains("160000") && refused.contains("100000"), "{refused}");
        let refused = check(&wanted, 5 << 30, u64::MAX, true).unwrap_err();
        assert!(refused.contains("5368709120") && refused.contains("4026531840"), "{refused}");
    }
}
