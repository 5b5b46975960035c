//! `Rewrite`: what optimization does to a draft, and `Rewrites`, the ones that a session uses.

/// One kind of rewrite. None changes a bit of any result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewrite {
    /// A node whose inputs are constants becomes constants.
    Fold,
    /// The readers of an identity read its input.
    Identity,
    /// Nodes with equal op, attributes and inputs become one.
    Equal,
    /// Nodes without a reader do nothing.
    Dead,
    /// The shape of an elementwise result is found from its operands.
    Shape,
    /// A loop of scalars also becomes a program on registers.
    ScalarLoop,
    /// Only the block of a product that is read is computed.
    Block,
    /// Products are added up as they are computed.
    Sum,
    /// A product adds its bias and applies its activation as it is written.
    Epilogue,
    /// A tree of elementwise ops reads and writes memory once.
    Elementwise,
    /// An elementwise op reads an operand that is repeated where it lies.
    Stretch,
    /// A reduction computes the elements as it reads them.
    Reduction,
    /// A write to a variable computes its value as it writes it.
    Update,
    /// Nodes of a loop that compute the same in every iteration do so in the first.
    Invariant,
    /// A step that ran several times with feeds of the same shapes gets a plan for these shapes.
    FedShapes,
}

impl Rewrite {
    pub const ALL: [Rewrite; 15] = [
        Rewrite::Fold,
        Rewrite::Identity,
        Rewrite::Equal,
        Rewrite::Dead,
        Rewrite::Shape,
        Rewrite::ScalarLoop,
        Rewrite::Block,
        Rewrite::Sum,
        Rewrite::Epilogue,
        Rewrite::Elementwise,
        Rewrite::Stretch,
        Rewrite::Reduction,
        Rewrite::Update,
        Rewrite::Invariant,
        Rewrite::FedShapes,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Rewrite::Fold => "fold",
            Rewrite::Identity => "identity",
            Rewrite::Equal => "equal",
            Rewrite::Dead => "dead",
            Rewrite::Shape => "shape",
            Rewrite::ScalarLoop => "scalar_loop",
            Rewrite::Block => "block",
            Rewrite::Sum => "sum",
            Rewrite::Epilogue => "epilogue",
            Rewrite::Elementwise => "elementwise",
            Rewrite::Stretch => "stretch",
            Rewrite::Reduction => "reduction",
            Rewrite::Update => "update",
            Rewrite::Invariant => "invariant",
            Rewrite::FedShapes => "fed_shapes",
        }
    }

    /// Returns the rewrite with that name.
    pub fn find(name: &str) -> Option<Rewrite> {
        Rewrite::ALL.into_iter().find(|r| r.name() == name)
    }
}

/// A set of rewrites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rewrites(u32);

impl Rewrites {
    pub const NONE: Rewrites = Rewrites(0);
    pub const ALL: Rewrites = Rewrites((1 << Rewrite::ALL.len()) - 1);

    pub fn contains(self, rewrite: Rewrite) -> bool {
        self.0 >> rewrite as u32 & 1 == 1
    }

    #[must_use]
    pub fn without(self, rewrite: Rewrite) -> Rewrites {
        Rewrites(self.0 & !(1 << rewrite as u32))
    }

    /// Returns the set as a number in which bit i is entry i of `Rewrite::ALL`.
    pub fn bits(self) -> u32 {
        self.0
    }

    /// Returns the set of a number that `bits` gave; bits of unknown rewrites are left out.
    pub fn from_bits(bits: u32) -> Rewrites {
        Rewrites(bits & Rewrites::ALL.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{Rewrite, Rewrites};

    #[test]
    fn every_rewrite_has_a_name_and_a_bit_of_its_own() {
        for (i, rewrite) in Rewrite::ALL.into_iter().enumerate() {
            assert_eq!(Rewrite::find(rewrite.name()), Some(rewrite));
            assert_eq!(rewrite as usize, i);
            let others = Rewrites::ALL.without(rewrite);
            assert!(Rewrites::ALL.contains(rewrite) && !Rewrites::NONE.contains(rewrite));
            assert!(Rewrite::ALL.into_iter().all(|other| others.contains(other) == (other != rewrite)));
            assert_eq!(Rewrites::from_bits(others.bits()), others);
        }
        assert_eq!(Rewrite::find("no rewrite"), None);
        assert_eq!(Rewrites::from_bits(u32::MAX), Rewrites::ALL);
    }
}
