//! The variables behind references, and which inputs of a node are such.

use ferroflow_graph::{ArgType, Flow, Graph, Node, NodeId, OutputId, RefAccess};
use ferroflow_tensor::{DType, Result, bail};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Returns which of a node's inputs are references, or handles of variables, that it writes or inspects.
pub(crate) fn ref_inputs(node: &Node) -> SmallVec<[bool; 3]> {
    let by_handle = node.op.takes_handles && node.op.ref_access != RefAccess::Read;
    let mut flags: SmallVec<[bool; 3]> = SmallVec::new();
    for arg in &node.op.inputs {
        let count = match &arg.number_attr {
            Some(n) => usize::try_from(node.attrs.int(n).unwrap_or(0)).unwrap_or(0),
            None if arg.is_type_list => node.inputs.len().saturating_sub(flags.len()),
            None => 1,
        };
        let is_ref = arg.is_ref || (by_handle && arg.ty == ArgType::Fixed(DType::Resource));
        flags.extend(std::iter::repeat_n(is_ref, count.min(node.inputs.len())));
    }
    flags.resize(node.inputs.len(), false);
    flags
}

/// Finds the variable that a reference, an alias of one, or a handle stands for.
pub(crate) struct Roots<'a> {
    pub graph: &'a Graph,
    pub feeds: &'a FxHashMap<OutputId, u32>,
    pub memo: FxHashMap<OutputId, Option<NodeId>>,
}

impl Roots<'_> {
    pub fn of(&mut self, output: OutputId) -> Result<Option<NodeId>> {
        let mut path = Vec::new();
        let mut at = output;
        let root = loop {
            if self.feeds.contains_key(&at) {
                break None;
            }
            if let Some(known) = self.memo.get(&at) {
                break *known;
            }
            path.push(at);
            if path.len() > self.graph.len() {
                bail!(InvalidArgument, "The graph contains a cycle through {}", self.graph.node(at.node)?.name);
            }
            let node = self.graph.node(at.node)?;
            if node.op.is_variable {
                break Some(at.node);
            }
            let is_ref = node.outputs.get(at.index as usize).is_some_and(|o| o.is_ref);
            // The reference that a stack or an array of an older form is does not come from the input, which is its size.
            let takes_ref = node.op.inputs.first().is_some_and(|arg| arg.is_ref);
            let passes_on = match node.op.flow {
                None => (node.op.is_alias || (is_ref && takes_ref)) && at.index == 0,
                Some(Flow::Switch) => true,
                Some(Flow::Enter) => node.attrs.bool("is_constant")?,
                Some(_) => false,
            };
            match node.inputs.first() {
                Some(&input) if passes_on => at = input,
                _ => break None,
            }
        };
        self.memo.extend(path.into_iter().map(|o| (o, root)));
        Ok(root)
    }
}
