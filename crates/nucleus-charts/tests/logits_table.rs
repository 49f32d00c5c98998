//! The logits table: outcomes and windows.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "each test file uses a part of the common scenes")]

mod common;

use common::{LOGITS, Step, constrained, elements, greedy, many, of_class, penalised, settings, steps};
use nucleus_charts::{Element, Node, RowWindow, logits_sentence, logits_table};
use nucleus_sampler::{Filter, RepetitionPenalty, Settings, TokenId};

/// Case 6: the table says which filter removed which token.
#[test]
fn every_row_says_what_became_of_its_token() {
    for step in steps() {
        let table = logits_table(&step.scene(), RowWindow { start: 0, count: 8 });
        let rows: Vec<_> = elements(&table).into_iter().filter(|e| e.tag == "tr").skip(1).collect();
        for (rank, row) in rows.into_iter().enumerate() {
            let id: u32 = row.attribute("data-token").unwrap().parse().unwrap();
            let text = Node::from(row.clone()).text_content();
            let words = match step.trace.removed_by(rank) {
                Some(Filter::TopK) => "removed by top-k",
                Some(Filter::TopP) => "removed by top-p",
                Some(Filter::Argmax) => "removed by argmax",
                Some(Filter::Constraint) => "removed by the constraint",
                Some(Filter::Mask) => "removed by the mask",
                None if step.trace.consumed() == 0 => "kept, argmax",
                None if TokenId(id) == step.trace.token => "kept, drawn",
                None => "kept",
            };
            assert!(text.ends_with(words), "{text}");
        }
    }
}

#[test]
fn a_lowered_logit_stands_beside_the_raw_one_and_only_with_the_penalty_on() {
    let step = penalised();
    let table = logits_table(&step.scene(), RowWindow { start: 0, count: 8 });
    let marks = of_class(&table, "lowered");
    let texts: Vec<String> = marks.iter().map(|mark| Node::from((*mark).clone()).text_content()).collect();
    // By rank: 2.5, 2 and 1.5 (was 3), 1, 0.5, -2, -2 (was -1), ...; the penalty is 2.
    assert_eq!(texts, [" ↓ 1.50", " ↓ −2.00"]);
    assert_eq!(step.ranking.ids()[2], TokenId(1));
    let caption = table.text_content();
    assert!(caption.contains("After the penalty of 2 on 2 tokens seen before, the largest of 8 logits is 2.50, "));
    let off = Step::new(&LOGITS, settings(1.0, 0, 1.0), 0.5);
    assert!(of_class(&logits_table(&off.scene(), RowWindow { start: 0, count: 8 }), "lowered").is_empty());
}

#[test]
fn a_window_of_the_table_is_moved_back_to_the_last_full_one() {
    let step = Step::new(&many(8.0), settings(1.0, 0, 1.0), 0.5);
    let table = logits_table(&step.scene(), RowWindow { start: 60_000, count: 20 });
    let rows: Vec<_> = elements(&table).into_iter().filter(|e| e.tag == "tr").collect();
    assert_eq!(rows.len(), 21);
    assert_eq!(rows[20].attribute("aria-rowindex"), Some("50258"));
    assert!(table.text_content().starts_with("Rows 50,238 to 50,257 of 50,257"));
}

fn cells(row: &Element) -> Vec<String> {
    row.children.iter().map(Node::text_content).collect()
}

fn table_rows(figure: &Node) -> Vec<Vec<String>> {
    elements(figure).into_iter().filter(|row| row.tag == "tr").map(cells).collect()
}

/// What is divided is what stands behind the arrow, and forbidden tokens do not get there.
#[test]
fn the_scaled_logit_is_that_of_the_penalty_and_none_for_what_is_forbidden() {
    let window = RowWindow { start: 0, count: 8 };
    let column = |step: &Step| -> Vec<String> {
        table_rows(&logits_table(&step.scene(), window)).into_iter().map(|mut row| row.swap_remove(3)).collect()
    };
    let plain = column(&Step::new(&LOGITS, settings(0.5, 0, 1.0), 0.5));
    assert_eq!(plain, ["logit / T", "6.00", "5.00", "4.00", "2.00", "1.00", "0.00", "−2.00", "−4.00"]);
    let lowered = column(&penalised());
    assert_eq!(lowered, ["logit ↓ / T", "2.50", "2.00", "1.50", "1.00", "0.50", "0.00", "−2.00", "−2.00"]);
    let allowed = column(&constrained());
    assert_eq!(allowed, ["logit / T", "5.00", "4.00", "2.00", "–", "–", "–", "–", "–"]);
}

#[test]
fn the_captions_name_the_order_that_the_rows_have() {
    for (penalty, is_constrained, order, largest) in [
        (1.0, false, "the largest logit first", "The largest of 8 logits is 3.00, ','"),
        (
            1.0,
            true,
            "the largest allowed logit first, forbidden tokens last",
            "The largest of 3 allowed logits is 2.50, ' the'",
        ),
        (
            2.0,
            false,
            "the largest logit after the penalty first",
            "After the penalty of 2 on 2 tokens seen before, the largest of 8 logits is 2.50, ' the'",
        ),
        (
            2.0,
            true,
            "the largest allowed logit after the penalty first, forbidden tokens last",
            "After the penalty of 2 on 1 token seen before, the largest of 3 allowed logits is 2.50, ' the'",
        ),
    ] {
        let step = greedy(penalty, is_constrained);
        let figure = logits_table(&step.scene(), RowWindow { start: 0, count: 8 });
        let text = figure.text_content();
        assert!(text.starts_with(&format!("Rows 1 to 8 of 8, {order}rank")), "{text}");
        assert!(text.contains(&format!("{largest}, ")), "{text}");
        let value = |row: &Vec<String>| row[2].rsplit(' ').next().unwrap().replace('−', "-").parse::<f64>().unwrap();
        let values: Vec<f64> = table_rows(&figure)[1..].iter().map(value).collect();
        let n = if is_constrained { 3 } else { 8 };
        assert!(values[..n].is_sorted_by(|one, next| one >= next), "{values:?}");
    }
}

#[test]
fn a_penalty_that_lowers_nothing_is_said_to() {
    let settings = Settings { repetition_penalty: RepetitionPenalty::new(1.5).unwrap(), ..settings(1.0, 0, 1.0) };
    let said = logits_sentence(&Step::new(&LOGITS, settings, 0.5).scene());
    assert!(said.starts_with("The penalty of 1.5 lowers no logit; the largest of 8 logits is 3.00, ','"), "{said}");
}
