//! BesselI0e, BesselI1e: modified Bessel functions of the first kind of order 0 and 1, times exp(-|x|).

use ferroflow_graph::{Kernel, KernelInit, Op, Registry, kernel, shape_rules};
use ferroflow_tensor::threads::for_chunks_mut;
use ferroflow_tensor::{DType, Result, Tensor, elementwise};

/// Elements of one parallel block.
const BLOCK: usize = 1 << 12;

/// The border between the two interpolations of each function, which are at 400 nodes. Below it, the argument is
/// `x / 4 - 1`. Above it, the argument is `16 / x - 1`, and the function is multiplied by `sqrt(x)`.
const BORDER: f64 = 8.0;

/// Coefficients of `exp(-x) I0(x)` below the border.
const I0_NEAR: [f64; 29] = [
    0.3383976372047382,
    -0.3046826723431983,
    0.17162090152220869,
    -0.09490109704804767,
    0.04930528423967071,
    -0.023737414805899464,
    0.0105464603945949,
    -0.004324309995050443,
    0.0016394756169414338,
    -0.0005763755745384507,
    0.00018850288509579416,
    -5.754195010075988e-05,
    1.6448448070783035e-05,
    -4.416738358300865e-06,
    1.1173875390547515e-06,
    -2.6707938533486195e-07,
    6.046995019554138e-08,
    -1.3000249967694856e-08,
    2.659823765141773e-09,
    -5.189793995169736e-10,
    9.675808608342024e-11,
    -1.726817517817132e-11,
    2.9550553155641483e-12,
    -4.854554153387567e-13,
    7.682462400339718e-14,
    -1.1563730958206014e-14,
    1.789905402899505e-15,
    3.925231146709441e-17,
    -3.140184917367553e-17,
];

/// Coefficients of `exp(-x) I1(x) / x` below the border.
const I1_NEAR: [f64; 28] = [
    0.12629359322181688,
    -0.17641651835783395,
    0.10264365868984703,
    -0.052945981208095,
    0.024726449030626506,
    -0.010564084894626208,
    0.00415642294431284,
    -0.0015135724506311855,
    0.0005122859561686121,
    -0.00016176081582584557,
    4.781565107549992e-05,
    -1.3273163656032644e-05,
    3.4702513081496873e-06,
    -8.568720263712675e-07,
    2.003294753440912e-07,
    -4.445059128413675e-08,
    9.381537390769654e-09,
    -1.8872497222546856e-09,
    3.6255903056353433e-10,
    -6.66348014698546e-11,
    1.1736205614792422e-11,
    -1.983929578481352e-12,
    3.2242633685300686e-13,
    -5.030502639538818e-14,
    7.669901660670247e-15,
    -1.041658215558018e-15,
    1.9626155733547206e-16,
    1.481774757882814e-16,
];

/// Coefficients of `exp(-x) sqrt(x) I0(x)` above the border.
const I0_FAR: [f64; 25] = [
    0.40224520550705467,
    0.0033691164782557194,
    6.889758346919992e-05,
    2.891370520864564e-06,
    2.0489185897847472e-07,
    2.266668993741478e-08,
    3.396232057263335e-09,
    4.940602705623805e-10,
    1.188917992989203e-11,
    -3.149913347661773e-11,
    -1.3215783464710305e-11,
    -1.7941450793993263e-12,
    7.180412523124424e-13,
    3.8530948483675304e-13,
    1.542978213653152e-14,
    -4.1474848479664895e-14,
    -9.523820084802407e-15,
    3.844150590835223e-15,
    1.8058516544330114e-15,
    -3.102159240633804e-16,
    -2.4839353350270673e-16,
    6.697425644072982e-17,
    7.801396904085013e-17,
    2.4502028798600336e-17,
    2.3060732986917965e-17,
];

/// Coefficients of `exp(-x) sqrt(x) I1(x)` above the border.
const I1_FAR: [f64; 23] = [
    0.3892881175091401,
    -0.009761097491361467,
    -0.00011058893876261928,
    -3.882564808878061e-06,
    -2.512236237840476e-07,
    -2.6314688462938433e-08,
    -3.8353803809973045e-09,
    -5.589743398497624e-10,
    -1.8974952877951462e-11,
    3.2526042855186744e-11,
    1.4125815249886749e-11,
    2.035632548203059e-12,
    -7.198483312901921e-13,
    -4.083513108306582e-13,
    -2.100949659365517e-14,
    4.272866468559639e-14,
    1.0423822150076625e-14,
    -3.806492904521479e-15,
    -1.876751142020451e-15,
    3.3683389777700375e-16,
    3.002801827232722e-16,
    -3.164717612034486e-17,
    -4.1705580933787804e-17,
];

