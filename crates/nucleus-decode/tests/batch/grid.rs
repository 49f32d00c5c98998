use nucleus_decode::{BatchPlan, CellKind, GridRow, PaddedGrid, StopReason, positions};

use crate::canned::ids;
use crate::common::{PAD, batch, counting, run, run_until};

fn grid_of(plan: &BatchPlan) -> PaddedGrid {
    let mut grid = PaddedGrid::new(&plan.prompts, plan.pad);
    run(&mut counting(16), plan).0.iter().for_each(|step| grid.push(step));
    grid
}

/// `p` padding, `P` prompt, `n` new, `f` frozen.
fn kinds(row: &GridRow) -> String {
    let sign = |kind| match kind {
        CellKind::Padding => 'p',
        CellKind::Prompt => 'P',
        CellKind::New => 'n',
        CellKind::Frozen => 'f',
    };
    row.cells().iter().map(|cell| sign(cell.kind)).collect()
}

#[test]
fn positions_are_the_running_sum_of_the_mask_minus_one() {
    let mask = [false, false, true, true, false, true];
    assert_eq!(positions(&mask), [None, None, Some(0), Some(1), None, Some(2)]);
    assert_eq!(positions(&[]), []);
}

#[test]
fn prompts_are_padded_on_the_left_to_the_longest() {
    let plan = batch(&[&[0, 1, 2], &[7], &[5, 6]]);
    let grid = PaddedGrid::new(&plan.prompts, PAD);
    assert_eq!((grid.n_columns(), grid.n_prompt_columns(), grid.pad()), (3, 3, PAD));
    let found: Vec<_> = grid.rows().iter().map(GridRow::ids).collect();
    assert_eq!(found, [ids(&[0, 1, 2]), ids(&[11, 11, 7]), ids(&[11, 5, 6])]);
    let masks: Vec<_> = grid.rows().iter().map(GridRow::mask).collect();
    assert_eq!(masks, [[true, true, true], [false, false, true], [false, true, true]]);
    assert!(grid.rows().iter().all(|row| row.done().is_none() && row.sum() == 0.0));
}

#[test]
fn each_step_adds_a_column_to_ids_mask_and_positions() {
    let grid = grid_of(&batch(&[&[0, 1, 2], &[7], &[5, 6]]));
    assert_eq!((grid.n_columns(), grid.n_prompt_columns()), (7, 3));
    let rows = grid.rows();
    assert_eq!(rows[0].ids(), ids(&[0, 1, 2, 3, 4, 5, 6]));
    assert_eq!(rows[1].ids(), ids(&[11, 11, 7, 8, 9, 11, 11]));
    assert_eq!(rows[2].ids(), ids(&[11, 5, 6, 7, 8, 9, 11]));
    assert_eq!(rows.iter().map(kinds).collect::<Vec<_>>(), ["PPPnnnn", "ppPnnff", "pPPnnnf"]);
    let positions: Vec<_> = rows[2].cells().iter().map(|cell| cell.position).collect();
    assert_eq!(positions, [None, Some(0), Some(1), Some(2), Some(3), Some(4), None]);
    let masks: Vec<_> = rows[2].cells().iter().map(|cell| cell.kind.mask()).collect();
    assert_eq!(masks, [0, 1, 1, 1, 1, 1, 0]);
    let done: Vec<_> = rows.iter().map(|row| row.done().unwrap()).collect();
    assert_eq!(done, [StopReason::TokenLimit, StopReason::EndOfText, StopReason::EndOfText]);
}

#[test]
fn a_row_that_the_user_stopped_says_so_once_the_run_is_over() {
    let plan = batch(&[&[0], &[7]]);
    let (steps, outcomes) = run_until(&mut counting(16), &plan, 1);
    let mut grid = PaddedGrid::new(&plan.prompts, plan.pad);
    steps.iter().for_each(|step| grid.push(step));
    let done = |grid: &PaddedGrid| grid.rows().iter().map(GridRow::done).collect::<Vec<_>>();
    assert_eq!(done(&grid), [None, Some(StopReason::EndOfText)]);
    let reasons: Vec<StopReason> = outcomes.unwrap().into_iter().map(|outcome| outcome.reason).collect();
    grid.finish(&reasons);
    assert_eq!(done(&grid), [Some(StopReason::User), Some(StopReason::EndOfText)]);
}

#[test]
fn a_pad_id_inside_a_prompt_is_not_padding() {
    let grid = PaddedGrid::new(&[ids(&[11, 11]), ids(&[3])], PAD);
    assert_eq!(grid.rows().iter().map(kinds).collect::<Vec<_>>(), ["PP", "pP"]);
}

#[test]
fn no_prompts_are_an_empty_grid() {
    let grid = PaddedGrid::new(&[], PAD);
    assert_eq!((grid.n_columns(), grid.n_prompt_columns(), grid.rows().len()), (0, 0, 0));
}
