"""Properties of two results that make their difference an accepted one."""

from __future__ import annotations

import re
from typing import Any

import numpy as np


def knows_more(tensorflow: list[int | None] | None, ours: list[int | None] | None) -> bool:
    """Returns True if our static shape is TensorFlow's with more dimensions known."""
    if tensorflow is None or ours is None:
        return ours is not None
    return len(tensorflow) == len(ours) and all(a is None or a == b for a, b in zip(tensorflow, ours, strict=True))


def knows_less(tensorflow: list[int | None] | None, ours: list[int | None] | None) -> bool:
    """Returns True if TensorFlow's static shape is ours with more dimensions known."""
    return knows_more(ours, tensorflow)


def knows_ones(tensorflow: list[int | None] | None, ours: list[int | None] | None) -> bool:
    """Returns True if TensorFlow's static shape is ours with dimensions of one, which we do not know."""
    if tensorflow is None or ours is None:
        return False
    return len(tensorflow) == len(ours) and all(
        a == b or (a == 1 and b is None) for a, b in zip(tensorflow, ours, strict=True)
    )


def has_the_same_first(tensorflow: Any, ours: Any) -> bool:
    """Returns True if the first of several images is the same but for rounding."""
    theirs, mine = np.asarray(tensorflow), np.asarray(ours)
    return theirs.shape == mine.shape and len(theirs) > 1 and np.allclose(theirs[0], mine[0], rtol=1e-4, atol=1e-5)


def vanishes(tensorflow: Any, ours: Any) -> bool:
    """Whether both are zero but for rounding."""
    return all(bool((np.abs(np.asarray(side, np.float64)) < 1e-6).all()) for side in (tensorflow, ours))


def are_near(tensorflow: Any, ours: Any) -> bool:
    """Whether both agree as far as float32 has digits."""
    return np.allclose(tensorflow, ours, rtol=1e-6, atol=0, equal_nan=True)


def are_adjoints(tensorflow: Any, ours: Any) -> bool:
    """Returns True if each matrix is the conjugate transpose of the other side's, but for rounding."""
    theirs, mine = np.asarray(tensorflow), np.asarray(ours)
    if theirs.ndim < 2:
        return False
    turned = np.swapaxes(theirs, -1, -2).conj()
    return turned.shape == mine.shape and np.allclose(
        turned, mine, rtol=1e-4, atol=1e-5 * np.abs(turned).max(initial=0)
    )


def are_near_beside_the_greatest(tensorflow: Any, ours: Any) -> bool:
    """Returns True if both differ by at most a millionth of the greatest number, as roundings of float32 do."""
    return np.allclose(tensorflow, ours, rtol=0, atol=1e-6 * np.abs(tensorflow).max(initial=0))


def differ_in_noise_alone(tensorflow: Any, ours: Any) -> bool:
    """Returns True if both are pictures [batch, height, width, channels] that agree in one rectangle, and are no
    further from 0 than noise is elsewhere, in all channels.
    """
    a, b = np.asarray(tensorflow, np.float64), np.asarray(ours, np.float64)
    if a.ndim != 4 or a.shape != b.shape:
        return False
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    for picture, theirs, mine in zip(same, a, b, strict=True):
        inside = picture.all(-1)
        if (picture.any(-1) != inside).any():
            return False
        rows, columns = inside.any(1), inside.any(0)
        if (inside != rows[:, None] & columns).any() or any(
            np.abs(np.diff(edge.astype(int))).sum() > 2 for edge in (rows, columns)
        ):
            return False
        # Noise is uniform between 0 and 1, or normal.
        if not all((np.abs(side[~inside]) < 6).all() for side in (theirs, mine)):
            return False
    return True


def has_three_digits(tensorflow: Any, ours: Any) -> bool:
    """Whether both agree in three digits."""
    return np.allclose(tensorflow, ours, rtol=5e-3, atol=1e-3)


def has_fewer(tensorflow: int, ours: int) -> bool:
    """Whether we make fewer nodes."""
    return ours < tensorflow


def is_close(tensorflow: Any, ours: Any) -> bool:
    """Whether both differ by what is left of rounding where numbers of about one cancel."""
    return np.allclose(tensorflow, ours, rtol=0, atol=2e-6)


def is_older(tensorflow: str, ours: str) -> bool:
    """Whether our name is TensorFlow's with the older op."""
    return re.sub("SelectV2", "Select", tensorflow) == ours


def are_short_and_near(tensorflow: Any, ours: Any) -> bool:
    """Returns True if both are numbers of float16, ours are finite, and they differ by at most a tenth of the greatest
    where TensorFlow's are finite, too.
    """
    a, b = np.asarray(tensorflow, np.float64), np.asarray(ours, np.float64)
    with np.errstate(over="ignore"):
        is_short = all(np.array_equal(side.astype(np.float16), side, equal_nan=True) for side in (a, b))
    finite = np.isfinite(a)
    close = np.allclose(a[finite], b[finite], rtol=0, atol=0.1 * np.abs(a[finite]).max(initial=0))
    return bool(is_short and np.isfinite(b).all() and close)


