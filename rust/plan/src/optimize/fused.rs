//! `Fused`: the program of a group of elementwise nodes, and the nodes that its errors belong to.

use super::formula::{Formula, Formulas};
use super::one_shape::OneShape;
use super::readers::Readers;
use super::replace::Replacement;
use crate::draft::{Action, Draft};
use crate::rewrites::Rewrite;
use crate::source::Source;
use ferroflow_graph::{Elementwise, KernelContext, NodeId, Stretch};
use ferroflow_tensor::elementwise::{Instruction, Misfit, Program, Value};
use ferroflow_tensor::vector::{Binary, Compare, Logical, Unary};
use ferroflow_tensor::{DType, Result, Status, Tensor};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;

/// The operands of a group's program: inputs from outside, then constants, then the results of its instructions.
#[derive(Default)]
pub(super) struct Operands {
    inputs: SmallVec<[Source; 3]>,
    /// The inputs that other nodes would stretch, these nodes, and the sources that decide the shapes.
    pub stretches: Vec<(Value, u32, Source)>,
    constants: Vec<Tensor>,
    /// The inputs that are booleans.
    booleans: Vec<Value>,
    /// Input or constant number of each source from outside.
    external: FxHashMap<Source, Value>,
    /// Position in the group of each member.
    inside: FxHashMap<u32, usize>,
}

impl Operands {
    pub fn find(d: &Draft, formulas: &Formulas, stretched_for: Option<&Readers>, nodes: &[u32]) -> Operands {
        let inside = nodes.iter().enumerate().map(|(k, &n)| (n, k)).collect();
        let mut found = Operands { inside, ..Operands::default() };
        for &n in nodes {
            let masks = formulas[n as usize].as_ref().map_or(0, Formula::masks);
            for (k, &source) in d.nodes[n as usize].inputs.iter().enumerate() {
                if found.member(&source).is_some() || found.external.contains_key(&source) {
                    continue;
                }
                if k >= masks
                    && let Some((stretching, stretch)) =
                        stretched_for.and_then(|r| Self::stretching(d, formulas, r, nodes[0], source))
                {
                    let inputs = &d.nodes[stretching as usize].inputs;
                    let value = found.inputs.len() as Value;
                    found.external.insert(source, value);
                    found.inputs.push(inputs[stretch.of]);
                    found.stretches.push((value, stretching, inputs[stretch.by]));
                } else if let Source::Constant(c) = source {
                    found.external.insert(source, found.constants.len() as Value);
                    found.constants.push(d.constants[c as usize].clone());
                } else {
                    let value = found.inputs.len() as Value;
                    found.external.insert(source, value);
                    found.inputs.push(source);
                    if k < masks {
                        found.booleans.push(value);
                    }
                }
            }
        }
        // The program's last inputs are the constants.
        for (source, value) in &mut found.external {
            if matches!(source, Source::Constant(_)) {
                *value += found.inputs.len() as Value;
            }
        }
        found
    }

    /// Returns the node that only stretches what the group reads of it, if all who depend on it are elementwise.
    fn stretching(
        d: &Draft,
        formulas: &Formulas,
        readers: &Readers,
        member: u32,
        source: Source,
    ) -> Option<(u32, Stretch)> {
        let Source::Output { node, index: 0 } = source else { return None };
        let (stretching, place) = (&d.nodes[node as usize], &d.nodes[member as usize]);
        let stretch = stretching.node.op.stretch?;
        let only_here = !readers.is_watched(node) && readers.of(node).iter().all(|&r| formulas[r as usize].is_some());
        let same_place = stretching.guard == place.guard && stretching.task == place.task;
        let runs = matches!(stretching.action, Action::Run(_)) && !stretching.is_ref.contains(&true);
        (only_here && same_place && runs).then_some((node, stretch))
    }

    fn member(&self, source: &Source) -> Option<usize> {
        match source {
            Source::Output { node, .. } => self.inside.get(node).copied(),
            _ => None,
        }
    }

    /// Returns the number of values before the first instruction's.
    fn count(&self) -> usize {
        self.inputs.len() + self.constants.len()
    }
}

/// The program of a group.
pub(super) struct Fused {
    pub program: Arc<Program>,
    /// The nodes that it replaces, in topological order.
    pub nodes: SmallVec<[u32; 4]>,
    pub blame: Blame,
    pub inputs: SmallVec<[Source; 3]>,
    pub rewrite: Rewrite,
}

/// The nodes that errors of a program belong to: of each stretched input, and of each instruction.
#[derive(Clone)]
pub(super) struct Blame {
    stretching: Vec<NodeId>,
    computing: Vec<NodeId>,
    one_shape: Arc<OneShape>,
}

