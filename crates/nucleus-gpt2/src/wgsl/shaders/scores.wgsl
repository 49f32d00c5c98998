// scores[row, head, position] = SCALE q . k, up to the row's own position: one thread each. No barrier.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.z;
    let head = id.y;
    if id.x > params.row[row].position { return; }
    let block = (params.row[row].slot * HEADS + head) * params.capacity;
    var sum = vec4<f32>();
    for (var d = 0u; d < D4; d++) {
        sum += q[row * HEADS * D4 + head * D4 + d] * k[(block + id.x) * D4 + d];
    }
    scores[(row * HEADS + head) * N_CTX + id.x] = SCALE * dot(sum, vec4(1.0));
}
