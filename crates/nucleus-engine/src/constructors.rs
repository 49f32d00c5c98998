//! What other languages do before `main`.

/// Runs the constructors that linked crates registered, once.
///
/// burn's shader compiler (pliron, through the crate `inventory`) collects its tables in some thousand of them. If no code
/// called them, the linker would take the module for a program that is entered once, and would put a call to all of them
/// at the start of every exported function: on the CPU path that is four fifths of the time of a token.
#[cfg(target_family = "wasm")]
pub(crate) fn run() {
    use std::sync::Once;

    #[allow(unsafe_code, reason = "the linker makes this function, and it takes and gives nothing")]
    unsafe extern "C" {
        safe fn __wasm_call_ctors();
    }

    static CALLED: Once = Once::new();
    CALLED.call_once(|| __wasm_call_ctors());
}

/// Natively they have run before `main`.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn run() {}
