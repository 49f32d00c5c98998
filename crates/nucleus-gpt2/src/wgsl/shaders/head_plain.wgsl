// logits = x W^T, with a piece of W, [PIECE, 4 K], from row FIRST on: one thread a row of W. No barrier.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let token = id.x;
    let first = params.first + id.y * ROWS;
    if token >= PIECE { return; }
    var sum{r} = vec4<f32>();
    for (var k = 0u; k < K; k++) {
        let w = quad(token * K + k);
        sum{r} += x[(first + {r}u) * K + k] * w;
    }
    if first + {r}u < params.rows { logits[(first - params.first + {r}u) * N_VOCAB + FIRST + token] = dot(sum{r}, vec4(1.0)); }
}
