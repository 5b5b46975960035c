"""Names and types of the nodes that functions add are TF 1.15's: programs look nodes up by them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ferroflow._src.base import dtypes
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops import operators
from ferroflow._src.ops.array import indexing, joining, making, shaping
from ferroflow._src.ops.flow import grouping
from ferroflow._src.ops.math import arithmetic, cast, clipping, elementwise, linalg, reduction
from ferroflow._src.ops.nn import activation, normalization, softmax
from ferroflow._src.ops.random import sampling

assert operators


def _names(build: Callable[[Tensor], Any]) -> str:
    """`name=Type` of the nodes that a function of a placeholder `x` of shape [?, 3] adds."""
    with Graph().as_default() as graph:
        x = making.placeholder("float32", [None, 3], name="x")
        build(x)
        return " ".join(f"{op.name}={op.type}" for op in graph.get_operations()[1:])


_EXPECTED: list[tuple[str, Callable[[Tensor], Any], str]] = [
    ("x + 1", lambda x: x + 1, "add/y=Const add=Add"),
    ("1 + x", lambda x: 1 + x, "add/x=Const add=Add"),
    ("x + x", lambda x: x + x, "add=Add"),
    ("x - 1", lambda x: x - 1, "sub/y=Const sub=Sub"),
    ("2 * x", lambda x: 2 * x, "mul/x=Const mul=Mul"),
    ("x / 2", lambda x: x / 2, "truediv/y=Const truediv=RealDiv"),
    ("x // 2", lambda x: x // 2, "floordiv/y=Const floordiv=FloorDiv"),
    ("x % 2", lambda x: x % 2, "mod/y=Const mod=FloorMod"),
    ("x ** 2", lambda x: x**2, "pow/y=Const pow=Pow"),
    ("-x", lambda x: -x, "Neg=Neg"),
    ("abs(x)", abs, "Abs=Abs"),
    ("x > 0", lambda x: x > 0, "Greater/y=Const Greater=Greater"),
    ("x <= 0", lambda x: x <= 0, "LessEqual/y=Const LessEqual=LessEqual"),
    (
        "(x > 0) & (x < 1)",
        lambda x: (x > 0) & (x < 1),
        "Greater/y=Const Greater=Greater Less/y=Const Less=Less and=LogicalAnd",
    ),
    (
        "(x > 0) ^ (x > 1)",
        lambda x: (x > 0) ^ (x > 1),
        "Greater/y=Const Greater=Greater Greater_1/y=Const Greater_1=Greater xor/LogicalOr=LogicalOr"
        " xor/LogicalAnd=LogicalAnd xor/LogicalNot=LogicalNot xor=LogicalAnd",
    ),
    ("~(x > 0)", lambda x: ~(x > 0), "Greater/y=Const Greater=Greater LogicalNot=LogicalNot"),
    (
        "int / int",
        lambda x: shaping.shape(x) / 2,
        "Shape=Shape truediv/y=Const truediv/Cast=Cast truediv/Cast_1=Cast truediv=RealDiv",
    ),
    (
        "x[0]",
        lambda x: x[0],
        "strided_slice/stack=Const strided_slice/stack_1=Const strided_slice/stack_2=Const strided_slice=StridedSlice",
    ),
    ("add", lambda x: arithmetic.add(x, 1.0), "Add/y=Const Add=Add"),
    ("add, named", lambda x: arithmetic.add(x, 1.0, name="sum"), "sum/y=Const sum=Add"),
    ("add, of lists", lambda x: arithmetic.add([1.0], [2.0]), "Add/x=Const Add/y=Const Add=Add"),
    ("square", lambda x: elementwise.square(x), "Square=Square"),
    ("sigmoid", lambda x: elementwise.sigmoid(x), "Sigmoid=Sigmoid"),
    ("sigmoid, of a list", lambda x: elementwise.sigmoid([1.0]), "Sigmoid/x=Const Sigmoid=Sigmoid"),
    ("cast", lambda x: cast.cast(x, "int32"), "Cast=Cast"),
    ("to_float", lambda x: cast.to_float(shaping.rank(x)), "Rank=Const ToFloat=Cast"),
    ("reduce_mean", lambda x: reduction.reduce_mean(x), "Const=Const Mean=Mean"),
    ("reduce_mean, axis", lambda x: reduction.reduce_mean(x, 0), "Mean/reduction_indices=Const Mean=Mean"),
    ("reduce_sum, named", lambda x: reduction.reduce_sum(x, name="s"), "Const=Const s=Sum"),
    ("matmul", lambda x: linalg.matmul(x, [[1.0], [2.0], [3.0]]), "MatMul/b=Const MatMul=MatMul"),
    ("x @ w", lambda x: x @ making.ones([3, 1]), "ones=Const matmul=MatMul"),
    ("zeros", lambda x: making.zeros([2, 3]), "zeros=Const"),
    (
        "zeros, large",
        lambda x: making.zeros([1000]),
        "zeros/shape_as_tensor=Const zeros/Const=Const zeros=Fill",
    ),
    ("ones, of a tensor", lambda x: making.ones(shaping.shape(x)), "Shape=Shape ones/Const=Const ones=Fill"),
    ("zeros_like", lambda x: making.zeros_like(x), "zeros_like=ZerosLike"),
    ("zeros_like, known", lambda x: making.zeros_like([1.0]), "zeros_like/tensor=Const zeros_like=Const"),
    ("ones_like", lambda x: making.ones_like(x), "ones_like/Shape=Shape ones_like/Const=Const ones_like=Fill"),
    ("shape, known", lambda x: shaping.shape(constant([1.0])), "Const=Const Shape=Const"),
    ("reshape", lambda x: shaping.reshape(x, [-1]), "Reshape/shape=Const Reshape=Reshape"),
    ("transpose", lambda x: shaping.transpose(x), "transpose/perm=Const transpose=Transpose"),
    ("expand_dims", lambda x: shaping.expand_dims(x, 0), "ExpandDims/dim=Const ExpandDims=ExpandDims"),
    ("squeeze", lambda x: shaping.squeeze(x, [0]), "Squeeze=Squeeze"),
    ("concat", lambda x: joining.concat([x, x], 1), "concat/axis=Const concat=ConcatV2"),
    ("concat, one", lambda x: joining.concat([x], 1), "concat/concat_dim=Const concat/concat=Identity"),
    ("stack", lambda x: joining.stack([x, x]), "stack=Pack"),
    ("stack, numbers", lambda x: joining.stack([1, 2]), "stack=Const"),
    ("split", lambda x: joining.split(x, 3, 1), "Const=Const split/split_dim=Const split=Split"),
    ("unstack", lambda x: joining.unstack(x, axis=1), "unstack=Unpack"),
    ("gather", lambda x: indexing.gather(x, [0]), "GatherV2/indices=Const GatherV2/axis=Const GatherV2=GatherV2"),
    ("where", lambda x: indexing.where(x > 0, x, -x), "Greater/y=Const Greater=Greater Neg=Neg Select=Select"),
    (
        "one_hot",
        lambda x: making.one_hot([0], 2),
        "one_hot/on_value=Const one_hot/off_value=Const one_hot/indices=Const one_hot/depth=Const one_hot=OneHot",
    ),
    ("identity", lambda x: making.identity(x), "Identity=Identity"),
    ("relu", lambda x: activation.relu(x), "Relu=Relu"),
    ("relu6", lambda x: activation.relu6([1.0]), "Relu6/features=Const Relu6=Relu6"),
    ("bias_add", lambda x: activation.bias_add(x, [1.0, 2.0, 3.0]), "BiasAdd/bias=Const BiasAdd=BiasAdd"),
    (
        "xw_plus_b",
        lambda x: activation.xw_plus_b(x, making.ones([3, 1]), [1.0]),
        "ones=Const xw_plus_b/biases=Const xw_plus_b/MatMul=MatMul xw_plus_b=BiasAdd",
    ),
    ("softmax", lambda x: softmax.softmax(x), "Softmax=Softmax"),
    ("log_softmax", lambda x: softmax.log_softmax(x, name="logp"), "logp=LogSoftmax"),
    (
        "softmax_cross_entropy_with_logits_v2",
        lambda x: softmax.softmax_cross_entropy_with_logits_v2(labels=[[1.0, 0.0, 0.0]], logits=x),
        "softmax_cross_entropy_with_logits/labels=Const softmax_cross_entropy_with_logits/Rank=Const"
        " softmax_cross_entropy_with_logits/Shape=Shape softmax_cross_entropy_with_logits/Rank_1=Const"
        " softmax_cross_entropy_with_logits/Shape_1=Shape softmax_cross_entropy_with_logits/Sub/y=Const"
        " softmax_cross_entropy_with_logits/Sub=Sub softmax_cross_entropy_with_logits/Slice/begin=Pack"
        " softmax_cross_entropy_with_logits/Slice/size=Const softmax_cross_entropy_with_logits/Slice=Slice"
        " softmax_cross_entropy_with_logits/concat/values_0=Const softmax_cross_entropy_with_logits/concat/axis=Const"
        " softmax_cross_entropy_with_logits/concat=ConcatV2 softmax_cross_entropy_with_logits/Reshape=Reshape"
        " softmax_cross_entropy_with_logits/Rank_2=Const softmax_cross_entropy_with_logits/Shape_2=Const"
        " softmax_cross_entropy_with_logits/Sub_1/y=Const softmax_cross_entropy_with_logits/Sub_1=Sub"
        " softmax_cross_entropy_with_logits/Slice_1/begin=Pack softmax_cross_entropy_with_logits/Slice_1/size=Const"
        " softmax_cross_entropy_with_logits/Slice_1=Slice softmax_cross_entropy_with_logits/concat_1/values_0=Const"
        " softmax_cross_entropy_with_logits/concat_1/axis=Const softmax_cross_entropy_with_logits/concat_1=ConcatV2"
        " softmax_cross_entropy_with_logits/Reshape_1=Reshape"
        " softmax_cross_entropy_with_logits=SoftmaxCrossEntropyWithLogits"
        " softmax_cross_entropy_with_logits/Sub_2/y=Const softmax_cross_entropy_with_logits/Sub_2=Sub"
        " softmax_cross_entropy_with_logits/Slice_2/begin=Const softmax_cross_entropy_with_logits/Slice_2/size=Pack"
        " softmax_cross_entropy_with_logits/Slice_2=Slice softmax_cross_entropy_with_logits/Reshape_2=Reshape",
    ),
    (
        "sigmoid_cross_entropy_with_logits",
        lambda x: softmax.sigmoid_cross_entropy_with_logits(labels=x, logits=x),
        "logistic_loss/zeros_like=ZerosLike logistic_loss/GreaterEqual=GreaterEqual logistic_loss/Select=Select"
        " logistic_loss/Neg=Neg logistic_loss/Select_1=Select logistic_loss/mul=Mul logistic_loss/sub=Sub"
        " logistic_loss/Exp=Exp logistic_loss/Log1p=Log1p logistic_loss=Add",
    ),
    (
        "dropout",
        lambda x: normalization.dropout(x, 0.5),
        "dropout/rate=Const dropout/Shape=Shape dropout/random_uniform/min=Const"
        " dropout/random_uniform/max=Const dropout/random_uniform/RandomUniform=RandomUniform"
        " dropout/random_uniform/sub=Sub dropout/random_uniform/mul=Mul dropout/random_uniform=Add dropout/sub/x=Const"
        " dropout/sub=Sub dropout/truediv/x=Const dropout/truediv=RealDiv dropout/GreaterEqual=GreaterEqual"
        " dropout/mul=Mul dropout/Cast=Cast dropout/mul_1=Mul",
    ),
    (
        "random_normal",
        lambda x: sampling.random_normal([2]),
        "random_normal/shape=Const random_normal/mean=Const random_normal/stddev=Const"
        " random_normal/RandomStandardNormal=RandomStandardNormal random_normal/mul=Mul random_normal=Add",
    ),
    (
        "truncated_normal, named",
        lambda x: sampling.truncated_normal([2], name="init"),
        "init/shape=Const init/mean=Const init/stddev=Const init/TruncatedNormal=TruncatedNormal init/mul=Mul init=Add",
    ),
    (
        "clip_by_value",
        lambda x: clipping.clip_by_value(x, 0.0, 1.0),
        "clip_by_value/Minimum/y=Const clip_by_value/Minimum=Minimum clip_by_value/y=Const clip_by_value=Maximum",
    ),
    (
        "moments",
        lambda x: normalization.moments(x, [0]),
        "moments/mean/reduction_indices=Const moments/mean=Mean moments/StopGradient=StopGradient"
        " moments/SquaredDifference=SquaredDifference moments/variance/reduction_indices=Const moments/variance=Mean"
        " moments/Squeeze=Squeeze moments/Squeeze_1=Squeeze",
    ),
    (
        "batch_normalization",
        lambda x: normalization.batch_normalization(x, constant(0.0), constant(1.0), constant(2.0), constant(3.0), 0.1),
        "Const=Const Const_1=Const Const_2=Const Const_3=Const batchnorm/add/y=Const batchnorm/add=Add"
        " batchnorm/Rsqrt=Rsqrt batchnorm/mul=Mul batchnorm/mul_1=Mul batchnorm/mul_2=Mul batchnorm/sub=Sub"
        " batchnorm/add_1=Add",
    ),
    ("group", lambda x: grouping.group(x.op), "group_deps=NoOp"),
    (
        "tuple",
        lambda x: grouping.tuple([x, x]),
        "tuple/group_deps=NoOp tuple/control_dependency=Identity tuple/control_dependency_1=Identity",
    ),
    ("no_op", lambda x: grouping.no_op(name="init"), "init=NoOp"),
]


@pytest.mark.parametrize(("build", "expected"), [pytest.param(b, e, id=n) for n, b, e in _EXPECTED])
def test_names_of_added_nodes(build: Callable[[Tensor], Any], expected: str) -> None:
    assert _names(build) == expected


def test_second_use_of_a_default_name_gets_a_number() -> None:
    assert (
        _names(lambda x: [x + 1, x + 1, x + 1]) == "add/y=Const add=Add add_1/y=Const add_1=Add add_2/y=Const add_2=Add"
    )


def test_names_are_inside_the_scope_they_are_made_in() -> None:
    def build(x: Tensor) -> None:
        with name_scope("tower"):
            reduction.reduce_mean(x * 2)

    assert _names(build) == "tower/mul/y=Const tower/mul=Mul tower/Const=Const tower/Mean=Mean"


def test_a_constant_takes_the_dtype_of_the_tensor_it_meets() -> None:
    with Graph().as_default() as graph:
        x = making.placeholder(dtypes.float64, name="x")
        assert (x + 1).dtype == dtypes.float64
        assert graph.get_tensor_by_name("add/y:0").dtype == dtypes.float64
