//! The engine's state, and the one task that changes it.

use std::rc::Rc;

use nucleus_session::{
    DecodeRequest, DeviceKind, DevicePreference, DeviceReason, Expected, Failure, GenerateRequest, Loading,
    ModelSource, Report, Request, WeightFormat,
};
use web_sys::File;

use crate::clock::Breath;
use crate::decode::Work;
use crate::device::{Chosen, Devices};
use crate::fetch;
use crate::halt::Halt;
use crate::housekeeping;
use crate::inbox::{Asked, Inbox};
use crate::load::{Job, Loaded};
use crate::mailbox::Outbox;
use crate::run::Run;
use crate::selftest::{self, Fixture, SelfTestError, TOLERANCE};

/// The folder of the self-test's model, beside the worker.
const FIXTURE: &str = "models/gpt2-tiny-random/";

/// Everything the worker keeps. It belongs to one task, so nothing is borrowed while another waits.
pub struct Engine {
    inbox: Rc<Inbox>,
    outbox: Outbox,
    breath: Breath,
    devices: Devices,
    /// The kinds of device that have passed the self-test.
    proven: Vec<DeviceKind>,
    loaded: Option<Loaded>,
    /// Whether a request ended the last loading.
    halted: bool,
}

impl Engine {
    /// An engine without a device or a model.
    #[must_use]
    pub fn new(inbox: Rc<Inbox>, outbox: Outbox) -> Self {
        let breath = Breath::new();
        Self { inbox, outbox, breath, devices: Devices::default(), proven: Vec::new(), loaded: None, halted: false }
    }

    /// Answers requests, one after the other, for as long as the worker lives.
    pub async fn serve(mut self) {
        loop {
            let asked = self.inbox.next().await;
            self.answer(asked).await;
        }
    }

    /// Answers one request.
    async fn answer(&mut self, Asked { request, files }: Asked) {
        match request {
            Request::Load { source, device, weights } => self.load(&source, files, device, weights).await,
            Request::Generate(request) => self.generate(&request).await,
            Request::Decode(request) => self.decode(&request).await,
            Request::CancelLoading if self.halted => {
                self.halted = false;
                self.outbox.send(Report::Cancelled);
            }
            Request::ListKept | Request::DeleteKept { .. } => housekeeping::answer(&request, &self.outbox).await,
            // The run or the loading that they were meant for is over.
            Request::Stop { .. } | Request::Download | Request::CancelLoading => {}
        }
    }

    async fn generate(&mut self, request: &GenerateRequest) {
        let run = Run::new(request.run, &self.inbox, &self.outbox, &self.breath);
        run.go(request, self.loaded.as_mut()).await;
    }

    async fn decode(&mut self, request: &DecodeRequest) {
        let (inbox, outbox, breath) = (&*self.inbox, &self.outbox, &self.breath);
        Work { inbox, outbox, breath, request }.go(self.loaded.as_mut()).await;
    }

    async fn load(
        &mut self,
        source: &ModelSource,
        files: Vec<File>,
        preference: DevicePreference,
        weights: Option<WeightFormat>,
    ) {
        // Two models at once might not fit.
        self.loaded = None;
        let result = self.try_load(source, files, preference, weights).await;
        // What becomes of a model that nobody wants any more, the page need not hear.
        self.halted = self.inbox.ends_loading();
        match result {
            _ if self.halted => self.loaded = None,
            Ok(ready) => self.outbox.send(ready),
            Err(Halt::Failed(failure)) => self.outbox.send(Report::Failed { run: None, failure }),
            Err(Halt::Superseded | Halt::Changed) => {}
        }
    }

    async fn try_load(
        &mut self,
        source: &ModelSource,
        files: Vec<File>,
        preference: DevicePreference,
        weights: Option<WeightFormat>,
    ) -> Result<Report, Halt> {
        let chosen = self.choose(preference).await?;
        self.outbox.send(Report::Device(chosen.report.clone()));
        let (inbox, outbox, breath) = (&*self.inbox, &self.outbox, &self.breath);
        let job = Job { inbox, outbox, breath, source, files, chosen: &chosen, weights };
        let (loaded, vocabulary) = job.run().await?;
        let model = loaded.info.clone();
        self.loaded = Some(loaded);
        Ok(Report::Ready { model, vocabulary })
    }

    /// A device that has passed the self-test: where WebGPU does not, the CPU takes over.
    async fn choose(&mut self, preference: DevicePreference) -> Result<Chosen, Halt> {
        self.say(Loading::ChoosingDevice);
        let chosen = self.devices.choose(preference).await;
        let failed = match self.prove(&chosen).await? {
            Ok(()) => return Ok(chosen),
            Err(failed) => failed,
        };
        if chosen.report.kind == DeviceKind::Cpu {
            return Err(failure(failed).into());
        }
        let cpu = Chosen::cpu(DeviceReason::SelfTestFailed { message: failed.to_string() });
        match self.prove(&cpu).await? {
            Ok(()) => Ok(cpu),
            Err(failed) => Err(failure(failed).into()),
        }
    }

    /// Runs the self-test on a device, unless one of its kind has passed it in this worker.
    async fn prove(&mut self, chosen: &Chosen) -> Result<Result<(), SelfTestError>, Halt> {
        if self.proven.contains(&chosen.report.kind) {
            return Ok(Ok(()));
        }
        self.say(Loading::SelfTest);
        let fixture = self.fixture().await?;
        let result = selftest::check(&fixture, &chosen.device, &chosen.options()).await;
        if result.is_ok() {
            self.proven.push(chosen.report.kind);
        }
        Ok(result.map(drop))
    }

    /// The self-test's files.
    async fn fixture(&self) -> Result<Fixture, Halt> {
        let file = async |name: &str, expected| fetch::small(&format!("{FIXTURE}{name}"), expected, &self.inbox).await;
        Ok(Fixture {
            config: file("config.json", Expected::Json).await?,
            weights: file("model.safetensors", Expected::Safetensors).await?,
            reference: file("reference.json", Expected::Json).await?,
        })
    }

    fn say(&self, stage: Loading) {
        self.outbox.send(Report::Loading(stage));
    }
}

/// What the page hears of a self-test that the CPU did not pass either.
fn failure(failed: SelfTestError) -> Failure {
    match failed {
        SelfTestError::Mismatch { difference } => Failure::SelfTest { difference, tolerance: TOLERANCE },
        other => Failure::Model { message: other.to_string() },
    }
}
