"""Helpers that replace some training inputs by samples: scheduled sampling.

Source: Bengio et al., Scheduled Sampling for Sequence Prediction with Recurrent Neural Networks, 2015.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.contrib.seq2seq.embedding_helper import embedding_function
from ferroflow._src.contrib.seq2seq.sampling import bernoulli_sample, categorical_sample
from ferroflow._src.contrib.seq2seq.training_helper import TrainingHelper, unstacked
from ferroflow._src.control_flow.conditional import cond
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array import shaping
from ferroflow._src.ops.array.indexing import gather_nd, scatter_nd, where
from ferroflow._src.ops.array.joining import concat
from ferroflow._src.ops.array.making import fill
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import logical_or
from ferroflow._src.ops.math.elementwise import logical_not
from ferroflow._src.ops.math.reduction import reduce_all, reduce_any
from ferroflow._src.rnn.dynamic_running import transpose_batch_time


def _probability(sampling_probability: Any) -> Tensor:
    probability = convert_to_tensor(sampling_probability, name="sampling_probability")
    if probability.get_shape().ndims not in (0, 1):
        raise ValueError(
            f"sampling_probability must be either a scalar or a vector. saw shape: {probability.get_shape()}"
        )
    return probability


def _mixed(base: Any, is_sampled: Any, is_kept: Any, sampled_rows: Callable[[Any], Any]) -> Any:
    """Returns rows of `base`, but those that are sampled are replaced.

    Args:
        base: Tensor of shape [batch, ...].
        is_sampled: Tensor of bool, of shape [batch].
        is_kept: callable that returns the negation of `is_sampled`.
        sampled_rows: callable of the numbers of rows, of shape [rows, 1], that gives what replaces them.
    """
    sampled = cast(where(is_sampled), dtypes.int32)
    kept = cast(where(is_kept()), dtypes.int32)
    whole = shaping.shape(base)
    return scatter_nd(sampled, sampled_rows(sampled), whole) + scatter_nd(kept, gather_nd(base, kept), whole)


class ScheduledEmbeddingTrainingHelper(TrainingHelper):
    """A training helper that feeds back, for some sequences of each step, the embedding of a drawn id.

    Samples are -1 if the input comes from the training data.

    Args:
        inputs: Tensor of shape [batch, time, size].
        sequence_length: Tensor of int32, of shape [batch].
        embedding: callable of ids, or the `params` argument of `tf.nn.embedding_lookup`.
        sampling_probability: Tensor of float32, of shape []: how likely a sequence is fed a sample.
        time_major: bool. If True, the first two dimensions of `inputs` are time and batch in this order.
        seed: int, the seed of the ids' draw; None to derive it from the graph's.
        scheduling_seed: int, the seed of the choice of sequences; None to derive it from the graph's.
        name: str, name scope of the operations.

    Raises:
        ValueError: if `sequence_length` is not a vector, or the probability neither a scalar nor a vector.
    """

    def __init__(
        self,
        inputs: Any,
        sequence_length: Any,
        embedding: Any,
        sampling_probability: Any,
        time_major: bool = False,
        seed: Any = None,
        scheduling_seed: Any = None,
        name: str | None = None,
    ) -> None:
        with name_scope(name, "ScheduledEmbeddingSamplingWrapper", [embedding, sampling_probability]):
            self._embedding_fn = embedding_function(embedding)
            self._sampling_probability = _probability(sampling_probability)
            self._seed = seed
            self._scheduling_seed = scheduling_seed
            super().__init__(inputs=inputs, sequence_length=sequence_length, time_major=time_major, name=name)

    def sample(self, time: Any, outputs: Any, state: Any = None, name: str | None = None) -> Any:
        """Selects sequences, and draws ids for these.

        Args:
            time: Tensor of int32, of shape []: the number of the step.
            outputs: Tensor of a float dtype, of shape [batch, ids].
            state: Tensor of shape [batch, ...], or a structure of them: the cell's after the step.
            name: str, name scope of the operations.

        Returns:
            Tensor of int32, of shape [batch]: ids, or -1.
        """
        with name_scope(name, "ScheduledEmbeddingTrainingHelperSample", [time, outputs, state]):
            chosen = bernoulli_sample(
                self._sampling_probability,
                dtype=dtypes.bool,
                sample_shape=self.batch_size,
                seed=self._scheduling_seed,
            )
            ids = categorical_sample(outputs, seed=self._seed)
            return where(chosen, ids, fill([self.batch_size], -1))

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any = None, name: str | None = None) -> Any:
        """Chooses the inputs of the next step.

        Args:
            time: Tensor of int32, of shape []: the number of the step.
            outputs: Tensor of shape [batch, ...], those of the step.
            state: Tensor of shape [batch, ...], or a structure of them: the cell's after the step.
            sample_ids: Tensor of int32, of shape [batch]: ids, or -1.
            name: str, name scope of the operations.

        Returns:
            Triple: whether sequences are finished, Tensor of bool of shape [batch]; the next inputs; the state.
        """
        with name_scope(name, "ScheduledEmbeddingTrainingHelperNextInputs", [time, outputs, state, sample_ids]):
            finished, base, state = super().next_inputs(time, outputs, state, sample_ids, name=name)

            def embedded(rows: Any) -> Any:
                return self._embedding_fn(gather_nd(sample_ids, rows))

            def replaced() -> Any:
                return _mixed(base, sample_ids > -1, lambda: sample_ids <= -1, embedded)

            return finished, cond(reduce_all(finished), lambda: base, replaced), state


class ScheduledOutputTrainingHelper(TrainingHelper):
    """A training helper that feeds back, for some sequences of each step, their output.

    Samples are 1 if the input is an output.

    Args:
        inputs: Tensor of shape [batch, time, size].
        sequence_length: Tensor of int32, of shape [batch].
        sampling_probability: Tensor of float32, of shape []: how likely a sequence is fed its output.
        time_major: bool. If True, the first two dimensions of inputs are time and batch in this order.
        seed: int, the seed of the choice of sequences; None to derive it from the graph's.
        next_inputs_fn: callable of outputs, of shape [rows, size], that gives inputs; None for the outputs.
        auxiliary_inputs: Tensor of shape [batch, time, size], joined to the inputs of either kind, or None.
        name: str, name scope of the operations.

    Raises:
        ValueError: if `sequence_length` is not a vector, or the probability neither a scalar nor a vector.
    """

    def __init__(
        self,
        inputs: Any,
        sequence_length: Any,
        sampling_probability: Any,
        time_major: bool = False,
        seed: Any = None,
        next_inputs_fn: Callable[[Any], Any] | None = None,
        auxiliary_inputs: Any = None,
        name: str | None = None,
    ) -> None:
        with name_scope(name, "ScheduledOutputTrainingHelper", [inputs, auxiliary_inputs, sampling_probability]):
            self._sampling_probability = _probability(sampling_probability)
            self._auxiliary_input_tas = None
            if auxiliary_inputs is not None:
                inputs = convert_to_tensor(inputs, name="inputs")
                auxiliary_inputs = convert_to_tensor(auxiliary_inputs, name="auxiliary_inputs")
                inputs = concat((inputs, auxiliary_inputs), -1)
                self._auxiliary_input_tas = unstacked(
                    auxiliary_inputs if time_major else transpose_batch_time(auxiliary_inputs)
                )
            self._seed = seed
            self._next_inputs_fn = next_inputs_fn
            super().__init__(inputs=inputs, sequence_length=sequence_length, time_major=time_major, name=name)

    def sample(self, time: Any, outputs: Any, state: Any = None, name: str | None = None) -> Any:
        """Selects sequences.

        Args:
            time: Tensor of int32, of shape []: the number of the step.
            outputs: Tensor of shape [batch, size], those of the step.
            state: Tensor of shape [batch, ...], or a structure of them: the cell's after the step.
            name: str, name scope of the operations.

        Returns:
            Tensor of int32, of shape [batch]: 1 for those that are fed their output, else 0.
        """
        with name_scope(name, "ScheduledOutputTrainingHelperSample", [time, outputs, state]):
            return bernoulli_sample(self._sampling_probability, sample_shape=self.batch_size, seed=self._seed)

    def _with_auxiliary_inputs(self, outputs: Any, time: Any, rows: Any = None) -> Any:
        if self._auxiliary_input_tas is None:
            return outputs
        others = self._auxiliary_input_tas.read(time + 1)
        return concat((outputs, others if rows is None else gather_nd(others, rows)), -1)

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any = None, name: str | None = None) -> Any:
        """Chooses the inputs of the next step.

        Args:
            time: Tensor of int32, of shape []: the number of the step.
            outputs: Tensor of shape [batch, size], those of the step.
            state: Tensor of shape [batch, ...], or a structure of them: the cell's after the step.
            sample_ids: Tensor of int32, of shape [batch]: 1 for those that are fed their output, else 0.
            name: str, name scope of the operations.

        Returns:
            Triple: whether sequences are finished, Tensor of bool of shape [batch]; the next inputs; the state.
        """
        with name_scope(name, "ScheduledOutputTrainingHelperNextInputs", [time, outputs, state, sample_ids]):
            finished, base, state = super().next_inputs(time, outputs, state, sample_ids, name=name)
            is_sampled = cast(sample_ids, dtypes.bool)
            function = self._next_inputs_fn

            def replaced() -> Any:
                if function is None:
                    return where(is_sampled, self._with_auxiliary_inputs(outputs, time), base)
                return _mixed(
                    base,
                    is_sampled,
                    lambda: logical_not(is_sampled),
                    lambda rows: self._with_auxiliary_inputs(function(gather_nd(outputs, rows)), time, rows),
                )

            unchanged = logical_or(reduce_all(finished), logical_not(reduce_any(is_sampled)))
            return finished, cond(unchanged, lambda: base, replaced), state
