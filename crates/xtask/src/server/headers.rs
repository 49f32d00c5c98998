//! The headers that every answer carries.

/// What the page may load. `index.html` says the same in a meta tag, for hosts that set no headers.
///
/// `connect-src` beyond `'self'` is for the model that the reader chose: the one request that leaves the machine, or goes to
/// another server on it.
pub(super) const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; \
     worker-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self' https: http://localhost:* \
     http://127.0.0.1:*; base-uri 'none'; form-action 'none'";

/// Cross-origin isolation gives the page precise timers and shared memory; `no-cache` lets a
/// browser keep a file but makes it ask each time, which the `ETag` answers.
pub(super) const ALWAYS: [(&str, &str); 7] = [
    ("Accept-Ranges", "bytes"),
    ("Cache-Control", "no-cache"),
    ("Content-Security-Policy", CONTENT_SECURITY_POLICY),
    ("Cross-Origin-Embedder-Policy", "require-corp"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("X-Content-Type-Options", "nosniff"),
];

#[cfg(test)]
mod tests {
    use super::CONTENT_SECURITY_POLICY;

    #[test]
    fn the_page_has_the_same_policy() {
        let page = include_str!("../../../../www/index.html");
        assert!(page.contains(&format!("content=\"{CONTENT_SECURITY_POLICY}\"")), "{CONTENT_SECURITY_POLICY}");
    }
}
