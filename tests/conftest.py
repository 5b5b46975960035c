"""Settings for all tests: hypothesis profiles, chosen with FERROFLOW_HYPOTHESIS=fast|balanced|expensive; Ctrl-C."""

import os
import signal

import pytest
from hypothesis import HealthCheck, settings

# Shared build machines stall for seconds: no deadline says anything about the code.
settings.register_profile("fast", max_examples=20, deadline=None)
settings.register_profile(
    "balanced", max_examples=100, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("expensive", max_examples=2000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
# A background job of a shell inherits that the signal is ignored, and so would the programs that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.load_profile(os.environ.get("FERROFLOW_HYPOTHESIS", "balanced"))


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup(
        "differential", "comparison with TensorFlow 1.15 (FERROFLOW_TENSORFLOW_PYTHON names its Python)"
    )
    group.addoption("--differential-seconds", type=float, default=30, help="seconds for all families of programs")
    group.addoption("--differential-seed", type=int, default=0, help="the first program's number, in millions")
    group = parser.getgroup("fed shapes", "random programs with and without plans for the shapes of feeds")
    group.addoption("--fed-shapes-seconds", type=float, default=20, help="seconds for all families of programs")
    group.addoption("--fed-shapes-seed", type=int, default=0, help="the first program's number, in millions")


@pytest.fixture(autouse=True)
def empty_default_graph():
    """Each test starts with an empty default graph: in whatever order tests run, none sees what another built."""
    import ferroflow as tf

    tf.reset_default_graph()
