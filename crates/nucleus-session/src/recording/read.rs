//! Bytes to recording.

use core::str::FromStr;

use half::f16;
use nucleus_sampler::{RepetitionPenalty, Settings, Temperature, TokenId, TopK, TopP};

use super::{Recording, RecordingError};
use crate::controls::Values;
use crate::tensors::Tensors;
use crate::vocabulary::Vocabulary;

impl Recording {
    /// Reads a file.
    ///
    /// # Errors
    /// When it is broken, or what it holds does not fit together.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, RecordingError> {
        let file = Tensors::parse(bytes)?;
        let recording = Self {
            model: text(&file, "model")?.to_owned(),
            title: text(&file, "title")?.to_owned(),
            values: values(&file)?,
            prompt: ids(&file, "prompt")?,
            prompt_log_probabilities: prompt_log_probabilities(&file)?,
            end_of_text: end_of_text(&file)?,
            tokens: ids(&file, "tokens")?,
            logits: logits(&file)?,
            vocabulary: vocabulary(&file)?,
        };
        recording.check()?;
        Ok(recording)
    }

    fn check(&self) -> Result<(), RecordingError> {
        let steps = self.logits.len();
        if steps == 0 {
            return Err(RecordingError::NoSteps);
        }
        let mut counts = vec![("tokens", self.tokens.len(), steps)];
        if let Some(known) = &self.prompt_log_probabilities {
            let due = self.prompt.len().saturating_sub(1);
            counts.push(("log-probabilities of the prompt", known.len(), due));
        }
        match counts.into_iter().find(|(_, found, must)| found != must) {
            Some((what, found, must)) => Err(RecordingError::Count { what, found, must }),
            None => Ok(()),
        }
    }
}

fn text<'a>(file: &'a Tensors<'_>, key: &'static str) -> Result<&'a str, RecordingError> {
    file.text(key).ok_or(RecordingError::NoText { key })
}

fn parsed<T: FromStr>(file: &Tensors<'_>, key: &'static str) -> Result<T, RecordingError> {
    let text = text(file, key)?;
    text.parse().map_err(|_| RecordingError::Text { key, text: text.to_owned() })
}

fn checked<T: FromStr, S, E>(
    file: &Tensors<'_>,
    key: &'static str,
    check: impl FnOnce(T) -> Result<S, E>,
) -> Result<S, RecordingError> {
    check(parsed(file, key)?).or_else(|_| {
        let text = text(file, key)?.to_owned();
        Err(RecordingError::Text { key, text })
    })
}

fn values(file: &Tensors<'_>) -> Result<Values, RecordingError> {
    Ok(Values {
        prompt: text(file, "prompt")?.to_owned(),
        special_tokens: parsed(file, "special_tokens")?,
        settings: Settings {
            temperature: checked(file, "temperature", Temperature::new)?,
            top_k: TopK::from(parsed::<u32>(file, "top_k")?),
            top_p: checked(file, "top_p", TopP::new)?,
            repetition_penalty: repetition_penalty(file)?,
        },
        seed: parsed(file, "seed")?,
        new_tokens: parsed(file, "new_tokens")?,
    })
}

/// Recordings from before there was a penalty have none.
fn repetition_penalty(file: &Tensors<'_>) -> Result<RepetitionPenalty, RecordingError> {
    const NAME: &str = "repetition_penalty";
    let known = file.text(NAME).is_some();
    if known { checked(file, NAME, RepetitionPenalty::new) } else { Ok(RepetitionPenalty::OFF) }
}

fn end_of_text(file: &Tensors<'_>) -> Result<Option<TokenId>, RecordingError> {
    let known = file.text("end_of_text").is_some();
    known.then(|| parsed(file, "end_of_text").map(TokenId)).transpose()
}

fn ids(file: &Tensors<'_>, name: &'static str) -> Result<Vec<TokenId>, RecordingError> {
    let ([_], elements) = file.array::<4, 1>(name, "U32")?;
    Ok(elements.iter().map(|&bytes| TokenId(u32::from_le_bytes(bytes))).collect())
}

fn logits(file: &Tensors<'_>) -> Result<Vec<Vec<f16>>, RecordingError> {
    let ([_, n_vocab], elements) = file.array::<2, 2>("logits", "F16")?;
    let row = |row: &[[u8; 2]]| row.iter().map(|&bytes| f16::from_le_bytes(bytes)).collect();
    Ok(elements.chunks(n_vocab.max(1)).map(row).collect())
}

fn prompt_log_probabilities(file: &Tensors<'_>) -> Result<Option<Vec<f64>>, RecordingError> {
    const NAME: &str = "prompt_log_probabilities";
    if !file.has(NAME) {
        return Ok(None);
    }
    let ([_], elements) = file.array::<8, 1>(NAME, "F64")?;
    Ok(Some(elements.iter().map(|&bytes| f64::from_le_bytes(bytes)).collect()))
}

fn vocabulary(file: &Tensors<'_>) -> Result<Vocabulary, RecordingError> {
    let ([_], flat) = file.array::<1, 1>("token_bytes", "U8")?;
    let ([_], ends) = file.array::<4, 1>("token_ends", "U32")?;
    let ends = ends.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect();
    Ok(Vocabulary::new(flat.as_flattened().to_vec(), ends)?)
}
