//! Words from counts: at once, without an engine, and with a model's numbers beside them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use nucleus_decode::bigram::BigramEnd;
use nucleus_sampler::Settings;
use nucleus_session::{
    Control, Effect, EngineState, Failure, Msg, OptionKey, Refusal, Report, Session, StrategyKind, sentence,
};
use support::Page;

/// After `a` comes `b`, after `b` comes `c`, after `c` comes `a` or the end.
const TEXT: &str = "a b c a b c. d";

/// The bigram chosen, with `TEXT` and a prompt.
fn page(prompt: &str) -> Page {
    let mut page = Page::open("");
    page.tell(Msg::ChoseStrategy(StrategyKind::Bigram));
    page.tell(Msg::TypedOption { key: OptionKey::Text, text: TEXT.into() });
    page.type_in(Control::Prompt, prompt);
    page.type_in(Control::NewTokens, "2");
    page
}

fn text(session: &Session) -> String {
    let words = session.words().unwrap();
    words.pieces().fold(words.prompt().to_owned(), |text, piece| text + &piece)
}

#[test]
fn words_come_at_once_while_the_model_still_loads() {
    let mut page = page("Say a");
    page.tell(Msg::Generate);
    assert_eq!(text(&page.session), "Say a b c");
    assert!(matches!(page.session.engine().state, EngineState::Loading(_)));
    assert!(!page.session.is_queued() && page.session.can_generate() && !page.asks_to_generate());
    let words = page.session.words().unwrap();
    assert_eq!((words.n_words, words.n_different), (8, 5));
    assert!(sentence::strategy(&page.session).contains("2 new words"));
    assert!(sentence::beside(&page.session).contains("no model is ready"));
}

#[test]
fn words_come_when_the_model_has_failed_and_it_is_not_started_for_them() {
    let mut page = page("a");
    let failure = Failure::Protocol { message: "x".into() };
    page.report(Report::Failed { run: None, failure: failure.clone() });
    page.report(Report::Failed { run: None, failure });
    assert!(matches!(page.session.engine().state, EngineState::Failed(_)), "{:?}", page.session.engine().state);
    page.take();
    page.tell(Msg::Generate);
    assert_eq!(text(&page.session), "a b c");
    assert!(!page.take().contains(&Effect::StartEngine));
}

#[test]
fn the_row_of_a_word_is_what_followed_it() {
    let mut page = page("c");
    page.tell(Msg::Generate);
    let row = &page.session.words().unwrap().run.steps[0].row;
    let counts: Vec<_> = row.successors.iter().map(|next| (next.word.as_str(), next.count)).collect();
    assert_eq!((counts, row.total), (vec![("a", 1), (".", 1)], 2));
}

#[test]
fn a_word_that_was_never_seen_ends_the_text_with_its_reason() {
    let mut page = page("a whale");
    page.tell(Msg::Generate);
    assert_eq!(text(&page.session), "a whale");
    assert_eq!(page.session.word_index(), None);
    assert_eq!(page.session.words().unwrap().run.end, BigramEnd::Unseen { word: "whale".into() });
    assert!(sentence::strategy(&page.session).contains("\u{201c}whale\u{201d} is not in the text"));

    page.type_in(Control::Prompt, "d");
    page.tell(Msg::Generate);
    assert_eq!(page.session.words().unwrap().run.end, BigramEnd::NoSuccessor { word: "d".into() });
}

#[test]
fn a_text_too_short_to_count_is_refused_at_its_field() {
    let mut page = page("a");
    page.tell(Msg::TypedOption { key: OptionKey::Text, text: "alone".into() });
    let error = page.session.option_error(OptionKey::Text).unwrap();
    assert!(error.message.contains("1 words, but must have 2"), "{error}");
    page.take();
    page.tell(Msg::Generate);
    assert!(page.session.words().is_none());
    assert!(matches!(page.session.refusal(), Some(Refusal::Option(_))));
    assert!(page.take().contains(&Effect::FocusOption(OptionKey::Text)));
}

