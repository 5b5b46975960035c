"""`LinearModel` and `WideDeepModel`: a linear model, and one beside another model."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.tensor_shape import TensorShape
from ferroflow._src.base.typing import DictLike, Identifier, NestedTensors
from ferroflow._src.keras import named
from ferroflow._src.keras.configurations import serialized
from ferroflow._src.keras.core_layers import Dense
from ferroflow._src.keras.model import Model
from ferroflow._src.keras.model_configurations import layer_of


def _described(model: Model, **options: Any) -> dict[str, Any]:
    shown = {name: serialized(value) for name, value in options.items()}
    return {"name": model.name, "trainable": model.trainable, "dtype": "float32", **shown}


class LinearModel(Model):
    """Model of a weighted sum: `activation(inputs @ kernel + bias)`, for several inputs with the sum of the products.

    Args:
        units: int, the size of the outputs.
        activation: callable of the outputs, or its name, or None.
        use_bias: bool. If True, a bias is added.
        kernel_initializer: initializer of the kernels, of shape [inputs' size, units], or its name.
        bias_initializer: initializer of the bias, of shape [units], or its name.
        kernel_regularizer: callable of a kernel that gives a loss, or its name, or None.
        bias_regularizer: callable of the bias that gives a loss, or its name, or None.
        **kwargs: `name`, str, the model's name.

    Example:
        >>> model = tf.keras.experimental.LinearModel(units=2)
        >>> model.compile("sgd", "mse")
        >>> history = model.fit(np.ones((8, 3)), np.ones((8, 2)), verbose=0)
        >>> print([w.shape.as_list() for w in model.weights])
        [[3, 2], [2]]
    """

    def __init__(
        self,
        units: int = 1,
        activation: Identifier | None = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        **kwargs: Any,
    ) -> None:
        kwargs = {name: value for name, value in kwargs.items() if name not in ("dtype", "trainable")}
        super().__init__(**kwargs)
        self.units, self.use_bias = units, use_bias
        self.activation = named.activation(activation)
        self.kernel_initializer = named.initializer(kernel_initializer)
        self.bias_initializer = named.initializer(bias_initializer)
        self.kernel_regularizer = named.regularizer(kernel_regularizer)
        self.bias_regularizer = named.regularizer(bias_regularizer)

    def build(self, input_shape: Any = None) -> None:
        """Makes the layers of the inputs, and the bias.

        Args:
            input_shape: TensorShape of the inputs, [batch, size], or list of them.
        """
        several = isinstance(input_shape, list) and all(isinstance(s, (tuple, list, TensorShape)) for s in input_shape)
        count = len(input_shape) if several else 1
        self.dense_layers = [
            Dense(
                self.units,
                use_bias=False,
                kernel_initializer=self.kernel_initializer,
                kernel_regularizer=self.kernel_regularizer,
            )
            for _ in range(count)
        ]
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                "bias", (self.units,), initializer=self.bias_initializer, regularizer=self.bias_regularizer
            )
        self.built = True

    def call(self, inputs: NestedTensors) -> Any:  # type: ignore[override]  # TF 1.x: these models have one argument
        """Computes the outputs.

        Args:
            inputs: Tensor of a float dtype, of shape [batch, size], or list of them.

        Returns:
            Tensor of that dtype, of shape [batch, units].

        Raises:
            ValueError: if the number of inputs is not the one that the model was built for.
        """
        given = list(inputs) if isinstance(inputs, (tuple, list)) else [inputs]
        if len(given) != len(self.dense_layers):
            raise ValueError(f"Expected {len(self.dense_layers)} inputs, but got {len(given)} inputs")
        products = [layer(x) for x, layer in zip(given, self.dense_layers, strict=True)]
        result: Any = products[0]
        for product in products[1:]:
            result = result + product
        return self.activation(result if self.bias is None else result + self.bias)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make an equal model.

        Returns:
            dict, whose values JSON can hold.
        """
        return _described(
            self,
            units=self.units,
            activation=self.activation,
            use_bias=self.use_bias,
            kernel_initializer=self.kernel_initializer,
            bias_initializer=self.bias_initializer,
            kernel_regularizer=self.kernel_regularizer,
            bias_regularizer=self.bias_regularizer,
        )

    @classmethod
    def from_config(cls, config: DictLike, custom_objects: DictLike | None = None) -> Any:
        """Returns a model from the result of `get_config`.

        Args:
            config: dict of arguments.
            custom_objects: accepted; the arguments are no classes of programs.

        Returns:
            LinearModel of this class.
        """
        del custom_objects
        return cls(**dict(config))


class WideDeepModel(Model):
    """Model whose outputs are the means of those of a linear and of another model, which are trained together.

    Args:
        linear_model: LinearModel, or another model of the wide inputs.
        dnn_model: Model of the deep inputs.
        activation: callable of the outputs, or its name, or None.
        **kwargs: `name`, str, the model's name.

    The inputs are a pair of those of both models; other inputs go to both. `compile` takes a pair of optimizers, one
    for each model, or one for both.

    Source: Cheng et al., Wide & Deep Learning for Recommender Systems, 2016.
    """

    def __init__(
        self, linear_model: Model, dnn_model: Model, activation: Identifier | None = None, **kwargs: Any
    ) -> None:
        kwargs = {name: value for name, value in kwargs.items() if name not in ("dtype", "trainable")}
        super().__init__(**kwargs)
        self.linear_model, self.dnn_model = linear_model, dnn_model
        self.activation = named.activation(activation)

    def call(self, inputs: NestedTensors) -> Any:  # type: ignore[override]  # TF 1.x: these models have one argument
        """Computes the outputs.

        Args:
            inputs: pair of the inputs of both models, or the inputs for both.

        Returns:
            Tensor of the dtype and shape of the models' outputs.
        """
        given: Any = inputs
        wide, deep = given if isinstance(given, (tuple, list)) and len(given) == 2 else (given, given)
        linear_output = self.linear_model(wide)
        return self.activation(0.5 * (linear_output + self.dnn_model(deep)))

    def _optimizer_steps(self) -> list[Any]:
        pair = self.optimizer if isinstance(self.optimizer, (tuple, list)) else [self.optimizer] * 2
        steps = []
        self._train_fetches[self._is_weighted] = self._compiled_fetches
        for optimizer, model in zip(pair, (self.linear_model, self.dnn_model), strict=True):
            steps.extend(optimizer.get_updates(self.total_loss, model.trainable_weights))
        return steps

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make an equal model.

        Returns:
            dict, whose values JSON can hold.
        """
        models = {
            name: {"class_name": type(model).__name__, "config": model.get_config()}
            for name, model in (("linear_model", self.linear_model), ("dnn_model", self.dnn_model))
        }
        shown: Any = self.activation
        return {**_described(self), **models, "activation": serialized(shown)}

    @classmethod
    def from_config(cls, config: DictLike, custom_objects: DictLike | None = None) -> Any:
        """Returns a model from the result of `get_config`.

        Args:
            config: dict of arguments.
            custom_objects: dict of further classes by name, or None.

        Returns:
            WideDeepModel of this class.
        """
        given: Any = config
        known: Any = {"LinearModel": LinearModel, **dict(custom_objects or ())}
        models = {}
        for name in ("linear_model", "dnn_model"):
            kind = known.get(given[name]["class_name"])
            has_own = isinstance(kind, type) and issubclass(kind, (LinearModel, WideDeepModel))
            models[name] = kind.from_config(given[name]["config"], known) if has_own else layer_of(given[name], known)
        return cls(**{**given, **models})
