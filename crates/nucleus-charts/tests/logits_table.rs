//! The logits table: outcomes and windows.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "each test file uses a part of the common scenes")]

mod common;

use common::{LOGITS, Step, elements, many, of_class, penalised, settings, steps};
use nucleus_charts::{Node, RowWindow, logits_table};
use nucleus_sampler::{Filter, TokenId};

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
