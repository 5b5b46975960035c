//! `Loss`: the functions of a prediction and a label that a model minimizes, with their convex conjugates.

use ferroflow_tensor::vector::scalar::{exp, expm1, log};
use ferroflow_tensor::{Result, Status, ensure};

/// Steps of Newton's method, which doubles the correct digits in each.
const NEWTON_STEPS: usize = 10;
/// The curvature of the smooth hinge.
const GAMMA: f64 = 1.0;

/// One coordinate of the dual problem: an example, as its update needs it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coordinate {
    pub label: f64,
    pub dual: f64,
    /// The prediction with the weights so far.
    pub wx: f64,
    /// The example's squared norm, times its weight and the number of partitions, over the L2 penalty.
    pub curvature: f64,
}

/// A convex loss. Functions of the dual and the primal loss are those of an example of weight 1.
pub(super) trait Loss: Send + Sync {
    /// Returns the label in the form that the other functions take.
    ///
    /// Errors: `InvalidArgument` if the loss has no such label.
    fn label(&self, given: f32) -> Result<f64>;

    /// Returns the dual that raises the dual objective most, the other duals staying as they are.
    fn updated_dual(&self, c: &Coordinate) -> f64;

    fn primal(&self, wx: f64, label: f64) -> f64;

    /// Returns the conjugate at the negative dual.
    fn dual(&self, dual: f64, label: f64) -> f64;

    /// Returns the derivative of the primal loss by the prediction.
    fn derivative(&self, wx: f64, label: f64) -> f64;

    /// Returns the constant by whose inverse the derivative is Lipschitz; 0 if it is not.
    fn smoothness(&self) -> f64;
}

/// Returns the loss that the attribute `loss_type` names.
pub(super) fn loss_named(name: &str) -> Result<&'static dyn Loss> {
    Ok(match name {
        "logistic_loss" => &Logistic,
        "squared_loss" => &Squared,
        "hinge_loss" => &Hinge,
        "smooth_hinge_loss" => &SmoothHinge,
        "poisson_loss" => &Poisson,
        _ => return Err(Status::invalid_argument(format!("Unsupported loss type: {name}"))),
    })
}

/// Returns the label of two classes as -1 or 1.
fn sign(given: f32) -> Result<f64> {
    ensure!(
        given == 0.0 || given == 1.0,
        InvalidArgument,
        "Only labels of 0.0 or 1.0 are supported right now. Found example with label: {given}"
    );
    Ok(if given == 0.0 { -1.0 } else { 1.0 })
}

/// Returns a dual of two classes in its interval: from 0 to the label.
fn within(dual: f64, label: f64) -> f64 {
    match label * dual {
        below if below < 0.0 => 0.0,
        above if above > 1.0 => label,
        _ => dual,
    }
}

/// Returns true if the dual of two classes is outside of its interval, where the conjugate is infinite.
fn is_outside(dual: f64, label: f64) -> bool {
    !(0.0..=1.0).contains(&(label * dual)) && !(label * dual).is_nan()
}

fn tanh(x: f64) -> f64 {
    let e = expm1(-2.0 * x.abs());
    (-e / (2.0 + e)).copysign(x)
}

/// Returns where Newton's method ends: `step` is the function's value over its derivative.
fn newton(start: f64, step: impl Fn(f64) -> f64) -> f64 {
    (0..NEWTON_STEPS).fold(start, |x, _| x - step(x))
}

struct Logistic;

impl Loss for Logistic {
    fn label(&self, given: f32) -> Result<f64> {
        sign(given)
    }

    fn updated_dual(&self, &Coordinate { label, dual, wx, curvature }: &Coordinate) -> f64 {
        let of = |t: f64| 0.5 * (1.0 + t) / label;
        let x = newton(0.0, |x| {
            let t = tanh(x);
            let value = -2.0 * label * x - wx - curvature * (of(t) - dual);
            value / (-2.0 * label - curvature * (1.0 - t * t) * 0.5 / label)
        });
        of(tanh(x))
    }

    fn primal(&self, wx: f64, label: f64) -> f64 {
        let margin = label * wx;
        // The exponential of the negative one of the two cannot overflow.
        if margin > 0.0 { log(1.0 + exp(-margin)) } else { log(1.0 + exp(margin)) - margin }
    }

    fn dual(&self, dual: f64, label: f64) -> f64 {
        let entropy = |p: f64| p * if p > 0.0 { log(p) } else { 0.0 };
        entropy(dual * label) + entropy(1.0 - dual * label)
    }

    fn derivative(&self, wx: f64, label: f64) -> f64 {
        let e = exp(-(label * wx).abs());
        label * if label * wx > 0.0 { e / (1.0 + e) } else { 1.0 / (1.0 + e) }
    }

