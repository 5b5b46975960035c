//! `Plan`: a list of instructions over numbered value slots.

use crate::dependents::Dependents;
use crate::overlap::Overlap;
use crate::rewrites::Rewrite;
use crate::scalar_loop::ScalarLoop;
use crate::wait_sets::WaitSets;
use ferroflow_graph::{Kernel, Node, NodeId, Variable};
use ferroflow_tensor::{Shape, Tensor};
use smallvec::SmallVec;
use std::sync::Arc;

/// The place from which an instruction reads a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// A slot's value. `take`: this is the slot's last reader, which gets the value as its only owner.
    Slot { slot: u32, take: bool },
    /// Entry of `Plan::constants`.
    Constant(u32),
    /// A reference: the kernel finds the variable among its handles.
    Handle,
}

/// A condition on the values of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// This bool is computed and has this value.
    Is(Input, bool),
    /// This slot has a value.
    Present(u32),
    Never,
}

/// Conditions that must all hold.
pub type Tests = Box<[Test]>;

pub enum Work {
    Kernel(Arc<dyn Kernel>),
    /// A kernel that blocks, beside which the rest of the step may run.
    Blocking(Arc<dyn Kernel>, Arc<Overlap>),
    /// Forwards the first input that has a value and whose tests hold.
    Merge(Vec<Tests>),
    Loop(Arc<LoopPlan>),
}

pub struct Run {
    pub work: Work,
    /// If they do not hold, the node does not run and its outputs have no values.
    pub tests: Tests,
    pub node: Arc<Node>,
    /// The graph nodes computed here; the last is the one whose outputs these are.
    pub computes: Vec<NodeId>,
    /// The reason why several nodes are computed here; None if the node runs as it is in the graph.
    pub rewrite: Option<Rewrite>,
    pub inputs: SmallVec<[Input; 3]>,
    pub first_output: u32,
    pub outputs: u32,
    /// Bit i: output i has no reader.
    pub dead_outputs: u64,
    /// By input position: the variable that a reference input names.
    pub handles: Vec<Option<Arc<Variable>>>,
    /// (input position, slot): versions made here that are read later.
    pub version_slots: SmallVec<[(usize, u32); 1]>,
    /// Bit i: the version that a write through input i makes is read later.
    pub read_later: u64,
    /// The kernel keeps what it computes beyond the step, so none of its loops may end early.
    pub runs_whole: bool,
    /// The position of the task whose state the node finds; None for the session's own.
    pub task: Option<u32>,
    /// In a loop, its inputs are the same in every iteration, and it runs in the first one only.
    pub runs_once: bool,
    /// The number of the prepared form of an input, which others read too.
    pub prepared: Option<u32>,
}

pub enum Instruction {
    /// Reads the start version of a variable into a slot. Where the variable has no value, the step fails at node `via`,
    /// unless `required` is false: then only nodes that may not run read it.
    Load {
        variable: Arc<Variable>,
        slot: Option<u32>,
        via: NodeId,
        required: bool,
        /// If true, `via` waits for nothing, and fails at once in a step that waits for something else.
        is_free: bool,
        /// The shape of the value that the plan relies on.
        shape: Option<Shape>,
    },
    Run(Box<Run>),
    /// Sends what the instructions before it left for other processes.
    Depart,
}

/// A graph node of a step with its device.
#[derive(Clone)]
pub struct Placed {
    pub node: Arc<Node>,
    /// Index among the session's devices.
    pub device: usize,
    /// If True, its outputs are inside a loop.
    pub in_loop: bool,
}

pub struct Plan {
    pub instructions: Vec<Instruction>,
    /// Which instructions must wait for which; None if no instruction can wait.
    pub wait_sets: Option<Box<WaitSets>>,
    /// Which instructions come after which; None for the plan of a loop, which fails as one instruction.
    pub dependents: Option<Box<Dependents>>,
    pub slots: usize,
    /// Number of values of which kernels keep a prepared form while the plan runs.
    pub prepared: usize,
    pub constants: Vec<Tensor>,
    pub fetches: Vec<Input>,
    /// Position and tests of the fetches that may have no value.
    pub fetch_tests: Vec<(usize, Tests)>,
    /// Slots that hold versions of variables, for the error where one has no value.
    pub versions: Vec<(u32, Arc<Variable>, NodeId)>,
    /// All graph nodes of the step.
    pub placement: Vec<Placed>,
}

impl Plan {
    /// Returns the number of instructions, those of loops included.
    pub fn size(&self) -> usize {
        let inside = |i: &Instruction| match i {
            Instruction::Run(run) => match &run.work {
                Work::Loop(l) => l.plan.size(),
                _ => 0,
            },
            _ => 0,
        };
        self.instructions.iter().map(|i| 1 + inside(i)).sum()
    }

    /// Returns whether an instruction, or one in a loop, can wait for something outside the step.
    pub fn may_wait(&self) -> bool {
        self.wait_sets.is_some()
    }
}

/// The plan of a loop. Its first slots are its inputs; those of loop variables change from one iteration to the next.
pub struct LoopPlan {
    /// The loop's number in the step.
    pub frame: usize,
    pub is_stateful: bool,
    /// If True, some kernel in it blocks.
    pub blocks: bool,
    /// If True, something else that blocks may be waiting for an effect of the loop.
    pub has_effects_outside: bool,
    pub plan: Plan,
    /// Number of instructions that run before the condition is known.
    pub head: usize,
    /// Instructions from here on run once, when the loop is left; those between `head` and `tail` run where it goes on.
    pub tail: usize,
    pub condition: Input,
    /// The value of the condition with which the loop goes on.
    pub stays_if: bool,
    /// Slot of each loop variable, and where its next value comes from.
    pub carried: Vec<(u32, Input)>,
    pub exits: Vec<Input>,
    /// If True, some instruction may not run in an iteration.
    pub is_guarded: bool,
    /// The slots whose values stay from the first iteration on, beside those of inputs.
    pub lasting: Vec<u32>,
    /// Number of slots that are inputs.
    pub inputs: usize,
    /// The loop as a program on scalars, if it computes with nothing else.
    pub scalars: Option<ScalarLoop>,
}
