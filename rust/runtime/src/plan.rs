//! `Plan`: a draft ordered and written as a list of instructions over numbered value slots.
//!
//! What computes becomes an instruction; what only orders (NoOp, Const, a variable's read) does not.

use crate::draft::{Action, Context, Draft, Source, StepNode, draft, order_edges};
use crate::optimize;
use crate::prune::Request;
use crate::versions::VariableIndex;
use ferroflow_graph::{Kernel, Node, NodeId, RefAccess, Variable};
use ferroflow_tensor::{Result, Tensor};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Input {
    /// A slot's value; moved out where this is its last reader.
    Slot {
        slot: u32,
        take: bool,
    },
    Constant(u32),
    /// A reference: the kernel finds the variable among its handles.
    Handle,
}

pub(crate) struct Run {
    pub kernel: Arc<dyn Kernel>,
    pub node: Arc<Node>,
    pub computes: Vec<NodeId>,
    pub inputs: SmallVec<[Input; 3]>,
    pub first_output: u32,
    pub outputs: u32,
    /// Bit i: nobody reads output i.
    pub dead_outputs: u64,
    pub handles: Vec<Option<Arc<Variable>>>,
    /// (input position, slot): versions made here that are read later.
    pub version_slots: SmallVec<[(usize, u32); 1]>,
    pub wanted: u64,
}

pub(crate) enum Instruction {
    /// Takes the start version of a variable; fails, at node `via`, where it has none.
    Load {
        variable: Arc<Variable>,
        slot: Option<u32>,
        via: NodeId,
    },
    Run(Box<Run>),
}

pub(crate) struct Plan {
    pub instructions: Vec<Instruction>,
    pub slots: usize,
    pub constants: Vec<Tensor>,
    pub fetches: Vec<Input>,
    /// Graph nodes of the step and their devices, for `log_device_placement`.
    pub placement: Vec<(Arc<Node>, usize)>,
}

impl Plan {
    pub fn build(request: &Request, cx: &Context<'_>) -> Result<Plan> {
        let mut placement = Vec::new();
        let mut draft = draft(request, cx, &mut placement)?;
        if cx.optimize {
            optimize::run(&mut draft, cx);
        }
        emit(&draft, request.feeds.len(), placement)
    }
}

/// The order in which the draft's nodes run: data, control and write order hold; readers of a version come before the write
/// that replaces it where that closes no cycle; updates go as early as they can.
fn schedule(d: &Draft) -> Result<Vec<u32>> {
    let mut edges = order_edges(d);
    for writers in &d.writers {
        for pair in writers.windows(2) {
            edges.hard[pair[0] as usize].push(pair[1]);
        }
    }
    for (i, node) in d.nodes.iter().enumerate() {
        for (k, source) in node.inputs.iter().enumerate() {
            let Source::Variable { variable, version, .. } = *source else { continue };
            if node.is_ref[k] && node.node.op.ref_access == RefAccess::Write {
                continue;
            }
            let writers = &d.writers[variable as usize];
            if let Some(&made_by) = (version as usize).checked_sub(1).and_then(|w| writers.get(w)) {
                edges.hard[made_by as usize].push(i as u32);
            }
            if let Some(&next) = writers.get(version as usize)
                && next != i as u32
            {
                edges.soft[i].push(next);
            }
        }
    }
    // What only orders costs nothing, and an update may wait for it: its learning rate is made after all gradients.
    let early = |n: &StepNode| n.is_ref.contains(&true) || matches!(n.action, Action::Nothing);
    edges.order(|i| if early(&d.nodes[i as usize]) { u64::from(i) } else { 1 << 32 | u64::from(i) })
}

/// Versions that some reader or fetch wants, with the node it reads through: a write hands these over.
type Wanted = FxHashMap<(VariableIndex, u32), NodeId>;

/// Numbers the slots and writes the instructions.
struct Emitter<'a> {
    d: &'a Draft,
    instructions: Vec<Instruction>,
    slots: u32,
    /// First output slot of each node.
    first_output: Vec<u32>,
    version_slot: FxHashMap<(VariableIndex, u32), u32>,
}

