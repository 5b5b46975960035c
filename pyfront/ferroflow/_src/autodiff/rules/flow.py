"""Assertions, accumulators, queues, stacks and session handles pass no gradient."""

from __future__ import annotations

from ferroflow._src.autodiff.rules.registering import register_none

register_none(
    [
        "AccumulatorApplyGradient",
        "AccumulatorNumAccumulated",
        "AccumulatorSetGlobalStep",
        "AccumulatorTakeGradient",
        "ConditionalAccumulator",
        "Assert",
        "DeleteSessionTensor",
        "GetSessionHandle",
        "GetSessionHandleV2",
        "GetSessionTensor",
        "Queue",
        "QueueClose",
        "QueueDequeue",
        "QueueDequeueMany",
        "QueueDequeueUpTo",
        "QueueEnqueue",
        "QueueEnqueueMany",
        "QueueSize",
        "Stack",
        "StackClose",
        "StackPop",
        "StackPush",
    ]
)