def vanishes_here(tensorflow: Any, ours: Any) -> bool:
    """Whether ours is zero."""
    return not np.asarray(ours).any()


def is_zero_where_they_differ(tensorflow: Any, ours: Any) -> bool:
    """Returns True if TensorFlow's numbers are 0 wherever both differ."""
    a, b = np.asarray(tensorflow), np.asarray(ours)
    return a.shape == b.shape and not a[a != b].any()


def vanishes_where_they_differ(tensorflow: Any, ours: Any) -> bool:
    """Returns True if our numbers are 0 wherever both differ."""
    a, b = np.asarray(tensorflow), np.asarray(ours)
    return a.shape == b.shape and not b[a != b].any()


def is_junk(tensorflow: Any, ours: Any) -> bool:
    """Whether TensorFlow's are zeros, or have numbers that no sum of small ones has."""
    sizes = np.abs(np.asarray(tensorflow))
    return bool((sizes == 0).all() or ((sizes < 1e-37) | (sizes > 1e30) | np.isnan(sizes)).any())


def sorts_alike(tensorflow: Any, ours: Any) -> bool:
    """Returns True if both hold the same numbers, and NaN is among them."""
    return bool(np.isnan(ours).any()) and np.array_equal(np.sort(tensorflow, None), np.sort(ours, None), equal_nan=True)


def has_the_same_symbols(tensorflow: Any, ours: Any) -> bool:
    """Returns True if both have sequences of the same symbols, in some order; axis 1 is that of the steps."""
    return all(np.ndim(side) == 3 for side in (tensorflow, ours)) and np.array_equal(
        np.sort(tensorflow, 1), np.sort(ours, 1)
    )


def has_the_same_numbers(tensorflow: Any, ours: Any) -> bool:
    """Returns True if both hold the same numbers in some order."""
    return np.array_equal(np.sort(tensorflow, None), np.sort(ours, None))


def has_four_digits(tensorflow: Any, ours: Any) -> bool:
    """Returns True if both agree up to 3e-4 of the greatest number."""
    return np.allclose(tensorflow, ours, rtol=0, atol=3e-4 * np.abs(tensorflow).max(initial=0))


def differ_in_nan_alone(tensorflow: Any, ours: Any) -> bool:
    """Returns True if there are infinities, and both agree wherever neither is NaN."""
    a, b = np.asarray(tensorflow), np.asarray(ours)
    numbers = ~(np.isnan(a) | np.isnan(b))
    return bool(np.isinf(a).any() or np.isinf(b).any()) and np.allclose(a[numbers], b[numbers], rtol=1e-4, atol=1e-5)


def are_integers(tensorflow: Any, ours: Any) -> bool:
    """Whether both are of an integer type."""
    return all(np.asarray(side).dtype.kind in "iu" for side in (tensorflow, ours))


def is_tiny_junk(tensorflow: Any, ours: Any) -> bool:
    """Returns True if ours is zero, and TensorFlow's has a part smaller than any that rounding leaves."""
    parts = np.abs(np.asarray(tensorflow, np.complex128).view(np.float64))
    return not np.asarray(ours).any() and bool(((parts > 0) & (parts < 1e-30)).any())


def differ_in_turns(tensorflow: Any, ours: Any) -> bool:
    """Returns True if ours is exp(x) - 1 of an x whose angle is beyond pi, for which TensorFlow's is that times
    x / log(exp(x)), with the main branch of the logarithm.
    """
    a, b = np.asarray(tensorflow), np.asarray(ours)
    logarithm = np.log(b + 1)
    turns = (a / b * logarithm - logarithm) / (2j * np.pi)
    return bool(a.dtype.kind == "c" and np.allclose(turns, np.round(turns.real), rtol=0, atol=1e-3))


def has_joined_dimensions(tensorflow: list[int], ours: list[int]) -> bool:
    """Returns True if TensorFlow's shape is ours with neighbouring dimensions multiplied."""
    sizes = list(ours)
    if 0 in tensorflow and 0 in ours:
        # A product with 0 is 0, however many are joined.
        return len(tensorflow) < len(ours)
    for size in tensorflow:
        product = 1
        while sizes and product != size:
            product *= sizes.pop(0)
        if product != size:
            return False
    return len(tensorflow) < len(ours) and all(size == 1 for size in sizes)


def has_one_class(tensorflow: list[int | None], ours: list[int | None]) -> bool:
    """Returns True if both are shapes of a rank from 2 on that differ where TensorFlow's is 1 and ours unknown."""
    if tensorflow is None or ours is None or not len(tensorflow) == len(ours) >= 2:
        return False
    return all(a == b or (a == 1 and b is None) for a, b in zip(tensorflow, ours, strict=True))


