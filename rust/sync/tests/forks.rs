//! Laws of the locks in the child of a fork.

#![cfg(target_os = "linux")]

use ferroflow_sync::{LostLock, Mutex, OnceLock, ProcessMutex, RwLock, generation, is_lost, watch_forks};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

/// Runs `f` in a child, which is ended if it hangs; its exit status.
fn in_child(f: impl FnOnce() -> bool) -> i32 {
    // SAFETY: the child runs `f`, allocating through an allocator that survives a fork, and ends with _exit.
    unsafe {
        let child = libc::fork();
        assert!(child >= 0);
        if child == 0 {
            libc::alarm(20);
            let held = catch_unwind(AssertUnwindSafe(f)).unwrap_or(false);
            libc::_exit(i32::from(!held));
        }
        let mut status = -1;
        assert_eq!(libc::waitpid(child, &mut status, 0), child);
        status
    }
}

fn is_lost_lock(f: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(f)).is_err_and(|payload| payload.is::<LostLock>())
}

static KEPT: ProcessMutex<Vec<u32>> = ProcessMutex::new(Vec::new(), Vec::new);

#[test]
fn a_lock_that_another_thread_held_is_lost_in_the_child_and_no_other_is() {
    watch_forks();
    let parent = generation();
    let (mutex, free, table, read) = (Mutex::new(1), Mutex::new(2), RwLock::new(3), RwLock::new(4));
    KEPT.lock().push(5);
    let (held, is_held) = channel();
    let (end, ended) = channel::<()>();
    std::thread::scope(|scope| {
        let (mutex, free, table, read) = (&mutex, &free, &table, &read);
        scope.spawn(move || {
            let _guards = (mutex.lock(), table.write(), read.read(), KEPT.lock());
            held.send(()).unwrap();
            let _ = ended.recv();
        });
        is_held.recv().unwrap();
        let status = in_child(|| {
            let lost = is_lost(mutex)
                && is_lost_lock(|| drop(mutex.lock()))
                && is_lost_lock(|| drop(mutex.try_lock_for(Duration::from_secs(60))))
                && is_lost_lock(|| drop(table.write()))
                && is_lost_lock(|| drop(table.read()))
                && is_lost_lock(|| drop(read.write()));
            let kept = !is_lost(free) && *free.lock() == 2 && *read.read() == 4 && *read.read() == 4;
            // Twice: the first of the child's threads renews, the second finds what that one left.
            KEPT.lock().push(6);
            let renewed = *KEPT.lock() == [6];
            generation() == parent + 1 && lost && kept && renewed
        });
        drop(end);
        assert_eq!(status, 0);
    });
    assert_eq!((*mutex.lock(), *table.write(), *read.write(), generation()), (1, 3, 4, parent));
    assert_eq!(*KEPT.lock(), [5]);
}

#[test]
fn children_of_a_busy_process_never_hang() {
    watch_forks();
    static BUSY: ProcessMutex<u64> = ProcessMutex::new(0, || 0);
    static MADE: OnceLock<Vec<u64>> = OnceLock::new();
    let (mutex, table, done) = (Mutex::new(0u64), RwLock::new(0u64), AtomicBool::new(false));
    let (mut lost, mut had) = (0, 0);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    *BUSY.lock() += 1;
                    *mutex.lock() += 1;
                    *table.write() += 1;
                    let _ = *table.read();
                }
            });
        }
        for _ in 0..200 {
            // SAFETY: as in `in_child`.
            let child = unsafe { libc::fork() };
            if child == 0 {
                // SAFETY: as above.
                unsafe { libc::alarm(20) };
                *BUSY.lock() += 1;
                MADE.get_or_init(|| vec![1]);
                let lost = is_lost_lock(|| {
                    *mutex.lock() += 1;
                    *table.write() += 1;
                });
                // SAFETY: as above.
                unsafe { libc::_exit(if lost { 3 } else { 0 }) };
            }
            let mut status = -1;
            // SAFETY: `child` is this process's own child and `status` is writable.
            assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
            assert!(libc::WIFEXITED(status), "the child was ended by signal {}", libc::WTERMSIG(status));
            match libc::WEXITSTATUS(status) {
                0 => had += 1,
                3 => lost += 1,
                other => panic!("the child ended with {other}"),
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(lost + had, 200);
}
