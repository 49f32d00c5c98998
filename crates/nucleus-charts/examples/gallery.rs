//! Writes one HTML page with every figure in several states, to look at.
//!
//! `cargo run -p nucleus-charts --example gallery -- FOLDER [WIDTH]` reads the embedded model's
//! vocabulary and reference logits from `www/models/tales`, and writes `FOLDER/gallery.html` with
//! the figures laid out for `WIDTH` CSS pixels (720 if it is not given).

#[allow(clippy::unwrap_used, reason = "shared with the tests, which fail by panicking")]
#[path = "../tests/common/beams.rs"]
mod beams;

use std::error::Error;
use std::path::{Path, PathBuf};

use nucleus_charts::{
    BeamRun, Node, Repeated, RowWindow, RunStep, Scene, Size, SlotRun, Vocabulary, VoteSample, Zoom, allowed,
    batch_grid, beam_tree, bigram_row, draw, held_back, ladder, logits_table, mistakes, nucleus_size, repetition,
    slot_timeline, votes,
};
use nucleus_decode::bigram::{Bigram, STORY};
use nucleus_decode::{
    Answer, AnswerRule, BatchStep, Constraint, ConstraintState, Extractor, PaddedGrid, Request, RowStep, RowToken,
    SlotStep, SlotsStep, StopReason, StopStream, StopStrings, Timeline, TokenTrie, Vote, closing_loop, phrases,
};
use nucleus_sampler::{
    Ranking, Settings, StepContext, StepTrace, Temperature, TokenId, TopK, TopP, Uniforms, Unit, step, step_in,
};
use serde_json::Value;

/// What the gallery needs beside the page's own style sheets.
const STYLE: &str = "
.gallery { max-width: 45rem; margin: 0 auto; }
.gallery figure { margin: 2.5rem 0; }
.gallery h2 { font: 400 1.625rem/1.25 var(--serif); margin-top: 4rem; }
";

/// The texts of the tokens: the embedded model's, or the same again with a number for larger
/// vocabularies.
struct Words(Vec<Vec<u8>>);

impl Vocabulary for Words {
    fn bytes(&self, id: TokenId) -> &[u8] {
        self.0.get(id.index()).map_or(&[], Vec::as_slice)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("usage: gallery FOLDER [WIDTH]")?);
    let width: f64 = arguments.next().map_or(Ok(720.0), |width| width.parse())?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../www");
    let model = root.join("models/tales");
    let read = |name: &str| -> Result<Value, Box<dyn Error>> {
        Ok(serde_json::from_slice(&std::fs::read(model.join(name))?)?)
    };
    let words = Words(vocabulary(&read("tokenizer.json")?)?);
    let logits = last_logits(&read("reference.json")?, 0)?;

    let mut body = String::new();
    for (title, logits, settings, u) in states(&logits)? {
        let trace = step(&logits, &settings, u)?;
        let ranking = Ranking::new(&logits);
        let scene = Scene { logits: &logits, ranking: &ranking, trace: &trace, vocabulary: &words };
        body.push_str(&section(&title, &scene, width));
    }
    body.push_str(&runs(&logits, &words, width)?);
    body.push_str(&batches(&read("reference.json")?, &words)?);
    body.push_str(&slots(width));
    body.push_str(&searches(&words, width));
    body.push_str(&elections()?);
    body.push_str(&bigrams(&logits, &words, width)?);
    body.push_str(&held()?);
    body.push_str(&circles(&words));
    body.push_str(&wrong_ways(&logits, &words)?);
    body.push_str(&constrained(&logits, &words, width)?);

    let sheet = |name: &str| std::fs::read_to_string(root.join(name));
    let css = [sheet("style.css")?, sheet("charts.css")?].concat();
    let head = "<meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>Charts</title>";
    let page = format!(
        "<!doctype html><html lang=\"en\"><head>{head}<style>{css}{STYLE}</style></head><body><div class=\"gallery\">{body}</div></body></html>"
    );
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("gallery.html"), page)?;
    Ok(())
}

type State = (String, Vec<f32>, Settings, Unit);

