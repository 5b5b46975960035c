"""Gradients of Switch and Merge nodes that are in no branch; assertions, queues and their like pass none.

Conditionals that `cond` made, or that a graph was found to hold, are passed as wholes.
"""

from __future__ import annotations

from typing import Any

from ferroflow._src.autodiff.rules.registering import register_none
from ferroflow._src.control_flow.primitives import merge, switch
from ferroflow._src.framework.apply import tensor_op
from ferroflow._src.framework.constant import constant
from ferroflow._src.framework.gradient_registry import RegisterGradient
from ferroflow._src.framework.handles import Operation


@RegisterGradient("Switch")
def _switch(op: Operation, when_false: Any, when_true: Any) -> list[Any]:
    pred = op.inputs[1]
    return [merge([switch(when_false, pred)[0], switch(when_true, pred)[1]], name="cond_grad")[0], None]


@RegisterGradient("Merge")
def _merge(op: Operation, gradient: Any, value_index: Any) -> list[Any]:
    del value_index
    chosen = op.outputs[1]
    return [switch(gradient, tensor_op("Equal", [chosen, constant(i)]))[1] for i in range(len(op.inputs))]


register_none(
    [
        "Assert",
        "DeleteSessionTensor",
        "GetSessionHandle",
        "GetSessionHandleV2",
        "GetSessionTensor",
        "GenerateVocabRemapping",
        "LoadAndRemapMatrix",
        "Queue",
        "QueueClose",
        "QueueDequeue",
        "QueueDequeueMany",
        "QueueDequeueUpTo",
        "QueueEnqueue",
        "QueueEnqueueMany",
        "QueueSize",
        "SdcaFprint",
        "SdcaOptimizer",
        "SdcaOptimizerV2",
        "SdcaShrinkL1",
        "Stack",
        "StackClose",
        "StackPop",
        "StackPush",
        "Timestamp",
    ]
)
