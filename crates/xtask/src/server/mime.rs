//! What a file is, by the end of its name.

use std::path::Path;

/// The `Content-Type` of a file. What is not known is bytes: with `nosniff` a browser then never
/// runs it by mistake.
pub(super) fn of(path: &Path) -> &'static str {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match extension {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "md" | "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::of;
    use std::path::Path;

    #[test]
    fn a_module_streams_and_weights_are_bytes() {
        assert_eq!(of(Path::new("pkg/page_bg.wasm")), "application/wasm");
        assert_eq!(of(Path::new("a/model.safetensors")), "application/octet-stream");
        assert_eq!(of(Path::new("no_extension")), "application/octet-stream");
    }
}