/// Returns the sum of Chebyshev polynomials at `x`, by Clenshaw's recurrence.
fn chebyshev(coefficients: &[f64], x: f64) -> f64 {
    let Some((first, rest)) = coefficients.split_first() else { return 0.0 };
    let (mut later, mut latest) = (0.0, 0.0);
    for coefficient in rest.iter().rev() {
        (later, latest) = (latest, coefficient + 2.0 * x * latest - later);
    }
    first + x * latest - later
}

fn far(size: f64, coefficients: &[f64]) -> f64 {
    chebyshev(coefficients, 16.0 / size - 1.0) * (1.0 / size.sqrt())
}

fn i0e(x: f64) -> f64 {
    let size = x.abs();
    if size <= BORDER { chebyshev(&I0_NEAR, size / 4.0 - 1.0) } else { far(size, &I0_FAR) }
}

fn i1e(x: f64) -> f64 {
    let size = x.abs();
    if size <= BORDER { x * chebyshev(&I1_NEAR, size / 4.0 - 1.0) } else { x.signum() * far(size, &I1_FAR) }
}

/// Returns the kernel of a function that is computed in double precision and rounded once.
fn bessel(init: &KernelInit<'_>, f: fn(f64) -> f64) -> Result<Box<dyn Kernel>> {
    let dtype = init.input_type(0)?;
    if !matches!(dtype, DType::F64 | DType::F32 | DType::F16 | DType::BF16) {
        return Err(init.unsupported());
    }
    kernel(move |ctx| {
        let threads = ctx.threads();
        let x = ctx.take(0)?;
        let x = if dtype == DType::F64 { x } else { elementwise::cast(x, DType::F64, threads)? };
        let mut y = Tensor::new(DType::F64, x.shape().clone())?;
        let from = x.slice::<f64>()?;
        for_chunks_mut(threads, y.slice_mut::<f64>()?, BLOCK, |start, to| {
            to.iter_mut().zip(&from[start..]).for_each(|(to, x)| *to = f(*x));
        });
        ctx.set_output(0, if dtype == DType::F64 { y } else { elementwise::cast(y, dtype, threads)? });
        Ok(())
    })
}

pub(super) fn register(r: &mut Registry) {
    let op = |name: &str| {
        let op = Op::new(name).input("x: T").output("y: T").attr("T: {bfloat16, half, float, double}");
        op.shape(shape_rules::unchanged)
    };
    r.add(
        op("BesselI0e")
            .doc("Returns the modified Bessel function of order 0, times exp(-|x|).")
            .kernel(|init| bessel(init, i0e)),
    );
    r.add(
        op("BesselI1e")
            .doc("Returns the modified Bessel function of order 1, times exp(-|x|).")
            .kernel(|init| bessel(init, i1e)),
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::run;
    use ferroflow_tensor::{DType, Tensor, f16};

    fn value(op: &str, x: f64) -> f64 {
        run(op, &[Tensor::scalar(x)], &[]).unwrap()[0].to_scalar().unwrap()
    }

    #[test]
    fn known_values_on_both_sides_of_the_border() {
        for (op, x, y) in [
            ("BesselI0e", 0.0, 1.0),
            ("BesselI0e", 1.0, 0.46575960759364043),
            ("BesselI0e", -20.0, 0.089780311884826),
            ("BesselI1e", 0.0, 0.0),
            ("BesselI1e", 1.0, 0.2079104153497085),
            ("BesselI1e", -1.0, -0.2079104153497085),
            ("BesselI1e", 20.0, 0.08750622218328867),
        ] {
            assert!((value(op, x) - y).abs() < 2e-15, "{op}({x}) = {}", value(op, x));
        }
    }

    #[test]
    fn smaller_types_are_rounded_once_and_nan_stays() {
        let half = run("BesselI0e", &[Tensor::scalar(f16::from_f32(1.0))], &[]).unwrap();
        assert_eq!(half, [Tensor::scalar(f16::from_f64(0.46575960759364043))]);
        assert!(value("BesselI1e", f64::NAN).is_nan() && value("BesselI0e", f64::NAN).is_nan());
        assert!(run("BesselI0e", &[Tensor::new(DType::I32, [2]).unwrap()], &[]).is_err());
    }
}
