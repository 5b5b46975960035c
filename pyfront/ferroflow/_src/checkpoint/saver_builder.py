"""`BaseSaverBuilder` and `BulkSaverBuilder`: the operations of a saver."""

from __future__ import annotations

import functools
import uuid
from collections.abc import Iterable, Sequence
from typing import Any

from ferroflow._src.base import dtypes, proto
from ferroflow._src.base.device_spec import DeviceSpec, canonical_name
from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import control_dependencies, device, name_scope
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.framework.saveable import SaveableObject, SaveSpec
from ferroflow._src.ops.array.making import ensure_shape, identity, placeholder_with_default
from ferroflow._src.ops.array.shaping import reshape as reshape_tensor, shape
from ferroflow._src.ops.checkpoint import saving
from ferroflow._src.ops.flow.grouping import group, with_dependencies
from ferroflow._src.ops.state.assigning import assign
from ferroflow._src.ops.string.parts import string_join
from ferroflow._src.variables.partitioned_variable import PartitionedVariable
from ferroflow._src.variables.resource_variable import is_resource_variable
from ferroflow._src.variables.variable import Variable, save_slice_of

_HANDLE_OPS = frozenset(("VarHandleOp", "ReadVariableOp"))
_VARIABLE_OPS = frozenset(("Variable", "VariableV2", "AutoReloadVariable", "VarHandleOp", "ReadVariableOp"))


def _on_cpu(device_name: str) -> str:
    """Returns a device's host: the same job and task, but its first CPU."""
    spec = DeviceSpec.from_string(device_name)
    spec.device_type = "CPU"
    spec.device_index = 0
    return spec.to_string()


class VariableSaveable(SaveableObject):
    """A variable, or a slice of a partitioned one.

    Args:
        var: the `Variable` or its reference tensor.
        slice_spec: str, the slice's place in the full tensor; "" for a full tensor.
        name: str, the name it is saved under.
    """

    def __init__(self, var: Any, slice_spec: str, name: str) -> None:
        super().__init__(var, [SaveSpec(var, slice_spec, name, dtype=var.dtype)], name)

    def restore(self, restored_tensors: Sequence[Any], restored_shapes: Sequence[Any] | None) -> Any:
        """Assigns the value, in the variable's shape where shapes are given."""
        value = restored_tensors[0]
        if restored_shapes is not None:
            value = reshape_tensor(value, restored_shapes[0])
        reference = convert_to_tensor(self.op, as_ref=True)
        validate = restored_shapes is None and reference.shape.is_fully_defined()
        return assign(reference, value, validate_shape=validate)


class ResourceVariableSaveable(SaveableObject):
    """A variable behind a handle, or a slice of a partitioned one.

    Args:
        var: the `ResourceVariable`, or the tensor of a read of it.
        slice_spec: str, the slice's place in the full tensor; "" for a full tensor.
        name: str, the name it is saved under.

    Raises:
        ValueError: if `var` is neither a Tensor nor a resource variable.
    """

    def __init__(self, var: Any, slice_spec: str, name: str) -> None:
        self._var_device = var.device
        tensor: Any
        if isinstance(var, Tensor):
            if var.op.type == "VarHandleOp":
                self.handle_op = var
                dtype = dtypes.as_dtype(var.op.get_attr("dtype"))
                self._var_shape = TensorShape(var.op.get_attr("shape"))
                tensor = functools.partial(_read_on_cpu, var, dtype)
            else:
                self.handle_op, dtype, self._var_shape, tensor = var.op.inputs[0], var.dtype, var.shape, var
        elif is_resource_variable(var):
            self.handle_op, dtype, self._var_shape = var.handle, var.dtype, var.shape
            tensor = functools.partial(_read_on_cpu, var.handle, dtype)
        else:
            raise ValueError(f"Saveable is neither a resource variable nor a read operation. Got: {var!r}")
        super().__init__(var, [SaveSpec(tensor, slice_spec, name, dtype=dtype)], name)

    def restore(self, restored_tensors: Sequence[Any], restored_shapes: Sequence[Any] | None) -> Any:
        """Assigns the value, in the variable's shape where shapes are given."""
        value = restored_tensors[0]
        if restored_shapes is not None:
            value = reshape_tensor(value, restored_shapes[0])
        with device(self._var_device):
            value = identity(value)
            known = value.get_shape()
            if not known.is_compatible_with(self._var_shape):
                raise ValueError(f"Shapes {self._var_shape} and {known} are incompatible")
            if not known.is_fully_defined() and self._var_shape.is_fully_defined():
                value = ensure_shape(value, self._var_shape)
            return apply_op("AssignVariableOp", [self.handle_op, value])