impl Emitter<'_> {
    /// The slot of a version; a start version is loaded where it is first asked for.
    fn version(&mut self, variable: VariableIndex, version: u32, via: NodeId) -> u32 {
        if let Some(&slot) = self.version_slot.get(&(variable, version)) {
            return slot;
        }
        let slot = self.slots;
        self.slots += 1;
        self.version_slot.insert((variable, version), slot);
        if version == 0 {
            let variable = self.d.variables[variable as usize].clone();
            self.instructions.push(Instruction::Load { variable, slot: Some(slot), via });
        }
        slot
    }

    fn input(&mut self, source: Source) -> Input {
        match source {
            Source::Feed(slot) => Input::Slot { slot, take: false },
            Source::Constant(c) => Input::Constant(c),
            Source::Output { node, index } => {
                Input::Slot { slot: self.first_output[node as usize] + index, take: false }
            }
            Source::Variable { variable, version, via } => {
                Input::Slot { slot: self.version(variable, version, via), take: false }
            }
        }
    }

    fn node(&mut self, i: u32, used: &[bool], wanted: &Wanted) {
        let d = self.d;
        let node = &d.nodes[i as usize];
        let kernel = match &node.action {
            Action::Run(kernel) => kernel.clone(),
            Action::Check => {
                if let Some(variable) = node.root {
                    self.version(variable, 0, node.node.id);
                }
                return;
            }
            Action::Nothing => return,
        };
        // A reader of the start version that comes after the first write (a wish that could not hold) must find it kept.
        for (k, &source) in node.inputs.iter().enumerate() {
            if let Source::Variable { variable, .. } = source
                && node.is_ref[k]
                && d.writers[variable as usize].first() == Some(&i)
                && let Some(&via) = wanted.get(&(variable, 0))
            {
                self.version(variable, 0, via);
            }
        }
        let mut inputs: SmallVec<[Input; 3]> = SmallVec::new();
        let mut handles: Vec<Option<Arc<Variable>>> = Vec::new();
        let mut written: SmallVec<[(usize, VariableIndex); 1]> = SmallVec::new();
        for (k, &source) in node.inputs.iter().enumerate() {
            match source {
                Source::Variable { variable, .. } if node.is_ref[k] => {
                    handles.resize(node.inputs.len(), None);
                    handles[k] = Some(d.variables[variable as usize].clone());
                    if node.node.op.ref_access == RefAccess::Write {
                        written.push((k, variable));
                    }
                    inputs.push(Input::Handle);
                }
                _ => {
                    let input = self.input(source);
                    inputs.push(input);
                }
            }
        }
        let mut version_slots: SmallVec<[(usize, u32); 1]> = SmallVec::new();
        let mut wanted_bits = 0;
        for (k, variable) in written {
            let made = d.writers[variable as usize].iter().position(|&w| w == i).map_or(0, |p| p as u32 + 1);
            if wanted.contains_key(&(variable, made)) && k < 64 {
                wanted_bits |= 1 << k;
                version_slots.push((k, self.version(variable, made, node.node.id)));
            }
        }
        let first_output = self.first_output[i as usize];
        let outputs = node.node.outputs.len() as u32;
        let dead_outputs =
            (0..outputs.min(64)).filter(|&o| !used[(first_output + o) as usize]).fold(0, |bits, o| bits | 1 << o);
        self.instructions.push(Instruction::Run(Box::new(Run {
            kernel,
            node: node.node.clone(),
            computes: node.computes.clone(),
            inputs,
            first_output,
            outputs,
            dead_outputs,
            handles,
            version_slots,
            wanted: wanted_bits,
        })));
    }
}

/// Orders the draft and writes the instructions.
fn emit(d: &Draft, feeds: usize, placement: Vec<(Arc<Node>, usize)>) -> Result<Plan> {
    let order = schedule(d)?;
    // Slots: feeds, then node outputs, then versions as they are met.
    let mut slots = feeds as u32;
    let mut first_output = Vec::with_capacity(d.nodes.len());
    for node in &d.nodes {
        first_output.push(slots);
        slots += node.node.outputs.len() as u32;
    }
    let mut used = vec![false; slots as usize];
    let mut wanted = Wanted::default();
    let running = d.nodes.iter().filter(|n| matches!(n.action, Action::Run(_)));
    let read = running.flat_map(|n| n.inputs.iter().zip(&n.is_ref).filter(|(_, is_ref)| !**is_ref).map(|(s, _)| s));
    for source in read.chain(&d.fetches) {
        match *source {
            Source::Output { node, index } => used[(first_output[node as usize] + index) as usize] = true,
            Source::Variable { variable, version, via } => {
                wanted.entry((variable, version)).or_insert(via);
            }
            Source::Feed(_) | Source::Constant(_) => {}
        }
    }
    for node in &d.nodes {
        if let (Action::Check, Some(variable)) = (&node.action, node.root) {
            wanted.entry((variable, 0)).or_insert(node.node.id);
        }
    }
    let mut e = Emitter {
        d,
        instructions: Vec::with_capacity(order.len()),
        slots,
        first_output,
        version_slot: FxHashMap::default(),
    };
    for i in order {
        e.node(i, &used, &wanted);
    }
    let mut fetches: Vec<Input> = d.fetches.iter().map(|&f| e.input(f)).collect();
    let (mut instructions, slots) = (e.instructions, e.slots as usize);
    mark_last_uses(&mut instructions, &mut fetches, slots);
    Ok(Plan { instructions, slots, constants: d.constants.clone(), fetches, placement })
}

/// Lets the last reader of every slot move its value out; a loaded slot that nobody reads keeps nothing.
fn mark_last_uses(instructions: &mut [Instruction], fetches: &mut [Input], slots: usize) {
    let mut read = vec![false; slots];
    let mark = |inputs: &mut [Input], read: &mut [bool]| {
        for input in inputs.iter_mut().rev() {
            if let Input::Slot { slot, take } = input {
                *take = !std::mem::replace(&mut read[*slot as usize], true);
            }
        }
    };
    mark(fetches, &mut read);
    for instruction in instructions.iter_mut().rev() {
        match instruction {
            Instruction::Run(run) => mark(&mut run.inputs, &mut read),
            Instruction::Load { slot, .. } => {
                if slot.is_some_and(|s| !read[s as usize]) {
                    *slot = None;
                }
            }
        }
    }
}
