//! Kernels that block on threads of their own: steps go on meanwhile, fail in order, and end only when their work has.

#![allow(clippy::unwrap_used)]

mod world;

use ferroflow_graph::{AttrValue, OutputId};
use ferroflow_plan::Request;
use ferroflow_runtime::RunOptions;
use ferroflow_tensor::{Code, Result, Status};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use world::{World, ends};

fn fails() -> (&'static str, AttrValue) {
    ("fails", AttrValue::Bool(true))
}

fn ignores() -> (&'static str, AttrValue) {
    ("stops", AttrValue::Bool(false))
}

fn request(fetches: &[OutputId]) -> Request {
    Request { fetches: fetches.to_vec(), ..Request::default() }
}

/// Runs a step that its poll ends, once `begun` has begun to block.
fn interrupted(world: &World, fetches: &[OutputId], begun: &str, reason: &Status) -> Status {
    let stage = world.stage();
    let poll: &dyn Fn() -> Result<()> = &|| {
        stage.wait_for_begin(begun);
        Err(reason.clone())
    };
    let options = RunOptions { poll: Some(poll), ..RunOptions::default() };
    world.run(&request(fetches), vec![], &options).err().unwrap()
}

#[test]
fn all_that_block_block_at_once_and_readers_run_when_theirs_have_ended() {
    ends(|| {
        let world = World::new();
        let one = world.constant("one", 1);
        let names: Vec<_> = (0..5).map(|k| format!("block{k}")).collect();
        let blocks: Vec<_> = names.iter().map(|name| world.add("Block", name, &[one, one], &[])).collect();
        let readers: Vec<_> = (0..5).map(|k| world.add("Log", &format!("log{k}"), &[blocks[k], one], &[])).collect();
        let stage = world.stage();
        std::thread::scope(|scope| {
            let step = scope.spawn(|| world.fetch(&readers));
            names.iter().for_each(|name| stage.wait_for_begin(name));
            for k in [3, 0, 4, 2, 1] {
                stage.release(&names[k]);
                stage.wait_for_log(&format!("log{k}"));
            }
            assert_eq!(step.join().unwrap(), Ok(vec![3; 5]));
        });
        assert_eq!(stage.log(), ["log3", "log0", "log4", "log2", "log1"]);
    });
}

#[test]
fn of_several_failures_the_first_in_the_order_of_the_nodes_is_reported() {
    for last in 0..3 {
        ends(move || {
            let world = World::new();
            let names = ["a", "b", "c"];
            let blocks: Vec<_> =
                names.iter().map(|name| world.add("Block", name, &[], &[fails(), ignores()])).collect();
            let stage = world.stage();
            let failure = std::thread::scope(|scope| {
                let step = scope.spawn(|| world.fetch(&blocks));
                names.iter().for_each(|name| stage.wait_for_begin(name));
                (0..3).filter(|&k| k != last).for_each(|k| stage.release(names[k]));
                // The failure of another has cancelled it.
                stage.wait_for_cancellation(names[last]);
                stage.release(names[last]);
                step.join().unwrap().unwrap_err()
            });
            assert_eq!((failure.message(), &*world.failed_node(&failure)), ("a fails", "a"));
            assert!(names.iter().all(|name| stage.has_ended(name)), "work outlives its step");
        });
    }
}

#[test]
fn more_files_than_threads_are_read_on_the_thread_of_the_step() {
    ends(|| {
        let world = World::new();
        let names: Vec<_> = (0..80).map(|k| format!("file{k}")).collect();
        let files: Vec<_> = names.iter().map(|name| world.add("BlockOnFile", name, &[], &[])).collect();
        // Code that may wait for the files makes them leave the thread.
        let code = world.add("Block", "code", &[], &[]);
        let stage = world.stage();
        std::thread::scope(|scope| {
            let step = scope.spawn(|| world.fetch(&[&files[..], &[code]].concat()));
            stage.wait_for_one_that_stays();
            names.iter().for_each(|name| stage.release(name));
            stage.release("code");
            assert_eq!(step.join().unwrap(), Ok(vec![0; 81]));
        });
    });
}

#[test]
fn a_failure_cancels_the_work_that_runs_and_waits_for_it() {
    ends(|| {
        let world = World::new();
        let block = world.add("Block", "block", &[], &[]);
        let beside = world.add("Block", "beside", &[], &[fails()]);
        let stage = world.stage();
        let failure = std::thread::scope(|scope| {
            let step = scope.spawn(|| world.fetch(&[block, beside]));
            stage.wait_for_begin("block");
            stage.release("beside");
            step.join().unwrap().unwrap_err()
        });
        // The cancellation of the other one is no failure of its own.
        assert_eq!((failure.message(), &*world.failed_node(&failure)), ("beside fails", "beside"));
        assert!(stage.has_ended("block"));
    });
}

