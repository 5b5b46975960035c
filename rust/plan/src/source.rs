//! `Source`: where an input of a step node comes from.

use ferroflow_graph::NodeId;

/// Index of a variable among those of the step.
pub(crate) type VariableIndex = u32;

/// The source of a step node's input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Source {
    Feed(u32),
    Output {
        node: u32,
        index: u32,
    },
    /// That version (`Versions`) of a variable, read through graph node `via` (itself or an alias of it). A reference that
    /// is written or inspected has the version at the start.
    Variable {
        variable: VariableIndex,
        version: u32,
        via: NodeId,
    },
    /// Entry of the plan's constants.
    Constant(u32),
}
