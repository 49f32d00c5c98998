//! The recorded runs: each is what its own logits give, and what the model gives.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;

use half::f16;
use nucleus_sampler::{Uniforms, step};
use nucleus_session::{Effect, Msg, Recording, RecordingEntry, Session};
use nucleus_tests::recorder::{SCRIPTS, Script, Tales, www};

fn list() -> Vec<RecordingEntry> {
    serde_json::from_slice(&fs::read(www().join("recordings/index.json")).unwrap()).unwrap()
}

fn committed(entry: &RecordingEntry) -> Recording {
    Recording::from_bytes(&fs::read(www().join(entry.address())).unwrap()).unwrap()
}

#[test]
fn the_list_has_every_file_and_every_script() {
    let list = list();
    assert_eq!(list, SCRIPTS.iter().map(Script::entry).collect::<Vec<_>>());
    let listed: BTreeSet<String> = list.iter().map(RecordingEntry::address).collect();
    let files = fs::read_dir(www().join("recordings")).unwrap();
    let files = files.map(|file| format!("recordings/{}", file.unwrap().file_name().display()));
    let recordings: BTreeSet<String> = files.filter(|name| name.ends_with(".safetensors")).collect();
    assert_eq!(recordings, listed);
}

#[test]
fn every_recording_drawn_again_from_its_own_logits_gives_its_tokens() {
    for entry in list() {
        let recording = committed(&entry);
        let values = &recording.values;
        assert!(recording.tokens.len() >= 20, "{}", entry.name);
        for (index, (logits, &token)) in recording.logits.iter().zip(&recording.tokens).enumerate() {
            let logits: Vec<f32> = logits.iter().map(|logit| logit.to_f32()).collect();
            let trace = step(&logits, &values.settings, Uniforms::nth(values.seed, index as u64)).unwrap();
            assert_eq!(trace.token, token, "{}, step {index}", entry.name);
        }
    }
}

/// As the page does it, from the list to the step in focus.
#[test]
fn a_session_shows_every_recording_as_it_was_drawn() {
    for entry in list() {
        let mut session = Session::new();
        let mut effects = session.update(Msg::Opened { query: format!("?recording={}", entry.name) });
        while let Some(effect) = effects.pop() {
            if let Effect::Fetch { asset, address } = effect {
                let result = Ok(fs::read(www().join(address)).unwrap());
                effects.extend(session.update(Msg::Fetched { asset, result }));
            }
        }
        assert_eq!(session.recording_error(), None);
        let n_steps = session.run().unwrap().steps().len();
        for index in 0..n_steps {
            let _ = session.update(Msg::FocusStep(index));
            assert!(!session.focus().unwrap().differs, "{}, step {index}", entry.name);
        }
        assert_eq!(session.points_as_drawn().len(), n_steps);
    }
}

/// Processors add in different orders, and about 1e-4 of a logit may come of it (the tolerance of the parity tests). Rounding to
/// f16 can make one place in the last of 11 bits of that.
fn agree(ours: f16, theirs: f16) -> bool {
    let (ours, theirs) = (ours.to_f32(), theirs.to_f32());
    (ours - theirs).abs() <= 1e-4 + ours.abs().max(theirs.abs()) / 1024.0
}

#[test]
fn the_model_run_again_gives_the_same_recordings() {
    let mut tales = Tales::load().unwrap();
    for script in &SCRIPTS {
        let (ours, theirs) = (tales.record(script).unwrap(), committed(&script.entry()));
        assert_eq!(ours.tokens, theirs.tokens, "{}", script.name);
        assert_eq!(ours.logits.len(), theirs.logits.len());
        for (index, (ours, theirs)) in ours.logits.iter().zip(&theirs.logits).enumerate() {
            assert_eq!(ours.len(), theirs.len());
            let apart = ours.iter().zip(theirs).position(|(&ours, &theirs)| !agree(ours, theirs));
            assert_eq!(apart, None, "{}, step {index}", script.name);
        }
        let of_prompt = |recording: &Recording| recording.prompt_log_probabilities.clone().unwrap();
        let pairs = of_prompt(&ours).into_iter().zip(of_prompt(&theirs));
        assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-3), "{}", script.name);
        let rest = |recording: Recording| Recording { logits: Vec::new(), prompt_log_probabilities: None, ..recording };
        assert_eq!(rest(ours), rest(theirs));
    }
}

/// It is what a new reader waits for, before anything else can be seen.
#[test]
fn the_first_recording_is_small() {
    let first = &list()[0];
    let bytes = fs::metadata(www().join(first.address())).unwrap().len();
    assert!(bytes < 300_000, "{}: {bytes} bytes", first.name);
}
