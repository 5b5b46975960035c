//! Complex numbers in lanes.

use crate::gemm::tiled::lanes::Lanes;

/// Complex numbers, one in each lane.
#[derive(Clone, Copy)]
pub(super) struct Numbers<L> {
    pub re: L,
    pub im: L,
}

/// Every function needs the CPU features of `L`, and inlines into a caller that has them enabled.
impl<L: Lanes> Numbers<L> {
    /// Elements of the numbers in a tile.
    pub const ELEMENTS: usize = 2 * L::N;

    /// Reads them from a tile.
    ///
    /// # Safety
    /// `from` has `ELEMENTS` readable elements: real parts, then imaginary parts.
    #[inline(always)]
    pub unsafe fn load(from: *const L::Elem) -> Self {
        // SAFETY: by this function's contract.
        unsafe { Numbers { re: L::load(from), im: L::load(from.add(L::N)) } }
    }

    /// Writes them to a tile.
    ///
    /// # Safety
    /// `to` has `ELEMENTS` writable elements.
    #[inline(always)]
    pub unsafe fn store(self, to: *mut L::Elem) {
        // SAFETY: by this function's contract.
        unsafe {
            self.re.store(to);
            self.im.store(to.add(L::N));
        }
    }

    /// Reads complex numbers that follow each other.
    ///
    /// # Safety
    /// `from` has `count` readable complex numbers; lanes behind them are zero.
    #[inline(always)]
    pub unsafe fn load_apart(from: *const L::Elem, count: usize) -> Self {
        // SAFETY: the masks select 2 x count elements.
        unsafe {
            let (re, im) = if count >= L::N {
                L::load(from).unzip(L::load(from.add(L::N)))
            } else {
                let low = L::load_part(from, L::first(2 * count));
                low.unzip(L::load_part(from.wrapping_add(L::N), L::first((2 * count).saturating_sub(L::N))))
            };
            Numbers { re, im }
        }
    }

    /// Writes complex numbers after each other.
    ///
    /// # Safety
    /// `to` has room for `count` complex numbers.
    #[inline(always)]
    pub unsafe fn store_apart(self, to: *mut L::Elem, count: usize) {
        // SAFETY: the masks select 2 x count elements.
        unsafe {
            let (low, high) = self.re.zip(self.im);
            if count >= L::N {
                low.store(to);
                high.store(to.add(L::N));
            } else {
                low.store_part(to, L::first(2 * count));
                high.store_part(to.wrapping_add(L::N), L::first((2 * count).saturating_sub(L::N)));
            }
        }
    }

    #[inline(always)]
    pub unsafe fn add(self, b: Self) -> Self {
        // SAFETY: the caller has the features of `L`.
        unsafe { Numbers { re: self.re.add(b.re), im: self.im.add(b.im) } }
    }

    #[inline(always)]
    pub unsafe fn sub(self, b: Self) -> Self {
        // SAFETY: as above.
        unsafe { Numbers { re: self.re.sub(b.re), im: self.im.sub(b.im) } }
    }

    /// Returns the numbers times a real `factor`, plus `sum`.
    #[inline(always)]
    pub unsafe fn mul_add(self, factor: L, sum: Self) -> Self {
        // SAFETY: as above.
        unsafe { Numbers { re: self.re.mul_add(factor, sum.re), im: self.im.mul_add(factor, sum.im) } }
    }

    /// Returns the numbers times a real `factor`.
    #[inline(always)]
    pub unsafe fn scale(self, factor: L) -> Self {
        // SAFETY: as above.
        unsafe { Numbers { re: self.re.mul(factor), im: self.im.mul(factor) } }
    }

    /// Returns the numbers times other ones.
    #[inline(always)]
    pub unsafe fn mul(self, b: Self) -> Self {
        // SAFETY: as above.
        unsafe {
            let (re, im) = (self.re.mul(b.re), self.im.mul(b.re));
            Numbers { re: L::zero().sub(self.im).mul_add(b.im, re), im: self.re.mul_add(b.im, im) }
        }
    }

    #[inline(always)]
    pub unsafe fn conj(self) -> Self {
        // SAFETY: as above.
        unsafe { Numbers { re: self.re, im: L::zero().sub(self.im) } }
    }

    /// Returns `self - i * b` and `self + i * b`.
    #[inline(always)]
    pub unsafe fn beside(self, b: Self) -> (Self, Self) {
        // SAFETY: as above.
        unsafe {
            let minus = Numbers { re: self.re.add(b.im), im: self.im.sub(b.re) };
            (minus, Numbers { re: self.re.sub(b.im), im: self.im.add(b.re) })
        }
    }

    /// Returns one number in all lanes.
    #[inline(always)]
    pub unsafe fn splat([re, im]: &[L::Elem; 2]) -> Self {
        // SAFETY: as above.
        unsafe { Numbers { re: L::splat(re), im: L::splat(im) } }
    }
}
