//! The tokenizer: `tokenizer.json`, or `vocab.json` and `merges.txt`.

use nucleus_session::{Expected, Failure, Vocabulary};
use nucleus_tokenizer::{Tokenizer, TokenizerError};

use super::folder::{Folder, is_missing};
use super::keeper::Keeper;
use crate::halt::Halt;
use crate::inbox::Inbox;

const WHOLE: &str = "tokenizer.json";
const VOCAB: &str = "vocab.json";
const MERGES: &str = "merges.txt";

/// Fetches and reads the tokenizer of a model whose logits have `n_vocab` columns.
pub(super) async fn load(
    folder: &Folder,
    keeper: &mut Keeper,
    inbox: &Inbox,
    n_vocab: usize,
) -> Result<(Tokenizer, Vocabulary), Halt> {
    let (name, tokenizer) = match folder.small(WHOLE, Expected::Json, keeper, inbox).await {
        Ok(json) => (WHOLE, Tokenizer::from_json(&json)),
        Err(halt) if is_missing(&halt) => match pair(folder, keeper, inbox).await {
            // Where neither is there, the first is what is missed.
            Err(other) if is_missing(&other) => return Err(halt),
            pair => (VOCAB, pair?),
        },
        Err(halt) => return Err(halt),
    };
    let refused = |message| Failure::Tokenizer { address: folder.address(name), message };
    let tokenizer = tokenizer.map_err(|error| refused(error.to_string()))?;
    let known = tokenizer.n_vocab();
    if known > n_vocab {
        let message = format!("it has {known} tokens, but the model gives logits for {n_vocab} only");
        return Err(refused(message).into());
    }
    let (flat, ends) = tokenizer.all_bytes();
    let vocabulary = Vocabulary::new(flat.to_vec(), ends.to_vec()).map_err(|error| refused(error.to_string()))?;
    Ok((tokenizer, vocabulary))
}

async fn pair(folder: &Folder, keeper: &mut Keeper, inbox: &Inbox) -> Result<Result<Tokenizer, TokenizerError>, Halt> {
    let vocab = folder.small(VOCAB, Expected::Json, keeper, inbox).await?;
    let merges = folder.small(MERGES, Expected::Merges, keeper, inbox).await?;
    Ok(Tokenizer::from_vocab_and_merges(&vocab, &merges))
}