fn states(tales: &[f32]) -> Result<Vec<State>, Box<dyn Error>> {
    let settings = |t: f64, k: u32, p: f64| -> Result<Settings, Box<dyn Error>> {
        let (temperature, top_k, top_p) = (Temperature::new(t)?, TopK::new(k)?, TopP::new(p)?);
        Ok(Settings { temperature, top_k, top_p, ..Settings::default() })
    };
    let u = |u: f64| Unit::new(u);
    let mut confident = tales.to_vec();
    confident[Ranking::new(tales).ids()[0].index()] += 6.0;
    let mut noise = Uniforms::new(7);
    let large: Vec<f32> = (0..50_257).map(|_| (4.0 * noise.draw().get()) as f32 - 60.0).collect();
    Ok(vec![
        ("k = 40, p = 0.9, T = 0.8".into(), tales.to_vec(), settings(0.8, 40, 0.9)?, u(0.6142)?),
        ("T = 1, all filters off".into(), tales.to_vec(), settings(1.0, 0, 1.0)?, u(0.93)?),
        ("greedy".into(), tales.to_vec(), settings(0.0, 40, 0.9)?, u(0.5)?),
        ("a confident step".into(), confident, settings(1.0, 0, 0.99)?, u(0.4)?),
        ("T = 10, p = 0.9".into(), tales.to_vec(), settings(10.0, 0, 0.9)?, u(0.02)?),
        ("50,257 logits, almost flat".into(), large, settings(1.0, 0, 1.0)?, u(0.6142)?),
    ])
}

fn section(title: &str, scene: &Scene, width: f64) -> String {
    let narrow = width < 480.0;
    let zoom = Zoom::around(scene);
    let mut figures: Vec<Node> =
        vec![ladder(scene, Size::new(width, 400.0)), draw(scene, Zoom::FULL, Size::new(width, 120.0))];
    if zoom != Zoom::FULL {
        figures.push(draw(scene, zoom, Size::new(width, 160.0)));
    }
    figures.push(logits_table(scene, RowWindow { start: 0, count: if narrow { 8 } else { 12 } }));
    let figures: String = figures.iter().map(Node::to_html).collect();
    format!("<section><h2>{title}</h2>{figures}</section>")
}

/// A text that ends in a circle, each time round likelier.
fn circles(words: &Words) -> String {
    let text: Vec<TokenId> = [41, 300, 301, 302, 42, 300, 301, 302, 300, 301, 302].map(TokenId).into();
    let log_probabilities: Vec<f64> = (0..text.len()).map(|step| (0.1 + 0.08 * step as f64).ln()).collect();
    let (phrases, closing_loop) = (phrases(&text, 5), closing_loop(&text));
    let run = Repeated { phrases: &phrases, closing_loop, log_probabilities: &log_probabilities };
    format!("<section><h2>Repetition</h2>{}</section>", repetition(&run, words).to_html())
}

/// The mistakes at a step where some show, and at temperature 0.
fn wrong_ways(tales: &[f32], words: &Words) -> Result<String, Box<dyn Error>> {
    let mut out = String::from("<section><h2>Wrong ways</h2>");
    for temperature in [0.5, 0.0] {
        let settings =
            Settings { temperature: Temperature::new(temperature)?, top_p: TopP::new(0.8)?, ..Settings::default() };
        let uniforms = Uniforms::new(42);
        let right = step(tales, &settings, uniforms.peek())?;
        let wrong = nucleus_sampler::mistakes(tales, &StepContext::default(), &settings, &uniforms)?;
        out.push_str(&mistakes(&right, &wrong, words).to_html());
    }
    out.push_str("</section>");
    Ok(out)
}

/// A run made of the embedded logits, more and less sharp from step to step.
fn runs(tales: &[f32], words: &Words, width: f64) -> Result<String, Box<dyn Error>> {
    let mut noise = Uniforms::new(3);
    let mut out = String::from("<section><h2>Runs</h2>");
    for (n_steps, top_p, focus) in [(64, 0.9, Some(17)), (12, 0.5, Some(11)), (200, 1.0, None), (1, 0.9, Some(0))] {
        let trace = |_| -> Result<StepTrace, Box<dyn Error>> {
            let sharp = 0.6 + 2.4 * noise.draw().get();
            let logits: Vec<f32> = tales.iter().map(|x| x * sharp as f32).collect();
            let settings = Settings { top_p: TopP::new(top_p)?, ..Settings::default() };
            Ok(step(&logits, &settings, noise.draw())?)
        };
        let run: Vec<RunStep> = (0..n_steps)
            .map(trace)
            .map(|trace| Ok::<_, Box<dyn Error>>(RunStep::from(&trace?)))
            .collect::<Result<_, _>>()?;
        out.push_str(&nucleus_size(&run, focus, words, Size::new(width, 220.0)).to_html());
    }
    out.push_str("</section>");
    Ok(out)
}

