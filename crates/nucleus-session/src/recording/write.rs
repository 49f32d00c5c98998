//! Recording to bytes.

use half::f16;
use nucleus_sampler::TokenId;

use super::{Recording, RecordingError};
use crate::field::Typed;
use crate::tensors::TensorsWriter;

impl Recording {
    /// The file. The same recording gives the same bytes.
    ///
    /// # Errors
    /// When the header cannot be written, which for these types would be a bug.
    pub fn to_bytes(&self) -> Result<Vec<u8>, RecordingError> {
        let mut file = TensorsWriter::default();
        self.write_texts(&mut file);
        self.write_arrays(&mut file);
        Ok(file.finish()?)
    }

    fn write_texts(&self, file: &mut TensorsWriter) {
        let values = &self.values;
        file.text("model", &self.model);
        file.text("title", &self.title);
        file.text("prompt", &values.prompt);
        file.text("special_tokens", values.special_tokens);
        file.text("temperature", values.settings.temperature.to_text());
        file.text("top_k", values.settings.top_k.to_text());
        file.text("top_p", values.settings.top_p.to_text());
        if !values.settings.repetition_penalty.is_off() {
            file.text("repetition_penalty", values.settings.repetition_penalty.to_text());
        }
        file.text("seed", values.seed);
        file.text("new_tokens", values.new_tokens);
        if let Some(token) = self.end_of_text {
            file.text("end_of_text", token);
        }
    }

    fn write_arrays(&self, file: &mut TensorsWriter) {
        if let Some(known) = &self.prompt_log_probabilities {
            let elements = known.iter().map(|p| p.to_le_bytes());
            file.array("prompt_log_probabilities", "F64", &[known.len()], elements);
        }
        let ids = |ids: &[TokenId]| ids.iter().map(|id| id.0.to_le_bytes()).collect::<Vec<_>>();
        file.array("prompt", "U32", &[self.prompt.len()], ids(&self.prompt));
        file.array("tokens", "U32", &[self.tokens.len()], ids(&self.tokens));
        let ends = self.vocabulary.ends();
        file.array("token_ends", "U32", &[ends.len()], ends.iter().map(|end| end.to_le_bytes()));
        let shape = [self.logits.len(), self.logits.first().map_or(0, Vec::len)];
        file.array("logits", "F16", &shape, self.logits.iter().flatten().map(|l: &f16| l.to_le_bytes()));
        let flat = self.vocabulary.flat();
        file.array("token_bytes", "U8", &[flat.len()], flat.iter().map(|&byte| [byte]));
    }
}
