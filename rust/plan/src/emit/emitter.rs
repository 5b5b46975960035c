//! `Emitter`: numbers the slots and writes the instructions of a draft.
//!
//! A node that computes becomes an instruction; one that only orders (NoOp, Const, a variable's read) does not.

use super::ordering::{edges, order};
use super::overlaps::Overlaps;
use super::wait_sets::{Places, find_wait_sets};
use crate::dependents::Dependents;
use crate::draft::{Action, Draft, StepNode};
use crate::flow::{GuardId, Literal};
use crate::order::Edges;
use crate::overlap::{Beside, Overlap};
use crate::plan::{Input, Instruction, Placed, Plan, Run, Test, Tests, Work};
use crate::source::{Source, VariableIndex};
use ferroflow_graph::{NodeId, OpDef, Variable};
use ferroflow_tensor::Result;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;

/// The values that the nodes and fetches of a draft read.
struct Reads {
    /// By slot: something reads it.
    slots: Vec<bool>,
    /// Versions of variables, with the first node that each is read through.
    versions: FxHashMap<(VariableIndex, u32), NodeId>,
}

impl Reads {
    fn find(d: &Draft, first_output: &[u32], slots: u32) -> Reads {
        let mut reads = Reads { slots: vec![false; slots as usize], versions: FxHashMap::default() };
        let slot = |node: u32, index: u32| (first_output[node as usize] + index) as usize;
        let running = d.nodes.iter().filter(|n| n.runs());
        // A reference to a variable is no read of its value; one that another op makes (a table's name) is a value.
        let is_value = |(s, is_ref): &(&Source, &bool)| !**is_ref || !matches!(s, Source::Variable { .. });
        let read = running.flat_map(|n| n.inputs.iter().zip(&n.is_ref).filter(is_value).map(|(s, _)| s));
        for source in read.chain(&d.fetches) {
            match *source {
                Source::Output { node, index } => reads.slots[slot(node, index)] = true,
                Source::Variable { variable, version, via } => {
                    reads.versions.entry((variable, version)).or_insert(via);
                }
                Source::Feed(_) | Source::Constant(_) => {}
            }
        }
        for node in &d.nodes {
            if let Some(checked) = node.checked_version() {
                reads.versions.entry(checked).or_insert(node.node.id);
            }
        }
        for literal in d.tested_guards().flat_map(|g| d.guards.get(g)) {
            match *literal {
                Literal::Outcome { predicate: Source::Output { node, index }, .. } => {
                    reads.slots[slot(node, index)] = true;
                }
                Literal::Joined(node) => reads.slots[slot(node, 0)] = true,
                _ => {}
            }
        }
        reads
    }
}

/// The inputs of an instruction.
#[derive(Default)]
struct Operands {
    inputs: SmallVec<[Input; 3]>,
    handles: Vec<Option<Arc<Variable>>>,
    /// Input positions through which variables are written.
    written: SmallVec<[(usize, VariableIndex); 1]>,
}

pub(super) struct Emitter<'a> {
    d: &'a Draft,
    instructions: Vec<Instruction>,
    /// The draft node of each instruction; `None` for loads.
    nodes: Vec<Option<u32>>,
    slots: u32,
    /// First output slot of each node.
    first_output: Vec<u32>,
    version_slot: FxHashMap<(VariableIndex, u32), u32>,
    versions: Vec<(u32, Arc<Variable>, NodeId)>,
    /// The lock behind which a load reads, by the load's instruction.
    renewals: FxHashMap<usize, u32>,
    reads: Reads,
    edges: Edges,
    overlaps: Overlaps,
    is_loop: bool,
}

impl<'a> Emitter<'a> {
    /// Assigns slots: inputs, then outputs of the nodes that run, then some that stay empty, then versions in the order of their
    /// use. Also returns the order of
    /// the nodes.
    pub fn begin(d: &'a Draft, inputs: usize, is_loop: bool) -> Result<(Emitter<'a>, Vec<u32>)> {
        let edges = edges(d);
        let overlaps = Overlaps::find(d, &edges)?;
        let order = order(d, &edges, &overlaps)?;
        let mut slots = inputs as u32;
        let outputs = |n: &StepNode| n.node.outputs.len() as u32;
        let mut first_output = vec![0; d.nodes.len()];
        for (first, node) in first_output.iter_mut().zip(&d.nodes).filter(|(_, n)| n.runs()) {
            *first = slots;
            slots += outputs(node);
        }
        // The tests of a node that never runs may name another that does not run: its slots stay empty.
        for (first, _) in first_output.iter_mut().zip(&d.nodes).filter(|(_, n)| !n.runs()) {
            *first = slots;
        }
        slots += d.nodes.iter().filter(|n| !n.runs()).map(outputs).max().unwrap_or(0);
        let reads = Reads::find(d, &first_output, slots);
        let emitter = Emitter {
            d,
            instructions: Vec::with_capacity(order.len()),
            nodes: Vec::with_capacity(order.len()),
            slots,
            first_output,
            version_slot: FxHashMap::default(),
            versions: Vec::new(),
            renewals: FxHashMap::default(),
            reads,
            edges,
            overlaps,
            is_loop,
        };
        Ok((emitter, order))
    }

