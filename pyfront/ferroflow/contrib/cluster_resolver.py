"""`tf.contrib.cluster_resolver`: where a program learns its cluster from."""

from ferroflow._src.cluster.cloud_resolvers import GceClusterResolver as GceClusterResolver
from ferroflow._src.cluster.cloud_resolvers import KubernetesClusterResolver as KubernetesClusterResolver
from ferroflow._src.cluster.cloud_resolvers import TPUClusterResolver as TPUClusterResolver
from ferroflow._src.cluster.cluster_resolver import ClusterResolver as ClusterResolver
from ferroflow._src.cluster.cluster_resolver import SimpleClusterResolver as SimpleClusterResolver
from ferroflow._src.cluster.cluster_resolver import UnionClusterResolver as UnionClusterResolver
from ferroflow._src.cluster.slurm_resolver import SlurmClusterResolver as SlurmClusterResolver
from ferroflow._src.cluster.tf_config_resolver import TFConfigClusterResolver as TFConfigClusterResolver