impl Fused {
    /// Makes the program of nodes that are given in topological order.
    pub fn new(d: &Draft, readers: &Readers, formulas: &Formulas, nodes: &[u32], operands: Operands) -> Result<Fused> {
        let mut instructions = Vec::with_capacity(nodes.len());
        let mut computing: Vec<NodeId> = Vec::with_capacity(nodes.len());
        let mut results: Vec<Value> = Vec::with_capacity(nodes.len());
        let (mut dtype, mut one_shape) = (DType::F32, OneShape::default());
        for &n in nodes {
            let node = &d.nodes[n as usize];
            let value = |s: &Source| operands.member(s).map_or_else(|| operands.external[s], |k| results[k]);
            let values: SmallVec<[Value; 4]> = node.inputs.iter().map(value).collect();
            let Some(formula) = &formulas[n as usize] else {
                return Err(Status::internal("a node without a formula was fused"));
            };
            if formula.needs_one_shape() {
                one_shape.require(&node.node, &values);
            }
            let mut push = |instruction| {
                instructions.push(instruction);
                computing.push(node.node.id);
                (operands.count() + instructions.len() - 1) as Value
            };
            let Some(result) = compute(formula.function, &values, &mut push) else {
                return Err(Status::internal("a fused node has an unexpected number of inputs"));
            };
            dtype = formula.dtype();
            results.push(result);
        }
        let output = results.last().copied().into_iter().collect();
        let program =
            Program::new(dtype, operands.count(), instructions, output)?.with_constants(operands.constants)?;
        let (mut stretches, mut stretching, mut inputs) = (Vec::new(), Vec::new(), operands.inputs);
        let mut replaced = SmallVec::new();
        for (value, i, by) in operands.stretches {
            let node = &d.nodes[i as usize].node;
            let stretch = node.op.stretch.ok_or_else(|| Status::internal("a node that does not stretch was fused"))?;
            stretches.push((value, stretch.shape));
            stretching.push(node.id);
            inputs.push(by);
            // Other readers still need the node.
            if readers.of(i).iter().all(|r| nodes.contains(r)) {
                replaced.push(i);
            }
        }
        let rewrite = if stretches.is_empty() { Rewrite::Elementwise } else { Rewrite::Stretch };
        replaced.extend_from_slice(nodes);
        let program = Arc::new(program.with_booleans(operands.booleans).with_stretches(stretches));
        Ok(Fused {
            program,
            nodes: replaced,
            blame: Blame { stretching, computing, one_shape: Arc::new(one_shape) },
            inputs,
            rewrite,
        })
    }

    pub fn replacement(self) -> Replacement {
        let Fused { program, nodes, blame, inputs, rewrite } = self;
        let kernel = move |ctx: &mut KernelContext<'_>| {
            blame.check(&program, ctx.inputs())?;
            let threads = ctx.threads();
            let result = program.run(ctx.inputs_mut(), threads);
            let mut outputs = result.map_err(|e| blame.at_node(&program, ctx.inputs(), e))?;
            if let Some(value) = outputs.pop() {
                ctx.set_output(0, value);
            }
            Ok(())
        };
        Replacement { nodes, node: None, kernel: Arc::new(kernel), inputs, rewrite }
    }
}

/// Adds the instructions of a function; returns the value of its result, or None for a wrong number of operands.
fn compute(f: Elementwise, operands: &[Value], push: &mut impl FnMut(Instruction) -> Value) -> Option<Value> {
    let mut binary = |f, x, y| push(Instruction::Binary(f, x, y));
    Some(match (f, operands) {
        (Elementwise::Unary(f), &[x]) => push(Instruction::Unary(f, x)),
        (Elementwise::Binary(f), &[x, y]) => binary(f, x, y),
        (Elementwise::Sum, &[first, ref rest @ ..]) if !rest.is_empty() => {
            rest.iter().fold(first, |sum, &x| binary(Binary::Add, sum, x))
        }
        (Elementwise::Compare(f), &[x, y]) => match f {
            Compare::Equal => binary(Binary::MaskEqual, x, y),
            Compare::NotEqual => binary(Binary::MaskNotEqual, x, y),
            Compare::Less => binary(Binary::MaskLess, x, y),
            Compare::LessEqual => binary(Binary::MaskLessEqual, x, y),
            Compare::Greater => binary(Binary::MaskLess, y, x),
            Compare::GreaterEqual => binary(Binary::MaskLessEqual, y, x),
        },
        (Elementwise::Logical(Logical::And), &[x, y]) => binary(Binary::BitAnd, x, y),
        (Elementwise::Logical(Logical::Or), &[x, y]) => binary(Binary::BitOr, x, y),
        (Elementwise::Not, &[x]) => push(Instruction::Unary(Unary::MaskNot, x)),
        (Elementwise::Cast, &[x]) => push(Instruction::Unary(Unary::MaskToOne, x)),
        (Elementwise::Select, &[mask, x, y]) => {
            let (x, y) = (binary(Binary::BitAnd, mask, x), binary(Binary::BitAndNot, mask, y));
            binary(Binary::BitOr, x, y)
        }
        _ => return None,
    })
}

impl Blame {
    /// Errors: `InvalidArgument` at a node whose operands must have one shape and do not.
    pub fn check(&self, program: &Program, given: &[Tensor]) -> Result<()> {
        self.one_shape.check(program, given)
    }

    /// Returns the error at the node whose operands do not fit, if that is the reason.
    pub fn at_node(&self, program: &Program, given: &[Tensor], e: Status) -> Status {
        match program.shapes_of(given).1 {
            Some(Misfit::Stretch(k)) => e.at_node(self.stretching[k]),
            Some(Misfit::Instruction(k)) => e.at_node(self.computing[k]),
            None => e,
        }
    }
}
