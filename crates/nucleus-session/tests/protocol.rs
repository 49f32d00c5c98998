//! Every message arrives as it was sent, and bytes that are no message are refused.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use nucleus_decode::StopReason;
use nucleus_sampler::{Draw, Interval, Settings, TokenId, Unit};
use nucleus_session::{
    DeviceKind, DevicePreference, DeviceReason, DeviceReport, Expected, Failure, Found, GenerateRequest, Keeping,
    Loading, ModelInfo, ModelSource, ProtocolError, Report, Request, RunId, StepReport, Vocabulary, WeightFormat,
};
use proptest::prelude::*;

fn requests() -> Vec<Request> {
    vec![
        Request::Load {
            source: ModelSource::default(),
            device: DevicePreference::WebGpu,
            weights: Some(WeightFormat::F16),
        },
        Request::Generate(GenerateRequest {
            run: RunId(7),
            prompt: "Es war einmal \u{1F409} &\n".into(),
            special_tokens: true,
            settings: Settings::default(),
            seed: u64::MAX,
            new_tokens: 40,
            stop: nucleus_decode::StopStrings::default(),
            script: nucleus_decode::Script::default(),
            constraint: None,
        }),
        Request::Stop { run: RunId(u32::MAX) },
    ]
}

fn step() -> StepReport {
    StepReport {
        index: 3,
        token: TokenId(50_256),
        probability: 0.1,
        log_probability: -2.5,
        nucleus_size: 12,
        entropy: 1.25,
        draw: Draw::Uniform { u: Unit::new(0.5).unwrap(), interval: Interval { start: 0.25, end: 0.75 } },
        window_start: 1,
        elapsed_ms: 17.5,
    }
}

fn reports() -> Vec<Report> {
    let run = RunId(2);
    vec![
        Report::Loading(Loading::Weights { done: 5, total: u64::MAX, fetched: 5 }),
        Report::Device(DeviceReport {
            kind: DeviceKind::Cpu,
            adapter: "SwiftShader".into(),
            software: true,
            reason: DeviceReason::MissingFeature { feature: "timestamp-query".into() },
        }),
        Report::Ready {
            model: ModelInfo {
                name: "tales".into(),
                n_vocab: 4096,
                n_ctx: 256,
                n_layer: 6,
                n_head: 6,
                n_embd: 192,
                parameters: 3_505_152,
                end_of_text: Some(TokenId(0)),
                weights: WeightFormat::F32,
                device_memory: 7,
                keeping: Keeping::NotNeeded,
            },
            vocabulary: Vocabulary::new(b"abc".to_vec(), vec![1, 3]).unwrap(),
        },
        Report::Started { run, prompt: vec![TokenId(1), TokenId(2)], window_start: 0 },
        Report::Step { run, step: step() },
        Report::Step { run, step: StepReport { draw: Draw::Argmax, ..step() } },
        Report::Finished {
            run,
            reason: StopReason::EndOfText,
            log_probabilities_of_prompt: Some(vec![-1.5]),
            prefill_ms: 3.0,
            decode_ms: 4.0,
        },
        Report::Failed {
            run: Some(run),
            failure: Failure::WrongFile { address: "x".into(), expected: Expected::Safetensors, found: Found::Html },
        },
        Report::Failed { run: None, failure: Failure::SelfTest { difference: 0.5, tolerance: 1e-3 } },
    ]
}

#[test]
fn every_message_arrives_as_it_was_sent() {
    for request in requests() {
        assert_eq!(Request::decode(&request.encode().unwrap()).unwrap(), request);
    }
    for report in reports() {
        assert_eq!(Report::decode(&report.encode().unwrap()).unwrap(), report);
    }
}

#[test]
fn a_message_cut_anywhere_is_refused() {
    for report in reports() {
        let bytes = report.encode().unwrap();
        for length in 0..bytes.len() {
            let cut = Report::decode(&bytes[..length]);
            assert!(
                matches!(cut, Err(ProtocolError::Decode { length: l, .. }) if l == length),
                "{report:?} cut at {length}: {cut:?}"
            );
        }
    }
}

#[test]
fn bytes_after_the_end_are_refused() {
    let mut bytes = requests()[0].encode().unwrap();
    bytes.push(0);
    let length = bytes.len();
    assert_eq!(Request::decode(&bytes), Err(ProtocolError::Trailing { length, left: 1 }));
}

proptest! {
    #[test]
    fn any_bytes_give_a_message_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(report) = Report::decode(&bytes) {
            prop_assert!(report.encode().is_ok());
        }
        if let Ok(request) = Request::decode(&bytes) {
            prop_assert!(request.encode().is_ok());
        }
    }
}
