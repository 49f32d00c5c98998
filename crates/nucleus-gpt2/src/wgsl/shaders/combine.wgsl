// Puts the tiles of attend.wgsl together: one thread a quad of a head's row.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.y;
    if id.x >= HEADS * D4 { return; }
    let head = id.x / D4;
    let tiles = params.row[row].position / 256u + 1u;
    let at = (row * HEADS + head) * TILES;
    var highest = weights[at].x;
    for (var i = 1u; i < tiles; i++) { highest = max(highest, weights[at + i].x); }
    var weight = 0.0;
    var sum = vec4<f32>();
    for (var i = 0u; i < tiles; i++) {
        let share = exp(weights[at + i].x - highest);
        weight += share * weights[at + i].y;
        sum += share * sums[(at + i) * D4 + id.x % D4];
    }
    y[row * HEADS * D4 + id.x] = sum / weight;
}
