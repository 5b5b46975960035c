"""Laws of the summary operations: tags, scopes, collections, merging, and what they refuse."""

import numpy as np
import pytest
from deprecations import logs_deprecation
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

import ferroflow as tf


def run(tensor):
    with tf.Session(graph=tensor.graph) as session:
        return tf.Summary.FromString(session.run(tensor))


# A step takes denormal numbers for zero.
_NORMAL = st.floats(-(2.0**100), 2.0**100, width=32, allow_subnormal=False)


@given(hnp.arrays(np.float32, st.integers(0, 50), elements=_NORMAL))
def test_a_histogram_counts_every_value_once(values):
    with tf.Graph().as_default():
        histogram = run(tf.summary.histogram("h", values)).value[0].histo
    assert sum(histogram.bucket) == histogram.num == values.size
    assert list(histogram.bucket_limit) == sorted(set(histogram.bucket_limit))
    np.testing.assert_allclose(histogram.sum, values.astype(np.float64).sum(), rtol=1e-12, atol=1e-300)
    if values.size:
        assert (histogram.min, histogram.max) == (values.min(), values.max())
    below = np.array(histogram.bucket_limit)
    for limit, count in zip(below, np.cumsum(histogram.bucket), strict=True):
        assert count == (values < limit).sum()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_histogram_refuses_what_is_not_finite(bad):
    with tf.Graph().as_default(), pytest.raises(tf.errors.InvalidArgumentError, match="in summary histogram for: h"):
        run(tf.summary.histogram("h", [1.0, bad]))


def test_merging_keeps_all_values_and_refuses_a_tag_twice():
    with tf.Graph().as_default():
        one, other = tf.summary.scalar("a", 1.0), tf.summary.scalar("b", [2.0])
        merged = tf.summary.merge_all()
        assert merged.op.type == "MergeSummary"
        assert [(v.tag, v.simple_value) for v in run(merged).value] == [("a", 1.0), ("b", 2.0)]
        assert tf.summary.merge_all(scope="b").op.inputs[0] is other
        with pytest.raises(tf.errors.InvalidArgumentError, match="Duplicate tag a found in summary inputs"):
            run(tf.summary.merge([one, other, one]))
        with pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse one of the summary inputs"):
            run(tf.summary.merge([tf.constant(b"\xff\xff")]))


def _tagged(tag):
    """Makes each summary with a tag of its own, and what it writes to an event file."""
    raw = tf.raw_ops
    picture, clip = np.zeros([2, 1, 1, 1], np.uint8), np.zeros([2, 3], np.float32)
    return [
        raw.ScalarSummary(tags=[tag, "other"], values=[1.0, 2.0]),
        raw.HistogramSummary(tag=tag, values=[1.0, 2.0]),
        raw.ImageSummary(tag=tag, tensor=picture),
        raw.AudioSummaryV2(tag=tag, tensor=clip, sample_rate=8000.0),
        raw.TensorSummaryV2(tag=tag, tensor=[1, 2], serialized_summary_metadata=b""),
    ]


@given(st.binary(max_size=12))
def test_a_tag_keeps_its_bytes_whatever_they_are(end):
    # Bytes that are nowhere else in the summaries.
    tag, stand_in = (b"~#~#~#~#" + part for part in (end, b"~" * len(end)))
    with tf.Graph().as_default(), tf.Session() as session:
        for made, expected in zip(*session.run([_tagged(tag), _tagged(stand_in)]), strict=True):
            assert made == expected.replace(stand_in, tag)


def test_a_tag_that_is_not_text_is_not_merged():
    with tf.Graph().as_default(), tf.Session() as session:
        for summary in _tagged(b"\xe9\xff"):
            with pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse one of the summary inputs"):
                session.run(tf.summary.merge([summary]))


def test_an_event_file_has_the_bytes_of_a_tag(tmp_path):
    raw, tag = tf.raw_ops, b"\xe9\xff"
    with tf.Graph().as_default(), tf.Session() as session:
        writer = raw.SummaryWriter(shared_name="", container="")
        more = {"max_queue": 10, "flush_millis": 1000, "filename_suffix": ""}
        session.run(raw.CreateSummaryFileWriter(writer=writer, logdir=str(tmp_path), **more))
        step = tf.constant(3, tf.int64)
        tagged = {"writer": writer, "step": step, "tag": tag}
        picture, clip = np.zeros([1, 1, 1, 1], np.uint8), np.zeros([1, 3], np.float32)
        writes = [
            raw.WriteScalarSummary(**tagged, value=1.0),
            raw.WriteHistogramSummary(**tagged, values=[1.0]),
            raw.WriteImageSummary(**tagged, tensor=picture, bad_color=np.uint8([255, 0, 0, 255])),
            raw.WriteAudioSummary(**tagged, tensor=clip, sample_rate=8000.0),
            raw.WriteSummary(**tagged, tensor=[1], summary_metadata=b""),
        ]
        for write in writes:
            session.run(write)
        for bad, name in (
            (raw.ImportEvent(writer=writer, event=tag), "Event"),
            (raw.WriteGraphSummary(writer=writer, step=step, tensor=tag), "GraphDef"),
        ):
            with pytest.raises(tf.errors.DataLossError, match=f"Bad tf.{name} binary proto tensor string"):
                session.run(bad)
        session.run(raw.CloseSummaryWriter(writer=writer))
    (file,) = tmp_path.iterdir()
    events = list(tf.python_io.tf_record_iterator(str(file)))[1:]
    assert len(events) == len(writes)
    # Field 5 of an event is the summary, field 1 of that a value, and field 1 of that its tag.
    assert all(event[9:12] == b"\x10\x03\x2a" and b"\n" in event and tag in event for event in events)


