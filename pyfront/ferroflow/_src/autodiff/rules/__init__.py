"""The gradient rules of operations, by family: importing this package registers them."""

from ferroflow._src.autodiff import (
    cond_gradient as _cond_gradient,  # noqa: F401  registers how conditionals are passed
    loop_gradient as _loop_gradient,  # noqa: F401  registers how loops are passed
)
from ferroflow._src.autodiff.rules import (
    array,
    batching,
    calls,
    collective,
    data,
    flow,
    image,
    linalg,
    lookup,
    math,
    nn,
    parsing,
    quantization,
    ragged,
    random,
    script,
    sparse,
    spectral,
    state,
    string,
    summary,
    tensor_array,
    tensor_list,
)
from ferroflow._src.ops import operators as _operators  # noqa: F401  formulas are written with Python's operators

__all__ = [
    "array",
    "batching",
    "calls",
    "collective",
    "data",
    "flow",
    "image",
    "linalg",
    "lookup",
    "math",
    "nn",
    "parsing",
    "quantization",
    "ragged",
    "random",
    "script",
    "sparse",
    "spectral",
    "state",
    "string",
    "summary",
    "tensor_array",
    "tensor_list",
]
