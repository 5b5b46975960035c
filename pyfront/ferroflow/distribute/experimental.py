"""`tf.distribute.experimental`: strategies for several machines."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.distribute.choices import CollectiveCommunication as CollectiveCommunication
from ferroflow._src.distribute.strategies import (
    CentralStorageStrategy as CentralStorageStrategy,
    MultiWorkerMirroredStrategy as MultiWorkerMirroredStrategy,
    ParameterServerStrategy as ParameterServerStrategy,
    TPUStrategy as TPUStrategy,
)

_tell_absent(globals())
