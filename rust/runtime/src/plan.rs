//! `Plan`: a draft ordered and written as a list of instructions over numbered value slots.
//!
//! What computes becomes an instruction; what only orders (NoOp, Const, a variable's read) does not.

use crate::draft::{Action, Context, Draft, Source, StepNode, order_edges};
use crate::execute::IdleSlots;
use crate::flow::{FrameId, GuardId, Literal};
use crate::home::Home;
use crate::optimize;
use crate::overlap::{Beside, Overlap, Overlaps, blocks, has_effects_outside};
use crate::prune::Request;
use crate::region::draft;
use crate::registers::Registers;
use crate::schedule::Edges;
use crate::versions::VariableIndex;
use crate::waits::Waits;
use ferroflow_graph::{Kernel, Node, NodeId, OpDef, Variable};
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

/// A condition on the values of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Test {
    /// This bool is computed and has this value.
    Is(Input, bool),
    /// This slot has a value.
    Present(u32),
    Never,
}

/// All of these must hold.
pub(crate) type Tests = Box<[Test]>;

pub(crate) enum Work {
    Kernel(Arc<dyn Kernel>),
    /// One that blocks, beside which the rest of the step may run.
    Blocking(Arc<dyn Kernel>, Arc<Overlap>),
    /// Hands on the first input whose tests hold and which has a value.
    Merge(Vec<Tests>),
    Loop(Arc<LoopPlan>),
}

pub(crate) struct Run {
    pub work: Work,
    /// Else the node does not run, and its outputs have no values.
    pub tests: Tests,
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
    /// The kernel keeps what it computes beyond the step, so none of its loops may be left half done.
    pub runs_whole: bool,
    pub home: Option<Arc<Home>>,
}

pub(crate) enum Instruction {
    /// Takes the start version of a variable; fails, at node `via`, where it has none, unless only a node that may not run reads it.
    Load {
        variable: Arc<Variable>,
        slot: Option<u32>,
        via: NodeId,
        required: bool,
    },
    Run(Box<Run>),
    /// What the instructions before sent to other parts of the step leaves now.
    Depart,
}

pub(crate) struct Plan {
    pub instructions: Vec<Instruction>,
    /// Where some instruction may have to wait.
    pub waits: Option<Box<Waits>>,
    pub slots: usize,
    pub constants: Vec<Tensor>,
    pub fetches: Vec<Input>,
    /// Of fetches that may have no value: position and tests.
    pub fetch_tests: Vec<(usize, Tests)>,
    /// Slots that hold versions of variables, for the error where one has no value.
    pub versions: Vec<(u32, Arc<Variable>, NodeId)>,
    /// Graph nodes of the step, their devices, for `log_device_placement`, and whether their outputs are inside of a loop.
    pub placement: Vec<(Arc<Node>, usize, bool)>,
}

/// The plan of a loop. Its first slots are its inputs; those of loop variables change from one iteration to the next.
pub(crate) struct LoopPlan {
    pub frame: FrameId,
    pub is_stateful: bool,
    /// Whether some kernel in it blocks.
    pub blocks: bool,
    /// Whether something else that blocks may be waiting for what it does.
    pub has_effects_outside: bool,
    pub plan: Plan,
    /// The instructions that run before the condition is known.
    pub head: usize,
    /// From here on they run once, when the loop is left; those between run where it goes on.
    pub tail: usize,
    pub condition: Input,
    /// The value of the condition with which the loop goes on.
    pub stays_if: bool,
    /// Slot of each loop variable, and where its next value comes from.
    pub carried: Vec<(u32, Input)>,
    pub exits: Vec<Input>,
    /// Whether some instruction may not run in an iteration.
    pub is_guarded: bool,
    pub inputs: usize,
    /// The whole loop as a program on numbers, where it computes with nothing else.
    pub registers: Option<Registers>,
    pub idle: IdleSlots,
}

