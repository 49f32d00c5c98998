//! Every table of ARITHMETIC.md is what the functions say.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use nucleus_gpt2::WeightFormat::{self, F16, F32, Int8};
use nucleus_gpt2::arithmetic::{PRODUCTS, SHAPES, Shape, Spread, dispatch_ms, needed_in_flight};

const PAGE: &str = include_str!("../ARITHMETIC.md");
const FORMATS: [WeightFormat; 3] = [F32, F16, Int8];
const GIGABYTES: [f64; 3] = [50.0, 100.0, 400.0];

fn gpt2() -> Shape {
    SHAPES[1]
}

/// Three digits, or all before the point.
fn figure(value: f64) -> String {
    let digits = if value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    format!("{value:.digits$}")
}

fn mega(bytes: u64) -> String {
    figure(bytes as f64 / 1e6)
}

fn table(head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let head = head.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
    let rule = head.iter().map(|_| "---".to_owned()).collect();
    let mut table = line(head) + &line(rule);
    rows.into_iter().for_each(|row| table += &line(row));
    table
}

fn expect(table: &str) {
    assert!(PAGE.contains(table), "ARITHMETIC.md should have this table:\n\n{table}");
}

#[test]
fn what_a_token_takes() {
    let head = [
        "shape",
        "blocks",
        "C",
        "weights read, millions",
        "MB f32",
        "MB f16",
        "MB int8",
        "dispatches f32",
        "f16",
        "int8",
    ];
    expect(&table(
        &head,
        SHAPES.map(|shape| {
            let bytes = FORMATS.map(|format| mega(shape.weight_bytes(format)));
            let dispatches = FORMATS.map(|format| shape.dispatches(format).to_string());
            let first =
                [shape.name.to_owned(), shape.n_layer.to_string(), shape.n_embd.to_string(), mega(shape.weights())];
            [&first[..], &bytes, &dispatches].concat()
        }),
    ));
}

#[test]
fn what_a_position_adds() {
    let head = ["shape", "positions", "cache read, MB", "million operations", "operations a byte, f32", "f16", "int8"];
    let rows = SHAPES.iter().flat_map(|shape| {
        [shape.n_ctx / 16, shape.n_ctx].map(|n| {
            let intensity = FORMATS.map(|format| {
                figure(shape.operations(n) as f64 / (shape.weight_bytes(format) + shape.cache_bytes(n)) as f64)
            });
            let first = [shape.name.to_owned(), n.to_string(), mega(shape.cache_bytes(n)), mega(shape.operations(n))];
            [&first[..], &intensity].concat()
        })
    });
    expect(&table(&head, rows));
}

#[test]
fn the_bound() {
    let head = ["shape", "weights", "50 GB/s", "100 GB/s", "400 GB/s"];
    let rows = SHAPES.iter().flat_map(|shape| {
        FORMATS.map(|format| {
            let name = ["f32", "f16", "int8"][FORMATS.iter().position(|&one| one == format).unwrap()];
            let bounds = GIGABYTES.map(|gigabytes| figure(shape.bound(format, shape.n_ctx / 2, gigabytes)));
            [&[shape.name.to_owned(), name.to_owned()][..], &bounds].concat()
        })
    });
    expect(&table(&head, rows));
}

#[test]
fn several_texts() {
    let head = ["shape", "4 texts", "8 texts", "16 texts"];
    let rows = SHAPES.iter().map(|shape| {
        let shares = [4, 8, 16].map(|rows| figure(shape.share_of_rows(F16, shape.n_ctx / 2, rows)));
        [&[shape.name.to_owned()][..], &shares].concat()
    });
    expect(&table(&head, rows));
}

#[test]
fn the_dispatches() {
    let head = ["a dispatch, microseconds", "tales, ms a token", "gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl"];
    expect(&table(
        &head,
        [1.0, 3.0, 10.0, 30.0].map(|microseconds| {
            let times = SHAPES.map(|shape| figure(dispatch_ms(shape.dispatches(F16), microseconds)));
            [&[microseconds.to_string()][..], &times].concat()
        }),
    ));
    expect(&table(
        &["shape", "logits read back, kB"],
        SHAPES.map(|shape| vec![shape.name.to_owned(), figure(shape.logits_bytes() as f64 / 1e3)]),
    ));
}

#[test]
fn the_shape_of_a_workgroup() {
    let head = [
        "product of gpt2",
        "plain: workgroups",
        "threads",
        "kB in flight",
        "tiled: workgroups",
        "threads",
        "kB in flight",
    ];
    let c = gpt2().n_embd;
    expect(&table(
        &head,
        PRODUCTS.map(|(name, inputs, outputs)| {
            let spreads = [Spread::plain(outputs * c), Spread::tiled(outputs * c)].into_iter().flat_map(|spread| {
                let kilobytes = spread.bytes_in_flight() as f64 / 1e3;
                [spread.workgroups.to_string(), spread.threads.to_string(), figure(kilobytes)]
            });
            std::iter::once(format!("{name}, {} to {}", inputs * c, outputs * c)).chain(spreads).collect()
        }),
    ));
    let head = ["bandwidth, GB/s", "kB in flight to use it, at 500 ns"];
    expect(&table(
        &head,
        GIGABYTES.map(|gigabytes| vec![gigabytes.to_string(), figure(needed_in_flight(gigabytes, 500.0) / 1e3)]),
    ));
}

/// The sentences of the page that have numbers of their own.
#[test]
fn the_sentences() {
    let (gpt2, f16) = (gpt2(), gpt2().dispatches(F16));
    let joined = PAGE.split_whitespace().collect::<Vec<_>>().join(" ");
    let says = |sentence: String| assert!(joined.contains(&sentence), "ARITHMETIC.md should say: {sentence}");
    says(format!("saves {} of gpt2's {f16} dispatches", 2 * gpt2.n_layer + 1));
    says(format!("saves another {}", gpt2.n_layer));
    says(format!(
        "{} MB of the {} MB",
        mega(gpt2.cache_bytes(1024) / 2),
        mega(gpt2.weight_bytes(F16) + gpt2.cache_bytes(1024))
    ));
    let half = |numbers: u64| 34 * numbers / 32;
    says(format!("{} MB instead of {} MB", mega(half(gpt2.weights())), mega(gpt2.weights() / 32 * 36)));
    let reading = gpt2.weight_bytes(F16) as f64 / 400e9 * 1e3;
    says(format!("{} ms to read gpt2's weights as f16 at 400 GB/s", figure(reading)));
    says(format!("{} microseconds a dispatch", figure(reading * 1e3 / f16 as f64)));
}
