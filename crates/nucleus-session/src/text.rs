//! The text of a run, cut into the pieces that its tokens brought.

use nucleus_decode::{Held, StopStream, StopStrings};
use nucleus_sampler::TokenId;

/// What one generated token brought to the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextPiece {
    /// Which generated token, from 0.
    pub step: usize,
    /// The characters that this token completed, or began and completed. Bytes that are no UTF-8,
    /// and those of a character that the run ended in, are shown as bytes, such as `⟨F0 9F⟩`. Nothing of a stop string.
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
    /// With what may be the start of a stop string: a later token shows it, or completes the string.
    Held,
    /// With the end of a stop string, of which nothing is shown.
    Stopped,
    /// Within a character, and it is the run's last token: the cut bytes are in the text.
    Cut,
    /// It is the end-of-text token, which stands for no characters.
    EndOfText,
}

/// Puts a run's text together while its tokens come in.
#[derive(Clone, Debug)]
pub(crate) struct TextAssembly {
    pieces: Vec<TextPiece>,
    stream: StopStream,
}

impl TextAssembly {
    /// A text that is cut before the first of `stop`.
    pub(crate) fn new(stop: &StopStrings) -> Self {
        Self { pieces: Vec::new(), stream: StopStream::new(stop) }
    }

    /// Takes the next token. History is ids: nothing of this text ever goes back to a model.
    pub(crate) fn push(&mut self, token: TokenId, bytes: &[u8], end_of_text: Option<TokenId>) {
        let step = self.pieces.len();
        if end_of_text == Some(token) {
            self.finish();
            self.pieces.push(TextPiece { step, text: String::new(), end: PieceEnd::EndOfText });
            return;
        }
        let shown = self.stream.push(bytes);
        let end = match (shown.stop, shown.held) {
            (Some(_), _) => PieceEnd::Stopped,
            (None, Some(Held::StopString { .. })) => PieceEnd::Held,
            (None, Some(Held::Character { .. })) => PieceEnd::Partial,
            (None, None) => PieceEnd::Whole,
        };
        self.pieces.push(TextPiece { step, text: shown.text, end });
    }

    /// Shows what was held back and is no stop string, and what is left of a character that nothing completes any more.
    pub(crate) fn finish(&mut self) {
        let in_character = matches!(self.stream.held_back(), Some(Held::Character { .. }));
        let tail = core::mem::replace(&mut self.stream, StopStream::new(&StopStrings::default())).finish();
        if let Some(last) = self.pieces.last_mut()
            && !tail.is_empty()
        {
            last.text.push_str(&tail);
            last.end = if in_character { PieceEnd::Cut } else { PieceEnd::Whole };
        }
    }

    /// The pieces so far, one for each token.
    pub(crate) fn pieces(&self) -> &[TextPiece] {
        &self.pieces
    }

    /// What is held back at the end of the text, and why.
    pub(crate) fn held(&self) -> Option<(Held, &[u8])> {
        self.stream.held_back().map(|held| (held, self.stream.pending()))
    }
}
