"""`BoardEmbeddings`: the outputs of a model's layers as embeddings in TensorBoard's projector."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ferroflow._src.base import dtypes, proto
from ferroflow._src.checkpoint.saver import Saver
from ferroflow._src.keras.backend import get_session
from ferroflow._src.keras.compiled_network import fed_inputs
from ferroflow._src.ops.array.making import placeholder, zeros
from ferroflow._src.ops.array.shaping import reshape
from ferroflow._src.summary.projector import visualize_embeddings
from ferroflow._src.variables.initialization import variables_initializer
from ferroflow._src.variables.variable import Variable


class BoardEmbeddings:
    """Variables that hold the outputs of layers for the examples of a program, and the projector's file of them.

    Args:
        model: Model.
        data: arrays of the inputs, of shape [examples, ...]: array, list of arrays or dict by the inputs' names.
        names: list of the layers' names; empty for all `Embedding` layers.
        metadata: str, the file of the examples' labels, or dict of files by the layers' names, or None.
        writer: FileWriter, whose folder gets the files.
    """

    def __init__(self, model: Any, data: Any, names: Iterable[str], metadata: Any, writer: Any) -> None:
        self._inputs, self._arrays = fed_inputs(model, data)
        self._graph, self._prefix = model.graph, os.path.join(writer.get_logdir(), "keras_embedding.ckpt")
        names = list(names) or [layer.name for layer in model.layers if type(layer).__name__ == "Embedding"]
        config = proto.ProjectorConfig()
        self._variables, self._assigned = [], []
        with self._graph.as_default():
            self._start, self._count = placeholder(dtypes.int32), placeholder(dtypes.int32)
            for layer in model.layers:
                if layer.name not in names:
                    continue
                size = int(np.prod(layer.output.get_shape().as_list()[1:]))
                variable = Variable(
                    zeros([len(self._arrays[0]), size]),
                    trainable=False,
                    use_resource=True,
                    name=f"{layer.name}_embedding",
                )
                rows: Any = variable[self._start : self._start + self._count]
                self._assigned.append(rows.assign(reshape(layer.output, [self._count, size])))
                self._variables.append(variable)
                embedding = config.embeddings.add(tensor_name=variable.name)
                file = metadata.get(layer.name) if isinstance(metadata, Mapping) else metadata
                if file is not None:
                    embedding.metadata_path = file
            self._initializer = variables_initializer(self._variables)
            self._saver = Saver(self._variables)
        visualize_embeddings(writer, config)
        self._is_initialized = False

    def save(self, epoch: int, batch_size: int, feeds: Mapping[Any, Any]) -> None:
        """Computes the embeddings of all examples, and writes a checkpoint of them.

        Args:
            epoch: int, the number of the checkpoint.
            batch_size: int, the number of examples that are fed at once.
            feeds: dict of further values by tensors.
        """
        with self._graph.as_default():
            session = get_session()
            if not self._is_initialized:
                session.run(self._initializer)
                self._is_initialized = True
            count = len(self._arrays[0])
            for start in range(0, count, batch_size):
                batch = [array[start : start + batch_size] for array in self._arrays]
                given = {**dict(zip(self._inputs, batch, strict=True)), **feeds}
                session.run(self._assigned, {**given, self._start: start, self._count: len(batch[0])})
            self._saver.save(session, self._prefix, epoch)
