//! Tokens as text.

use nucleus_decode::Utf8Stream;
use nucleus_sampler::TokenId;
use nucleus_session::StrategyRun;

/// The text of some tokens; the end of text has none.
pub fn text(work: &StrategyRun, tokens: &[TokenId]) -> String {
    let mut stream = Utf8Stream::new();
    let shown = tokens.iter().filter(|&&id| Some(id) != work.end_of_text());
    let mut text: String = shown.map(|&id| stream.push(work.vocabulary().bytes(id))).collect();
    text.push_str(&stream.finish());
    text
}
