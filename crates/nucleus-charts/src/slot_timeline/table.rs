//! The requests in numbers, for both ways.

use nucleus_decode::{Block, Request, Timeline};

use super::SlotRun;
use crate::Element;
use crate::words::{count, counted};

/// A row for each request: when it arrives, how many tokens it got, and for both ways its slot, how long it waited and when it
/// was over. A dash where it had no slot.
pub(super) fn table(run: &SlotRun) -> Element {
    Element::new("table")
        .child(Element::new("caption").text(format!("{}, times in steps", counted(run.requests.len(), "request"))))
        .child(head())
        .child(Element::new("tbody").children(run.requests.iter().enumerate().map(|(i, request)| row(run, i, request))))
}

/// The columns of one way, and their classes.
const WAY: [(&str, &str); 3] = [("slot", "number begin"), ("waits", "number"), ("ends", "number")];

fn head() -> Element {
    let column = |name: &str| Element::new("th").with("scope", "col").class("number").text(name);
    let spanning = |name: &str| column(name).with("rowspan", 2_usize);
    let group =
        |name: &str| Element::new("th").with("scope", "colgroup").with("colspan", 3_usize).class("group").text(name);
    Element::new("thead")
        .child(
            Element::new("tr")
                .children(["request", "arrives", "tokens"].map(spanning))
                .children(["continuous", "static"].map(group)),
        )
        .child(Element::new("tr").children(WAY.into_iter().chain(WAY).map(|(name, class)| column(name).class(class))))
}

fn row(run: &SlotRun, index: usize, request: &Request) -> Element {
    let find = |timeline: &Timeline| timeline.blocks().iter().find(|block| block.request == index).copied();
    let ours = find(run.continuous);
    let cell = |text: String| Element::new("td").class("number").text(text);
    let way = |block: Option<Block>| {
        let texts = match block {
            None => ["–", "–", "–"].map(str::to_owned),
            Some(block) => [block.slot + 1, block.start.saturating_sub(request.arrives_at), block.end()].map(count),
        };
        texts.into_iter().zip(WAY).map(|(text, (_, class))| Element::new("td").class(class).text(text))
    };
    Element::new("tr")
        .child(Element::new("th").with("scope", "row").class("number").text(count(index + 1)))
        .child(cell(count(request.arrives_at)))
        .child(cell(count(ours.map_or(0, |block| block.len))))
        .children(way(ours))
        .children(way(find(run.by_batch)))
}
