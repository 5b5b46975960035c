//! The instruction sets that every loop here is compiled for, and the one chosen for this process.

use std::sync::atomic::{AtomicU8, Ordering};

/// An instruction set that a loop is compiled for; results do not depend on it, only speed does.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Isa {
    /// What the target triple guarantees (SSE2 on x86-64).
    Baseline = 1,
    /// AVX2 with FMA.
    Avx2 = 2,
    /// AVX-512 F, BW, DQ and VL.
    Avx512 = 3,
}

static CHOSEN: AtomicU8 = AtomicU8::new(0);

impl Isa {
    /// The best instruction set of this machine, found once.
    #[inline]
    pub fn current() -> Isa {
        match CHOSEN.load(Ordering::Relaxed) {
            3 => Isa::Avx512,
            2 => Isa::Avx2,
            1 => Isa::Baseline,
            _ => Isa::choose(),
        }
    }

    #[cold]
    fn choose() -> Isa {
        let best = if Isa::Avx512.is_available() {
            Isa::Avx512
        } else if Isa::Avx2.is_available() {
            Isa::Avx2
        } else {
            Isa::Baseline
        };
        CHOSEN.store(best as u8, Ordering::Relaxed);
        best
    }

    /// Whether this machine can run loops compiled for `self`.
    pub fn is_available(self) -> bool {
        match self {
            Isa::Baseline => true,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => {
                Isa::Avx2.is_available()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
            }
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    /// Every instruction set that this machine can run.
    pub fn available() -> Vec<Isa> {
        [Isa::Baseline, Isa::Avx2, Isa::Avx512].into_iter().filter(|isa| isa.is_available()).collect()
    }
}

/// Compiles one generic loop for each instruction set and defines `$pick(isa) -> unsafe fn`, the version to call.
///
/// The loop must be `#[inline(always)]` so that its body takes the features of each wrapper.
macro_rules! for_each_isa {
    ($pick:ident = $body:ident <$($g:ident : $bound:path),*> ($($arg:ident : $ty:ty),*) $(-> $ret:ty)?) => {
        #[inline]
        fn $pick<$($g: $bound),*>(isa: $crate::vector::isa::Isa) -> unsafe fn($($ty),*) $(-> $ret)? {
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
            match isa {
                #[cfg(target_arch = "x86_64")]
                $crate::vector::isa::Isa::Avx512 => avx512::<$($g),*>,
                #[cfg(target_arch = "x86_64")]
                $crate::vector::isa::Isa::Avx2 => avx2::<$($g),*>,
                _ => baseline::<$($g),*>,
            }
        }
    };
}
pub(super) use for_each_isa;
