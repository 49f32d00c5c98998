//! Requests in slots: the timeline beside static batching, and the text of each request.

use nucleus_charts::{Element, Node, Size, SlotRun, slot_timeline};
use nucleus_decode::{Request, Timeline};
use nucleus_sampler::TokenId;
use nucleus_session::{Progress, SlotRequest, StrategyRun};

use super::words::text;

/// The view of continuous batching.
pub fn slots(work: &StrategyRun, n_slots: usize, asked: &[SlotRequest], width: f64) -> Vec<Node> {
    let prompts = work.prompts();
    if prompts.is_empty() {
        return Vec::new();
    }
    let requests: Vec<Request> = asked.iter().zip(prompts).map(request).collect();
    let texts = texts(work, requests.len());
    let mut continuous = Timeline::new(n_slots);
    for told in &work.told {
        if let Progress::Slots(step) = told {
            continuous.push(step);
        }
    }
    let lengths: Vec<usize> = texts.iter().map(Vec::len).collect();
    let by_batch = Timeline::static_batches(n_slots, &requests, &lengths);
    let run = SlotRun { requests: &requests, continuous: &continuous, by_batch: &by_batch };
    vec![slot_timeline(&run, Size::new(width, 300.0)), list(work, asked, &texts)]
}

fn request((asked, prompt): (&SlotRequest, &Vec<TokenId>)) -> Request {
    Request { prompt: prompt.clone(), max_new_tokens: asked.new_tokens, arrives_at: asked.arrives_at }
}

/// The new tokens of each request so far.
fn texts(work: &StrategyRun, n: usize) -> Vec<Vec<TokenId>> {
    let mut texts = vec![Vec::new(); n];
    for told in &work.told {
        let Progress::Slots(step) = told else { continue };
        for (request, token) in step.slots.iter().filter_map(|slot| slot.request().zip(slot.token())) {
            texts[request].push(token.token);
        }
    }
    texts
}

fn list(work: &StrategyRun, asked: &[SlotRequest], texts: &[Vec<TokenId>]) -> Node {
    let item = |(asked, tokens): (&SlotRequest, &Vec<TokenId>)| {
        let prompt = Element::new("span").class("prompt").text(asked.prompt.as_str());
        Node::from(Element::new("li").child(prompt).text(text(work, tokens)))
    };
    Element::new("ol").class("texts").children(asked.iter().zip(texts).map(item)).into()
}
