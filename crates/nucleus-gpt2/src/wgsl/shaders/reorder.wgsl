// Puts into each slot a copy of what another, or itself, has read: one thread a quad of a head. `params.row` has, for each
// slot, the slot that is copied and how many positions it has. No buffer is read and written, so every slot is copied.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let head = id.y;
    let slot = id.z;
    let copied = params.row[slot];
    if id.x >= copied.position * D4 { return; }
    let at = (slot * HEADS + head) * params.capacity * D4 + id.x;
    after[at] = before[(copied.slot * HEADS + head) * params.capacity * D4 + id.x];
}
