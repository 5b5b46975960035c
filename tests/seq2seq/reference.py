"""Attention and decoding in NumPy, one sequence and one step at a time, from the papers."""

import numpy as np


def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


def luong_scores(query, keys, g=1.0):
    return np.array([g * np.dot(query, key) for key in keys])


def bahdanau_scores(query, keys, v, b=0.0):
    return np.array([np.sum(v * np.tanh(query + key + b)) for key in keys])


def unit(v, g):
    return g * v / np.sqrt(np.sum(v * v))


def attended(score, memory, length):
    """The weights of the first `length` parts of the memory, zeros for the others, and the weighed sum."""
    weights = np.zeros(len(memory))
    weights[:length] = softmax(score[:length])
    return weights, weights @ memory


def monotonic(p, previous):
    """Where attention goes, by the definition: from each part, on to each later one if all between are passed."""
    result = np.zeros(len(p))
    for start, weight in enumerate(previous):
        for end in range(start, len(p)):
            result[end] += weight * np.prod(1 - p[start:end]) * p[end]
    return result


def basic_cell(x, h, kernel, bias):
    return np.tanh(np.concatenate([x, h]) @ kernel + bias)
