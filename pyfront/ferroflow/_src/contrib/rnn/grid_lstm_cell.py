"""`GridLSTMCell` and `BidirectionalGridLSTMCell`: LSTMs that go over blocks of frequencies and over time at once."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from ferroflow._src.base import tf_logging
from ferroflow._src.base.typing import Initializer
from ferroflow._src.contrib.rnn.sharded_weights import sharded_weights
from ferroflow._src.ops.array.joining import concat, split
from ferroflow._src.ops.array.making import zeros
from ferroflow._src.ops.array.shaping import pad
from ferroflow._src.ops.array.slicing import slice as slice_of
from ferroflow._src.ops.math.clipping import clip_by_value
from ferroflow._src.ops.math.elementwise import sigmoid, tanh
from ferroflow._src.ops.math.linalg import matmul
from ferroflow._src.ops.nn.activation import bias_add
from ferroflow._src.rnn.cell import RNNCell
from ferroflow._src.rnn.sizes import size_of
from ferroflow._src.variables.get_variable import get_variable
from ferroflow._src.variables.initializers import Zeros
from ferroflow._src.variables.scope import variable_scope

_FREQUENCY, _TIME = "freq", "time"


class GridLSTMCell(RNNCell):
    """A long short-term memory with two memories: one goes over the blocks of frequencies of a step, one over time.

    Args:
        num_units: int, the number of units in each cell.
        use_peepholes: bool. If True, the gates use both cell states.
        share_time_frequency_weights: bool. If True, both have the same weights.
        cell_clip: float, the bound of cell states, or None.
        initializer: accepted and not used, as in TF 1.x.
        num_unit_shards: int, the number of variables that the weights are made of.
        forget_bias: float, added to the forget gates.
        feature_size: int, the number of frequencies of a block.
        frequency_skip: int, how far the blocks are apart.
        num_frequency_blocks: list of int, the number of blocks for each frequency range.
        start_freqindex_list: list of int, where each range begins; None: there is one range, all frequencies.
        end_freqindex_list: list of int, where each range ends.
        couple_input_forget_gates: bool. If True, the forget gate is 1 minus the input gate.
        state_is_tuple: bool. If True, a state is a named tuple with two Tensors for each block; if not, one tensor.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.

    Raises:
        ValueError: if `num_frequency_blocks` is None.

    Source: Kalchbrenner et al., Grid Long Short-Term Memory, 2016; Sainath, Li, Modeling Time-Frequency Patterns with
    LSTM vs. Convolutional Architectures for LVCSR Tasks, 2016.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        share_time_frequency_weights: bool = False,
        cell_clip: float | None = None,
        initializer: Initializer | None = None,
        num_unit_shards: int = 1,
        forget_bias: float = 1.0,
        feature_size: int | None = None,
        frequency_skip: int | None = None,
        num_frequency_blocks: list[int] | None = None,
        start_freqindex_list: list[int] | None = None,
        end_freqindex_list: list[int] | None = None,
        couple_input_forget_gates: bool = False,
        state_is_tuple: bool = True,
        reuse: object = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        if not state_is_tuple:
            tf_logging.warn(
                "%s: Using a concatenated state is slower and will soon be deprecated.  Use state_is_tuple=True.", self
            )
        if num_frequency_blocks is None:
            raise ValueError("Must specify num_frequency_blocks")
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._share_weights = share_time_frequency_weights
        self._cell_clip = cell_clip
        self._num_unit_shards = num_unit_shards
        self._forget_bias = forget_bias
        self._feature_size = feature_size
        self._frequency_skip = frequency_skip
        self._counts = [int(count) for count in num_frequency_blocks]
        self._starts = start_freqindex_list
        self._ends = end_freqindex_list
        self._is_coupled = couple_input_forget_gates
        self._state_is_tuple = state_is_tuple
        self._state_type: Any = None
        blocks = sum(self._counts)
        self._state_size: Any = 2 * num_units * blocks
        if state_is_tuple:
            self._make_state_type("GridLSTMStateTuple", ["state"])
        self._output_size = 2 * num_units * blocks

    def _make_state_type(self, name: str, prefixes: list[str]) -> None:
        names = [
            f"{prefix}_f{number:02d}_b{block:02d}_{part}"
            for prefix in prefixes
            for block, count in enumerate(self._counts)
            for number in range(count)
            for part in "cm"
        ]
        self._state_type = namedtuple(name, names)  # type: ignore[misc]  # as many fields as there are blocks
        self._state_size = self._state_type(*[self._num_units] * len(names))

    @property
    def state_size(self) -> Any:
        """A named tuple of int, or int if the state is one tensor."""
        return self._state_size

    @property
    def output_size(self) -> Any:
        """int, the size of the outputs of all blocks."""
        return self._output_size

    @property
    def state_tuple_type(self) -> Any:
        """The type of states; None if the state is one tensor."""
        return self._state_type

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes one step.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, frequencies].
            state: named tuple of Tensors of the dtype of `inputs`, of shape [batch, units], or one tensor of them all.

        Returns:
            The output, of shape [batch, 2 * units * blocks], and the next state, as `state`.

        Raises:
            ValueError: if the number of frequencies is unknown, or the number of blocks differs from the given number.
        """
        outputs, states = self._over_ranges(self._blocks(inputs), state, size_of(inputs, 0), "state")
        after = self._state_type(*states) if self._state_is_tuple else concat(states, 1)
        return concat(outputs, 1), after

    def _over_ranges(
        self, ranges: list[list[Any]], state: Any, batch_size: Any, prefix: str
    ) -> tuple[list[Any], list[Any]]:
        outputs: list[Any] = []
        states: list[Any] = []
        for number, blocks in enumerate(ranges):
            of_range = self._over_blocks(blocks, number, state, batch_size, prefix)
            outputs += of_range[0]
            states += of_range[1]
        return outputs, states

    def _over_blocks(
        self, blocks: list[Any], number: int, state: Any, batch_size: Any, prefix: str
    ) -> tuple[list[Any], list[Any]]:
        units, dtype = self._num_units, blocks[0].dtype
        weights, sights = self._variables(blocks[0].get_shape().as_list()[1], dtype, number)
        m_below, c_below = zeros([batch_size, units], dtype), zeros([batch_size, units], dtype)
        outputs, states = [], []
        for block, inputs in enumerate(blocks):
            if self._state_is_tuple:
                c_before, m_before = (getattr(state, f"{prefix}_f{block:02d}_b{number:02d}_{part}") for part in "cm")
            else:
                # TF 1.x: the first range's states are those of all.
                c_before, m_before = (slice_of(state, [0, (2 * block + half) * units], [-1, units]) for half in (0, 1))
            total = concat([inputs, m_before, m_below], 1)
            parts = {way: self._gates(bias_add(matmul(total, w), b)) for way, (w, b) in weights.items()}
            own = {_FREQUENCY: c_below, _TIME: c_before}
            cells = {}
            for way in (_FREQUENCY, _TIME):
                part, sight = parts.get(way, parts[_FREQUENCY]), sights.get(way, sights.get(_FREQUENCY))
                entering = sigmoid(self._seen(part["i"], sight, "I", c_below, c_before))
                if self._is_coupled:
                    kept = 1.0 - entering
                else:
                    kept = sigmoid(self._seen(part["f"] + self._forget_bias, sight, "F", c_below, c_before))
                c = kept * own[way] + entering * tanh(part["j"])
                if self._cell_clip is not None:
                    c = clip_by_value(c, -self._cell_clip, self._cell_clip)
                cells[way] = c
            results = []
            for way in (_FREQUENCY, _TIME):
                part, sight = parts.get(way, parts[_FREQUENCY]), sights.get(way, sights.get(_FREQUENCY))
                gate = sigmoid(self._seen(part["o"], sight, "O", cells[_FREQUENCY], cells[_TIME]))
                results.append(gate * tanh(cells[way]))
            (m_below, m_time), c_below = results, cells[_FREQUENCY]
            outputs += [m_time, m_below]
            states += [cells[_TIME], m_time]
        return outputs, states

    def _variables(self, depth: int, dtype: Any, number: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """Returns weights and bias of each way, and by way and gate the two vectors through which it sees cell
        states.
        """
        units = self._num_units
        width = (3 if self._is_coupled else 4) * units
        ways = [_FREQUENCY] if self._share_weights else [_FREQUENCY, _TIME]
        weights = {}
        for way in ways:
            matrix = sharded_weights(f"W_{way[0]}_{number}", [depth + 2 * units, width], dtype, self._num_unit_shards)
            bias = get_variable(f"B_{way[0]}_{number}", shape=[width], initializer=Zeros(), dtype=dtype)
            weights[way] = (matrix, bias)
        sights: dict[str, Any] = {}
        if self._use_peepholes:
            for way in ways:
                sights[way] = {
                    gate: [get_variable(f"W_{gate}_diag_{way}{of}_{number}", shape=[units], dtype=dtype) for of in "ft"]
                    for gate in ("IO" if self._is_coupled else "FIO")
                }
        return weights, sights

    def _gates(self, total: Any) -> dict[str, Any]:
        names = "ijo" if self._is_coupled else "ijfo"
        return dict(zip(names, split(value=total, num_or_size_splits=len(names), axis=1), strict=True))

    @staticmethod
    def _seen(gate: Any, sight: Any, name: str, c_frequency: Any, c_time: Any) -> Any:
        if sight is None:
            return gate
        of_frequency, of_time = sight[name]
        return gate + of_frequency * c_frequency + of_time * c_time

    def _blocks(self, inputs: Any, offset: int = 0) -> list[list[Any]]:
        """Returns the blocks of each range of frequencies, of inputs moved by `offset` and padded with zeros."""
        size = inputs.get_shape().with_rank(2)[-1].value
        if size is None:
            raise ValueError("Cannot infer input_size from static shape inference.")
        if offset:
            inputs = pad(inputs, [[0, 0], [max(-offset, 0), max(offset, 0)]])
            offset = max(offset, 0)
        if not self._starts:
            if len(self._counts) != 1:
                raise ValueError(f"Length of num_frequency_blocks is not 1, but instead is {len(self._counts)}")
            starts, ends = [0], [size]
        else:
            starts, ends = self._starts, self._ends or []
            if len(starts) != len(ends):
                raise ValueError(
                    f"Length of start and end freqindex_list does not match {len(starts)} {len(ends)}",
                )
            if len(self._counts) != len(starts):
                raise ValueError(
                    "Length of num_frequency_blocks is not equal to start_freqindex_list "
                    f"{len(self._counts)} {len(starts)}"
                )
        if self._feature_size is None or self._frequency_skip is None:
            raise ValueError("feature_size and frequency_skip must be specified")
        ranges = []
        for start, end, wanted in zip(starts, ends, self._counts, strict=True):
            # TF 1.x: towards zero, so that a range a little too small for a block still has one.
            count = int((end - start - self._feature_size) / self._frequency_skip) + 1
            if count != wanted:
                raise ValueError(
                    f"Invalid num_frequency_blocks, requires {wanted} but gets {count}, please check the input size "
                    "and filter config are correct."
                )
            begins = [start + offset + number * self._frequency_skip for number in range(count)]
            ranges.append([slice_of(inputs, [0, begin], [-1, self._feature_size]) for begin in begins])
        return ranges


class BidirectionalGridLSTMCell(GridLSTMCell):
    """Two grids of long short-term memories with weights of their own: over the blocks of a step upwards and downwards.

    Args:
        num_units: int, the number of units.
        use_peepholes: bool. If True, the gates use both cell states.
        share_time_frequency_weights: bool. If True, frequency and time have the same weights.
        cell_clip: float, the bound of cell states, or None.
        initializer: accepted and not used, as in TF 1.x.
        num_unit_shards: int, the number of variables that the weights are made of.
        forget_bias: float, added to the forget gates.
        feature_size: int, the number of frequencies of a block.
        frequency_skip: int, how far the blocks are apart.
        num_frequency_blocks: list of int, the number of blocks for each frequency range.
        start_freqindex_list: list of int, where each range begins; None: there is one range, all frequencies.
        end_freqindex_list: list of int, where each range ends.
        couple_input_forget_gates: bool. If True, the forget gate is 1 minus the input gate.
        backward_slice_offset: int, how far the blocks of the way downwards are moved.
        reuse: True, None or `AUTO_REUSE`. If True, the scope's existing variables are used; `AUTO_REUSE` creates
            missing ones.

    Raises:
        ValueError: if `num_frequency_blocks` is None.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        share_time_frequency_weights: bool = False,
        cell_clip: float | None = None,
        initializer: Initializer | None = None,
        num_unit_shards: int = 1,
        forget_bias: float = 1.0,
        feature_size: int | None = None,
        frequency_skip: int | None = None,
        num_frequency_blocks: list[int] | None = None,
        start_freqindex_list: list[int] | None = None,
        end_freqindex_list: list[int] | None = None,
        couple_input_forget_gates: bool = False,
        backward_slice_offset: int = 0,
        reuse: object = None,
    ) -> None:
        super().__init__(
            num_units,
            use_peepholes,
            share_time_frequency_weights,
            cell_clip,
            initializer,
            num_unit_shards,
            forget_bias,
            feature_size,
            frequency_skip,
            num_frequency_blocks,
            start_freqindex_list,
            end_freqindex_list,
            couple_input_forget_gates,
            True,
            reuse,
        )
        self._offset = int(backward_slice_offset)
        self._make_state_type("BidirectionalGridLSTMStateTuple", ["fwd_state", "bwd_state"])
        self._output_size = 2 * self._output_size

    def call(self, inputs: Any, state: Any) -> Any:
        """Computes one step.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, frequencies].
            state: named tuple of Tensors of the dtype of `inputs`, of shape [batch, units].

        Returns:
            The output, of shape [batch, 4 * units * blocks], and the next state, as `state`.

        Raises:
            ValueError: if the number of frequencies is unknown, or the number of blocks differs from the given number.
        """
        batch_size = size_of(inputs, 0)
        upwards = self._blocks(inputs)
        downwards = [blocks[::-1] for blocks in (self._blocks(inputs, self._offset) if self._offset else upwards)]
        with variable_scope("fwd"):
            outputs, states = self._over_ranges(upwards, state, batch_size, "fwd_state")
        with variable_scope("bwd"):
            more_outputs, more_states = self._over_ranges(downwards, state, batch_size, "bwd_state")
        return concat(outputs + more_outputs, 1), self._state_type(*states, *more_states)
