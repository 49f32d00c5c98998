//! The engine's state, and the one task that changes it.

use std::rc::Rc;

use nucleus_session::{
    DeviceKind, DevicePreference, DeviceReason, Failure, GenerateRequest, Loading, ModelSource, Report, Request,
};

use crate::clock::Breath;
use crate::device::{Chosen, Devices};
use crate::halt::Halt;
use crate::inbox::Inbox;
use crate::load::{Fetcher, Loaded};
use crate::mailbox::Outbox;
use crate::run::Run;
use crate::selftest::{self, SelfTestError, TOLERANCE};

/// Everything the worker keeps. It belongs to one task, so nothing is borrowed while another waits.
pub struct Engine {
    inbox: Rc<Inbox>,
    outbox: Outbox,
    breath: Breath,
    devices: Devices,
    /// The kinds of device that have passed the self-test.
    proven: Vec<DeviceKind>,
    loaded: Option<Loaded>,
}

impl Engine {
    /// An engine without a device or a model.
    #[must_use]
    pub fn new(inbox: Rc<Inbox>, outbox: Outbox) -> Self {
        let breath = Breath::new();
        Self { inbox, outbox, breath, devices: Devices::default(), proven: Vec::new(), loaded: None }
    }

    /// Answers requests, one after the other, for as long as the worker lives.
    pub async fn serve(mut self) {
        loop {
            let request = self.inbox.next().await;
            self.answer(request).await;
        }
    }

    /// Answers one request.
    async fn answer(&mut self, request: Request) {
        match request {
            Request::Load { source, device, .. } => self.load(&source, device).await,
            Request::Generate(request) => self.generate(&request).await,
            // The run it was meant for is over.
            Request::Stop { .. } => {}
            Request::Download | Request::CancelLoading => {}
            Request::ListKept | Request::DeleteKept { .. } => self.outbox.send(Report::Kept(Vec::new())),
        }
    }

    async fn generate(&mut self, request: &GenerateRequest) {
        let run = Run::new(request.run, &self.inbox, &self.outbox, &self.breath);
        run.go(request, self.loaded.as_mut()).await;
    }

    async fn load(&mut self, source: &ModelSource, preference: DevicePreference) {
        // Two models at once might not fit.
        self.loaded = None;
        let result = self.try_load(source, preference).await;
        // What becomes of a model that nobody wants any more, the page need not hear.
        if self.inbox.ends_loading() {
            self.loaded = None;
            return;
        }
        match result {
            Ok(ready) => self.outbox.send(ready),
            Err(Halt::Failed(failure)) => self.outbox.send(Report::Failed { run: None, failure }),
            Err(Halt::Superseded) => {}
        }
    }

    async fn try_load(&mut self, source: &ModelSource, preference: DevicePreference) -> Result<Report, Halt> {
        let chosen = self.choose(preference).await?;
        self.outbox.send(Report::Device(chosen.report.clone()));
        let folder = source.folder().ok_or_else(|| Failure::Model { message: "files cannot be read yet".into() })?;
        let (loaded, vocabulary) = self.fetcher().model(&folder, &chosen).await?;
        let model = loaded.info.clone();
        self.loaded = Some(loaded);
        Ok(Report::Ready { model, vocabulary })
    }

    /// A device that has passed the self-test: where WebGPU does not, the CPU takes over.
    async fn choose(&mut self, preference: DevicePreference) -> Result<Chosen, Halt> {
        self.fetcher().say(Loading::ChoosingDevice);
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
        self.fetcher().say(Loading::SelfTest);
        let fixture = self.fetcher().fixture().await?;
        let result = selftest::check(&fixture, &chosen.device, &chosen.options()).await;
        if result.is_ok() {
            self.proven.push(chosen.report.kind);
        }
        Ok(result.map(drop))
    }

    fn fetcher(&self) -> Fetcher<'_> {
        Fetcher { inbox: &self.inbox, outbox: &self.outbox }
    }
}

/// What the page hears of a self-test that the CPU did not pass either.
fn failure(failed: SelfTestError) -> Failure {
    match failed {
        SelfTestError::Mismatch { difference } => Failure::SelfTest { difference, tolerance: TOLERANCE },
        other => Failure::Model { message: other.to_string() },
    }
}
