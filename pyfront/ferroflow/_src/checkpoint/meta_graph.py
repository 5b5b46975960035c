"""`tf.train.export_meta_graph` and `import_meta_graph`: graphs with their savers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ferroflow._src.base import tf_logging
from ferroflow._src.checkpoint.meta_graph_export import export_scoped_meta_graph
from ferroflow._src.checkpoint.meta_graph_import import import_scoped_meta_graph, meta_graph_message
from ferroflow._src.checkpoint.saver import Saver, all_saveable_objects
from ferroflow._src.framework.graph import Graph


def import_meta_graph(
    meta_graph_or_file: object, clear_devices: bool = False, import_scope: str | None = None, **kwargs: Any
) -> Saver | None:
    """Adds the graph of a MetaGraphDef and its collections to the default graph.

    Args:
        meta_graph_or_file: the message, or the name of a file with it.
        clear_devices: bool. If True, leave out devices.
        import_scope: str, a name scope for all that is added.
        **kwargs: `graph`, `input_map`, `unbound_inputs_col_name`, `restore_collections_predicate`: as for
            `import_scoped_meta_graph`.

    Returns:
        The saver that the message describes, otherwise one for all variables; None if there are no variables.

    Example:
        >>> v = tf.Variable(3.0, name="v")
        >>> sess.run(v.initializer)
        >>> prefix = tf.train.Saver().save(sess, "./model")
        >>> with tf.Graph().as_default(), tf.Session() as session:
        ...     saver = tf.train.import_meta_graph("model.meta")
        ...     saver.restore(session, prefix)
        ...     print(session.run("v:0"))
        3.0
    """
    message = meta_graph_message(meta_graph_or_file)
    imported = import_scoped_meta_graph(message, clear_devices=clear_devices, import_scope=import_scope, **kwargs)
    if message.HasField("saver_def"):
        scope = import_scope
        for name, variable in imported.items():
            # The scope that the import made unique.
            scope = variable.name[: -len(name)]
            break
        return Saver(saver_def=_copied(message.saver_def), name=scope)
    if all_saveable_objects():
        return Saver()
    tf_logging.info("Saver not created because there are no variables in the graph to restore")
    return None


def _copied(saver_def: Any) -> Any:
    """Returns a copy: the saver puts its scope before the names."""
    result = type(saver_def)()
    result.CopyFrom(saver_def)
    return result


def export_meta_graph(
    filename: str | None = None,
    meta_info_def: Any = None,
    graph_def: Any = None,
    saver_def: Any = None,
    collection_list: Iterable[str] | None = None,
    as_text: bool = False,
    graph: Graph | None = None,
    export_scope: str | None = None,
    clear_devices: bool = False,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
    **kwargs: Any,
) -> Any:
    """Returns a graph with its collections as a MetaGraphDef.

    Args:
        filename: str, a file to write it to.
        meta_info_def: a MetaInfoDef message to complete.
        graph_def: a GraphDef message to take instead of the graph's own.
        saver_def: a SaverDef message to add.
        collection_list: names of the collections to add; None for all.
        as_text: bool. If True, the file is in protobuf's text format.
        graph: the `Graph`; None for the default graph.
        export_scope: str, a name scope; only its nodes are exported, without the scope in their names.
        clear_devices: bool. If True, leave out devices.
        clear_extraneous_savers: bool. If True, leave out the nodes of other savers.
        strip_default_attrs: bool. If True, leave out attributes with their default values.
        **kwargs: `save_debug_info`, accepted.

    Returns:
        A MetaGraphDef message.

    Raises:
        ValueError: if the GraphDef would be larger than 2 GB.
        TypeError: if another argument is given.
    """
    unknown = sorted(set(kwargs) - {"save_debug_info"})
    if unknown:
        raise TypeError(f"export_meta_graph() got an unexpected keyword argument {unknown[0]!r}")
    return export_scoped_meta_graph(
        filename=filename,
        meta_info_def=meta_info_def,
        graph_def=graph_def,
        saver_def=saver_def,
        collection_list=collection_list,
        as_text=as_text,
        graph=graph,
        export_scope=export_scope,
        clear_devices=clear_devices,
        clear_extraneous_savers=clear_extraneous_savers,
        strip_default_attrs=strip_default_attrs,
    )[0]
