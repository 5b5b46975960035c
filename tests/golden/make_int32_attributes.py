"""Writes int32_attributes.json: the integer attributes of each op that TensorFlow keeps in 32 bits.

Run with TensorFlow 1.15.5: `python tests/golden/make_int32_attributes.py`. A node of each op, behind placeholders, has
one attribute of 2**31. Each node runs in a process of its own, because some end it.
"""

from __future__ import annotations

import json
import os
import pathlib
import signal

import tensorflow as tf
from tensorflow.core.framework import op_def_pb2
from tensorflow.python import pywrap_tensorflow

OUT = pathlib.Path(__file__).with_name("int32_attributes.json")
REFUSED = "out of range for an int32"


def a_type(attr):
    allowed = list(attr.allowed_values.list.type)
    preferred = [tf.float32.as_datatype_enum, tf.int32.as_datatype_enum, tf.int64.as_datatype_enum, *allowed]
    return next(number for number in preferred if not allowed or number in allowed)


def fill(value, attr):
    """Sets an attribute without a default to a value that its type allows."""
    if attr.type == "type":
        value.type = a_type(attr)
    elif attr.type == "int":
        value.i = max(attr.minimum, 1)
    elif attr.type == "float":
        value.f = 1.0
    elif attr.type == "bool":
        value.b = True
    elif attr.type == "string":
        value.s = (list(attr.allowed_values.list.s) or [b""])[0]
    elif attr.type == "shape":
        value.shape.unknown_rank = True
    elif attr.type == "list(int)":
        value.list.i.extend([1, 1, 1, 1])
    elif attr.type == "list(type)":
        value.list.type.append(tf.float32.as_datatype_enum)
    elif attr.type == "list(shape)":
        value.list.shape.add().unknown_rank = True
    elif attr.type == "list(float)":
        value.list.f.append(1.0)
    else:
        value.list.SetInParent()


def graph_def(op, name):
    made = tf.compat.v1.GraphDef()
    node = made.node.add(name="node", op=op.name)
    for attr in op.attr:
        value = node.attr[attr.name]
        if attr.HasField("default_value"):
            value.CopyFrom(attr.default_value)
        else:
            fill(value, attr)
        if attr.name == name:
            value.Clear()
            if attr.type == "int":
                value.i = 2**31
            else:
                value.list.i.extend([1, 2**31, 1, 1])
    for arg in op.input_arg:
        count = node.attr[arg.number_attr].i if arg.number_attr and arg.number_attr != name else 1
        types = [node.attr[arg.type_attr].type if arg.type_attr else arg.type] * count
        if arg.type_list_attr:
            types = list(node.attr[arg.type_list_attr].list.type)
        for dtype in types:
            place = made.node.add(name=f"input_{len(made.node)}", op="VariableV2" if arg.is_ref else "Placeholder")
            place.attr["dtype"].type = dtype
            place.attr["shape"].shape.unknown_rank = True
            node.input.append(place.name)
    return made


def is_refused(op, name):
    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        try:
            tf.import_graph_def(graph_def(op, name), name="")
            session.run(graph.get_operation_by_name("node"))
        except Exception as e:
            return REFUSED in str(e)
    return False


def is_refused_apart(op, name):
    """Returns `is_refused`, found in a child process; False where that is ended by TensorFlow, or does not end."""
    child = os.fork()
    if child == 0:
        signal.alarm(10)
        os._exit(0 if is_refused(op, name) else 1)
    return os.waitpid(child, 0)[1] == 0


def main() -> None:
    buffer = pywrap_tensorflow.TF_GetAllOpList()
    ops = op_def_pb2.OpList.FromString(pywrap_tensorflow.TF_GetBuffer(buffer)).op
    table = {}
    for op in sorted(ops, key=lambda op: op.name):
        # A number of inputs is a count of what a node has.
        counts = [arg.number_attr for arg in op.input_arg]
        names = [attr.name for attr in op.attr if attr.type in ("int", "list(int)") and attr.name not in counts]
        is_of_cpu = not op.name.startswith("_") and not any(word in op.name for word in ("TPU", "Cudnn", "Nccl"))
        found = [name for name in names if is_of_cpu and is_refused_apart(op, name)]
        if found:
            table[op.name] = found
    OUT.write_text(json.dumps(table, indent=1) + "\n")


if __name__ == "__main__":
    main()
