//! Builds the region of a frame.

use super::loops::draft_loop;
use super::region::Region;
use crate::flow::{FrameId, ROOT};
use crate::step_graph::{HandleUse, StepGraph, gives_handle};
use ferroflow_graph::OutputId;
use ferroflow_tensor::Result;
use ferroflow_tensor::threads::ensure_stack;

/// Builds the region of a frame, after those of the loops nested in it.
pub(crate) fn build_region(step: &StepGraph<'_>, frame: FrameId) -> Result<Region> {
    ensure_stack(if frame == ROOT { "Calls of functions" } else { "Loops" })?;
    let info = step.frames.get(frame);
    let mut loops = Vec::new();
    // The last loop first: whether the value of an Exit is used depends on the loops that it enters.
    for &child in info.children.iter().rev() {
        loops.push(draft_loop(step, child)?);
    }
    loops.reverse();
    let mut r = Region::new(frame);
    if frame != ROOT {
        let (condition, stays_if) = step.condition_of(frame)?;
        (r.condition, r.stays_if) = (Some(condition), stays_if);
        for &enter in &info.enters {
            let o = OutputId { node: enter, index: 0 };
            if !gives_handle(step.node(enter)?) || step.root(o)?.is_none() {
                r.input(o, HandleUse::Handle);
            }
        }
        for &v in &step.touched_variables(frame)? {
            r.add_variable(step, v)?;
        }
    } else {
        for &id in &info.members {
            if step.node(id)?.op.is_variable {
                r.add_variable(step, id)?;
            }
        }
    }
    r.number(step, &loops)?;
    r.find_guards(step, &loops)?;
    r.fill(step, loops)?;
    Ok(r)
}
