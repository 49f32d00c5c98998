//! Writes one HTML page with every figure in several states, to look at.
//!
//! `cargo run -p nucleus-charts --example gallery -- FOLDER [WIDTH]` reads the embedded model's
//! vocabulary and reference logits from `www/models/tales`, and writes `FOLDER/gallery.html` with
//! the figures laid out for `WIDTH` CSS pixels (720 if it is not given).

mod strategies;

use std::error::Error;
use std::path::{Path, PathBuf};

use nucleus_charts::{
    Node, Repeated, RowWindow, RunStep, Scene, Size, Vocabulary, Zoom, allowed, bigram_row, draw, held_back, ladder,
    logits_table, mistakes, nucleus_size, repetition,
};
use nucleus_decode::bigram::{Bigram, STORY};
use nucleus_decode::{Constraint, ConstraintState, StopStream, StopStrings, TokenTrie, closing_loop, phrases};
use nucleus_sampler::{
    Ranking, Settings, StepContext, StepTrace, Temperature, TokenId, TopK, TopP, Uniforms, Unit, step, step_in,
};
use serde_json::Value;

use strategies::{batches, elections, searches, slots};

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
