//! Compiles a loop that computes with scalars alone to a program on registers.

use crate::draft::{Action, Draft, StepNode};
use crate::emit::schedule;
use crate::flow::{GuardId, Literal};
use crate::scalar_loop::{Carried, ScalarLoop};
use crate::source::Source;
use ferroflow_graph::{Elementwise, OutputType};
use ferroflow_tensor::DType;
use ferroflow_tensor::elementwise::{Function, Register, Scalars};
use ferroflow_tensor::vector::Binary;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Compiles a loop's draft, whose fetches are the condition, the variables' next values and the values that leave the loop.
///
/// None if some node does more than compute a scalar from scalars, or an input that is read is known not to be a scalar.
pub(crate) fn compile(d: &Draft, inputs: &[OutputType], carried: &[u32], stays_if: bool) -> Option<ScalarLoop> {
    let mut c = Compiler { d, types: inputs, program: Scalars::default(), known: FxHashMap::default() };
    let order = schedule(d).ok()?;
    let runs = order.iter().map(|&i| (i, &d.nodes[i as usize])).filter(|(_, n)| !matches!(n.action, Action::Nothing));
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
    let is_certain = read.iter().all(|(i, _)| inputs.get(*i).is_some_and(|input| input.shape.rank() == Some(0)));
    Some(ScalarLoop {
        is_certain,
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

struct Compiler<'a> {
    d: &'a Draft,
    /// Of the loop's inputs.
    types: &'a [OutputType],
    program: Scalars,
    known: FxHashMap<Source, Register>,
}

impl Compiler<'_> {
    /// Returns 0, 1 or 2 for a node before the condition, in the body, or on the way out.
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
            Source::Feed(i) => {
                let input = self.types.get(i as usize)?;
                if input.shape.rank().is_some_and(|rank| rank > 0) {
                    return None;
                }
                self.program.variable(input.dtype)
            }
            Source::Constant(c) => {
                let value = self.d.constants.get(c as usize)?;
                if value.rank() == 0 { self.program.constant(value) } else { None }
            }
            Source::Output { .. } | Source::Variable { .. } => None,
        }?;
        self.known.insert(source, register);
        Some(register)
    }

    /// Returns the register of a value that every iteration has.
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
            Action::Run(_) => self.apply(node.node.op.elementwise?, node.node.outputs.first()?.dtype, &operands),
            Action::Nothing | Action::Check | Action::Loop(_) => None,
        }?;
        (self.program.dtype(register) == Some(node.node.outputs.first()?.dtype)).then_some(register)
    }

    fn apply(&mut self, f: Elementwise, to: DType, operands: &[Register]) -> Option<Register> {
        let function = match f {
            Elementwise::Unary(f) => Function::Unary(f),
            Elementwise::Binary(f) => Function::Binary(f),
            Elementwise::Compare(f) => Function::Compare(f),
            Elementwise::Logical(f) => Function::Logical(f),
            Elementwise::Not => Function::Not,
            Elementwise::Select => Function::Select,
            Elementwise::Cast => Function::Cast(to),
            Elementwise::Sum => {
                let (&first, rest) = operands.split_first()?;
                let add = Function::Binary(Binary::Add);
                return rest.iter().try_fold(first, |sum, &x| self.program.push(add, &[sum, x]));
            }
        };
        self.program.push(function, operands)
    }

    /// Returns the predicate of a Merge whose inputs are its two sides, and true if it holds on the first side.
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
