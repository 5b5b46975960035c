//! Loops and branches give what the same statements give in Rust, however the plan runs them.

#![allow(clippy::unwrap_used)]

mod world;

use ferroflow_graph::{AttrValue, OutputId};
use ferroflow_plan::{PlanOptions, Request, Rewrites};
use ferroflow_runtime::{RunOptions, Session, SessionOptions};
use ferroflow_tensor::{Code, DType, Result, Status, Tensor};
use proptest::prelude::*;
use world::{World, ends};

/// The next value of a loop variable: the sum of some variables and a number. While the counter is below `below`, it is
/// another sum.
#[derive(Clone, Debug)]
struct Next {
    sum: Vec<usize>,
    plus: i64,
    below: Option<(i64, Vec<usize>)>,
}

/// A loop that runs `times` times. Variable 0 counts.
#[derive(Clone, Debug)]
struct Loop {
    times: i64,
    starts: Vec<i64>,
    next: Vec<Next>,
    /// The number of an inner loop's iterations that add one to variable 1 each time.
    inner: Option<i64>,
}

fn loops() -> impl Strategy<Value = Loop> {
    let count = 1..4usize;
    count.prop_flat_map(|count| {
        let some = move || prop::collection::vec(0..=count, 0..3);
        let below = prop::option::weighted(0.4, (-1..10i64, some()));
        let next = (some(), -3..4i64, below).prop_map(|(sum, plus, below)| Next { sum, plus, below });
        let starts = prop::collection::vec(-5..6i64, count);
        (0..9i64, starts, prop::collection::vec(next, count), prop::option::weighted(0.3, 0..4i64))
            .prop_map(|(times, starts, next, inner)| Loop { times, starts, next, inner })
    })
}

/// Returns the variables after the loop, the counter first.
fn expected(l: &Loop) -> Vec<i64> {
    let mut now: Vec<i64> = [&[0], &l.starts[..]].concat();
    while now[0] < l.times {
        let sum = |of: &[usize]| of.iter().map(|&i| now[i]).sum::<i64>();
        let next = l.next.iter().map(|next| match &next.below {
            Some((limit, other)) if now[0] < *limit => sum(other),
            _ => sum(&next.sum) + next.plus,
        });
        let mut all = [vec![now[0] + 1], next.collect()].concat();
        all[1] += l.inner.unwrap_or(0);
        now = all;
    }
    now
}

/// Makes nodes of a graph, with names of their own.
struct Maker<'a> {
    world: &'a World,
    /// Adds two by `Add`, which a program on scalars can do, or by `Sum`, which it cannot.
    adds: &'a str,
    made: usize,
}

