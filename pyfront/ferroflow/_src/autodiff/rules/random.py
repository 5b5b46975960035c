"""Random numbers pass no gradient."""

from __future__ import annotations

from ferroflow._src.autodiff.rules.registering import register_none

register_none(
    [
        "AllCandidateSampler",
        "ComputeAccidentalHits",
        "FixedUnigramCandidateSampler",
        "LearnedUnigramCandidateSampler",
        "LogUniformCandidateSampler",
        "Multinomial",
        "RandomShuffle",
        "RandomStandardNormal",
        "RandomGamma",
        "RandomUniform",
        "ThreadUnsafeUnigramCandidateSampler",
        "StatelessMultinomial",
        "StatelessRandomNormal",
        "StatelessRandomUniform",
        "StatelessRandomUniformInt",
        "StatelessTruncatedNormal",
        "TruncatedNormal",
        "UniformCandidateSampler",
    ]
)
