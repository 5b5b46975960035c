//! `StandIn`: what the readers of a node read instead of its outputs, the only way in which rewrites see through nodes.

use crate::draft::{Action, Draft};
use crate::rewrites::Rewrite;
use crate::source::Source;
use ferroflow_tensor::Tensor;
use rustc_hash::FxHashMap;
use smallvec::smallvec;

/// The replacement of a node, which then does nothing. The node keeps its place in the order: control edges may lead through it.
///
/// It is no `Replacement`: no kernel changes, and the node may have other readers than the nodes that take part.
pub(super) enum StandIn {
    /// The value that it forwards.
    Forwarded(Source),
    /// Its outputs.
    Values(Vec<Tensor>),
    /// A node before it with equal outputs.
    Node(u32),
}

/// The sources that the readers of (node, output) read instead.
#[derive(Default)]
pub(super) struct StandIns(FxHashMap<(u32, u32), Source>);

impl StandIns {
    pub fn resolve(&self, source: Source) -> Source {
        match source {
            Source::Output { node, index } => self.0.get(&(node, index)).copied().unwrap_or(source),
            _ => source,
        }
    }

    /// Puts `stand_in` in the place of node `i`. Its readers come later in the order, where `resolve` is applied to them.
    pub fn apply(&mut self, d: &mut Draft, i: u32, stand_in: StandIn) {
        d.nodes[i as usize].action = Action::Nothing;
        match stand_in {
            StandIn::Forwarded(source) => {
                self.0.insert((i, 0), source);
            }
            StandIn::Values(values) => {
                for (o, value) in values.into_iter().enumerate() {
                    self.0.insert((i, o as u32), Source::Constant(d.constants.len() as u32));
                    d.constants.push(value);
                }
            }
            StandIn::Node(j) => {
                for o in 0..d.nodes[i as usize].node.outputs.len() as u32 {
                    self.0.insert((i, o), Source::Output { node: j, index: o });
                }
                let computes = std::mem::take(&mut d.nodes[i as usize].computes);
                let other = &mut d.nodes[j as usize];
                other.computes.extend(computes);
                other.rewrite = Some(Rewrite::Equal);
                // Nodes that wait for this node must wait for the other one.
                d.nodes[i as usize].inputs = smallvec![Source::Output { node: j, index: 0 }];
            }
        }
    }
}
