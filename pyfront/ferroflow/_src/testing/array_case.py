"""`ArrayCase`: a test case with assertions about the elements, dtypes and shapes of arrays and tensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ferroflow._src.testing.session_case import SessionCase


class ArrayCase(SessionCase):
    """Part of `tf.test.TestCase`: assertions about arrays. Tensors have the values that the test's session gives them.

    Args:
        methodName: str, the method that runs the test.
    """

    def _GetNdArray(self, a: Any) -> np.ndarray[Any, Any]:  # noqa: N802  # TF1's spelling
        if hasattr(a, "op") and hasattr(a, "dtype") and not isinstance(a, np.ndarray | np.generic):
            a = self._eval_tensor(a)
        if isinstance(a, np.ndarray):
            return a
        try:
            return np.array(a)
        except ValueError:
            # A ragged nest: an array of its items.
            return np.array(a, dtype=object)
        except NotImplementedError:
            # TF 1.x: a list with tensors is an array of objects, which are equal if they are the same.
            items = np.empty(len(a), dtype=object)
            for number, item in enumerate(a):
                items[number] = item
            return items

    def assertNear(self, f1: float, f2: float, err: float, msg: str | None = None) -> None:  # noqa: N802  # TF1's spelling
        """Fails unless two numbers differ by at most `err`.

        Args:
            f1: number.
            f2: number.
            err: float, the most they may differ.
            msg: str, added to the message of the failure.

        Raises:
            AssertionError: if the numbers differ by more than `err`.
        """
        self.assertTrue(f1 == f2 or abs(f1 - f2) <= err, f"{f1!r} != {f2!r} +/- {err!r}" + (f" ({msg})" if msg else ""))

    def assertArrayNear(self, farray1: Any, farray2: Any, err: float, msg: str | None = None) -> None:  # noqa: N802  # TF1's spelling
        """Fails unless two lists have equal length and elements within `err`.

        Args:
            farray1: list of numbers.
            farray2: list of numbers.
            err: float, the most that two elements may differ.
            msg: str, added to the message of the failure.

        Raises:
            AssertionError: if lengths differ, or elements by more.
        """
        self.assertEqual(len(farray1), len(farray2), msg)
        for f1, f2 in zip(farray1, farray2, strict=True):
            self.assertNear(float(f1), float(f2), err, msg)

    def assertNDArrayNear(self, ndarray1: Any, ndarray2: Any, err: float, msg: str | None = None) -> None:  # noqa: N802  # TF1's spelling
        """Fails unless the distance of two arrays is below `err`.

        Args:
            ndarray1: array of numbers.
            ndarray2: array of numbers of the same shape.
            err: float, which the Euclidean norm of the difference must be below.
            msg: str, added to the message of the failure.

        Raises:
            AssertionError: if the arrays differ by more than `err`.
        """
        self.assertTrue(np.linalg.norm(np.asarray(ndarray1) - np.asarray(ndarray2)) < err, msg)

    def assertAllClose(self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None) -> None:  # noqa: N802  # TF1's spelling
        """Fails unless two arrays, or two nests of arrays of equal structure, agree within tolerances.

        Args:
            a: array, number or nested list, or Tensor of any dtype and shape; or a list, tuple, namedtuple or dict of
                them.
            b: as `a`.
            rtol: float, the difference allowed relative to the element of `b`.
            atol: float, the absolute difference allowed in addition.
            msg: str, added to the message of the failure.

        Raises:
            AssertionError: if shapes, keys or elements differ.
            ValueError: if a dict is compared with an object that is not a dict, or nests have different lengths.
        """
        self._all_close(a, b, rtol, atol, "", msg)

    def _all_close(self, a: Any, b: Any, rtol: float, atol: float, path: str, msg: str | None) -> None:
        if hasattr(a, "_asdict"):
            a = a._asdict()
        if hasattr(b, "_asdict"):
            b = b._asdict()
        if isinstance(a, Mapping) or isinstance(b, Mapping):
            if not (isinstance(a, Mapping) and isinstance(b, Mapping)):
                raise ValueError(f"Can't compare dict to non-dict, a{path} vs b{path}. {msg or ''}")
            self.assertEqual(set(a), set(b), f"mismatched keys: a{path} and b{path}. {msg or ''}")
            for key in a:
                self._all_close(a[key], b[key], rtol, atol, f"{path}[{key}]", msg)
        elif isinstance(a, list | tuple):
            try:
                arrays = self._GetNdArray(a), self._GetNdArray(b)
            except (ValueError, TypeError, NotImplementedError):
                # Ragged, or with tensors among the items.
                arrays = None
            if arrays is not None and arrays[0].dtype != object and arrays[1].dtype != object:
                self._arrays_close(*arrays, rtol, atol, path, msg)
                return
            if len(a) != len(b):
                raise ValueError(
                    f"Mismatched length: a{path} has {len(a)} items, but b{path} has {len(b)} items. {msg or ''}"
                )
            for i, (x, y) in enumerate(zip(a, b, strict=True)):
                self._all_close(x, y, rtol, atol, f"{path}[{i}]", msg)
        else:
            self._arrays_close(self._GetNdArray(a), self._GetNdArray(b), rtol, atol, path, msg)

    def _arrays_close(
        self, a: np.ndarray[Any, Any], b: np.ndarray[Any, Any], rtol: float, atol: float, path: str, msg: str | None
    ) -> None:
        # Also refuses what broadcasting would accept.
        self.assertEqual(a.shape, b.shape, f"Shape mismatch: expected {a.shape}, got {b.shape}. {msg or ''}")
        if not np.allclose(a, b, rtol=rtol, atol=atol):
            np.testing.assert_allclose(
                a,
                b,
                rtol=rtol,
                atol=atol,
                equal_nan=True,
                err_msg=f"Mismatched value: a{path} is different from b{path}. {msg or ''}",
            )

    def assertAllCloseAccordingToType(  # noqa: N802  # TF1's spelling
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: str | None = None,
    ) -> None:
        """Calls `assertAllClose` with the tolerances for the less precise of the two dtypes.

        Args:
            a: array, number or nested list, or Tensor of any dtype and shape.
            b: as `a`.
            rtol: float, the difference allowed relative to the element of `b`.
            atol: float, the absolute difference allowed in addition.
            float_rtol: float, `rtol` for float32 and complex64, if it is greater.
            float_atol: float, `atol` for these.
            half_rtol: float, `rtol` for float16, if it is greater.
            half_atol: float, `atol` for that.
            bfloat16_rtol: float, `rtol` for bfloat16, if it is greater.
            bfloat16_atol: float, `atol` for that.
            msg: str, added to the message of the failure.

        Raises:
            AssertionError: if shapes or elements differ.
            ValueError: on the same conditions as `assertAllClose`.
        """
        a, b = self._GetNdArray(a), self._GetNdArray(b)
        names = {a.dtype.name, b.dtype.name}
        for types, type_rtol, type_atol in (
            ({"float32", "complex64"}, float_rtol, float_atol),
            ({"float16"}, half_rtol, half_atol),
            ({"bfloat16"}, bfloat16_rtol, bfloat16_atol),
        ):
            if names & types:
                rtol, atol = max(rtol, type_rtol), max(atol, type_atol)
        self.assertAllClose(a, b, rtol=rtol, atol=atol, msg=msg)

    def assertNotAllClose(self, a: Any, b: Any, **kwargs: Any) -> None:  # noqa: N802  # TF1's spelling
        """Fails if two arrays, or two nests of arrays, agree within tolerances.

        Args:
            a: as for `assertAllClose`.
            b: as for `assertAllClose`.
            **kwargs: as for `assertAllClose`.

        Raises:
            AssertionError: if the values are close.
            ValueError: on the same conditions as `assertAllClose`.
        """
        try:
            self.assertAllClose(a, b, **kwargs)
        except AssertionError:
            return
        raise AssertionError("The two values are close at all elements")

    def assertAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:  # noqa: N802  # TF1's spelling
        """Fails unless two arrays are equal, NaNs counted as equal.

        Args:
            a: array, number or nested list, or Tensor of any dtype and shape.
            b: as `a`.
            msg: str, added to the message of the failure.

        Raises:
            AssertionError: if shapes or elements differ.
        """
        a, b = self._GetNdArray(a), self._GetNdArray(b)
        if b.ndim <= 3 or b.size < 500:
            self.assertEqual(a.shape, b.shape, f"Shape mismatch: expected {a.shape}, got {b.shape}. {msg or ''}")
        same = a == b
        if a.dtype.kind in "fc" or a.dtype.name == "bfloat16":
            same = np.logical_or(same, np.logical_and(np.isnan(a), np.isnan(b)))
        if not np.all(same):
            np.testing.assert_array_equal(a, b, err_msg=msg or "")

    def assertNotAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:  # noqa: N802  # TF1's spelling
        """Fails if two arrays are equal, NaNs counted as equal.

        Args:
            a: array, number or nested list, or Tensor of any dtype and shape.
            b: as `a`.
            msg: str, added to the message of the failure.

        Raises:
            AssertionError: if the values are equal.
        """
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        raise AssertionError(f"The two values are equal at all elements. {msg or ''}")

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:  # noqa: N802  # TF1's spelling
        """Fails unless every element is greater than a bound.

        Args:
            a: array, number or nested list, or Tensor of any dtype and shape.
            comparison_target: float or int, the bound.

        Raises:
            AssertionError: if an element is not.
        """
        self.assertGreater(np.min(self._GetNdArray(a)), comparison_target)

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:  # noqa: N802  # TF1's spelling
        """Fails unless every element is less than a bound.

        Args:
            a: array, number or nested list, or Tensor of any dtype and shape.
            comparison_target: float or int, the bound.

        Raises:
            AssertionError: if an element is not.
        """
        self.assertLess(np.max(self._GetNdArray(a)), comparison_target)

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:  # noqa: N802  # TF1's spelling
        """Fails unless every element is greater than a bound or equal to it.

        Args:
            a: array, number or nested list, or Tensor of any dtype and shape.
            comparison_target: float or int, the bound.

        Raises:
            AssertionError: if an element is not.
        """
        self.assertGreaterEqual(np.min(self._GetNdArray(a)), comparison_target)

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:  # noqa: N802  # TF1's spelling
        """Fails unless every element is less than a bound or equal to it.

        Args:
            a: array, number or nested list, or Tensor of any dtype and shape.
            comparison_target: float or int, the bound.

        Raises:
            AssertionError: if an element is not.
        """
        self.assertLessEqual(np.max(self._GetNdArray(a)), comparison_target)

    def assertAllInRange(  # noqa: N802  # TF1's spelling
        self,
        target: Any,
        lower_bound: Any,
        upper_bound: Any,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """Fails unless every element is in a range.

        Args:
            target: array, number or nested list, or Tensor of any dtype and shape.
            lower_bound: float or int.
            upper_bound: float or int.
            open_lower_bound: bool. If True, `lower_bound` itself is outside.
            open_upper_bound: bool. If True, `upper_bound` itself is outside.

        Raises:
            AssertionError: if an element is outside or NaN, or the elements are not real numbers.
        """
        target = self._GetNdArray(target)
        if not (np.issubdtype(target.dtype, np.floating) or np.issubdtype(target.dtype, np.integer)):
            raise AssertionError(f"The value of {target} does not have an ordered numeric type")
        below = target <= lower_bound if open_lower_bound else target < lower_bound
        above = target >= upper_bound if open_upper_bound else target > upper_bound
        bad = np.argwhere(below | above | np.isnan(target))
        if bad.size:
            raise AssertionError(
                f"{len(bad)} of {target.size} element(s) are outside the range; first at {bad[0].tolist()}"
            )

    def assertAllInSet(self, target: Any, expected_set: Any) -> None:  # noqa: N802  # TF1's spelling
        """Fails unless every element is in a set.

        Args:
            target: array, number or nested list, or Tensor of any dtype and shape.
            expected_set: set or list of values.

        Raises:
            AssertionError: if an element is not in it.
        """
        diff = set(self._GetNdArray(target).flatten()).difference(expected_set)
        if diff:
            raise AssertionError(f"{len(diff)} unique element(s) are not in the set {expected_set}: {list(diff)[:5]}")

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:  # noqa: N802  # TF1's spelling
        """Fails unless an array or tensor has a dtype.

        Args:
            target: array, number or nested list, or Tensor of any dtype and shape.
            expected_dtype: NumPy dtype, or DType for a Tensor.

        Raises:
            AssertionError: if the dtype is not `expected_dtype`.
        """
        got = self._GetNdArray(target).dtype if isinstance(target, list) else target.dtype
        self.assertEqual(expected_dtype, got)

    def assertShapeEqual(self, np_array: Any, tf_tensor: Any, msg: str | None = None) -> None:  # noqa: N802  # TF1's spelling
        """Fails unless an array has the static shape of a tensor.

        Args:
            np_array: NumPy array or scalar.
            tf_tensor: Tensor of any dtype, of a fully known shape.
            msg: str, added to the message of the failure.

        Raises:
            AssertionError: if the shapes differ.
            TypeError: if an argument has a wrong type.
        """
        if not isinstance(np_array, np.ndarray | np.generic):
            raise TypeError("np_array must be a Numpy ndarray or Numpy scalar")
        if not hasattr(tf_tensor, "get_shape"):
            raise TypeError("tf_tensor must be a Tensor")
        self.assertAllEqual(np_array.shape, tf_tensor.get_shape().as_list(), msg=msg)
