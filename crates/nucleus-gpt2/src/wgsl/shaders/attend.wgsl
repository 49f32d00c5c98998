// One head of one row over one tile of 256 positions: a workgroup. Its threads first have a position each, for the scores
// and their softmax; then a quad of V and every SPLITS-th position each, for the mix. What it writes is not divided by the
// sum of the softmax yet, which goes to `weights` beside the highest score: the tiles are put together by combine.wgsl
// (the online softmax of Milakov and Gimelshein, arXiv:1805.02867, split as in Flash-Decoding).
const SPLITS = 256u / D4;
var<workgroup> query: array<vec4<f32>, D4>;
var<workgroup> shares: array<f32, 256>;
var<workgroup> partial: array<vec4<f32>, 256>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let head = group.x;
    let row = group.y;
    let tile = group.z;
    let seen = params.row[row].position + 1u;
    let block = (params.row[row].slot * HEADS + head) * params.capacity;
    if lane < D4 { query[lane] = q[(row * HEADS + head) * D4 + lane]; }
    workgroupBarrier();

    let position = tile * 256u + lane;
    var score = LOWEST;
    if position < seen {
        var sum = vec4<f32>();
        for (var d = 0u; d < D4; d++) { sum += query[d] * k[(block + position) * D4 + d]; }
        score = SCALE * dot(sum, vec4(1.0));
    }
    shares[lane] = score;
    for (var half = 128u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if lane < half { shares[lane] = max(shares[lane], shares[lane + half]); }
    }
    workgroupBarrier();
    let highest = shares[0];
    workgroupBarrier();
    shares[lane] = select(0.0, exp(score - highest), position < seen);
    workgroupBarrier();

    let count = clamp(i32(seen) - i32(tile * 256u), 0, 256);
    let quad = lane % D4;
    var mixed = vec4<f32>();
    if lane < SPLITS * D4 {
        for (var i = lane / D4; i < u32(count); i += SPLITS) {
            mixed += shares[i] * v[(block + tile * 256u + i) * D4 + quad];
        }
    }
    partial[lane] = mixed;
    // The mix has read the shares, so that they can be added up in place.
    for (var half = 128u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if lane < half { shares[lane] += shares[lane + half]; }
    }
    workgroupBarrier();
    let place = (row * HEADS + head) * TILES + tile;
    if lane < D4 {
        var sum = partial[lane];
        for (var i = 1u; i < SPLITS; i++) { sum += partial[i * D4 + lane]; }
        sums[place * D4 + lane] = sum;
    }
    if lane == 0u { weights[place] = vec2(highest, shares[0]); }
}
