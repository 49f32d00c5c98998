fn quad(at: u32) -> vec4<f32> {
    return w[at];
}
