//! Laws of the locks between threads of one process.

use ferroflow_sync::{Condvar, Mutex, OnceLock, RwLock};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Longer than any test takes: who waits as long was not woken.
const HANGS: Duration = Duration::from_secs(30);

#[test]
fn a_mutex_lets_one_thread_in() {
    let (total, late) = (Mutex::new(0u64), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for thread in 0..6 {
            let (total, late) = (&total, &late);
            scope.spawn(move || {
                for round in 0..20_000u64 {
                    let guard = match (thread + round) % 3 {
                        0 => Some(total.lock()),
                        1 => total.try_lock(),
                        _ => total.try_lock_for(Duration::from_micros(20)),
                    };
                    let Some(mut guard) = guard else {
                        late.fetch_add(1, Ordering::Relaxed);
                        continue;
                    };
                    let seen = *guard;
                    if round % 64 == 0 {
                        std::thread::yield_now();
                    }
                    *guard = seen + 1;
                }
            });
        }
    });
    assert_eq!(total.into_inner() + late.into_inner() as u64, 6 * 20_000);
}

#[test]
fn a_held_mutex_is_not_had_in_time() {
    let mutex = Mutex::new(());
    let guard = mutex.lock();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let began = Instant::now();
            assert!(mutex.try_lock().is_none());
            assert!(mutex.try_lock_for(Duration::from_millis(5)).is_none());
            assert!(began.elapsed() >= Duration::from_millis(5));
        });
    });
    drop(guard);
    assert!(mutex.try_lock().is_some());
}

#[test]
fn writers_are_alone_and_everyone_gets_a_turn() {
    let (pair, inside) = (RwLock::new((0u64, 0u64)), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for thread in 0..6 {
            let (pair, inside) = (&pair, &inside);
            scope.spawn(move || {
                for round in 0..8_000 {
                    if (thread + round) % 4 == 0 {
                        let mut pair = pair.write();
                        assert_eq!(inside.load(Ordering::SeqCst), 0);
                        pair.0 += 1;
                        if round % 64 == 0 {
                            std::thread::yield_now();
                        }
                        pair.1 += 1;
                    } else {
                        let pair = pair.read();
                        inside.fetch_add(1, Ordering::SeqCst);
                        assert_eq!(pair.0, pair.1);
                        if round % 64 == 0 {
                            std::thread::yield_now();
                        }
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                }
            });
        }
    });
    assert_eq!(pair.into_inner(), (6 * 2_000, 6 * 2_000));
}

#[test]
fn threads_that_wait_for_each_other_are_woken() {
    let (turn, changed) = (Mutex::new(0), Condvar::new());
    let began = Instant::now();
    std::thread::scope(|scope| {
        for me in 0..3 {
            let (turn, changed) = (&turn, &changed);
            scope.spawn(move || {
                for round in (me..6_000).step_by(3) {
                    let mut turn = turn.lock();
                    while *turn != round {
                        changed.wait_for(&mut turn, HANGS);
                    }
                    *turn += 1;
                    changed.notify_all();
                }
            });
        }
    });
    assert!(began.elapsed() < HANGS, "a notification was lost");
}

#[test]
fn a_wait_without_notification_ends_in_time() {
    let (nothing, changed) = (Mutex::new(()), Condvar::new());
    let mut guard = nothing.lock();
    let began = Instant::now();
    while !changed.wait_for(&mut guard, Duration::from_millis(3)).timed_out() {}
    assert!(began.elapsed() >= Duration::from_millis(3));
    drop(guard);
    assert!(nothing.try_lock().is_some());
}

#[test]
fn threads_that_fill_a_cell_share_one_value_and_each_value_is_dropped() {
    struct Counted<'a>(&'a AtomicUsize);
    impl Drop for Counted<'_> {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }
    let alive = AtomicUsize::new(0);
    for _ in 0..300 {
        let cell = OnceLock::new();
        std::thread::scope(|scope| {
            let fill = || {
                let make = || {
                    alive.fetch_add(1, Ordering::SeqCst);
                    Counted(&alive)
                };
                std::ptr::from_ref(cell.get_or_init(make)).addr()
            };
            let others: Vec<_> = (0..3).map(|_| scope.spawn(fill)).collect();
            let mine = fill();
            assert!(others.into_iter().all(|o| o.join().unwrap() == mine));
        });
        assert_eq!(alive.load(Ordering::SeqCst), 1);
        alive.fetch_add(1, Ordering::SeqCst);
        assert!(cell.set(Counted(&alive)).is_err());
        drop(cell);
        assert_eq!(alive.load(Ordering::SeqCst), 0);
    }
}
