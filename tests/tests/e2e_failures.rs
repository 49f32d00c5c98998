//! The engine fails: each failure has its sentence and its ways on, and nothing that the reader has is lost.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use anyhow::Result;
use nucleus_session::{DevicePreference, Failure, Keeping, Report};
use nucleus_tests::e2e::lines::{GPT2, cpu, gpu, load, ready};
use nucleus_tests::e2e::{Puppet, Role, Site, Stage};

const AGAIN: &str = "Start the model again";

/// Each failure: its name in the pictures, what happens, and the ways on that the alert must offer.
fn failures() -> Vec<(&'static str, Failure, Vec<&'static str>)> {
    let message = || "the driver was reset".to_owned();
    vec![
        ("lost", Failure::DeviceLost { message: message() }, vec![AGAIN, "Start it on the CPU"]),
        ("device-error", Failure::DeviceError { message: message() }, vec![AGAIN, "Start it on the CPU"]),
        ("trap", Failure::Trap { message: "unreachable".into() }, vec![AGAIN, "Start it on the CPU"]),
        (
            "memory",
            Failure::OutOfMemory { message: "572 MB".into() },
            vec![AGAIN, "Start it on the CPU", "Choose another model"],
        ),
        (
            "not-found",
            Failure::Fetch { address: "https://huggingface.co/a/b/resolve/main/config.json".into(), status: Some(404) },
            vec![AGAIN, "Load tales", "Choose another model"],
        ),
    ]
}

#[tokio::test]
async fn each_failure_has_its_sentence_and_its_ways_on() -> Result<()> {
    let site = Site::copy("")?;
    Stage::new("failures")
        .play_at(&site.address(""), async |page| {
            for (name, failure, ways) in failures() {
                let failed = Report::Failed { run: None, failure: failure.clone() };
                let puppet = Puppet::new()
                    .to(&load("a/b", DevicePreference::Cpu)?, &[cpu(), ready("b", Keeping::Kept)?])?
                    .to_kind(&load("a/b", DevicePreference::WebGpu)?, &[gpu(), failed])?;
                site.replace("worker.js", &puppet.script()?)?;
                page.go(&site.address("?model=a/b&device=webgpu&prompt=My%20own%20words&seed=77")).await?;
                let told = page.until(name, |page| page.alert.contains(ways[0])).await?;
                assert!(told.alert.contains(&failure.to_string()), "{}", told.alert);
                for way in &ways {
                    page.find(Role::Button, way).await?;
                }
                assert_eq!(page.value("Prompt").await?, "My own words");
                assert_eq!(page.value("Seed").await?, "77");
                page.pictures(&format!("failed-{name}")).await?;
                if ways.contains(&"Start it on the CPU") {
                    page.press("Start it on the CPU").await?;
                    let moved = page.until("the CPU", |page| page.device.contains("CPU \u{b7} f32")).await?;
                    assert!(moved.device.contains("The graphics processor failed"), "{}", moved.device);
                }
            }
            Ok(())
        })
        .await
}

/// Without a will in the address the second failure leads to the CPU by itself.
#[tokio::test]
async fn after_two_failures_of_the_gpu_the_page_goes_on_on_the_cpu() -> Result<()> {
    let lost = Report::Failed { run: None, failure: Failure::DeviceLost { message: "the driver was reset".into() } };
    let not_kept = Keeping::NotKept { message: "the storage is full".into() };
    let puppet = Puppet::new()
        .to(&load(GPT2, DevicePreference::Auto)?, &[gpu(), ready(GPT2, Keeping::Kept)?, lost])?
        .to(&load(GPT2, DevicePreference::Cpu)?, &[cpu(), ready(GPT2, not_kept)?])?;
    let site = Site::played(&puppet)?;
    Stage::new("twice")
        .play_at(&site.address(&format!("?model={GPT2}")), async |page| {
            let moved = page.until("the CPU", |page| page.device.contains("CPU \u{b7} f32")).await?;
            assert!(moved.device.contains("failed twice") && moved.device.contains("not kept"), "{}", moved.device);
            assert!(moved.device.contains("(the storage is full)"), "{}", moved.device);
            assert!(moved.alert.contains("It has been started again, on the CPU."), "{}", moved.alert);
            page.evaluate::<()>("document.querySelector('#device').open = true", vec![]).await?;
            page.pictures("twice").await
        })
        .await
}
