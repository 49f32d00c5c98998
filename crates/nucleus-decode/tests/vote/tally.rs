use nucleus_decode::{Count, Vote};

fn vote(answers: &[&str]) -> Vote {
    Vote::new(answers.iter().map(|&answer| (!answer.is_empty()).then_some(answer)))
}

fn count(value: &str, count: usize, first: usize) -> Count {
    Count { value: value.to_owned(), count, first }
}

fn assert_near(found: Option<f64>, expected: f64) {
    assert!((found.unwrap() - expected).abs() < 1e-15, "{found:?} is not {expected}");
}

/// 5 samples, of which one has no answer: 2 of the 4 answers, and of the 5 samples, are 7.
#[test]
fn a_split_vote_by_hand() {
    let vote = vote(&["7", "", "8", "7", "9"]);
    assert_eq!(vote.counts(), [count("7", 2, 0), count("8", 1, 2), count("9", 1, 4)]);
    assert_eq!((vote.n_samples(), vote.n_answers(), vote.n_leaders()), (5, 4, 1));
    assert_near(vote.share_of_answers(), 0.5);
    assert_near(vote.share_of_samples(), 0.4);
    // 1/2 ln 2 + 2 * 1/4 ln 4 = 3/2 ln 2.
    assert_near(vote.entropy(), 1.5 * 2.0_f64.ln());
}

#[test]
fn agreement_has_no_entropy() {
    let vote = vote(&["a", "a", "", "a"]);
    assert_eq!(vote.winner(), Some(&count("a", 3, 0)));
    assert_near(vote.share_of_answers(), 1.0);
    assert_near(vote.share_of_samples(), 0.75);
    assert_eq!(vote.entropy().map(f64::to_bits), Some(0));
}

#[test]
fn a_tie_goes_to_the_answer_that_was_reached_first_and_is_told() {
    let tied = vote(&["b", "a", "c", "a", "b"]);
    assert_eq!(tied.winner(), Some(&count("b", 2, 0)));
    assert_eq!(tied.n_leaders(), 2);
    assert_eq!(vote(&["c", "a", "a", "b", "b"]).winner(), Some(&count("a", 2, 1)));
    let all_different = vote(&["c", "b", "a"]);
    assert_eq!(all_different.n_leaders(), 3);
    assert_near(all_different.entropy(), 3.0_f64.ln());
}

#[test]
fn without_answers_there_is_no_winner() {
    for nothing in [vote(&[]), vote(&["", ""])] {
        assert_eq!(nothing.counts(), []);
        assert_eq!((nothing.n_answers(), nothing.n_leaders(), nothing.winner()), (0, 0, None));
        assert_eq!((nothing.share_of_answers(), nothing.share_of_samples(), nothing.entropy()), (None, None, None));
    }
    assert_eq!(vote(&["", ""]).n_samples(), 2);
}
