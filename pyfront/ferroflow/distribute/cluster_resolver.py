"""`tf.distribute.cluster_resolver`: where a program learns its cluster from."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.cluster_resolver.cloud_resolvers import (
    GceClusterResolver as _GceClusterResolver,
    KubernetesClusterResolver as KubernetesClusterResolver,
    TPUClusterResolver as TPUClusterResolver,
)
from ferroflow._src.contrib.cluster_resolver.cluster_resolver import (
    ClusterResolver as ClusterResolver,
    SimpleClusterResolver as SimpleClusterResolver,
    UnionClusterResolver as _UnionClusterResolver,
)
from ferroflow._src.contrib.cluster_resolver.slurm_resolver import SlurmClusterResolver as SlurmClusterResolver
from ferroflow._src.contrib.cluster_resolver.tf_config_resolver import (
    TFConfigClusterResolver as TFConfigClusterResolver,
)

GCEClusterResolver = _GceClusterResolver
UnionResolver = _UnionClusterResolver

_tell_absent(globals())
