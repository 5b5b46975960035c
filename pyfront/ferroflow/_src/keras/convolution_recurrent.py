"""`ConvLSTM2D`: long short-term memory whose products are convolutions."""

from __future__ import annotations

from typing import Any, ClassVar

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import DictLike, Identifier, Initializer, IntsLike, NestedTensors
from ferroflow._src.framework.default_graph import get_default_graph
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras import named
from ferroflow._src.keras.backend_nn import conv2d
from ferroflow._src.keras.dropout_masks import DropoutMasks
from ferroflow._src.keras.recurrent_base import Running
from ferroflow._src.keras.settings import image_data_format
from ferroflow._src.ops.array import joining, making
from ferroflow._src.ops.math.reduction import reduce_sum
from ferroflow._src.ops.nn.activation import bias_add
from ferroflow._src.variables.initializers import Ones

_GATES = 4


def _pair(given: Any, name: str) -> tuple[int, int]:
    sizes = (given, given) if isinstance(given, int) else tuple(given)
    if len(sizes) != 2 or not all(isinstance(size, int) for size in sizes):
        raise ValueError(f"The `{name}` argument must be a tuple of 2 integers. Received: {given}")
    return sizes[0], sizes[1]


class ConvLSTM2D(DropoutMasks, Running):
    """Layer of long short-term memory over sequences of images.

    Args:
        filters: int, the number of channels of the outputs.
        kernel_size: int, or list of two ints, of rows and columns: the sizes of windows.
        strides: int, or list of two ints: the distances between windows of the inputs.
        padding: str, "valid" or "same", of the inputs; the states keep their size.
        data_format: str, "channels_last" or "channels_first"; None for `image_data_format()`.
        dilation_rate: int, or list of two ints: the distances between a window's points in the inputs.
        activation: callable of the new outputs, or its name.
        recurrent_activation: callable of the gates, or its name.
        use_bias: bool. If True, a bias is added.
        kernel_initializer: initializer of the inputs' kernel, or its name.
        recurrent_initializer: initializer of the states' kernel, or its name.
        bias_initializer: initializer of the bias, or its name.
        unit_forget_bias: bool. If True, the forget gate's bias starts from 1.
        kernel_regularizer: callable of the inputs' kernel that gives a loss, or its name, or None.
        recurrent_regularizer: callable of the states' kernel that gives a loss, or its name, or None.
        bias_regularizer: callable of the bias that gives a loss, or its name, or None.
        activity_regularizer: callable of the outputs that gives a loss, or its name, or None.
        kernel_constraint: callable of the inputs' kernel after each update, or its name, or None.
        recurrent_constraint: callable of the states' kernel after each update, or its name, or None.
        bias_constraint: callable of the bias after each update, or its name, or None.
        return_sequences: bool. If True, all outputs are returned, and not the last one alone.
        go_backwards: bool. If True, the inputs are taken from the last to the first.
        stateful: bool. If True, the states of a batch are the first ones of the next; the size of batches is fixed.
        dropout: float, the part of the inputs that is left out in training.
        recurrent_dropout: float, the part of the states that is left out in training.
        **kwargs: `return_state`, bool: if True, the last states are returned, too; `unroll` and `time_major`,
            False; arguments of `KerasLayer`.

    Raises:
        ValueError: if a size, `padding` or `data_format` is not one of the listed values.
        TypeError: if `unroll` is given and True.
        NotImplementedError: if `time_major` is given and True.

    Source: Shi et al., Convolutional LSTM Network, 2015.
    """

    _OPTIONS: ClassVar[dict[str, Any]] = {**Running._OPTIONS, "return_state": False, "unroll": False}

    def __init__(
        self,
        filters: int,
        kernel_size: IntsLike,
        strides: IntsLike = (1, 1),
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: IntsLike = (1, 1),
        activation: Identifier | None = "tanh",
        recurrent_activation: Identifier = "hard_sigmoid",
        use_bias: bool = True,
        kernel_initializer: Initializer | DictLike = "glorot_uniform",
        recurrent_initializer: Initializer | DictLike = "orthogonal",
        bias_initializer: Initializer | DictLike = "zeros",
        unit_forget_bias: bool = True,
        kernel_regularizer: Identifier | None = None,
        recurrent_regularizer: Identifier | None = None,
        bias_regularizer: Identifier | None = None,
        activity_regularizer: Identifier | None = None,
        kernel_constraint: Identifier | None = None,
        recurrent_constraint: Identifier | None = None,
        bias_constraint: Identifier | None = None,
        return_sequences: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        **kwargs: Any,
    ) -> None:
        return_state = kwargs.pop("return_state", False)
        if kwargs.pop("unroll", False):
            raise TypeError("Unrolling isn't possible with convolutional RNNs.")
        if kwargs.pop("time_major", False):
            raise NotImplementedError("time_major: the inputs are batches of sequences; transpose them.")
        super().__init__(activity_regularizer=named.regularizer(activity_regularizer), **kwargs)
        self._set_running(return_sequences, return_state, go_backwards, stateful, False)
        self.filters, self.unit_forget_bias, self.use_bias = filters, unit_forget_bias, use_bias
        self.kernel_size = _pair(kernel_size, "kernel_size")
        self.strides, self.dilation_rate = _pair(strides, "strides"), _pair(dilation_rate, "dilation_rate")
        self.padding = padding.lower() if isinstance(padding, str) else padding
        self.data_format = data_format or image_data_format()
        if self.padding not in ("valid", "same"):
            raise ValueError(f'The `padding` argument must be one of "valid", "same". Received: {padding}')
        if self.data_format not in ("channels_last", "channels_first"):
            raise ValueError(f"Unknown data_format: {data_format}")
        self.activation, self.recurrent_activation = map(named.activation, (activation, recurrent_activation))
        self.kernel_initializer = named.initializer(kernel_initializer)
        self.recurrent_initializer = named.initializer(recurrent_initializer)
        self.bias_initializer = named.initializer(bias_initializer)
        self.kernel_regularizer = named.regularizer(kernel_regularizer)
        self.recurrent_regularizer = named.regularizer(recurrent_regularizer)
        self.bias_regularizer = named.regularizer(bias_regularizer)
        self.kernel_constraint = named.constraint(kernel_constraint)
        self.recurrent_constraint = named.constraint(recurrent_constraint)
        self.bias_constraint = named.constraint(bias_constraint)
        self.dropout, self.recurrent_dropout = (min(1.0, max(0.0, rate)) for rate in (dropout, recurrent_dropout))
        self._state_shape: tuple[Any, ...] = ()

    @property
    def _is_first(self) -> bool:
        return self.data_format == "channels_first"

    @property
    def _sizes(self) -> tuple[Any, ...]:
        return (TensorShape(self._state_shape),) * 2

    def _places(self, input_shape: Any) -> tuple[int | None, ...]:
        """Returns the numbers of rows and columns of the outputs."""
        shape = TensorShape(input_shape).as_list()
        found: list[int | None] = []
        places = shape[3:] if self._is_first else shape[2:4]
        sizes = zip(places, self.kernel_size, self.strides, self.dilation_rate, strict=True)
        for size, window, stride, rate in sizes:
            reach = 1 if self.padding == "same" else (window - 1) * rate + 1
            found.append(None if size is None else (size - reach) // stride + 1)
        return tuple(found)

    def build(self, input_shape: Any) -> None:
        """Makes the kernels and the bias.

        Args:
            input_shape: TensorShape of the inputs, [batch, steps, rows, columns, channels], or list of it and those of
                states.

        Raises:
            ValueError: if the inputs have another rank than 5, or the number of channels is not known.
        """
        shape = TensorShape(input_shape[0] if isinstance(input_shape, list) else input_shape)
        if shape.ndims not in (5, None):
            raise ValueError(
                f"Input 0 of layer {self.name} is incompatible with the layer: expected ndim=5, found "
                f"ndim={shape.ndims}. Full shape received: {shape.as_list()}"
            )
        channels = shape[2 if self._is_first else 4].value
        if channels is None:
            raise ValueError("The channel dimension of the inputs should be defined. Found `None`.")
        places = self._places(shape)
        self._state_shape = (self.filters, *places) if self._is_first else (*places, self.filters)
        width = _GATES * self.filters
        self.kernel = self.add_weight(
            "kernel",
            (*self.kernel_size, channels, width),
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        self.recurrent_kernel = self.add_weight(
            "recurrent_kernel",
            (*self.kernel_size, self.filters, width),
            initializer=self.recurrent_initializer,
            regularizer=self.recurrent_regularizer,
            constraint=self.recurrent_constraint,
        )
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                (width,),
                initializer=self._first_bias if self.unit_forget_bias else self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        if self.stateful:
            self._keep_states(shape[0].value)
        self.built = True

    def _first_bias(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        del shape, partition_info
        start, count = self.bias_initializer, self.filters
        return joining.concat([start([count], dtype), Ones()([count], dtype), start([2 * count], dtype)], 0)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Returns the shape of the output for that of the input.

        Args:
            input_shape: TensorShape of the inputs, [batch, steps, rows, columns, channels].

        Returns:
            TensorShape, or list of it and those of the states.
        """
        shape = TensorShape(input_shape[0] if isinstance(input_shape, list) else input_shape)
        places = self._places(shape)
        of_state = (self.filters, *places) if self._is_first else (*places, self.filters)
        output = TensorShape([*(shape[:2] if self.return_sequences else shape[:1]), *of_state])
        return [output, *[TensorShape([shape[0], *of_state])] * 2] if self.return_state else output

    def get_initial_state(self, inputs: NestedTensors) -> list[Any]:
        """Returns zeros as first states.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, steps, rows, columns, channels].

        Returns:
            list of two Tensors of the dtype of `inputs`, of shape [batch, rows, columns, filters].
        """
        given: Any = inputs
        channels = given.get_shape()[2 if self._is_first else 4].value
        kernel = making.zeros([*self.kernel_size, channels, self.filters], given.dtype)
        zeros = self._convolved(reduce_sum(making.zeros_like(given), axis=1), kernel)
        return [zeros, zeros]

    def _convolved(self, x: Any, kernel: Any) -> Tensor:
        return conv2d(x, kernel, self.strides, self.padding, self.data_format, self.dilation_rate)

    def _of_gates(self, x: Any, kernel: Any, rate: float, kept: Any, convolve: Any) -> list[Tensor]:
        """Returns the convolutions of the inputs or the state, for each gate."""
        if 0 < rate < 1:
            given = [x * mask for mask in kept]
            return [convolve(one, part) for one, part in zip(given, joining.split(kernel, _GATES, 3), strict=True)]
        # One convolution does the work of TensorFlow's four.
        get_default_graph().count_operations(_GATES - 1)
        return list(joining.split(convolve(x, kernel), _GATES, 1 if self._is_first else -1))

    def call(self, inputs: Any, mask: Any = None, training: Any = None, initial_state: Any = None) -> Any:
        """Runs over the steps.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, steps, rows, columns, channels], or list of it and the
                first states.
            mask: Tensor of bool, of shape [batch, steps]: the steps that count; None for all.
            training: bool, or Tensor of bool of shape []; None for the model's learning phase.
            initial_state: list of two Tensors of shape [batch, rows, columns, filters]; None for zeros.

        Returns:
            Tensor of the dtype of `inputs`, of shape [batch, rows, columns, filters], or [batch, steps, rows, columns,
            filters]; with `return_state` a list of it and the states.
        """
        mask = mask[0] if isinstance(mask, list) else mask
        if isinstance(inputs, (list, tuple)):
            inputs, *initial_state = inputs
        batch = inputs.get_shape()[0].value
        if not initial_state:
            kept_before = self._keep_states(batch) if self.stateful else None
            initial_state = (
                self.get_initial_state(inputs) if kept_before is None else [making.identity(v) for v in kept_before]
            )
        self.reset_dropout_mask()
        self.reset_recurrent_dropout_mask()
        op_format = "NCHW" if self._is_first else "NHWC"

        def unchanged_size(x: Any, kernel: Any) -> Tensor:
            return conv2d(x, kernel, (1, 1), "same", self.data_format)

        def step(x: Any, states: Any) -> Any:
            last, memory = states
            of_inputs = self.get_dropout_mask_for_cell(x, training, _GATES)
            of_state = self.get_recurrent_dropout_mask_for_cell(last, training, _GATES)
            ahead = self._of_gates(x, self.kernel, self.dropout, of_inputs, self._convolved)
            if self.bias is not None:
                biases = joining.split(self.bias, _GATES)
                ahead = [bias_add(value, bias, op_format) for value, bias in zip(ahead, biases, strict=True)]
            back = self._of_gates(last, self.recurrent_kernel, self.recurrent_dropout, of_state, unchanged_size)
            gates = [a + b for a, b in zip(ahead, back, strict=True)]
            keep_new, forget, output_gate = (self.recurrent_activation(gates[i]) for i in (0, 1, 3))
            memory = forget * memory + keep_new * self.activation(gates[2])
            output = output_gate * self.activation(memory)
            return output, [output, memory]

        steps = inputs.get_shape()[1].value
        return self._over_steps(step, inputs, initial_state, mask, input_length=steps)
