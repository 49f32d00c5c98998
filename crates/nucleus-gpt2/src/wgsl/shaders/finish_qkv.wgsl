// Columns are those of Q, then K, then V, each head after head. Q is kept for this step; K and V go to their places in the
// cache, [slot, head, position, d].
fn finish(row: u32, column: u32, value: vec4<f32>) {
    let c = column % C4;
    let place = params.row[row];
    let at = ((place.slot * (C4 / D4) + c / D4) * params.capacity + place.position) * D4 + c % D4;
    switch column / C4 {
        case 0u: { q[row * C4 + c] = value; }
        case 1u: { k[at] = value; }
        default: { v[at] = value; }
    }
}