impl LoopPlan {
    /// Orders a loop's draft, whose fetches are the condition, the next values of the variables and what leaves the loop.
    pub fn build(
        d: &Draft,
        frame: FrameId,
        inputs: usize,
        carried: Vec<u32>,
        stays_if: bool,
        is_stateful: bool,
        registers: Option<Registers>,
    ) -> Result<LoopPlan> {
        let (mut e, order) = Emitter::begin(d, inputs, true)?;
        let mut head = None;
        let leaving = 1 + carried.len();
        let whole = order.clone();
        let is_last = |i: &u32| d.guards.get(d.nodes[*i as usize].guard).contains(&Literal::Leaving);
        let (last, order): (Vec<u32>, Vec<u32>) = order.into_iter().partition(is_last);
        for i in order {
            if head.is_none() && d.guards.get(d.nodes[i as usize].guard).contains(&Literal::Body) {
                head = Some(e.close_head(leaving));
            }
            e.node(i);
        }
        let (head, mut condition, mut exits) = head.unwrap_or_else(|| e.close_head(leaving));
        let mut next: Vec<Input> = d.fetches[1..leaving].iter().map(|&f| e.input(f, true)).collect();
        let tail = e.instructions.len();
        for i in last {
            e.node(i);
        }
        let mut plan = e.finish(&whole, Vec::new(), Vec::new());
        let is_guarded = plan
            .instructions
            .iter()
            .any(|i| matches!(i, Instruction::Run(r) if !r.tests.is_empty() || matches!(r.work, Work::Merge(_))));
        // Backwards: the next values, the body, what leaves the loop instead, the head. The inputs stay for the next iteration.
        let mut read = vec![false; plan.slots];
        read[..inputs].fill(true);
        for slot in &carried {
            read[*slot as usize] = false;
        }
        mark_reads(&mut next, &mut read);
        mark_instructions(&mut plan.instructions[head..tail], &mut read);
        let mut left = vec![false; plan.slots];
        left[..inputs].fill(true);
        for slot in &carried {
            left[*slot as usize] = false;
        }
        mark_reads(&mut exits, &mut left);
        mark_instructions(&mut plan.instructions[tail..], &mut left);
        read.iter_mut().zip(left).for_each(|(r, l)| *r |= l);
        mark_reads(std::slice::from_mut(&mut condition), &mut read);
        mark_instructions(&mut plan.instructions[..head], &mut read);
        plan.keep_values();
        let carried = carried.into_iter().zip(next).collect();
        let idle = IdleSlots::default();
        Ok(LoopPlan {
            frame,
            is_stateful,
            blocks: d.nodes.iter().any(blocks),
            has_effects_outside: d.nodes.iter().any(has_effects_outside),
            plan,
            head,
            tail,
            condition,
            stays_if,
            carried,
            exits,
            is_guarded,
            inputs,
            registers,
            idle,
        })
    }
}

impl Plan {
    /// Whether it, or a loop in it, may have to wait for something outside the step.
    pub fn may_wait(&self) -> bool {
        self.waits.is_some()
    }

    /// Notes what runs beside all of the plan, which is that of a loop.
    fn raise(&self, beside: Beside) {
        for instruction in &self.instructions {
            if let Instruction::Run(run) = instruction {
                match &run.work {
                    Work::Blocking(_, overlap) => overlap.raise(beside),
                    Work::Loop(l) => l.plan.raise(beside),
                    Work::Kernel(_) | Work::Merge(_) => {}
                }
            }
        }
    }

    fn keep_values(&mut self) {
        if let Some(waits) = &self.waits {
            waits.keep_values(&mut self.instructions);
        }
    }

    pub fn build(request: &Request, cx: &Context<'_>) -> Result<Plan> {
        let mut placement = Vec::new();
        let mut draft = draft(request, cx, &mut placement)?;
        if cx.optimize {
            optimize::simplify(&mut draft, cx);
            optimize::fuse(&mut draft, cx);
        }
        emit(&draft, request.feeds.len(), placement)
    }
}

