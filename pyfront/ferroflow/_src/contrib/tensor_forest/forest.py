"""`RandomForestGraphs`: the training and the predictions of a random forest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ferroflow._src.base import dtypes
from ferroflow._src.contrib.tensor_forest.hparams import ForestHParams
from ferroflow._src.contrib.tensor_forest.tree_variable import random_tree
from ferroflow._src.framework.apply import apply_op, tensor_op
from ferroflow._src.framework.composite import SparseTensor
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import device
from ferroflow._src.framework.handles import Operation, Tensor
from ferroflow._src.ops.array import indexing, joining, making, shaping
from ferroflow._src.ops.flow.grouping import group
from ferroflow._src.ops.math.arithmetic import div, maximum
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import less
from ferroflow._src.ops.math.elementwise import negative
from ferroflow._src.ops.math.reduction import reduce_mean, reduce_sum
from ferroflow._src.ops.random.sampling import random_uniform
from ferroflow._src.ops.sparse.converting import sparse_tensor_to_dense
from ferroflow._src.variables.get_variable import get_variable

_NOT_OFFERED = (
    "Text, sparse integers and sparse features in a dict are not offered; make dense numbers of them, such as one-hot"
    " vectors"
)
_NO_SPARSE = "sparse_features is not offered: pass the SparseTensor as `input_data` of RandomForestGraphs"


def _as_matrix(values: Any) -> Tensor:
    if isinstance(values, SparseTensor):
        raise NotImplementedError(_NOT_OFFERED)
    tensor = convert_to_tensor(values)
    if tensor.dtype == dtypes.string:
        raise NotImplementedError(_NOT_OFFERED)
    numbers = cast(tensor, dtypes.float32)
    return shaping.expand_dims(numbers, 1) if numbers.get_shape().ndims == 1 else numbers


def features_of(data: Any) -> Tensor:
    """Returns features as one matrix.

    Args:
        data: Tensor of numbers of shape [batch] or [batch, n], or dict of such Tensors, which are joined in the order
            of their names. Or a SparseTensor of floats of shape [batch, n], whose missing elements are 0.

    Returns:
        float32 Tensor of shape [batch, n].

    Raises:
        NotImplementedError: if a feature is text, a sparse integer, or sparse in a dict.
    """
    if isinstance(data, SparseTensor) and data.dtype.is_floating:
        return cast(sparse_tensor_to_dense(data, validate_indices=False), dtypes.float32)
    if isinstance(data, Mapping):
        return joining.concat([_as_matrix(data[name]) for name in sorted(data)], 1)
    return _as_matrix(data)


def labels_of(labels: Any) -> Tensor:
    """Returns labels as a matrix.

    Args:
        labels: Tensor of numbers of shape [batch] or [batch, n], or dict of such Tensors.

    Returns:
        float32 Tensor of shape [batch, n].

    Raises:
        NotImplementedError: if the labels are sparse or text.
    """
    return features_of(labels)


class TreeVariables:
    """The resource of one tree.

    Args:
        params: ForestHParams, filled.
        tree_num: int, the tree's number.
        training: accepted; the tree has the statistics of its training in any case.
        tree_config: bytes of a tree to begin with; "" for a new one.
        tree_stat: accepted.
    """

    def __init__(
        self, params: ForestHParams, tree_num: int, training: bool, tree_config: str | bytes = "", tree_stat: Any = ""
    ) -> None:
        del training, tree_stat
        self.tree = random_tree(params, tree_num, tree_config)
        self.stats = None

    def get_tree_name(self, name: str, num: int) -> str:
        """Returns the name of a tree's part.

        Args:
            name: str, the part.
            num: int, the tree's number.

        Returns:
            str.
        """
        return f"{name}-{num}"


class ForestVariables:
    """The resources of all trees, by their numbers.

    Args:
        params: ForestHParams, filled.
        device_assigner: str or callable, as `tf.device` takes it; the trees are on the devices of variables there.
        training: as `TreeVariables`.
        tree_variables_class: class with the arguments of `TreeVariables`.
        tree_configs: list of bytes, trees to begin with, or None.
        tree_stats: accepted.
    """

    def __init__(
        self,
        params: ForestHParams,
        device_assigner: Any,
        training: bool = True,
        tree_variables_class: Any = TreeVariables,
        tree_configs: Any = None,
        tree_stats: Any = None,
    ) -> None:
        del tree_stats
        self.variables: list[Any] = []
        with device(device_assigner):
            self.device_dummies = [get_variable(f"device_dummy_{i}", shape=[0]) for i in range(params.num_trees)]
        for i, dummy in enumerate(self.device_dummies):
            config = {} if tree_configs is None else {"tree_config": tree_configs[i]}
            with device(dummy.device):
                self.variables.append(tree_variables_class(params, i, training, **config))

    def __setitem__(self, t: int, val: Any) -> None:
        self.variables[t] = val

    def __getitem__(self, t: int) -> Any:
        return self.variables[t]


class RandomTreeGraphs:
    """The training and the predictions of one tree.

    Args:
        variables: TreeVariables.
        params: ForestHParams, filled.
        tree_num: int, the tree's number.
    """

    def __init__(self, variables: Any, params: ForestHParams, tree_num: int) -> None:
        self.variables = variables
        self.params = params
        self.tree_num = tree_num

    def training_graph(
        self,
        input_data: Tensor,
        input_labels: Tensor,
        random_seed: int,
        data_spec: Any,
        sparse_features: Any = None,
        input_weights: Any = None,
    ) -> Operation:
        """Returns the operation that adds examples to the tree.

        Args:
            input_data: float32 Tensor of shape [batch, n].
            input_labels: float32 Tensor of shape [batch, n].
            random_seed: accepted; the tree's own seed is used.
            data_spec: accepted.
            sparse_features: None.
            input_weights: float Tensor of shape [batch], or None.

        Returns:
            Operation.

        Raises:
            NotImplementedError: if there are sparse features.
        """
        del random_seed, data_spec
        if sparse_features is not None:
            raise NotImplementedError(_NO_SPARSE)
        if input_weights is None:
            weights = making.zeros([0], dtype=dtypes.float32)
        else:
            weights = shaping.reshape(cast(input_weights, dtypes.float32), [-1])
        return apply_op("RandomTreeTrain", [self.variables.tree, input_data, input_labels, weights])

    def inference_graph(self, input_data: Tensor, data_spec: Any = None, sparse_features: Any = None) -> Any:
        """Returns the tree's predictions.

        Args:
            input_data: float32 Tensor of shape [batch, n].
            data_spec: accepted.
            sparse_features: None.

        Returns:
            float32 Tensor of shape [batch, classes], and an empty string Tensor.

        Raises:
            NotImplementedError: if there are sparse features.
        """
        del data_spec
        if sparse_features is not None:
            raise NotImplementedError(_NO_SPARSE)
        attrs = {"num_outputs": self.params.num_classes}
        values = tensor_op("RandomTreePredict", [self.variables.tree, input_data], attrs)
        return values, making.zeros([0], dtype=dtypes.string)

    def size(self) -> Tensor:
        """Returns the number of nodes, int32 []."""
        return tensor_op("RandomTreeSize", [self.variables.tree])

    def feature_usage_counts(self) -> Tensor:
        """Returns the number of splits by each feature, int32 [features]."""
        return tensor_op("RandomTreeFeatureUsage", [self.variables.tree], {"num_features": self.params.num_features})


class RandomForestGraphs:
    """The training and the predictions of a random forest.

    Args:
        params: ForestHParams, filled.
        tree_configs: as `ForestVariables`.
        tree_stats: accepted.
        device_assigner: as `ForestVariables`; None for the current device.
        variables: ForestVariables; None for new ones.
        tree_variables_class: as `ForestVariables`.
        tree_graphs: class with the arguments of `RandomTreeGraphs`, or None for that.
        training: as `TreeVariables`.

    Example:
        >>> from ferroflow.contrib.tensor_forest.python import tensor_forest
        >>> params = tensor_forest.ForestHParams(num_classes=2, num_features=1, num_trees=2, max_nodes=10).fill()
        >>> forest = tensor_forest.RandomForestGraphs(params)
        >>> features, labels = tf.constant([[1.0], [2.0]]), tf.constant([0, 1])
        >>> train = forest.training_graph(features, labels)
        >>> resources = tf.group(*(resource.create for resource in tf.get_collection("resources")))
        >>> sess.run(resources)
        >>> sess.run(train)
        >>> print(sess.run(forest.inference_graph(features)[0]))
        [[0.5 0.5]
         [0.5 0.5]]
    """

    def __init__(
        self,
        params: ForestHParams,
        tree_configs: Any = None,
        tree_stats: Any = None,
        device_assigner: Any = None,
        variables: Any = None,
        tree_variables_class: Any = TreeVariables,
        tree_graphs: Any = None,
        training: bool = True,
    ) -> None:
        self.params = params
        self.device_assigner = device_assigner
        self.variables = variables or ForestVariables(
            params,
            device_assigner,
            training=training,
            tree_variables_class=tree_variables_class,
            tree_configs=tree_configs,
            tree_stats=tree_stats,
        )
        made = tree_graphs or RandomTreeGraphs
        self.trees = [made(self.variables[i], params, i) for i in range(params.num_trees)]

    def _bag_features(self, tree_num: int, input_data: Tensor) -> Tensor:
        bagged = self.params.bagged_features
        return input_data if bagged is None else indexing.gather(input_data, bagged[tree_num], axis=1)

    def get_all_resource_handles(self) -> list[Tensor]:
        """Returns the handles of the trees, resources []."""
        return [self.variables[i].tree for i in range(len(self.trees))]

    def training_graph(
        self, input_data: Any, input_labels: Any, num_trainers: int = 1, trainer_id: int = 0, **tree_kwargs: Any
    ) -> Operation:
        """Returns the operation that adds a batch to the trees.

        Args:
            input_data: Tensor of numbers of shape [batch, n], dict of such Tensors, or SparseTensor of floats.
            input_labels: Tensor of numbers of shape [batch] or [batch, n], or dict of such Tensors; classes from 0 on.
            num_trainers: int, the processes among which the trees are divided.
            trainer_id: int, the number of this process.
            **tree_kwargs: arguments of `RandomTreeGraphs.training_graph`, such as `input_weights`.

        Returns:
            Operation.

        Raises:
            NotImplementedError: if a feature is text, a sparse integer, or sparse in a dict.
        """
        features, labels = features_of(input_data), labels_of(input_labels)
        share = self.params.num_trees / num_trainers
        updates = []
        for i in range(int(trainer_id * share), int((trainer_id + 1) * share)):
            with device(self.variables.device_dummies[i].device):
                of_tree, known, others = features, labels, dict(tree_kwargs)
                seed = self.params.base_random_seed
                seed = seed + i if seed else 0
                if self.params.bagging_fraction < 1.0:
                    draws = random_uniform([shaping.shape(features)[0]], seed=seed or None)
                    chosen = shaping.squeeze(indexing.where(less(draws, self.params.bagging_fraction)), axis=[1])
                    of_tree, known = indexing.gather(features, chosen), indexing.gather(labels, chosen)
                    if others.get("input_weights") is not None:
                        others["input_weights"] = indexing.gather(others["input_weights"], chosen)
                of_tree = self._bag_features(i, of_tree)
                updates.append(self.trees[i].training_graph(of_tree, known, seed, data_spec=None, **others))
        return group(*updates, name="train")

    def inference_graph(self, input_data: Any, **inference_args: Any) -> tuple[Tensor, Tensor, Tensor]:
        """Returns the forest's predictions.

        Args:
            input_data: as `training_graph`.
            **inference_args: arguments of `RandomTreeGraphs.inference_graph`.

        Returns:
            The means of the trees' class shares, or of their outputs, a float32 Tensor of shape [batch, classes]. An
            empty string Tensor. The variances over the trees, a float32 Tensor of shape [batch, classes].

        Raises:
            NotImplementedError: if a feature is text, a sparse integer, or sparse in a dict.
        """
        features = features_of(input_data)
        values, paths = [], []
        for i, tree in enumerate(self.trees):
            with device(self.variables.device_dummies[i].device):
                value, path = tree.inference_graph(self._bag_features(i, features), None, **inference_args)
            values.append(value)
            paths.append(path)
        with device(self.variables.device_dummies[0].device):
            every = joining.stack(values, axis=1)
            count = float(self.params.num_trees)
            means = div(reduce_sum(every, 1), count, name="probabilities")
            squares = div(reduce_sum(every * every, 1), count)
            return means, joining.stack(paths, axis=1), maximum(0.0, squares - means * means)

    def average_size(self) -> Tensor:
        """Returns the mean number of a tree's nodes, float32 []."""
        sizes = []
        for i, tree in enumerate(self.trees):
            with device(self.variables.device_dummies[i].device):
                sizes.append(tree.size())
        return reduce_mean(cast(joining.stack(sizes), dtypes.float32))

    def training_loss(self, features: Any, labels: Any, name: str = "training_loss") -> Tensor:
        """Returns the negative mean number of nodes: it falls as long as the forest grows.

        Args:
            features: accepted.
            labels: accepted.
            name: str, name of the operation.

        Returns:
            float32 Tensor of shape [].
        """
        del features, labels
        loss: Tensor = negative(self.average_size(), name=name)
        return loss

    def validation_loss(self, features: Any, labels: Any) -> Tensor:
        """Returns the negative mean number of nodes.

        Args:
            features: accepted.
            labels: accepted.

        Returns:
            float32 Tensor of shape [].
        """
        return self.training_loss(features, labels, name="validation_loss")

    def feature_importances(self) -> Tensor:
        """Returns the share of the splits that use each feature, float64 [features]."""
        counts = reduce_sum(joining.stack([tree.feature_usage_counts() for tree in self.trees], 0), 0)
        return counts / reduce_sum(counts)
