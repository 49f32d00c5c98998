fn finish(row: u32, column: u32, value: vec4<f32>) {
    y[row * N + column] = activate(value);
}
