"""SavedModels for serving: one graph, for predictions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ferroflow._src.checkpoint.saver import Saver
from ferroflow._src.estimator.export_folders import write_saved_model
from ferroflow._src.estimator.mode_exports import ModelSource
from ferroflow._src.estimator.modes import ModeKeys
from ferroflow._src.estimator.serving import build_all_signature_defs
from ferroflow._src.framework.default_graph import get_collection
from ferroflow._src.framework.graph import Graph
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.random_seed import set_random_seed
from ferroflow._src.saved_model import tag_constants
from ferroflow._src.saved_model.builder import SavedModelBuilder
from ferroflow._src.session.session import Session
from ferroflow._src.supervision.scaffold import Scaffold


def export_for_serving(
    source: ModelSource,
    export_dir_base: Any,
    serving_input_receiver_fn: Callable[[], Any],
    assets_extra: Mapping[str, str] | None,
    as_text: bool,
    checkpoint_path: str,
    strip_default_attrs: bool,
) -> bytes:
    """Writes a SavedModel of a model's predictions.

    Args:
        source: ModelSource of the estimator.
        export_dir_base: str, the folder to make one in that is named by the time.
        serving_input_receiver_fn: callable without arguments that gives a `ServingInputReceiver`.
        assets_extra: dict from names below `assets.extra` to files to copy there.
        as_text: bool. If True, the SavedModel is written as text.
        checkpoint_path: str, prefix of the checkpoint.
        strip_default_attrs: bool. If True, attributes that have their default value are left out.

    Returns:
        bytes, the new folder.

    Raises:
        ValueError: if the model has no outputs to export.
        tf.errors.DeadlineExceededError: if no folder named by the time became free in ten seconds.
    """
    with Graph().as_default() as graph:
        source.create_global_step(graph)
        set_random_seed(source.seed)
        receiver = serving_input_receiver_fn()
        spec = source.call_model_fn(receiver.features, getattr(receiver, "labels", None), ModeKeys.PREDICT)
        signatures = build_all_signature_defs(receiver, spec.export_outputs)

        def write(builder: SavedModelBuilder) -> None:
            with Session(config=source.session_config) as session:
                (spec.scaffold.saver or Saver(sharded=True)).restore(session, checkpoint_path)
                builder.add_meta_graph_and_variables(
                    session,
                    [tag_constants.SERVING],
                    signature_def_map=signatures,
                    assets_collection=get_collection(GraphKeys.ASSET_FILEPATHS),
                    legacy_init_op=spec.scaffold.local_init_op or Scaffold.default_local_init_op(),
                    strip_default_attrs=strip_default_attrs,
                )

        return write_saved_model(export_dir_base, write, assets_extra, as_text)
