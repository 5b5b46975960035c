"""Samples of classes that represent all classes in a loss."""

from __future__ import annotations

import collections
from collections.abc import Sequence
from typing import Any

from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.apply import apply_op
from ferroflow._src.framework.random_seed import get_seed
from ferroflow._src.framework.tensor import Tensor

UniformCandidateSampler = collections.namedtuple(
    "UniformCandidateSampler", ["sampled_candidates", "true_expected_count", "sampled_expected_count"]
)
LogUniformCandidateSampler = collections.namedtuple(
    "LogUniformCandidateSampler", ["sampled_candidates", "true_expected_count", "sampled_expected_count"]
)
LearnedUnigramCandidateSampler = collections.namedtuple(
    "LearnedUnigramCandidateSampler", ["sampled_candidates", "true_expected_count", "sampled_expected_count"]
)
FixedUnigramCandidateSampler = collections.namedtuple(
    "FixedUnigramCandidateSampler", ["sampled_candidates", "true_expected_count", "sampled_expected_count"]
)
AllCandidateSampler = collections.namedtuple(
    "AllCandidateSampler", ["sampled_candidates", "true_expected_count", "sampled_expected_count"]
)
ComputeAccidentalHits = collections.namedtuple("ComputeAccidentalHits", ["indices", "ids", "weights"])


def _seeds(seed: int | None) -> dict[str, int]:
    graph_seed, op_seed = get_seed(seed)
    return {"seed": graph_seed or 0, "seed2": op_seed or 0}


def _sample(op_type: str, true_classes: Any, attrs: dict[str, Any], seed: int | None, name: str | None) -> list[Tensor]:
    return list(apply_op(op_type, [true_classes], {**attrs, **_seeds(seed)}, name=name).outputs)


def uniform_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> UniformCandidateSampler:
    """Draws classes uniformly from `[0, range_max)`.

    Args:
        true_classes: Tensor of int64, of shape [batch, num_true].
        num_true: int, true classes per example.
        num_sampled: int, how many classes to draw.
        unique: bool. If True, they are all different.
        range_max: int, the number of classes.
        seed: int, the op's seed; None to derive it from the graph's.
        name: str, name of the operation.

    Returns:
        (sampled_candidates, true_expected_count, sampled_expected_count): int64 [num_sampled]; and how often each true
        and each drawn class is expected in such a sample, float32 [batch, num_true] and [num_sampled].
    """
    attrs = {"num_true": num_true, "num_sampled": num_sampled, "unique": unique, "range_max": range_max}
    return UniformCandidateSampler(*_sample("UniformCandidateSampler", true_classes, attrs, seed, name))


def log_uniform_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> LogUniformCandidateSampler:
    """Draws class `k` with probability `log((k + 2) / (k + 1)) / log(range_max + 1)`.

    That is nearly Zipf's distribution: classes are taken to be sorted by falling frequency.

    Args:
        true_classes: Tensor of int64, of shape [batch, num_true].
        num_true: int, true classes per example.
        num_sampled: int, how many classes to draw.
        unique: bool. If True, they are all different.
        range_max: int, the number of classes.
        seed: int, the op's seed; None to derive it from the graph's.
        name: str, name of the operation.

    Returns:
        (sampled_candidates, true_expected_count, sampled_expected_count): int64 [num_sampled]; and how often each true
        and each drawn class is expected in such a sample, float32 [batch, num_true] and [num_sampled].
    """
    attrs = {"num_true": num_true, "num_sampled": num_sampled, "unique": unique, "range_max": range_max}
    return LogUniformCandidateSampler(*_sample("LogUniformCandidateSampler", true_classes, attrs, seed, name))


