//! The instruction sets that every loop here is compiled for, and the one chosen for this process.

use std::sync::atomic::{AtomicU8, Ordering};

/// The instruction sets that loops are compiled for.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Level {
    /// Guaranteed by the target triple (SSE2 on x86-64).
    Baseline = 1,
    /// AVX2 with FMA.
    Avx2 = 2,
    /// AVX-512 F, BW, DQ and VL.
    Avx512 = 3,
}

/// An instruction set of this machine; results do not depend on it, only speed does.
///
/// A value exists only for an instruction set that the machine has, so holding one is leave to run its loops.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Isa(Level);

static CHOSEN: AtomicU8 = AtomicU8::new(0);

impl Isa {
    /// The instruction set of every machine of the target.
    pub const BASELINE: Isa = Isa(Level::Baseline);

    /// Returns the best instruction set of this machine, found once.
    #[inline]
    pub fn current() -> Isa {
        match CHOSEN.load(Ordering::Relaxed) {
            3 => Isa(Level::Avx512),
            2 => Isa(Level::Avx2),
            1 => Isa(Level::Baseline),
            _ => Isa::choose(),
        }
    }

    /// Returns the best instruction set. The environment variable `FERROFLOW_CPU` (avx512, avx2, portable) limits it;
    /// another value is reported.
    #[cold]
    fn choose() -> Isa {
        let setting = std::env::var_os("FERROFLOW_CPU");
        let highest = match setting.as_ref().map(|name| name.to_str()) {
            Some(Some("portable")) => Level::Baseline,
            Some(Some("avx2")) => Level::Avx2,
            None | Some(Some("" | "avx512")) => Level::Avx512,
            Some(_) => {
                let name = setting.unwrap_or_default();
                eprintln!("ferroflow: FERROFLOW_CPU must be avx512, avx2 or portable, found {name:?}; it is ignored.");
                Level::Avx512
            }
        };
        let fits = |isa: &Isa| isa.0 as u8 <= highest as u8;
        let best = Isa::available().into_iter().rfind(fits).unwrap_or(Isa::BASELINE);
        CHOSEN.store(best.0 as u8, Ordering::Relaxed);
        best
    }

    /// Returns every instruction set of this machine that loops are compiled for, the best one last.
    pub fn available() -> Vec<Isa> {
        [Level::Baseline, Level::Avx2, Level::Avx512].into_iter().filter(|level| level.is_present()).map(Isa).collect()
    }

    /// One of each, for tables of loops: to be looked up with `index`, not run.
    pub(super) const EACH: [Isa; 3] = [Isa(Level::Baseline), Isa(Level::Avx2), Isa(Level::Avx512)];

    /// Returns the place of `self` in `EACH`.
    #[inline]
    pub(super) const fn index(self) -> usize {
        self.0 as usize - 1
    }

    /// Returns true if the CPU has AVX2 and FMA.
    #[inline]
    pub const fn has_avx2(self) -> bool {
        matches!(self.0, Level::Avx2 | Level::Avx512)
    }

    /// Returns true if the CPU has AVX-512 F, BW, DQ and VL, and what [`Isa::has_avx2`] says.
    #[inline]
    pub const fn has_avx512(self) -> bool {
        matches!(self.0, Level::Avx512)
    }

    #[inline]
    pub(crate) const fn level(self) -> Level {
        self.0
    }
}

impl Level {
    fn is_present(self) -> bool {
        match self {
            Level::Baseline => true,
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => {
                Level::Avx2.is_present()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
            }
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }
}

/// Loops whose `run` is `#[inline(always)]`, as a closure cannot be: a long one would be compiled for the baseline alone.
pub trait Loops {
    type Output;
    fn run(self) -> Self::Output;
}

/// Runs `loops` as [`on_best_isa`] runs a closure.
#[inline(always)]
pub fn loops_on_best_isa<L: Loops>(loops: L) -> L::Output {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn avx2<L: Loops>(loops: L) -> L::Output {
        loops.run()
    }
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
    fn avx512<L: Loops>(loops: L) -> L::Output {
        loops.run()
    }
    match Isa::current().level() {
        // SAFETY: an `Isa` exists only for what this machine has.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512(loops) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { avx2(loops) },
        _ => loops.run(),
    }
}

/// Runs `work` as compiled for the best instruction set of this machine.
///
/// Only loops that are inlined into `work` gain, so it should be a loop over slices and call no large function. Bits do
/// not depend on the instruction set: the compiler neither fuses nor reorders floating-point operations.
#[inline(always)]
pub fn on_best_isa<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn avx2<R>(work: impl FnOnce() -> R) -> R {
        work()
    }
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
    fn avx512<R>(work: impl FnOnce() -> R) -> R {
        work()
    }
    match Isa::current().level() {
        // SAFETY: an `Isa` exists only for what this machine has.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512(work) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { avx2(work) },
        _ => work(),
    }
}

/// Compiles one generic loop for each instruction set and defines `$pick(isa) -> unsafe fn`, the version to call.
///
/// The loop must be `#[inline(always)]` so that its body takes the features of each wrapper.
macro_rules! for_each_isa {
    ($pick:ident = $body:ident <$($g:ident : $bound:path),*> ($($arg:ident : $ty:ty),*) $(-> $ret:ty)?) => {
        #[inline]
        const fn $pick<$($g: $bound),*>(isa: $crate::vector::isa::Isa) -> unsafe fn($($ty),*) $(-> $ret)? {
            fn baseline<$($g: $bound),*>($($arg: $ty),*) $(-> $ret)? {
                $body::<$($g),*>($($arg),*)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            fn avx2<$($g: $bound),*>($($arg: $ty),*) $(-> $ret)? {
                $body::<$($g),*>($($arg),*)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
            fn avx512<$($g: $bound),*>($($arg: $ty),*) $(-> $ret)? {
                $body::<$($g),*>($($arg),*)
            }
            match isa.level() {
                #[cfg(target_arch = "x86_64")]
                $crate::vector::isa::Level::Avx512 => avx512::<$($g),*>,
                #[cfg(target_arch = "x86_64")]
                $crate::vector::isa::Level::Avx2 => avx2::<$($g),*>,
                _ => baseline::<$($g),*>,
            }
        }
    };
}
pub(crate) use for_each_isa;

/// A loop with constants among the parameters of its type, which `for_each_isa` does not take.
pub(crate) trait Pass {
    fn run(self);
}

for_each_isa!(compiled = run_pass<P: Pass>(pass: P));

#[inline(always)]
fn run_pass<P: Pass>(pass: P) {
    pass.run();
}

/// Runs a loop as compiled for an instruction set; its `run` must be `#[inline(always)]`.
pub(crate) fn run_on<P: Pass>(isa: Isa, pass: P) {
    // SAFETY: a value of `Isa` exists only for an instruction set that the machine has.
    unsafe { compiled(isa)(pass) }
}
