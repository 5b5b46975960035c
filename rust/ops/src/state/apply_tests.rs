//! The optimizers' updates against the numbers of TensorFlow 2.21: two steps from one start, in float64.

use crate::testing::{Arg, Rerun};
use ferroflow_graph::AttrValue;
use ferroflow_tensor::{Code, DType, Tensor, bf16};

const VAR: [f64; 4] = [1.0, -2.0, 0.5, 3.0];
const S1: [f64; 4] = [0.1, 0.2, 0.3, 0.4];
const S2: [f64; 4] = [0.5, 0.6, 0.7, 0.8];
const S3: [f64; 4] = [0.05, 0.0, -0.05, 0.1];
const GRADIENT: [f64; 4] = [0.5, -1.5, 0.0, 2.0];

/// Op, attribute, slots, position of the gradient, scalars in the op's order, and the variable and its slots after two
/// steps. Sparse ops have two rows of two, and both rows of the gradient go to row 1.
type Case =
    (&'static str, Option<(&'static str, bool)>, &'static [[f64; 4]], usize, &'static [f64], &'static [[f64; 4]]);

#[rustfmt::skip]
const CASES: &[Case] = &[
    ("ApplyMomentum", None, &[S1], 3, &[0.1, 0.9], &[[0.8379000000000001, -1.5991999999999997, 0.4487, 2.3516000000000004], [1.0310000000000001, -2.688, 0.24300000000000002, 4.1240000000000006]]),
    ("ApplyMomentum", Some(("use_nesterov", true)), &[S1], 3, &[0.1, 0.9], &[[0.7541100000000001, -1.3392799999999998, 0.45383, 2.0164400000000002], [1.0310000000000001, -2.688, 0.24300000000000002, 4.1240000000000006]]),
    ("SparseApplyMomentum", None, &[S1], 3, &[0.1, 0.9], &[[1.0, -2.0, 0.14019699999999996, 2.935046], [0.1, 0.2, 1.01133, 1.43894]]),
    ("ApplyAdagrad", None, &[S1], 3, &[0.1], &[[0.8509348520903581, -1.8349786746478425, 0.5, 2.8356471851412053], [0.6, 4.7, 0.3, 8.4]]),
    ("ApplyAdagrad", Some(("update_slots", false)), &[S1], 3, &[0.1], &[[0.683772233983162, -1.329179606750063, 0.5, 2.367544467966324], [0.1, 0.2, 0.3, 0.4]]),
    ("SparseApplyAdagrad", None, &[S1], 3, &[0.1], &[[1.0, -2.0, 0.37667831431618104, 3.0091831036897236], [0.1, 0.2, 0.8, 12.9]]),
    ("ApplyAdam", None, &[S1, S2], 9, &[0.9, 0.999, 0.1, 0.9, 0.999, 0.001], &[[0.9858825209884354, -1.9962202199529555, 0.48061930390166135, 2.9554988488116183], [0.176, -0.12299999999999991, 0.24300000000000002, 0.704], [0.49950025000000003, 0.60329835, 0.6986007, 0.8063968]]),
    ("ApplyAdam", Some(("use_nesterov", true)), &[S1, S2], 9, &[0.9, 0.999, 0.1, 0.9, 0.999, 0.001], &[[0.9828267757539396, -1.9843916410041547, 0.4825573735114952, 2.9458647295504456], [0.176, -0.12299999999999991, 0.24300000000000002, 0.704], [0.49950025000000003, 0.60329835, 0.6986007, 0.8063968]]),
    ("ApplyAdaMax", None, &[S1, S2], 8, &[0.9, 0.1, 0.9, 0.999, 0.001], &[[0.3692614770459081, -1.9380413057961359, -0.23289004077475994, 2.3683158420789603], [0.176, -0.12299999999999991, 0.24300000000000002, 0.704], [0.5, 1.5, 0.6986007, 2.0]]),
    ("ApplyRMSProp", None, &[S2, S1], 7, &[0.1, 0.9, 0.5, 0.001], &[[0.7420455122602237, -1.7360647189314489, 0.27499999999999997, 2.248162968078758], [0.4525, 0.9134999999999999, 0.5670000000000001, 1.408], [0.1354831082832202, -0.19254867673141496, 0.075, 0.3629391060326935]]),
    ("SparseApplyRMSProp", None, &[S2, S1], 7, &[0.1, 0.9, 0.5, 0.001], &[[1.0, -2.0, 0.002467315820614796, 2.6375397393016318], [0.5, 0.6, 0.4999950000000001, 1.615405], [0.1, 0.2, 0.059977678164495396, 0.14321122728393215]]),
    ("ApplyCenteredRMSProp", None, &[S3, S2, S1], 8, &[0.1, 0.9, 0.5, 0.001], &[[0.7394498635340105, -1.7247366560291848, 0.27499999999999997, 2.2225437537297195], [0.1355, -0.2849999999999999, -0.04050000000000001, 0.46099999999999985], [0.4525, 0.9134999999999999, 0.5670000000000001, 1.408], [0.13738179868654027, -0.2013027937505073, 0.075, 0.38104716760074164]]),
    ("SparseApplyCenteredRMSProp", None, &[S3, S2, S1], 8, &[0.1, 0.9, 0.5, 0.001], &[[1.0, -2.0, 0.002200211198718924, 2.633757254938239], [0.05, 0.0, 0.04864499999999998, 0.18325999999999998], [0.5, 0.6, 0.4999950000000001, 1.615405], [0.1, 0.2, 0.06006612486330519, 0.14521187471826708]]),
    ("ApplyAdadelta", None, &[S1, S2], 6, &[0.1, 0.9, 0.001], &[[0.7922096256249481, -1.6350028208456258, 0.5, 2.5896226135589653], [0.1285, 0.5894999999999999, 0.24300000000000002, 1.084], [0.6100867893755825, 1.1188080538326457, 0.5670000000000001, 1.4479454997971382]]),
    ("SparseApplyAdadelta", None, &[S1, S2], 6, &[0.1, 0.9, 0.001], &[[1.0, -2.0, 0.3464889206137025, 2.923125639839016], [0.1, 0.2, 0.23755500000000007, 1.3529649999999998], [0.5, 0.6, 0.5551918413054733, 1.8200355436160591]]),
    ("ApplyFtrl", None, &[S1, S2], 3, &[0.1, 0.3, 0.2, -0.5], &[[0.1687946867085682, -1.2502826977860366, -0.06805932406235471, 1.8431663324730092], [0.6, 4.7, 0.3, 8.4], [-1.6749958957845936, 27.905596056919308, 0.7, -54.45730199250647]]),
    ("ApplyFtrlV2", None, &[S1, S2], 3, &[0.1, 0.3, 0.2, 0.05, -0.5], &[[0.1503308139225309, -1.2319096543387669, -0.07526396943494838, 1.8226751714717802], [0.6, 4.7, 0.3, 8.4], [-1.524589803056549, 27.49992874932584, 0.7423433260429851, -53.85521526003471]]),
    ("SparseApplyFtrl", None, &[S1, S2], 3, &[0.1, 0.3, 0.2, -0.5], &[[1.0, -2.0, -0.046072454667903336, 1.7326161469184869], [0.1, 0.2, 0.8, 12.9], [0.5, 0.6, 0.7305135439779987, -63.22267556907011]]),
    ("SparseApplyFtrlV2", None, &[S1, S2], 3, &[0.1, 0.3, 0.2, 0.05, -0.5], &[[1.0, -2.0, -0.050873007112925396, 1.6972640504435226], [0.1, 0.2, 0.8, 12.9], [0.5, 0.6, 0.7753712113424961, -61.93880868306833]]),
    ("ApplyFtrl", None, &[S1, S2], 3, &[0.1, 0.3, 0.2, -0.7], &[[0.22115259005876925, -1.5063648146235895, -0.08501384084574178, 2.2529073970544675], [0.6, 4.7, 0.3, 8.4], [-1.9351319031721634, 45.40650663552455, 0.7, -101.14104700009977]]),
    ("ApplyFtrlV2", None, &[S1, S2], 3, &[0.1, 0.3, 0.2, 0.05, -0.7], &[[0.19826030258229144, -1.490744184280677, -0.09360787788214368, 2.237312221775429], [0.6, 4.7, 0.3, 8.4], [-1.7658736115128604, 44.9387633243601, 0.740435942904854, -100.44300064216048]]),
    ("SparseApplyFtrl", None, &[S1, S2], 3, &[0.1, 0.3, 0.2, -0.7], &[[1.0, -2.0, -0.029299717790225804, 2.1241456740040743], [0.1, 0.2, 0.8, 12.9], [0.5, 0.6, 0.5623460633663846, -128.3818752172528]]),
    ("SparseApplyFtrlV2", None, &[S1, S2], 3, &[0.1, 0.3, 0.2, 0.05, -0.7], &[[1.0, -2.0, -0.03449429572864875, 2.0955464970724482], [0.1, 0.2, 0.8, 12.9], [0.5, 0.6, 0.6088576742546554, -126.65740017022472]]),
    ("ApplyProximalGradientDescent", None, &[], 4, &[0.1, 0.3, 0.2], &[[0.8058439061899267, -1.5728565936178391, 0.42233756247597076, 2.4369473279507883]]),
    ("ApplyProximalAdagrad", None, &[S1], 5, &[0.1, 0.3, 0.2], &[[0.7147619437793654, -1.7619381778962557, 0.3615681903850887, 2.764618437699833], [0.6, 4.7, 0.3, 8.4]]),
    ("ApplyAdagradDA", None, &[S1, S2], 3, &[0.1, 0.3, 0.2, 3.0], &[[-0.018867924528301903, 0.08195597128250848, -0.0, -0.11564592199006332], [1.1, -2.8, 0.3, 4.4], [1.0, 5.1, 0.7, 8.8]]),
    ("ApplyAdagradDA", None, &[S1, S2], 3, &[0.1, 0.0, 0.2, 3.0], &[[-0.10377358490566038, 0.1207772208373809, -0.03345749683518418, -0.14538344478750817], [1.1, -2.8, 0.3, 4.4], [1.0, 5.1, 0.7, 8.8]]),
    ("SparseApplyAdagradDA", None, &[S1, S2], 3, &[0.1, 0.3, 0.2, 3.0], &[[1.0, -2.0, -0.03461869324675134, -0.013488299486184583], [0.1, 0.2, 1.3, 1.4], [0.5, 0.6, 1.2, 13.3]]),
    ("SparseApplyAdagradDA", None, &[S1, S2], 3, &[0.1, 0.0, 0.2, 3.0], &[[1.0, -2.0, -0.11251075305194183, -0.037767238561316835], [0.1, 0.2, 1.3, 1.4], [0.5, 0.6, 1.2, 13.3]]),
    ("ApplyAddSign", None, &[S1], 6, &[0.1, 1.0, 0.9, 0.9], &[[0.81, -1.7000000000000002, 0.5, 2.24], [0.17600000000000002, -0.12299999999999991, 0.24300000000000002, 0.7040000000000001]]),
    ("ApplyPowerSign", None, &[S1], 6, &[0.1, 1.0, 0.9, 0.9], &[[0.7540396888843051, -1.5700740843653676, 0.5, 2.0161587555372202], [0.17600000000000002, -0.12299999999999991, 0.24300000000000002, 0.7040000000000001]]),
];