    pub fn finish(self, order: &[u32], fetches: Vec<Input>, placement: Vec<Placed>) -> Plan {
        let may_wait = |i: u32| self.may_wait(i);
        let places = Places { nodes: &self.nodes, renewals: &self.renewals };
        let wait_sets = find_wait_sets(self.d, &self.edges, may_wait, order, &places, &self.instructions);
        let dependents = Dependents { after: self.edges.hard, nodes: self.nodes };
        Plan {
            wait_sets: wait_sets.map(Box::new),
            dependents: (!self.is_loop).then(|| Box::new(dependents)),
            instructions: self.instructions,
            slots: self.slots as usize,
            prepared: 0,
            constants: self.d.constants.clone(),
            fetches,
            fetch_tests: Vec::new(),
            versions: self.versions,
            placement,
        }
    }

    /// Returns the number of instructions so far.
    pub fn len(&self) -> usize {
        self.instructions.len()
    }

    /// Sends what the instructions up to that of node `i` left for other processes.
    pub fn depart(&mut self, i: u32) {
        self.instructions.push(Instruction::Depart);
        self.nodes.push(Some(i));
    }

    /// Returns whether the work of a node that blocks may leave the step's thread. In a loop it may: what runs beside the loop is
    /// known only later, when the plan around it is written.
    fn may_leave(&self, i: u32) -> bool {
        let op = &self.d.nodes[i as usize].node.op;
        op.blocking.is_some() && (self.is_loop || self.overlaps.beside(i) > Beside::Nothing)
    }

    fn may_wait(&self, i: u32) -> bool {
        let node = &self.d.nodes[i as usize];
        match &node.action {
            Action::Run(_) => node.node.op.may_wait || self.may_leave(i),
            Action::Loop(l) => l.plan.may_wait(),
            Action::Merge(_) | Action::Nothing | Action::Check => false,
        }
    }

    /// Returns the slot of a version. One that this step does not write is loaded before its first reader.
    fn version(&mut self, variable: VariableIndex, version: u32, via: NodeId, required: bool) -> u32 {
        if let Some(&slot) = self.version_slot.get(&(variable, version)) {
            return slot;
        }
        let slot = self.slots;
        self.slots += 1;
        self.version_slot.insert((variable, version), slot);
        let renewal = self.d.versions.renewal(variable, version);
        let shape = self.d.shapes[variable as usize].clone();
        let variable = self.d.variables[variable as usize].clone();
        self.versions.push((slot, variable.clone(), via));
        if version == 0 || renewal.is_some() {
            if let Some(renewal) = renewal {
                self.renewals.insert(self.instructions.len(), renewal.lock);
            }
            let is_free = required && renewal.is_none() && self.waits_for_nothing(via);
            self.instructions.push(Instruction::Load { variable, slot: Some(slot), via, required, is_free, shape });
            self.nodes.push(None);
        }
        slot
    }

    /// Returns whether a node that reads a variable has no other input and no control input.
    fn waits_for_nothing(&self, via: NodeId) -> bool {
        let found = self.d.nodes.binary_search_by_key(&via, |n| n.node.id);
        found.is_ok_and(|i| self.d.nodes[i].node.inputs.len() <= 1 && self.d.nodes[i].node.control_inputs.is_empty())
    }

    pub fn input(&mut self, source: Source, required: bool) -> Input {
        match source {
            Source::Feed(slot) => Input::Slot { slot, take: false },
            Source::Constant(c) => Input::Constant(c),
            Source::Output { node, index } => {
                Input::Slot { slot: self.first_output[node as usize] + index, take: false }
            }
            Source::Variable { variable, version, via } => {
                Input::Slot { slot: self.version(variable, version, via, required), take: false }
            }
        }
    }

    /// Returns the tests of a guard within its region.
    pub fn tests(&mut self, guard: GuardId) -> Tests {
        let d = self.d;
        let mut tests = Vec::new();
        for literal in d.guards.get(guard) {
            match *literal {
                // The instruction's place (head, body or tail of the loop) implies this.
                Literal::Body | Literal::Leaving => {}
                Literal::Outcome { predicate: Source::Constant(c), value } => {
                    if d.constants[c as usize].to_scalar::<bool>().ok() != Some(value) {
                        tests.push(Test::Never);
                    }
                }
                Literal::Outcome { predicate, value } => tests.push(Test::Is(self.input(predicate, false), value)),
                Literal::Joined(node) => tests.push(Test::Present(self.first_output[node as usize])),
            }
        }
        tests.into()
    }