def test_summaries_enter_the_collections_they_are_told():
    with tf.Graph().as_default() as graph:
        tf.summary.scalar("a", 1.0, collections=["mine"])
        default = tf.summary.histogram("b", [1.0])
        tf.summary.merge([default], collections=["merged"])
        assert len(graph.get_collection("mine")) == len(graph.get_collection("merged")) == 1
        assert graph.get_collection(tf.GraphKeys.SUMMARIES) == [default]
    with tf.Graph().as_default():
        assert tf.summary.merge_all() is None


def test_the_names_of_old_take_tags_of_their_own():
    with tf.Graph().as_default():
        with logs_deprecation("tf.summary.scalar"):
            scalars = tf.scalar_summary(["x y", "z"], [1, 2])
        with logs_deprecation("tf.summary.histogram"):
            tf.histogram_summary("h", [1.0])
        with logs_deprecation("tf.summary.image"):
            tf.image_summary("i", np.zeros([2, 2, 2, 1], np.float32), max_images=1)
        with logs_deprecation("tf.summary.audio"):
            tf.audio_summary("s", np.zeros([1, 5], np.float32), 8000.0)
        with logs_deprecation("tf.summary.merge_all"):
            merged = tf.merge_all_summaries()
        with logs_deprecation("tf.summary.merge"):
            assert [v.simple_value for v in run(tf.merge_summary([scalars])).value] == [1, 2]
        assert [v.tag for v in run(merged).value] == ["x y", "z", "h", "i/image", "s/audio/0"]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: tf.raw_ops.ScalarSummary(tags=["a", "b"], values=[1.0]), "tags and values not the same shape"),
        (lambda: tf.raw_ops.HistogramSummary(tag=["a", "b"], values=[1.0]), "tags must be scalar"),
        (lambda: tf.summary.image("i", np.zeros([2, 2, 2, 2], np.float32)), "last dim 1, 3, or 4"),
        (lambda: tf.summary.image("i", np.zeros([2, 2, 1], np.float32)), "Tensor must be 4-D"),
        (lambda: tf.summary.audio("a", np.zeros([2], np.float32), 8.0), "Tensor must be 3-D or 2-D"),
        (lambda: tf.summary.audio("a", np.zeros([2, 2], np.float32), -1.0), "sample_rate must be > 0"),
        (lambda: tf.summary.audio("a", np.zeros([2, 0], np.float32), 1.0), "num_frames must be positive"),
        (lambda: tf.raw_ops.AudioSummary(tag="a", tensor=[[0.5]], sample_rate=0.0), "sample_rate must be > 0"),
        (
            lambda: tf.raw_ops.TensorSummaryV2(tag="a", tensor=1, serialized_summary_metadata=b"\xff"),
            "is no SummaryMetadata",
        ),
    ],
)
def test_what_cannot_be_summarized_is_refused(make, words):
    with tf.Graph().as_default(), pytest.raises(tf.errors.InvalidArgumentError, match=words):
        run(make())


def test_a_tensor_summary_of_the_first_version_has_its_nodes_name():
    with tf.Graph().as_default():
        value = run(tf.raw_ops.TensorSummary(tensor=["x"], name="here")).value[0]
    assert (value.node_name, list(value.tensor.string_val)) == ("here", [b"x"])


def test_text_is_strings():
    with tf.Graph().as_default(), pytest.raises(ValueError, match="to have dtype string"):
        tf.summary.text("t", tf.constant(1))


class _Asset(tf.summary.PluginAsset):
    plugin_name = "mine"

    def assets(self):
        return {}


class _Other(tf.summary.PluginAsset):
    plugin_name = "mine"

    def assets(self):
        return {}


def test_a_graph_has_one_asset_of_a_plugin():
    with tf.Graph().as_default():
        asset = tf.summary.get_plugin_asset(_Asset)
        assert tf.summary.get_plugin_asset(_Asset) is asset
        with pytest.raises(ValueError, match="collision"):
            tf.summary.get_plugin_asset(_Other)
