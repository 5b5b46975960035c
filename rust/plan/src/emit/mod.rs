//! Writes the plan of a draft: orders its nodes and makes instructions over numbered slots.

mod emitter;
mod invariant;
mod last_readers;
mod ordering;
mod overlaps;
mod prepared;
mod wait_sets;

pub(crate) use ordering::schedule;

use crate::draft::Draft;
use crate::flow::{FrameId, Literal};
use crate::plan::{Input, Instruction, LoopPlan, Placed, Plan, Work};
use crate::scalar_loop::ScalarLoop;
use emitter::Emitter;
use ferroflow_graph::Role;
use ferroflow_tensor::Result;
use invariant::{is_invariant, mark_invariant};
use last_readers::{mark_instructions, mark_reads, mark_tests};
use overlaps::{blocks, has_effects_outside};
use prepared::number_prepared;
use wait_sets::keep_values;

/// Readers in one step from which a prepared form of a value is kept. The first reader does without it.
const FEWEST_READERS: usize = 3;

/// Writes the plan of a step whose first `feeds` slots are its feeds.
pub(crate) fn emit(d: &Draft, feeds: usize, placement: Vec<Placed>) -> Result<Plan> {
    let (mut e, order) = Emitter::begin(d, feeds, false)?;
    let is_send = |i: u32| d.nodes[i as usize].node.op.role == Role::Send;
    let mut runs = order.iter().copied().filter(|&i| d.nodes[i as usize].runs()).peekable();
    for &i in &order {
        e.node(i);
        let next = if runs.next_if_eq(&i).is_some() { runs.peek().copied() } else { None };
        // Values whose sends follow each other depart together; the last ones depart when the step waits or ends.
        if is_send(i) && next.is_some_and(|next| !is_send(next)) {
            e.depart(i);
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
    number_prepared(&mut plan, |_, readers| readers >= FEWEST_READERS);
    keep_values(&mut plan);
    Ok(plan)
}

/// A loop's form, beside its draft.
pub(crate) struct LoopShape {
    pub frame: FrameId,
    /// Number of slots that are inputs.
    pub inputs: usize,
    /// The inputs that are loop variables.
    pub carried: Vec<u32>,
    pub stays_if: bool,
    pub scalars: Option<ScalarLoop>,
    /// If True, instructions that compute the same in every iteration run in the first only.
    pub keeps_invariant: bool,
}

/// Writes the plan of a loop. The draft's fetches are the condition, the next values of the variables and what leaves the loop.
pub(crate) fn emit_loop(d: &Draft, shape: LoopShape) -> Result<LoopPlan> {
    let LoopShape { frame, inputs, carried, stays_if, scalars, keeps_invariant } = shape;
    let (mut e, order) = Emitter::begin(d, inputs, true)?;
    let leaving = 1 + carried.len();
    let has = |i: u32, l: Literal| d.guards.get(d.nodes[i as usize].guard).contains(&l);
    let (last, first): (Vec<u32>, Vec<u32>) = order.iter().partition(|&&i| has(i, Literal::Leaving));
    let mut end_of_head = None;
    for i in first {
        if end_of_head.is_none() && has(i, Literal::Body) {
            end_of_head = Some(close_head(&mut e, d, leaving));
        }
        e.node(i);
    }
    let (head, mut condition, mut exits) = end_of_head.unwrap_or_else(|| close_head(&mut e, d, leaving));
    let mut next: Vec<Input> = d.fetches[1..leaving].iter().map(|&f| e.input(f, true)).collect();
    let tail = e.len();
    for i in last {
        e.node(i);
    }
    let mut plan = e.finish(&order, Vec::new(), Vec::new());
    let mut stays = vec![false; plan.slots];
    stays[..inputs].fill(true);
    for (&slot, next) in carried.iter().zip(&next) {
        stays[slot as usize] = matches!(next, Input::Slot { slot: same, .. } if *same == slot);
    }
    let lasting = if keeps_invariant { mark_invariant(&mut plan, tail, &mut stays) } else { Vec::new() };
    mark_loop(&mut plan, head..tail, &stays, &mut next, &mut exits, &mut condition);
    number_prepared(&mut plan, |value, _| is_invariant(value, &stays));
    keep_values(&mut plan);
    let may_skip = |i: &Instruction| match i {
        Instruction::Run(run) => !run.tests.is_empty() || matches!(run.work, Work::Merge(_)),
        Instruction::Load { .. } | Instruction::Depart => false,
    };
    Ok(LoopPlan {
        frame,
        is_stateful: d.nodes.iter().any(|n| n.has_effects()),
        blocks: d.nodes.iter().any(blocks),
        has_effects_outside: d.nodes.iter().any(has_effects_outside),
        is_guarded: plan.instructions.iter().any(may_skip),
        lasting,
        plan,
        head,
        tail,
        condition,
        stays_if,
        carried: carried.into_iter().zip(next).collect(),
        exits,
        inputs,
        scalars,
    })
}

/// Ends what runs before a loop's condition is known: the number of instructions, the condition, and what leaves the loop there.
fn close_head(e: &mut Emitter<'_>, d: &Draft, leaving: usize) -> (usize, Input, Vec<Input>) {
    let condition = e.input(d.fetches[0], true);
    let exits = d.fetches[leaving..].iter().map(|&f| e.input(f, true)).collect();
    (e.len(), condition, exits)
}

/// Marks the last readers in a loop, from its end: the next values, the body or the values that leave the loop, then
/// the head. The slots that stay are read again in the next iteration.
fn mark_loop(
    plan: &mut Plan,
    body: std::ops::Range<usize>,
    stays: &[bool],
    next: &mut [Input],
    exits: &mut [Input],
    condition: &mut Input,
) {
    let (mut read, mut left) = (stays.to_vec(), stays.to_vec());
    mark_reads(next, &mut read);
    mark_instructions(&mut plan.instructions[body.clone()], &mut read);
    mark_reads(exits, &mut left);
    mark_instructions(&mut plan.instructions[body.end..], &mut left);
    read.iter_mut().zip(left).for_each(|(r, l)| *r |= l);
    mark_reads(std::slice::from_mut(condition), &mut read);
    mark_instructions(&mut plan.instructions[..body.start], &mut read);
}
