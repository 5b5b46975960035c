//! `Movable`: elements as ops that only move data see them, by size and not by type; `by_size!` picks the view.

use crate::dtype::DType;
use crate::status::Result;
use crate::streams::Streams;
use crate::tensor::{Bytes, Tensor};
use crate::transpose;
use crate::{bail, ensure};

mod sealed {
    pub trait Sealed {}
}

/// An element that can be copied from place to place. The default value is the zero (false, the empty string) of every
/// type viewed so.
pub trait Movable: Clone + Default + PartialEq + Send + Sync + sealed::Sealed + 'static {
    /// Returns the elements in row-major order.
    ///
    /// Errors: `Internal` where the tensor's elements are not of this size.
    fn view(tensor: &Tensor) -> Result<&[Self]>;

    /// Returns the elements for writing; copies first where they are shared or lent.
    ///
    /// Errors: as `view`; `Internal` for bool seen as bytes, which could then hold more than 0 and 1.
    fn view_mut(tensor: &mut Tensor) -> Result<&mut [Self]>;

    /// Computes `to[i * row + j] = from[j * stride + i]` for i, j < `BLOCK_SIDE`, in registers; false, with nothing
    /// done, where there is no such way for these elements and slices.
    fn transpose_block(from: &[Self], stride: usize, to: &mut [Self], row: usize, streams: Option<&Streams>) -> bool {
        let _ = (from, stride, to, row, streams);
        false
    }
}

macro_rules! bits {
    ($($t:ty $(: $block:path)?),*) => {$(
        impl sealed::Sealed for $t {}
        impl Movable for $t {
            fn view(tensor: &Tensor) -> Result<&[$t]> {
                let size = size_of::<$t>();
                ensure!(tensor.dtype().size() == size, Internal, "{tensor:?} has no elements of {size} bytes");
                let Some(bytes) = tensor.bytes() else { bail!(Internal, "strings have no plain elements") };
                // SAFETY: the bytes are `elements()` initialized values of a type of this size, of which all bits are
                // valid integers. They are aligned to that size or to 8, and none of these types needs more.
                Ok(unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len() / size) })
            }

            fn view_mut(tensor: &mut Tensor) -> Result<&mut [$t]> {
                let size = size_of::<$t>();
                ensure!(tensor.dtype().size() == size, Internal, "{tensor:?} has no elements of {size} bytes");
                ensure!(tensor.dtype() != DType::Bool, Internal, "bool is not written as bytes");
                tensor.make_unique()?;
                let Some(bytes) = tensor.bytes_mut() else { bail!(Internal, "a unique tensor was not writable") };
                // SAFETY: as in `view`; the access is exclusive, and every type of this size but bool takes any bits.
                Ok(unsafe { std::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), bytes.len() / size) })
            }

            $(fn transpose_block(
                from: &[$t],
                stride: usize,
                to: &mut [$t],
                row: usize,
                streams: Option<&Streams>,
            ) -> bool {
                $block(from, stride, to, row, streams)
            })?
        }
    )*};
}

bits!(u8, u16, u32: transpose::block, u64: transpose::block, [u64; 2]);

impl sealed::Sealed for bool {}
impl Movable for bool {
    fn view(tensor: &Tensor) -> Result<&[bool]> {
        tensor.slice()
    }

    fn view_mut(tensor: &mut Tensor) -> Result<&mut [bool]> {
        tensor.slice_mut()
    }
}

impl sealed::Sealed for Bytes {}
impl Movable for Bytes {
    fn view(tensor: &Tensor) -> Result<&[Bytes]> {
        tensor.strings()
    }

    fn view_mut(tensor: &mut Tensor) -> Result<&mut [Bytes]> {
        tensor.strings_mut()
    }
}

/// Runs `$body`, a `Result`, with `$E` bound to the `Movable` that views elements of `$dtype`.
///
/// Errors: `Unimplemented` for types without elements (resource, variant).
#[macro_export]
macro_rules! by_size {
    ($dtype:expr, $E:ident, $body:expr) => {{
        #[allow(unused_imports)]
        use $crate::Movable as _;
        let dtype: $crate::DType = $dtype;
        match (dtype, dtype.size()) {
            ($crate::DType::String, _) => {
                type $E = $crate::Bytes;
                $body
            }
            ($crate::DType::Bool, _) => {
                type $E = bool;
                $body
            }
            (_, 1) => {
                type $E = u8;
                $body
            }
            (_, 2) => {
                type $E = u16;
                $body
            }
            (_, 4) => {
                type $E = u32;
                $body
            }
            (_, 8) => {
                type $E = u64;
                $body
            }
            (_, 16) => {
                type $E = [u64; 2];
                $body
            }
            _ => Err($crate::Status::unimplemented(format!("elements of type {} cannot be moved", dtype.name()))),
        }
    }};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_with_elements_is_read_and_written_by_its_size() {
        for dtype in DType::ALL {
            if matches!(dtype, DType::Resource | DType::Variant) {
                let none: Result<()> = by_size!(dtype, _E, Ok(()));
                assert!(none.is_err());
                continue;
            }
            for n in [0, 1, 3, 100] {
                let mut a = Tensor::zeros(dtype, [n]).unwrap();
                let shared = a.clone();
                let wrote: Result<usize> = by_size!(dtype, E, {
                    E::view_mut(&mut a).map(|s| {
                        s.fill(E::default());
                        s.len()
                    })
                });
                assert_eq!(wrote.unwrap(), n);
                assert_eq!(a, shared);
            }
        }
    }

    #[test]
    fn a_view_of_another_size_is_an_error_and_bool_never_holds_other_bytes() {
        let mut f = Tensor::zeros(DType::F32, [3]).unwrap();
        assert!(u64::view(&f).is_err() && u16::view_mut(&mut f).is_err() && Bytes::view(&f).is_err());
        let mut b = Tensor::zeros(DType::Bool, [3]).unwrap();
        assert!(u8::view_mut(&mut b).is_err() && bool::view_mut(&mut b).is_ok());
        assert!(u8::view(&Tensor::zeros(DType::String, [3]).unwrap()).is_err());
    }

    #[test]
    fn shared_elements_are_copied_before_they_are_written() {
        let mut a = Tensor::from_slice([20], &[1.0f32; 20]).unwrap();
        let b = a.clone();
        u32::view_mut(&mut a).unwrap()[0] = 2f32.to_bits();
        assert_eq!((a.slice::<f32>().unwrap()[0], b.slice::<f32>().unwrap()[0]), (2.0, 1.0));
    }
}
