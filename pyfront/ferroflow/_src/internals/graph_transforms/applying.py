"""`TransformGraph` and the table of transforms."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from ferroflow._src.base import errors, tf_logging
from ferroflow._src.internals.graph_transforms import constants, editing, weights
from ferroflow._src.internals.graph_transforms.messages import copied
from ferroflow._src.internals.graph_transforms.specification import Context, Transform, invalid, parse

_TRANSFORMS: Final[dict[str, Transform]] = {
    function.__name__: function
    for function in (
        constants.fold_constants,
        constants.quantize_weights,
        constants.round_weights,
        editing.add_default_attributes,
        editing.backport_concatv2,
        editing.insert_logging,
        editing.merge_duplicate_nodes,
        editing.obfuscate_names,
        editing.remove_attribute,
        editing.remove_control_dependencies,
        editing.remove_device,
        editing.remove_nodes,
        editing.rename_attribute,
        editing.rename_node,
        editing.rename_op,
        editing.set_device,
        editing.sort_by_execution_order,
        editing.strip_unused_nodes,
        weights.flatten_atrous_conv,
        weights.fold_batch_norms,
        weights.fold_old_batch_norms,
    )
}
# TensorFlow's other transforms.
_ABSENT: Final = frozenset(
    (
        *("backport_tensor_array_v3", "freeze_requantization_ranges", "fuse_pad_and_conv", "fuse_remote_graph"),
        *("fuse_resize_and_conv", "fuse_resize_pad_and_conv", "place_remote_graph_arguments", "quantize_nodes"),
        *("remove_ema", "sparsify_gather"),
    )
)


def TransformGraph(  # noqa: N802  # TensorFlow's spelling
    input_graph_def: Any, inputs: Iterable[str], outputs: Iterable[str], transforms: Iterable[str]
) -> Any:
    """Applies transforms to a graph, one after the other.

    Args:
        input_graph_def: GraphDef; it is not changed.
        inputs: list of str, names of the nodes that are fed.
        outputs: list of str, names of the nodes that are fetched.
        transforms: list of str, names of transforms. Parameters stand behind a name, as in
            `strip_unused_nodes(type=float, shape="1,224,224,3")`. With `ignore_errors=true`, a transform that fails is
            left out.

    Returns:
        GraphDef.

    Raises:
        tf.errors.InvalidArgumentError: if a text of `transforms` has another form, or names an unknown transform; if a
            transform lacks a parameter, or the graph is not valid.
        tf.errors.UnimplementedError: if ferroflow has no such transform of TensorFlow's.
    """
    graph_def = copied(input_graph_def)
    for name, parameters in parse(" ".join(transforms)):
        function = _TRANSFORMS.get(name)
        if function is None and name in _ABSENT:
            raise errors.UnimplementedError(
                None, None, f"ferroflow does not have the transform '{name}'; it has {', '.join(sorted(_TRANSFORMS))}."
            )
        if function is None:
            raise invalid(f"Transform '{name}' not recognized.")
        context = Context(list(inputs), list(outputs), parameters)
        ignores_errors = context.truth("ignore_errors", False)
        try:
            graph_def = function(graph_def, context)
        except (errors.OpError, ValueError, KeyError) as failure:
            if not ignores_errors:
                raise failure if isinstance(failure, errors.OpError) else invalid(str(failure)) from failure
            tf_logging.warning("%s: Ignoring error %s", name, failure)
        _clear_versions(graph_def, name)
    return graph_def


def _clear_versions(graph_def: Any, name: str) -> None:
    """Removes the versions, as TensorFlow's transforms do, all but one; also gives the graph a library of functions."""
    if name != "add_default_attributes":
        graph_def.ClearField("versions")
    graph_def.library.SetInParent()
