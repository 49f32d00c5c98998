//! What is kept in the browser, and what becomes of it.

use js_sys::{Function, Promise};
use nucleus_session::{DevicePreference, Failure, Keeping, KeptModel, ModelSource, Report, Request};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::common::{Answer, Page, Server, failure, file, greedy, last, tokens};
use crate::transfers::hurry;

const FOLDER: &str = "https://huggingface.co/owner/tales/resolve/main/";
const BLOCK: u64 = 4 << 20;

fn source() -> ModelSource {
    ModelSource::parse("owner/tales").unwrap()
}

fn ask(page: &Page) {
    page.ask(Request::Load { source: source(), device: DevicePreference::Cpu, weights: None });
}

fn weights() -> (String, &'static [u8]) {
    (format!("{FOLDER}model.safetensors"), file("models/tales/model.safetensors"))
}

/// A server with the model on the hub, and an engine of which nothing is kept.
async fn start() -> (Server, Page) {
    hurry();
    let server = Server::start();
    server.copy("models/tales/", FOLDER);
    let page = Page::open();
    page.ask(Request::DeleteKept { source: source() });
    assert_eq!(kept(&page).await, []);
    (server, page)
}

async fn kept(page: &Page) -> Vec<KeptModel> {
    page.ask(Request::ListKept);
    let mut list = None;
    // A deletion is answered with a list as well.
    for (report, _) in page.until(|report| matches!(report, Report::Kept(_))).await {
        if let Report::Kept(kept) = report {
            list = Some(kept);
        }
    }
    list.unwrap()
}

/// How the model that the page has just loaded is kept.
async fn keeping(page: &Page) -> Keeping {
    let reports = page.end().await;
    let Report::Ready { model, .. } = last(&reports) else { panic!("{:?}", last(&reports)) };
    model.keeping.clone()
}

async fn run(script: &str) {
    let promise: Promise = Function::new_no_args(script).call0(&JsValue::NULL).unwrap().unchecked_into();
    JsFuture::from(promise).await.unwrap();
}

/// Calls `act` with each kept file of weights, open.
fn with_files(act: &str) -> String {
    format!(
        "return (async () => {{
            const models = await (await navigator.storage.getDirectory()).getDirectoryHandle('nucleus-models');
            for await (const folder of models.values()) {{
                const file = await folder.getFileHandle('model.safetensors');
                const handle = await file.createSyncAccessHandle();
                {act}
            }}
        }})()"
    )
}

#[wasm_bindgen_test]
async fn a_kept_model_loads_without_the_network_until_it_is_deleted() {
    let (server, page) = start().await;
    ask(&page);
    assert_eq!(keeping(&page).await, Keeping::Kept);
    let list = kept(&page).await;
    assert!(
        matches!(&list[..], [KeptModel { complete: true, bytes, total, .. }] if Some(*bytes) == *total),
        "{list:?}"
    );
    server.asked();
    server.vanish();
    ask(&page);
    assert_eq!(keeping(&page).await, Keeping::Kept);
    assert_eq!(server.asked(), Vec::<String>::new());
    page.ask(Request::Generate(greedy(1, "Once upon a time", 5)));
    assert_eq!(tokens(&page.end().await).len(), 5);
    page.ask(Request::DeleteKept { source: source() });
    page.until(|report| *report == Report::Kept(Vec::new())).await;
    ask(&page);
    assert!(matches!(failure(&page.end().await), Failure::Fetch { status: None, .. }));
}

#[wasm_bindgen_test]
async fn what_came_before_the_connection_was_lost_is_not_fetched_again() {
    let (server, page) = start().await;
    let (address, bytes) = weights();
    server.put(&address, Answer::ok(bytes).tagged("a").breaking(5_000_000, 1).silent_after(5_065_536));
    ask(&page);
    let reports = page.end().await;
    assert!(matches!(failure(&reports), Failure::ConnectionLost { kept: true, .. }), "{:?}", failure(&reports));
    let list = kept(&page).await;
    assert!(matches!(&list[..], [KeptModel { complete: false, bytes: BLOCK.., .. }]), "{list:?}");

    server.put(&address, Answer::ok(bytes).tagged("a"));
    server.asked();
    ask(&page);
    assert_eq!(keeping(&page).await, Keeping::Kept);
    let asked: Vec<String> = server.asked().into_iter().filter(|asked| asked.starts_with(&address)).collect();
    assert_eq!(asked, [format!("{address}[{BLOCK}-]")]);
}

