"""`tf.summary`: values of a step for TensorBoard."""

import typing as _typing
from typing import Any as _Any

from ferroflow._src.base import proto as _proto
from ferroflow._src.base.absent_names import absent as _absent, tell_absent as _tell_absent
from ferroflow._src.contrib.summary.graph_summaries import all_summary_ops as _all_summary_ops
from ferroflow._src.summary.description import get_summary_description as get_summary_description
from ferroflow._src.summary.file_writer import FileWriter as FileWriter
from ferroflow._src.summary.file_writer_cache import FileWriterCache as FileWriterCache
from ferroflow._src.summary.graph_writer import initialize as initialize
from ferroflow._src.summary.merging import merge as merge, merge_all as merge_all
from ferroflow._src.summary.plugin_asset import PluginAsset as PluginAsset, get_plugin_asset as get_plugin_asset
from ferroflow._src.summary.values import (
    audio as audio,
    histogram as histogram,
    image as image,
    scalar as scalar,
    tensor_summary as tensor_summary,
    text as text,
)

all_v2_summary_ops = _all_summary_ops

_MESSAGES = frozenset(("Event", "SessionLog", "Summary", "SummaryDescription", "TaggedRunMetadata"))


if _typing.TYPE_CHECKING:
    from ferroflow._src.base.proto import (
        Event as Event,
        SessionLog as SessionLog,
        Summary as Summary,
        SummaryDescription as SummaryDescription,
        TaggedRunMetadata as TaggedRunMetadata,
    )
else:

    def __getattr__(name: str) -> _Any:
        # Protobuf is loaded when a message is first used.
        if name in _MESSAGES:
            return getattr(_proto, name)
        raise _absent("ferroflow.summary", name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_MESSAGES})


_tell_absent(globals())