/// The reference's batch, with and without an end-of-text token, each token with a log-probability of -1.
fn batches(reference: &Value, words: &Words) -> Result<String, Box<dyn Error>> {
    let ids = |row: &Value| -> Vec<TokenId> {
        row.as_array().into_iter().flatten().filter_map(Value::as_u64).map(|id| TokenId(id as u32)).collect()
    };
    let rows = |of: &Value| -> Vec<Vec<TokenId>> { of.as_array().into_iter().flatten().map(ids).collect() };
    let batch = &reference["batch"];
    let masks = rows(&batch["attention_mask"]);
    let unmasked = |(ids, mask): (Vec<TokenId>, &Vec<TokenId>)| -> Vec<TokenId> {
        ids.into_iter().zip(mask).filter(|(_, mask)| mask.0 == 1).map(|(id, _)| id).collect()
    };
    let prompts: Vec<Vec<TokenId>> = rows(&batch["input_ids"]).into_iter().zip(&masks).map(unmasked).collect();
    let pad = TokenId(reference["pad"].as_u64().ok_or("no pad id")? as u32);
    let eos = reference["batch_eos"]["eos"].as_u64().map(|id| TokenId(id as u32));
    let mut out = String::from("<section><h2>Batches</h2>");
    for (new_tokens, n_steps) in
        [(&batch["new_tokens"], 0), (&batch["new_tokens"], 3), (&reference["batch_eos"]["new_tokens"], 20)]
    {
        let mut grid = PaddedGrid::new(&prompts, pad);
        let mut done = vec![None; prompts.len()];
        for index in 0..n_steps {
            let step = rows(new_tokens)
                .iter()
                .zip(&mut done)
                .map(|(tokens, done)| row_step(tokens, index, eos, pad, done))
                .collect();
            grid.push(&BatchStep { index, rows: step });
        }
        out.push_str(&batch_grid(&grid, words).to_html());
    }
    out.push_str("</section>");
    Ok(out)
}

/// Searches through noise: the lesson's size, one cut early, one beam, many.
fn searches(words: &Words, width: f64) -> String {
    let mut out = String::from("<section><h2>Beam search</h2>");
    for (beams, alpha, n_new, n_vocab, sharpness, last) in [
        (5, 1.0, 12, 300, 9.0, 99),
        (2, 0.0, 4, 12, 4.0, 99),
        (3, 2.0, 12, 400, 9.0, 3),
        (1, 1.0, 6, 200, 9.0, 99),
        (16, 1.0, 40, 300, 9.0, 99),
    ] {
        let plan = beams::plan(beams, alpha, n_new, n_vocab);
        let found = beams::search(&mut beams::Noise::new(n_vocab, sharpness), &plan, last);
        let run = BeamRun {
            tree: &found.tree,
            width: beams,
            length_penalty: alpha,
            results: &found.results,
            greedy: &found.greedy,
            stop: Some(found.stop),
        };
        out.push_str(&beam_tree(&run, words, Size::new(width, 300.0)).to_html());
    }
    out.push_str("</section>");
    out
}

