//! Recordings: written, read, replayed, and every way a file can be broken.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use half::f16;
use nucleus_decode::StopReason;
use nucleus_sampler::{RepetitionPenalty, Settings, StepContext, Temperature, TokenId, TopK, TopP, Uniforms, step_in};
use nucleus_session::{PerplexityOf, Recording, RecordingError, RunState, TensorsError, Values, Vocabulary};
use proptest::prelude::*;
use support::{END_OF_TEXT, logits, recorded_values, recording};

fn unusual_values() -> Values {
    Values {
        prompt: "\u{2423}\"quoted\"\n\\\u{1F409}\u{0}".into(),
        special_tokens: true,
        settings: Settings {
            temperature: Temperature::new(1e-40).unwrap(),
            top_k: TopK::from(3),
            top_p: TopP::new(0.1 + 0.2).unwrap(),
            ..Settings::default()
        },
        seed: u64::MAX,
        new_tokens: 3,
    }
}

#[test]
fn a_recording_is_read_as_it_was_written() {
    for values in [recorded_values(), unusual_values()] {
        let written = recording(values, 3);
        let bytes = written.to_bytes().unwrap();
        assert_eq!(Recording::from_bytes(&bytes).unwrap(), written);
        assert_eq!(written.to_bytes().unwrap(), bytes, "the same recording gives the same bytes");
    }
}

#[test]
fn what_may_be_missing_may_be_missing() {
    let mut written = recording(recorded_values(), 2);
    written.prompt_log_probabilities = None;
    written.end_of_text = None;
    let read = Recording::from_bytes(&written.to_bytes().unwrap()).unwrap();
    assert_eq!(read, written);
    let run = read.into_run("walk").unwrap();
    assert_eq!(run.perplexity().unwrap().of, PerplexityOf::TextAlone);
}

#[test]
fn arrays_are_aligned_and_fill_the_file() {
    let bytes = recording(recorded_values(), 3).to_bytes().unwrap();
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let header: serde_json::Value = serde_json::from_slice(&bytes[8..8 + length]).unwrap();
    let mut places: Vec<(u64, u64)> = Vec::new();
    for (name, entry) in header.as_object().unwrap() {
        if name == "__metadata__" {
            continue;
        }
        let offset = |at: usize| entry["data_offsets"][at].as_u64().unwrap();
        let size = match entry["dtype"].as_str().unwrap() {
            "F64" => 8,
            "U32" => 4,
            "F16" => 2,
            _ => 1,
        };
        assert_eq!(offset(0) % size, 0, "{name}");
        places.push((offset(0), offset(1)));
    }
    places.sort_unstable();
    assert_eq!(length % 8, 0);
    assert_eq!(places[0].0, 0);
    assert!(places.windows(2).all(|pair| pair[0].1 == pair[1].0), "no gap: {places:?}");
    assert_eq!(places.last().unwrap().1 as usize, bytes.len() - 8 - length);
}

#[test]
fn a_recording_becomes_the_run_it_was() {
    let recording = recording(recorded_values(), 5);
    let run = recording.clone().into_run("walk").unwrap();
    let tokens: Vec<TokenId> = run.steps().iter().map(|step| step.report.token).collect();
    assert_eq!(tokens, recording.tokens);
    for (step, logits) in run.steps().iter().zip(&recording.logits) {
        let exact: Vec<f32> = logits.iter().map(|logit| logit.to_f32()).collect();
        assert_eq!(*step.logits, *exact);
    }
    assert_eq!(run.state, RunState::Finished(StopReason::TokenLimit));
    assert_eq!(run.perplexity().unwrap().tokens, 6);
    assert_eq!((run.first_token_ms(), run.tokens_per_second()), (None, None));
}

/// Prompt (tokens 1 and 2) and text so far have been seen, at each step anew.
#[test]
fn a_recording_with_a_penalty_replays_and_comes_back_from_its_bytes() {
    let settings = Settings { repetition_penalty: RepetitionPenalty::new(9.0).unwrap(), ..Settings::default() };
    let mut recording = recording(Values { settings, ..recorded_values() }, 5);
    assert!(matches!(recording.clone().into_run("other"), Err(RecordingError::OtherToken { .. })));
    let mut text = recording.prompt.clone();
    for (index, token) in recording.tokens.iter_mut().enumerate() {
        let context = StepContext { seen: &text, allowed: None };
        let u = Uniforms::nth(recording.values.seed, index as u64);
        *token = step_in(&logits(index), &context, &settings, u).unwrap().token;
        text.push(*token);
    }
    let again = Recording::from_bytes(&recording.to_bytes().unwrap()).unwrap();
    assert_eq!(again, recording);
    let run = again.into_run("penalty").unwrap();
    assert_eq!(run.seen(3), text[..5]);
}

#[test]
fn a_recording_that_ends_its_text_says_so() {
    let mut recording = recording(recorded_values(), 2);
    recording.logits[1] = recording.logits[1].iter().map(|_| f16::from_f32(-60.0)).collect();
    recording.logits[1][END_OF_TEXT.index()] = f16::from_f32(60.0);
    recording.tokens[1] = END_OF_TEXT;
    let run = recording.into_run("end").unwrap();
    assert_eq!(run.state, RunState::Finished(StopReason::EndOfText));
}

