//! The padded grid: what its cells say, to the eye and to a screen reader.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "each test file uses a part of the common scenes")]

mod common;

use common::runs::{PAD, grid};
use common::{Words, elements, of_class};
use insta::assert_snapshot;
use nucleus_charts::{Element, Node, batch_grid, batch_grid_sentence};
use nucleus_decode::PaddedGrid;

fn text(element: &Element) -> String {
    Node::from(element.clone()).text_content()
}

/// The texts of the cells of each line with this class.
fn lines(figure: &Node, class: &str) -> Vec<Vec<String>> {
    let cells = |line: &Element| {
        let node = Node::from(line.clone());
        elements(&node).into_iter().filter(|cell| cell.tag == "td").map(text).collect()
    };
    of_class(figure, class).into_iter().map(cells).collect()
}

#[test]
fn a_small_grid() {
    let figure = batch_grid(&grid(&[3, 1], &[3, 1], 2), &Words);
    assert_snapshot!(figure.to_html().replace("><", ">\n<"));
}

#[test]
fn mask_and_position_stand_under_each_token() {
    let figure = batch_grid(&grid(&[3, 1], &[3, 1], 2), &Words);
    let script = "<script>…"; // the token of id 3, cut
    assert_eq!(lines(&figure, "tokens")[0], ["␣the", ",", "↵", script, script]);
    assert_eq!(lines(&figure, "tokens")[1], ["pad", "pad", "␣the", script, "frozen"]);
    assert_eq!(lines(&figure, "masks"), [["1", "1", "1", "1", "1"], ["0", "0", "1", "1", "0"]]);
    assert_eq!(lines(&figure, "positions"), [["0", "1", "2", "3", "4"], ["–", "–", "0", "1", "–"]]);
}

#[test]
fn padding_and_frozen_cells_are_no_tokens_and_differ_by_a_word() {
    let figure = batch_grid(&grid(&[3, 1], &[3, 1], 2), &Words);
    for (class, word) in [("padding", "pad"), ("frozen", "frozen")] {
        let cells = of_class(&figure, class);
        assert!(cells.iter().all(|cell| cell.attribute("data-token").is_none()));
        assert_eq!(text(cells[0]), word);
    }
    assert_eq!(of_class(&figure, "last").len(), 3, "token, mask and position of the one row that is done");
}

#[test]
fn a_done_row_says_why_and_its_sum() {
    let figure = batch_grid(&grid(&[3, 1], &[3, 1], 2), &Words);
    let headings: Vec<String> = of_class(&figure, "heading").into_iter().map(text).collect();
    let expected = [
        "Row 1 goes on log-probability −1.00 nats",
        "Row 2 ■ done: the model ended the text log-probability −0.50 nats",
    ];
    assert_eq!(headings, expected);
    assert_eq!(of_class(&figure, "done").len(), 1);
}

#[test]
fn every_line_is_as_wide_as_the_head() {
    for figure in [batch_grid(&grid(&[3, 1], &[3, 1], 2), &Words), batch_grid(&grid(&[90, 70], &[60, 2], 60), &Words)] {
        let columns = elements(&figure).into_iter().filter(|cell| cell.attribute("scope") == Some("col")).count() - 1;
        let groups = elements(&figure).into_iter().filter(|cell| cell.attribute("scope") == Some("colgroup"));
        assert_eq!(groups.map(|cell| common::number(cell, "colspan") as usize).sum::<usize>(), columns);
        for class in ["tokens", "masks", "positions"] {
            assert!(lines(&figure, class).iter().all(|line| line.len() == columns));
        }
        for head in elements(&figure).into_iter().filter(|cell| cell.attribute("scope") == Some("rowgroup")) {
            assert_eq!(common::number(head, "colspan") as usize, columns + 1);
        }
    }
}

#[test]
fn a_large_grid_shows_its_end_and_says_so() {
    let figure = batch_grid(&grid(&[90; 40], &[60; 40], 60), &Words);
    assert!(figure.text_content().starts_with("Rows 1 to 32 of 40, columns 30 to 149 of 150"));
    assert_eq!(of_class(&figure, "batch-row").len(), 32);
    assert!(figure.n_nodes() < 32 * 120 * 9, "{}", figure.n_nodes());
    let whole = batch_grid(&grid(&[30; 16], &[30; 16], 30), &Words);
    assert!(whole.text_content().starts_with("16 rows, 60 columns"));
    assert_eq!(of_class(&whole, "new").len(), 3 * 16 * 30);
}

#[test]
fn a_token_that_is_cut_has_its_whole_text_in_a_title() {
    let figure = batch_grid(&grid(&[5], &[1], 1), &Words);
    let cut: Vec<_> = elements(&figure).into_iter().filter(|cell| cell.attribute("title").is_some()).collect();
    // Token 3 in the prompt, and the new one.
    assert_eq!(cut.len(), 2);
    for cell in cut {
        assert_eq!(cell.attribute("title"), Some("<script>alert(1)</script>"));
        assert_eq!(Node::from(cell.clone()).text_content(), "<script>…");
    }
}

#[test]
fn the_sentence_names_the_padding_and_the_rows_that_are_done() {
    let say = |n_new: &[usize], n_steps| batch_grid_sentence(&grid(&[3, 1, 2], n_new, n_steps), &Words);
    assert_eq!(
        say(&[3, 1, 2], 2),
        "3 rows, padded on the left to 3 columns with '↵' (id 2); 2 columns more. Padding has mask 0 and no position: the \
         first token of each prompt is at position 0, and each row is what it would be alone. 1 of 3 rows go on. Done \
         because the model ended the text: row 2 after 1 token, row 3 after 2 tokens."
    );
    assert!(say(&[3, 1, 2], 0).ends_with("0 columns more. Padding has mask 0 and no position: the first token of each prompt is at position 0, and each row is what it would be alone. All rows go on."));
    assert!(say(&[2, 1, 2], 2).contains("All rows are done. Done because"));
    assert_eq!(batch_grid_sentence(&PaddedGrid::new(&[], PAD), &Words), "No prompt yet.");
}

#[test]
fn the_figure_has_a_name_a_caption_and_a_box_that_the_keyboard_scrolls() {
    for figure in [batch_grid(&grid(&[3, 1], &[3, 1], 2), &Words), batch_grid(&PaddedGrid::new(&[], PAD), &Words)] {
        let all = elements(&figure);
        assert_eq!(all[0].attribute("aria-label"), Some("Batch"));
        assert_eq!(all.iter().filter(|element| element.tag == "figcaption").count(), 1);
        let scroll = of_class(&figure, "scroll");
        assert_eq!(scroll[0].attribute("tabindex"), Some("0"));
        assert!(scroll[0].attribute("aria-label").is_some());
        assert!(all.iter().all(|element| element.tag != "script" && element.attribute("style").is_none()));
    }
}
