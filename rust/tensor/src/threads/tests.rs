//! Laws of the parallel loops: each task once, panics carried over, no deadlock, alive after a fork.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

fn visits(threads: Threads, tasks: usize) -> Vec<usize> {
    let counts: Vec<AtomicUsize> = (0..tasks).map(|_| AtomicUsize::new(0)).collect();
    threads.run(tasks, &|task| {
        counts[task].fetch_add(1, Ordering::Relaxed);
    });
    counts.into_iter().map(AtomicUsize::into_inner).collect()
}

#[test]
fn every_task_runs_once() {
    for count in [1, 2, 3, 8] {
        for tasks in [0, 1, 2, 3, 7, 100, 1000] {
            assert_eq!(visits(Threads::new(count), tasks), vec![1; tasks], "{count} threads, {tasks} tasks");
        }
    }
}

#[test]
fn counts_are_brought_into_range() {
    assert_eq!(Threads::new(0).count(), 1);
    assert_eq!(Threads::new(usize::MAX).count(), MAX_THREADS);
    assert_eq!(Threads::single().count(), 1);
    assert!(default_count() >= 1);
}

#[test]
fn results_written_by_tasks_are_seen_by_the_caller() {
    for round in 0..2000usize {
        let mut data = vec![0usize; 64];
        for_chunks_mut(Threads::new(4), &mut data, 5, |start, chunk| {
            for (offset, value) in chunk.iter_mut().enumerate() {
                *value = (start + offset) * round;
            }
        });
        assert!(data.iter().enumerate().all(|(i, &v)| v == i * round));
    }
}

#[test]
fn blocks_cover_the_range_in_disjoint_pieces() {
    for (len, block) in [(0, 3), (1, 3), (9, 3), (10, 3), (5, 0), (5, usize::MAX)] {
        let seen: Vec<AtomicUsize> = (0..len).map(|_| AtomicUsize::new(0)).collect();
        for_blocks(Threads::new(2), len, block, |range| {
            assert!(range.len() <= block.max(1) && !range.is_empty());
            range.for_each(|i| {
                seen[i].fetch_add(1, Ordering::Relaxed);
            });
        });
        assert!(seen.iter().all(|count| count.load(Ordering::Relaxed) == 1));
    }
}

#[test]
fn a_nested_loop_runs_inside_its_task() {
    let total = AtomicUsize::new(0);
    Threads::new(4).run(8, &|_| {
        let me = std::thread::current().id();
        Threads::new(4).run(8, &|_| {
            assert_eq!(std::thread::current().id(), me);
            Threads::new(3).run(4, &|_| {
                assert_eq!(std::thread::current().id(), me);
                total.fetch_add(1, Ordering::Relaxed);
            });
        });
    });
    assert_eq!(total.into_inner(), 8 * 8 * 4);
}

#[test]
fn a_loop_that_finds_its_pool_busy_runs_alone_and_so_do_the_loops_in_it() {
    let (is_busy, may_end) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let wait_for = |flag: &AtomicUsize, least: usize| {
        while flag.load(Ordering::SeqCst) < least {
            std::thread::yield_now();
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            Threads::new(13).run(2, &|_| {
                is_busy.fetch_add(1, Ordering::SeqCst);
                wait_for(&may_end, 1);
            });
        });
        wait_for(&is_busy, 1);
        let me = std::thread::current().id();
        let total = AtomicUsize::new(0);
        Threads::new(13).run(3, &|task| {
            if task == 1 {
                may_end.store(1, Ordering::SeqCst);
            }
            assert_eq!(std::thread::current().id(), me);
            Threads::new(14).run(5, &|_| {
                assert_eq!(std::thread::current().id(), me);
                total.fetch_add(1, Ordering::Relaxed);
            });
        });
        assert_eq!(total.into_inner(), 3 * 5);
        // The mark ends with the loop. Each task waits for the other, which needs a second thread.
        let arrived = AtomicUsize::new(0);
        Threads::new(15).run(2, &|_| {
            arrived.fetch_add(1, Ordering::SeqCst);
            wait_for(&arrived, 2);
        });
    });
}

