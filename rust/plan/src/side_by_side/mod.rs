//! Groups of a plan's instructions that run at the same time.
//!
//! A large kernel divides its own work between the threads. Small kernels use one thread each. Then instructions that do
//! not depend on each other can share the threads. `Plan::shareable` returns which instructions may do so: they change nothing
//! that another could see, but for the variables that their handles name. `Plan::groups` finds sections of the plan that
//! fall into independent parts, from the time that each instruction takes. No value depends on the division.

mod group;
mod sections;

pub use group::{Group, Lane};

use crate::plan::{Input, Instruction, Plan, Run, Work};
use ferroflow_graph::{ArgDef, ArgType, AttrKind, ElementsPart, OpDef};
use ferroflow_tensor::DType;
use sections::{LEAST_GAIN, Planned};

impl Plan {
    /// Returns which instructions may run beside others that do not depend on them.
    pub fn shareable(&self) -> Vec<bool> {
        let of = |instruction: &Instruction| match instruction {
            Instruction::Load { .. } => true,
            Instruction::Run(run) => is_shareable(run),
            Instruction::Depart => false,
        };
        match self.dependents {
            Some(_) => self.instructions.iter().map(of).collect(),
            None => vec![false; self.instructions.len()],
        }
    }

    /// Returns the groups that save time on this number of threads, in the plan's order.
    ///
    /// Args: `costs`, the time that each instruction takes, in nanoseconds; None for those that run alone.
    pub fn groups(&self, costs: &[Option<u64>], threads: usize) -> Vec<Group> {
        let Some(planned) = Planned::new(self, costs, threads) else { return Vec::new() };
        let (mut groups, mut start) = (Vec::new(), 0);
        while start < self.instructions.len() {
            let (mut range, mut gain) = planned.section(start);
            // One instruction that all others of the section come after would make one part of them.
            while gain > 0
                && let (later, more) = planned.section(range.start + 1)
                && more > gain
            {
                (range, gain) = (later, more);
            }
            let group = if gain >= LEAST_GAIN { planned.group(range) } else { None };
            start = group.as_ref().map_or(start + 1, |group| group.range.end);
            groups.extend(group);
        }
        groups
    }
}

fn is_handle(arg: &&ArgDef) -> bool {
    arg.is_ref || arg.ty == ArgType::Fixed(DType::Resource)
}

/// Returns whether the op's nodes change at most variables that their handles name, and random streams of their own.
fn is_shareable_op(op: &OpDef) -> bool {
    let waits = op.may_wait || op.blocking.is_some() || op.takes_lock || op.is_unbounded;
    let calls = op.is_foreign || op.attrs.iter().any(|a| a.kind == AttrKind::Func);
    let makes_handles = op.outputs.iter().any(|a| is_handle(&a)) && !op.takes_handles && op.is_stateful;
    let is_random = op.attrs.iter().any(|a| &*a.name == "seed");
    let is_local = !op.is_stateful || op.takes_handles || op.only_checks || is_random;
    let is_value = |part| matches!(part, ElementsPart::EmptyList | ElementsPart::Push | ElementsPart::Pop);
    !waits && !calls && !makes_handles && is_local && op.elements.is_none_or(is_value)
}

fn is_shareable(run: &Run) -> bool {
    if run.runs_once || run.prepared.is_some() || run.task.is_some() {
        return false;
    }
    match run.work {
        Work::Merge(_) => true,
        Work::Kernel(_) => {
            let op = &run.node.op;
            let handles = op.inputs.iter().filter(is_handle).count();
            let named = run.inputs.iter().filter(|i| matches!(i, Input::Handle)).count();
            let known = run.handles.iter().flatten().count();
            is_shareable_op(op) && (handles, handles) == (named, known)
        }
        Work::Blocking(..) | Work::Loop(_) => false,
    }
}
