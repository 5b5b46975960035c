"""Resolvers of Google's cloud and of Kubernetes, which raise errors that name a replacement."""

from __future__ import annotations

from typing import Any, NoReturn

from ferroflow._src.contrib.cluster_resolver.cluster_resolver import ClusterResolver

_INSTEAD = (
    "Give the tasks' addresses with tf.train.ClusterSpec, or in the environment variable TF_CONFIG, "
    "which tf.contrib.cluster_resolver.TFConfigClusterResolver reads."
)


class _Absent(ClusterResolver):
    _reason: str

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(f"{type(self).__name__}: {self._reason} {_INSTEAD}")

    def cluster_spec(self) -> NoReturn:
        """Is never called: no object of this class exists.

        Raises:
            NotImplementedError: on every call.
        """
        raise NotImplementedError(self._reason)

    def master(self, task_type: Any = None, task_id: Any = None, rpc_layer: Any = None) -> NoReturn:
        """Is never called: no object of this class exists.

        Args:
            task_type: not used.
            task_id: not used.
            rpc_layer: not used.

        Raises:
            NotImplementedError: on every call.
        """
        raise NotImplementedError(self._reason)


class TPUClusterResolver(_Absent):
    """Not supported: ferroflow runs on CPUs. The constructor raises an error.

    Args:
        *args: not used.
        **kwargs: not used.

    Raises:
        NotImplementedError: on every call.
    """

    _reason = "ferroflow runs on CPUs and knows no TPU."


class GceClusterResolver(_Absent):
    """Not supported: ferroflow does not query Google's cloud for machines' addresses. The constructor raises an error.

    Args:
        *args: not used.
        **kwargs: not used.

    Raises:
        NotImplementedError: on every call.
    """

    _reason = "ferroflow does not ask Google Compute Engine for the addresses of machines."


class KubernetesClusterResolver(_Absent):
    """Not supported: ferroflow does not query Kubernetes for pods' addresses. The constructor raises an error.

    Args:
        *args: not used.
        **kwargs: not used.

    Raises:
        NotImplementedError: on every call.
    """

    _reason = "ferroflow does not ask Kubernetes for the addresses of pods."
