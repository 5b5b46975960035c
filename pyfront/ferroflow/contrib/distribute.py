"""`tf.contrib.distribute`: the strategies as programs of TF 1.8 to 1.13 find them."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.distribute.choices import (
    AllReduceCrossDeviceOps as AllReduceCrossDeviceOps,
    CrossDeviceOps as CrossDeviceOps,
)
from ferroflow._src.distribute.contexts import (
    ReplicaContext as ReplicaContext,
    get_cross_replica_context as get_cross_replica_context,
    get_loss_reduction as get_loss_reduction,
    get_replica_context as get_replica_context,
    get_strategy as get_strategy,
    has_strategy as has_strategy,
    in_cross_replica_context as in_cross_replica_context,
    require_replica_context as require_replica_context,
)
from ferroflow._src.distribute.strategies import (
    CollectiveAllReduceStrategy as CollectiveAllReduceStrategy,
    ContribMirroredStrategy as _ContribMirroredStrategy,
    ContribParameterServerStrategy as _ContribParameterServerStrategy,
    OneDeviceStrategy as OneDeviceStrategy,
    TPUStrategy as TPUStrategy,
    initialize_tpu_system as initialize_tpu_system,
)
from ferroflow._src.distribute.strategy import Strategy as _Strategy
from ferroflow._src.estimator.run_config import DistributeConfig as DistributeConfig

MirroredStrategy = _ContribMirroredStrategy
ParameterServerStrategy = _ContribParameterServerStrategy
DistributionStrategy = _Strategy
get_distribution_strategy = get_strategy
has_distribution_strategy = has_strategy

_tell_absent(globals())
