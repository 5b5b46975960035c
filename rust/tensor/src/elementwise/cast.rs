//! Conversion of a tensor to another element type.

use super::grain;
use crate::dtype::{DType, Scalar};
use crate::status::Result;
use crate::tensor::Tensor;
use crate::threads::{Threads, try_for_chunks_mut};
use crate::vector::{self, CastTo};
use crate::{bail, dispatch};

/// Returns the elements converted as `vector::cast` does; the tensor itself where it already has the type.
///
/// Errors: `Unimplemented` for types without a conversion (strings, quantized types).
pub fn cast(x: Tensor, to: DType, threads: Threads) -> Result<Tensor> {
    if x.dtype() == to {
        return Ok(x);
    }
    dispatch!(x.dtype(), S in plain, {
        dispatch!(to, D in plain, convert::<S, D>(&x, threads), else unsupported(x.dtype(), to))
    }, else unsupported(x.dtype(), to))
}

fn unsupported(from: DType, to: DType) -> Result<Tensor> {
    bail!(Unimplemented, "Cast {} to {} is not supported", from.schema_name(), to.schema_name())
}

fn convert<S: Scalar + CastTo<D>, D: Scalar>(x: &Tensor, threads: Threads) -> Result<Tensor> {
    let mut out = Tensor::new(D::DTYPE, x.shape().clone())?;
    let values = x.slice::<S>()?;
    try_for_chunks_mut(threads, out.slice_mut::<D>()?, grain::LIGHT, |start, block| {
        vector::cast(&values[start..start + block.len()], block);
    })?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;

    const PLAIN: [DType; 15] = {
        use DType::*;
        [F32, F64, F16, BF16, I32, I64, U8, I8, I16, U16, U32, U64, Complex64, Complex128, Bool]
    };

    #[test]
    fn zero_and_one_survive_every_pair_of_types() {
        let bits = Tensor::from_slice([3], &[0i32, 1, 1]).unwrap();
        for from in PLAIN {
            let x = cast(bits.clone(), from, Threads::single()).unwrap();
            for to in PLAIN {
                let y = cast(x.clone(), to, Threads::single()).unwrap();
                assert_eq!(y.dtype(), to);
                assert_eq!(cast(y, DType::I32, Threads::single()).unwrap(), bits, "{from:?} {to:?}");
            }
        }
    }

    #[test]
    fn the_same_type_shares_the_elements_and_strings_have_none() {
        let x = Tensor::zeros(DType::F32, [100]).unwrap();
        let p = x.data_ptr();
        assert_eq!(cast(x.clone(), DType::F32, Threads::single()).unwrap().data_ptr(), p);
        assert_eq!(cast(x, DType::String, Threads::single()).unwrap_err().code(), Code::Unimplemented);
    }

    #[test]
    fn long_tensors_have_equal_bits_at_any_number_of_threads() {
        let values: Vec<f64> = (0..150_001).map(|i| f64::from(i) * 0.37 - 2e4).collect();
        let x = Tensor::from_slice([150_001], &values).unwrap();
        for to in [DType::F16, DType::I32, DType::F32] {
            let expected = cast(x.clone(), to, Threads::single()).unwrap();
            assert!([2, 4].iter().all(|&n| cast(x.clone(), to, Threads::new(n)).unwrap() == expected));
        }
    }

    /// Floats that no integer type of the size holds, as TensorFlow 1.15 on x86 makes integers of them.
    #[test]
    fn floats_out_of_range_become_what_an_x86_processor_makes_of_them() {
        const HALF: u64 = 1 << 63;
        let values = [3e9f64, -3e9, 1e19, -1e19, 2e19, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 2147483648.0, -1.5];
        let few = Tensor::from_slice([10], &values).unwrap();
        let many = Tensor::from_slice([1000], &values.repeat(100)).unwrap();
        for x in [few, many] {
            let to = |dtype| cast(x.clone(), dtype, Threads::single()).unwrap();
            let least = i32::MIN;
            let expected = [least, least, least, least, least, least, least, least, least, -1];
            assert_eq!(to(DType::I32).slice::<i32>().unwrap()[x.elements() - 10..], expected);
            let least = i64::MIN;
            let expected = [3_000_000_000, -3_000_000_000, least, least, least, least, least, least, 2_147_483_648, -1];
            assert_eq!(to(DType::I64).slice::<i64>().unwrap()[..10], expected);
            let wrapped = u64::MAX - 3_000_000_000 + 1;
            let large = 10_000_000_000_000_000_000;
            let expected = [3_000_000_000, wrapped, large, HALF, 0, 0, HALF, HALF, 2_147_483_648, u64::MAX];
            assert_eq!(to(DType::U64).slice::<u64>().unwrap()[..10], expected);
            let expected = [3_000_000_000, 1_294_967_296, 0, 0, 0, 0, 0, 0, 2_147_483_648, u32::MAX];
            assert_eq!(to(DType::U32).slice::<u32>().unwrap()[..10], expected);
        }
        let small = [-1.15f32, -0.5, -200.0, 255.5, 256.0, 300.7, -129.0, 128.0, 40000.0, -40000.0, 1e9, f32::NAN];
        let x = Tensor::from_slice([12], &small).unwrap();
        let to = |dtype| cast(x.clone(), dtype, Threads::single()).unwrap();
        assert_eq!(to(DType::U8).slice::<u8>().unwrap(), [255, 0, 56, 255, 0, 44, 127, 128, 64, 192, 0, 0]);
        assert_eq!(to(DType::I8).slice::<i8>().unwrap(), [-1, 0, 56, -1, 0, 44, 127, -128, 64, -64, 0, 0]);
        let expected = [-1, 0, -200, 255, 256, 300, -129, 128, -25536, 25536, -13824, 0];
        assert_eq!(to(DType::I16).slice::<i16>().unwrap(), expected);
    }
}
