//! Measures the page in a browser: how fast it answers a slider at GPT-2's vocabulary, how fast it writes on the CPU, and what
//! several rows side by side cost.
//!
//! `cargo run --release -p nucleus-tests --features e2e --bin bench_page`, with the built site in `NUCLEUS_SITE` or in `pkg/site`.

use anyhow::{Context, Result, ensure};
use nucleus_tests::e2e::{Page, Role, SOON, Site, Stage, synthetic};
use serde::Deserialize;

/// The page promises an answer within this time, milliseconds: one frame at 60 Hz.
const GOAL_MS: f64 = 16.0;

/// Positions of a slider that are measured, after a few that are not.
const MOVES: u32 = 60;

/// Top-k and top-p, as an address has them.
const FILTERS: [(&str, &str); 4] = [
    ("top-k off, top-p off", "&top_k=0&top_p=1"),
    ("top-k 40,  top-p off", "&top_k=40&top_p=1"),
    ("top-k off, top-p 0.9", "&top_k=0&top_p=0.9"),
    ("top-k 40,  top-p 0.9", "&top_k=40&top_p=0.9"),
];

/// Three runs: the first warms up.
const RUNS: usize = 3;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    sliders().await?;
    writing().await?;
    rows().await
}

async fn sliders() -> Result<()> {
    let site = Site::copy("")?;
    site.replace("worker.js", b"// no engine, which would share the processor")?;
    for (file, bytes) in synthetic::files(8)? {
        site.add(&file, &bytes)?;
    }
    println!("slider to updated document at {} logits, milliseconds; the goal is {GOAL_MS}", synthetic::N_VOCAB);
    println!("{:<24}{:<14}{:>8}{:>8}{:>8}{:>16}", "", "slider", "p50", "p95", "max", "p95 with layout");
    Stage::new("bench-sliders")
        .play_at(&site.address(""), async |page| {
            for (filters, query) in FILTERS {
                page.go(&site.address(&format!("?recording=synthetic&temperature=1{query}"))).await?;
                page.until("the synthetic run", |page| page.tokens.len() == 8 && !page.rows.is_empty()).await?;
                for name in ["Temperature", "Top-k", "Top-p"] {
                    println!("{}", row(filters, name, measure(page, name).await?)?);
                }
            }
            Ok(())
        })
        .await
}

/// What one move of a slider took, in milliseconds.
#[derive(Deserialize)]
struct Answers {
    /// By the page's own measure: from the event to the updated document.
    answer: Vec<f64>,
    /// From before the event until the browser has laid the new document out.
    laid_out: Vec<f64>,
}

/// Moves a slider to and fro, one position in each frame, as a hand does.
async fn measure(page: &Page, slider: &str) -> Result<Answers> {
    let script = "
        const [slider, moves, done] = arguments;
        const start = slider.valueAsNumber, step = Number(slider.step), laid_out = [];
        const width = Math.max(1, Math.floor((slider.max - slider.min) / step / 4));
        const back = start + width * step > Number(slider.max) ? -1 : 1;
        performance.clearMeasures('answer');
        let move = 0;
        requestAnimationFrame(function frame() {
            if (move === moves) {
                const answer = performance.getEntriesByName('answer', 'measure').map(entry => entry.duration);
                return done({ answer, laid_out });
            }
            move += 1;
            slider.valueAsNumber = start + back * step * (1 + move % width);
            const before = performance.now();
            slider.dispatchEvent(new Event('input', { bubbles: true }));
            document.body.getBoundingClientRect();
            laid_out.push(performance.now() - before);
            requestAnimationFrame(frame);
        });";
    let slider = page.find(Role::Slider, slider).await?.to_json()?;
    let warm_up = page.session().execute_async(script, vec![slider.clone(), 10.into()]).await?;
    drop(warm_up);
    let answers: Answers = page.session().execute_async(script, vec![slider, MOVES.into()]).await?.convert()?;
    ensure!(answers.answer.len() == MOVES as usize, "{} of {MOVES} moves were measured", answers.answer.len());
    Ok(answers)
}

fn row(filters: &str, slider: &str, mut answers: Answers) -> Result<String> {
    let [p50, p95, max] = [0.5, 0.95, 1.0].map(|share| quantile(&mut answers.answer, share));
    let laid_out = quantile(&mut answers.laid_out, 0.95);
    let verdict = if p95 <= GOAL_MS { "met" } else { "MISSED" };
    Ok(format!("{filters:<24}{slider:<14}{p50:>8.1}{p95:>8.1}{max:>8.1}{laid_out:>16.1}  {verdict}"))
}

/// The least value that at least this share of the values does not exceed.
fn quantile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let rank = (share * values.len() as f64).ceil() as usize;
    values[rank.clamp(1, values.len()) - 1]
}

async fn writing() -> Result<()> {
    println!("\nwriting 200 tokens with tales on the CPU, sampling, traces and page included");
    let query = "?device=cpu&prompt=Once%20upon%20a%20time&temperature=0.8&top_k=40&top_p=0.95&seed=1&new=200";
    Stage::new("bench-writing")
        .play(query, async |page| {
            for run in 1..=RUNS {
                let written = if run == 1 { page.until_written(SOON).await? } else { page.generate().await? };
                println!("run {run}: {}", written.facts.replace('\n', ", "));
            }
            Ok(())
        })
        .await
}

async fn rows() -> Result<()> {
    println!("\n32 greedy tokens of each prompt with tales, rows side by side; the ratio is to as many times one row");
    println!("{:<10}{:>6}{:>12}{:>8}", "device", "rows", "ms", "ratio");
    for device in ["cpu", "webgpu"] {
        Stage::new("bench-rows")
            .play(&format!("?device={device}"), async |page| {
                let mut one = None;
                for n in [1, 4, 8] {
                    let took = batch(page, device, n).await?;
                    let one = *one.get_or_insert(took);
                    println!("{device:<10}{n:>6}{took:>12.0}{:>8.2}", took / (n as f64 * one));
                }
                Ok(())
            })
            .await?;
    }
    Ok(())
}

/// The milliseconds that a batch of `n` prompts of one length takes together, the least of [`RUNS`].
async fn batch(page: &Page, device: &str, n: usize) -> Result<f64> {
    let prompts = vec!["Once%20upon%20a%20time"; n].join("%0A");
    let here: String = page.evaluate("return location.origin + location.pathname", vec![]).await?;
    let query = format!("?device={device}&strategy=batch&temperature=0&new=32&prompts={prompts}");
    page.session().goto(format!("{here}{query}")).await?;
    let mut least = f64::INFINITY;
    for run in 0..RUNS {
        // The page shows another strategy than the one whose parts a `Page` knows.
        let took = "
            const [again, done] = arguments;
            if (again) document.querySelector('#generate').click();
            (function look() {
                const over = document.querySelector('#status')?.textContent.includes('Done in');
                const took = over && document.querySelector('.took')?.textContent;
                took ? done(took) : setTimeout(look, 50);
            })();";
        let took: String = page.session().execute_async(took, vec![(run > 0).into()]).await?.convert()?;
        let ms = took.split_once("took ").and_then(|(_, rest)| rest.split_once(" ms")).context(took.clone())?.0;
        least = least.min(ms.replace(',', "").parse()?);
    }
    Ok(least)
}
