"""SavedModels of one graph with one signature."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ferroflow._src.base.files.urls import shown_name
from ferroflow._src.framework.graph_keys import GraphKeys
from ferroflow._src.framework.handles import Operation
from ferroflow._src.saved_model.builder import SavedModelBuilder, removed_if_failed
from ferroflow._src.saved_model.signature_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from ferroflow._src.saved_model.signatures import predict_signature_def
from ferroflow._src.saved_model.tag_constants import SERVING
from ferroflow._src.session.session import BaseSession


def simple_save(
    session: BaseSession,
    export_dir: str | os.PathLike[str],
    inputs: Mapping[str, Any],
    outputs: Mapping[str, Any],
    legacy_init_op: Operation | None = None,
) -> None:
    """Writes a session's graph, variables and assets as a SavedModel for serving, with the tag `SERVING`.

    If that fails, the folder is left as it was.

    Args:
        session: the session.
        export_dir: str, the folder, which must not have files.
        inputs: dict of Tensors of any dtypes and shapes by names.
        outputs: dict of Tensors of any dtypes and shapes by names.
        legacy_init_op: Operation to run after variables are restored.

    Raises:
        AssertionError: if the folder has files.
        ValueError: if there are no inputs or no outputs.
        tf.errors.FailedPreconditionError: if a variable is not initialized.
    """
    signature = predict_signature_def(inputs, outputs)
    with removed_if_failed(shown_name(export_dir)):
        builder = SavedModelBuilder(export_dir)
        builder.add_meta_graph_and_variables(
            session,
            tags=[SERVING],
            signature_def_map={DEFAULT_SERVING_SIGNATURE_DEF_KEY: signature},
            assets_collection=session.graph.get_collection(GraphKeys.ASSET_FILEPATHS),
            legacy_init_op=legacy_init_op,
            clear_devices=True,
        )
        builder.save()