#[test]
fn a_panic_reaches_the_caller_and_the_pool_lives_on() {
    for count in [1, 2, 4] {
        let threads = Threads::new(count);
        for bad in [0, 1, 50, 99] {
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                threads.run(100, &|task| assert!(task != bad, "task {bad} failed"));
            }));
            let message = *outcome.unwrap_err().downcast::<String>().unwrap();
            assert_eq!(message, format!("task {bad} failed"));
            assert_eq!(visits(threads, 100), vec![1; 100]);
        }
    }
}

#[test]
fn a_loop_after_a_caught_panic_inside_a_task_still_runs_in_that_task() {
    Threads::new(2).run(4, &|_| {
        let inner = catch_unwind(|| Threads::new(2).run(2, &|_| panic!("inner")));
        assert!(inner.is_err());
        let me = std::thread::current().id();
        Threads::new(2).run(4, &|_| assert_eq!(std::thread::current().id(), me));
    });
}

#[test]
fn several_callers_share_pools_without_losing_work() {
    let total = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for caller in 0..6 {
            let total = &total;
            scope.spawn(move || {
                for round in 0..2000usize {
                    let threads = Threads::new(2 + (caller + round) % 3);
                    threads.run(1 + round % 9, &|_| {
                        total.fetch_add(1, Ordering::Relaxed);
                    });
                    if round % 512 == 7 {
                        let outcome = catch_unwind(AssertUnwindSafe(|| threads.run(5, &|_| panic!("expected"))));
                        assert!(outcome.is_err());
                    }
                }
            });
        }
    });
    let expected: usize = (0..2000usize).map(|round| 1 + round % 9).sum::<usize>() * 6;
    assert_eq!(total.into_inner(), expected);
}

#[test]
fn workers_wake_after_a_pause_longer_than_their_spin() {
    // A size that no other test uses: a busy pool would leave both tasks to the caller.
    let threads = Threads::new(11);
    for _ in 0..20 {
        let pause = std::time::Instant::now();
        while pause.elapsed() < std::time::Duration::from_micros(400) {
            std::thread::yield_now();
        }
        // Each task waits for the other, so this ends only when a second thread has come.
        let arrived = AtomicUsize::new(0);
        threads.run(2, &|_| {
            arrived.fetch_add(1, Ordering::SeqCst);
            while arrived.load(Ordering::SeqCst) < 2 {
                std::hint::spin_loop();
            }
        });
    }
}

#[cfg(unix)]
#[test]
fn a_forked_child_computes_and_ends() {
    unsafe extern "C" {
        fn fork() -> i32;
        fn waitpid(pid: i32, status: *mut i32, options: i32) -> i32;
        fn _exit(status: i32) -> !;
        fn alarm(seconds: u32) -> u32;
    }
    assert_eq!(visits(Threads::new(2), 10), vec![1; 10]);
    // SAFETY: the child only runs loops, which allocate through an allocator that survives fork, and ends with _exit.
    let child = unsafe { fork() };
    assert!(child >= 0);
    if child == 0 {
        // SAFETY: plain calls of the C library; the alarm ends a child that hangs.
        unsafe { alarm(20) };
        let total = AtomicUsize::new(0);
        for _ in 0..100 {
            Threads::new(2).run(10, &|_| {
                total.fetch_add(1, Ordering::Relaxed);
            });
        }
        // SAFETY: as above.
        unsafe { _exit(if total.into_inner() == 1000 { 0 } else { 1 }) };
    }
    let mut status = -1;
    // SAFETY: `child` is this process's own child and `status` is writable.
    assert_eq!(unsafe { waitpid(child, &mut status, 0) }, child);
    assert_eq!(status, 0);
    assert_eq!(visits(Threads::new(2), 10), vec![1; 10]);
}
