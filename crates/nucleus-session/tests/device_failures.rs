//! The graphics processor fails: once it is tried again, twice the CPU takes over, and nothing the reader has is lost.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use nucleus_session::{
    DeviceKind, DevicePreference, DeviceReason, DeviceReport, Effect, EngineState, Failure, GenerateRequest, Msg,
    Report, Request, sentence,
};
use support::Page;

fn gpu() -> Report {
    Report::Device(DeviceReport {
        kind: DeviceKind::WebGpu,
        adapter: "ACME".into(),
        software: false,
        reason: DeviceReason::Adapter,
    })
}

fn cpu_as_asked() -> Report {
    let reason = DeviceReason::ForcedCpu;
    Report::Device(DeviceReport { kind: DeviceKind::Cpu, adapter: String::new(), software: false, reason })
}

/// Everything that can go wrong with a graphics processor in the middle of a run and may pass.
fn failures() -> [Failure; 3] {
    let message = || "out of luck".to_owned();
    [
        Failure::DeviceLost { message: message() },
        Failure::DeviceError { message: message() },
        Failure::Trap { message: message() },
    ]
}

/// Where the engine was started anew, if it was.
fn restarted_on(page: &mut Page) -> Option<DevicePreference> {
    page.take().into_iter().find_map(|effect| match effect {
        Effect::Send(Request::Load { device, .. }) => Some(device),
        _ => None,
    })
}

/// A page on a GPU, with two tokens of a run.
fn writing(query: &str) -> (Page, GenerateRequest) {
    let mut page = Page::open(query);
    page.report(gpu());
    page.engine_is_ready();
    let request = write(&mut page);
    (page, request)
}

fn write(page: &mut Page) -> GenerateRequest {
    page.type_in(nucleus_session::Control::Prompt, "Once");
    page.take();
    page.tell(Msg::Generate);
    let request = page.generated();
    page.steps(&request, 2);
    page.take();
    request
}

fn fail(page: &mut Page, request: &GenerateRequest, failure: &Failure) {
    page.report(Report::Failed { run: Some(request.run), failure: failure.clone() });
}

/// The same device once more, which fails again in a run.
fn fail_again(page: &mut Page, failure: &Failure) {
    page.report(gpu());
    page.engine_is_ready();
    let request = write(page);
    fail(page, &request, failure);
}

/// CASE 32.
#[test]
fn once_it_is_tried_again_and_twice_the_cpu_takes_over() {
    for failure in failures() {
        let (mut page, request) = writing("");
        let (controls, text) = (page.session.controls().clone(), page.text());
        fail(&mut page, &request, &failure);
        assert_eq!(restarted_on(&mut page), Some(DevicePreference::Auto), "{failure:?}");
        assert_eq!((page.session.controls(), page.text()), (&controls, text.clone()));

        fail_again(&mut page, &failure);
        assert_eq!(restarted_on(&mut page), Some(DevicePreference::Cpu), "{failure:?}");
        assert_eq!((page.session.controls(), page.text()), (&controls, text));
        page.report(cpu_as_asked());
        let reason = page.session.engine().device.as_ref().unwrap().reason.to_string();
        assert!(reason.contains("failed twice") && reason.contains("on the CPU"), "{reason}");
        assert!(!page.session.link().write().contains("device="), "a link leads others to their own device");

        page.engine_is_ready();
        let request = write(&mut page);
        fail(&mut page, &request, &failure);
        assert_eq!(restarted_on(&mut page), None, "the CPU that fails as well is not started for ever");
        assert!(!page.session.engine().offers_cpu(), "it was on the CPU");
    }
}

#[test]
fn an_address_that_insists_on_webgpu_is_obeyed_and_the_cpu_is_offered() {
    for failure in failures() {
        let (mut page, request) = writing("?device=webgpu");
        fail(&mut page, &request, &failure);
        assert_eq!(restarted_on(&mut page), Some(DevicePreference::WebGpu));
        fail_again(&mut page, &failure);
        assert_eq!(restarted_on(&mut page), None);
        assert_eq!(page.session.engine().state, EngineState::Failed(failure.clone()));
        assert!(page.session.engine().offers_cpu());

        page.tell(Msg::RestartOnCpu);
        assert_eq!(restarted_on(&mut page), Some(DevicePreference::Cpu));
        page.report(cpu_as_asked());
        let device = page.session.engine().device.clone().unwrap();
        assert_eq!(device.reason, DeviceReason::GpuFailed { failures: 2 });
    }
}

#[test]
fn a_run_that_went_well_in_between_makes_the_second_failure_a_first() {
    let [failure, ..] = failures();
    let (mut page, request) = writing("");
    fail(&mut page, &request, &failure);
    page.report(gpu());
    page.engine_is_ready();
    let request = write(&mut page);
    page.finish(request.run);
    page.take();
    let request = write(&mut page);
    fail(&mut page, &request, &failure);
    assert_eq!(restarted_on(&mut page), Some(DevicePreference::Auto));
}

