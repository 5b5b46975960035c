//! Collective operations and the settings of a group.

use std::time::Duration;

/// This process's place in its group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub rank: usize,
    pub size: usize,
}

/// The order in which the ranks' elements are added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// From the first rank to the last: the same bits in every run.
    RankOrder,
    /// As the transport's library chooses.
    Library,
}

/// The factors of a sum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// Factor of each rank's elements.
    pub before: f64,
    /// Factor of the sum.
    pub after: f64,
    /// Divides the sum by the number of ranks, before it is multiplied by `after`.
    pub is_average: bool,
}

impl Default for Scale {
    fn default() -> Scale {
        Scale { before: 1.0, after: 1.0, is_average: false }
    }
}

/// A collective operation on one tensor of each rank.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operation {
    Sum(Scale),
    Concatenate,
    Broadcast { root: usize },
}

/// Settings of a group; the same on all ranks.
#[derive(Clone, Debug)]
pub struct Options {
    pub reduction: Reduction,
    /// Most bytes of tensors that are summed in one buffer.
    pub fusion_bytes: usize,
    /// Bytes of a large tensor that are exchanged at once.
    pub piece_bytes: usize,
    /// Time after which rank 0 prints a warning about tensors that some ranks have not submitted.
    pub stall_warning: Option<Duration>,
    /// Time after which such a tensor ends the group.
    pub stall_limit: Option<Duration>,
    /// Time without a sign of life after which a rank counts as lost.
    pub lost_after: Option<Duration>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            reduction: Reduction::RankOrder,
            fusion_bytes: 1 << 26,
            piece_bytes: 1 << 26,
            stall_warning: Some(Duration::from_secs(60)),
            stall_limit: None,
            lost_after: Some(Duration::from_secs(300)),
        }
    }
}
