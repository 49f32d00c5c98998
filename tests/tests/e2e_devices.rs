//! Where the model runs: without WebGPU, with a software GPU that is not worth it, and with the same GPU by force.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::time::{Duration, Instant};

use anyhow::Result;
use nucleus_tests::e2e::{Page, SOON, Stage, golden};

const GREEDY: &str = "prompt=Once%20upon%20a%20time&temperature=0";

/// A software GPU compiles shaders for most of this time.
const SLOW: Duration = Duration::from_secs(540);

#[tokio::test]
async fn without_webgpu_the_cpu_takes_over_and_says_why() -> Result<()> {
    Stage::new("no-webgpu")
        .without_webgpu()
        .play(&format!("?{GREEDY}&new=12"), async |page| {
            let has_webgpu: bool = page.evaluate("return 'gpu' in navigator", vec![]).await?;
            assert!(!has_webgpu, "this browser was to have no WebGPU");
            let written = page.until_written(SOON).await?;
            assert!(
                written.device.contains("no WebGPU") && written.device.contains("on the CPU"),
                "{}",
                written.device
            );
            assert_eq!(written.ids(), golden::reference("Once upon a time")?.greedy[..12]);
            page.screenshot("no-webgpu").await
        })
        .await
}

#[tokio::test]
async fn a_software_gpu_is_left_alone_unless_it_is_asked_for() -> Result<()> {
    Stage::new("software-gpu")
        .play(&format!("?{GREEDY}&new=12"), async |page| {
            let written = page.until_written(SOON).await?;
            assert!(software_gpu(page).await?, "this browser was to have a software GPU");
            assert!(written.device.contains("software"), "{}", written.device);
            assert_eq!(written.ids(), golden::reference("Once upon a time")?.greedy[..12]);
            Ok(())
        })
        .await
}

#[tokio::test]
async fn webgpu_gives_the_tokens_of_the_reference() -> Result<()> {
    let tokens = 3;
    Stage::new("webgpu")
        .play(&format!("?device=webgpu&{GREEDY}&new={tokens}"), async |page| {
            let start = Instant::now();
            page.until_within(SLOW, "a first token", |page| !page.tokens.is_empty()).await?;
            println!("measured: first token on WebGPU {:.1} s after opening", start.elapsed().as_secs_f64());
            let written = page.until_written(SLOW).await?;
            println!("measured: on WebGPU {}", written.facts.replace('\n', ", "));
            assert!(
                written.device.contains("WebGPU") && written.device.contains("device=webgpu"),
                "{}",
                written.device
            );
            assert_eq!(written.ids(), golden::reference("Once upon a time")?.greedy[..tokens]);
            page.screenshot("webgpu").await
        })
        .await
}

async fn software_gpu(page: &Page) -> Result<bool> {
    let script = "
        const [done] = arguments;
        navigator.gpu.requestAdapter().then(adapter => done(Boolean(adapter?.info.isFallbackAdapter)));";
    Ok(page.session().execute_async(script, vec![]).await?.convert()?)
}
