"""`tf.distribute`: strategies by which the replicas of a model train together, one in each process."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.cluster.server import Server as Server
from ferroflow._src.distribute.choices import (
    CrossDeviceOps as CrossDeviceOps,
    HierarchicalCopyAllReduce as HierarchicalCopyAllReduce,
    InputContext as InputContext,
    InputReplicationMode as InputReplicationMode,
    NcclAllReduce as NcclAllReduce,
    ReductionToOneDevice as ReductionToOneDevice,
)
from ferroflow._src.distribute.contexts import (
    ReplicaContext as ReplicaContext,
    experimental_set_strategy as experimental_set_strategy,
    get_loss_reduction as get_loss_reduction,
    get_replica_context as get_replica_context,
    get_strategy as get_strategy,
    has_strategy as has_strategy,
    in_cross_replica_context as in_cross_replica_context,
)
from ferroflow._src.distribute.strategies import (
    MirroredStrategy as MirroredStrategy,
    OneDeviceStrategy as OneDeviceStrategy,
)
from ferroflow._src.distribute.strategy import Strategy as Strategy
from ferroflow._src.distribute.strategy_extended import StrategyExtended as StrategyExtended
from ferroflow._src.framework.replication import ReduceOp as ReduceOp
from ferroflow.distribute import cluster_resolver as cluster_resolver, experimental as experimental

_tell_absent(globals())
