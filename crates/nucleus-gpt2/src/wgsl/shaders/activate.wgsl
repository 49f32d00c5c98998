// Arguments of exp are kept within +-30: some drivers overflow to NaN beyond.
fn logistic(z: vec4<f32>) -> vec4<f32> {
    return 1.0 / (1.0 + exp(-clamp(z, vec4(-30.0), vec4(30.0))));
}

// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), by (1 + tanh z) / 2 = logistic(2 z).
fn gelu_tanh(x: vec4<f32>) -> vec4<f32> {
    return x * logistic(1.5957691216057308 * (x + 0.044715 * x * x * x));
}

// x/2 (1 + erf(x / sqrt 2)), erf by formula 7.1.26 of Abramowitz and Stegun: within 1.5e-7.
fn gelu_erf(x: vec4<f32>) -> vec4<f32> {
    let z = abs(x) * 0.7071067811865476;
    let t = 1.0 / (1.0 + 0.3275911 * z);
    let series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
    let erf = 1.0 - series * exp(-min(z * z, vec4(80.0)));
    return 0.5 * x * (1.0 + sign(x) * erf);
}

fn relu(x: vec4<f32>) -> vec4<f32> {
    return max(x, vec4<f32>());
}

fn silu(x: vec4<f32>) -> vec4<f32> {
    return x * logistic(x);
}

// 2 logistic(2 z) - 1 loses digits near 0, where tanh is nearly linear.
fn tanh_clamped(x: vec4<f32>) -> vec4<f32> {
    return tanh(clamp(x, vec4(-15.0), vec4(15.0)));
}
