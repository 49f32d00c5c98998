//! What holds for every batch.

use nucleus_decode::{BatchPlan, PaddedGrid, RowStep, Rows};
use nucleus_sampler::TokenId;
use proptest::collection::vec;
use proptest::prelude::{Strategy, prop_assert, prop_assert_eq, proptest};

use crate::canned::{Call, Canned, N_VOCAB, mixed};
use crate::common::{PAD, Terms, alone, prompt, run, terms};

fn plans() -> impl Strategy<Value = (BatchPlan, Terms)> {
    (vec(prompt(), 1..6), terms(), 0..9_usize).prop_map(|(prompts, terms, max_new_tokens)| {
        let Terms { settings, seed, end_of_text, .. } = terms;
        (BatchPlan { prompts, settings, seed, max_new_tokens, end_of_text, pad: PAD, n_tokenizer: N_VOCAB }, terms)
    })
}

/// What the model read into a row, in order.
fn read(calls: &[Call], row: usize) -> Vec<TokenId> {
    let of_call = |call: &Call| match call {
        Call::PrefillRow(to, ids) if *to == row => ids.clone(),
        Call::StepRows(fed) => fed.iter().filter(|(to, _)| *to == row).map(|&(_, id)| id).collect(),
        _ => Vec::new(),
    };
    calls.iter().flat_map(of_call).collect()
}

proptest! {
    #[test]
    fn every_row_is_what_it_is_alone((plan, terms) in plans()) {
        let outcomes = run(&mut Canned::new(terms.n_ctx, mixed), &plan).1.unwrap();
        for (row, (prompt, outcome)) in plan.prompts.iter().zip(outcomes).enumerate() {
            prop_assert_eq!(outcome, alone(prompt, plan.max_new_tokens, row as u32, terms), "row {}", row);
        }
    }

    #[test]
    fn other_rows_and_so_more_padding_change_nothing((plan, terms) in plans(), longer in vec(prompt(), 0..4)) {
        let wide = [plan.prompts.clone(), longer, vec![vec![TokenId(1); 40]]].concat();
        let wide = BatchPlan { prompts: wide, ..plan.clone() };
        let few = run(&mut Canned::new(terms.n_ctx, mixed), &plan).1.unwrap();
        let many = run(&mut Canned::new(terms.n_ctx, mixed), &wide).1.unwrap();
        prop_assert_eq!(&many[..few.len()], &few);
    }

    #[test]
    fn a_row_is_frozen_from_its_end_on((plan, terms) in plans()) {
        let (steps, outcomes) = run(&mut Canned::new(terms.n_ctx, mixed), &plan);
        let outcomes = outcomes.unwrap();
        let longest = outcomes.iter().map(|outcome| outcome.tokens.len()).max().unwrap();
        prop_assert_eq!(steps.len(), longest, "the run ends with its longest row");
        for (row, outcome) in outcomes.iter().enumerate() {
            let mut sum = 0.0;
            for (index, step) in steps.iter().enumerate() {
                match step.rows[row] {
                    RowStep::Drawn(drawn) => {
                        sum += drawn.log_probability;
                        prop_assert_eq!(drawn.token, outcome.tokens[index]);
                        prop_assert_eq!(drawn.sum, sum);
                        prop_assert_eq!(drawn.done, (index + 1 == outcome.tokens.len()).then_some(outcome.reason));
                    }
                    RowStep::Frozen { pad, sum: frozen, reason } => {
                        prop_assert!(index >= outcome.tokens.len());
                        prop_assert_eq!((pad, frozen, reason), (PAD, sum, outcome.reason));
                    }
                }
            }
            prop_assert_eq!(outcome.sum(), sum);
        }
    }

    /// The model reads just what the mask shows, each id at the position that the mask gives it; but for the last new
    /// token, which nothing comes after.
    #[test]
    fn the_model_is_fed_what_is_unmasked((plan, terms) in plans()) {
        let mut model = Canned::new(terms.n_ctx, mixed);
        let (steps, outcomes) = run(&mut model, &plan);
        let mut grid = PaddedGrid::new(&plan.prompts, plan.pad);
        steps.iter().for_each(|step| grid.push(step));
        prop_assert_eq!(grid.n_columns(), grid.n_prompt_columns() + steps.len());
        for (index, (row, outcome)) in grid.rows().iter().zip(outcomes.unwrap()).enumerate() {
            let cells = row.cells().into_iter().filter(|cell| cell.kind.mask() == 1);
            let (ids, places): (Vec<_>, Vec<_>) = cells.map(|cell| (cell.id, cell.position.unwrap())).unzip();
            prop_assert_eq!(places, (0..ids.len()).collect::<Vec<_>>());
            prop_assert_eq!(&ids, &[plan.prompts[index].as_slice(), &outcome.tokens].concat());
            if !outcome.tokens.is_empty() {
                prop_assert_eq!(read(&model.calls, index), &ids[..ids.len() - 1]);
                prop_assert_eq!(model.row_len(index), ids.len() - 1);
            }
        }
    }
}
