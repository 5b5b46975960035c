"""`tf.train`: optimizers, checkpoints and training."""

import typing as _typing
from typing import Any as _Any

from ferroflow._src.base import proto as _proto
from ferroflow._src.base.absent_names import absent as _absent, tell_absent as _tell_absent
from ferroflow._src.checkpoint.checkpoint_manager import CheckpointManager as CheckpointManager
from ferroflow._src.checkpoint.init_from_checkpoint import init_from_checkpoint as init_from_checkpoint
from ferroflow._src.checkpoint.meta_graph import (
    export_meta_graph as export_meta_graph,
    import_meta_graph as import_meta_graph,
)
from ferroflow._src.checkpoint.object_checkpoint import Checkpoint as Checkpoint
from ferroflow._src.checkpoint.reader import (
    NewCheckpointReader as NewCheckpointReader,
    list_variables as list_variables,
    load_checkpoint as load_checkpoint,
    load_variable as load_variable,
)
from ferroflow._src.checkpoint.saver import Saver as Saver
from ferroflow._src.checkpoint.state import (
    checkpoint_exists as checkpoint_exists,
    generate_checkpoint_state_proto as generate_checkpoint_state_proto,
    get_checkpoint_mtimes as get_checkpoint_mtimes,
    get_checkpoint_state as get_checkpoint_state,
    latest_checkpoint as latest_checkpoint,
    remove_checkpoint as remove_checkpoint,
    update_checkpoint_state as update_checkpoint_state,
)
from ferroflow._src.checkpoint.waiting import checkpoints_iterator as checkpoints_iterator
from ferroflow._src.checkpoint.warm_start import VocabInfo as VocabInfo, warm_start as warm_start
from ferroflow._src.cluster.cluster_spec import ClusterSpec as ClusterSpec
from ferroflow._src.cluster.device_setter import replica_device_setter as replica_device_setter
from ferroflow._src.cluster.server import Server as Server
from ferroflow._src.framework.graph_files import write_graph as write_graph
from ferroflow._src.input import queue_runner as queue_runner
from ferroflow._src.input.batching import (
    batch as batch,
    batch_join as batch_join,
    maybe_batch as maybe_batch,
    maybe_batch_join as maybe_batch_join,
    maybe_shuffle_batch as maybe_shuffle_batch,
    maybe_shuffle_batch_join as maybe_shuffle_batch_join,
    shuffle_batch as shuffle_batch,
    shuffle_batch_join as shuffle_batch_join,
)
from ferroflow._src.input.coordinator import (
    Coordinator as Coordinator,
    LooperThread as LooperThread,
)
from ferroflow._src.input.producers import (
    input_producer as input_producer,
    limit_epochs as limit_epochs,
    match_filenames_once as match_filenames_once,
    range_input_producer as range_input_producer,
    slice_input_producer as slice_input_producer,
    string_input_producer as string_input_producer,
)
from ferroflow._src.input.queue_runner import (
    QueueRunner as QueueRunner,
    add_queue_runner as add_queue_runner,
    start_queue_runners as start_queue_runners,
)
from ferroflow._src.summary.file_writer import SummaryWriter as SummaryWriter
from ferroflow._src.summary.summary_iterator import summary_iterator as summary_iterator
from ferroflow._src.supervision.basic_loops import basic_train_loop as basic_train_loop
from ferroflow._src.supervision.hooks.checkpoint_saver import (
    CheckpointSaverHook as CheckpointSaverHook,
    CheckpointSaverListener as CheckpointSaverListener,
)
from ferroflow._src.supervision.hooks.feed_fn import FeedFnHook as FeedFnHook
from ferroflow._src.supervision.hooks.final_ops import FinalOpsHook as FinalOpsHook
from ferroflow._src.supervision.hooks.global_step_waiter import GlobalStepWaiterHook as GlobalStepWaiterHook
from ferroflow._src.supervision.hooks.logging_tensor import LoggingTensorHook as LoggingTensorHook
from ferroflow._src.supervision.hooks.nan_tensor import (
    NanLossDuringTrainingError as NanLossDuringTrainingError,
    NanTensorHook as NanTensorHook,
)
from ferroflow._src.supervision.hooks.profiler import ProfilerHook as ProfilerHook
from ferroflow._src.supervision.hooks.step_counter import StepCounterHook as StepCounterHook
from ferroflow._src.supervision.hooks.stop_at_step import StopAtStepHook as StopAtStepHook
from ferroflow._src.supervision.hooks.summary_saver import SummarySaverHook as SummarySaverHook
from ferroflow._src.supervision.hooks.timers import SecondOrStepTimer as SecondOrStepTimer
from ferroflow._src.supervision.monitored_session import (
    MonitoredSession as MonitoredSession,
    SingularMonitoredSession as SingularMonitoredSession,
)
from ferroflow._src.supervision.monitored_training_session import MonitoredTrainingSession as MonitoredTrainingSession
from ferroflow._src.supervision.scaffold import Scaffold as Scaffold
from ferroflow._src.supervision.session_creator import (
    ChiefSessionCreator as ChiefSessionCreator,
    SessionCreator as SessionCreator,
    WorkerSessionCreator as WorkerSessionCreator,
)
from ferroflow._src.supervision.session_manager import SessionManager as SessionManager
from ferroflow._src.supervision.session_run_hook import (
    SessionRunArgs as SessionRunArgs,
    SessionRunContext as SessionRunContext,
    SessionRunHook as SessionRunHook,
    SessionRunValues as SessionRunValues,
)
from ferroflow._src.supervision.supervisor import Supervisor as Supervisor
from ferroflow._src.supervision.sync_replicas_optimizer import SyncReplicasOptimizer as SyncReplicasOptimizer
from ferroflow._src.training.adadelta import AdadeltaOptimizer as AdadeltaOptimizer
from ferroflow._src.training.adagrad import AdagradOptimizer as AdagradOptimizer
from ferroflow._src.training.adagrad_da import AdagradDAOptimizer as AdagradDAOptimizer
from ferroflow._src.training.adam import AdamOptimizer as AdamOptimizer
from ferroflow._src.training.cosine_decay import (
    cosine_decay as cosine_decay,
    cosine_decay_restarts as cosine_decay_restarts,
    linear_cosine_decay as linear_cosine_decay,
    noisy_linear_cosine_decay as noisy_linear_cosine_decay,
)
from ferroflow._src.training.ftrl import FtrlOptimizer as FtrlOptimizer
from ferroflow._src.training.global_step import (
    assert_global_step as assert_global_step,
    create_global_step as create_global_step,
    get_global_step as get_global_step,
    get_or_create_global_step as get_or_create_global_step,
    global_step as global_step,
)
from ferroflow._src.training.gradient_descent import GradientDescentOptimizer as GradientDescentOptimizer
from ferroflow._src.training.learning_rate_decay import (
    exponential_decay as exponential_decay,
    inverse_time_decay as inverse_time_decay,
    natural_exp_decay as natural_exp_decay,
    piecewise_constant as piecewise_constant,
    piecewise_constant as piecewise_constant_decay,  # noqa: F401  # TF 1.x: its name from 1.13 on
    polynomial_decay as polynomial_decay,
)
from ferroflow._src.training.momentum import MomentumOptimizer as MomentumOptimizer
from ferroflow._src.training.moving_averages import ExponentialMovingAverage as ExponentialMovingAverage
from ferroflow._src.training.optimizer import Optimizer as Optimizer
from ferroflow._src.training.proximal import (
    ProximalAdagradOptimizer as ProximalAdagradOptimizer,
    ProximalGradientDescentOptimizer as ProximalGradientDescentOptimizer,
)
from ferroflow._src.training.quantized_training import (
    do_quantize_training_on_graphdef as do_quantize_training_on_graphdef,
)
from ferroflow._src.training.rms_prop import RMSPropOptimizer as RMSPropOptimizer
from ferroflow._src.training.sdca import (
    sdca_fprint as sdca_fprint,
    sdca_optimizer as sdca_optimizer,
    sdca_shrink_l1 as sdca_shrink_l1,
)
from ferroflow.train import experimental as experimental

_MESSAGES = frozenset(
    (
        *("BytesList", "ClusterDef", "Example", "Feature", "FeatureList", "FeatureLists", "Features", "FloatList"),
        *("Int64List", "JobDef", "SaverDef", "SequenceExample", "ServerDef"),
    )
)


if _typing.TYPE_CHECKING:
    from ferroflow._src.base.proto import (
        BytesList as BytesList,
        ClusterDef as ClusterDef,
        Example as Example,
        Feature as Feature,
        FeatureList as FeatureList,
        FeatureLists as FeatureLists,
        Features as Features,
        FloatList as FloatList,
        Int64List as Int64List,
        JobDef as JobDef,
        SaverDef as SaverDef,
        SequenceExample as SequenceExample,
        ServerDef as ServerDef,
    )
else:

    def __getattr__(name: str) -> _Any:
        # Protobuf is loaded when a message is first used.
        if name in _MESSAGES:
            return getattr(_proto, name)
        raise _absent("ferroflow.train", name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_MESSAGES})


_tell_absent(globals())
