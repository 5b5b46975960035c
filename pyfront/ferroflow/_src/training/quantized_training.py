"""The name of the function that adds quantization to a GraphDef, which is not offered."""

from __future__ import annotations

from typing import Any, NoReturn


def do_quantize_training_on_graphdef(input_graph: Any, num_bits: int) -> NoReturn:
    """Raises an error.

    Args:
        input_graph: accepted.
        num_bits: accepted.

    Raises:
        NotImplementedError: on every call.
    """
    raise NotImplementedError(
        "tf.train.do_quantize_training_on_graphdef is not offered. Pass the tensors to quantize through "
        "tf.fake_quant_with_min_max_vars when building the graph."
    )
