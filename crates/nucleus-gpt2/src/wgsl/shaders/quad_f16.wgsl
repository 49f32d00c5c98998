// Two f16 in a u32: core WGSL, so that no adapter lacks it.
fn quad(at: u32) -> vec4<f32> {
    let pair = w[at];
    return vec4(unpack2x16float(pair.x), unpack2x16float(pair.y));
}
