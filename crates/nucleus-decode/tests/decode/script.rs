//! Going back to a step, and taking another way from there.

use nucleus_decode::{Plan, Script};
use nucleus_sampler::TokenId;
use proptest::prelude::*;

use crate::canned::{Call, Canned, N_VOCAB, ids, mixed, plan, run, tokens};

fn script(given: &[TokenId], forced: &[(usize, u32)]) -> Script {
    Script { given: given.to_vec(), forced: forced.iter().map(|&(index, id)| (index, TokenId(id))).collect() }
}

proptest! {
    /// Whatever the length of the window: from any of its steps a run goes on as it went.
    #[test]
    fn a_run_goes_on_from_its_own_tokens_as_it_went(
        seed: u64,
        n in 0_usize..9,
        n_ctx in 3_usize..14,
        n_tokenizer in 3..=N_VOCAB,
    ) {
        let plan = Plan { seed, max_new_tokens: 8, n_tokenizer, ..plan(&[1, 2]) };
        let (steps, whole) = run(&mut Canned::new(n_ctx, mixed), &plan);
        let whole = whole.unwrap();
        let again = Plan { script: script(&whole.tokens[..n], &[]), ..plan };
        let (rest, outcome) = run(&mut Canned::new(n_ctx, mixed), &again);
        prop_assert_eq!(outcome.unwrap(), whole);
        prop_assert_eq!(&rest[..], &steps[n..]);
    }

    #[test]
    fn a_forced_token_stands_where_it_was_forced_and_the_text_before_stays(seed: u64, at in 0_usize..8, id in 0_u32..12) {
        let plan = Plan { seed, max_new_tokens: 8, ..plan(&[3]) };
        let (free, _) = run(&mut Canned::new(64, mixed), &plan);
        let forced = Plan { script: script(&[], &[(at, id)]), ..plan };
        let (steps, _) = run(&mut Canned::new(64, mixed), &forced);
        prop_assert_eq!(&tokens(&steps)[..at], &tokens(&free)[..at]);
        prop_assert_eq!(steps[at].trace.token, TokenId(id));
        prop_assert!(steps[at].forced && steps.iter().filter(|step| step.forced).count() == 1);
        // The draw that was not followed is told as it was.
        prop_assert_eq!(steps[at].trace.draw, free[at].trace.draw);
        if free[at].trace.token == TokenId(id) {
            prop_assert_eq!(tokens(&steps), tokens(&free));
        }
    }
}

#[test]
fn what_is_given_is_read_token_by_token_and_not_told() {
    let mut model = Canned::new(64, mixed);
    let plan = Plan { max_new_tokens: 4, script: script(&ids(&[5, 6, 7]), &[(1, 9)]), ..plan(&[1]) };
    let (steps, outcome) = run(&mut model, &plan);
    let read = [Call::Prefill(ids(&[1])), Call::Step(TokenId(5)), Call::Step(TokenId(6)), Call::Step(TokenId(7))];
    assert_eq!(model.calls, read);
    assert_eq!(steps.iter().map(|step| step.index).collect::<Vec<_>>(), [3]);
    let outcome = outcome.unwrap();
    assert_eq!(outcome.tokens[..3], ids(&[5, 6, 7]));
    assert_eq!(outcome.log_probabilities.len(), 4);
}

#[test]
fn an_id_of_the_script_that_stands_for_nothing_is_refused() {
    for script in [script(&ids(&[12]), &[]), script(&[], &[(0, 99)])] {
        let (_, outcome) = run(&mut Canned::new(64, mixed), &Plan { script, ..plan(&[1]) });
        assert!(outcome.unwrap_err().to_string().contains("must be below 12"));
    }
}
