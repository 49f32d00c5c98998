//! The text of a run, cut into the pieces that its tokens brought.

use nucleus_decode::Utf8Stream;
use nucleus_sampler::TokenId;

/// What one generated token brought to the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextPiece {
    /// Which generated token, from 0.
    pub step: usize,
    /// The characters that this token completed, or began and completed. Bytes that are no UTF-8,
    /// and those of a character that the run ended in, are shown as bytes, such as `⟨F0 9F⟩`.
    pub text: String,
    /// How the token ends.
    pub end: PieceEnd,
}

/// How a token ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceEnd {
    /// With a whole character.
    Whole,
    /// Within a character, which a later token completes.
    Partial,
    /// Within a character, and it is the run's last token: the cut bytes are in the text.
    Cut,
    /// It is the end-of-text token, which stands for no characters.
    EndOfText,
}

/// Puts a run's text together while its tokens come in.
#[derive(Debug, Default)]
pub(crate) struct TextAssembly {
    pieces: Vec<TextPiece>,
    stream: Utf8Stream,
}

impl TextAssembly {
    /// Takes the next token. History is ids: nothing of this text ever goes back to a model.
    pub(crate) fn push(&mut self, token: TokenId, bytes: &[u8], end_of_text: Option<TokenId>) {
        let step = self.pieces.len();
        if end_of_text == Some(token) {
            self.finish();
            self.pieces.push(TextPiece { step, text: String::new(), end: PieceEnd::EndOfText });
            return;
        }
        let text = self.stream.push(bytes);
        let whole = self.stream.pending().is_empty();
        let end = if whole { PieceEnd::Whole } else { PieceEnd::Partial };
        self.pieces.push(TextPiece { step, text, end });
    }

    /// Shows what is left of a character that nothing completes any more.
    pub(crate) fn finish(&mut self) {
        let tail = core::mem::take(&mut self.stream).finish();
        if let Some(last) = self.pieces.last_mut()
            && !tail.is_empty()
        {
            last.text.push_str(&tail);
            last.end = PieceEnd::Cut;
        }
    }

    /// The pieces so far, one for each token.
    pub(crate) fn pieces(&self) -> &[TextPiece] {
        &self.pieces
    }
}
