"""Signal processing, transforms and linear algebra give TensorFlow's numbers."""

import json
from pathlib import Path

import numpy as np
import pytest
from golden.signal_programs import CASES, describe

import ferroflow as tf

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "signal.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES)
def test_a_result_is_tensorflows(case):
    found, expected = describe(tf, case), GOLDEN[case]
    assert (found["dtype"], found["shape"]) == (expected["dtype"], expected["shape"])
    np.testing.assert_allclose(found["elements"], expected["elements"], rtol=2e-5, atol=3e-6)


def test_every_golden_case_is_compared():
    assert set(GOLDEN) == set(CASES)


def test_a_signal_of_unknown_length_is_framed_and_added_up():
    signal = np.arange(11.0, dtype=np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        unknown = tf.placeholder(tf.float32, [None])
        frames = tf.signal.frame(unknown, 4, 4, pad_end=True)
        together = tf.signal.overlap_and_add(frames, tf.placeholder_with_default(4, []))
        found = session.run(together, {unknown: signal})
    np.testing.assert_array_equal(found, [*signal, 0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_mel_bins": 0}, "num_mel_bins must be positive"),
        ({"sample_rate": -1.0}, "sample_rate must be positive"),
        ({"lower_edge_hertz": -1.0}, "non-negative"),
        ({"lower_edge_hertz": 100.0, "upper_edge_hertz": 10.0}, ">= upper_edge_hertz"),
        ({"upper_edge_hertz": 5000.0}, "Nyquist"),
        ({"dtype": tf.int32}, "floating point"),
    ],
)
def test_mel_bands_that_cannot_be_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        tf.signal.linear_to_mel_weight_matrix(**arguments)


@pytest.mark.parametrize("pad_end", [False, True])
@pytest.mark.parametrize("axis", [-1, 0])
def test_a_signal_of_unknown_rank_is_framed_as_one_of_known_rank(axis, pad_end):
    values = np.arange(14, dtype=np.float32).reshape(7, 2)
    x = tf.placeholder(tf.float32)
    unknown = tf.signal.frame(x, 2, 3, pad_end=pad_end, pad_value=9, axis=axis)
    known = tf.signal.frame(values, 2, 3, pad_end=pad_end, pad_value=9, axis=axis)
    assert unknown.get_shape().ndims is None
    with tf.Session() as sess:
        np.testing.assert_array_equal(*sess.run([unknown, known], {x: values}))


def test_a_signal_of_unknown_rank_is_transformed():
    values = np.arange(8, dtype=np.float32)
    x = tf.placeholder(tf.float32)
    with tf.Session() as sess:
        np.testing.assert_array_equal(*sess.run([tf.signal.stft(x, 4, 2), tf.signal.stft(values, 4, 2)], {x: values}))


# Of TensorFlow 1.15: the samples, and the hexadecimal digits of the file behind its header of 44 bytes.
SAMPLES = [0.0, 0.5, -0.5, 1.0, -1.0, 2.0, 1e-5, 2e-5, -2e-5, 0.9999]
WAV = "0000004000c0ff7f0080ff7f00000100fffffd7f"


def test_a_wav_file_is_tensorflows():
    with tf.Session() as sess:
        content = sess.run(tf.audio.encode_wav(np.array(SAMPLES, np.float32)[:, None], 8000))
        assert content[:44].hex() == (
            "524946463800000057415645666d74201000000001000100401f0000803e0000020010006461746114000000"
        )
        assert content[44:].hex() == WAV
        audio, rate = sess.run(tf.audio.decode_wav(content))
        assert (audio.shape, rate) == ((10, 1), 8000)
        np.testing.assert_array_equal(audio[:6, 0], np.array([0, 16384, -16384, 32767, -32768, 32767]) / 32768)
        wide = tf.audio.decode_wav(content, desired_channels=2, desired_samples=14)
        assert wide.audio.get_shape().as_list() == [14, 2]
        values = sess.run(wide.audio)
        np.testing.assert_array_equal(values[:, 0], [*audio[:, 0], 0, 0, 0, 0])
        np.testing.assert_array_equal(values[:, 0], values[:, 1])


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: tf.audio.decode_wav(b"RIFFxx"), "Data too short when trying to read string"),
        (lambda: tf.audio.decode_wav(b"RIFX" + bytes(40)), "Header mismatch: Expected RIFF but found RIFX"),
        (lambda: tf.audio.encode_wav(np.zeros((0, 1), np.float32), 8000), "num_frames must be positive"),
        (lambda: tf.audio.encode_wav(np.zeros((2, 1), np.float32), 0), "sample_rate must be in"),
    ],
)
def test_what_is_no_sound_is_refused(act, message):
    made = act()
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError, match=message):
        sess.run(made)
