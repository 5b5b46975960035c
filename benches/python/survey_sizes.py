"""Calls of a size worth measuring, from the records of the ops."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
from ops.cases.record import Distributions, Given, Input, Record, Texts, Values, Variant, call

# Elements of the largest input of a derived call: 4 MiB of float32. Fewer for ops whose time grows faster than their
# input.
ELEMENTS = 1 << 20
MATRIX_ELEMENTS = 1 << 14

_rng = np.random.default_rng(7)


def _indices(high: int, *shape: int, ordered: bool = False) -> Given:
    values = _rng.integers(0, high, shape)
    return Given(np.sort(values, axis=0) if ordered else values)


def _image(*shape: int) -> Values:
    return Values(shape, 0.0, 1.0)


_SEGMENTS = (Values((65_536, 32)), _indices(4_096, 65_536, ordered=True))
_STRIDE_2 = {"strides": [1, 2, 2, 1], "padding": "SAME"}
_STRIDE_1 = {"strides": [1, 1, 1, 1], "padding": "SAME"}
_POOL = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}
_POOL_3D = {"ksize": [1, 2, 2, 2, 1], "strides": [1, 2, 2, 2, 1], "padding": "SAME"}

# Calls of the ops whose sizes depend on each other or on arguments, by the record's name.
_CALLS: dict[str, tuple[Variant, ...]] = {
    "argmax": (call(Values((4096, 256)), axis=1), call(Values((4096, 256)), axis=0)),
    "argmin": (call(Values((4096, 256)), axis=1), call(Values((4096, 256)), axis=0)),
    "matmul": (
        call(Values((512, 512)), Values((512, 512))),
        call(Values((512, 512)), Values((512, 512)), transpose_b=True),
        call(Values((128, 784)), Values((784, 256))),
        call(Values((1, 4096)), Values((4096, 4096))),
        call(Values((2048, 8, 8)), Values((2048, 8, 8))),
        call(Values((64, 128, 64)), Values((64, 64, 128))),
    ),
    "tensordot": (call(Values((64, 32, 128)), Values((32, 128, 64)), axes=2),),
    "einsum": (call(Values((16, 128, 64)), Values((16, 96, 64)), equation="bij,bkj->bik"),),
    "transpose": (
        call(Values((1024, 1024))),
        call(Values((32, 128, 256)), perm=[0, 2, 1]),
        call(Values((32, 64, 8, 64)), perm=[0, 2, 1, 3]),
        call(Values((16, 56, 56, 32)), perm=[0, 3, 1, 2]),
    ),
    "tile": (call(Values((256, 256)), multiples=[4, 4]), call(Values((65_536, 1)), multiples=[1, 16])),
    "pad": (
        call(Values((16, 56, 56, 32)), paddings=[[0, 0], [1, 1], [1, 1], [0, 0]]),
        call(Values((1024, 1024)), paddings=[[3, 2], [1, 2]]),
    ),
    "concat": (
        call(Values((1024, 512)), Values((1024, 512)), axis=1),
        call(Values((512, 1024)), Values((512, 1024)), axis=0),
    ),
    "split": (call(Values((1024, 1024)), num_or_size_splits=4, axis=1),),
    "one_hot": (call(Values((16_384,), 0, 99, "int32"), depth=100),),
    "fill": (call(Values(()), dims=[1024, 1024]),),
    "gather": (
        call(Values((50_000, 64)), _indices(50_000, 20_000)),
        call(Values((1000, 1000)), _indices(1000, 500), axis=1),
    ),
    "gather, batched": (call(Values((64, 512, 64)), _indices(512, 64, 256), axis=1, batch_dims=1),),
    "batch_gather": (call(Values((512, 2048)), _indices(2048, 512, 512)),),
    "gather_nd": (
        call(Values((512, 512, 4)), Given(_rng.integers(0, 512, (50_000, 2)))),
        call(Values((50_000, 64)), _indices(50_000, 10_000, 1)),
    ),
    "tensor_scatter_update": (call(Values((50_000, 64)), _indices(50_000, 10_000, 1), Values((10_000, 64))),),
    "tensor_scatter_add": (call(Values((50_000, 64)), _indices(50_000, 10_000, 1), Values((10_000, 64))),),
    "scatter_nd": (call(_indices(50_000, 10_000, 1), Values((10_000, 64)), shape=[50_000, 64]),),
    "slice": (call(Values((1024, 1024)), begin=[16, 16], size=[960, -1]),),
    "strided_slice": (
        call(Values((1024, 1024)), begin=[0, 0], end=[1024, 1024], strides=[2, 1]),
        call(Values((1024, 1024)), begin=[0, 0], end=[1024, 1024], strides=[1, 2]),
    ),
    "sort": (call(Values((64, 8192))), call(Values((1 << 18,)))),
    "argsort": (call(Values((64, 8192))),),
    "searchsorted": (
        call(
            Given(np.sort(_rng.random((4, 4096)).astype(np.float32), axis=-1), "float32"),
            Given(_rng.random((4, 65_536)).astype(np.float32), "float32"),
        ),
    ),
    "repeat": (call(Values((65_536, 8)), _indices(3, 65_536), axis=0),),
    "top_k": (call(Values((1024, 1024)), k=5), call(Values((32, 50_000)), k=100)),
    "in_top_k": (call(Values((4096, 1000)), _indices(1000, 4096), k=5),),
    "nth_element": (call(Values((1024, 1024)), Given(100)),),
    "reverse": (call(Values((1024, 1024)), axis=[0]), call(Values((1024, 1024)), axis=[1])),
    "reverse_sequence": (call(Values((256, 100, 32)), _indices(100, 256), seq_axis=1),),
    "invert_permutation": (call(Given(_rng.permutation(1 << 18))),),
    "setdiff1d": (call(Values((100_000,), 0, 1 << 20), Values((50_000,), 0, 1 << 20)),),
    "unique": (call(Values((1 << 18,), 0, 4096)),),
    "boolean_mask": (call(Values((65_536, 16)), Given(_rng.random(65_536) < 0.5, "bool")),),
    "dynamic_partition": (call(Values((65_536, 16)), _indices(4, 65_536), num_partitions=4),),
    "diag": (call(Values((1024,))),),
    "diag_part": (call(Values((1024, 1024))),),
    "matrix_band_part": (call(Values((16, 256, 256)), num_lower=-1, num_upper=0),),
    "space_to_depth": (call(Values((16, 64, 64, 16)), block_size=2),),
    "depth_to_space": (call(Values((16, 32, 32, 64)), block_size=2),),
    "space_to_batch_nd": (call(Values((16, 64, 64, 16)), block_shape=[2, 2], paddings=[[0, 0], [0, 0]]),),
    "batch_to_space_nd": (call(Values((64, 32, 32, 16)), block_shape=[2, 2], crops=[[0, 0], [0, 0]]),),
    "reshape": (call(Values((1024, 1024)), shape=[512, 2048]),),
    "segment_sum": (call(*_SEGMENTS),),
    "segment_mean": (call(*_SEGMENTS),),
    "segment_prod": (call(*_SEGMENTS),),
    "segment_max": (call(*_SEGMENTS),),
    "segment_min": (call(*_SEGMENTS),),
    "unsorted_segment_sum": (call(Values((65_536, 32)), _indices(4_096, 65_536), num_segments=4096),),
    "UnsortedSegmentMax": (call(Values((65_536, 32)), _indices(4_096, 65_536), Given(4096)),),
    "SparseSegmentSum": (call(Values((50_000, 32)), _indices(50_000, 65_536), _indices(4_096, 65_536, ordered=True)),),
    "SparseSegmentMean": (call(Values((50_000, 32)), _indices(50_000, 65_536), _indices(4_096, 65_536, ordered=True)),),
    "cumsum": (call(Values((1024, 1024)), axis=1), call(Values((1024, 1024)), axis=0)),
    "cumprod": (call(Values((1024, 1024)), axis=1), call(Values((1024, 1024)), axis=0)),
    "Bincount": (call(_indices(1000, 1 << 20), Given(1000), Given([], "float32")),),
    "Roll": (call(Values((1024, 1024)), Given(17), Given(1)),),
    "conv2d": (
        call(Values((16, 56, 56, 64)), Values((3, 3, 64, 64)), **_STRIDE_1),
        call(Values((16, 56, 56, 64)), Values((3, 3, 64, 128)), **_STRIDE_2),
        call(Values((16, 7, 7, 512)), Values((3, 3, 512, 512)), **_STRIDE_1),
        call(Values((8, 224, 224, 3)), Values((7, 7, 3, 64)), **_STRIDE_2),
        call(Values((16, 28, 28, 256)), Values((1, 1, 256, 128)), **_STRIDE_1),
        call(Values((32, 28, 28, 1)), Values((5, 5, 1, 32)), **_STRIDE_1),
    ),
    "conv2d_transpose": (
        call(Values((16, 28, 28, 128)), Values((3, 3, 64, 128)), output_shape=[16, 56, 56, 64], **_STRIDE_2),
    ),
    "atrous_conv2d": (call(Values((8, 56, 56, 64)), Values((3, 3, 64, 64)), rate=2, padding="SAME"),),
    "conv1d": (call(Values((32, 1000, 64)), Values((5, 64, 64)), stride=1, padding="SAME"),),
    "conv3d": (call(Values((4, 16, 28, 28, 32)), Values((3, 3, 3, 32, 32)), strides=[1] * 5, padding="SAME"),),
    "depthwise_conv2d_native": (
        call(Values((16, 56, 56, 128)), Values((3, 3, 128, 1)), **_STRIDE_1),
        call(Values((16, 56, 56, 128)), Values((3, 3, 128, 1)), **_STRIDE_2),
    ),
    "separable_conv2d": (call(Values((8, 56, 56, 64)), Values((3, 3, 64, 1)), Values((1, 1, 64, 128)), **_STRIDE_1),),
    "dilation2d": (call(Values((8, 56, 56, 32)), Values((3, 3, 32)), strides=[1] * 4, rates=[1] * 4, padding="SAME"),),
    "max_pool": (
        call(Values((16, 56, 56, 64)), **_POOL),
        call(Values((16, 56, 56, 64)), ksize=[1, 3, 3, 1], strides=[1, 2, 2, 1], padding="SAME"),
    ),
    "avg_pool": (
        call(Values((16, 56, 56, 64)), **_POOL),
        call(Values((16, 56, 56, 64)), ksize=[1, 3, 3, 1], strides=[1, 1, 1, 1], padding="SAME"),
    ),
    "max_pool_with_argmax": (call(Values((16, 56, 56, 64)), **_POOL),),
    "max_pool3d": (call(Values((4, 16, 28, 28, 32)), **_POOL_3D),),
    "avg_pool3d": (call(Values((4, 16, 28, 28, 32)), **_POOL_3D),),
    "fused_batch_norm": (call(Values((16, 56, 56, 64)), Values((64,)), Values((64,))),),
    "lrn": (call(Values((16, 28, 28, 64))),),
    "bias_add": (call(Values((16, 56, 56, 64)), Values((64,))),),
    "moments": (call(Values((4096, 256)), axes=[0]), call(Values((16, 28, 28, 64)), axes=[0, 1, 2])),
    "batch_normalization": (
        call(*(Values((4096, 256)), *(Values((256,), 0.1, 1.0) for _ in range(4))), variance_epsilon=1e-3),
    ),
    "softmax": (call(Values((4096, 256))), call(Values((128, 10_000)))),
    "sparse_softmax_cross_entropy_with_logits": (call(_indices(1000, 1024), Values((1024, 1000))),),
    "resize_bilinear": (call(_image(8, 128, 128, 3), size=[224, 224]),),
    "resize_nearest_neighbor": (call(_image(8, 128, 128, 3), size=[224, 224]),),
    "resize_bicubic": (call(_image(8, 128, 128, 3), size=[224, 224]),),
    "resize_area": (call(_image(8, 224, 224, 3), size=[100, 100]),),
    "crop_and_resize": (
        call(
            _image(8, 128, 128, 3),
            Given(_rng.random((64, 4)).astype(np.float32), "float32"),
            _indices(8, 64),
            crop_size=[64, 64],
        ),
    ),
    "central_crop": (call(_image(512, 512, 3), central_fraction=0.5),),
    "extract_image_patches": (
        call(_image(8, 64, 64, 16), ksizes=[1, 3, 3, 1], strides=[1, 1, 1, 1], rates=[1] * 4, padding="SAME"),
    ),
    "flip_left_right": (call(_image(512, 512, 3)),),
    "flip_up_down": (call(_image(512, 512, 3)),),
    "transpose_image": (call(_image(512, 512, 3)),),
    "rot90": (call(_image(512, 512, 3), k=1),),
    "rgb_to_hsv": (call(_image(512, 512, 3)),),
    "hsv_to_rgb": (call(_image(512, 512, 3)),),
    "adjust_hue": (call(_image(512, 512, 3), delta=0.3),),
    "adjust_saturation": (call(_image(512, 512, 3), saturation_factor=0.3),),
    "adjust_contrast": (call(_image(512, 512, 3), contrast_factor=0.3),),
    "per_image_standardization": (call(_image(512, 512, 3)),),
    "rgb_to_grayscale": (call(_image(512, 512, 3)),),
    "grayscale_to_rgb": (call(_image(512, 512, 1)),),
    "ssim": (call(_image(2, 128, 128, 3), _image(2, 128, 128, 3), max_val=1.0),),
    "psnr": (call(_image(4, 256, 256, 3), _image(4, 256, 256, 3), max_val=1.0),),
    "sobel_edges": (call(_image(4, 128, 128, 3)),),
    "total_variation": (call(_image(8, 128, 128, 3)),),
    "non_max_suppression": (
        call(
            Given(_rng.random((2000, 4)).astype(np.float32), "float32"),
            Values((2000,)),
            max_output_size=100,
            iou_threshold=0.5,
        ),
    ),
    "cross": (call(Values((1 << 18, 3)), Values((1 << 18, 3))),),
    "ctc_greedy_decoder": (call(Values((100, 32, 29))),),
}
# Shapes of the inputs, in turn, of records that take any or any that broadcast.
_SHAPES: dict[str, tuple[tuple[tuple[int, ...], ...], ...]] = {
    "any": (((1024, 1024),),),
    "broadcast": (
        ((1024, 1024), (1024, 1024)),
        ((2048, 512), (2048, 1)),
        ((2048, 512), (512,)),
        ((64, 1, 128, 8), (64, 16, 1, 8)),
    ),
}


def calls(record: Record, elements: int = ELEMENTS) -> Iterator[Variant]:
    """Yields the calls of a record that are worth measuring, most worth first; they may not fit the op."""
    if record.name in _CALLS and any(len(v.inputs) == len(_CALLS[record.name][0].inputs) for v in record.variants):
        yield from (_like(record, variant) for variant in _CALLS[record.name])
        return
    if record.shapes in _SHAPES:
        example = record.variants[0]
        for shapes in _SHAPES[record.shapes]:
            inputs = [
                dataclasses.replace(x, shape=shapes[i % len(shapes)]) if isinstance(x, (Values, Texts)) else x
                for i, x in enumerate(example.inputs)
            ]
            yield Variant(tuple(inputs), example.arguments)
        return
    for variant in record.variants:
        if variant.inputs and not all(0 in shape_of(x) for x in variant.inputs):
            yield from _enlarged(variant, elements)


def has_several(record: Record) -> bool:
    """Whether all calls of a record are measured; otherwise the first that fits the op."""
    return record.name in _CALLS or record.shapes in _SHAPES


def _like(record: Record, variant: Variant) -> Variant:
    """A call whose values have the bounds of the record's own, unless it sets other bounds."""
    example = next(v for v in record.variants if len(v.inputs) == len(variant.inputs))
    inputs = []
    for mine, theirs in zip(variant.inputs, example.inputs, strict=True):
        if isinstance(mine, Values) and isinstance(theirs, Values) and (mine.low, mine.high) == (-2.0, 2.0):
            mine = dataclasses.replace(mine, low=theirs.low, high=theirs.high, dtype=mine.dtype or theirs.dtype)
        elif isinstance(mine, Given) and isinstance(theirs, Given) and np.asarray(mine.value).dtype.kind == "i":
            mine = dataclasses.replace(mine, dtype=theirs.dtype)
        inputs.append(mine)
    return dataclasses.replace(variant, inputs=tuple(inputs))