#[test]
fn out_of_memory_is_not_tried_again_unasked_and_the_cpu_is_offered() {
    let (mut page, request) = writing("");
    let failure = Failure::OutOfMemory { message: "512 MB".into() };
    let text = page.text();
    fail(&mut page, &request, &failure);
    assert_eq!(restarted_on(&mut page), None);
    assert!(page.session.engine().offers_cpu());
    assert_eq!((page.text(), page.session.controls().prompt.as_str()), (text, "Once"));
    page.tell(Msg::RestartOnCpu);
    page.report(cpu_as_asked());
    let reason = page.session.engine().device.as_ref().unwrap().reason.to_string();
    assert!(reason.contains("failed once"), "{reason}");
}

#[test]
fn what_is_not_the_devices_fault_offers_no_other_device() {
    let mut page = Page::open("");
    page.report(gpu());
    let failure = Failure::Fetch { address: "models/tales/config.json".into(), status: Some(404) };
    page.report(Report::Failed { run: None, failure });
    assert!(!page.session.engine().offers_cpu());
}

#[test]
fn the_device_line_tells_kind_format_and_memory_and_the_rest_is_behind_it() {
    let mut page = Page::open("");
    assert_eq!(sentence::device_line(page.session.engine()), None);
    page.report(gpu());
    assert_eq!(sentence::device_line(page.session.engine()).as_deref(), Some("WebGPU"));
    page.engine_is_ready();
    assert_eq!(sentence::device_line(page.session.engine()).as_deref(), Some("WebGPU \u{b7} f32 \u{b7} 0.0 kB"));
    let details = sentence::device_details(page.session.engine());
    let of = |name: &str| &details.iter().find(|(known, _)| *known == name).unwrap().1;
    assert_eq!(
        (of("Device").as_str(), of("Backend").as_str(), of("Weights").as_str()),
        ("ACME", "WebGPU", "held as f32")
    );
    assert!(of("Why").contains("graphics processor") && of("Memory").contains("weights and cache"));
}

#[test]
fn nothing_is_said_to_be_held_where_no_model_is_loaded() {
    let (mut page, request) = writing("");
    let held = |page: &Page| {
        let line = sentence::device_line(page.session.engine()).unwrap_or_default();
        let details = sentence::device_details(page.session.engine());
        (line.contains("f32"), details.iter().any(|(name, _)| *name == "Memory"))
    };
    assert_eq!(held(&page), (true, true));
    fail(&mut page, &request, &failures()[0]);
    page.report(gpu());
    assert_eq!(held(&page), (false, false), "it is on its way");
    page.engine_is_ready();
    assert_eq!(held(&page), (true, true));
    let request = write(&mut page);
    fail(&mut page, &request, &Failure::OutOfMemory { message: "512 MB".into() });
    assert!(matches!(page.session.engine().state, EngineState::Failed(_)));
    assert_eq!(held(&page), (false, false), "the worker is gone");
}

/// A browser whose graphics process died may give no adapter, or one in software, where a real one was.
#[test]
fn that_the_graphics_processor_failed_is_the_reason_whatever_is_found_afterwards() {
    let (mut page, request) = writing("");
    fail(&mut page, &request, &failures()[0]);
    page.report(Report::Device(DeviceReport {
        kind: DeviceKind::Cpu,
        adapter: String::new(),
        software: false,
        reason: DeviceReason::NoAdapter,
    }));
    let engine = page.session.engine();
    assert_eq!(engine.device.as_ref().unwrap().reason, DeviceReason::GpuFailed { failures: 1 });
    let said = sentence::restarted(engine).unwrap();
    assert!(said.contains("started again, on the CPU. The graphics processor failed once"), "{said}");
    assert!(said.contains("Once the model is back"), "{said}");

    page.engine_is_ready();
    let said = sentence::restarted(page.session.engine()).unwrap();
    assert!(said.contains("failed once") && said.contains("The model is back"), "{said}");
    let request = write(&mut page);
    page.finish(request.run);
    assert_eq!(page.session.engine().gpu_failures, 1, "what went well on the CPU tells nothing of the other");
}

#[test]
fn a_failure_that_ends_it_promises_no_model() {
    let (mut page, request) = writing("?device=webgpu");
    fail(&mut page, &request, &failures()[0]);
    let said = sentence::restarted(page.session.engine()).unwrap();
    assert!(said.contains("press Generate") && !said.contains("CPU"), "{said}");
    fail_again(&mut page, &failures()[0]);
    let said = sentence::engine(page.session.engine(), false);
    assert!(said.contains("are kept.") && !said.contains("back") && !said.contains("Generate"), "{said}");
    assert_eq!(sentence::restarted(page.session.engine()), None);
}