/// A split vote, a tie, an agreement, and a rule that finds nothing.
fn elections() -> Result<String, Box<dyn Error>> {
    let texts = [
        " 7. The dog had seven bones, and he ate one.\n\nThen",
        " 8 bones, said Tom. \"I am glad!\"",
        " so happy. They played all day and the dog was happy too.",
        " 7 and the cat had 5.",
        " -1,200.50 little red houses stood in a row, one beside the other, and in each of them lived a dog with a ball",
    ];
    let mut out = String::from("<section><h2>Votes</h2>");
    let rules = [
        (AnswerRule::FirstNumber, 5),
        (AnswerRule::FirstNumber, 2),
        (AnswerRule::Pattern(r"\b(dog|Tom|cat)\b".into()), 1),
        (AnswerRule::Pattern("nothing".into()), 5),
    ];
    for (rule, n) in rules {
        let extractor = Extractor::new(rule)?;
        let answers: Vec<Option<Answer>> = texts[..n].iter().map(|text| extractor.answer(text)).collect();
        let vote = Vote::new(answers.iter().map(|answer| answer.as_ref().map(|answer| answer.value.as_str())));
        let samples = texts.iter().zip(&answers);
        let samples: Vec<VoteSample> =
            samples.map(|(text, answer)| VoteSample { text, answer: answer.as_ref(), is_over: true }).collect();
        out.push_str(&votes(&vote, &samples).to_html());
    }
    out.push_str("</section>");
    Ok(out)
}

/// Words with long and short rows, with and without the model beside them.
fn bigrams(tales: &[f32], words: &Words, width: f64) -> Result<String, Box<dyn Error>> {
    let trace = step(tales, &Settings::default(), Unit::new(0.4)?)?;
    let ranking = Ranking::new(tales);
    let scene = Scene { logits: tales, ranking: &ranking, trace: &trace, vocabulary: words };
    let bigram = Bigram::count(STORY)?;
    let mut out = String::from("<section><h2>Bigram</h2>");
    for (word, seed, beside) in [("the", 42, true), ("the", 2, true), ("Anna", 5, false), ("upon", 1, true)] {
        for step in bigram.run(word, seed, 1).steps {
            out.push_str(&bigram_row(&step, beside.then_some(&scene), Size::new(width, 300.0)).to_html());
        }
    }
    out.push_str("</section>");
    Ok(out)
}

fn row_step(
    tokens: &[TokenId],
    index: usize,
    eos: Option<TokenId>,
    pad: TokenId,
    done: &mut Option<(StopReason, f64)>,
) -> RowStep {
    if let Some((reason, sum)) = *done {
        return RowStep::Frozen { pad, sum, reason };
    }
    let (token, sum) = (tokens[index], -1.0 - index as f64);
    let reason = match eos == Some(token) {
        true => Some(StopReason::EndOfText),
        false if index + 1 == tokens.len() => Some(StopReason::TokenLimit),
        false => None,
    };
    *done = reason.map(|reason| (reason, sum));
    RowStep::Drawn(RowToken { token, log_probability: -1.0, sum, done: reason })
}

/// Requests of known lengths, served in the order of their arrival.
fn slots(width: f64) -> String {
    let runs: [(usize, &[(usize, usize)]); 4] = [
        (2, &[(0, 3), (0, 5), (1, 2), (9, 1)]),
        (4, &[(0, 20), (0, 3), (0, 5), (0, 9), (2, 6), (3, 12), (3, 4), (8, 8), (15, 5), (16, 9), (16, 2), (30, 4)]),
        (3, &[(0, 64), (0, 8), (0, 8), (0, 8), (0, 8), (0, 8), (0, 8), (0, 8), (0, 8), (0, 8)]),
        (1, &[(0, 7), (2, 7)]),
    ];
    let mut out = String::from("<section><h2>Slots</h2>");
    for (n_slots, run) in runs {
        let requests: Vec<Request> = run
            .iter()
            .map(|&(arrives_at, n)| Request { prompt: vec![TokenId(0)], max_new_tokens: n, arrives_at })
            .collect();
        let n_tokens: Vec<usize> = run.iter().map(|&(_, n)| n).collect();
        let continuous = served(n_slots, run);
        let by_batch = Timeline::static_batches(n_slots, &requests, &n_tokens);
        let run = SlotRun { requests: &requests, continuous: &continuous, by_batch: &by_batch };
        out.push_str(&slot_timeline(&run, Size::new(width, 300.0)).to_html());
    }
    out.push_str("</section>");
    out
}

