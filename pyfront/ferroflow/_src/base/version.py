"""The version of TensorFlow that programs see: the last one of the interface that is here."""

from typing import Final

from ferroflow import _core

# Programs compare it, and take old or new paths by it; the package's own version is `ferroflow --version`.
VERSION: Final = "1.15.0"
GIT_VERSION: Final = f"v{VERSION}-ferroflow-{_core.__version__}"
COMPILER_VERSION: Final = "rustc"
# The GraphDef versions that TF 1.15 wrote and reads.
GRAPH_DEF_VERSION: Final = 134
GRAPH_DEF_VERSION_MIN_CONSUMER: Final = 0
GRAPH_DEF_VERSION_MIN_PRODUCER: Final = 0