    /// Writes the instruction of a node, if it has one, behind the loads that it needs.
    pub fn node(&mut self, i: u32) {
        let node = &self.d.nodes[i as usize];
        let tests = self.tests(node.guard);
        let Some(work) = self.work(i, tests.is_empty()) else { return };
        let required = tests.is_empty() && !matches!(work, Work::Merge(_));
        // The node's own variables come first: the first of them without a value is named.
        let operands = self.operands(i, required);
        self.load_before_write(i);
        let (version_slots, read_later) = self.versions_made(i, &operands.written);
        let first_output = self.first_output[i as usize];
        let outputs = node.node.outputs.len() as u32;
        let is_dead = |o: &u32| !self.reads.slots[(first_output + o) as usize];
        let dead_outputs = (0..outputs.min(64)).filter(is_dead).fold(0, |bits, o| bits | 1 << o);
        self.nodes.push(Some(i));
        self.instructions.push(Instruction::Run(Box::new(Run {
            work,
            tests,
            node: node.node.clone(),
            computes: node.computes.clone(),
            rewrite: node.rewrite,
            inputs: operands.inputs,
            first_output,
            outputs,
            dead_outputs,
            handles: operands.handles,
            version_slots,
            read_later,
            runs_whole: runs_whole(&node.node.op),
            task: node.task,
            runs_once: false,
            prepared: None,
        })));
    }

    /// Returns what the instruction of a node does; None for a node that only orders. `always`: the node has no tests.
    fn work(&mut self, i: u32, always: bool) -> Option<Work> {
        let node = &self.d.nodes[i as usize];
        match &node.action {
            Action::Run(kernel) if self.may_leave(i) => {
                Some(Work::Blocking(kernel.clone(), Arc::new(Overlap::new(self.overlaps.beside(i)))))
            }
            Action::Run(kernel) => Some(Work::Kernel(kernel.clone())),
            Action::Merge(guards) => Some(Work::Merge(guards.iter().map(|&g| self.tests(g)).collect())),
            Action::Loop(plan) => {
                raise(&plan.plan, self.overlaps.beside(i));
                Some(Work::Loop(plan.clone()))
            }
            Action::Check => {
                if let Some((variable, version)) = node.checked_version() {
                    self.version(variable, version, node.node.id, always);
                }
                None
            }
            Action::Nothing => None,
        }
    }

    /// Loads the versions of a variable that a node's write replaces, if a reader comes after that write. The soft edge
    /// between the two could not hold then.
    fn load_before_write(&mut self, i: u32) {
        let d = self.d;
        let node = &d.nodes[i as usize];
        for (&source, &is_ref) in node.inputs.iter().zip(&node.is_ref) {
            let Source::Variable { variable, .. } = source else { continue };
            if !is_ref {
                continue;
            }
            for version in d.versions.loaded_before(variable, i) {
                let lock = d.versions.renewal(variable, version).map(|renewal| renewal.lock);
                if let Some(&via) = self.reads.versions.get(&(variable, version))
                    && (lock.is_none() || self.nodes.contains(&lock))
                {
                    self.version(variable, version, via, false);
                }
            }
        }
    }

    fn operands(&mut self, i: u32, required: bool) -> Operands {
        let d = self.d;
        let node = &d.nodes[i as usize];
        let mut operands = Operands::default();
        for (k, &source) in node.inputs.iter().enumerate() {
            match source {
                Source::Variable { variable, .. } if node.is_ref[k] => {
                    operands.handles.resize(node.inputs.len(), None);
                    operands.handles[k] = Some(d.variables[variable as usize].clone());
                    if node.writes() {
                        operands.written.push((k, variable));
                    }
                    operands.inputs.push(Input::Handle);
                }
                _ => operands.inputs.push(self.input(source, required)),
            }
        }
        operands
    }

    /// Returns the slots of the versions that node `i` makes and that are read later, and their bits.
    fn versions_made(&mut self, i: u32, written: &[(usize, VariableIndex)]) -> (SmallVec<[(usize, u32); 1]>, u64) {
        let d = self.d;
        let mut slots: SmallVec<[(usize, u32); 1]> = SmallVec::new();
        let mut bits = 0;
        for &(k, variable) in written {
            let made = d.versions.made_by(variable, i).unwrap_or(0);
            if self.reads.versions.contains_key(&(variable, made)) {
                // A loop, which may have any number of inputs, needs no bit.
                bits |= 1u64.checked_shl(k as u32).unwrap_or(0);
                slots.push((k, self.version(variable, made, d.nodes[i as usize].node.id, true)));
            }
        }
        (slots, bits)
    }
}

/// Notes what runs beside all of a loop's plan.
fn raise(plan: &Plan, beside: Beside) {
    for instruction in &plan.instructions {
        if let Instruction::Run(run) = instruction {
            match &run.work {
                Work::Blocking(_, overlap) => overlap.raise(beside),
                Work::Loop(l) => raise(&l.plan, beside),
                Work::Kernel(_) | Work::Merge(_) => {}
            }
        }
    }
}

/// Returns whether loops of the op's kernel must not end early. Kernels that block check the cancellation themselves. A random
/// kernel keeps its place in its stream alone, which it moves before it computes.
fn runs_whole(op: &OpDef) -> bool {
    op.is_stateful && op.blocking.is_none() && !op.attrs.iter().any(|a| &*a.name == "seed")
}
