//! The weight of a leaf and the gain of a split, from sums of gradients and hessians.

/// Gains that differ by less are equal.
const TOLERANCE: f32 = 1e-15;

pub(super) fn are_equal(a: f32, b: f32) -> bool {
    (a - b).abs() < TOLERANCE
}

pub(super) fn is_larger(a: f32, b: f32) -> bool {
    a - b >= TOLERANCE
}

/// The penalties on the weights of leaves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Penalty {
    pub l1: f32,
    pub l2: f32,
}

impl Penalty {
    /// Returns the weight `w` that minimizes `g * w + (h + l2) * w^2 / 2 + l1 * |w|`, and the gain from it.
    pub fn weight_and_gain(self, gradient: f32, hessian: f32) -> (f32, f32) {
        let g = match gradient {
            g if self.l1 <= 0.0 => g,
            g if g > self.l1 => g - self.l1,
            g if g < -self.l1 => g + self.l1,
            _ => return (0.0, 0.0),
        };
        let h = hessian + self.l2;
        if h <= TOLERANCE {
            return (0.0, 0.0);
        }
        let weight = -g / h;
        (weight, -g * weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gradient_within_l1_has_no_weight() {
        let penalty = Penalty { l1: 0.5, l2: 1.0 };
        assert_eq!(penalty.weight_and_gain(0.25, 3.0), (0.0, 0.0));
        assert_eq!(penalty.weight_and_gain(-2.5, 3.0), (0.5, 1.0));
        assert_eq!(Penalty { l1: 0.0, l2: 0.0 }.weight_and_gain(1.0, 0.0), (0.0, 0.0));
    }

    #[test]
    fn tiny_differences_of_gains_do_not_count() {
        assert!(are_equal(1e-16, 3e-16) && !is_larger(3e-16, 1e-16) && is_larger(0.5, f32::MIN));
    }
}
