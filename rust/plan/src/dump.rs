//! A plan as text: one line for each instruction, with the nodes that were fused into it and why.

use crate::overlap::Beside;
use crate::plan::{Input, Instruction, LoopPlan, Plan, Run, Test, Work};
use crate::rewrites::Rewrite;
use crate::span::WorkAndSpan;
use ferroflow_graph::{Graph, NodeId};
use ferroflow_tensor::{Tensor, dispatch};
use std::fmt::Write;

/// Most elements of a constant that are shown.
const SHOWN_ELEMENTS: usize = 4;

/// Returns what a rewrite made of an instruction that also computes the nodes `others`, if there are any.
fn what_was_done(rewrite: Option<Rewrite>, others: &str) -> String {
    let reason = match rewrite {
        Some(Rewrite::Epilogue) => "the product adds its bias and applies its activation as it is written",
        Some(Rewrite::Block) => "only the block of the product that is read is computed",
        Some(Rewrite::Sum) => "products are added up as they are computed",
        Some(Rewrite::Elementwise) => "a tree of elementwise ops reads and writes memory once",
        Some(Rewrite::Shape) => "the shape of an elementwise result is found from its operands",
        Some(Rewrite::Stretch) => "operands that are repeated are read where they lie",
        Some(Rewrite::Reduction) => "a reduction computes the elements as it reads them",
        Some(Rewrite::Update) => "a write to a variable computes its value as it writes it",
        // The other rewrites make no instruction of several nodes.
        _ => return format!("stands for {others}: equal op, attributes and inputs"),
    };
    if others.is_empty() { reason.to_owned() } else { format!("fuses {others}: {reason}") }
}

impl Plan {
    /// Returns the plan as text. `graph` is the graph that was planned.
    ///
    /// Slots are written `%3`, or `%3.` by their last reader, and constants by their values. The last line has the work and
    /// the span.
    pub fn dump(&self, graph: &Graph) -> String {
        let mut dump = Dump { graph, text: String::new() };
        dump.instructions(self, 0..self.instructions.len(), 0);
        for (i, fetch) in self.fetches.iter().enumerate() {
            let tests = self.fetch_tests.iter().find(|(k, _)| *k == i).map_or(&[] as &[Test], |(_, tests)| &tests[..]);
            let line = format!("fetch {i}: {}{}", input(self, fetch), when(self, tests));
            dump.line(0, &line);
        }
        dump.work_and_span(self, 0);
        dump.text
    }
}

struct Dump<'a> {
    graph: &'a Graph,
    text: String,
}