/// Makes the next values of a loop's variables from the present ones and the constants, in this order.
type Body<'b, 'a> = dyn FnMut(&mut Maker<'a>, &[OutputId], &[OutputId]) -> Vec<OutputId> + 'b;

impl<'a> Maker<'a> {
    fn node(&mut self, op: &str, inputs: &[OutputId], attrs: &[(&str, AttrValue)]) -> OutputId {
        self.made += 1;
        self.world.add(op, &format!("{op}{}", self.made), inputs, attrs)
    }

    fn constant(&mut self, value: i64) -> OutputId {
        let value = AttrValue::Tensor(Tensor::scalar(value));
        self.node("Const", &[], &[("value", value), ("dtype", AttrValue::Type(DType::I64))])
    }

    fn enter(&mut self, frame: &str, value: OutputId, is_constant: bool) -> OutputId {
        let attrs = [("frame_name", AttrValue::Str(frame.into())), ("is_constant", AttrValue::Bool(is_constant))];
        self.node("Enter", &[value], &attrs)
    }

    fn sum(&mut self, terms: &[OutputId]) -> OutputId {
        if self.adds == "Sum" {
            return self.node("Sum", terms, &[]);
        }
        let adds = self.adds;
        terms[1..].iter().fold(terms[0], |sum, &term| self.node(adds, &[sum, term], &[]))
    }

    /// Makes a loop of variables with these first values. Returns the exits.
    fn repeat(
        &mut self,
        frame: &str,
        times: OutputId,
        starts: &[OutputId],
        constants: &[OutputId],
        body: &mut Body<'_, 'a>,
    ) -> Vec<OutputId> {
        let limit = self.enter(frame, times, true);
        let constants: Vec<_> = constants.iter().map(|&c| self.enter(frame, c, true)).collect();
        // The second input of each Merge comes from the next iteration.
        let enters: Vec<_> = starts.iter().map(|&start| self.enter(frame, start, false)).collect();
        let merges: Vec<_> = enters.into_iter().map(|enter| self.node("Merge", &[enter, enter], &[])).collect();
        let less = self.node("Less", &[merges[0], limit], &[]);
        let condition = self.node("LoopCond", &[less], &[]);
        let switches: Vec<_> = merges.iter().map(|&merge| self.node("Switch", &[merge, condition], &[])).collect();
        let now: Vec<_> = switches.iter().map(|&switch| OutputId { index: 1, ..switch }).collect();
        for (merge, next) in merges.iter().zip(body(self, &now, &constants)) {
            let next = self.node("NextIteration", &[next], &[]);
            self.world.graph.write().update_input(merge.node, 1, next).unwrap();
        }
        switches.iter().map(|&switch| self.node("Exit", &[switch], &[])).collect()
    }

    /// Makes the loop and returns its exits. `times` may be fed.
    fn make(&mut self, l: &Loop, times: OutputId) -> Vec<OutputId> {
        let starts: Vec<_> = [&[0], &l.starts[..]].concat().into_iter().map(|start| self.constant(start)).collect();
        let (zero, one) = (self.constant(0), self.constant(1));
        let mut constants = vec![zero, one, self.constant(l.inner.unwrap_or(0))];
        for next in &l.next {
            constants.push(self.constant(next.plus));
            constants.push(self.constant(next.below.as_ref().map_or(0, |(limit, _)| *limit)));
        }
        self.repeat("outer", times, &starts, &constants, &mut |g, now, constants| {
            let [zero, one, inner] = constants[..3] else { unreachable!() };
            let mut all = vec![g.sum(&[now[0], one])];
            for (next, numbers) in l.next.iter().zip(constants[3..].chunks(2)) {
                let terms = |g: &mut Self, of: &[usize], last, pred, taken| -> OutputId {
                    let terms: Vec<_> = of.iter().map(|&i| now[i]).chain([last]).collect();
                    let Some(pred) = pred else { return g.sum(&terms) };
                    // Only one of the branches runs.
                    let terms: Vec<_> = terms
                        .into_iter()
                        .map(|term| OutputId { index: taken, ..g.node("Switch", &[term, pred], &[]) })
                        .collect();
                    g.sum(&terms)
                };
                all.push(match &next.below {
                    None => terms(g, &next.sum, numbers[0], None, 0),
                    Some((_, other)) => {
                        let pred = Some(g.node("Less", &[now[0], numbers[1]], &[]));
                        let branches = [terms(g, &next.sum, numbers[0], pred, 0), terms(g, other, zero, pred, 1)];
                        g.node("Merge", &branches, &[])
                    }
                });
            }
            if l.inner.is_some() {
                let exits = g.repeat("inner", inner, &[zero, all[1]], &[one], &mut |g, now, constants| {
                    now.iter().map(|&x| g.sum(&[x, constants[0]])).collect()
                });
                all[1] = exits[1];
            }
            all
        })
    }
}

/// Returns what a session with these rewrites fetches, traced or not.
fn fetched(
    world: &World,
    rewrites: Rewrites,
    trace: bool,
    times: OutputId,
    fed: i64,
    fetches: &[OutputId],
) -> Vec<i64> {
    let defaults = SessionOptions::default();
    let options = SessionOptions { plan: PlanOptions { rewrites, ..defaults.plan }, ..defaults };
    let session = Session::with_resources(world.graph.clone(), options, world.session.resources().clone());
    let request = Request { feeds: vec![times], fetches: fetches.to_vec(), ..Request::default() };
    let prepared = session.prepare(&request).unwrap();
    let options = RunOptions { trace, ..RunOptions::default() };
    let outcome = session.run(&prepared, vec![Tensor::scalar(fed)].into(), &options).unwrap();
    outcome.values.iter().map(|v| v.as_ref().unwrap().to_scalar().unwrap()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_loop_gives_what_the_same_statements_give(l in loops(), fetched_from in 0..4usize) {
        for adds in ["Add", "Sum"] {
            let world = World::new();
            let times = world.placeholder("times", DType::I64);
            let mut maker = Maker { world: &world, adds, made: 0 };
            let exits = maker.make(&l, times);
            let from = fetched_from.min(exits.len() - 1);
            for (rewrites, trace) in [(Rewrites::ALL, false), (Rewrites::ALL, true), (Rewrites::NONE, false)] {
                for times_run in [l.times, l.times + 1] {
                    let expected = expected(&Loop { times: times_run, ..l.clone() });
                    let found = fetched(&world, rewrites, trace, times, times_run, &exits[from..]);
                    prop_assert_eq!(found, &expected[from..], "{} {:?} {}", adds, rewrites, trace);
                }
            }
        }
    }
}

#[test]
fn a_loop_without_end_ends_with_its_step() {
    for adds in ["Add", "Sum"] {
        ends(move || {
            let world = World::new();
            let times = world.constant("times", i64::MAX);
            let mut maker = Maker { world: &world, adds, made: 0 };
            let zero = maker.constant(0);
            let exits = maker
                .repeat("loop", times, &[zero], &[zero], &mut |g, now, constants| vec![g.sum(&[now[0], constants[0]])]);
            let request = Request { fetches: exits, ..Request::default() };
            let late: &dyn Fn() -> Result<()> = &|| Err(Status::deadline_exceeded("late"));
            let options = RunOptions { poll: Some(late), ..RunOptions::default() };
            assert_eq!(world.run(&request, vec![], &options).err().unwrap().code(), Code::DeadlineExceeded);
            let failure = std::thread::scope(|scope| {
                let step = scope.spawn(|| world.run(&request, vec![], &RunOptions::default()).err().unwrap());
                while !step.is_finished() {
                    world.session.close();
                }
                step.join().unwrap()
            });
            assert!(matches!(failure.code(), Code::Cancelled | Code::FailedPrecondition), "{failure:?}");
        });
    }
}

#[test]
fn a_fetch_in_a_branch_that_is_not_taken_has_no_value() {
    let world = World::new();
    let pred = world.placeholder("pred", DType::Bool);
    let one = world.constant("one", 1);
    let switch = world.add("Switch", "switch", &[one, pred], &[]);
    let branches =
        [0, 1].map(|index| world.add("Log", &format!("log{index}"), &[OutputId { index, ..switch }, one], &[]));
    let merge = world.add("Merge", "merge", &branches, &[]);
    let index = OutputId { index: 1, ..merge };
    let request =
        Request { feeds: vec![pred], fetches: [&branches[..], &[merge, index]].concat(), ..Request::default() };
    for taken in [false, true] {
        let options = RunOptions { may_miss: true, ..RunOptions::default() };
        let values = world.run(&request, vec![Tensor::scalar(taken)], &options).unwrap().values;
        let found: Vec<_> = values[..3].iter().map(|v| v.as_ref().map(|v| v.to_scalar::<i64>().unwrap())).collect();
        assert_eq!(found, [(!taken).then_some(2), taken.then_some(2), Some(2)]);
        assert_eq!(values[3].as_ref().unwrap().to_scalar::<i32>(), Ok(i32::from(taken)));
        let failure = world.run(&request, vec![Tensor::scalar(taken)], &RunOptions::default()).err().unwrap();
        let message = format!("Retval[{}] does not have value", i32::from(!taken));
        assert_eq!((failure.code(), failure.message()), (Code::InvalidArgument, &*message));
    }
    let failure = world.run(&request, vec![Tensor::from_slice([1], &[true]).unwrap()], &RunOptions::default());
    let message = failure.err().unwrap().message().to_owned();
    assert!(message.starts_with("The second input must be a scalar, but it has shape [1]"), "{message}");
}

#[test]
fn a_write_in_a_branch_that_is_not_taken_leaves_the_variable() {
    let world = World::new();
    let (variable, pred) = (world.variable("v"), world.placeholder("pred", DType::Bool));
    let [ten, one] = [10, 1].map(|n| world.constant(&format!("c{n}"), n));
    let start = world.add("Assign", "start", &[variable, ten], &[]);
    let switch = world.add("Switch", "switch", &[one, pred], &[]);
    let assign = world.add("Assign", "assign", &[variable, OutputId { index: 1, ..switch }], &[]);
    let written = world.add("Sum", "written", &[assign], &[]);
    let merge = world.add("Merge", "merge", &[switch, written], &[]);
    let after = world.add("Sum", "after", &[variable, variable], &[]);
    world.control(after, &[merge]);
    for taken in [false, true, false] {
        world.fetch(&[start]).unwrap();
        let request = Request { feeds: vec![pred], fetches: vec![merge, after, variable], ..Request::default() };
        let outcome = world.run(&request, vec![Tensor::scalar(taken)], &RunOptions::default()).unwrap();
        let values: Vec<i64> = outcome.values.iter().map(|v| v.as_ref().unwrap().to_scalar().unwrap()).collect();
        assert_eq!(values, if taken { [1, 2, 1] } else { [1, 20, 10] });
    }
}
