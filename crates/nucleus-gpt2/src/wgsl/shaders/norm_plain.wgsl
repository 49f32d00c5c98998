// y = (x - mean) / sqrt(variance + EPSILON) * gamma + beta. One workgroup a row, no barrier: each of the 16 threads works
// out mean and variance for itself, and writes every 16th quad.
@compute @workgroup_size(16)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let at = group.x * C4;
    var sum = vec4<f32>();
    for (var c = 0u; c < C4; c++) { sum += x[at + c]; }
    let mean = vec4(dot(sum, vec4(1.0)) / f32(4u * C4));
    var squares = vec4<f32>();
    for (var c = 0u; c < C4; c++) {
        let d = x[at + c] - mean;
        squares += d * d;
    }
    let scale = inverseSqrt(dot(squares, vec4(1.0)) / f32(4u * C4) + EPSILON);
    for (var c = lane; c < C4; c += 16u) {
        y[at + c] = (x[at + c] - mean) * scale * gamma[c] + beta[c];
    }
}
