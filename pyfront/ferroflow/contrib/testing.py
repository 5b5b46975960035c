"""`tf.contrib.testing`: helpers of tests."""

from ferroflow._src.base.absent_names import tell_absent as _tell_absent
from ferroflow._src.contrib.testing.fake_summary_writer import FakeSummaryWriter as FakeSummaryWriter
from ferroflow._src.contrib.testing.summary_checks import (
    assert_summary as assert_summary,
    latest_event_file as latest_event_file,
    latest_events as latest_events,
    latest_summaries as latest_summaries,
    simple_values_from_events as simple_values_from_events,
    to_summary_proto as to_summary_proto,
)

_tell_absent(globals())