def _read_on_cpu(handle: Tensor, dtype: Any) -> Tensor:
    with device(handle.device):
        value = tensor_op("ReadVariableOp", [handle], {"dtype": dtype})
    with device(_on_cpu(handle.device or "")):
        return identity(value)


def variable_saveable(var: Any, slice_spec: str, name: str) -> SaveableObject:
    """Returns the saveable of a variable of either kind."""
    behind_handle = var.op.type in _HANDLE_OPS if isinstance(var, Tensor) else is_resource_variable(var)
    return (ResourceVariableSaveable if behind_handle else VariableSaveable)(var, slice_spec, name)


class BaseSaverBuilder:
    """Maker of the operations that save and restore; subclasses may make other operations.

    Args:
        write_version: the format, `SaverDef.V2` by default.
    """

    def __init__(self, write_version: int | None = None) -> None:
        self._write_version = proto.SaverDef.V2 if write_version is None else write_version

    def save_op(self, filename_tensor: Tensor, saveables: Iterable[SaveableObject]) -> Operation:
        """Returns the operation that saves.

        Args:
            filename_tensor: Tensor of string, of shape [], the checkpoint's prefix.
            saveables: list of `SaveableObject`.

        Raises:
            RuntimeError: if the write version is neither V1 nor V2.
        """
        specs = [spec for saveable in saveables for spec in saveable.specs]
        names, slices = [spec.name for spec in specs], [spec.slice_spec for spec in specs]
        tensors = [spec.tensor for spec in specs]
        if self._write_version == proto.SaverDef.V1:
            return saving.save_slices(filename_tensor, names, slices, tensors, name="SaveSlices")
        if self._write_version == proto.SaverDef.V2:
            return saving.save_v2(filename_tensor, names, slices, tensors)
        raise RuntimeError(f"Unexpected write_version: {self._write_version}")

    def bulk_restore(
        self,
        filename_tensor: Tensor,
        saveables: Iterable[SaveableObject],
        preferred_shard: int,
        restore_sequentially: bool,
    ) -> list[Tensor]:
        """Returns the tensors of all saveables, read by `restore_op` of each.

        Args:
            filename_tensor: Tensor of string, of shape [], the checkpoint's prefix.
            saveables: list of `SaveableObject`.
            preferred_shard: int, the file to search first.
            restore_sequentially: bool. If True, each is read after the one before.
        """
        tensors: list[Tensor] = []
        before: list[Tensor] = []
        for saveable in saveables:
            with (
                device(_on_cpu(saveable.device) if saveable.device else None),
                control_dependencies(before if restore_sequentially else []),
            ):
                read = self.restore_op(filename_tensor, saveable, preferred_shard)
            tensors.extend(read)
            before = read[-1:]
        return tensors

    def restore_op(self, filename_tensor: Tensor, saveable: SaveableObject, preferred_shard: int) -> list[Tensor]:
        """Returns the tensors of one saveable; arguments as those of `bulk_restore`."""
        del preferred_shard
        return [
            saving.restore_v2(filename_tensor, [spec.name], [spec.slice_spec], [spec.dtype])[0]
            for spec in saveable.specs
        ]

    def sharded_filename(self, filename_tensor: Tensor, shard: int, num_shards: Tensor) -> Tensor:
        """Returns the name of a shard's file.

        Args:
            filename_tensor: Tensor of string, of shape [].
            shard: int.
            num_shards: Tensor of int32, of shape [].
        """
        return saving.sharded_filename(filename_tensor, shard, num_shards)

    def _AddSaveOps(self, filename_tensor: Tensor, saveables: Sequence[SaveableObject]) -> Tensor:  # noqa: N802  # TF1's spelling
        saved = self.save_op(filename_tensor, saveables)
        kept: Tensor = with_dependencies([saved], filename_tensor)
        return kept

    def _AddShardedSaveOpsForV2(  # noqa: N802  # TF1's spelling
        self, checkpoint_prefix: Tensor, per_device: Sequence[tuple[str, list[SaveableObject]]]
    ) -> Tensor:
        # Shards are saved in a folder of their own, and moved when all are there.
        folder = string_join([checkpoint_prefix, f"_temp_{uuid.uuid4().hex}/part"])
        shards = constant(len(per_device), name="num_shards")
        saved, prefixes = [], []
        for shard, (name, saveables) in enumerate(per_device):
            with device(_on_cpu(name)):
                prefix = self.sharded_filename(folder, shard, shards)
                prefixes.append(prefix)
                saved.append(self._AddSaveOps(prefix, saveables))
        with control_dependencies([t.op for t in saved]), device(_on_cpu(per_device[-1][0])):
            merged = saving.merge_v2_checkpoints(prefixes, checkpoint_prefix, delete_old_dirs=True)
            with control_dependencies([merged]):
                return identity(checkpoint_prefix)

    def _AddShardedSaveOps(  # noqa: N802  # TF1's spelling
        self, filename_tensor: Tensor, per_device: Sequence[tuple[str, list[SaveableObject]]]
    ) -> Tensor:
        if self._write_version == proto.SaverDef.V2:
            return self._AddShardedSaveOpsForV2(filename_tensor, per_device)
        shards = constant(len(per_device), name="num_shards")
        saved = []
        for shard, (name, saveables) in enumerate(per_device):
            with device(name):
                saved.append(self._AddSaveOps(self.sharded_filename(filename_tensor, shard, shards), saveables))
        with control_dependencies([t.op for t in saved]):
            return saving.sharded_filespec(filename_tensor, shards)

    def _AddRestoreOps(  # noqa: N802  # TF1's spelling
        self,
        filename_tensor: Tensor,
        saveables: Sequence[SaveableObject],
        restore_sequentially: bool,
        reshape: bool,
        preferred_shard: int = -1,
        name: str = "restore_all",
    ) -> Operation:
        tensors = self.bulk_restore(filename_tensor, saveables, preferred_shard, restore_sequentially)
        restored, start = [], 0
        for saveable in saveables:
            shapes = [_shape_of(spec.tensor) for spec in saveable.specs] if reshape else None
            end = start + len(saveable.specs)
            restored.append(saveable.restore(tensors[start:end], shapes))
            start = end
        return group(*restored, name=name)

    def _AddShardedRestoreOps(  # noqa: N802  # TF1's spelling
        self,
        filename_tensor: Tensor,
        per_device: Sequence[tuple[str, list[SaveableObject]]],
        restore_sequentially: bool,
        reshape: bool,
    ) -> Operation:
        restored = []
        for shard, (name, saveables) in enumerate(per_device):
            with device(name):
                restored.append(
                    self._AddRestoreOps(
                        filename_tensor,
                        saveables,
                        restore_sequentially,
                        reshape,
                        preferred_shard=shard,
                        name="restore_shard",
                    )
                )
        return group(*restored, name="restore_all")

    @staticmethod
    def _IsVariable(v: Any) -> bool:  # noqa: N802  # TF1's spelling
        return isinstance(v, Tensor) and v.op.type in _VARIABLE_OPS

    def _GroupByDevices(  # noqa: N802  # TF1's spelling
        self, saveables: Iterable[SaveableObject]
    ) -> list[tuple[str, list[SaveableObject]]]:
        """Returns the saveables of each device, in the order of the devices' names."""
        per_device: dict[str, list[SaveableObject]] = {}
        for saveable in saveables:
            devices = {canonical_name(spec.tensor.device) or "" for spec in saveable.specs}
            if len(devices) != 1:
                raise ValueError(f"All tensors of a saveable object must be on the same device: {saveable.name}")
            per_device.setdefault(str(devices.pop()), []).append(saveable)
        return sorted(per_device.items(), key=lambda item: item[0])

    @staticmethod
    def OpListToDict(op_list: Any, convert_variable_to_tensor: bool = True) -> dict[str, Any]:  # noqa: N802  # TF1's spelling
        """Returns a dict from names to the objects to save.

        Args:
            op_list: list, tuple or set of variables and `SaveableObject`s.
            convert_variable_to_tensor: bool. If True, whole variables become their reference tensors.

        Returns:
            Dict of the names; slices of one variable are in one list.

        Raises:
            TypeError: if an element of `op_list` cannot be saved.
            ValueError: if two elements have the same name.
        """
        if not isinstance(op_list, (list, tuple, set)):
            raise TypeError(f"Variables to save should be passed in a dict or a list: {op_list}")
        found: dict[str, Any] = {}
        for var in sorted(op_list, key=lambda item: str(item.name)):
            if isinstance(var, SaveableObject):
                found[var.name] = var
                continue
            info = save_slice_of(var) if isinstance(var, Variable) else None
            if info is not None:
                slices = found.setdefault(str(info.full_name), [])
                if not isinstance(slices, list):
                    raise ValueError(f"Mixing slices and non-slices with the same name: {info.full_name}")
                slices.append(var)
                continue
            if isinstance(var, PartitionedVariable):
                name = var.name
            elif convert_variable_to_tensor:
                var = _reference(var)
                if not BaseSaverBuilder._IsVariable(var):
                    raise TypeError(f"Variable to save is not a Variable: {var}")
                name = var.op.inputs[0].op.name if var.op.type == "ReadVariableOp" else var.op.name
            else:
                name = var.op.name
            if name in found:
                raise ValueError(f"At least two variables have the same name: {name}")
            found[name] = var
        return found

    def _ValidateAndSliceInputs(self, names_to_saveables: Any) -> list[SaveableObject]:  # noqa: N802  # TF1's spelling
        """Returns the saveables of a dict or list of objects to save.

        Raises:
            TypeError: if a name is not a string, or an object cannot be saved.
            ValueError: if an object is given twice, or a list has slices of several variables.
        """
        if not isinstance(names_to_saveables, dict):
            names_to_saveables = BaseSaverBuilder.OpListToDict(names_to_saveables)
        saveables: list[SaveableObject] = []
        seen: set[Any] = set()
        for name in names_to_saveables:
            if not isinstance(name, str):
                raise TypeError(
                    "names_to_saveables must be a dict mapping string names to checkpointable operations. Name is not "
                    f"a string: {name}"
                )
        for name in sorted(names_to_saveables):
            thing = names_to_saveables[name]
            if isinstance(thing, SaveableObject):
                self._AddSaveable(saveables, seen, thing)
            elif isinstance(thing, (list, tuple, PartitionedVariable)):
                for part, spec in _checked_slices(thing):
                    self._AddSaveable(saveables, seen, variable_saveable(part, spec, name))
            else:
                variable = _reference(thing)
                if not BaseSaverBuilder._IsVariable(variable):
                    raise TypeError(
                        "names_to_saveables must be a dict mapping string names to Tensors/Variables. Not a variable: "
                        f"{variable}"
                    )
                self._AddSaveable(saveables, seen, variable_saveable(variable, "", name))
        return saveables

    def _AddSaveable(  # noqa: N802  # TF1's spelling
        self, saveables: list[SaveableObject], seen_ops: set[Any], saveable: SaveableObject
    ) -> None:
        if saveable.op in seen_ops:
            raise ValueError(f"The same saveable will be restored with two names: {saveable.name}")
        saveables.append(saveable)
        seen_ops.add(saveable.op)

    def build(
        self,
        names_to_saveables: Any,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: bool = False,
        filename: str | None = "model",
    ) -> Any:
        """Makes the operations.

        Args:
            names_to_saveables: dict of what to save by name, or a list.
            reshape: bool. If True, values get the shapes of the variables.
            sharded: bool. If True, each device has a file of its own.
            max_to_keep: int, recorded.
            keep_checkpoint_every_n_hours: float, recorded.
            name: str, the name scope; "save" by default.
            restore_sequentially: bool. If True, tensors are read one after the other.
            filename: str, the prefix if none is fed.

        Returns:
            A `SaverDef` message.

        Raises:
            TypeError: if a name is not a string, or an object cannot be saved.
            ValueError: if an object is given twice, or two objects have the same name.
        """
        saveables = self._ValidateAndSliceInputs(names_to_saveables)
        with name_scope(name, "save", [saveable.op for saveable in saveables]):
            filename_tensor = placeholder_with_default(filename or "model", shape=(), name="filename")
            # A session feeds this one. The name is TensorFlow 1.x's.
            filename_tensor = placeholder_with_default(filename_tensor, shape=(), name="Const")
            if sharded:
                per_device = self._GroupByDevices(saveables)
                saved = self._AddShardedSaveOps(filename_tensor, per_device)
                restored = self._AddShardedRestoreOps(filename_tensor, per_device, restore_sequentially, reshape)
            else:
                saved = self._AddSaveOps(filename_tensor, saveables)
                restored = self._AddRestoreOps(filename_tensor, saveables, restore_sequentially, reshape)
        return proto.SaverDef(
            filename_tensor_name=filename_tensor.name,
            save_tensor_name=saved.name,
            restore_op_name=restored.name,
            max_to_keep=max_to_keep or 0,
            sharded=sharded,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            version=self._write_version,
        )

    _build_internal = build


