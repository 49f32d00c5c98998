// y = (x - mean) / sqrt(variance + EPSILON) * gamma + beta. One workgroup a row; sums go through shared memory.
var<workgroup> partial: array<f32, 256>;

fn total(lane: u32, value: f32) -> f32 {
    workgroupBarrier(); // the sum before this one has been read
    partial[lane] = value;
    for (var half = 128u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if lane < half { partial[lane] += partial[lane + half]; }
    }
    workgroupBarrier();
    return partial[0];
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let at = group.x * C4;
    var sum = vec4<f32>();
    for (var c = lane; c < C4; c += 256u) { sum += x[at + c]; }
    let mean = vec4(total(lane, dot(sum, vec4(1.0))) / f32(4u * C4));
    var squares = vec4<f32>();
    for (var c = lane; c < C4; c += 256u) {
        let d = x[at + c] - mean;
        squares += d * d;
    }
    let scale = inverseSqrt(total(lane, dot(squares, vec4(1.0))) / f32(4u * C4) + EPSILON);
    for (var c = lane; c < C4; c += 256u) {
        y[at + c] = (x[at + c] - mean) * scale * gamma[c] + beta[c];
    }
}
