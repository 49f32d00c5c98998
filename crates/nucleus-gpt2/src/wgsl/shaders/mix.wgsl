// y = softmax(scores) V: one thread a quad of a head's row, which works the softmax out for itself. No barrier.
@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.z;
    let head = id.y;
    if id.x >= D4 { return; }
    let at = (row * HEADS + head) * N_CTX;
    let seen = params.row[row].position + 1u;
    let block = (params.row[row].slot * HEADS + head) * params.capacity;
    var highest = scores[at];
    for (var i = 1u; i < seen; i++) { highest = max(highest, scores[at + i]); }
    var weight = 0.0;
    var sum = vec4<f32>();
    for (var i = 0u; i < seen; i++) {
        let share = exp(scores[at + i] - highest);
        weight += share;
        sum += share * v[(block + i) * D4 + id.x];
    }
    y[row * HEADS * D4 + head * D4 + id.x] = sum / weight;
}
