//! Every way that does not get from an address to a model.

use nucleus_session::{Expected, Failure, Found, Loading, Report};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::common::{Answer, Body, Page, Server, TALES, failure, file, last, load};

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
async fn a_server_that_tells_no_length_or_that_of_the_compressed_file_is_understood() {
    let server = Server::start();
    let page = Page::open();
    let address = "models/tales/model.safetensors";
    let size = file(address).len() as u64;
    let packed = vec![("content-encoding", "gzip".to_owned()), ("content-length", "17".to_owned())];
    let whole = Answer { ranges: false, announces: false, ..Answer::ok(file(address)) };
    for headers in [Vec::new(), packed] {
        server.put(address, Answer { headers, ..whole.clone() });
        page.ask(load(TALES));
        let reports = page.end().await;
        assert!(matches!(last(&reports), Report::Ready { .. }), "{:?}", last(&reports));
        assert!(reports.iter().any(|(report, _)| {
            *report == Report::Loading(Loading::Weights { done: size, total: size, fetched: size })
        }));
        assert_eq!(server.asked().iter().filter(|asked| asked.starts_with(address)).count(), 1, "it came once");
    }
    // Without a length, a file that ends early is seen by its own header only.
    server.put(address, Answer { body: Body::of(&file(address)[..1_000_000]), ..whole });
    page.ask(load(TALES));
    let (received, expected) = (1_000_000, size);
    assert_eq!(failure(&page.end().await), &Failure::Incomplete { address: address.into(), received, expected });
}

/// CASE 36: a file that is cut at its beginning, in its header, in its data, or that goes on.
#[wasm_bindgen_test]
async fn a_file_of_the_wrong_length_is_refused_before_it_is_fetched() {
    let server = Server::start();
    let page = Page::open();
    let address = "models/tales/model.safetensors";
    let whole = file(address);
    let header = 8 + u64::from_le_bytes(whole[..8].try_into().unwrap()) as usize;
    let long = [whole, &[0]].concat();
    let huge = |length: u64| [&length.to_le_bytes(), &whole[8..]].concat();
    let (endless, too_long, unlikely) = (huge(u64::MAX), huge(100_000_001), huge(5_000_000));
    let cases = [
        (&whole[..7], "the file has 7 bytes, but the first 8"),
        (&whole[..8], "only 0 follow"),
        (&whole[..header - 1], "the file was cut"),
        (&whole[..whole.len() / 2], "it was cut"),
        (&long, "what follows is not part of it"),
        (&endless, "18446744073709551615"),
        (&too_long, "100000001"),
        (&unlikely, "its header has 5000000 bytes"),
    ];
    for (body, said) in cases {
        for ranges in [true, false] {
            server.put(address, Answer { ranges, ..Answer::ok(body) });
            page.ask(load(TALES));
            let reports = page.end().await;
            let sentence = failure(&reports).to_string();
            assert!(sentence.contains(said) && sentence.contains(address), "{sentence}");
            assert!(!reports.iter().any(|(report, _)| matches!(report, Report::Plan(_))), "{said}");
        }
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
