"""`warm_start`: the variables of a model that start from those of one that was trained."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ferroflow._src.base import tf_logging
from ferroflow._src.base.files.staging import kept_file
from ferroflow._src.checkpoint.init_from_checkpoint import init_from_checkpoint
from ferroflow._src.checkpoint.reader import checkpoint_filename
from ferroflow._src.checkpoint.remapping import load_and_remap_matrix_initializer
from ferroflow._src.checkpoint.remote_checkpoint import kept_checkpoint
from ferroflow._src.framework.default_graph import get_collection
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.ops.state.assigning import assign
from ferroflow._src.variables.partition_info import PartitionInfo
from ferroflow._src.variables.partitioned_variable import PartitionedVariable
from ferroflow._src.variables.variable import Variable, save_slice_of


class _Fields(NamedTuple):
    new_vocab: str
    new_vocab_size: int
    num_oov_buckets: int
    old_vocab: str
    old_vocab_size: int
    backup_initializer: Callable[..., Any] | None
    axis: int


class VocabInfo(_Fields):
    """The old and the new vocabulary of a variable's rows or columns.

    Args:
        new_vocab: str, the file of the vocabulary, an entry in each line.
        new_vocab_size: int, the number of its lines that count.
        num_oov_buckets: int, the number of rows for words outside the vocabulary.
        old_vocab: str, the file of the vocabulary of the checkpoint.
        old_vocab_size: int, the number of its lines that count; -1 for all.
        backup_initializer: callable of a shape, for the values of entries that are new; None for zeros.
        axis: int, 0 if rows belong to the entries, 1 if columns do.

    Raises:
        ValueError: if `axis` is not 0 or 1, or an old size is given for columns.
    """

    __slots__ = ()

    def __new__(
        cls,
        new_vocab: str,
        new_vocab_size: int,
        num_oov_buckets: int,
        old_vocab: str,
        old_vocab_size: int = -1,
        backup_initializer: Callable[..., Any] | None = None,
        axis: int = 0,
    ) -> VocabInfo:
        if axis not in (0, 1):
            raise ValueError(f"The only supported values for the axis argument are 0 and 1.  Provided axis: {axis}")
        if axis == 1 and old_vocab_size != -1:
            raise ValueError("old_vocab_size is for rows: with axis 1 the whole old vocabulary counts")
        return super().__new__(
            cls, new_vocab, new_vocab_size, num_oov_buckets, old_vocab, old_vocab_size, backup_initializer, axis
        )


def warm_start(
    ckpt_to_initialize_from: str,
    vars_to_warm_start: str | None = ".*",
    var_name_to_vocab_info: Mapping[str, VocabInfo] | None = None,
    var_name_to_prev_var_name: Mapping[str, str] | None = None,
) -> None:
    """Makes the initializers of variables of the default graph read their values from a checkpoint.

    Args:
        ckpt_to_initialize_from: str, the prefix of a checkpoint, or its folder.
        vars_to_warm_start: str, a regular expression that the names of trained variables match from their start; list
            of those of all variables; list of variables; None for those with a vocabulary only.
        var_name_to_vocab_info: dict of VocabInfo by the names of variables, for those that belong to a vocabulary.
        var_name_to_prev_var_name: dict from names of variables to those in the checkpoint, if they differ.

    Raises:
        ValueError: if a dict names no selected variable, a variable is not in the checkpoint or has another shape
            there, or the list has other elements.
        TypeError: if `ckpt_to_initialize_from` is not text, or a folder without a checkpoint.
        tf.errors.OpError: if the checkpoint or a vocabulary cannot be read.
    """
    if checkpoint_filename(ckpt_to_initialize_from) is None:
        # TF 1.x: the path of the missing checkpoint is None.
        raise TypeError(
            f"Expected binary or unicode string, got None: folder {ckpt_to_initialize_from} has no checkpoint."
        )
    vocabularies = dict(var_name_to_vocab_info or {})
    earlier = dict(var_name_to_prev_var_name or {})
    tf_logging.info("Warm-starting from: %s", ckpt_to_initialize_from)
    grouped: dict[str, list[Variable]] = {}
    for variable in _meant(vars_to_warm_start):
        for part in variable if isinstance(variable, PartitionedVariable) else [variable]:
            grouped.setdefault(_full_name(part), []).append(part)
    for argument, names in (("var_name_to_prev_var_name", earlier), ("var_name_to_vocab_info", vocabularies)):
        unused = names.keys() - grouped.keys()
        if unused:
            raise ValueError(
                f"You provided the following variables in {argument} that were not used: {unused}.  Perhaps you "
                f"misspelled them?  Here is the list of viable variable names: {grouped.keys()}"
            )
    whole: dict[str, Any] = {}
    for name, parts in grouped.items():
        source = earlier.get(name) or name
        if name in vocabularies:
            tf_logging.info("Warm-starting variable: %s; %s; prev_var_name: %s", name, vocabularies[name], source)
            _start_with_vocabulary(parts, vocabularies[name], ckpt_to_initialize_from, source)
        elif vars_to_warm_start:
            tf_logging.info("Warm-starting variable: %s; prev_var_name: %s", name, source)
            if source in whole:
                init_from_checkpoint(ckpt_to_initialize_from, {source: _one_or_slices(parts)})
            else:
                whole[source] = _one_or_slices(parts)
    if whole:
        init_from_checkpoint(ckpt_to_initialize_from, whole)


def _meant(given: Any) -> list[Any]:
    """Returns the variables that are meant."""
    if given is None or isinstance(given, str):
        return get_collection(GraphKeys.TRAINABLE_VARIABLES, scope=given)
    if not isinstance(given, list):
        raise ValueError(f"`vars_to_warm_start must be a `list` or `str`.  Given type is {type(given)}")
    if all(isinstance(v, str) for v in given):
        found = [v for pattern in given for v in get_collection(GraphKeys.GLOBAL_VARIABLES, scope=pattern)]
        return list(dict.fromkeys(found))
    if all(isinstance(v, (Variable, PartitionedVariable)) for v in given):
        return given
    raise ValueError(
        "If `vars_to_warm_start` is a list, it must be all `Variable` or all `str`.  Given types are "
        f"{[type(v) for v in given]}"
    )


def _full_name(variable: Variable) -> str:
    info = save_slice_of(variable)
    return variable.op.name if info is None else str(info.full_name)


def _one_or_slices(parts: list[Variable]) -> Any:
    return parts[0] if len(parts) == 1 else parts


def _start_with_vocabulary(parts: list[Variable], info: VocabInfo, checkpoint: str, source: str) -> None:
    if not (info.new_vocab and info.new_vocab_size and info.old_vocab):
        raise ValueError(
            "Invalid args: Must provide all of [current_vocab_path, current_vocab_size, prev_ckpt, prev_vocab_path}."
        )
    prefix = checkpoint_filename(checkpoint)
    if prefix is None:
        raise ValueError(f"Couldn't find 'checkpoint' file or checkpoints in given directory {checkpoint}")
    prefix, old, new = kept_checkpoint(prefix), kept_file(info.old_vocab), kept_file(info.new_vocab)
    for part in parts:
        if part.shape.ndims != 2:
            raise ValueError(f"A variable with a vocabulary has rank 2: {part.name} has shape {part.shape}")
        shape = [int(size) for size in part.shape]
        slice_info = save_slice_of(part)
        place = None
        if slice_info is not None:
            place = PartitionInfo(slice_info.full_shape or (), slice_info.var_offset or ())
        if info.axis == 0:
            initializer = load_and_remap_matrix_initializer(
                prefix,
                source,
                new_row_vocab_size=info.new_vocab_size,
                new_col_vocab_size=shape[1],
                old_row_vocab_size=info.old_vocab_size,
                old_row_vocab_file=old,
                new_row_vocab_file=new,
                num_row_oov_buckets=info.num_oov_buckets,
                initializer=info.backup_initializer,
            )
        else:
            initializer = load_and_remap_matrix_initializer(
                prefix,
                source,
                new_row_vocab_size=sum(int(p.shape[0]) for p in parts),
                new_col_vocab_size=info.new_vocab_size,
                old_col_vocab_file=old,
                new_col_vocab_file=new,
                num_col_oov_buckets=info.num_oov_buckets,
                initializer=info.backup_initializer,
            )
        value = initializer(shape, partition_info=place)
        part._set_initializer(value, assign(part, value))
