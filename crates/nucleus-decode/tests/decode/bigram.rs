//! The bigram baseline: what is counted, what is drawn, and when there is nothing to draw.

use nucleus_decode::bigram::{Bigram, BigramEnd, BigramError, BigramStep, Row, STORY, words};
use nucleus_sampler::{Uniforms, Unit};
use proptest::prelude::*;

const TEXT: &str = "a b a c a b .";

fn counted(text: &str) -> Bigram {
    Bigram::count(text).unwrap()
}

/// Word, count and start of each successor.
fn entries(row: &Row) -> Vec<(&str, u32, u32)> {
    row.successors.iter().map(|after| (after.word.as_str(), after.count, after.start)).collect()
}

fn u(value: f64) -> Unit {
    Unit::new(value).unwrap()
}

#[test]
fn a_row_counts_what_follows_a_word() {
    let bigram = counted(TEXT);
    assert_eq!((bigram.n_words(), bigram.n_different()), (7, 4));
    let row = |word: &str| bigram.row(word).unwrap();
    assert_eq!(entries(row("a")), [("b", 2, 0), ("c", 1, 2)]);
    assert_eq!(row("a").total, 3);
    assert_eq!(entries(row("b")), [("a", 1, 0), (".", 1, 1)], "of equals the one that first came first");
    assert_eq!(entries(row("c")), [("a", 1, 0)]);
    assert_eq!(entries(row(".")), [], "the last word");
    assert_eq!(bigram.row("A"), None, "letters stay as they are");
}

#[test]
fn the_most_frequent_comes_first() {
    let bigram = counted("x a x b x c x b x c x b x d");
    assert_eq!(entries(bigram.row("x").unwrap()), [("b", 3, 0), ("c", 2, 3), ("a", 1, 5), ("d", 1, 6)]);
}

#[test]
fn texts_without_a_pair_are_refused() {
    for (text, found) in [("", 0), (" \n", 0), ("word", 1)] {
        assert_eq!(Bigram::count(text), Err(BigramError::TooShort { found }));
    }
    let long = "a ".repeat(Bigram::MOST_WORDS + 1);
    assert_eq!(Bigram::count(&long), Err(BigramError::TooLong { found: Bigram::MOST_WORDS + 1 }));
    assert_eq!(counted(&long[2..]).row("a").unwrap().total, 999_999);
}

#[test]
fn a_ticket_falls_to_the_first_successor_whose_counts_reach_above_it() {
    let bigram = counted("x a x b x c x b x c x b x d");
    let row = bigram.row("x").unwrap();
    let hits: Vec<Option<usize>> = (0..8).map(|ticket| row.at(ticket)).collect();
    assert_eq!(hits, [0, 0, 0, 1, 1, 2, 3].map(Some).into_iter().chain([None]).collect::<Vec<_>>());
    // Of 7: 3/7 = 0.428571...
    for (value, ticket, hit) in [(0.0, 0, 0), (0.428_571, 2, 0), (0.428_572, 3, 1), (0.9999, 6, 3)] {
        let draw = row.draw(u(value)).unwrap();
        assert_eq!((draw.ticket, draw.hit), (ticket, hit), "u = {value}");
    }
    assert_eq!(row.draw(u(1.0_f64.next_down())).unwrap().ticket, 6);
}

#[test]
fn the_ticket_is_exact_where_a_float_would_round_up() {
    let bigram = counted(&"a ".repeat(1001));
    let row = bigram.row("a").unwrap();
    assert_eq!(row.total, 1000);
    // The largest multiple of 2^-53 below 0.999.
    let k = (999_u128 << 53) / 1000;
    let below = k as f64 / (1_u64 << 53) as f64;
    assert_eq!(below * 1000.0, 999.0, "rounded");
    assert_eq!(row.draw(u(below)).unwrap().ticket, 998);
}

/// `numpy.random.default_rng(42).random()` gives 0.7740, 0.4389, 0.8586, 0.6974, 0.0942, 0.9756.
#[test]
fn a_run_draws_one_uniform_for_each_word() {
    let run = counted(TEXT).run("so, a", 42, 50);
    let drawn: Vec<_> = run.steps.iter().map(|step| (step.before.as_str(), step.draw.ticket, step.word())).collect();
    let expected = [("a", 2, "c"), ("c", 0, "a"), ("a", 2, "c"), ("c", 0, "a"), ("a", 0, "b"), ("b", 1, ".")];
    assert_eq!(drawn, expected);
    assert_eq!(run.end, BigramEnd::NoSuccessor { word: ".".into() });
    assert_eq!(run.text(), "c a c a b.");
    for step in &run.steps {
        assert_eq!(step.draw.u, Uniforms::nth(42, step.index as u64));
    }
}

