"""`tensorflow.python.tools.inspect_checkpoint`: prints what a checkpoint holds."""

from __future__ import annotations

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
        count_exclude_pattern: str, without an effect.
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
    except OpError as error:
        print(error)
        if file_name.endswith((".index", ".meta")) or ".data-" in file_name:
            print(f"A checkpoint is named by its prefix, without what files add: {file_name.rpartition('.')[0]}")
