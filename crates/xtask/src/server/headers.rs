//! The headers that every answer carries.

/// What the page may load. `index.html` says the same in a meta tag, for hosts that set no headers.
///
/// `connect-src https:` is for the one request that leaves the machine: the model that the reader chose.
pub(super) const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; \
     worker-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self' https:; base-uri 'none'; \
     form-action 'none'";

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
