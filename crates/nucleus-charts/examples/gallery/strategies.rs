//! Runs of the strategies that the gallery shows: batches, slots, searches and votes.

#[allow(clippy::unwrap_used, reason = "shared with the tests, which fail by panicking")]
#[path = "../../tests/common/beams.rs"]
mod beams;

use std::error::Error;

use nucleus_charts::{BeamRun, Size, SlotRun, VoteSample, batch_grid, beam_tree, slot_timeline, votes};
use nucleus_decode::{
    Answer, AnswerRule, BatchStep, Extractor, PaddedGrid, Request, RowStep, RowToken, SlotStep, SlotsStep, StopReason,
    Timeline, Vote,
};
use nucleus_sampler::TokenId;
use serde_json::Value;

use crate::Words;

/// The reference's batch, with and without an end-of-text token, each token with a log-probability of -1.
pub fn batches(reference: &Value, words: &Words) -> Result<String, Box<dyn Error>> {
    let ids = |row: &Value| -> Vec<TokenId> {
        row.as_array().into_iter().flatten().filter_map(Value::as_u64).map(|id| TokenId(id as u32)).collect()
    };
    let rows = |of: &Value| -> Vec<Vec<TokenId>> { of.as_array().into_iter().flatten().map(ids).collect() };
    let batch = &reference["batch"];
    let masks = rows(&batch["attention_mask"]);
    let unmasked = |(ids, mask): (Vec<TokenId>, &Vec<TokenId>)| -> Vec<TokenId> {
        ids.into_iter().zip(mask).filter(|(_, mask)| mask.0 == 1).map(|(id, _)| id).collect()
    };
    let prompts: Vec<Vec<TokenId>> = rows(&batch["input_ids"]).into_iter().zip(&masks).map(unmasked).collect();
    let pad = TokenId(reference["pad"].as_u64().ok_or("no pad id")? as u32);
    let eos = reference["batch_eos"]["eos"].as_u64().map(|id| TokenId(id as u32));
    let mut out = String::from("<section><h2>Batches</h2>");
    for (new_tokens, n_steps) in
        [(&batch["new_tokens"], 0), (&batch["new_tokens"], 3), (&reference["batch_eos"]["new_tokens"], 20)]
    {
        let mut grid = PaddedGrid::new(&prompts, pad);
        let mut done = vec![None; prompts.len()];
        for index in 0..n_steps {
            let step = rows(new_tokens)
                .iter()
                .zip(&mut done)
                .map(|(tokens, done)| row_step(tokens, index, eos, pad, done))
                .collect();
            grid.push(&BatchStep { index, rows: step });
        }
        out.push_str(&batch_grid(&grid, words).to_html());
    }
    out.push_str("</section>");
    Ok(out)
}

fn row_step(
    tokens: &[TokenId],
    index: usize,
    eos: Option<TokenId>,
    pad: TokenId,
    done: &mut Option<(StopReason, f64)>,
) -> RowStep {
    if let Some((reason, sum)) = *done {
        return RowStep::Frozen { pad, sum, reason };
    }
    let (token, sum) = (tokens[index], -1.0 - index as f64);
    let reason = match eos == Some(token) {
        true => Some(StopReason::EndOfText),
        false if index + 1 == tokens.len() => Some(StopReason::TokenLimit),
        false => None,
    };
    *done = reason.map(|reason| (reason, sum));
    RowStep::Drawn(RowToken { token, log_probability: -1.0, sum, done: reason })
}

/// Requests of known lengths, served in the order of their arrival.
pub fn slots(width: f64) -> String {
    let runs: [(usize, &[(usize, usize)]); 4] = [
        (2, &[(0, 3), (0, 5), (1, 2), (9, 1)]),
        (4, &[(0, 20), (0, 3), (0, 5), (0, 9), (2, 6), (3, 12), (3, 4), (8, 8), (15, 5), (16, 9), (16, 2), (30, 4)]),
        (3, &[(0, 64), (0, 8), (0, 8), (0, 8), (0, 8), (0, 8), (0, 8), (0, 8), (0, 8), (0, 8)]),
        (1, &[(0, 7), (2, 7)]),
    ];
    let mut out = String::from("<section><h2>Slots</h2>");
    for (n_slots, run) in runs {
        let requests: Vec<Request> = run
            .iter()
            .map(|&(arrives_at, n)| Request { prompt: vec![TokenId(0)], max_new_tokens: n, arrives_at })
            .collect();
        let n_tokens: Vec<usize> = run.iter().map(|&(_, n)| n).collect();
        let continuous = served(n_slots, run);
        let by_batch = Timeline::static_batches(n_slots, &requests, &n_tokens);
        let run = SlotRun { requests: &requests, continuous: &continuous, by_batch: &by_batch };
        out.push_str(&slot_timeline(&run, Size::new(width, 300.0)).to_html());
    }
    out.push_str("</section>");
    out
}

