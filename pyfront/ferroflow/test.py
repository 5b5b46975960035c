"""`tf.test`: what programs test themselves with."""

from unittest import mock as mock

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.testing.benchmark import Benchmark as Benchmark
from ferroflow._src.testing.environment import (
    StubOutForTesting as StubOutForTesting,
    gpu_device_name as gpu_device_name,
    is_built_with_cuda as is_built_with_cuda,
    is_built_with_gpu_support as is_built_with_gpu_support,
    is_built_with_rocm as is_built_with_rocm,
    is_built_with_xla as is_built_with_xla,
    is_gpu_available as is_gpu_available,
    main as main,
    test_src_dir_path as test_src_dir_path,
)
from ferroflow._src.testing.gradient_checker import (
    compute_gradient as compute_gradient,
    compute_gradient_error as compute_gradient_error,
)
from ferroflow._src.testing.graph_equality import assert_equal_graph_def as assert_equal_graph_def
from ferroflow._src.testing.local_cluster import create_local_cluster as create_local_cluster
from ferroflow._src.testing.test_case import (
    TestCase as TestCase,
    get_temp_dir as get_temp_dir,
)

_tell_absent(globals())
