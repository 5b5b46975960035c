"""`tf.contrib.model_pruning`: masks that hide the smallest weights of a model."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.model_pruning.masked_cells import (
    MaskedBasicLSTMCell as MaskedBasicLSTMCell,
    MaskedLSTMCell as MaskedLSTMCell,
)
from ferroflow._src.contrib.model_pruning.masked_layers import (
    masked_conv2d as masked_conv2d,
    masked_convolution as masked_convolution,
    masked_fully_connected as masked_fully_connected,
)
from ferroflow._src.contrib.model_pruning.masks import (
    apply_mask as apply_mask,
    get_masked_weights as get_masked_weights,
    get_masks as get_masks,
    get_thresholds as get_thresholds,
    get_weight_sparsity as get_weight_sparsity,
    get_weights as get_weights,
)
from ferroflow._src.contrib.model_pruning.pruning import (
    Pruning as Pruning,
    get_pruning_hparams as get_pruning_hparams,
)
from ferroflow._src.contrib.model_pruning.stripping import (
    graph_def_from_checkpoint as graph_def_from_checkpoint,
    strip_pruning_vars_fn as strip_pruning_vars_fn,
)
from ferroflow._src.contrib.model_pruning.training import train as train

_tell_absent(globals())
