//! The laws of groups, over channels between threads.

use crate::testing::{run, transports, with_ranks};
use crate::{Group, Operation, Options, Scale};
use ferroflow_graph::Bell;
use ferroflow_tensor::{Code, Shape, Tensor, f16};
use proptest::prelude::*;
use std::sync::Arc;
use std::time::Duration;

const SUM: Operation = Operation::Sum(Scale { before: 1.0, after: 1.0, is_average: false });

fn vector(values: &[f32]) -> Tensor {
    Tensor::from_slice([values.len()], values).unwrap()
}

/// Returns the values of rank `rank`. Their sizes are very different, so that the order of additions changes the sum.
fn values(rank: usize, n: usize) -> Vec<f32> {
    (0..n).map(|i| ((i * 7919 + rank * 104_729) % 1000) as f32 * 10f32.powi(((i + 3 * rank) % 9) as i32 - 4)).collect()
}

fn in_rank_order(size: usize, n: usize) -> Vec<f32> {
    let mut sum = values(0, n);
    for rank in 1..size {
        sum.iter_mut().zip(values(rank, n)).for_each(|(s, v)| *s += v);
    }
    sum
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn sums_have_the_bits_of_additions_in_rank_order(
        size in 2usize..6,
        lengths in prop::collection::vec(0usize..700, 1..6),
        piece_bytes in prop::sample::select(vec![4usize, 300, 4096]),
        fusion_bytes in prop::sample::select(vec![0usize, 1000, 1 << 26]),
    ) {
        let options = Options { piece_bytes, fusion_bytes, ..Options::default() };
        let sums = with_ranks(size, &options, |group| {
            // Every rank submits in an order of its own.
            let mut order: Vec<usize> = (0..lengths.len()).collect();
            order.rotate_left(group.rank() % lengths.len());
            let bell = Arc::new(Bell::default());
            let mut tickets: Vec<_> = order
                .iter()
                .map(|&i| {
                    let tensor = vector(&values(group.rank(), lengths[i]));
                    (i, group.submit(&i.to_string(), SUM, tensor, bell.clone()).unwrap())
                })
                .collect();
            tickets.sort_by_key(|(i, _)| *i);
            let mut heard = 0;
            let mut outcome = |ticket: &crate::Ticket| loop {
                if let Some(outcome) = ticket.poll() {
                    return outcome.unwrap();
                }
                bell.wait(&mut heard, Duration::from_millis(50));
            };
            tickets.iter().map(|(_, t)| outcome(t)).collect::<Vec<_>>()
        });
        for rank in sums {
            for (sum, &n) in rank.iter().zip(&lengths) {
                prop_assert_eq!(sum, &vector(&in_rank_order(size, n)));
            }
        }
    }
}

#[test]
fn an_average_is_the_scaled_sum_divided_by_the_number_of_ranks() {
    let scale = Scale { before: 0.5, after: 3.0, is_average: true };
    let all =
        with_ranks(3, &Options::default(), |g| run(g, "x", Operation::Sum(scale), vector(&values(g.rank(), 200))));
    let halves = |rank| values(rank, 200).into_iter().map(|v| v * 0.5);
    let expected: Vec<f32> =
        halves(0).zip(halves(1)).zip(halves(2)).map(|((a, b), c)| (a + b + c) / 3.0 * 3.0).collect();
    assert!(all.into_iter().all(|t| t.unwrap() == vector(&expected)));
}

#[test]
fn other_types_are_summed_and_bool_is_not() {
    let all = with_ranks(2, &Options::default(), |g| {
        let rank = g.rank();
        let half = Tensor::from_slice([3], &[f16::from_f32(1.5 + rank as f32); 3]).unwrap();
        let long = Tensor::scalar(1i64 << (40 + rank));
        let half = run(g, "half", SUM, half).unwrap();
        (half, run(g, "long", SUM, long).unwrap(), run(g, "bool", SUM, Tensor::scalar(true)).unwrap_err())
    });
    for (half, long, error) in all {
        assert_eq!(half, Tensor::from_slice([3], &[f16::from_f32(4.0); 3]).unwrap());
        assert_eq!(long, Tensor::scalar(3i64 << 40));
        assert!(error.message().contains("bool"), "{error:?}");
    }
}

#[test]
fn rows_of_all_ranks_follow_each_other() {
    let all = with_ranks(3, &Options::default(), |g| {
        let rows = [2, 0, 3][g.rank()];
        let values: Vec<bool> = (0..rows * 2).map(|i| (i + g.rank()).is_multiple_of(3)).collect();
        run(g, "x", Operation::Concatenate, Tensor::from_slice(Shape::new(&[rows, 2]), &values).unwrap()).unwrap()
    });
    let expected: Vec<bool> =
        (0..4).map(|i: usize| i.is_multiple_of(3)).chain((0..6).map(|i: usize| (i + 2).is_multiple_of(3))).collect();
    assert!(all.iter().all(|t| *t == Tensor::from_slice([5, 2], &expected).unwrap()));
}

