//! The votes of several samples.

use nucleus_charts::{Node, VoteSample, votes};
use nucleus_decode::{Answer, Vote};
use nucleus_sampler::TokenId;
use nucleus_session::{Progress, Session, StrategyRun};

use super::words::text;

/// The view of self-consistency, by the rule that stands in the form now.
pub fn vote(session: &Session, work: &StrategyRun) -> Vec<Node> {
    let mut samples: Vec<Vec<TokenId>> = Vec::new();
    let mut is_ended = false;
    for told in &work.told {
        match told {
            Progress::Sampled { sample, token, .. } => {
                samples.resize_with(samples.len().max(*sample as usize + 1), Vec::new);
                samples[*sample as usize].push(*token);
            }
            Progress::Ended(_) => is_ended = true,
            _ => {}
        }
    }
    if samples.is_empty() {
        return Vec::new();
    }
    let Some(extractor) = session.extractor() else { return Vec::new() };
    let n_over = if is_ended || work.is_over() { samples.len() } else { samples.len() - 1 };
    let texts: Vec<String> = samples.iter().map(|tokens| text(work, tokens)).collect();
    let answers: Vec<Option<Answer>> = texts.iter().map(|text| extractor.answer(text)).collect();
    let counted = answers.iter().take(n_over).map(|answer| answer.as_ref().map(|answer| answer.value.as_str()));
    let shown: Vec<VoteSample> = texts
        .iter()
        .zip(&answers)
        .enumerate()
        .map(|(i, (text, answer))| VoteSample { text, answer: answer.as_ref(), is_over: i < n_over })
        .collect();
    vec![votes(&Vote::new(counted), &shown)]
}
