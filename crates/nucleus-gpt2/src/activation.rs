//! The MLP's nonlinearity, by the names that `config.json` uses.

use burn::tensor::{Tensor, activation};

/// What the MLP applies between its two products. The names are those of Hugging Face's `ACT2FN`, as far as
/// `GPT2Config` allows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// `gelu_new`, `gelu_fast`, `gelu_pytorch_tanh`: GPT-2's own, `x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))`
    /// (Hendrycks and Gimpel, arXiv:1606.08415, section 2).
    GeluTanh,
    /// `gelu`: the exact form, `x/2 (1 + erf(x / sqrt 2))`.
    GeluErf,
    /// `relu`: `max(x, 0)`.
    Relu,
    /// `silu`, also called `swish`: `x / (1 + exp(-x))`.
    Silu,
    /// `tanh`.
    Tanh,
}

/// Beyond this, `tanh` and the logistic function equal their limits in f32; WGSL's own go through `exp(2 z)`, which
/// overflows to NaN on some drivers.
const SATURATION: f64 = 15.0;

impl Activation {
    /// The activation that `config.json` calls `name`, if it is one of GPT-2's.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "gelu_new" | "gelu_fast" | "gelu_pytorch_tanh" => Self::GeluTanh,
            "gelu" => Self::GeluErf,
            "relu" => Self::Relu,
            "silu" | "swish" => Self::Silu,
            "tanh" => Self::Tanh,
            _ => return None,
        })
    }

    /// Applies the function to every element.
    ///
    /// # Shapes
    /// - `x`, and the result: any
    pub fn forward<const D: usize>(self, x: Tensor<D>) -> Tensor<D> {
        match self {
            Self::GeluTanh => gelu_tanh(x),
            Self::GeluErf => activation::gelu(x),
            Self::Relu => activation::relu(x),
            Self::Silu => activation::silu(x),
            Self::Tanh => x.clamp(-SATURATION, SATURATION).tanh(),
        }
    }
}

/// `(1 + tanh z) / 2` is the logistic function of `2 z`: one exponential, and no cancellation where `tanh z` nears -1.
fn gelu_tanh<const D: usize>(x: Tensor<D>) -> Tensor<D> {
    let twice_c = 2.0 * (2.0 / std::f64::consts::PI).sqrt();
    let cubic = (x.clone() * x.clone()).mul_scalar(0.044715 * twice_c).add_scalar(twice_c);
    let argument = (cubic * x.clone()).clamp(-2.0 * SATURATION, 2.0 * SATURATION);
    activation::sigmoid(argument) * x
}

#[cfg(test)]
mod tests {
    use burn::tensor::{Device, TensorData};

    use super::*;

    fn apply(f: Activation, xs: &[f32]) -> Vec<f32> {
        let x = Tensor::<1>::from_data(TensorData::new(xs.to_vec(), [xs.len()]), &Device::flex());
        f.forward(x).into_data().try_into_vec().unwrap()
    }

    /// Against the formulas in f64; 4e-7 |x| is a handful of f32 roundings.
    fn check(f: Activation, formula: impl Fn(f64) -> f64) {
        let xs: Vec<f32> = (-4000..=4000).map(|i| i as f32 / 100.0).chain([-1e4, 1e4]).collect();
        for (&x, y) in xs.iter().zip(apply(f, &xs)) {
            let expected = formula(x.into());
            assert!(
                (f64::from(y) - expected).abs() <= 4e-7 * f64::from(x.abs()) + 1e-7,
                "{f:?}({x}) = {y}, not {expected}"
            );
        }
    }

    #[test]
    fn gelu_new_is_the_tanh_form() {
        check(Activation::GeluTanh, |x| {
            let z = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x.powi(3));
            0.5 * x * (1.0 + z.tanh())
        });
    }

    #[test]
    fn the_other_activations_are_their_formulas() {
        check(Activation::Relu, |x| x.max(0.0));
        check(Activation::Silu, |x| x / (1.0 + (-x).exp()));
        check(Activation::Tanh, f64::tanh);
    }

    /// Values of x/2 (1 + erf(x / sqrt 2)) from Python's `math.erf`; the tanh form is 4.7e-4 away near 2.7.
    #[test]
    fn exact_gelu_is_not_the_tanh_form() {
        let (xs, expected) = ([-3.0, 0.5, 1.0, 2.2], [-0.004_049_694, 0.345_731_23, 0.841_344_8, 2.169_412_4]);
        for (y, expected) in apply(Activation::GeluErf, &xs).iter().zip(expected) {
            assert!((y - expected).abs() < 1e-6, "{y}, not {expected}");
        }
        let gap = apply(Activation::GeluErf, &[2.7])[0] - apply(Activation::GeluTanh, &[2.7])[0];
        assert!((gap + 4.73e-4).abs() < 1e-5, "{gap}");
    }

    #[test]
    fn names_are_those_of_the_checkpoints() {
        assert_eq!(Activation::from_name("gelu_new"), Some(Activation::GeluTanh));
        assert_eq!(Activation::from_name("gelu"), Some(Activation::GeluErf));
        assert_eq!(Activation::from_name("quick_gelu"), None);
    }
}