    fn smoothness(&self) -> f64 {
        4.0
    }
}

struct Squared;

impl Loss for Squared {
    fn label(&self, given: f32) -> Result<f64> {
        Ok(f64::from(given))
    }

    fn updated_dual(&self, c: &Coordinate) -> f64 {
        c.dual + (c.label - c.dual - c.wx) / (1.0 + c.curvature)
    }

    fn primal(&self, wx: f64, label: f64) -> f64 {
        (wx - label) * (wx - label) * 0.5
    }

    fn dual(&self, dual: f64, label: f64) -> f64 {
        dual * (0.5 * dual - label)
    }

    fn derivative(&self, wx: f64, label: f64) -> f64 {
        wx - label
    }

    fn smoothness(&self) -> f64 {
        1.0
    }
}

struct Hinge;

impl Loss for Hinge {
    fn label(&self, given: f32) -> Result<f64> {
        sign(given)
    }

    fn updated_dual(&self, c: &Coordinate) -> f64 {
        within(c.dual + (c.label - c.wx) / c.curvature, c.label)
    }

    fn primal(&self, wx: f64, label: f64) -> f64 {
        (1.0 - label * wx).max(0.0)
    }

    fn dual(&self, dual: f64, label: f64) -> f64 {
        if is_outside(dual, label) { f64::INFINITY } else { -dual * label }
    }

    fn derivative(&self, wx: f64, label: f64) -> f64 {
        if label * wx < 1.0 { -label } else { 0.0 }
    }

    fn smoothness(&self) -> f64 {
        0.0
    }
}

struct SmoothHinge;

impl Loss for SmoothHinge {
    fn label(&self, given: f32) -> Result<f64> {
        sign(given)
    }

    fn updated_dual(&self, c: &Coordinate) -> f64 {
        within(c.dual + (c.label - c.wx - GAMMA * c.dual) / (c.curvature + GAMMA), c.label)
    }

    fn primal(&self, wx: f64, label: f64) -> f64 {
        match 1.0 - label * wx {
            gap if gap <= 0.0 => 0.0,
            gap if gap >= GAMMA => gap - GAMMA / 2.0,
            gap => gap * gap * 0.5 / GAMMA,
        }
    }

    fn dual(&self, dual: f64, label: f64) -> f64 {
        if is_outside(dual, label) { f64::INFINITY } else { -dual * label + 0.5 * GAMMA * dual * dual }
    }

    fn derivative(&self, wx: f64, label: f64) -> f64 {
        match label * wx {
            margin if margin >= 1.0 => 0.0,
            margin if margin <= 1.0 - GAMMA => -label,
            _ => (wx - label) / GAMMA,
        }
    }

    fn smoothness(&self) -> f64 {
        GAMMA
    }
}

struct Poisson;

impl Loss for Poisson {
    fn label(&self, given: f32) -> Result<f64> {
        ensure!(
            given >= 0.0 || given.is_nan(),
            InvalidArgument,
            "Only non-negative labels can be used with the Poisson log loss. Found example with label: {given}"
        );
        Ok(f64::from(given))
    }

    fn updated_dual(&self, &Coordinate { label, dual, wx, curvature }: &Coordinate) -> f64 {
        let rest = label - dual;
        let start = if rest > 0.0 { log(rest) } else { 0.0 };
        let x = newton(start, |x| {
            let e = exp(x);
            (x - wx - curvature * (rest - e)) / (1.0 + curvature * e)
        });
        label - exp(x)
    }

    fn primal(&self, wx: f64, label: f64) -> f64 {
        exp(wx) - wx * label
    }

    fn dual(&self, dual: f64, label: f64) -> f64 {
        match label - dual {
            0.0 => 0.0,
            below if below < 0.0 => f64::INFINITY,
            rest => rest * (log(rest) - 1.0),
        }
    }

    fn derivative(&self, wx: f64, label: f64) -> f64 {
        exp(wx) - label
    }

    fn smoothness(&self) -> f64 {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dual_that_is_updated_again_stays() {
        for name in ["logistic_loss", "squared_loss", "hinge_loss", "smooth_hinge_loss", "poisson_loss"] {
            let loss = loss_named(name).unwrap();
            for (given, wx) in [(0.0, 0.3), (1.0, -0.7), (1.0, 2.5)] {
                let label = loss.label(given).unwrap();
                let before = Coordinate { label, dual: 0.0, wx, curvature: 0.8 };
                let dual = loss.updated_dual(&before);
                let after = Coordinate { dual, wx: wx + 0.8 * dual, ..before };
                assert!((loss.updated_dual(&after) - dual).abs() < 1e-9, "{name} {given} {wx}");
            }
        }
    }
}
