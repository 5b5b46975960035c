"""`TensorBoard`: the callback that writes events for TensorBoard."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import proto
from ferroflow._src.base.typing import DictLike, ListLike
from ferroflow._src.framework.composite import IndexedSlices
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.keras.backend import learning_phase
from ferroflow._src.keras.board_embeddings import BoardEmbeddings
from ferroflow._src.keras.callbacks import Callback
from ferroflow._src.keras.compiled_network import watch_tests
from ferroflow._src.keras.settings import image_data_format
from ferroflow._src.ops.array import shaping
from ferroflow._src.summary.file_writer import FileWriter
from ferroflow._src.summary.merging import merge_all
from ferroflow._src.summary.values import histogram, image

# Counts among the logs of callbacks, which are neither the loss nor metrics.
_COUNTS = ("batch", "size", "num_steps")


class TensorBoard(Callback):
    """Callback that writes the loss, the metrics and the weights for TensorBoard.

    The tags of numbers are those of the logs after `epoch_`, or after `batch_`.

    Args:
        log_dir: str, the folder.
        histogram_freq: int, epochs between two epochs whose validation writes histograms of weights and outputs, for
            each of its batches; 0 for none. Other summaries in `GraphKeys.SUMMARIES` are written with them.
        batch_size: int, the number of examples that are fed for embeddings at once.
        write_graph: bool. If True, the graph is written too.
        write_grads: bool. If True, there are histograms of gradients too.
        write_images: bool. If True, weights are written as images too.
        embeddings_freq: int, epochs between two epochs whose embeddings are saved; 0 for none.
        embeddings_layer_names: list of the names of layers whose outputs are embeddings; None for `Embedding` layers.
        embeddings_metadata: str, the file of the labels of `embeddings_data`, or dict of files by the layers' names.
        embeddings_data: arrays of examples, as `fit` takes them, whose embeddings are saved.
        update_freq: "epoch", "batch", or int: numbers are also written after batches with so many examples. The steps
            of epochs are then numbers of examples.
        profile_batch: int, accepted; profiles are not written.

    Raises:
        ValueError: if `embeddings_freq` is given without `embeddings_data`.
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
        embeddings_data: object = None,
        update_freq: int | str = "epoch",
        profile_batch: int = 2,
    ) -> None:
        super().__init__()
        if embeddings_freq and embeddings_data is None:
            raise ValueError("To visualize embeddings, embeddings_data must be provided.")
        self.log_dir, self.histogram_freq, self.batch_size = log_dir, histogram_freq, batch_size
        self.write_graph, self.write_grads, self.write_images = write_graph, write_grads, write_images
        self.embeddings_freq, self.embeddings_layer_names = embeddings_freq, embeddings_layer_names
        self.embeddings_metadata, self.embeddings_data = embeddings_metadata, embeddings_data
        self.update_freq: Any = 1 if update_freq == "batch" else update_freq
        self.profile_batch = profile_batch
        self.merged: Any = None
        self._embeddings: BoardEmbeddings | None = None
        # The batches, examples and batches of validation until now, and the examples at the last batch that was
        # written.
        self._total_batches_seen = self._samples_seen = self._tested = self._samples_seen_at_last_write = 0

    def set_model(self, model: Any) -> None:
        """Sets the model that is fitted, and opens the folder.

        Args:
            model: Model.
        """
        super().set_model(model)
        self.writer = FileWriter(self.log_dir, graph=model.graph if self.write_graph else None)
        if self.histogram_freq and self.merged is None:
            with model.graph.as_default():
                self._summarize(model)
                self.merged = merge_all()
        if self.embeddings_freq:
            names = self.embeddings_layer_names or ()
            self._embeddings = BoardEmbeddings(
                model, self.embeddings_data, names, self.embeddings_metadata, self.writer
            )

    def _summarize(self, model: Any) -> None:
        for layer in model.layers:
            for weight in layer.weights:
                name = weight.name.replace(":", "_")
                histogram(name, weight)
                picture = _as_image(weight) if self.write_images else None
                if picture is not None:
                    image(name, picture)
            for weight in layer.trainable_weights if self.write_grads else ():
                (gradient,) = model.optimizer.get_gradients(model.total_loss, [weight])
                gradient = gradient.values if isinstance(gradient, IndexedSlices) else gradient
                histogram(f"{weight.name.replace(':', '_')}_grad", [gradient])
            try:
                output = layer.output
            except AttributeError:
                continue  # a layer of several calls
            for i, one in enumerate(output if isinstance(output, list) else [output]):
                if not one.dtype.is_bool:
                    histogram(f"{layer.name}_out_{i}" if isinstance(output, list) else f"{layer.name}_out", one)

    def _write_custom_summaries(self, step: int, logs: DictLike | None = None) -> None:
        """Writes numbers by their names. Programs call and override this method."""
        for name, value in dict(logs or {}).items():
            summary = proto.Summary()
            summary.value.add(tag=name, simple_value=float(value))
            self.writer.add_summary(summary, step)
        self.writer.flush()

    def _write_numbers(self, prefix: str, logs: DictLike | None, step: int) -> None:
        named = {f"{prefix}_{name}": value for name, value in dict(logs or {}).items() if name not in _COUNTS}
        self._write_custom_summaries(step, named)

    def on_batch_end(self, batch: int, logs: DictLike | None = None) -> None:
        """Writes a batch's values, if `update_freq` requests it.

        Args:
            batch: int, its number, from 0.
            logs: dict of `size`, the number of examples, and of the loss and the metrics by name.
        """
        self._samples_seen += dict(logs or {}).get("size", 1)
        if self.update_freq != "epoch" and self._samples_seen - self._samples_seen_at_last_write >= self.update_freq:
            self._write_numbers("batch", logs, self._total_batches_seen)
            self._samples_seen_at_last_write = self._samples_seen
        self._total_batches_seen += 1

    def on_epoch_begin(self, epoch: int, logs: DictLike | None = None) -> None:
        """Requests the summaries of the epoch's validation.

        Args:
            epoch: int, its number, from 0.
            logs: dict, empty.
        """
        if self.merged is not None and epoch % self.histogram_freq == 0:
            watch_tests(self.model, self.merged, self._write_summaries)

    def _write_summaries(self, summary: bytes) -> None:
        self.writer.add_summary(summary, self._tested)
        self._tested += 1

    def on_epoch_end(self, epoch: int, logs: DictLike | None = None) -> None:
        """Writes an epoch's values.

        Args:
            epoch: int, its number, from 0.
            logs: dict of the loss and the metrics by name, those of validation after `val_`.
        """
        self._write_numbers("epoch", logs, epoch if self.update_freq == "epoch" else self._samples_seen)
        if self.merged is not None:
            watch_tests(self.model, self.merged, None)
        if self._embeddings is not None and epoch % self.embeddings_freq == 0:
            with self.model.graph.as_default():
                phase = learning_phase()
            self._embeddings.save(epoch, self.batch_size, {phase: False} if isinstance(phase, Tensor) else {})

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
