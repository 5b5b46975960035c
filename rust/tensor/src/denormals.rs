//! Denormal numbers count as zero while a step computes, as in TensorFlow: what an instruction reads and what it writes.
//!
//! Processors compute with denormal numbers up to a hundred times slower. The switch is a register of each thread, so
//! the result of an instruction is the same for every vector width. Copies, and operations on bits such as the change
//! of a sign, keep denormal numbers. On processors other than x86-64 and AArch64 nothing is switched.

/// The bits that make denormal inputs and outputs zero.
#[cfg(target_arch = "x86_64")]
const FLUSH: Register = 0x8040;
#[cfg(target_arch = "aarch64")]
const FLUSH: Register = 1 << 24;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const FLUSH: Register = 0;

#[cfg(target_arch = "x86_64")]
type Register = u32;
#[cfg(not(target_arch = "x86_64"))]
type Register = u64;

/// Returns this thread's control register of floating-point arithmetic.
#[allow(clippy::inline_always, reason = "one instruction")]
#[inline(always)]
fn control() -> Register {
    #[cfg(target_arch = "x86_64")]
    {
        let mut register: Register = 0;
        // SAFETY: the instruction writes four bytes to `register`.
        unsafe {
            std::arch::asm!("stmxcsr dword ptr [{}]", in(reg) &raw mut register, options(nostack, preserves_flags));
        }
        register
    }
    #[cfg(target_arch = "aarch64")]
    {
        let register: Register;
        // SAFETY: the instruction only reads the register.
        unsafe { std::arch::asm!("mrs {}, fpcr", out(reg) register, options(nomem, nostack, preserves_flags)) };
        register
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    0
}

/// Sets this thread's control register of floating-point arithmetic.
#[allow(clippy::inline_always, reason = "one instruction")]
#[inline(always)]
fn set_control(register: Register) {
    // SAFETY: only the bits of `FLUSH` differ from the thread's register, so no exception is unmasked and rounding stays
    // to nearest. The compiler may compute constants without the switch, and then a denormal constant stays: no kernel
    // has one. The memory clobber keeps loads and stores of numbers on their side of the switch (decision 18).
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::asm!("ldmxcsr dword ptr [{}]", in(reg) &raw const register, options(nostack));
    }
    // SAFETY: as above.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        std::arch::asm!("msr fpcr, {}", in(reg) register, options(nostack));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = register;
}

/// Puts a thread's register back.
struct Restored(Register);

impl Drop for Restored {
    fn drop(&mut self) {
        if control() & FLUSH != self.0 & FLUSH {
            set_control(control() & !FLUSH | self.0 & FLUSH);
        }
    }
}

/// Makes denormal numbers zero on this thread from now on: for threads that only compute for steps.
pub fn flush_denormals() {
    set_control(control() | FLUSH);
}

/// Runs `work` with denormal numbers as zero, and then puts the thread's switch back.
#[inline]
pub fn with_denormals_flushed<R>(work: impl FnOnce() -> R) -> R {
    let before = control();
    let _restored = Restored(before);
    if before & FLUSH != FLUSH {
        set_control(before | FLUSH);
    }
    work()
}

/// Runs `work`, which is not the engine's, with denormal numbers, and then puts the thread's switch back.
#[inline]
pub fn with_denormals<R>(work: impl FnOnce() -> R) -> R {
    let before = control();
    let _restored = Restored(before);
    if before & FLUSH != 0 {
        set_control(before & !FLUSH);
    }
    work()
}

/// Numbers of a dtype that can be denormal.
pub trait Flushed: Copy {
    /// Returns zero of the same sign for a denormal number, else the number. Operations that choose or round numbers
    /// need it: only some instruction sets make them zero.
    fn flushed(self) -> Self;
}

macro_rules! flushed {
    ($($t:ident)*) => {$(
        impl Flushed for $t {
            #[inline(always)]
            fn flushed(self) -> $t {
                if self.abs() < $t::MIN_POSITIVE { (0.0 as $t).copysign(self) } else { self }
            }
        }
    )*};
}
flushed!(f32 f64);

#[cfg(all(test, any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tests {
    use super::*;
    use std::hint::black_box;
    use std::panic::catch_unwind;

    // Calls, as those of kernels: arithmetic in registers could move over the switch.
    #[inline(never)]
    fn half_of_least() -> f32 {
        black_box(f32::MIN_POSITIVE) * black_box(0.5)
    }

    #[inline(never)]
    fn twice_a_denormal() -> f64 {
        black_box(f64::MIN_POSITIVE / 2.0) * black_box(2.0)
    }

    #[test]
    fn results_and_inputs_are_zero_inside_alone() {
        assert_ne!(half_of_least(), 0.0);
        assert_eq!(with_denormals_flushed(|| (half_of_least(), twice_a_denormal())), (0.0, 0.0));
        assert_ne!((half_of_least(), twice_a_denormal()), (0.0, 0.0));
    }

    #[test]
    fn the_two_nest_in_any_order() {
        let inner = with_denormals_flushed(|| {
            let kept = with_denormals(|| (half_of_least(), with_denormals_flushed(half_of_least)));
            (kept, half_of_least())
        });
        assert_eq!(inner, ((f32::MIN_POSITIVE / 2.0, 0.0), 0.0));
    }

    #[test]
    fn flushed_numbers_keep_sign_and_kind() {
        let bits = |x: f32| x.flushed().to_bits();
        for x in [0.0, -0.0, f32::MIN_POSITIVE, -1.5, f32::INFINITY, f32::NAN] {
            assert_eq!(bits(x), x.to_bits());
        }
        assert_eq!([bits(1e-39), bits(-1e-39)], [0, (-0.0f32).to_bits()]);
        assert_eq!([(1e-310f64).flushed(), f64::MIN_POSITIVE.flushed()], [0.0, f64::MIN_POSITIVE]);
    }

    #[test]
    fn a_panic_puts_the_switch_back() {
        let before = control() & FLUSH;
        assert!(catch_unwind(|| with_denormals_flushed(|| panic!("on purpose"))).is_err());
        assert_eq!(control() & FLUSH, before);
    }

    #[test]
    fn a_thread_of_the_engine_flushes_from_its_start() {
        let flushed = std::thread::spawn(|| {
            flush_denormals();
            half_of_least()
        });
        assert_eq!(flushed.join().unwrap(), 0.0);
        assert_ne!(half_of_least(), 0.0);
    }
}
