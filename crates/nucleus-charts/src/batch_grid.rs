//! The figure "Batch": prompts of different length as one padded grid, with mask and positions.

use nucleus_decode::{Cell, CellKind, GridRow, PaddedGrid, StopReason};

use crate::figure::{caption, figure, scroll};
use crate::sentence::Sentence;
use crate::words::{count, counted, nats, shortened};
use crate::{Element, Node, Vocabulary, token_label, token_quote};

/// The most columns that are rendered, so that a table stays quick: the last ones.
const MAX_COLUMNS: usize = 120;
/// The most rows that are rendered: the first ones.
const MAX_ROWS: usize = 32;
/// Where a token is cut, in columns of text.
const TOKEN_WIDTH: usize = 9;

/// `<figure aria-label="Batch">` with a table that scrolls sideways, and a caption.
///
/// Columns are counted from 0, as positions are, so that a row's padding is the difference between the two. Each row of
/// the batch is a `<tbody>`, with the class `done` once it is: a heading with its state and its sum, then a line each of
/// tokens, mask and positions. A cell has the class `padding`, `prompt`, `new` or `frozen`; where the mask is 0 a word
/// stands in place of the pad id. A token that is cut has a title. The last token of a row that is done has the class `last`.
pub fn batch_grid(grid: &PaddedGrid, vocabulary: &dyn Vocabulary) -> Node {
    let first = grid.n_columns().saturating_sub(MAX_COLUMNS);
    let rows = grid.rows().iter().take(MAX_ROWS).enumerate();
    let table = Element::new("table")
        .child(Element::new("caption").text(extent(grid, first)))
        .child(head(grid, first))
        .children(rows.map(|(index, row)| body(index, row, first, vocabulary)));
    let scroll = scroll("Padded grid", table);
    figure("batch-grid", "Batch").child(scroll).child(caption(&sentence(grid, vocabulary))).into()
}

/// The grid in words: how it is padded, that this changes nothing, and which rows are done.
pub fn batch_grid_sentence(grid: &PaddedGrid, vocabulary: &dyn Vocabulary) -> String {
    sentence(grid, vocabulary).text()
}

fn sentence(grid: &PaddedGrid, vocabulary: &dyn Vocabulary) -> Sentence {
    if grid.rows().is_empty() {
        return Sentence::default().words("No prompt yet.");
    }
    let n_steps = grid.n_columns() - grid.n_prompt_columns();
    let pads = format!(
        "{}, padded on the left to {} with ",
        counted(grid.rows().len(), "row"),
        counted(grid.n_prompt_columns(), "column")
    );
    let padding = format!(
        " (id {}); {} more. Padding has mask 0 and no position: the first token of each prompt is at position 0, and \
         each row is what it would be alone. ",
        grid.pad(),
        counted(n_steps, "column"),
    );
    let pad = token_quote(vocabulary.bytes(grid.pad()));
    Sentence::default().words(pads).token(pad).words(padding).words(states(grid.rows()))
}

/// How many rows go on, and which are done, by the reasons for it.
fn states(rows: &[GridRow]) -> String {
    let mut reasons: Vec<(StopReason, Vec<String>)> = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let Some(reason) = row.done() else { continue };
        let n_new = row.cells().iter().filter(|cell| cell.kind == CellKind::New).count();
        let this = format!("row {} after {}", count(index + 1), counted(n_new, "token"));
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, rows)) => rows.push(this),
            None => reasons.push((reason, vec![this])),
        }
    }
    let going = rows.iter().filter(|row| row.done().is_none()).count();
    let going = match going {
        0 => "All rows are done.".to_owned(),
        n if n == rows.len() => "All rows go on.".to_owned(),
        n => format!("{n} of {} go on.", counted(rows.len(), "row")),
    };
    let done = reasons.iter().map(|(reason, rows)| format!(" Done because {reason}: {}.", rows.join(", ")));
    [going].into_iter().chain(done).collect()
}

