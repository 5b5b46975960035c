"""`TensorBoard`: the callback that writes events for TensorBoard."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ferroflow._src.base import proto
from ferroflow._src.base.typing import DictLike, ListLike
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras.callbacks import Callback
from ferroflow._src.keras.network import layer_outputs
from ferroflow._src.keras.settings import image_data_format
from ferroflow._src.ops.array import shaping
from ferroflow._src.summary.file_writer import FileWriter
from ferroflow._src.summary.merging import merge_all
from ferroflow._src.summary.values import histogram, image


class TensorBoard(Callback):
    """Callback that writes the loss and the metrics of epochs for TensorBoard.

    Args:
        log_dir: str, the folder.
        histogram_freq: int, epochs between two histograms of weights and outputs; 0 for none. They need validation
            data. Other summaries in `GraphKeys.SUMMARIES` are written with them.
        batch_size: int, the number of examples that are fed for histograms at once.
        write_graph: bool. If True, the graph is written too.
        write_grads: bool. If True, there are histograms of gradients too.
        write_images: bool. If True, weights are written as images too.
        embeddings_freq: 0; embeddings are not written.
        embeddings_layer_names: accepted.
        embeddings_metadata: accepted.

    Raises:
        NotImplementedError: if `embeddings_freq` is not 0.
    """

    # Of processes that train together, only the first has this callback.
    writes_files = True

    def __init__(
        self,
        log_dir: str = "./logs",
        histogram_freq: int = 0,
        batch_size: int = 32,
        write_graph: bool = True,
        write_grads: bool = False,
        write_images: bool = False,
        embeddings_freq: int = 0,
        embeddings_layer_names: ListLike | None = None,
        embeddings_metadata: object = None,
    ) -> None:
        super().__init__()
        if embeddings_freq:
            raise NotImplementedError(
                "TensorBoard does not write embeddings: save them by tf.train.Saver, and name them in the folder's "
                "projector_config.pbtxt."
            )
        self.log_dir, self.histogram_freq, self.batch_size = log_dir, histogram_freq, batch_size
        self.write_graph, self.write_grads, self.write_images = write_graph, write_grads, write_images
        self.merged: Any = None

    def set_model(self, model: Any) -> None:
        """Sets the model that is fitted, and opens the folder.

        Args:
            model: Model.
        """
        super().set_model(model)
        if self.histogram_freq and self.merged is None:
            with model.graph.as_default():
                self._summarize(model)
                self.merged = merge_all()
        self.writer = FileWriter(self.log_dir, graph=model.graph if self.write_graph else None)

    def _summarize(self, model: Any) -> None:
        trained = {id(weight) for weight in model.trainable_weights}
        for layer in model.layers:
            for weight in layer.weights:
                name = weight.name.replace(":", "_")
                histogram(name, weight)
                if self.write_grads and id(weight) in trained:
                    (gradient,) = model.optimizer.get_gradients(model.total_loss, [weight])
                    histogram(f"{name}_grad", gradient)
                picture = _as_image(weight) if self.write_images else None
                if picture is not None:
                    image(name, picture)
            for output in layer_outputs(model, layer):
                if not output.dtype.is_bool:
                    histogram(f"{layer.name}_out", output)

    def on_epoch_end(self, epoch: int, logs: DictLike | None = None) -> None:
        """Writes an epoch's values.

        Args:
            epoch: int, its number, from 0.
            logs: dict of the loss and the metrics by name, those of validation after `val_`.

        Raises:
            ValueError: if histograms are requested, and there is no validation data as arrays.
        """
        if self.histogram_freq and not self.validation_data:
            raise ValueError("If printing histograms, validation_data must be provided, and cannot be a generator.")
        if self.histogram_freq and epoch % self.histogram_freq == 0:
            for found in self._histograms():
                self.writer.add_summary(found, epoch)
        summary = proto.Summary()
        for name, value in (logs or {}).items():
            if name not in ("batch", "size"):
                summary.value.add(tag=name, simple_value=float(value))
        self.writer.add_summary(summary, epoch)
        self.writer.flush()

    def _histograms(self) -> Iterator[bytes]:
        fed = self.model._fed_arrays(self.validation_data)
        count = len(self.validation_data[0])
        for start in range(0, count, self.batch_size):
            batch = ([a[start : start + self.batch_size] for a in arrays] for arrays in fed)
            yield self.model._run(False, self.merged, *batch)

    def on_train_end(self, logs: DictLike | None = None) -> None:
        """Closes the folder.

        Args:
            logs: dict, empty.
        """
        self.writer.close()


def _as_image(weight: Any) -> Tensor | None:
    """Returns a weight of one to three dimensions as images of one channel; None for others."""
    picture = shaping.squeeze(weight)
    shape: list[Any] = picture.get_shape().as_list()
    if len(shape) == 1:
        return shaping.reshape(picture, [1, shape[0], 1, 1])
    if len(shape) == 2:
        if shape[0] > shape[1]:
            picture, shape = shaping.transpose(picture), shape[::-1]
        return shaping.reshape(picture, [1, *shape, 1])
    if len(shape) == 3:
        if image_data_format() == "channels_last":
            picture, shape = shaping.transpose(picture, [2, 0, 1]), [shape[2], shape[0], shape[1]]
        return shaping.reshape(picture, [*shape, 1])
    return None
