"""`StoredNetwork`: the values of a network's variables, in the session and in files."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base.files.system import exists
from ferroflow._src.base.files.urls import folder_of
from ferroflow._src.checkpoint.load_status import CheckpointLoadStatus
from ferroflow._src.checkpoint.object_saver import TrackableSaver, saver_of, stored_objects
from ferroflow._src.checkpoint.saver import Saver
from ferroflow._src.checkpoint.state import update_state
from ferroflow._src.keras import hdf5
from ferroflow._src.keras.backend import batch_get_value, get_session
from ferroflow._src.keras.overwriting import may_overwrite
from ferroflow._src.keras.training_files import saved_description
from ferroflow._src.layers.layer import set_weights


class StoredNetwork:
    """Base of networks: reads and writes the values of their variables."""

    # Saves and restores checkpoints; the operations that it adds to a graph serve all of them.
    _trackable_saver: TrackableSaver | None = None
    _weights_to_load: str | None

    @property
    def _network(self) -> Any:
        """The network, whose class defines its variables and graph."""
        return self

    def _saver(self) -> TrackableSaver:
        if self._trackable_saver is None:
            object.__setattr__(self, "_trackable_saver", saver_of(self._network))
        assert self._trackable_saver is not None  # it has just been set
        return self._trackable_saver

    def get_weights(self) -> list[Any]:
        """Returns the values of the variables."""
        return batch_get_value(self._network.weights)

    def set_weights(self, weights: list[Any]) -> None:
        """Assigns values to the variables.

        Args:
            weights: list of arrays, of the dtypes and shapes of the variables, in their order.

        Raises:
            ValueError: if the number of arrays is wrong, or an array has another shape.
        """
        set_weights(self, weights)

    def save(
        self,
        filepath: str,
        overwrite: bool = True,
        include_optimizer: bool = True,
        save_format: str | None = None,
        signatures: object = None,
    ) -> None:
        """Saves the model as an HDF5 file or a SavedModel, as `tf.keras.models.save_model` does.

        Args:
            filepath: str, the file or folder.
            overwrite: bool. If False, an existing file is replaced only after a yes on the terminal.
            include_optimizer: bool, as `tf.keras.models.save_model` takes it.
            save_format: "h5" for an HDF5 file, "tf" for the folder of a SavedModel; None for "h5".
            signatures: as `tf.saved_model.save` takes them, for a SavedModel.

        Raises:
            ImportError: if h5py is not installed.
            ValueError: if `save_format` is unknown, `signatures` are given for an HDF5 file, or an argument of a layer
                has neither `get_config` nor a name.
        """
        hdf5.save_model(self, filepath, overwrite, include_optimizer, save_format, signatures)

    @property
    def _tracking_metadata(self) -> str:
        return saved_description(self)

    def save_weights(self, filepath: str, overwrite: bool = True, save_format: str | None = None) -> None:
        """Saves the variables, as an HDF5 file if its name ends with .h5, .hdf5 or .keras, else as a checkpoint.

        Args:
            filepath: str, the file, or the checkpoint's prefix.
            overwrite: bool. If False, an existing file is replaced only after a yes on the terminal.
            save_format: str, "h5" for a file, "tf" for a checkpoint; None to infer it from the name.

        Raises:
            ImportError: if h5py is not installed, and the format is HDF5.
            ValueError: if the model has no variables yet, or the format is unknown.
        """
        self._check_built("saved")
        path = str(filepath)
        if save_format not in (None, "h5", "hdf5", "keras", "tensorflow", "tf"):
            raise ValueError(f'Unknown format "{save_format}". Was expecting one of {{"tf", "h5"}}.')
        is_file = hdf5.is_hdf5(path) if save_format is None else save_format not in ("tensorflow", "tf")
        written = path if is_file else f"{path}.index"
        if not overwrite and exists(written) and not may_overwrite(written):
            return
        if is_file:
            hdf5.save_weights(self, path)
            return
        with self._network.graph.as_default():
            self._saver().save(path, session=get_session())
        update_state(folder_of(path), path, [path], None, save_relative_paths=True)

    def load_weights(self, filepath: str, by_name: bool = False) -> Any:
        """Restores the variables that `save_weights` saved; a checkpoint's of a model that has none yet once it has.

        A checkpoint of a `tf.train.Saver` is restored by the variables' names.

        Args:
            filepath: str, the file, or the checkpoint's prefix.
            by_name: bool. If True, layers are found by their names, and not in their order; of files alone.

        Returns:
            The object that `tf.train.Checkpoint.restore` returns, for a checkpoint that `save_weights` wrote.

        Raises:
            ImportError: if h5py is not installed, and the file is an HDF5 file.
            ValueError: if the file is an HDF5 file of other layers, or the model has no variables yet.
            NotImplementedError: if `by_name` is True for a checkpoint.
            tf.errors.OpError: if the checkpoint cannot be read, or has other variables.
        """
        if hdf5.is_hdf5(filepath):
            self._check_built("loaded")
            hdf5.load_weights(self, filepath, by_name)
            return None
        if by_name:
            raise NotImplementedError(
                "by_name is of HDF5 files; variables of a checkpoint are found by their names by tf.train.Saver."
            )
        path = str(filepath)
        if stored_objects(path) is not None:
            with self._network.graph.as_default():
                status = self._saver().restore(path)
                assert isinstance(status, CheckpointLoadStatus)  # the checkpoint is one of objects
                status.run_as_they_come(get_session())
            return status.assert_nontrivial_match() if self._network.built else status
        if not self._network.built:
            self._weights_to_load = path
            return None
        with self._network.graph.as_default():
            Saver(self._network.weights).restore(get_session(), path)
        return None

    def _check_built(self, what: str) -> None:
        network = self._network
        if not network.built:
            raise ValueError(
                f"The weights of {network.name} cannot be {what}: it has not created its variables yet. Call the model "
                "first, or `build` it for an input shape."
            )
