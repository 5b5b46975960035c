//! The ops on the bits of integers: BitwiseAnd, BitwiseOr, BitwiseXor, Invert, LeftShift, RightShift.

use super::pairwise::{map_numbers, zip_numbers};
use ferroflow_graph::{Kernel, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_tensor::threads::Threads;
use ferroflow_tensor::{Result, Scalar, Tensor, dispatch};
use num_traits::{AsPrimitive, PrimInt};

/// Elements of one parallel block.
const BLOCK: usize = 1 << 15;
const TYPES: &str = "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}";

#[derive(Clone, Copy)]
enum Function {
    And,
    Or,
    Xor,
    Left,
    Right,
}

/// (op, function, whether the operands may be exchanged, documentation)
const TABLE: [(&str, Function, bool, &str); 5] = [
    ("BitwiseAnd", Function::And, true, "Returns the bits that x and y both have."),
    ("BitwiseOr", Function::Or, true, "Returns the bits that x or y has."),
    ("BitwiseXor", Function::Xor, true, "Returns the bits that just one of x and y has."),
    (
        "LeftShift",
        Function::Left,
        false,
        "Returns the bits of x moved up by y places, at most those of the type but one.",
    ),
    (
        "RightShift",
        Function::Right,
        false,
        "Returns the bits of x moved down by y places, at most those of the type but one; the sign stays.",
    ),
];

/// Returns the places of a shift. TF 1.x: shifts below zero and beyond the type are the nearest that it has.
fn places<T: PrimInt + AsPrimitive<u64>>(y: T) -> usize {
    let most = size_of::<T>() as u64 * 8 - 1;
    if y < T::zero() { 0 } else { y.as_().min(most) as usize }
}

fn apply<T>(f: Function, x: &Tensor, y: &Tensor, threads: Threads) -> Result<Tensor>
where
    u64: AsPrimitive<T>,
    T: Scalar + PrimInt + AsPrimitive<u64>,
{
    match f {
        Function::And => zip_numbers::<T>(x, y, threads, BLOCK, |x, y| x & y),
        Function::Or => zip_numbers::<T>(x, y, threads, BLOCK, |x, y| x | y),
        Function::Xor => zip_numbers::<T>(x, y, threads, BLOCK, |x, y| x ^ y),
        Function::Left => zip_numbers::<T>(x, y, threads, BLOCK, |x, y| {
            AsPrimitive::<T>::as_(AsPrimitive::<u64>::as_(x) << places(y))
        }),
        Function::Right => zip_numbers::<T>(x, y, threads, BLOCK, |x, y| x >> places(y)),
    }
}

fn binary(init: &KernelInit<'_>, f: Function) -> Result<Box<dyn Kernel>> {
    dispatch!(init.input_type(0)?, T in int, kernel(move |ctx| {
        let z = apply::<T>(f, ctx.input(0)?, ctx.input(1)?, ctx.threads())?;
        ctx.set_output(0, z);
        Ok(())
    }), else Err(init.unsupported()))
}

fn invert(init: &KernelInit<'_>) -> Result<Box<dyn Kernel>> {
    dispatch!(init.input_type(0)?, T in int, kernel(|ctx| {
        let x = ctx.take(0)?;
        let y = map_numbers::<T>(x, ctx.threads(), BLOCK, |v| !v)?;
        ctx.set_output(0, y);
        Ok(())
    }), else Err(init.unsupported()))
}

pub(super) fn register(r: &mut Registry) {
    for (name, f, commutes, doc) in TABLE {
        let op = Op::new(name).input("x: T").input("y: T").output("z: T").attr(TYPES).doc(doc);
        let op = if commutes { op.commutative() } else { op };
        let op = op.shape(shape_rules::broadcast_binary);
        r.add(match f {
            Function::And => op.kernel(|init| binary(init, Function::And)),
            Function::Or => op.kernel(|init| binary(init, Function::Or)),
            Function::Xor => op.kernel(|init| binary(init, Function::Xor)),
            Function::Left => op.kernel(|init| binary(init, Function::Left)),
            Function::Right => op.kernel(|init| binary(init, Function::Right)),
        });
    }
    r.add(
        Op::new("Invert")
            .input("x: T")
            .output("y: T")
            .attr(TYPES)
            .doc("Returns the bits that x does not have.")
            .shape(shape_rules::unchanged)
            .kernel(invert),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::Tensor;

    #[test]
    fn known_values() {
        let x = Tensor::from_slice([4], &[5i8, -5, 1, 1]).unwrap();
        let y = Tensor::from_slice([4], &[1i8, 1, 7, 9]).unwrap();
        for (op, expected) in [
            ("BitwiseAnd", [1, 1, 1, 1]),
            ("BitwiseOr", [5, -5, 7, 9]),
            ("BitwiseXor", [4, -6, 6, 8]),
            ("LeftShift", [10, -10, -128, -128]),
            ("RightShift", [2, -3, 0, 0]),
        ] {
            let z = run(op, &[x.clone(), y.clone()], &[]).unwrap();
            assert_eq!(z[0].slice::<i8>().unwrap(), expected, "{op}");
        }
        assert_eq!(run("Invert", &[x], &[]).unwrap()[0].slice::<i8>().unwrap(), [-6, 4, -2, -2]);
    }

    #[test]
    fn shifts_stay_within_the_type() {
        let x = Tensor::from_slice([2], &[1i32, 1]).unwrap();
        let y = Tensor::from_slice([2], &[-1i32, 40]).unwrap();
        let left = run("LeftShift", &[x.clone(), y.clone()], &[]).unwrap();
        assert_eq!(left[0].slice::<i32>().unwrap(), [1, i32::MIN]);
        assert_eq!(run("RightShift", &[x, y], &[]).unwrap()[0].slice::<i32>().unwrap(), [1, 0]);
        let huge = [Tensor::scalar(u64::MAX), Tensor::scalar(u64::MAX)];
        assert_eq!(run("RightShift", &huge, &[]).unwrap()[0].to_scalar::<u64>().unwrap(), 1);
        assert!(run("BitwiseAnd", &[Tensor::scalar(1f32), Tensor::scalar(1f32)], &[]).is_err());
    }

    #[test]
    fn operands_broadcast_and_inputs_stay() {
        let x = Tensor::from_slice([2, 1], &[12u16, 10]).unwrap();
        let y = Tensor::from_slice([2], &[6u16, 1]).unwrap();
        let z = run("BitwiseXor", &[x.clone(), y], &[]).unwrap();
        assert_eq!(z[0].slice::<u16>().unwrap(), [10, 13, 12, 11]);
        run("Invert", std::slice::from_ref(&x), &[]).unwrap();
        assert_eq!(x.slice::<u16>().unwrap(), [12, 10]);
    }
}
