//! Texts that are too long for a link are left out of it, and both pages say so.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use nucleus_session::{Control, Link, LinkError, LinkField, Msg, OptionKey, StrategyKind, sentence};
use support::Page;

const SCHEMA: LinkField = LinkField::Option(OptionKey::Schema);

fn type_option(page: &mut Page, key: OptionKey, text: &str) {
    page.tell(Msg::TypedOption { key, text: text.into() });
}

/// A page with a prompt and a schema of so many letters.
fn with_schema(n: usize) -> Page {
    with_schema_of("a", n)
}

fn with_schema_of(character: &str, n: usize) -> Page {
    let mut page = Page::ready("");
    page.type_in(Control::Prompt, "Once");
    page.type_in(Control::Seed, "7");
    type_option(&mut page, OptionKey::Output, "json");
    type_option(&mut page, OptionKey::Schema, &character.repeat(n));
    page
}

#[test]
fn a_text_of_2000_characters_is_in_the_link() {
    let page = with_schema(2_000);
    let (link, errors) = Link::parse(page.address().unwrap());
    assert_eq!(link.options.text(OptionKey::Schema).chars().count(), 2_000);
    assert_eq!((errors, link), (Vec::new(), page.session.link()));
    assert_eq!(sentence::left_out_of_link(&page.session), None);
}

#[test]
fn what_a_text_takes_in_the_address_counts_too() {
    for (character, most) in [(" ", 2_000), ("\u{e9}", 1_000), ("\u{4e2d}", 666), ("\u{1F409}", 500)] {
        let page = with_schema_of(character, most);
        let (link, errors) = Link::parse(page.address().unwrap());
        assert_eq!(link.options.text(OptionKey::Schema), character.repeat(most));
        assert_eq!((errors, link), (Vec::new(), page.session.link()));
        assert_eq!(sentence::left_out_of_link(&page.session), None);
        let page = with_schema_of(character, most + 1);
        assert_eq!(page.session.left_out_of_link(), [SCHEMA], "{character:?}");
    }
    let said = sentence::left_out_of_link(&with_schema_of("\u{4e2d}", 667).session).unwrap();
    for words in ["\u{201c}JSON Schema\u{201d} (667 characters, 6003 in the address)", "at most 6000 as the address"] {
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn a_longer_one_is_not_and_the_rest_is() {
    let page = with_schema(2_001);
    let address = page.address().unwrap();
    assert!(!address.contains("schema=") && address.ends_with("output=json&without=schema"), "{address}");
    assert!(address.contains("prompt=Once&") && address.contains("seed=7&"), "{address}");
    let said = sentence::left_out_of_link(&page.session).unwrap();
    for words in [
        "does not hold it: \u{201c}JSON Schema\u{201d} (2001 characters, 2001 in the address)",
        "at most 2000 characters",
    ] {
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn what_stands_in_a_field_at_first_need_not_be_in_the_link() {
    assert!(!LinkField::fits(OptionKey::Text.default_text()), "the story is longer than that");
    let mut page = Page::ready("");
    page.tell(Msg::ChoseStrategy(StrategyKind::Bigram));
    page.type_in(Control::Prompt, "the little");
    assert_eq!(sentence::left_out_of_link(&page.session), None);
    let address = page.address().unwrap();
    assert!(!address.contains("without"), "{address}");
}

#[test]
fn a_link_without_a_text_starts_nothing_and_says_what_is_to_be_done() {
    let address = with_schema(2_001).address().unwrap().to_owned();
    let mut page = Page::ready(&address);
    assert!(!page.asks_to_generate() && !page.session.is_queued());
    assert_eq!(page.session.link_errors(), [LinkError::LeftOut(SCHEMA)]);
    let said = page.session.link_errors()[0].to_string();
    assert!(said.contains("does not hold \u{201c}JSON Schema\u{201d}") && said.contains("press Generate"), "{said}");
    assert_eq!(page.session.controls().values().seed, 7, "the rest is taken");
    type_option(&mut page, OptionKey::Schema, "{}");
    assert!(!page.address().unwrap().contains("without"));
    page.tell(Msg::Generate);
    assert!(page.generated().constraint.is_some());
}

#[test]
fn a_prompt_is_a_text_like_others() {
    let (mut page, request) = Page::running();
    page.steps(&request, 2);
    page.finish(request.run);
    assert!(page.session.link().check.is_some());
    page.type_in(Control::Prompt, &"a".repeat(3_000));
    page.tell(Msg::Generate);
    let request = page.generated();
    assert_eq!(request.prompt.len(), 3_000);
    page.steps(&request, 2);
    page.finish(request.run);
    let link = page.session.link();
    assert_eq!((link.prompt, link.check), (None, None), "no link leads to the run");
    assert_eq!(link.left_out, [LinkField::Prompt]);
}

#[test]
fn only_what_the_strategy_reads_is_missed() {
    let mut page = Page::ready("");
    page.type_in(Control::Prompt, "Once");
    let long = "a b ".repeat(600);
    type_option(&mut page, OptionKey::Text, &long);
    assert!(!page.address().unwrap().contains("text=") && page.session.left_out_of_link().is_empty());
    page.tell(Msg::ChoseStrategy(StrategyKind::Bigram));
    assert_eq!(page.session.left_out_of_link(), [LinkField::Option(OptionKey::Text)]);
    page.tell(Msg::Generate);
    assert_eq!(page.session.words().unwrap().n_words, 1_200);
    let again = Page::ready(page.address().unwrap());
    assert!(again.session.words().is_none(), "another text is not counted in its place");
}

#[test]
fn a_batch_without_its_prompts_is_not_started() {
    let mut page = Page::ready("");
    page.tell(Msg::ChoseStrategy(StrategyKind::Batch));
    type_option(&mut page, OptionKey::Prompts, &"a".repeat(2_001));
    let again = Page::ready(page.address().unwrap());
    assert!(again.session.work().is_none() && again.session.link_errors().len() == 1);
    type_option(&mut page, OptionKey::Prompts, "a");
    assert!(Page::ready(page.address().unwrap()).session.work().is_some());
}

#[test]
fn a_list_of_what_is_missing_that_means_nothing_is_left_out() {
    let (link, errors) = Link::parse("?prompt=Once&without=prompt,colour");
    assert!(link.left_out.is_empty());
    assert!(errors[0].to_string().contains("without in the address is \u{201c}prompt,colour\u{201d}"), "{errors:?}");
    assert_eq!(Link::parse("?without="), (Link::default(), Vec::new()));
    let long = Link { left_out: vec![LinkField::Prompt, SCHEMA], ..Link::default() };
    assert_eq!(Link::parse(&long.write()).0, long);
}