/// Returns the node of a case, its variables and gradient of `shape`.
fn node(case: &Case, shape: &[usize], make: impl Fn(&[usize], &[f64]) -> Tensor) -> Rerun {
    let (op, flag, slots, gradient, scalars, _) = case;
    let mut args = vec![Arg::Variable(make(shape, &VAR))];
    args.extend(slots.iter().map(|s| Arg::Variable(make(shape, s))));
    args.extend(scalars.iter().map(|&s| Arg::One(make(&[], &[s]))));
    if op.ends_with("AdagradDA") {
        // The last scalar counts steps.
        args.pop();
        args.extend(scalars.last().map(|&s| Arg::One(Tensor::scalar(s as i64))));
    }
    args.insert(*gradient, Arg::One(make(shape, &GRADIENT)));
    if op.starts_with("Sparse") {
        args.insert(gradient + 1, Arg::One(Tensor::from_slice([2], &[1i32, 1]).unwrap()));
    }
    let attrs: Vec<_> = flag.iter().map(|(name, value)| (*name, AttrValue::Bool(*value))).collect();
    Rerun::of_args(op, args, &attrs).unwrap()
}

fn shape_of(case: &Case) -> &'static [usize] {
    if case.0.starts_with("Sparse") { &[2, 2] } else { &[4] }
}

