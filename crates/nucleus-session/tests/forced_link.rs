//! Tokens that an address forces, where the model may not have them.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use nucleus_sampler::TokenId;
use nucleus_session::{Control, EngineState, ModelInfo, Msg, Refusal, Report};
use support::{Page, TOKENS, model, vocabulary};

#[test]
fn a_token_that_the_model_does_not_have_is_refused_before_a_run_is_sent() {
    let mut page = Page::open("?prompt=Once&temperature=0.5&seed=7&force=1:3,4:16,5:99");
    assert!(page.session.is_queued(), "which tokens there are is not known yet");
    page.engine_is_ready();
    assert!(!page.asks_to_generate() && !page.session.is_queued());
    assert_eq!(page.session.engine().state, EngineState::Ready);
    let refusal = page.session.refusal().unwrap();
    assert_eq!(*refusal, Refusal::ForcedToken { step: 4, token: TokenId(16), n_tokens: TOKENS.len() });
    let said = refusal.to_string();
    for words in ["token 16 at step 4", "force=4:16", "has 16 tokens", "below", "Press Generate"] {
        assert!(said.contains(words), "{said}");
    }
    let values = page.session.controls().values();
    assert_eq!((values.prompt.as_str(), values.settings.temperature.get(), values.seed), ("Once", 0.5, 7));

    page.tell(Msg::Generate);
    assert!(page.generated().script.forced.is_empty());
    assert_eq!(page.session.refusal(), None);
}

#[test]
fn the_last_token_of_the_vocabulary_can_be_forced() {
    let mut page = Page::ready("?prompt=Once&force=4:15");
    assert_eq!(page.generated().script.forced.get(&4), Some(&TokenId(15)));
    assert_eq!(page.session.refusal(), None);
}

/// Neither a padded column of the logits nor a token beyond the logits can be forced.
#[test]
fn what_counts_is_what_both_model_and_tokenizer_have() {
    for (columns, id) in [(20, 16), (12, 12)] {
        let mut page = Page::open(&format!("?prompt=Once&force=0:{id}"));
        let model = ModelInfo { n_vocab: columns, ..model() };
        page.report(Report::Ready { model, vocabulary: vocabulary() });
        assert!(!page.asks_to_generate());
        let n_tokens = columns.min(TOKENS.len());
        assert_eq!(page.session.refusal(), Some(&Refusal::ForcedToken { step: 0, token: TokenId(id), n_tokens }));
    }
}

#[test]
fn another_strategy_forces_nothing() {
    let mut page = Page::ready("?prompt=Once&strategy=beam&force=0:99");
    assert_eq!(page.session.refusal(), None);
    assert!(page.session.work().is_some());
    page.take();
}

/// What stood in the way is put right, and the link still means what it meant.
#[test]
fn a_link_that_was_refused_is_followed_once_it_is_put_right() {
    let mut page = Page::open("?prompt=Once&seed=x&force=1:3&check=40-00000000");
    let before = page.session.controls().values();
    page.index_arrives();
    page.recording_arrives("walk");
    assert!(page.session.run().is_some_and(|run| run.values.new_tokens != before.new_tokens));
    assert_eq!(page.session.controls().values(), before, "nothing of the recording is put between");
    page.engine_is_ready();
    assert!(!page.asks_to_generate());
    page.type_in(Control::Seed, "9");
    page.take();
    page.tell(Msg::Generate);
    let request = page.generated();
    assert_eq!((request.seed, request.script.forced.get(&1)), (9, Some(&TokenId(3))));
    page.steps(&request, 40);
    page.finish(request.run);
    assert_eq!(page.session.run().unwrap().as_in_the_link, None, "it was not expected to be the same");
}

#[test]
fn another_prompt_is_not_what_the_link_meant() {
    let mut page = Page::ready("?prompt=Once&seed=x&force=1:3");
    page.type_in(Control::Seed, "9");
    page.type_in(Control::Prompt, "Twice");
    page.take();
    page.tell(Msg::Generate);
    assert!(page.generated().script.forced.is_empty());
}
