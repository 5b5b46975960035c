//! `Group`: a section of a plan that is divided into lanes.

use std::ops::Range;

/// Instructions of a group that one thread runs, in the plan's order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    pub instructions: Vec<u32>,
    /// The slots with values from before the group that it reads. If true, it is the only reader left.
    pub read: Vec<(u32, bool)>,
    /// The slots that it fills.
    pub filled: Vec<u32>,
}

/// A section of a plan whose lanes run at the same time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    pub range: Range<usize>,
    pub lanes: Vec<Lane>,
    /// Slots that several lanes read and nothing after the group reads.
    pub dropped: Vec<u32>,
}
