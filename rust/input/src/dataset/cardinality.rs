//! `Cardinality`, the number of a dataset's elements as far as it is known before they are made, and the op DatasetCardinality.

use super::value::DatasetValue;
use ferroflow_graph::{Op, Registry, kernel, shape_rules};
use ferroflow_tensor::Tensor;

/// The number of a dataset's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cardinality {
    Finite(u64),
    Infinite,
    Unknown,
}

use Cardinality::{Finite, Infinite, Unknown};

impl Cardinality {
    /// Returns the number in TensorFlow's form: -1 without end, -2 where it is unknown.
    fn number(self) -> i64 {
        match self {
            Finite(n) => i64::try_from(n).unwrap_or(i64::MAX),
            Infinite => -1,
            Unknown => -2,
        }
    }

    /// Returns `f` of a finite number.
    pub fn map(self, f: impl FnOnce(u64) -> u64) -> Cardinality {
        match self {
            Finite(n) => Finite(f(n)),
            other => other,
        }
    }

    /// Returns the number of batches of `size` elements.
    pub fn batches(self, size: usize, drop_remainder: bool) -> Cardinality {
        let size = size as u64;
        self.map(|n| if drop_remainder { n / size } else { n.div_ceil(size) })
    }

    /// Returns the number of elements in `count` passes, or in passes without end where it is negative.
    pub fn passes(self, count: i64) -> Cardinality {
        match (self, count) {
            (_, 0) => Finite(0),
            (Finite(n), 1..) => Finite(n.saturating_mul(count.unsigned_abs())),
            (Finite(0), _) => Finite(0),
            (_, ..0) => Infinite,
            (other, _) => other,
        }
    }

    /// Returns the number of the first `count` elements. TF 1.x: a negative count, which takes all, counts as infinite.
    pub fn taken(self, count: i64) -> Cardinality {
        match (self, u64::try_from(count)) {
            (Unknown, _) => Unknown,
            (_, Err(_)) => Infinite,
            (Finite(n), Ok(count)) => Finite(n.min(count)),
            (Infinite, Ok(count)) => Finite(count),
        }
    }

    /// Returns the number of the elements of this dataset and then those of another.
    pub fn and(self, other: Cardinality) -> Cardinality {
        match (self, other) {
            (Infinite, _) | (_, Infinite) => Infinite,
            (Unknown, _) | (_, Unknown) => Unknown,
            (Finite(n), Finite(m)) => Finite(n.saturating_add(m)),
        }
    }

    /// Returns the number of pairs of elements.
    pub fn pairs(self, other: Cardinality) -> Cardinality {
        match (self, other) {
            (Unknown, _) | (_, Unknown) => Unknown,
            (Infinite, other) | (other, Infinite) => other,
            (Finite(n), Finite(m)) => Finite(n.min(m)),
        }
    }
}

pub(super) fn register(r: &mut Registry) {
    for name in ["DatasetCardinality", "ExperimentalDatasetCardinality"] {
        r.add(
            Op::new(name)
                .input("input_dataset: variant")
                .output("cardinality: int64")
                .doc("Returns the number of a dataset's elements; -1 without end, -2 where it is unknown.")
                .shape(shape_rules::scalar)
                .kernel(|_| {
                    kernel(|ctx| {
                        let number = DatasetValue::of(ctx.input(0)?)?.dataset.cardinality().number();
                        ctx.set_output(0, Tensor::scalar(number));
                        Ok(())
                    })
                }),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_and_infinite_numbers_stay_unless_a_limit_decides() {
        assert_eq!(Finite(10).batches(3, false), Finite(4));
        assert_eq!(Finite(10).batches(3, true), Finite(3));
        assert_eq!(Infinite.taken(4), Finite(4));
        assert_eq!((Unknown.taken(0), Finite(10).taken(-1)), (Unknown, Infinite));
        assert_eq!((Unknown.passes(-1), Infinite.passes(0), Finite(0).passes(-1)), (Infinite, Finite(0), Finite(0)));
        assert_eq!((Infinite.and(Unknown), Finite(1).and(Unknown)), (Infinite, Unknown));
        assert_eq!((Infinite.pairs(Finite(3)), Infinite.pairs(Infinite)), (Finite(3), Infinite));
    }
}
