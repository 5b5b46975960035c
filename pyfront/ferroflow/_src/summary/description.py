"""`get_summary_description`: the description of a summary's values in its op's node."""

from __future__ import annotations

from typing import Any

from ferroflow._src.base import compat, proto


def get_summary_description(node_def: Any) -> Any:
    """Reads the description that a summary op keeps in its node.

    Args:
        node_def: `NodeDef` of a "TensorSummary" op.

    Returns:
        `SummaryDescription`.

    Raises:
        ValueError: if the node's op is not a tensor summary.
    """
    if node_def.op != "TensorSummary":
        raise ValueError(f"Can't get_summary_description on {node_def.op}")
    description = proto.SummaryDescription()
    proto.json_format().Parse(compat.as_str_any(node_def.attr["description"].s), description)
    return description