#[test]
fn an_interrupt_leaves_code_behind_that_does_not_end() {
    ends(|| {
        let world = World::new();
        let block = world.add("Block", "block", &[], &[ignores()]);
        let beside = world.add("Block", "beside", &[], &[]);
        let began = Instant::now();
        let failure = interrupted(&world, &[block, beside], "block", &Status::cancelled("Ctrl-C"));
        assert_eq!(failure.code(), Code::Cancelled);
        assert!(!world.stage().has_ended("block"));
        // It had a second to end.
        assert!(began.elapsed() >= Duration::from_millis(900));
        world.stage().release("block");
    });
}

/// Checks that a step which its poll ends for this reason waits for work of this op, which ignores that it is cancelled.
fn check_waits(op: &'static str, reason: Status) {
    ends(move || {
        let world = World::new();
        let block = world.add(op, "block", &[], &[ignores()]);
        let beside = world.add("Block", "beside", &[], &[]);
        let stage = world.stage();
        let polls = AtomicUsize::new(0);
        let code = reason.code();
        std::thread::scope(|scope| {
            let (world, polls, reason) = (&world, &polls, &reason);
            let step = scope.spawn(move || {
                let poll: &dyn Fn() -> Result<()> = &|| {
                    polls.fetch_add(1, Ordering::Relaxed);
                    Err(reason.clone())
                };
                let options = RunOptions { poll: Some(poll), ..RunOptions::default() };
                world.run(&request(&[block, beside]), vec![], &options).err().unwrap()
            });
            stage.wait_for_begin("block");
            // A period between two polls has 50 ms: this is longer than code has after an interrupt.
            while polls.load(Ordering::Relaxed) < 30 {
                std::thread::yield_now();
            }
            assert!(!step.is_finished());
            stage.release("block");
            assert_eq!(step.join().unwrap().code(), code);
        });
    });
}

#[test]
fn a_time_limit_waits_for_code_that_ignores_it() {
    check_waits("Block", Status::deadline_exceeded("late"));
}

#[test]
fn an_interrupt_waits_for_files() {
    check_waits("BlockOnFile", Status::cancelled("Ctrl-C"));
}

#[test]
fn blocking_work_in_a_loop_gives_each_iteration_its_value() {
    ends(|| {
        let world = World::new();
        let zero = world.constant("zero", 0);
        let four = world.constant("four", 4);
        let one = world.constant("one", 1);
        let stage = world.stage();
        stage.release("beside");
        let frame = ("frame_name", AttrValue::Str(b"loop".to_vec()));
        let held = ("is_constant", AttrValue::Bool(true));
        let enter = world.add("Enter", "enter", &[zero], std::slice::from_ref(&frame));
        let limit = world.add("Enter", "limit", &[four], &[frame.clone(), held.clone()]);
        let step = world.add("Enter", "step", &[one], &[frame, held]);
        // The second input of the Merge comes from the next iteration.
        let merge = world.add("Merge", "merge", &[enter, enter], &[]);
        let less = world.add("Less", "less", &[merge, limit], &[]);
        let condition = world.add("LoopCond", "condition", &[less], &[]);
        let switch = world.add("Switch", "switch", &[merge, condition], &[]);
        let stays = OutputId { index: 1, ..switch };
        let block = world.add("Block", "block", &[stays, step], &[]);
        let log = world.add("Log", "log", &[block], &[]);
        let next = world.add("NextIteration", "next", &[log], &[]);
        world.graph.write().update_input(merge.node, 1, next).unwrap();
        let exit = world.add("Exit", "exit", &[switch], &[]);
        let beside = world.add("Block", "beside", &[one], &[]);
        // The poll comes when all of the step waits, the loop included.
        let poll: &dyn Fn() -> Result<()> = &|| {
            if stage.has_begun("block") {
                stage.release("block");
            }
            Ok(())
        };
        let options = RunOptions { poll: Some(poll), ..RunOptions::default() };
        let values = world.run(&request(&[exit, beside]), vec![], &options).unwrap().values;
        let values: Vec<i64> = values.iter().map(|v| v.as_ref().unwrap().to_scalar().unwrap()).collect();
        assert_eq!(values, [4, 1]);
        assert_eq!(stage.log(), ["log"; 4]);
    });
}