#[test]
fn a_run_ends_for_one_of_four_reasons() {
    let bigram = counted(TEXT);
    let end = |prompt: &str, most| {
        let run = bigram.run(prompt, 1, most);
        (run.steps.len(), run.end)
    };
    assert_eq!(end("a", 1), (1, BigramEnd::WordLimit));
    assert_eq!(end("a", 0), (0, BigramEnd::WordLimit));
    assert_eq!(end(" ", 5), (0, BigramEnd::NoWord));
    assert_eq!(end("a dragon", 5), (0, BigramEnd::Unseen { word: "dragon".into() }));
    assert_eq!(end("a.", 5), (0, BigramEnd::NoSuccessor { word: ".".into() }));
    let said = BigramEnd::Unseen { word: "dragon".into() }.to_string();
    assert!(said.contains("\u{201c}dragon\u{201d} is not in the text"), "{said}");
}

#[test]
fn the_same_seed_gives_the_same_words_and_another_seed_others() {
    let bigram = counted(STORY);
    let texts: Vec<String> = (1..=5).map(|seed| bigram.run("Anna", seed, 30).text()).collect();
    for (index, text) in texts.iter().enumerate() {
        assert_eq!(*text, bigram.run("Anna", index as u64 + 1, 30).text());
        assert!(!texts[..index].contains(text), "seed {} repeats an earlier one", index + 1);
    }
}

#[test]
fn the_story_has_rows_worth_a_look() {
    let bigram = counted(STORY);
    let (n, different) = (bigram.n_words(), bigram.n_different());
    assert!((500..800).contains(&n) && different < n / 3, "{n} words, {different} different");
    let row = bigram.row("the").unwrap();
    assert_eq!((row.successors[0].word.as_str(), row.successors[0].count), ("river", 13));
    // Only its last mark has nothing after it, and that mark stands elsewhere, too: no run of it ever ends by itself.
    assert!(words(STORY).all(|word| bigram.row(word).is_some_and(|row| row.total > 0)));
}

#[test]
fn words_come_as_often_as_they_were_counted() {
    let bigram = counted("x a x b x c x b x c x b x d");
    let row = bigram.row("x").unwrap();
    let mut uniforms = Uniforms::new(3);
    let mut hits = [0_u32; 4];
    for _ in 0..70_000 {
        hits[row.draw(uniforms.draw()).unwrap().hit] += 1;
    }
    // 3 2 1 1 of 7: the standard deviation is at most 131.
    for (hits, successor) in hits.iter().zip(&row.successors) {
        assert!(hits.abs_diff(10_000 * successor.count) < 600, "{hits} of {}", successor.count);
    }
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(vec!["a", "b", "c", "dd", ".", ","]), 2..60)
        .prop_map(|words| words.join(" "))
}

/// Whether u lies in the successor's share of [0, 1), in whole numbers.
fn holds(step: &BigramStep) -> bool {
    let k = (step.draw.u.get() * (1_u64 << 53) as f64) as u128;
    let successor = &step.row.successors[step.draw.hit];
    let edge = |tickets: u32| u128::from(tickets) << 53;
    let at = k * u128::from(step.row.total);
    edge(successor.start) <= at && at < edge(successor.end())
}

proptest! {
    #[test]
    fn the_interval_drawn_holds_u(text in text(), seed: u64) {
        let run = counted(&text).run("a", seed, 40);
        for step in &run.steps {
            prop_assert!(holds(step), "{:?}", step.draw);
        }
    }

    #[test]
    fn each_pair_of_a_run_is_a_pair_of_the_text(text in text(), seed: u64) {
        let run = counted(&text).run("b", seed, 40);
        let known: Vec<&str> = words(&text).collect();
        let mut before = "b";
        for step in &run.steps {
            prop_assert_eq!(&step.before, before);
            prop_assert!(known.windows(2).any(|pair| pair == [before, step.word()]));
            before = step.word();
        }
        match run.end {
            BigramEnd::WordLimit => prop_assert_eq!(run.steps.len(), 40),
            BigramEnd::Unseen { word } => prop_assert!(word == "b" && !known.contains(&"b")),
            BigramEnd::NoSuccessor { word } => prop_assert!(known.last() == Some(&word.as_str())),
            BigramEnd::NoWord => prop_assert!(false, "the prompt has a word"),
        }
    }

    #[test]
    fn counts_are_those_of_a_search_through_the_text(text in text()) {
        let bigram = counted(&text);
        let known: Vec<&str> = words(&text).collect();
        for word in &known {
            let row = bigram.row(word).unwrap();
            let mut start = 0;
            for after in &row.successors {
                let count = known.windows(2).filter(|pair| pair[0] == *word && pair[1] == after.word).count();
                prop_assert_eq!((after.count as usize, after.start), (count, start));
                start = after.end();
            }
            prop_assert_eq!(row.total, start);
            prop_assert!(row.successors.is_sorted_by(|one, next| one.count >= next.count));
            prop_assert_eq!(row.total as usize, known[..known.len() - 1].iter().filter(|other| *other == word).count());
        }
    }
}