#[test]
fn a_broadcast_gives_the_tensor_of_the_root() {
    for root in 0..3 {
        let all = with_ranks(3, &Options::default(), |g| {
            run(g, "x", Operation::Broadcast { root }, vector(&[g.rank() as f32; 5])).unwrap()
        });
        assert!(all.iter().all(|t| *t == vector(&[root as f32; 5])));
    }
}

#[test]
fn a_mismatch_is_an_error_on_every_rank_and_the_group_goes_on() {
    let all = with_ranks(2, &Options::default(), |g| {
        let wrong = run(g, "x", SUM, vector(&values(0, 2 + g.rank()))).unwrap_err();
        (wrong, run(g, "x", SUM, vector(&[1.0])).unwrap())
    });
    for (wrong, right) in all {
        assert_eq!(wrong.code(), Code::FailedPrecondition);
        assert!(wrong.message().contains("[2], but rank 1 sent a tensor of shape [3]"), "{wrong:?}");
        assert_eq!(right, vector(&[2.0]));
    }
}

#[test]
fn a_rank_that_leaves_ends_what_the_others_wait_for() {
    let all = with_ranks(3, &Options::default(), |g| (g.rank() != 1).then(|| run(g, "x", SUM, vector(&[1.0]))));
    for outcome in all.into_iter().flatten() {
        let error = outcome.unwrap_err();
        assert_eq!(error.code(), Code::Unknown);
        assert!(error.message().contains("Rank 1 has ended or called hvd.shutdown()"), "{error:?}");
    }
}

#[test]
fn a_rank_that_vanishes_counts_as_lost() {
    let options = Options { lost_after: Some(Duration::from_millis(400)), ..Options::default() };
    for lost in 0..2 {
        let mut ends = transports(2);
        ends[lost].is_lost = true;
        let groups: Vec<Arc<Group>> = ends
            .into_iter()
            .enumerate()
            .map(|(rank, end)| Group::join(Box::new(end), rank, 2, options.clone()).unwrap())
            .collect();
        let error = run(&groups[1 - lost], "x", SUM, vector(&[1.0])).unwrap_err();
        assert!(error.message().contains(&format!("Rank {lost} has sent nothing for")), "{error:?}");
        groups.iter().for_each(|g| assert!(g.leave(Duration::from_secs(20))));
    }
}

#[test]
fn a_rank_that_computes_for_long_is_waited_for() {
    let options = Options { lost_after: Some(Duration::from_millis(800)), ..Options::default() };
    let all = with_ranks(2, &options, |g| {
        if g.rank() == 0 {
            std::thread::sleep(Duration::from_millis(2000));
        }
        run(g, "x", SUM, vector(&[1.0]))
    });
    assert!(all.into_iter().all(|t| t.unwrap() == vector(&[2.0])));
}

#[test]
fn a_tensor_that_waits_too_long_ends_the_group() {
    let options = Options { stall_limit: Some(Duration::from_millis(100)), ..Options::default() };
    let all = with_ranks(2, &options, |g| run(g, &format!("of {}", g.rank()), SUM, vector(&[1.0])).unwrap_err());
    for error in all {
        assert!(error.message().contains("of 0 [missing ranks: 1]"), "{error:?}");
    }
}

#[test]
fn wrong_submissions_are_errors() {
    let both_have_submitted = std::sync::Barrier::new(2);
    with_ranks(2, &Options::default(), |g| {
        let bell = Arc::new(Bell::default());
        let submit = |name: &str, operation, tensor: Tensor| g.submit(name, operation, tensor, bell.clone());
        let error = submit("x", Operation::Broadcast { root: 2 }, vector(&[1.0])).err().unwrap();
        assert!(error.message().contains("root rank 2"), "{error:?}");
        assert!(submit("x", Operation::Concatenate, Tensor::scalar(1f32)).is_err());
        let first = submit("y", SUM, vector(&[1.0])).unwrap();
        let second = submit("y", SUM, vector(&[1.0])).err();
        both_have_submitted.wait();
        // The first may have ended before the second was submitted.
        assert!(second.is_none_or(|e| e.message().contains("Duplicate tensor name y")));
        drop(first);
    });
}

#[test]
fn a_group_of_one_needs_no_other() {
    let group = Group::alone();
    let scale = Scale { before: 0.5, after: 4.0, is_average: true };
    assert_eq!(run(&group, "x", Operation::Sum(scale), vector(&[1.0])).unwrap(), vector(&[2.0]));
    assert_eq!(run(&group, "x", Operation::Broadcast { root: 0 }, vector(&[1.0])).unwrap(), vector(&[1.0]));
    assert!(group.leave(Duration::ZERO));
}
