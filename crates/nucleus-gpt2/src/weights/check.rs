//! What the header must say.

use std::collections::HashMap;

use super::{LoadError, names};
use crate::checkpoint::{Dtype, Header, Shape, TensorInfo};
use crate::config::Config;

/// The tensors of the file that the model needs, in the order of the file.
///
/// # Errors
/// [`LoadError`] that names the first tensor that is missing, extra, of the wrong shape or in another number format.
pub fn check(config: &Config, header: &Header) -> Result<Vec<TensorInfo>, LoadError> {
    let expected = names::expected(config);
    let head = (names::HEAD.into(), vec![config.n_vocab, config.n_embd]);
    let shapes: HashMap<_, _> = expected.iter().chain([&head]).map(|(name, shape)| (&**name, shape)).collect();
    let mut wanted = HashMap::new();
    for tensor in header.tensors().iter().filter(|tensor| !names::is_mask(names::plain(&tensor.name), config)) {
        let (name, plain, found) = (tensor.name.clone(), names::plain(&tensor.name), Shape(tensor.shape.clone()));
        match shapes.get(plain) {
            None => return Err(LoadError::Extra { name, found }),
            Some(&shape) if *shape != found.0 => {
                return Err(LoadError::Misshapen { name, found, expected: Shape(shape.clone()) });
            }
            Some(_) if matches!(tensor.dtype, Dtype::Other { .. }) => {
                return Err(LoadError::Dtype { name, dtype: tensor.dtype.name() });
            }
            Some(_) if wanted.insert(plain, tensor).is_some() => return Err(LoadError::Twice { name: plain.into() }),
            Some(_) => {}
        }
    }
    let must = expected.iter().chain((!config.tie_word_embeddings).then_some(&head));
    if let Some((name, shape)) = must.into_iter().find(|(name, _)| !wanted.contains_key(&**name)) {
        return Err(LoadError::Missing { name: name.clone(), expected: Shape(shape.clone()) });
    }
    let mut wanted: Vec<_> = wanted.into_values().cloned().collect();
    wanted.sort_by_key(|tensor| tensor.range.start);
    Ok(wanted)
}
