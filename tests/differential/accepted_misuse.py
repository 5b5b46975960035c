"""Accepted differences of wrong calls: 1.15 refuses what works here, or by an error of Python inside of it."""

from __future__ import annotations

from differential.acceptance import Accepted

MISUSE = [
    Accepted(
        "tensors of a known first size are iterated over here",
        "build error",
        about="misuse of .*",
        tensorflow="iterating over `tf.Tensor` is not allowed in Graph execution|"
        "attempting to use Python control flow in a layer",
        ours="^no error",
    ),
    Accepted(
        "shapes and sizes are hashed here, as in later TensorFlow",
        "build error",
        about="misuse of .*",
        tensorflow="^TypeError: unhashable type: '(TensorShape|Dimension)'$",
        ours="^no error",
    ),
    Accepted(
        "1.15 fails where a static shape is missing",
        "build error",
        about=r"misuse of contrib\.(rnn\.transpose_batch_time|seq2seq\.TrainingHelper)",
        tensorflow="^TypeError: 'NoneType' object is not subscriptable",
        ours="^no error",
    ),
    Accepted(
        "1.15 squeezes the weights of values of unknown rank in a branch that may not run",
        "build error",
        about=r"misuse of keras\.metrics\..*",
        tensorflow=r"^ValueError: Can not squeeze dim\[\d+\], expected a dimension of 1, got \d+ for 'cond/cond/",
        ours="^no error",
    ),
    Accepted(
        "1.15 weighs scores of other float types by a mask of float32",
        "build error",
        about=r"misuse of contrib\.crf\..*",
        tensorflow="^TypeError: Input 'y' of 'Mul' Op has type float32 that does not match type (bfloat|float)",
        ours="^no error",
    ),
    Accepted(
        "windows are lists or tuples here",
        "build error",
        about=r"misuse of keras\.backend\.pool2d",
        tensorflow=r"^TypeError: can only concatenate tuple \(not \"list\"\) to tuple",
        ours="^no error",
    ),
    Accepted(
        "1.15 takes a count of segments that needs 64 bits for a negative one",
        "build error",
        about=r"misuse of sparse\.segment_\w+",
        tensorflow="^ValueError: Cannot specify a negative value for num_segments",
        ours="^no error",
    ),
    Accepted(
        "limits of activations may be tensors here, as in later TensorFlow",
        "build error",
        about=r"misuse of keras\.layers\.(Thresholded)?ReLU\.__call__",
        tensorflow=r"^TypeError: __array__\(\) takes 1 positional argument but 2 were given",
        ours="^no error",
    ),
    Accepted(
        "numbers of 8 and 16 bits are sorted, which 1.15 negates and so refuses",
        "build error",
        about=r"misuse of (contrib\.framework\.)?(arg)?sort",
        tensorflow="Value passed to parameter 'x' has DataType u?int(8|16) not in list",
        ours="^no error",
    ),
    Accepted(
        "1.15 takes an unknown rank of the lengths for rank -1",
        "build error",
        about=r"misuse of strings\.substr",
        tensorflow="Shape must be rank -1 but is rank",
        ours="^no error",
    ),
    Accepted(
        "kernels here take any rank",
        "error",
        about="misuse of .*",
        tensorflow="Only ranks up to 5 supported|ArgOp : Unhandled input dimensions",
        ours="^no error",
    ),
    Accepted(
        "pictures without pixels are moved to such here",
        "error",
        about=r"misuse of contrib\.image\..*",
        tensorflow="^InvalidArgumentError: output dimensions must be positive",
        ours="^no error",
    ),
]
