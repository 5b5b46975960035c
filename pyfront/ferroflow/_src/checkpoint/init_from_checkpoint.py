"""`init_from_checkpoint`: initial values of variables taken from a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ferroflow._src.base import tf_logging
from ferroflow._src.checkpoint.reader import checkpoint_filename, load_checkpoint
from ferroflow._src.checkpoint.remote_checkpoint import kept_checkpoint
from ferroflow._src.framework.default_graph import device
from ferroflow._src.ops.checkpoint.saving import restore_v2
from ferroflow._src.ops.state.assigning import assign
from ferroflow._src.variables.partitioned_variable import PartitionedVariable
from ferroflow._src.variables.variable import Variable, save_slice_of
from ferroflow._src.variables.variable_store import default_variable_store


def init_from_checkpoint(ckpt_dir_or_file: str, assignment_map: Mapping[str, Any]) -> None:
    """Makes the initializers of variables read their values from a checkpoint.

    Args:
        ckpt_dir_or_file: str, the checkpoint's prefix, or a folder whose latest checkpoint is meant.
        assignment_map: dict from sources in the checkpoint to targets in the graph. `"a/": "b/"` initializes all
            variables in the scope `b` from tensors of the scope `a` with the same shapes (`"/"` is the root). `"a/x":
            "b/y"` initializes one variable by its name. `"a/x": v` initializes a `Variable`, a `PartitionedVariable` or
            a list of one's slices.

    Raises:
        ValueError: if there is no checkpoint, a tensor is not in it or has another shape, or a scope is mapped to a
            tensor.
        tf.errors.OpError: if the checkpoint cannot be read.
    """
    prefix = kept_checkpoint(str(checkpoint_filename(ckpt_dir_or_file)))
    shapes = load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map()
    for source, target in sorted(assignment_map.items()):
        found = _variable(target)
        if found is None:
            pairs = _in_scopes(source, str(target), ckpt_dir_or_file, shapes)
        elif source not in shapes:
            raise ValueError(f"Tensor {source} is not found in {ckpt_dir_or_file} checkpoint {shapes}")
        else:
            pairs = [(source, found)]
        for name, variable in pairs:
            _check_shape(variable, name, shapes[name])
            for part in variable if isinstance(variable, list) else [variable]:
                _set_initializer(part, prefix, name)
                tf_logging.info("Initialize variable %s from checkpoint %s with %s", part.name, ckpt_dir_or_file, name)


def _variable(target: Any) -> Any:
    """Returns the variable, or list of slices of one, that is meant; None for a scope."""
    if isinstance(target, Variable):
        return target
    if isinstance(target, PartitionedVariable):
        return list(target)
    if isinstance(target, list) and all(isinstance(v, Variable) for v in target):
        return target
    known = default_variable_store().variables
    return known.get(target) or _slices(target, known)


def _slices(name: str, known: Mapping[str, Any]) -> list[Variable] | None:
    """Returns the slices of a partitioned variable of that name."""
    parts: list[Variable] = []
    while f"{name}/part_{len(parts)}" in known:
        parts.append(known[f"{name}/part_{len(parts)}"])
    return parts or None


def _in_scopes(source: str, target: str, checkpoint: str, shapes: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Returns pairs of tensors and variables, for a scope of the checkpoint and one of the graph."""
    scope = target.rpartition("/")[0]
    if not source.endswith("/"):
        raise ValueError(
            f"Assignment map with scope only name {scope} should map to scope only {source}. Should be 'scope/': "
            "'other_scope/'."
        )
    known = default_variable_store().variables
    inside = {name.partition("/part_")[0] for name in known if not scope or name.startswith(scope + "/")}
    pairs = []
    for name in sorted(inside):
        rest = name[len(scope) :]
        if target != "/":
            rest = rest[1:] if scope else rest
        tensor = (rest if source == "/" else source + rest).removesuffix("/")
        if tensor not in shapes:
            raise ValueError(f"Tensor {tensor} ({rest} in {source}) is not found in {checkpoint} checkpoint")
        pairs.append((tensor, known.get(name) or _slices(name, known)))
    return pairs


def _check_shape(variable: Any, name: str, shape: list[int]) -> None:
    if isinstance(variable, list):
        infos: list[Any] = [save_slice_of(part) for part in variable]
        names = {info.full_name for info in infos}
        if len(names) > 1:
            raise ValueError(f"Slices must all be from the same tensor: {' != '.join(sorted(names))}")
    elif not variable.get_shape().is_compatible_with(shape):
        raise ValueError(
            f"Shape of variable {variable.name} ({variable.get_shape()}) doesn't match with shape of tensor {name} "
            f"({shape}) from checkpoint reader."
        )


def _set_initializer(variable: Variable, checkpoint: str, name: str) -> None:
    info = save_slice_of(variable)
    with device(variable.device), device("/cpu:0"):
        spec = "" if info is None else info.spec
        restored = restore_v2(checkpoint, [name], [spec], [variable.dtype], name="checkpoint_initializer")[0]
        restored.set_shape(variable.shape)
        variable._set_initializer(restored, assign(variable, restored))
