use std::error::Error;

use nucleus_decode::{DecodeError, Plan};
use nucleus_sampler::{LogitsError, TokenId};

use crate::canned::{Canned, DeviceLost, N_VOCAB, mixed, plan, run, tokens};

#[test]
fn an_empty_prompt_says_what_to_do() {
    let mut model = Canned::new(8, mixed);
    let error = run(&mut model, &plan(&[])).1.unwrap_err();
    assert_eq!(error, DecodeError::EmptyPrompt);
    assert_eq!(error.to_string(), "the prompt has no tokens: type at least one character");
    assert_eq!(model.calls, []);
}

#[test]
fn a_prompt_id_beyond_the_vocabulary_is_named_with_the_limit() {
    for (n_tokenizer, limit) in [(10, 10), (N_VOCAB + 9, N_VOCAB)] {
        let mut model = Canned::new(8, mixed);
        let first_bad = limit as u32;
        let plan = Plan { n_tokenizer, ..plan(&[1, first_bad - 1, first_bad, 99]) };
        let error = run(&mut model, &plan).1.unwrap_err();
        assert_eq!(error, DecodeError::PromptId { id: TokenId(first_bad), limit });
        assert!(error.to_string().contains(&format!("token {limit} ")), "{error}");
        assert!(error.to_string().contains(&format!("below {limit}")), "{error}");
        assert_eq!(model.calls, []);
    }
}

#[test]
fn logits_that_go_bad_keep_the_steps_before() {
    let whole = run(&mut Canned::new(16, mixed), &plan(&[1, 2])).0;
    for bad in [f32::NAN, f32::INFINITY] {
        let mut model = Canned::new(16, move |window| {
            let mut logits = mixed(window);
            if window.len() == 5 {
                logits[4] = bad;
            }
            logits
        });
        let (steps, outcome) = run(&mut model, &plan(&[1, 2]));
        let error = outcome.unwrap_err();
        assert!(
            matches!(error, DecodeError::Logits { index: 3, source: LogitsError::NotFinite { index: 4, .. } }),
            "{error:?}"
        );
        assert!(error.source().is_some(), "the sampler's reason is kept");
        assert_eq!(tokens(&steps), tokens(&whole[..3]));
    }
}

#[test]
fn logits_that_allow_no_token_are_an_error() {
    let mut model = Canned::new(16, |_| vec![f32::NEG_INFINITY; N_VOCAB]);
    let error = run(&mut model, &plan(&[1])).1.unwrap_err();
    let expected = DecodeError::Logits { index: 0, source: LogitsError::AllRemoved { n_vocab: N_VOCAB } };
    assert_eq!(error, expected);
}

#[test]
fn too_few_or_too_many_logits_are_counted() {
    for found in [0, 1, N_VOCAB - 1, N_VOCAB + 1] {
        let mut model = Canned::new(16, move |_| vec![0.0; found]);
        let error = run(&mut model, &plan(&[1])).1.unwrap_err();
        assert_eq!(error, DecodeError::LogitsCount { index: 0, found, expected: N_VOCAB });
    }
}

#[test]
fn a_model_that_fails_ends_the_run_and_keeps_the_steps_before() {
    for call in 0..4 {
        let mut model = Canned::new(16, mixed).failing_at_call(call);
        let (steps, outcome) = run(&mut model, &plan(&[1]));
        let error = outcome.unwrap_err();
        assert_eq!(error, DecodeError::Model(DeviceLost));
        assert_eq!(error.to_string(), "the model failed: the device was lost");
        assert_eq!(steps.len(), call);
    }
}