# TF 1.x: programs find the classes here. There is one kind of variable, so that two of them are the same.
for _name, _class in (
    ("SaveSpec", SaveSpec),
    ("SaveableObject", SaveableObject),
    ("VariableSaveable", VariableSaveable),
    ("ResourceVariableSaveable", ResourceVariableSaveable),
):
    setattr(BaseSaverBuilder, _name, _class)


class BulkSaverBuilder(BaseSaverBuilder):
    """Maker of one operation that reads all tensors."""

    def bulk_restore(
        self,
        filename_tensor: Tensor,
        saveables: Iterable[SaveableObject],
        preferred_shard: int,
        restore_sequentially: bool,
    ) -> list[Tensor]:
        """Returns the tensors of all saveables; arguments as those of `BaseSaverBuilder.bulk_restore`, the last two
        unused.
        """
        del preferred_shard, restore_sequentially
        specs = [spec for saveable in saveables for spec in saveable.specs]
        with device("cpu:0"):
            return saving.restore_v2(
                filename_tensor,
                [spec.name for spec in specs],
                [spec.slice_spec for spec in specs],
                [spec.dtype for spec in specs],
            )


def _reference(thing: Any) -> Tensor:
    # TF 1.x: a variable behind a handle is known by its read.
    return thing._as_graph_element() if is_resource_variable(thing) else convert_to_tensor(thing, as_ref=True)


def _shape_of(tensor: Any) -> Any:
    known = tensor.get_shape()
    return known if known.is_fully_defined() else shape(tensor)


def _checked_slices(things: Any) -> list[tuple[Variable, str]]:
    """Returns the slices of one variable, and how checkpoints spell them."""
    found, names = [], set()
    for part in things:
        if not isinstance(part, Variable):
            raise ValueError(f"Slices must all be Variables: {part}")
        info = save_slice_of(part)
        if info is None:
            raise ValueError(f"Slices must all be slices: {part}")
        names.add(info.full_name)
        found.append((part, info.spec))
    if len(names) > 1:
        raise ValueError(f"Slices must all be from the same tensor: {' != '.join(sorted(map(str, names)))}")
    return found
