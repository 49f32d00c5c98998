// x = wte[id] + wpe[position]: one thread a quad. A piece of wte has PIECE rows, from row FIRST on; a row that lies in
// another piece is written by that piece's dispatch.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.y;
    let token = params.row[row].id - FIRST; // wraps around, to a number beyond PIECE, where the token lies before the piece
    if id.x >= C4 || token >= PIECE { return; }
    x[row * C4 + id.x] = quad(token * C4 + id.x) + wpe[params.row[row].position * C4 + id.x];
}
