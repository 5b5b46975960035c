//! One pass over the pure nodes in topological order, in which constants are folded, identities seen through and equal nodes merged.
//!
//! It is one pass because each of these makes way for the others. A reader of a folded node can be folded, too, and readers of two
//! nodes that became one may be equal.

use super::equal_nodes::EqualNodes;
use super::fold::Folding;
use super::stand_in::{StandIn, StandIns};
use super::{identities, inferred};
use crate::context::Context;
use crate::draft::{Action, Draft, StepNode};
use crate::rewrites::Rewrite;
use crate::source::Source;

struct Simplifier<'a, 'c> {
    cx: &'a Context<'c>,
    folding: Folding,
    equal: EqualNodes,
}

/// Makes one pass in topological order: sources are replaced by their equals, then the node is folded or merged.
pub(super) fn simplify(d: &mut Draft, cx: &Context<'_>, order: &[u32]) {
    let mut simplifier = Simplifier { cx, folding: Folding::default(), equal: EqualNodes::default() };
    let mut stand_ins = StandIns::default();
    for &i in order {
        // An identity that is seen through may itself wait for others (a gate): it stays in `control`, as all producers do.
        for source in d.nodes[i as usize].inputs.iter_mut() {
            *source = stand_ins.resolve(*source);
        }
        if is_pure(&d.nodes[i as usize])
            && let Some(stand_in) = simplifier.stand_in(d, i)
        {
            if matches!(stand_in, StandIn::Values(_)) && d.nodes[i as usize].node.op.reads_shapes {
                d.decided.push(i);
            }
            stand_ins.apply(d, i, stand_in);
        }
    }
    d.fetches.iter_mut().for_each(|s| *s = stand_ins.resolve(*s));
    d.guards.rewrite(|s| stand_ins.resolve(s));
}

fn is_pure(n: &StepNode) -> bool {
    matches!(n.action, Action::Run(_)) && !n.node.op.has_effects() && !n.is_ref.contains(&true) && n.root.is_none()
}

impl Simplifier<'_, '_> {
    fn stand_in(&mut self, d: &Draft, i: u32) -> Option<StandIn> {
        let uses = |rewrite| self.cx.options.rewrites.contains(rewrite);
        let n = &d.nodes[i as usize];
        if uses(Rewrite::Identity)
            && let Some(found) = identities::find(n)
        {
            return Some(found);
        }
        if !n.node.control_inputs.is_empty() {
            return None;
        }
        if self.cx.graph.is_specialized()
            && let Some(found) = inferred::find(self.cx, d, i)
        {
            return Some(found);
        }
        let reads_constants = !n.inputs.is_empty() && n.inputs.iter().all(|s| matches!(s, Source::Constant(_)));
        if uses(Rewrite::Fold) && reads_constants && !n.node.op.is_foreign {
            return self.folding.find(self.cx, d, i);
        }
        if uses(Rewrite::Equal) { self.equal.find(d, i) } else { None }
    }
}
