"""`tf.keras.utils`: rows of classes, scaled rows, fetched files, batches by number, and what names stand for."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.keras.custom_objects import (
    CustomObjectScope as CustomObjectScope,
    custom_object_scope as custom_object_scope,
    get_custom_objects as get_custom_objects,
)
from ferroflow._src.keras.data_files import get_file as get_file
from ferroflow._src.keras.enqueuers import (
    GeneratorEnqueuer as GeneratorEnqueuer,
    OrderedEnqueuer as OrderedEnqueuer,
    SequenceEnqueuer as SequenceEnqueuer,
)
from ferroflow._src.keras.generators import Sequence as Sequence
from ferroflow._src.keras.hdf5_matrix import HDF5Matrix as HDF5Matrix
from ferroflow._src.keras.model_changes import (
    convert_all_kernels_in_model as convert_all_kernels_in_model,
    multi_gpu_model as multi_gpu_model,
)
from ferroflow._src.keras.model_drawing import model_to_dot as model_to_dot, plot_model as plot_model
from ferroflow._src.keras.model_sources import get_source_inputs as get_source_inputs
from ferroflow._src.keras.progress_bar import Progbar as Progbar
from ferroflow._src.keras.sequences import normalize as normalize, to_categorical as to_categorical
from ferroflow._src.keras.serialization import (
    deserialize_keras_object as deserialize_keras_object,
    serialize_keras_object as serialize_keras_object,
)

_tell_absent(globals())
