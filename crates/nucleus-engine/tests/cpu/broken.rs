//! Every way that does not get from an address to a model.

use nucleus_session::{Expected, Failure, Found, Loading, Report};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::common::{Answer, Page, Server, TALES, failure, file, last, load};

#[wasm_bindgen_test]
async fn what_comes_in_place_of_a_file_is_named_and_the_engine_stays_usable() {
    let server = Server::start();
    let page = Page::open();
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:248d\nsize 7017680\n";
    let html =
        "<!doctype html><title>Welcome</title><p>This is the page of a server that knows no such file, and no status.";
    let wrong = |address: &str, expected, found| Failure::WrongFile { address: address.into(), expected, found };
    let (config, weights) = ("models/tales/config.json", "models/tales/model.safetensors");
    let fetch = |status| Failure::Fetch { address: weights.into(), status };
    let cases = [
        (weights, Answer::ok(pointer.as_bytes()), wrong(weights, Expected::Safetensors, Found::LfsPointer)),
        (weights, Answer::ok(html.as_bytes()), wrong(weights, Expected::Safetensors, Found::Html)),
        (weights, Answer::ok(b""), wrong(weights, Expected::Safetensors, Found::Empty)),
        (config, Answer::ok(html.as_bytes()), wrong(config, Expected::Json, Found::Html)),
        (weights, Answer::status(404, html), fetch(Some(404))),
        (weights, Answer::status(503, ""), fetch(Some(503))),
        (weights, Answer::no_answer(), fetch(None)),
    ];
    for (address, answer, expected) in cases {
        server.put(address, answer);
        page.ask(load(TALES));
        assert_eq!(failure(&page.end().await), &expected);
        server.put(address, Answer::ok(file(address)));
    }
    page.ask(load(TALES));
    assert!(matches!(last(&page.end().await), Report::Ready { .. }));
}

#[wasm_bindgen_test]
async fn a_length_that_is_not_kept_is_noticed_and_that_of_a_compressed_file_is_not_believed() {
    let server = Server::start();
    let page = Page::open();
    let address = "models/tales/model.safetensors";
    let whole = file(address);
    server.put(address, Answer { body: whole[..1000].to_vec(), ..Answer::ok(whole) });
    page.ask(load(TALES));
    let (received, expected) = (1000, whole.len() as u64);
    assert_eq!(failure(&page.end().await), &Failure::Incomplete { address: address.into(), received, expected });

    let headers = [vec![], vec![("content-encoding", "gzip".to_owned()), ("content-length", "17".to_owned())]];
    for headers in headers {
        server.put(address, Answer { headers, ..Answer::ok(whole) });
        page.ask(load(TALES));
        let reports = page.end().await;
        assert!(matches!(last(&reports), Report::Ready { .. }), "{:?}", last(&reports));
        let totals: Vec<u64> =
            reports
                .iter()
                .filter_map(|(report, _)| {
                    if let Report::Loading(Loading::Weights { total, .. }) = report { Some(*total) } else { None }
                })
                .collect();
        assert!(totals.iter().all(|&total| total == 0), "{totals:?}");
    }
}

#[wasm_bindgen_test]
async fn broken_files_are_named_with_what_is_wrong() {
    let server = Server::start();
    let page = Page::open();
    let (config, tokenizer, weights) =
        ("models/tales/config.json", "models/tales/tokenizer.json", "models/tales/model.safetensors");
    let half = &file(weights)[..file(weights).len() / 2];
    type Case<'a> = (&'a str, &'a [u8], fn(&Failure) -> bool);
    let cases: [Case; 4] = [
        (
            config,
            br#"{"model_type": "llama"}"#,
            |failure| matches!(failure, Failure::Config { message, .. } if message.contains("llama")),
        ),
        (tokenizer, b"{}", |failure| matches!(failure, Failure::Tokenizer { .. })),
        (
            weights,
            half,
            |failure| matches!(failure, Failure::Checkpoint { address, .. } if address.ends_with("tales/model.safetensors")),
        ),
        (
            config,
            file("models/gpt2-tiny-random/config.json"),
            |failure| matches!(failure, Failure::Tokenizer { message, .. } if message.contains("4096") && message.contains("512")),
        ),
    ];
    for (address, body, expected) in cases {
        server.put(address, Answer::ok(body));
        page.ask(load(TALES));
        let reports = page.end().await;
        assert!(expected(failure(&reports)), "{:?}", failure(&reports));
        server.put(address, Answer::ok(file(address)));
    }
}

#[wasm_bindgen_test]
async fn a_corrupted_self_test_stops_everything_before_the_model_is_fetched() {
    let server = Server::start();
    let page = Page::open();
    let address = "models/gpt2-tiny-random/model.safetensors";
    let mut broken = file(address).to_vec();
    let end = broken.len();
    broken[end - 2..].copy_from_slice(&[0x80, 0x43]);
    server.put(address, Answer::ok(&broken));
    page.ask(load(TALES));
    let reports = page.end().await;
    assert!(
        matches!(failure(&reports), Failure::SelfTest { difference, tolerance } if difference > tolerance),
        "{:?}",
        failure(&reports)
    );
    assert!(server.asked().iter().all(|address| !address.contains("tales")));
}