impl Dump<'_> {
    fn line(&mut self, depth: usize, text: &str) {
        let indent = "  ".repeat(depth);
        // Writing to a String cannot fail.
        let _ = writeln!(self.text, "{indent}{text}");
    }

    fn work_and_span(&mut self, plan: &Plan, depth: usize) {
        let WorkAndSpan { work, span } = plan.work_and_span();
        self.line(depth, &format!("work: {work} instructions; span: {span} one after the other"));
    }

    fn name(&self, id: NodeId) -> String {
        self.graph.node(id).map_or_else(|_| format!("node {id}"), |n| n.name.to_string())
    }

    fn instructions(&mut self, plan: &Plan, part: std::ops::Range<usize>, depth: usize) {
        for k in part {
            match &plan.instructions[k] {
                Instruction::Load { variable, slot, .. } => {
                    let to =
                        slot.map_or_else(|| "only to check that it has a value".to_owned(), |s| format!("-> %{s}"));
                    self.line(depth, &format!("{k}: load {} {to}", variable.name));
                }
                Instruction::Depart => self.line(depth, &format!("{k}: send what waits for other processes")),
                Instruction::Run(run) => self.run(plan, k, run, depth),
            }
        }
    }

    fn run(&mut self, plan: &Plan, k: usize, run: &Run, depth: usize) {
        let inputs: Vec<String> = run.inputs.iter().enumerate().map(|(i, x)| operand(plan, run, i, x)).collect();
        let outputs: Vec<String> = (0..run.outputs).map(|o| output(run, o)).collect();
        let what = match &run.work {
            Work::Kernel(_) => run.node.op.name.to_string(),
            Work::Blocking(_, overlap) => match overlap.beside() {
                Beside::Nothing => run.node.op.name.to_string(),
                Beside::Computation => format!("{} during computation", run.node.op.name),
                Beside::Effects => format!("{} during other effects", run.node.op.name),
            },
            Work::Merge(_) => "merge".to_owned(),
            Work::Loop(l) => match &l.scalars {
                Some(scalars) if scalars.is_certain => "loop of scalars".to_owned(),
                Some(_) => "loop (of scalars if its inputs are scalars)".to_owned(),
                None => "loop".to_owned(),
            },
        };
        let mut line = format!("{k}: {what} {} ({})", run.node.name, inputs.join(", "));
        if !outputs.is_empty() {
            line += &format!(" -> {}", outputs.join(", "));
        }
        line += &when(plan, &run.tests);
        if run.runs_once {
            line += "; the same in every iteration: computed in the first";
        }
        let is_alone = run.computes.len() == 1;
        if !is_alone || matches!(run.rewrite, Some(Rewrite::Shape | Rewrite::Stretch)) {
            // The last node is the instruction's own, unless it stands for others that are equal.
            let others = run.computes.iter().filter(|&&id| id != run.node.id).map(|&id| self.name(id));
            let others = others.collect::<Vec<_>>().join(", ");
            line += &format!("; {}", what_was_done(run.rewrite, &others));
        }
        self.line(depth, &line);
        if let Work::Loop(l) = &run.work {
            self.body(l, depth + 1);
        }
    }

    fn body(&mut self, l: &LoopPlan, depth: usize) {
        let plan = &l.plan;
        let inputs: Vec<String> = (0..l.inputs).map(|slot| format!("%{slot}")).collect();
        self.line(depth, &format!("inputs {}", inputs.join(", ")));
        self.instructions(plan, 0..l.head, depth + 1);
        self.line(depth, &format!("while {} is {}", input(plan, &l.condition), l.stays_if));
        self.instructions(plan, l.head..l.tail, depth + 1);
        for (slot, next) in &l.carried {
            self.line(depth + 1, &format!("next %{slot} = {}", input(plan, next)));
        }
        self.line(depth, "then");
        self.instructions(plan, l.tail..plan.instructions.len(), depth + 1);
        let exits: Vec<String> = l.exits.iter().map(|e| input(plan, e)).collect();
        self.line(depth + 1, &format!("gives {}", exits.join(", ")));
        self.work_and_span(plan, depth);
    }
}

/// Returns the text of a constant: its value if it is small, else its dtype and shape.
fn constant(value: &Tensor) -> String {
    let described = || format!("{}{}", value.dtype().name(), value.shape());
    if value.elements() > SHOWN_ELEMENTS {
        return described();
    }
    let text = dispatch!(value.dtype(), T in [F32, F64, I32, I64, Bool], {
        value.slice::<T>().map(|values| format!("{values:?}"))
    }, else Ok(described()));
    let text = text.unwrap_or_else(|_| described());
    if value.rank() == 0 { text.trim_matches(['[', ']']).to_owned() } else { text }
}

fn input(plan: &Plan, input: &Input) -> String {
    match *input {
        Input::Slot { slot, take: true } => format!("%{slot}."),
        Input::Slot { slot, take: false } => format!("%{slot}"),
        Input::Constant(c) => plan.constants.get(c as usize).map_or_else(|| format!("constant {c}"), constant),
        Input::Handle => "reference".to_owned(),
    }
}

/// Returns the text of an instruction's input number `i`.
fn operand(plan: &Plan, run: &Run, i: usize, of: &Input) -> String {
    match (run.handles.get(i), run.version_slots.iter().find(|(k, _)| *k == i)) {
        (Some(Some(variable)), Some((_, slot))) => format!("{} -> %{slot}", variable.name),
        (Some(Some(variable)), None) => variable.name.to_string(),
        _ => input(plan, of),
    }
}

fn output(run: &Run, o: u32) -> String {
    let is_dead = o < 64 && run.dead_outputs >> o & 1 == 1;
    if is_dead { "_".to_owned() } else { format!("%{}", run.first_output + o) }
}

fn when(plan: &Plan, tests: &[Test]) -> String {
    let text = |test: &Test| match test {
        Test::Is(of, true) => input(plan, of),
        Test::Is(of, false) => format!("not {}", input(plan, of)),
        Test::Present(slot) => format!("%{slot} has a value"),
        Test::Never => "never".to_owned(),
    };
    if tests.is_empty() {
        return String::new();
    }
    format!(" if {}", tests.iter().map(text).collect::<Vec<_>>().join(" and "))
}