#[test]
fn tokens_that_were_not_drawn_from_the_logits_are_refused() {
    let mut recording = recording(recorded_values(), 4);
    let drawn = recording.tokens[2];
    recording.tokens[2] = END_OF_TEXT;
    let error = recording.into_run("false").unwrap_err();
    let RecordingError::OtherToken { index: 2, recorded, drawn: found } = error else {
        panic!("{error}");
    };
    assert_eq!((recorded, found), (END_OF_TEXT, drawn));
}

#[test]
fn logits_that_cannot_be_drawn_from_are_refused() {
    let mut recording = recording(recorded_values(), 2);
    recording.logits[1][3] = f16::NAN;
    let error = recording.into_run("nan").unwrap_err();
    assert!(error.to_string().starts_with("step 1 cannot be drawn: logit 3 is NaN"), "{error}");
}

/// The file with its header changed.
fn with_header(change: impl Fn(&mut serde_json::Value)) -> Result<Recording, RecordingError> {
    let bytes = recording(recorded_values(), 3).to_bytes().unwrap();
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let mut header: serde_json::Value = serde_json::from_slice(&bytes[8..8 + length]).unwrap();
    change(&mut header);
    let header = serde_json::to_vec(&header).unwrap();
    let mut changed = (header.len() as u64).to_le_bytes().to_vec();
    changed.extend(header);
    changed.extend(&bytes[8 + length..]);
    Recording::from_bytes(&changed)
}

#[test]
fn every_broken_part_has_its_own_words() {
    let remove = |path: &'static str, key: &'static str| {
        with_header(move |header| {
            header.pointer_mut(path).unwrap().as_object_mut().unwrap().remove(key);
        })
    };
    let set = |path: &'static str, value: serde_json::Value| {
        with_header(move |header| *header.pointer_mut(path).unwrap() = value.clone())
    };
    let cases = [
        (remove("", "logits"), "the array logits is missing"),
        (remove("/__metadata__", "seed"), "the text seed is missing"),
        (set("/logits/dtype", "F32".into()), "is of type F32, but must be F16"),
        (set("/tokens/shape", vec![3, 1].into()), "has 2 dimensions, but must have 1"),
        (set("/tokens/shape", vec![4].into()), "which does not fit its shape"),
        (set("/logits/shape", vec![u64::MAX, 16].into()), "which does not fit its shape"),
        (set("/logits/data_offsets", vec![9_000_000, 9_000_096].into()), "9000000 to 9000096"),
        (set("/logits/data_offsets", vec![96, 0].into()), "lies at bytes 96 to 0"),
        (set("/__metadata__/temperature", "-1".into()), "temperature is \u{201c}-1\u{201d}"),
        (set("/__metadata__/top_p", "0".into()), "top_p is \u{201c}0\u{201d}"),
        (
            with_header(|header| header["__metadata__"]["repetition_penalty"] = "0.5".into()),
            "repetition_penalty is \u{201c}0.5\u{201d}",
        ),
        (set("/__metadata__/seed", "1.5".into()), "seed is \u{201c}1.5\u{201d}"),
        (set("/__metadata__/end_of_text", "x".into()), "end_of_text is \u{201c}x\u{201d}"),
        (set("/logits/shape", vec![2, 24].into()), "there are 3 tokens, but 2 are due"),
        (set("/__metadata__", 5.into()), "the header is not the JSON of a safetensors file"),
    ];
    for (result, words) in cases {
        let error = result.unwrap_err().to_string();
        assert!(error.contains(words), "{error}\nshould say\n{words}");
    }
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    let bytes = recording(recorded_values(), 2).to_bytes().unwrap();
    for length in 0..bytes.len() {
        assert!(Recording::from_bytes(&bytes[..length]).is_err(), "cut at {length}");
    }
}

#[test]
fn a_header_longer_than_the_file_is_not_believed() {
    for said in [u64::MAX, 100_000_001, 9] {
        let mut bytes = said.to_le_bytes().to_vec();
        bytes.extend(b"{}      ");
        let error = Recording::from_bytes(&bytes).unwrap_err();
        let RecordingError::Tensors(TensorsError::HeaderLength { said: found, left: 8 }) = error else {
            panic!("{error}");
        };
        assert_eq!(found, said);
    }
}

#[test]
fn no_steps_and_wrong_counts_are_refused() {
    let refused = |recording: Recording| Recording::from_bytes(&recording.to_bytes().unwrap()).unwrap_err().to_string();
    let mut empty = recording(recorded_values(), 1);
    (empty.logits, empty.tokens) = (Vec::new(), Vec::new());
    assert_eq!(refused(empty), "it has no step");
    let mut short = recording(recorded_values(), 2);
    short.prompt_log_probabilities = Some(vec![-1.0, -1.0]);
    assert!(refused(short).contains("2 log-probabilities of the prompt, but 1 are due"));
    let mut bare = recording(recorded_values(), 2);
    bare.vocabulary = Vocabulary::default();
    assert_eq!(Recording::from_bytes(&bare.to_bytes().unwrap()).unwrap().vocabulary.len(), 0);
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(
        place in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        noise in prop::collection::vec(any::<u8>(), 0..64),
    ) {
        let mut bytes = recording(recorded_values(), 2).to_bytes().unwrap();
        let place = place.index(bytes.len());
        bytes[place] = byte;
        if let Ok(recording) = Recording::from_bytes(&bytes) {
            prop_assert_eq!(recording.logits.len(), recording.tokens.len());
            let _ = recording.into_run("any");
        }
        prop_assert!(Recording::from_bytes(&noise).is_err());
    }
}