/// First come, first served; `run` holds arrivals, in order, and lengths.
fn served(n_slots: usize, run: &[(usize, usize)]) -> Timeline {
    let token = RowToken { token: TokenId(0), log_probability: -1.0, sum: -1.0, done: None };
    let mut timeline = Timeline::new(n_slots);
    let mut left = vec![(0, 0); n_slots];
    let mut next = 0;
    for index in 0..200 {
        let slots = left.iter_mut().map(|(request, left)| {
            if *left > 0 {
                *left -= 1;
                return SlotStep::Decode { request: *request, token };
            }
            if run.get(next).is_none_or(|&(arrives_at, _)| arrives_at > index) {
                return SlotStep::Idle;
            }
            (*request, *left) = (next, run[next].1 - 1);
            next += 1;
            SlotStep::Prefill { request: *request, n_prompt: 1, token }
        });
        let slots = slots.collect();
        timeline.push(&SlotsStep { index, arrivals: Vec::new(), slots, queue: Vec::new() });
    }
    timeline
}

/// Texts that end in what could be a stop string, or in a part of a character.
fn held() -> Result<String, Box<dyn Error>> {
    let strings = StopStrings::new(vec!["\n\n".into(), "The end.".into(), "\u{5730}".into()])?;
    let mut out = String::from("<section><h2>Held back</h2>");
    for bytes in [&b"One.\n"[..], b"The en", b"\xE5\x9C", b"\xF0\x9F"] {
        let mut stream = StopStream::new(&strings);
        if let Some(held) = stream.push(bytes).held {
            out.push_str(&held_back(stream.pending(), held, &strings).to_html());
        }
    }
    out.push_str("</section>");
    Ok(out)
}

/// The embedded logits under constraints that leave much, little and one token.
fn constrained(tales: &[f32], words: &Words, width: f64) -> Result<String, Box<dyn Error>> {
    let mut out = String::from("<section><h2>Allowed</h2>");
    let trie = TokenTrie::new(words.0[..tales.len()].iter().map(Vec::as_slice), &[]);
    for (pattern, n) in [("[a-z ,.]*", 9), ("( the| a)? ?[a-z]{3,9}[.!]", 4), ("[0-9]{2}:[0-9]{2}", 5), ("(?s:.)*", 9)]
    {
        let constraint = Constraint::regex(pattern)?;
        let mut state = ConstraintState::new(&constraint, &trie, None)?;
        let context = StepContext { allowed: Some(state.allowed(n)), ..StepContext::default() };
        let trace = step_in(tales, &context, &Settings::default(), Unit::new(0.4)?)?;
        let told = state.trace(tales, &trace, n);
        out.push_str(&allowed(&told, trace.token, words, Size::new(width, 300.0)).to_html());
    }
    out.push_str("</section>");
    Ok(out)
}

/// GPT-2's byte alphabet: printable Latin-1 stands for itself, the rest is moved to U+0100 and on.
fn vocabulary(tokenizer: &Value) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let printable = |byte: &u8| matches!(byte, 33..=126 | 161..=172 | 174..=255);
    let moved = (0..=255_u8).filter(|byte| !printable(byte)).enumerate();
    let mut alphabet: Vec<(char, u8)> = (0..=255_u8).filter(printable).map(|byte| (char::from(byte), byte)).collect();
    alphabet.extend(moved.filter_map(|(i, byte)| Some((char::from_u32(256 + i as u32)?, byte))));
    let alphabet: std::collections::HashMap<char, u8> = alphabet.into_iter().collect();

    let known = tokenizer["model"]["vocab"].as_object().ok_or("no vocabulary")?;
    let mut words = vec![Vec::new(); known.len()];
    for (text, id) in known {
        let id = id.as_u64().ok_or("an id that is no number")? as usize;
        words[id] = text.chars().filter_map(|character| alphabet.get(&character).copied()).collect();
    }
    let n = words.len();
    for id in n..50_257 {
        let again = [words[id % n].as_slice(), (id / n).to_string().as_bytes()].concat();
        words.push(again);
    }
    Ok(words)
}

fn last_logits(reference: &Value, prompt: usize) -> Result<Vec<f32>, Box<dyn Error>> {
    let logits = reference["prompts"][prompt]["last_logits"].as_array().ok_or("no logits")?;
    Ok(logits.iter().filter_map(Value::as_f64).map(|logit| logit as f32).collect())
}
