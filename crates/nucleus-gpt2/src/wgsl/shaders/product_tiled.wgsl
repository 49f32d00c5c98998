// finish(x W + b), with W [4 K, 4 N] row by row: a workgroup has 8 quads of columns, and 32 threads share the rows of W
// of each; their sums meet in shared memory. Neighbouring threads read neighbouring quads: whole cache lines. ROWS rows
// of x at a time, so that a weight is read once for all of them.
const COLUMNS = 8u;
const SPLITS = 32u;
var<workgroup> partial: array<vec4<f32>, 256>;

fn total(lane: u32, value: vec4<f32>) -> vec4<f32> {
    workgroupBarrier(); // the sum before this one has been read
    partial[lane] = value;
    for (var half = SPLITS / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if lane < half * COLUMNS { partial[lane] += partial[lane + half * COLUMNS]; }
    }
    return partial[lane];
}

@compute @workgroup_size(COLUMNS, SPLITS)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    // Threads beyond the last column read it again: every thread has to come to the barriers.
    let column = min(group.x * COLUMNS + local.x, N - 1u);
    let first = group.y * ROWS;
    var sum{r} = vec4<f32>();
    for (var k = local.y; k < K; k += SPLITS) {
        let at = 4u * k * N + column;
        let w0 = quad(at);
        let w1 = quad(at + N);
        let w2 = quad(at + 2u * N);
        let w3 = quad(at + 3u * N);
        let x{r} = x[(first + {r}u) * K + k];
        sum{r} += x{r}.x * w0 + x{r}.y * w1 + x{r}.z * w2 + x{r}.w * w3;
    }
    let total{r} = total(lane, sum{r});
    if local.y > 0u || group.x * COLUMNS + local.x >= N { return; }
    if first + {r}u < params.rows { finish(first + {r}u, column, total{r} + bias[column]); }
}
