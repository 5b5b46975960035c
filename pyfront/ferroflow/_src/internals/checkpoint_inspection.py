"""`tensorflow.python.tools.inspect_checkpoint`: prints what a checkpoint holds."""

from __future__ import annotations

import math
import re
from typing import Any

from ferroflow._src.base.errors import OpError
from ferroflow._src.checkpoint.reader import NewCheckpointReader


def print_tensors_in_checkpoint_file(
    file_name: str,
    tensor_name: str,
    all_tensors: bool,
    all_tensor_names: bool = False,
    count_exclude_pattern: str = "",
) -> None:
    """Prints the tensors of a checkpoint, one of them, or their names and shapes; and errors of reading it.

    Args:
        file_name: str, prefix of the checkpoint.
        tensor_name: str, the tensor to print; None or "" for the names, dtypes and shapes of all.
        all_tensors: bool. If True, all tensors are printed.
        all_tensor_names: bool. If True, the names of all tensors are printed.
        count_exclude_pattern: str, regular expression of the names of tensors whose elements are not counted.
    """
    try:
        reader = NewCheckpointReader(file_name)
        if all_tensors or all_tensor_names:
            for name in sorted(reader.get_variable_to_shape_map()):
                print("tensor_name: ", name)
                if all_tensors:
                    print(reader.get_tensor(name))
        elif tensor_name:
            print("tensor_name: ", tensor_name)
            print(reader.get_tensor(tensor_name))
        else:
            print(reader.debug_string().decode("utf-8"))
        print(f"# Total number of params: {_count_total_params(reader, count_exclude_pattern)}")
    except OpError as error:
        print(error)
        if file_name.endswith((".index", ".meta")) or ".data-" in file_name:
            print(f"A checkpoint is named by its prefix, without what files add: {file_name.rpartition('.')[0]}")


def _count_total_params(reader: Any, count_exclude_pattern: str = "") -> int:
    """Returns the number of elements of a checkpoint's tensors; prints how many a pattern excludes.

    Args:
        reader: CheckpointReader.
        count_exclude_pattern: str, regular expression of the names of tensors that do not count; "" for none.

    Returns:
        int.
    """
    counts = {name: math.prod(shape) for name, shape in reader.get_variable_to_shape_map().items()}
    if count_exclude_pattern:
        excluded = [name for name in counts if re.search(count_exclude_pattern, name)]
        elements = sum(counts.pop(name) for name in excluded)
        print(
            f"# Excluding {len(excluded)} tensors ({elements} params) that match {count_exclude_pattern} when counting."
        )
    return sum(counts.values())
