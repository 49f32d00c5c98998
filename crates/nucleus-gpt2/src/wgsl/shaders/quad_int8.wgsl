// Blocks of nine words: 32 numbers of 8 bits, in units of 1/127 of the largest of them, which is the ninth word.
fn quad(at: u32) -> vec4<f32> {
    let block = at / 8u * 9u;
    return unpack4x8snorm(w[block + at % 8u]) * bitcast<f32>(w[block + 8u]);
}