#[test]
fn the_focus_walks_the_words_and_stays_within_them() {
    let mut page = page("a");
    page.tell(Msg::Generate);
    assert_eq!(page.session.word_index(), Some(0));
    page.tell(Msg::FocusBy(1));
    assert_eq!(page.session.text_in_focus().unwrap(), "a b");
    page.tell(Msg::FocusBy(1));
    assert_eq!(page.session.word_index(), Some(1));
    page.tell(Msg::FocusBy(-5));
    assert_eq!(page.session.word_index(), Some(0));
    page.tell(Msg::FocusStep(usize::MAX));
    assert_eq!(page.session.word_index(), Some(1));
}

#[test]
fn a_link_counts_the_same_words_at_once() {
    let mut page = page("Say a");
    page.type_in(Control::NewTokens, "7");
    page.tell(Msg::Generate);
    page.tell(Msg::FocusStep(3));
    let address = page.address().unwrap().to_owned();
    let again = Page::open(&address);
    assert_eq!(again.session.words().unwrap().run, page.session.words().unwrap().run);
    assert_eq!(again.session.word_index(), Some(3));
    assert!(!again.session.is_queued());
}

#[test]
fn a_recording_does_not_take_the_place_of_words_from_a_link() {
    let mut page = Page::open("?strategy=bigram&prompt=a&text=a+b+a+b&seed=3&new=2");
    page.index_arrives();
    assert!(page.session.run().is_none());
    assert_eq!(page.session.controls().values().prompt, "a");
    assert_eq!(text(&page.session), "a b a");
}

#[test]
fn a_model_that_is_ready_reads_the_whole_text_and_stands_beside() {
    let mut page = page("Say a ");
    page.tell(Msg::Generate);
    page.take();
    page.engine_is_ready();
    let request = page.generated();
    assert_eq!((request.prompt.as_str(), request.new_tokens), ("Say a ".trim_end(), 1));
    assert_eq!(request.settings, Settings::default());
    assert!(!page.session.can_stop() && page.session.can_generate(), "a look aside is nothing to stop");
    assert!(page.session.beside().is_none());

    page.steps(&request, 1);
    page.finish(request.run);
    assert!(!page.asks_to_generate(), "it has read that text");
    let (_, focus) = page.session.beside().unwrap();
    assert_eq!(focus.trace.nucleus_size(), page.session.n_vocab(), "nothing is cut");
    assert!(sentence::beside(&page.session).contains("tales on the whole text"));
    assert!(page.session.run().is_none(), "the sampled run is another");

    page.tell(Msg::FocusBy(1));
    assert!(page.session.beside().is_none(), "the numbers of another text are not shown");
    assert_eq!(page.generated().prompt, "Say a b");
}

#[test]
fn looking_on_while_the_model_reads_asks_once_more_when_it_is_done() {
    let mut page = page("a");
    page.type_in(Control::NewTokens, "5");
    page.engine_is_ready();
    page.take();
    page.tell(Msg::Generate);
    let first = page.generated();
    for _ in 0..3 {
        page.tell(Msg::FocusBy(1));
    }
    assert!(!page.asks_to_generate(), "one at a time");
    page.steps(&first, 1);
    page.finish(first.run);
    assert_eq!(page.generated().prompt, page.session.text_in_focus().unwrap());
}

#[test]
fn a_sampled_run_waits_for_the_look_aside() {
    let mut page = page("a");
    page.engine_is_ready();
    page.take();
    page.tell(Msg::Generate);
    let beside = page.generated();
    page.tell(Msg::ChoseStrategy(StrategyKind::Sample));
    page.tell(Msg::Generate);
    assert!(page.session.is_queued() && !page.asks_to_generate());
    page.steps(&beside, 1);
    page.finish(beside.run);
    assert_eq!(page.generated().new_tokens, 2);
}

#[test]
fn a_model_that_cannot_read_the_text_is_not_asked_again_and_again() {
    let mut page = page("a");
    page.engine_is_ready();
    page.take();
    page.tell(Msg::Generate);
    let request = page.generated();
    let failure = Failure::Logits { index: 0, message: "not a number".into() };
    page.report(Report::Failed { run: Some(request.run), failure });
    assert!(!page.asks_to_generate());
    assert!(sentence::beside(&page.session).contains("could not read"));
}
