// finish(x W + b), with W [4 K, 4 N] row by row: one thread a quad of columns, for ROWS rows of x, so that a weight is
// read once for all of them. No barrier: a software adapter pays for each with a switch of every thread.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let column = id.x;
    let first = id.y * ROWS;
    if column >= N { return; }
    var sum{r} = vec4<f32>();
    for (var k = 0u; k < K; k++) {
        let at = 4u * k * N + column;
        let w0 = quad(at);
        let w1 = quad(at + N);
        let w2 = quad(at + 2u * N);
        let w3 = quad(at + 3u * N);
        let x{r} = x[(first + {r}u) * K + k];
        sum{r} += x{r}.x * w0 + x{r}.y * w1 + x{r}.z * w2 + x{r}.w * w3;
    }
    if first + {r}u < params.rows { finish(first + {r}u, column, sum{r} + bias[column]); }
}
