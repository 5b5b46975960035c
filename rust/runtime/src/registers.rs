//! `Registers`: a loop that computes with scalars alone, as a program on registers: an iteration makes no tensors.
//!
//! The program is made from the same draft as the loop's plan, and stands beside it. The plan runs where the program cannot:
//! inputs that are no scalars, a step that is traced, and from the iteration on in which a function has no result (an
//! integer divided by zero), whose error the plan reports.

use crate::draft::{Action, Draft, Source, StepNode};
use crate::flow::{GuardId, Literal};
use crate::plan::schedule;
use crate::pulse::Pulse;
use ferroflow_graph::{Elementwise, Step};
use ferroflow_tensor::elementwise::{Function, Register, Scalars, load};
use ferroflow_tensor::vector::{Binary, Logical};
use ferroflow_tensor::{DType, Result, Tensor};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::ops::Range;

/// Iterations after which the loop looks up.
const LOOKS_UP: u32 = 64;

pub(crate) struct Registers {
    program: Scalars,
    /// The steps that run before the condition is known, those where the loop goes on, and those where it is left.
    head: Range<usize>,
    body: Range<usize>,
    tail: Range<usize>,
    condition: Register,
    stays_if: bool,
    /// Inputs of the loop that it reads, by their number.
    inputs: Vec<(usize, Register)>,
    carried: Vec<Carried>,
    exits: Vec<Register>,
}

/// A loop variable.
struct Carried {
    /// Its number among the inputs.
    input: usize,
    register: Register,
    next: Register,
}

impl Registers {
    /// The program of a loop's draft, whose fetches are the condition, the next values of the variables and what leaves the
    /// loop; `None` where some node does more than compute a number from numbers.
    pub fn compile(d: &Draft, inputs: &[DType], carried: &[u32], stays_if: bool) -> Option<Registers> {
        let mut c = Compiler { d, types: inputs, program: Scalars::default(), known: FxHashMap::default() };
        let order = schedule(d).ok()?;
        let runs =
            order.iter().map(|&i| (i, &d.nodes[i as usize])).filter(|(_, n)| !matches!(n.action, Action::Nothing));
        let runs: Vec<(u32, &StepNode)> = runs.collect();
        let mut ends = [0; 3];
        for (part, end) in ends.iter_mut().enumerate() {
            for &(i, node) in &runs {
                if c.part(node)? == part {
                    let register = c.node(node)?;
                    c.known.insert(Source::Output { node: i, index: 0 }, register);
                }
            }
            *end = c.program.steps();
        }
        let fetches = d.fetches.iter().map(|&f| c.fetch(f)).collect::<Option<Vec<Register>>>()?;
        let (&condition, rest) = fetches.split_first()?;
        if c.program.dtype(condition) != Some(DType::Bool) || rest.len() < carried.len() {
            return None;
        }
        let (next, exits) = rest.split_at(carried.len());
        let mut variables = Vec::with_capacity(carried.len());
        for (&input, &next) in carried.iter().zip(next) {
            let register = c.value(Source::Feed(input))?;
            if c.program.dtype(register) != c.program.dtype(next) {
                return None;
            }
            variables.push(Carried { input: input as usize, register, next });
        }
        let mut read: Vec<(usize, Register)> = c
            .known
            .iter()
            .filter_map(
                |(source, &register)| if let Source::Feed(i) = source { Some((*i as usize, register)) } else { None },
            )
            .collect();
        read.sort_unstable();
        Some(Registers {
            program: c.program,
            head: 0..ends[0],
            body: ends[0]..ends[1],
            tail: ends[1]..ends[2],
            condition,
            stays_if,
            inputs: read,
            carried: variables,
            exits: exits.to_vec(),
        })
    }

    /// What leaves the loop; `None` where the plan is to run it, from the values that are in `inputs` then.
    ///
    /// Errors: what ends the step from outside.
    pub fn run(
        &self,
        inputs: &mut [Tensor],
        step: &Step<'_>,
        pulse: &Pulse<'_>,
    ) -> Result<Option<SmallVec<[Tensor; 4]>>> {
        let mut registers: SmallVec<[u64; 64]> = SmallVec::from_slice(self.program.initial());
        for &(i, register) in &self.inputs {
            let Some(value) = inputs.get(i) else { return Ok(None) };
            if value.rank() != 0 || self.program.dtype(register) != Some(value.dtype()) {
                return Ok(None);
            }
            registers[register as usize] = load(value)?;
        }
        let mut next: SmallVec<[u64; 8]> = SmallVec::from_elem(0, self.carried.len());
        let mut until_look = 0;
        loop {
            if until_look == 0 {
                pulse.check()?;
                step.cancellation.check()?;
                until_look = LOOKS_UP;
            }
            until_look -= 1;
            let known = self.program.run(self.head.clone(), &mut registers);
            let stays = (registers[self.condition as usize] != 0) == self.stays_if;
            if !known || !self.program.run(if stays { self.body.clone() } else { self.tail.clone() }, &mut registers) {
                for variable in &self.carried {
                    inputs[variable.input] = self.program.tensor(variable.register, &registers)?;
                }
                return Ok(None);
            }
            if !stays {
                return self.exits.iter().map(|&e| self.program.tensor(e, &registers)).collect::<Result<_>>().map(Some);
            }
            for (value, variable) in next.iter_mut().zip(&self.carried) {
                *value = registers[variable.next as usize];
            }
            for (value, variable) in next.iter().zip(&self.carried) {
                registers[variable.register as usize] = *value;
            }
        }
    }
}