#[wasm_bindgen_test]
async fn a_kept_part_of_a_file_that_has_changed_is_given_up() {
    let (server, page) = start().await;
    let (address, bytes) = weights();
    server.put(&address, Answer::ok(bytes).tagged("a").breaking(5_000_000, 1).silent_after(5_065_536));
    ask(&page);
    assert!(matches!(failure(&page.end().await), Failure::ConnectionLost { .. }));
    server.put(&address, Answer::ok(bytes).tagged("b"));
    ask(&page);
    let reports = page.end().await;
    let over = |report: &Report| matches!(report, Report::Loading(nucleus_session::Loading::StartingOver { .. }));
    assert!(reports.iter().any(|(report, _)| over(report)));
    assert!(matches!(last(&reports), Report::Ready { .. }), "{:?}", last(&reports));
}

#[wasm_bindgen_test]
async fn a_damaged_block_is_fetched_again_and_nothing_else() {
    let (server, page) = start().await;
    ask(&page);
    assert_eq!(keeping(&page).await, Keeping::Kept);
    run(&with_files("handle.write(new Uint8Array([1, 2, 3]), { at: 1000000 }); handle.close();")).await;
    for expected in [vec![format!("{}[0-65535]", weights().0), format!("{}[65536-4194303]", weights().0)], Vec::new()] {
        server.asked();
        ask(&page);
        assert_eq!(keeping(&page).await, Keeping::Kept);
        let asked: Vec<String> = server.asked().into_iter().filter(|asked| asked.contains("safetensors")).collect();
        assert_eq!(asked, expected);
    }
}

#[wasm_bindgen_test]
async fn while_another_tab_has_it_the_model_runs_unkept_and_says_so() {
    let (_server, page) = start().await;
    ask(&page);
    assert_eq!(keeping(&page).await, Keeping::Kept);
    run(&with_files("self.held = handle;")).await;
    ask(&page);
    let unkept = keeping(&page).await;
    assert!(matches!(&unkept, Keeping::NotKept { message } if message.contains("another tab")), "{unkept:?}");
    run("self.held.close(); return Promise.resolve()").await;
    ask(&page);
    assert_eq!(keeping(&page).await, Keeping::Kept);
}

/// CASE 39: no room, nothing allowed, a write that fails.
#[wasm_bindgen_test]
async fn without_storage_the_model_runs_all_the_same_and_the_next_visit_starts_cleanly() {
    let cases = [
        ("StorageManager", "getDirectory", "throw new DOMException('no', 'SecurityError')", "private window"),
        ("StorageManager", "estimate", "return { quota: 1000, usage: 10 }", "990 bytes"),
        ("FileSystemSyncAccessHandle", "write", "throw new DOMException('no', 'QuotaExceededError')", "is full"),
        ("FileSystemSyncAccessHandle", "write", "return 0", "is full"),
    ];
    for (class, method, body, said) in cases {
        let (_server, page) = start().await;
        let kind = if class == "StorageManager" { "async function" } else { "function" };
        run(&format!(
            "self.original = {class}.prototype.{method};
             {class}.prototype.{method} = {kind} () {{ {body} }};
             return Promise.resolve()"
        ))
        .await;
        ask(&page);
        let unkept = keeping(&page).await;
        run(&format!("{class}.prototype.{method} = self.original; return Promise.resolve()")).await;
        assert!(matches!(&unkept, Keeping::NotKept { message } if message.contains(said)), "{unkept:?}");
        assert_eq!(kept(&page).await, [], "{said}");
        ask(&page);
        assert_eq!(keeping(&page).await, Keeping::Kept);
    }
}

/// CASE 35: what is not the file is never kept.
#[wasm_bindgen_test]
async fn an_impostor_is_never_kept() {
    let (server, page) = start().await;
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:248d\nsize 7017680\n";
    for body in [&pointer[..], b"<!doctype html><title>Log in</title>", &weights().1[..100_000]] {
        server.put(&weights().0, Answer::ok(body));
        ask(&page);
        assert!(failure(&page.end().await).to_string().contains(&weights().0));
        assert_eq!(kept(&page).await, []);
    }
}
