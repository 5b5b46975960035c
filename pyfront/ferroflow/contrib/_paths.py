"""Modules by TensorFlow's paths in `tf.contrib` (`contrib.rnn.python.ops.core_rnn_cell`), whose names are public."""

from __future__ import annotations

import importlib
from typing import Any

from ferroflow._src.base.absent_names import absent
from ferroflow.python._table import root_attribute, serve

__all__ = ["install"]

_FAMILY = "contrib"
# Modules of TensorFlow before 1.8 that programs still name.
_EARLIER = tuple(f"contrib.rnn.python.ops.{name}" for name in ("core_rnn", "core_rnn_cell_impl"))

# Other modules to search for names, because TensorFlow's modules import from each other and pass names on.
_ELSEWHERE = {"rnn": ("nn.rnn_cell", "nn"), "seq2seq": ("nn.rnn_cell",), "slim": ("contrib.slim.learning",)}
# Names that are public in TensorFlow only there: where they are here.
_INTERNAL = {
    "distributions.python.ops.bijectors.weibull": ("ferroflow._src.contrib.bijectors.distribution_functions",),
    "distributions.python.ops.distribution_util": (
        "ferroflow._src.contrib.distributions.matrices_and_vectors",
        "ferroflow._src.contrib.distributions.mixture",
        "ferroflow._src.contrib.distributions.of_bijector",
        "ferroflow._src.contrib.distributions.scales",
        "ferroflow._src.contrib.distributions.static_shapes",
        "ferroflow._src.distributions.parameterization",
    ),
    "distributions.python.ops.gumbel": ("ferroflow._src.contrib.distributions.gumbel",),
    "distributions.python.ops.mvn_linear_operator": ("ferroflow._src.contrib.distributions.of_linear_operator",),
    "distributions.python.ops.vector_exponential_linear_operator": (
        "ferroflow._src.contrib.distributions.of_linear_operator",
    ),
    "distributions.python.ops.vector_laplace_linear_operator": (
        "ferroflow._src.contrib.distributions.of_linear_operator",
    ),
    "eager": ("ferroflow._src.internals.eager_api",),
    "eager.python.tfe": ("ferroflow._src.internals.eager_api",),
    "graph_editor": ("ferroflow._src.internals.graph_walks",),
    "layers.python.layers.utils": ("ferroflow._src.layers.model_utils",),
    "slim.python.slim.data.data_decoder": ("ferroflow._src.contrib.slim_data.decoding",),
    "slim.python.slim.data.data_provider": ("ferroflow._src.contrib.slim_data.providing",),
    "slim.python.slim.data.dataset": ("ferroflow._src.contrib.slim_data.providing",),
    "slim.python.slim.data.dataset_data_provider": ("ferroflow._src.contrib.slim_data.providing",),
    "slim.python.slim.data.parallel_reader": ("ferroflow._src.contrib.slim_data.reading",),
    "slim.python.slim.data.prefetch_queue": ("ferroflow._src.contrib.slim_data.reading",),
    "slim.python.slim.data.tfexample_decoder": ("ferroflow._src.contrib.slim_data.decoding",),
    "slim.python.slim.queues": ("ferroflow._src.contrib.slim_data.queue_runners",),
}
# The same for single names of modules: (module, name) -> (module here, name there).
_INTERNAL_NAMES = {
    ("distributions.python.ops.bijectors.masked_autoregressive", "_gen_mask"): (
        "contrib.bijectors.masked_autoregressive",
        "gen_mask",
    ),
    ("distributions.python.ops.distribution_util", "get_broadcast_shape"): (
        "contrib.distributions.static_shapes",
        "broadcast_shape_of",
    ),
    ("distributions.python.ops.distribution_util", "maybe_check_scalar_distribution"): (
        "contrib.distributions.of_bijector",
        "checked_scalar_distribution",
    ),
    ("distributions.python.ops.gumbel", "_Gumbel"): ("contrib.distributions.gumbel", "Gumbel"),
    ("distributions.python.ops.shape", "_DistributionShape"): (
        "contrib.distributions.distribution_shape",
        "DistributionShape",
    ),
    ("distributions.python.ops.vector_student_t", "_VectorStudentT"): (
        "contrib.distributions.of_bijector",
        "VectorStudentT",
    ),
    ("distributions.python.ops.wishart", "_WishartLinearOperator"): (
        "contrib.distributions.wishart",
        "WishartLinearOperator",
    ),
    ("eager.python.tfe", "run_all_tests_in_graph_and_eager_modes"): (
        "testing.test_util",
        "run_all_in_graph_and_eager_modes",
    ),
    ("eager.python.tfe", "run_test_in_graph_and_eager_modes"): ("testing.test_util", "run_in_graph_and_eager_modes"),
    ("eager", "run_all_tests_in_graph_and_eager_modes"): ("testing.test_util", "run_all_in_graph_and_eager_modes"),
    ("eager", "run_test_in_graph_and_eager_modes"): ("testing.test_util", "run_in_graph_and_eager_modes"),
    ("rnn.python.ops.core_rnn_cell", "_Linear"): ("rnn.projection", "Projection"),
    ("rnn.python.ops.core_rnn_cell", "_linear"): ("rnn.projection", "linear"),
    ("rnn.python.ops.core_rnn_cell_impl", "_Linear"): ("rnn.projection", "Projection"),
    ("rnn.python.ops.core_rnn_cell_impl", "_linear"): ("rnn.projection", "linear"),
    ("seq2seq.python.ops.decoder", "_transpose_batch_time"): ("rnn.dynamic_running", "transpose_batch_time"),
}


# Packages of a family with names of their own: the names of a module below come from there first, because a
# distribution and a bijector may have one name.
_PACKAGES = {"distributions.python.ops.bijectors": "contrib.distributions.bijectors"}


def _inner(path: str) -> tuple[str, ...]:
    """Returns the package of its family that a module belongs to."""
    return tuple(place for start, place in _PACKAGES.items() if f"{path}.".startswith(f"{start}."))


def _found(full_path: str, name: str) -> Any:
    """Returns the object with a name in a module; raises AttributeError if there is none."""
    path = full_path.removeprefix(f"{_FAMILY}.")
    family = path.partition(".")[0]
    if (path, name) in _INTERNAL_NAMES:
        module, there = _INTERNAL_NAMES[path, name]
        return getattr(importlib.import_module(f"ferroflow._src.{module}"), there)
    places = [importlib.import_module(module) for module in _INTERNAL.get(path, ())]
    for place in (*_inner(path), f"{_FAMILY}.{family}", *_ELSEWHERE.get(family, ())):
        # A family that is not here has a virtual package, which would look here again.
        if place != full_path:
            places.append(root_attribute(place))
    for found in (place.__dict__.get(name) for place in places):
        if found is not None:
            return found
    raise absent(f"ferroflow.{full_path}", name)


def install() -> None:
    """Makes the modules importable."""
    serve(_FAMILY, _found, _EARLIER)