struct Compiler<'a> {
    d: &'a Draft,
    /// Of the loop's inputs.
    types: &'a [DType],
    program: Scalars,
    known: FxHashMap<Source, Register>,
}

impl Compiler<'_> {
    /// 0, 1 or 2 for a node before the condition, in the body, or on the way out.
    fn part(&self, node: &StepNode) -> Option<usize> {
        let literals = self.d.guards.get(node.guard);
        if literals.iter().any(|l| matches!(l, Literal::Joined(_))) {
            return None;
        }
        Some(match (literals.contains(&Literal::Body), literals.contains(&Literal::Leaving)) {
            (_, true) => 2,
            (true, _) => 1,
            _ => 0,
        })
    }

    fn value(&mut self, source: Source) -> Option<Register> {
        if let Some(&register) = self.known.get(&source) {
            return Some(register);
        }
        let register = match source {
            Source::Feed(i) => self.program.variable(*self.types.get(i as usize)?),
            Source::Constant(c) => {
                let value = self.d.constants.get(c as usize)?;
                if value.rank() == 0 { self.program.constant(value) } else { None }
            }
            Source::Output { .. } | Source::Variable { .. } => None,
        }?;
        self.known.insert(source, register);
        Some(register)
    }

    /// A value that every iteration has.
    fn fetch(&mut self, source: Source) -> Option<Register> {
        if let Source::Output { node, .. } = source
            && self.d.deciders(self.d.nodes[node as usize].guard).next().is_some()
        {
            return None;
        }
        self.value(source)
    }

    fn node(&mut self, node: &StepNode) -> Option<Register> {
        if node.has_effects() {
            return None;
        }
        let operands = node.inputs.iter().map(|&s| self.value(s)).collect::<Option<SmallVec<[Register; 3]>>>()?;
        let register = match &node.action {
            Action::Merge(guards) => {
                let (predicate, first_where_true) = self.choice(guards)?;
                let predicate = self.value(predicate)?;
                let &[first, second] = &operands[..] else { return None };
                let (yes, no) = if first_where_true { (first, second) } else { (second, first) };
                self.program.push(Function::Select, &[predicate, yes, no])
            }
            Action::Run(_) => match (node.node.op.elementwise, &*node.node.op.name) {
                (Some(Elementwise::Unary(f)), _) => self.program.push(Function::Unary(f), &operands),
                (Some(Elementwise::Binary(f)), _) => self.program.push(Function::Binary(f), &operands),
                (Some(Elementwise::Compare(f)), _) => self.program.push(Function::Compare(f), &operands),
                (None, "LogicalAnd") => self.program.push(Function::Logical(Logical::And), &operands),
                (None, "LogicalOr") => self.program.push(Function::Logical(Logical::Or), &operands),
                (None, "LogicalNot") => self.program.push(Function::Not, &operands),
                (None, "Select") => self.program.push(Function::Select, &operands),
                (None, "Cast") => self.program.push(Function::Cast(node.node.outputs.first()?.dtype), &operands),
                (None, "AddN") => {
                    let (&first, rest) = operands.split_first()?;
                    rest.iter().try_fold(first, |sum, &x| self.program.push(Function::Binary(Binary::Add), &[sum, x]))
                }
                _ => None,
            },
            Action::Nothing | Action::Check | Action::Loop(_) => None,
        }?;
        (self.program.dtype(register) == Some(node.node.outputs.first()?.dtype)).then_some(register)
    }

    /// Of a Merge whose inputs are the two sides of one predicate: that, and whether the first is the side where it holds.
    ///
    /// Both sides may then be computed: nothing in them has effects, and what has no result ends the program.
    fn choice(&self, guards: &[GuardId]) -> Option<(Source, bool)> {
        let &[first, second] = guards else { return None };
        let (first, second) = (self.d.guards.get(first), self.d.guards.get(second));
        let only = |of: &[Literal], other: &[Literal]| -> Option<(Source, bool)> {
            let mut alone = of.iter().filter(|l| !other.contains(l));
            match (alone.next(), alone.next()) {
                (Some(&Literal::Outcome { predicate, value }), None) => Some((predicate, value)),
                _ => None,
            }
        };
        match (only(first, second)?, only(second, first)?) {
            ((p, value), (q, other)) if p == q && value != other => Some((p, value)),
            _ => None,
        }
    }
}