/// What must hold in any order of the draft's nodes (data, control, tests, the writes of each variable), and what should:
/// readers of a version before the write that replaces it.
fn edges(d: &Draft) -> Edges {
    let mut edges = order_edges(d);
    for writers in &d.writers {
        for pair in writers.windows(2) {
            edges.hard[pair[0] as usize].push(pair[1]);
        }
    }
    for (i, node) in d.nodes.iter().enumerate() {
        for (k, source) in node.inputs.iter().enumerate() {
            let Source::Variable { variable, version, .. } = *source else { continue };
            if node.is_ref[k] && node.writes() {
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
        if let Action::Merge(guards) = &node.action {
            let deciders = guards.iter().flat_map(|&g| d.deciders(g)).filter(|&n| n != i as u32);
            deciders.for_each(|n| edges.hard[n as usize].push(i as u32));
        }
    }
    edges
}

/// The order in which the draft's nodes run: updates go as early as they can, as does what blocks while others run, and loops
/// that may have to wait last: what frees them has run then, and they need not be put aside.
fn order(d: &Draft, edges: &Edges, overlaps: &Overlaps) -> Result<Vec<u32>> {
    // What only orders costs nothing, and an update may wait for it: its learning rate is made after all gradients.
    let late = |i: u32| match (&d.nodes[i as usize], overlaps.is_early(i)) {
        (_, true) | (StepNode { action: Action::Nothing, .. }, _) => 0,
        (StepNode { action: Action::Loop(plan), .. }, _) if plan.plan.may_wait() => 2,
        // The other part may be waiting for it.
        (n, _) if &*n.node.op.name == "_Send" => 0,
        (n, _) => u64::from(!n.is_ref.contains(&true)),
    };
    edges.order(|i| late(i) << 32 | u64::from(i))
}

/// `order` of a draft in which nothing blocks.
pub(crate) fn schedule(d: &Draft) -> Result<Vec<u32>> {
    order(d, &edges(d), &Overlaps::default())
}

/// Versions that some reader or fetch wants, with the node it reads through: a write hands these over.
type Wanted = FxHashMap<(VariableIndex, u32), NodeId>;

/// Numbers the slots and writes the instructions.
struct Emitter<'a> {
    d: &'a Draft,
    instructions: Vec<Instruction>,
    /// The draft node of each instruction; `None` for loads.
    nodes: Vec<Option<u32>>,
    slots: u32,
    /// First output slot of each node.
    first_output: Vec<u32>,
    version_slot: FxHashMap<(VariableIndex, u32), u32>,
    versions: Vec<(u32, Arc<Variable>, NodeId)>,
    /// By slot: something reads it.
    used: Vec<bool>,
    wanted: Wanted,
    edges: Edges,
    overlaps: Overlaps,
    is_loop: bool,
}

impl<'a> Emitter<'a> {
    /// Slots: inputs, then node outputs, then versions as they are met. The order of the nodes comes with it.
    fn begin(d: &'a Draft, inputs: usize, is_loop: bool) -> Result<(Emitter<'a>, Vec<u32>)> {
        let edges = edges(d);
        let overlaps = Overlaps::find(d, &edges)?;
        let order = order(d, &edges, &overlaps)?;
        let mut slots = inputs as u32;
        let mut first_output = Vec::with_capacity(d.nodes.len());
        for node in &d.nodes {
            first_output.push(slots);
            slots += node.node.outputs.len() as u32;
        }
        let mut used = vec![false; slots as usize];
        let mut wanted = Wanted::default();
        let running = d.nodes.iter().filter(|n| n.runs());
        // A reference to a variable is no read of its value; one that another op makes (a table's name) is a value.
        let is_value = |(s, is_ref): &(&Source, &bool)| !**is_ref || !matches!(s, Source::Variable { .. });
        let read = running.flat_map(|n| n.inputs.iter().zip(&n.is_ref).filter(is_value).map(|(s, _)| s));
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
        for literal in d.tested_guards().flat_map(|g| d.guards.get(g)) {
            match *literal {
                Literal::Outcome { predicate: Source::Output { node, index }, .. } => {
                    used[(first_output[node as usize] + index) as usize] = true;
                }
                Literal::Joined(node) => used[first_output[node as usize] as usize] = true,
                _ => {}
            }
        }
        let instructions = Vec::with_capacity(order.len());
        let (version_slot, versions) = (FxHashMap::default(), Vec::new());
        let nodes = Vec::with_capacity(order.len());
        let emitter = Emitter {
            d,
            instructions,
            nodes,
            slots,
            first_output,
            version_slot,
            versions,
            used,
            wanted,
            edges,
            overlaps,
            is_loop,
        };
        Ok((emitter, order))
    }

    /// Whether the work of a node that blocks may leave the step's thread. Of what runs beside a loop, its plan is told later.
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

    fn finish(self, order: &[u32], fetches: Vec<Input>, placement: Vec<(Arc<Node>, usize, bool)>) -> Plan {
        let may_wait = |i: u32| self.may_wait(i);
        let waits = Waits::find(self.d, &self.edges, may_wait, order, &self.nodes, &self.instructions).map(Box::new);
        Plan {
            waits,
            instructions: self.instructions,
            slots: self.slots as usize,
            constants: self.d.constants.clone(),
            fetches,
            fetch_tests: Vec::new(),
            versions: self.versions,
            placement,
        }
    }

    /// Of a loop: the end of what runs before the condition, the condition, and what leaves the loop there.
    fn close_head(&mut self, leaving: usize) -> (usize, Input, Vec<Input>) {
        let condition = self.input(self.d.fetches[0], true);
        let exits = self.d.fetches[leaving..].iter().map(|&f| self.input(f, true)).collect();
        (self.instructions.len(), condition, exits)
    }

    /// The slot of a version; a start version is loaded where it is first asked for.
    fn version(&mut self, variable: VariableIndex, version: u32, via: NodeId, required: bool) -> u32 {
        if let Some(&slot) = self.version_slot.get(&(variable, version)) {
            return slot;
        }
        let slot = self.slots;
        self.slots += 1;
        self.version_slot.insert((variable, version), slot);
        let variable = self.d.variables[variable as usize].clone();
        self.versions.push((slot, variable.clone(), via));
        if version == 0 {
            self.instructions.push(Instruction::Load { variable, slot: Some(slot), via, required });
            self.nodes.push(None);
        }
        slot
    }

    fn input(&mut self, source: Source, required: bool) -> Input {
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

    /// The tests of a guard within its region.
    fn tests(&mut self, guard: GuardId) -> Tests {
        let d = self.d;
        let mut tests = Vec::new();
        for literal in d.guards.get(guard) {
            match *literal {
                // Where the instruction stands says this.
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

    fn node(&mut self, i: u32) {
        let d = self.d;
        let node = &d.nodes[i as usize];
        let tests = self.tests(node.guard);
        let always = tests.is_empty();
        let work = match &node.action {
            Action::Run(kernel) if self.may_leave(i) => {
                Work::Blocking(kernel.clone(), Arc::new(Overlap::new(self.overlaps.beside(i))))
            }
            Action::Run(kernel) => Work::Kernel(kernel.clone()),
            Action::Merge(guards) => Work::Merge(guards.iter().map(|&g| self.tests(g)).collect()),
            Action::Loop(plan) => {
                plan.plan.raise(self.overlaps.beside(i));
                Work::Loop(plan.clone())
            }
            Action::Check => {
                if let Some(variable) = node.root {
                    self.version(variable, 0, node.node.id, always);
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
                && let Some(&via) = self.wanted.get(&(variable, 0))
            {
                self.version(variable, 0, via, false);
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
                    if node.writes() {
                        written.push((k, variable));
                    }
                    inputs.push(Input::Handle);
                }
                _ => {
                    let input = self.input(source, always && !matches!(work, Work::Merge(_)));
                    inputs.push(input);
                }
            }
        }
        let mut version_slots: SmallVec<[(usize, u32); 1]> = SmallVec::new();
        let mut wanted_bits = 0;
        for (k, variable) in written {
            let made = d.writers[variable as usize].iter().position(|&w| w == i).map_or(0, |p| p as u32 + 1);
            if self.wanted.contains_key(&(variable, made)) {
                // A loop, which may have any number of inputs, needs no bit.
                wanted_bits |= 1u64.checked_shl(k as u32).unwrap_or(0);
                version_slots.push((k, self.version(variable, made, node.node.id, true)));
            }
        }
        let first_output = self.first_output[i as usize];
        let outputs = node.node.outputs.len() as u32;
        let dead_outputs =
            (0..outputs.min(64)).filter(|&o| !self.used[(first_output + o) as usize]).fold(0, |bits, o| bits | 1 << o);
        self.nodes.push(Some(i));
        self.instructions.push(Instruction::Run(Box::new(Run {
            work,
            tests,
            node: node.node.clone(),
            computes: node.computes.clone(),
            inputs,
            first_output,
            outputs,
            dead_outputs,
            handles,
            version_slots,
            wanted: wanted_bits,
            runs_whole: runs_whole(&node.node.op),
            home: node.home.clone(),
        })));
    }
}

/// Whether loops of the op's kernel must not be interrupted. Kernels that block check the cancellation themselves, and a random
/// kernel keeps the place in its stream alone, which it moves before it computes.
fn runs_whole(op: &OpDef) -> bool {
    op.is_stateful && op.blocking.is_none() && !op.attrs.iter().any(|a| &*a.name == "seed")
}

/// Orders the draft and writes the instructions.
fn emit(d: &Draft, feeds: usize, placement: Vec<(Arc<Node>, usize, bool)>) -> Result<Plan> {
    let (mut e, order) = Emitter::begin(d, feeds, false)?;
    let is_send = |i: u32| &*d.nodes[i as usize].node.op.name == "_Send";
    let mut runs = order.iter().copied().filter(|&i| d.nodes[i as usize].runs()).peekable();
    for &i in &order {
        e.node(i);
        let next = if runs.next_if_eq(&i).is_some() { runs.peek().copied() } else { None };
        // Those that follow each other leave together, the last when the part rests or ends.
        if is_send(i) && next.is_some_and(|next| !is_send(next)) {
            e.instructions.push(Instruction::Depart);
            e.nodes.push(Some(i));
        }
    }
    let mut fetches = Vec::with_capacity(d.fetches.len());
    let mut fetch_tests = Vec::new();
    for (i, (&source, &guard)) in d.fetches.iter().zip(&d.fetch_guards).enumerate() {
        let tests = e.tests(guard);
        fetches.push(e.input(source, tests.is_empty()));
        if !tests.is_empty() {
            fetch_tests.push((i, tests));
        }
    }
    let mut plan = e.finish(&order, fetches, placement);
    plan.fetch_tests = fetch_tests;
    let mut read = vec![false; plan.slots];
    for (_, tests) in &plan.fetch_tests {
        mark_tests(tests, &mut read);
    }
    mark_reads(&mut plan.fetches, &mut read);
    mark_instructions(&mut plan.instructions, &mut read);
    plan.keep_values();
    Ok(plan)
}

/// Lets the last reader of every slot move its value out. `read` holds the slots that are read later; readers are met backwards.
fn mark_reads(inputs: &mut [Input], read: &mut [bool]) {
    for input in inputs.iter_mut().rev() {
        if let Input::Slot { slot, take } = input {
            *take = !std::mem::replace(&mut read[*slot as usize], true);
        }
    }
}

/// A test looks at its slot and leaves it.
fn mark_tests(tests: &[Test], read: &mut [bool]) {
    for test in tests {
        if let Test::Is(Input::Slot { slot, .. }, _) | Test::Present(slot) = test {
            read[*slot as usize] = true;
        }
    }
}

/// `mark_reads` for instructions; a loaded slot that nobody reads keeps nothing.
fn mark_instructions(instructions: &mut [Instruction], read: &mut [bool]) {
    for instruction in instructions.iter_mut().rev() {
        match instruction {
            Instruction::Run(run) => {
                mark_reads(&mut run.inputs, read);
                mark_tests(&run.tests, read);
                if let Work::Merge(tests) = &run.work {
                    tests.iter().for_each(|t| mark_tests(t, read));
                }
            }
            Instruction::Load { slot, .. } => {
                if slot.is_some_and(|s| !read[s as usize]) {
                    *slot = None;
                }
            }
            Instruction::Depart => {}
        }
    }
}
