// logits = x W^T, with a piece of W, [PIECE, 4 K], from row FIRST on: a workgroup has 8 rows of W, each shared by 32 threads
// that read neighbouring quads and whose sums meet in shared memory.
const SPLITS = 32u;
const TOKENS = 8u;
var<workgroup> partial: array<f32, 256>;

fn total(lane: u32, split: u32, value: f32) -> f32 {
    workgroupBarrier(); // the sum before this one has been read
    partial[lane] = value;
    for (var half = SPLITS / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if split < half { partial[lane] += partial[lane + half]; }
    }
    return partial[lane];
}

@compute @workgroup_size(SPLITS, TOKENS)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    // Threads beyond the last row read it again: every thread has to come to the barriers.
    let token = min(group.x * TOKENS + local.y, PIECE - 1u);
    let first = params.first + group.y * ROWS;
    var sum{r} = vec4<f32>();
    for (var k = local.x; k < K; k += SPLITS) {
        let w = quad(token * K + k);
        sum{r} += x[(first + {r}u) * K + k] * w;
    }
    let total{r} = total(lane, local.x, dot(sum{r}, vec4(1.0)));
    if local.x > 0u || group.x * TOKENS + local.y >= PIECE { return; }
    if first + {r}u < params.rows { logits[(first - params.first + {r}u) * N_VOCAB + FIRST + token] = total{r}; }
}
