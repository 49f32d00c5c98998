//! Where the model runs: on the CPU for want of a GPU, and on a GPU that is only software by force.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::time::{Duration, Instant};

use anyhow::Result;
use nucleus_tests::e2e::{Gpu, SOON, Site, Stage, UNTRUSTED_HOST, golden};

const GREEDY: &str = "prompt=Once%20upon%20a%20time&temperature=0";

/// A software GPU compiles shaders for most of this time.
const SLOW: Duration = Duration::from_secs(540);

/// Chromium cannot be told to have no WebGPU, but its worker can be made to forget it.
const NEVER_HEARD_OF_WEBGPU: &[u8] = b"\ndelete WorkerNavigator.prototype.gpu;\n";

/// Four ways not to have a GPU, and the sentence of each.
#[tokio::test]
async fn without_a_gpu_the_cpu_takes_over_and_the_page_says_why() -> Result<()> {
    let (site, forgetful) = (Site::built()?, Site::copy("")?);
    forgetful.edit("worker.js", |script| drop(script.splice(..0, NEVER_HEARD_OF_WEBGPU.iter().copied())))?;
    let query = format!("?{GREEDY}&new=12");
    let cases = [
        ("software-gpu", Gpu::Software, site.address(&query), "software"),
        ("no-adapter", Gpu::NoAdapter, site.address(&query), "no graphics adapter"),
        ("no-webgpu", Gpu::Software, forgetful.address(&query), "no WebGPU"),
        ("insecure-origin", Gpu::Software, site.address_on(UNTRUSTED_HOST, &query), "plain http://"),
    ];
    let known = golden::reference("Once upon a time")?.greedy;
    for (name, gpu, address, sentence) in cases {
        // Chromium itself warns of an adapter that it lacks.
        let stage = Stage::new(name).gpu(gpu).errors_expected();
        stage
            .play_at(&address, async |page| {
                let written = page.until_written(SOON).await?;
                assert!(written.device.contains(sentence), "{name}: {}", written.device);
                assert!(written.device.contains("runs on the CPU"), "{name}: {}", written.device);
                assert_eq!(written.ids(), known[..12]);
                page.screenshot(name).await
            })
            .await?;
    }
    Ok(())
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