def learned_unigram_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> LearnedUnigramCandidateSampler:
    """Draws classes as often as they were true classes in the runs before, each counted once more than it was.

    Args:
        true_classes: Tensor of int64, of shape [batch, num_true].
        num_true: int, true classes per example.
        num_sampled: int, how many classes to draw.
        unique: bool. If True, they are all different.
        range_max: int, the number of classes.
        seed: int, the op's seed; None to derive it from the graph's.
        name: str, name of the operation.

    Returns:
        (sampled_candidates, true_expected_count, sampled_expected_count): int64 [num_sampled]; and how often each true
        and each drawn class is expected in such a sample, float32 [batch, num_true] and [num_sampled].
    """
    attrs = {"num_true": num_true, "num_sampled": num_sampled, "unique": unique, "range_max": range_max}
    return LearnedUnigramCandidateSampler(*_sample("LearnedUnigramCandidateSampler", true_classes, attrs, seed, name))


def fixed_unigram_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    vocab_file: str = "",
    distortion: float = 1.0,
    num_reserved_ids: int = 0,
    num_shards: int = 1,
    shard: int = 0,
    unigrams: Sequence[float] = (),
    seed: int | None = None,
    name: str | None = None,
) -> FixedUnigramCandidateSampler:
    """Draws classes by weights from a file or a list.

    Args:
        true_classes: Tensor of int64, of shape [batch, num_true].
        num_true: int, true classes per example.
        num_sampled: int, how many classes to draw.
        unique: bool. If True, they are all different.
        range_max: int, the number of classes, reserved ones included.
        vocab_file: str, path of a file whose lines end in a class's weight after a comma; "" for none.
        distortion: float, the power that weights are raised to; 0 makes them equal.
        num_reserved_ids: int, how many classes at the start are never drawn.
        num_shards: int, with `shard`: only every `num_shards`-th class is used.
        shard: int, which of these.
        unigrams: list of float, the weights, if no file is given.
        seed: int, the op's seed; None to derive it from the graph's.
        name: str, name of the operation.

    Returns:
        (sampled_candidates, true_expected_count, sampled_expected_count): int64 [num_sampled]; and how often each true
        and each drawn class is expected in such a sample, float32 [batch, num_true] and [num_sampled].
    """
    attrs: dict[str, Any] = {
        "num_true": num_true,
        "num_sampled": num_sampled,
        "unique": unique,
        "range_max": range_max,
        "vocab_file": vocab_file,
        "distortion": distortion,
        "num_reserved_ids": num_reserved_ids,
        "num_shards": num_shards,
        "shard": shard,
        "unigrams": [float(w) for w in unigrams],
    }
    return FixedUnigramCandidateSampler(*_sample("FixedUnigramCandidateSampler", true_classes, attrs, seed, name))


def all_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    seed: int | None = None,
    name: str | None = None,
) -> AllCandidateSampler:
    """Returns all classes, to compare losses over samples with the whole.

    Args:
        true_classes: Tensor of int64, of shape [batch, num_true].
        num_true: int, true classes per example.
        num_sampled: int, the number of classes.
        unique: bool, without effect.
        seed: int, without effect on the classes.
        name: str, name of the operation.

    Returns:
        (sampled_candidates, true_expected_count, sampled_expected_count): all classes, and ones.
    """
    attrs = {"num_true": num_true, "num_sampled": num_sampled, "unique": unique}
    return AllCandidateSampler(*_sample("AllCandidateSampler", true_classes, attrs, seed, name))


def compute_accidental_hits(
    true_classes: TensorLike,
    sampled_candidates: TensorLike,
    num_true: int,
    seed: int | None = None,
    name: str | None = None,
) -> ComputeAccidentalHits:
    """Finds the drawn classes that are true classes of an example.

    Args:
        true_classes: Tensor of int64, of shape [batch, num_true].
        sampled_candidates: Tensor of int64, of shape [num_sampled].
        num_true: int, true classes per example.
        seed: int, without effect.
        name: str, name of the operation.

    Returns:
        (indices, ids, weights): for each hit the example, int32, the place among the samples, int64, and the least
        float32, to be added to the logit there.
    """
    attrs = {"num_true": num_true, **_seeds(seed)}
    outputs = apply_op("ComputeAccidentalHits", [true_classes, sampled_candidates], attrs, name=name).outputs
    return ComputeAccidentalHits(*outputs)
