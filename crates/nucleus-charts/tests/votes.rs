//! The votes: bars, samples with their answer marked, and what a split means.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "each test file uses a part of the common scenes")]

mod common;

use common::{elements, number, of_class};
use insta::assert_snapshot;
use nucleus_charts::{Node, VoteSample, votes, votes_sentence};
use nucleus_decode::{Answer, AnswerRule, Extractor, Vote};

const TEXTS: [&str; 5] = [" 7 bones.", " It is 8", " so happy", " 7, <b>no</b> 9", " 1,200"];

fn draw(rule: AnswerRule, texts: &[&str]) -> (Node, Vote) {
    let extractor = Extractor::new(rule).unwrap();
    let answers: Vec<Option<Answer>> = texts.iter().map(|text| extractor.answer(text)).collect();
    let vote = Vote::new(answers.iter().map(|answer| answer.as_ref().map(|answer| answer.value.as_str())));
    let sample = |(text, answer)| VoteSample { text, answer, is_over: true };
    let samples: Vec<VoteSample> = texts.iter().copied().zip(answers.iter().map(Option::as_ref)).map(sample).collect();
    (votes(&vote, &samples), vote)
}

fn say(texts: &[&str]) -> String {
    votes_sentence(&draw(AnswerRule::FirstNumber, texts).1)
}

#[test]
fn a_split_vote() {
    let (figure, _) = draw(AnswerRule::FirstNumber, &TEXTS);
    assert_snapshot!(figure.to_html().replace("><", ">\n<"));
}

#[test]
fn a_split_vote_is_explained() {
    let sentence = say(&TEXTS);
    let start = "'7' wins with 2 of 4 answers (50%, and 40% of all 5 samples, of which 1 has no answer). The entropy of \
                 the votes is 1.04 nats. A split vote means";
    assert!(sentence.starts_with(start), "{sentence}");
    assert!(sentence.ends_with("which may still be wrong."), "{sentence}");
}

#[test]
fn agreement_is_not_called_right() {
    let sentence = say(&["7", "7.0", "none", "none"]);
    assert_eq!(
        sentence,
        "'7' is the answer in 2 of 2 answers (100%, and 50% of all 4 samples, of which 2 have no answer). The entropy of \
         the votes is 0.00 nats. Agreement is no proof: samples of one model share its mistakes."
    );
    assert!(say(&["7"]).starts_with("'7' is the answer of the only sample. Agreement is no proof"));
}

#[test]
fn a_tie_is_said_to_be_one() {
    let sentence = say(&["8", "7", "7", "8", "1"]);
    let start = "2 answers tie, each with 2 of 5 answers (40%). '8' is named first because it was reached first, which is a \
                 rule and no reason. ";
    assert!(sentence.starts_with(start), "{sentence}");
    let (figure, _) = draw(AnswerRule::FirstNumber, &["8", "7", "7", "8", "1"]);
    assert_eq!(of_class(&figure, "winner").len(), 2);
    assert_eq!(of_class(&figure, "word").len(), 2);
}

#[test]
fn a_rule_that_finds_nothing_says_what_to_do() {
    assert_eq!(
        say(&["a", "b"]),
        "None of 2 samples has an answer by this rule: change the rule, or let samples be longer."
    );
    assert_eq!(say(&["a"]), "The 1 sample has no answer by this rule: change the rule, or let samples be longer.");
    assert_eq!(say(&[]), "No sample is complete yet.");
    assert_eq!(elements(&draw(AnswerRule::FirstWord, &[]).0).len(), 2, "a figure with its caption");
}

#[test]
fn bars_are_shares_of_all_samples() {
    let (figure, vote) = draw(AnswerRule::FirstNumber, &TEXTS);
    let widths: Vec<f64> =
        elements(&figure).iter().filter(|element| element.tag == "rect").map(|bar| number(bar, "width")).collect();
    assert_eq!(widths, [40.0, 20.0, 20.0, 20.0]);
    assert_eq!(vote.counts().len() + 1, widths.len());
}

#[test]
fn the_answer_is_marked_where_it_stands() {
    let (figure, _) = draw(AnswerRule::FirstNumber, &TEXTS);
    let marks = elements(&figure).into_iter().filter(|element| element.tag == "mark").cloned();
    let marks: Vec<String> = marks.map(|mark| Node::from(mark).text_content()).collect();
    assert_eq!(marks, ["7", "8", "7", "1,200"]);
    assert!(!figure.to_html().contains("<b>"), "texts are no markup");
    let texts: Vec<String> =
        of_class(&figure, "text").into_iter().map(|text| Node::from(text.clone()).text_content()).collect();
    assert_eq!(texts, TEXTS);
}

#[test]
fn a_sample_that_still_grows_has_no_vote() {
    let growing = VoteSample { text: " The", answer: None, is_over: false };
    let html = votes(&Vote::default(), &[growing]).to_html();
    assert!(html.contains(" …") && !html.contains("no answer"), "{html}");
}