/// First come, first served; `run` holds arrivals, in order, and lengths.
fn served(n_slots: usize, run: &[(usize, usize)]) -> Timeline {
    let token = RowToken { token: TokenId(0), log_probability: -1.0, sum: -1.0, done: None };
    let mut timeline = Timeline::new(n_slots);
    let mut left = vec![(0, 0); n_slots];
    let mut next = 0;
    for index in 0..200 {
        let slots = left.iter_mut().map(|(request, left)| {
            if *left > 0 {
                *left -= 1;
                return SlotStep::Decode { request: *request, token };
            }
            if run.get(next).is_none_or(|&(arrives_at, _)| arrives_at > index) {
                return SlotStep::Idle;
            }
            (*request, *left) = (next, run[next].1 - 1);
            next += 1;
            SlotStep::Prefill { request: *request, n_prompt: 1, token }
        });
        let slots = slots.collect();
        timeline.push(&SlotsStep { index, arrivals: Vec::new(), slots, queue: Vec::new() });
    }
    timeline
}

/// Searches through noise: the lesson's size, one cut early, one beam, many.
pub fn searches(words: &Words, width: f64) -> String {
    let mut out = String::from("<section><h2>Beam search</h2>");
    for (beams, alpha, n_new, n_vocab, sharpness, last) in [
        (5, 1.0, 12, 300, 9.0, 99),
        (2, 0.0, 4, 12, 4.0, 99),
        (3, 2.0, 12, 400, 9.0, 3),
        (1, 1.0, 6, 200, 9.0, 99),
        (16, 1.0, 40, 300, 9.0, 99),
    ] {
        let plan = beams::plan(beams, alpha, n_new, n_vocab);
        let found = beams::search(&mut beams::Noise::new(n_vocab, sharpness), &plan, last);
        let run = BeamRun {
            tree: &found.tree,
            width: beams,
            length_penalty: alpha,
            results: &found.results,
            greedy: &found.greedy,
            stop: Some(found.stop),
        };
        out.push_str(&beam_tree(&run, words, Size::new(width, 300.0)).to_html());
    }
    out.push_str("</section>");
    out
}

/// A split vote, a tie, an agreement, and a rule that finds nothing.
pub fn elections() -> Result<String, Box<dyn Error>> {
    let texts = [
        " 7. The dog had seven bones, and he ate one.\n\nThen",
        " 8 bones, said Tom. \"I am glad!\"",
        " so happy. They played all day and the dog was happy too.",
        " 7 and the cat had 5.",
        " -1,200.50 little red houses stood in a row, one beside the other, and in each of them lived a dog with a ball",
    ];
    let mut out = String::from("<section><h2>Votes</h2>");
    let rules = [
        (AnswerRule::FirstNumber, 5),
        (AnswerRule::FirstNumber, 2),
        (AnswerRule::Pattern(r"\b(dog|Tom|cat)\b".into()), 1),
        (AnswerRule::Pattern("nothing".into()), 5),
    ];
    for (rule, n) in rules {
        let extractor = Extractor::new(rule)?;
        let answers: Vec<Option<Answer>> = texts[..n].iter().map(|text| extractor.answer(text)).collect();
        let vote = Vote::new(answers.iter().map(|answer| answer.as_ref().map(|answer| answer.value.as_str())));
        let samples = texts.iter().zip(&answers);
        let samples: Vec<VoteSample> =
            samples.map(|(text, answer)| VoteSample { text, answer: answer.as_ref(), is_over: true }).collect();
        out.push_str(&votes(&vote, &samples).to_html());
    }
    out.push_str("</section>");
    Ok(out)
}