/// What part of the grid the table shows.
fn extent(grid: &PaddedGrid, first: usize) -> String {
    let rows = match grid.rows().len() {
        n if n > MAX_ROWS => format!("Rows 1 to {MAX_ROWS} of {}", count(n)),
        n => counted(n, "row"),
    };
    let n = grid.n_columns();
    match first {
        0 => format!("{rows}, {}", counted(n, "column")),
        _ => format!("{rows}, columns {} to {} of {}", count(first), count(n - 1), count(n)),
    }
}

/// Two lines: what the columns belong to, and their numbers.
fn head(grid: &PaddedGrid, first: usize) -> Element {
    let n_prompt = grid.n_prompt_columns().saturating_sub(first);
    let n_new = grid.n_columns() - first - n_prompt;
    let group = |(name, n): (&str, usize)| {
        let cell = Element::new("th").with("scope", "colgroup").with("colspan", n).class("group");
        cell.child(Element::new("span").text(name))
    };
    let groups = [("prompts", n_prompt), ("new tokens", n_new)].into_iter().filter(|&(_, n)| n > 0).map(group);
    let number = |column: usize| Element::new("th").with("scope", "col").text(count(column));
    let numbers = (first..grid.n_columns()).map(number);
    let corner = Element::new("th").with("scope", "col").with("rowspan", 2_usize).class("line").text("column");
    Element::new("thead")
        .child(Element::new("tr").child(corner).children(groups))
        .child(Element::new("tr").children(numbers))
}

fn body(index: usize, row: &GridRow, first: usize, vocabulary: &dyn Vocabulary) -> Element {
    let cells = row.cells();
    let last = row.done().and_then(|_| cells.iter().rposition(|cell| cell.kind == CellKind::New));
    let line = |name: &'static str, line_class: &'static str, content: &dyn Fn(&Cell, Element) -> Element| {
        let shown = cells.iter().enumerate().skip(first);
        let cells = shown.map(|(column, cell)| {
            let class = if last == Some(column) { "new last" } else { class(cell.kind) };
            content(cell, Element::new("td").class(class))
        });
        let name_cell = Element::new("th").with("scope", "row").class("line").text(name);
        Element::new("tr").class(line_class).child(name_cell).children(cells)
    };
    Element::new("tbody")
        .class(if row.done().is_some() { "batch-row done" } else { "batch-row" })
        .child(heading(index, row, cells.len() - first + 1))
        .child(line("token", "tokens", &|cell, td| token(cell, td, vocabulary)))
        .child(line("mask", "masks", &|cell, td| td.text(cell.kind.mask().to_string())))
        .child(line("position", "positions", &|cell, td| td.text(cell.position.map_or_else(|| "–".to_owned(), count))))
}

/// "Row 2", its state, and the sum of its log-probabilities.
fn heading(index: usize, row: &GridRow, n_columns: usize) -> Element {
    let state = row.done().map_or_else(|| "goes on".to_owned(), |reason| format!("■ done: {reason}"));
    let part = |class: &'static str, text: String| Element::new("span").class(class).text(text);
    let words = Element::new("div")
        .class("heading")
        .child(part("name", format!("Row {}", count(index + 1))))
        .text(" ")
        .child(part("state", state))
        .text(" ")
        .child(part("sum", format!("log-probability {}", nats(row.sum()))));
    let cell = Element::new("th").with("scope", "rowgroup").with("colspan", n_columns).child(words);
    Element::new("tr").class("head").child(cell)
}

fn token(cell: &Cell, td: Element, vocabulary: &dyn Vocabulary) -> Element {
    match cell.kind {
        CellKind::Padding => td.text("pad"),
        CellKind::Frozen => td.text("frozen"),
        CellKind::Prompt | CellKind::New => {
            let whole = token_label(vocabulary.bytes(cell.id));
            let label = shortened(&whole, TOKEN_WIDTH);
            let td = if label == whole { td } else { td.with("title", whole) };
            td.token(cell.id).child(Element::new("bdi").class("token").text(label))
        }
    }
}

fn class(kind: CellKind) -> &'static str {
    match kind {
        CellKind::Padding => "padding",
        CellKind::Prompt => "prompt",
        CellKind::New => "new",
        CellKind::Frozen => "frozen",
    }
}