fn f64s(shape: &[usize], values: &[f64]) -> Tensor {
    Tensor::from_slice(shape, values).unwrap()
}

#[test]
fn two_steps_are_tensorflows() {
    for case in CASES {
        let node = node(case, shape_of(case), f64s);
        node.run(1).unwrap();
        node.run(1).unwrap();
        for (i, expected) in case.5.iter().enumerate() {
            let got = node.variable(i).unwrap();
            for (g, w) in got.slice::<f64>().unwrap().iter().zip(expected) {
                assert!((g - w).abs() <= 1e-12 * w.abs().max(1.0), "{} {:?} input {i}: {g}, not {w}", case.0, case.4);
            }
        }
    }
}

#[test]
fn sixteen_bit_floats_get_the_f32_result_rounded() {
    let rounded = |values: &[f64]| values.iter().map(|&v| bf16::from_f64(v)).collect::<Vec<_>>();
    let half = |shape: &[usize], values: &[f64]| Tensor::from_slice(shape, &rounded(values)).unwrap();
    let single = |shape: &[usize], values: &[f64]| {
        let values: Vec<f32> = rounded(values).into_iter().map(bf16::to_f32).collect();
        Tensor::from_slice(shape, &values).unwrap()
    };
    // Equal indices of a sparse update round between its rows.
    for case in CASES.iter().filter(|case| !case.0.starts_with("Sparse")) {
        let (half, single) = (node(case, &[4], half), node(case, &[4], single));
        half.run(1).unwrap();
        single.run(1).unwrap();
        for i in 0..case.5.len() {
            let expected = single.variable(i).unwrap();
            let expected: Vec<_> = expected.slice::<f32>().unwrap().iter().map(|&v| bf16::from_f32(v)).collect();
            assert_eq!(half.variable(i).unwrap().slice::<bf16>().unwrap(), expected, "{} input {i}", case.0);
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    const ROWS: usize = 10_007;
    let long = |shape: &[usize], values: &[f64]| {
        if shape.is_empty() {
            return Tensor::scalar(values[0] as f32);
        }
        let values: Vec<f32> = (0..4 * ROWS).map(|i| (values[i % 4] * (1.0 + i as f64 / 1e5)) as f32).collect();
        Tensor::from_slice([4 * ROWS], &values).unwrap()
    };
    for case in CASES.iter().filter(|case| !case.0.starts_with("Sparse")) {
        let by = |threads| {
            let node = node(case, &[4 * ROWS], long);
            node.run(threads).unwrap();
            (0..case.5.len()).map(|i| node.variable(i).unwrap()).collect::<Vec<_>>()
        };
        let alone = by(1);
        assert!(by(2) == alone && by(4) == alone, "{}", case.0);
    }
}

#[test]
fn a_slot_without_a_value_is_an_error_and_the_variable_stays() {
    let var = f64s(&[4], &VAR);
    let one = || Arg::One(Tensor::scalar(0.5f64));
    let args =
        vec![Arg::Variable(var.clone()), Arg::Uninitialized(DType::F64), one(), Arg::One(f64s(&[4], &GRADIENT)), one()];
    let node = Rerun::of_args("ApplyMomentum", args, &[]).unwrap();
    assert_eq!(node.run(1).unwrap_err().code(), Code::FailedPrecondition);
    assert_eq!(node.variable(0).unwrap(), var);
}

#[test]
fn a_row_out_of_range_is_named_and_the_variable_stays() {
    let var = f64s(&[2, 2], &VAR);
    let args = vec![
        Arg::Variable(var.clone()),
        Arg::Variable(f64s(&[2, 2], &S1)),
        Arg::One(Tensor::scalar(0.5f64)),
        Arg::One(f64s(&[2, 2], &GRADIENT)),
        Arg::One(Tensor::from_slice([2], &[0i64, 3]).unwrap()),
    ];
    let node = Rerun::of_args("SparseApplyAdagrad", args, &[]).unwrap();
    assert_eq!(node.run(1).unwrap_err().message(), "Index 3 at offset 1 in indices is out of range");
    assert_eq!(node.variable(0).unwrap(), var);
}
