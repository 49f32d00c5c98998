//! Every way in which a checkpoint file is broken has its own sentence (cases 35 and 36).
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use burn::tensor::Device;
use common::{model_file, tiny};
use nucleus_gpt2::Gpt2;
use nucleus_gpt2::checkpoint::{Header, MAX_HEADER, PREFIX, header_length};

/// What is said of the file, by the way that loads a model.
fn refusal(file: &[u8]) -> String {
    Gpt2::from_safetensors(&tiny::config(), file, &Device::flex()).unwrap_err().to_string()
}

fn good() -> Vec<u8> {
    tiny::file(&tiny::weights(), "F32")
}

/// A file of two tensors whose header is given, with 12 bytes of data.
fn with_header(header: &str) -> String {
    refusal(&tiny::assemble(header, &[0; 12]))
}

#[test]
fn a_cut_file_says_where_it_was_cut() {
    let file = good();
    let header = header_length(&file, file.len() as u64).unwrap();
    assert_eq!(refusal(&[]), "the file is empty: download it again");
    assert_eq!(
        refusal(&file[..7]),
        "the file has 7 bytes, but the first 8 give the header's length: download it again"
    );
    let cut = |length: usize| refusal(&file[..length]);
    let in_header = |left: usize| {
        format!(
            "the header's length is given as {header} bytes, but only {left} follow: the file was cut, download it again"
        )
    };
    assert_eq!(cut(PREFIX), in_header(0));
    assert_eq!(cut(PREFIX + header - 1), in_header(header - 1));
    for length in [PREFIX + header, file.len() / 2, file.len() - 1] {
        let whole = file.len();
        assert_eq!(
            cut(length),
            format!("the file has {length} bytes, but its header describes {whole}: it was cut, download it again")
        );
    }
}

#[test]
fn a_byte_too_many_is_refused() {
    let mut file = good();
    let whole = file.len();
    file.push(0);
    let sentence = refusal(&file);
    assert!(
        sentence.starts_with(&format!("the file has {} bytes, but its header describes {whole}:", whole + 1)),
        "{sentence}"
    );
}

#[test]
fn a_name_that_fills_pages_is_not_repeated() {
    for (name, dtype) in [("a".repeat(100_000), "F32".into()), ("a".to_owned(), "F".repeat(100_000))] {
        let entry = format!(r#"{{"{name}": {{"dtype": "{dtype}", "shape": [3], "data_offsets": [0, 12]}}}}"#);
        assert_eq!(
            with_header(&entry),
            "the header has a name of 100000 bytes, but at most 200 are read: the file is damaged"
        );
    }
}

#[test]
fn absurd_header_lengths_are_refused_before_anything_is_allocated() {
    for length in [u64::MAX, MAX_HEADER + 1] {
        let sentence = refusal(&[&length.to_le_bytes()[..], b"{}"].concat());
        assert!(
            sentence.starts_with(&format!("the header's length is given as {length} bytes, but at most 100000000")),
            "{sentence}"
        );
    }
    // Allowed by the format, but longer than the file.
    let sentence = refusal(&[&MAX_HEADER.to_le_bytes()[..], b"{}"].concat());
    assert!(sentence.contains("but only 2 follow"), "{sentence}");
}

#[test]
fn a_pointer_and_a_page_are_named() {
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0ba4\nsize 548105171\n";
    assert!(refusal(pointer.as_bytes()).contains("Git LFS pointer"));
    assert!(refusal(b"<!doctype html><title>404</title>").contains("web page (HTML)"));
}

#[test]
fn a_broken_header_is_named() {
    assert!(with_header("not json").starts_with("the header cannot be read"));
    assert!(with_header("[]").contains("an object of tensors"));
    assert!(with_header(r#"{"a": {"dtype": "F32", "shape": [1]}}"#).contains("data_offsets"));
    assert!(
        with_header(r#"{"a": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}}"#)
            .starts_with("the header cannot be read")
    );
}

#[test]
fn a_name_that_occurs_twice_is_named() {
    let one = r#""a": {"dtype": "U8", "shape": [6], "data_offsets": "#;
    let sentence = with_header(&format!("{{{one}[0, 6]}}, {one}[6, 12]}}}}"));
    assert!(sentence.contains("\"a\" occurs twice"), "{sentence}");
}

/// A header with tensor `a` and one `b` with these offsets, both of 6 bytes.
fn two(a: [u64; 2], b: [u64; 2]) -> String {
    let entry = |name: &str, range: [u64; 2]| {
        format!(r#""{name}": {{"dtype": "U8", "shape": [6], "data_offsets": {range:?}}}"#)
    };
    with_header(&format!("{{{}, {}}}", entry("a", a), entry("b", b)))
}

#[test]
fn offsets_must_follow_each_other() {
    assert_eq!(two([0, 6], [5, 11]), "tensor \"b\" begins at 5, inside \"a\", which ends at 6: the file is damaged");
    assert_eq!(
        two([0, 6], [7, 13]),
        "tensor \"b\" begins at 7, but the bytes from 6 on belong to no tensor: the file is damaged"
    );
    assert_eq!(
        two([1, 7], [7, 13]),
        "tensor \"a\" begins at 1, but the bytes from 0 on belong to no tensor: the file is damaged"
    );
    assert_eq!(
        two([6, 0], [6, 12]),
        "tensor \"a\" is said to begin at 6 and to end before that, at 0: the file is damaged"
    );
    assert!(two([0, 6], [u64::MAX - 6, u64::MAX]).contains("do not fit"));
}

#[test]
fn sizes_must_match_shapes() {
    let header = |dtype: &str, shape: &str| {
        with_header(&format!(r#"{{"a": {{"dtype": "{dtype}", "shape": {shape}, "data_offsets": [0, 12]}}}}"#))
    };
    assert_eq!(
        header("F32", "[2, 2]"),
        "tensor \"a\" of shape [2, 2] in F32 has 12 bytes, which do not fit: the file is damaged"
    );
    assert!(header("F64", "[4294967296, 4294967296]").contains("do not fit"));
    assert!(header("Q4_K", "[12]").contains("unknown number format \"Q4_K\""));
}

#[test]
fn a_good_header_lists_tensors_by_offset() {
    let file = model_file("tales", "model.safetensors");
    let length = header_length(&file[..100], file.len() as u64).unwrap();
    let header = Header::parse(&file[PREFIX..PREFIX + length], file.len() as u64).unwrap();
    let parameters: usize = header.tensors().iter().map(|tensor| tensor.shape.iter().product::<usize>()).sum();
    assert_eq!(parameters, 3_505_152);
    assert!(header.tensors().is_sorted_by_key(|tensor| tensor.range.start));
    assert_eq!(header.tensors().last().unwrap().range.end, file.len() as u64);
    assert_eq!(header.get("transformer.wte.weight").unwrap().shape, [4096, 192]);
    assert_eq!(header.get("lm_head.weight"), None);
}
