"""The classes and functions of TensorFlow's modules of trackable objects, for programs that import them."""

from __future__ import annotations

from ferroflow._src.checkpoint.load_status import (
    CheckpointLoadStatus as CheckpointLoadStatus,
    InitializationOnlyStatus as InitializationOnlyStatus,
    NameBasedSaverStatus as NameBasedSaverStatus,
)
from ferroflow._src.checkpoint.object_graph import ObjectGraphView as ObjectGraphView
from ferroflow._src.checkpoint.object_saver import TrackableSaver as TrackableSaver
from ferroflow._src.checkpoint.python_state import (
    NoRestoreSaveable as NoRestoreSaveable,
    PythonState as PythonState,
    PythonStateSaveable as PythonStateSaveable,
    PythonStringStateSaveable as PythonStringStateSaveable,
)
from ferroflow._src.checkpoint.restoration import CheckpointPosition as CheckpointPosition
from ferroflow._src.framework.trackable import (
    OBJECT_GRAPH_PROTO_KEY as OBJECT_GRAPH_PROTO_KEY,
    VARIABLE_VALUE_KEY as VARIABLE_VALUE_KEY,
    Trackable as Trackable,
    TrackableReference as TrackableReference,
    no_automatic_dependency_tracking as no_automatic_dependency_tracking,
    no_automatic_dependency_tracking_scope as no_automatic_dependency_tracking_scope,
)
from ferroflow._src.framework.trackable_resources import (
    CapturableResource as CapturableResource,
    TrackableAsset as TrackableAsset,
    TrackableResource as TrackableResource,
)
from ferroflow._src.variables.auto_trackable import (
    AutoTrackable as AutoTrackable,
    NotTrackable as NotTrackable,
)
from ferroflow._src.variables.tracked_dicts import Mapping as Mapping
from ferroflow._src.variables.tracked_lists import List as List, ListWrapper as ListWrapper
from ferroflow._src.variables.tracked_structure import (
    NoDependency as NoDependency,
    TrackableDataStructure as TrackableDataStructure,
    sticky_attribute_assignment as sticky_attribute_assignment,
)