def shape_of(value: Input) -> tuple[int, ...]:
    """The shape of an input."""
    return tuple(np.shape(value.value)) if isinstance(value, Given) else value.shape


def _enlarged(variant: Variant, most: int) -> Iterator[Variant]:
    """Yields the variant with every size, else with the first size alone, multiplied up to `ELEMENTS`."""
    drawn = [x for x in variant.inputs if isinstance(x, (Values, Texts, Distributions))]
    shapes = [x.shape for x in drawn if x.shape]
    if not shapes:
        return
    elements = most // 16 if any(isinstance(x, Texts) for x in drawn) else most
    largest = max(shapes, key=lambda shape: int(np.prod(shape)))
    sizes = {n for n in largest if n > 1}
    whole = (elements / max(int(np.prod(largest)), 1)) ** (1 / max(len([n for n in largest if n > 1]), 1))
    every = {n: max(int(n * whole), 1) for shape in shapes for n in shape if n > 1}
    first = {largest[0]: largest[0] * max(elements // int(np.prod(largest)), 1)} if sizes else {}
    for mapping in (every, first):
        inputs = tuple(
            dataclasses.replace(x, shape=tuple(mapping.get(n, n) for n in x.shape)) if not isinstance(x, Given) else x
            for x in variant.inputs
        )
        if all(int(np.prod(shape_of(x))) <= 8 * ELEMENTS for x in inputs):
            yield Variant(inputs, variant.arguments)