def repeats_from_there_on(tensorflow: Any, ours: Any) -> bool:
    """Returns True if a number occurs twice in TensorFlow's, and both agree before its second place."""
    theirs, mine = np.ravel(tensorflow).tolist(), np.ravel(ours).tolist()
    repeated = [place for place, x in enumerate(theirs) if x in theirs[:place]]
    return bool(repeated) and theirs[: repeated[0]] == mine[: repeated[0]]


def agree_in_the_first_row(tensorflow: Any, ours: Any) -> bool:
    """Returns True if both have several rows along the last dimension, of which the first agree."""
    a, b = np.asarray(tensorflow), np.asarray(ours)
    if a.ndim < 1 or a.shape != b.shape or not a.size:
        return False
    a, b = (x.reshape(-1, x.shape[-1]) if x.ndim > 1 else x for x in (a, b))
    return len(a) > 1 and np.array_equal(a[0], b[0], equal_nan=True)


def is_longer_in_places(tensorflow: Any, ours: Any) -> bool:
    """Returns True if both are texts, and TensorFlow's are longer wherever they differ."""
    a, b = np.ravel(tensorflow).tolist(), np.ravel(ours).tolist()
    return len(a) == len(b) and all(x == y or len(x) > len(y) for x, y in zip(a, b, strict=True))


def agree_but_for_nan_there(tensorflow: Any, ours: Any) -> bool:
    """Returns True if both agree wherever TensorFlow's is not NaN."""
    a, b = np.asarray(tensorflow), np.asarray(ours)
    numbers = ~np.isnan(a)
    return a.shape == b.shape and np.allclose(a[numbers], b[numbers], rtol=1e-4, atol=1e-5)


def has_the_same_numbers_or_places(tensorflow: Any, ours: Any) -> bool:
    """Returns True if both hold the same numbers in some order, NaN included, or are places."""
    a, b = np.asarray(tensorflow), np.asarray(ours)
    return are_integers(a, b) or np.array_equal(np.sort(a, None), np.sort(b, None), equal_nan=True)


def is_zero_on_the_main_diagonal_alone(tensorflow: Any, ours: Any) -> bool:
    """Returns True if TensorFlow's matrices are 1 but for a main diagonal of 0, and ours are 0 and 1."""
    a, b = np.asarray(tensorflow), np.asarray(ours)
    if a.ndim < 2 or a.shape != b.shape:
        return False
    return bool((a == 1 - np.eye(*a.shape[-2:])).all() and np.isin(b, (0, 1)).all())


def is_zero_for_nan(tensorflow: Any, ours: Any) -> bool:
    """Returns True if ours is NaN wherever both differ by more than rounding, and TensorFlow's is 0 there."""
    a, b = np.asarray(tensorflow), np.asarray(ours)
    return a.shape == b.shape and not a[np.isnan(b)].any() and np.allclose(a[~np.isnan(b)], b[~np.isnan(b)], rtol=8e-3)


def is_infinite_for_nan(tensorflow: Any, ours: Any) -> bool:
    """Returns True if both agree but where ours is NaN, and TensorFlow's is infinite there."""
    a, b = np.asarray(tensorflow), np.asarray(ours)
    if a.shape != b.shape or not np.isinf(a[np.isnan(b)]).all():
        return False
    return np.allclose(a[~np.isnan(b)], b[~np.isnan(b)], rtol=8e-3)


def are_finite_alike(tensorflow: Any, ours: Any) -> bool:
    """Returns True if both are finite in the same places, and agree there."""
    a, b = np.asarray(tensorflow), np.asarray(ours)
    finite = np.isfinite(a)
    return np.array_equal(finite, np.isfinite(b)) and np.allclose(a[finite], b[finite], rtol=1e-4, atol=1e-5)


def is_shape_of_broadcast(theirs: list[int], ours: list[int]) -> bool:
    """Returns True if our shape can be broadcast to TensorFlow's and is not the same."""
    missing = len(theirs) - len(ours)
    padded = [1] * missing + ours
    return missing >= 0 and theirs != ours and all(b in (1, a) for a, b in zip(theirs, padded, strict=True))


def differ_in_numbers_of_names(tensorflow: Any, ours: Any) -> bool:
    """Returns True if both are the same texts but for numbers such as that of _33_FIFOQueue."""
    a, b = ([re.sub("^_[0-9]+_", "", str(text)) for text in np.ravel(side)] for side in (tensorflow, ours))
    return np.shape(tensorflow) == np.shape(ours) and a == b


def agree_where_both_are_finite(tensorflow: Any, ours: Any) -> bool:
    """Returns True if both have the same shape, and agree wherever both are finite."""
    a, b = np.asarray(tensorflow), np.asarray(ours)
    if a.shape != b.shape:
        return False
    finite = np.isfinite(a) & np.isfinite(b)
    return np.allclose(a[finite], b[finite], rtol=1e-4, atol=1e-5)
