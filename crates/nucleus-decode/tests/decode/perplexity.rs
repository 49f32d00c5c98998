use nucleus_decode::perplexity;

use crate::canned::{Canned, N_VOCAB, block_on, ids, mixed, plan, run};

#[test]
fn a_model_that_knows_nothing_is_as_perplexed_as_its_vocabulary_is_large() {
    let mut model = Canned::new(8, |_| vec![1.5; N_VOCAB]);
    let found = block_on(perplexity(&mut model, &ids(&[1, 2, 3]))).unwrap().unwrap();
    assert!((found - N_VOCAB as f64).abs() < 1e-9, "{found}");
}

#[test]
fn the_first_token_does_not_count() {
    let mut model = Canned::new(8, mixed);
    for few in [vec![], ids(&[4])] {
        assert_eq!(block_on(perplexity(&mut model, &few)), Ok(None));
    }
    assert!(block_on(perplexity(&mut model, &ids(&[4, 5]))).unwrap().unwrap() > 1.0);
}

#[test]
fn the_new_tokens_of_a_run_are_scored_as_they_were_drawn() {
    let mut model = Canned::new(16, mixed);
    let outcome = run(&mut model, &plan(&[3])).1.unwrap();
    let text = [ids(&[3]), outcome.tokens].concat();
    let whole = block_on(perplexity(&mut model, &text)).unwrap().unwrap();
    let drawn = nucleus_sampler::perplexity(&outcome.log_probabilities).unwrap();
    assert!((whole - drawn).abs() < 1e-9 * drawn, "{whole} is not {drawn}");
}

#[test]
fn of_a_long_text_the_last_window_counts() {
    let mut model = Canned::new(4, mixed);
    let long = block_on(perplexity(&mut model, &ids(&[9, 8, 7, 1, 2, 3, 4]))).unwrap();
    assert_eq!(long, block_on(perplexity(&mut model, &ids(&[1, 2, 3, 4]))).unwrap());
}
