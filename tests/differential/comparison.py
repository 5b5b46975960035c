"""What differs between two outcomes of one program: TensorFlow's, and ours."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

# By dtype: what a rounding error may be, relative to the greatest magnitude of the tensor; sums lose several.
TOLERANCES = {
    "bfloat16": 4e-2,
    "float16": 8e-3,
    "float32": 3e-5,
    "float64": 1e-9,
    "complex64": 3e-5,
    "complex128": 1e-9,
}
_SHORT = ("float16", "bfloat16")
# Central differences lose half of float64's digits.
NUMERIC_TOLERANCE = 2e-5
# Types of operations that move elements or draw random numbers: they have no rounding error to allow.
EXACT = {
    *("BatchToSpaceND", "BatchToSpace", "Bitcast", "BroadcastTo", "Concat", "ConcatV2", "Const", "DepthToSpace"),
    *("DynamicPartition", "DynamicStitch", "ExpandDims", "ExtractImagePatches", "Fill", "Gather", "GatherNd"),
    *("GatherV2", "Identity", "IdentityN", "InvertPermutation", "MatrixBandPart", "MatrixDiag", "MatrixDiagPart"),
    *("MatrixSetDiag", "MirrorPad", "Neg", "Abs", "Multinomial", "OneHot", "Pack", "Pad", "PadV2", "ParallelConcat"),
    *("ParallelDynamicStitch", "PlaceholderWithDefault", "PreventGradient", "RandomPoissonV2", "RandomShuffle"),
    *("RandomUniform", "RandomUniformInt", "RandomGamma", "Reshape", "Reverse", "ReverseSequence", "ReverseV2"),
    *("Select", "Slice", "Snapshot", "SpaceToBatch", "SpaceToBatchND", "SpaceToDepth", "Split", "SplitV", "Squeeze"),
    *("StatelessRandomUniform", "StopGradient", "StridedSlice", "Tile", "TopK", "TopKV2", "Transpose"),
    *("Unique", "Unpack", "ZerosLike", "OnesLike", "Maximum", "Minimum", "Max", "Min", "Relu", "Relu6", "Floor"),
    *("Ceil", "Rint", "Round", "Sign", "Cast", "Real", "Imag", "Conj", "Complex", "Diag", "DiagPart", "ScatterNd"),
}

# Functions whose nodes are fewer here: gradients, and what trains.
_UNCOUNTED = ("gradients", ".compute_gradients", ".apply_gradients", ".minimize")


class Difference(NamedTuple):
    """One difference: its kind, where it is, TensorFlow's and ours."""

    kind: str
    where: str
    tensorflow: Any
    ours: Any

    def __str__(self) -> str:
        return f"{self.kind} at {self.where}: TensorFlow {_short(self.tensorflow)}, ours {_short(self.ours)}"


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 400 else text[:400] + " ..."


def decode(data: dict[str, Any]) -> np.ndarray[Any, Any]:
    """The array of a fetched value; bfloat16 comes as float32."""
    if "texts" in data:
        return np.array(data["texts"], np.object_).reshape(data["shape"])
    dtype = "float32" if data["dtype"] == "bfloat16" else data["dtype"]
    return np.frombuffer(base64.b64decode(data["bytes"]), dtype).reshape(data["shape"])


def _same_error(tensorflow: dict[str, Any], ours: dict[str, Any]) -> bool:
    return tensorflow["error"][0] in ours["error"]


def _said(error: dict[str, Any] | None) -> str:
    return "no error" if error is None else f"{error['error'][0]}: {error['message']}"


def values_differ(want: np.ndarray[Any, Any], got: np.ndarray[Any, Any], dtype: str, exact: bool) -> str | None:
    """What is wrong with an array of ours; None where nothing is."""
    if want.dtype.kind in "OSUbiuV" or want.size == 0:
        return None if np.array_equal(want, got) else "differs"
    if exact:
        same = (want == got) & (np.signbit(want.real) == np.signbit(got.real)) | (want != want) & (got != got)
        return None if same.all() else "bits differ"
    # Roundings of complex numbers are relative to their magnitudes, not to those of their parts.
    sizes = np.abs(want.astype(np.complex128 if want.dtype.kind == "c" else np.float64))
    parts = [(want, got)]
    if want.dtype.kind == "c":
        # Which part of a product with infinities is NaN depends on how it is computed.
        finite = np.isfinite(want)
        if not np.array_equal(finite, np.isfinite(got)):
            return "infinity or NaN elsewhere"
        parts = [(want.real[finite], got.real[finite]), (want.imag[finite], got.imag[finite])]
        sizes = sizes[finite]
    for a, b in parts:
        if not np.array_equal(np.isnan(a), np.isnan(b)):
            return "NaN elsewhere"
        infinite = np.isinf(a) | np.isinf(b)
        if not np.array_equal(a[infinite], b[infinite]):
            return "infinity elsewhere"
        finite = np.isfinite(a)
        with np.errstate(all="ignore"):
            x, y, size = a[finite].astype(np.float64), b[finite].astype(np.float64), sizes[finite]
            scale = np.maximum(size, np.minimum(size.max(initial=0), 1e3))
            tolerance = TOLERANCES[dtype]
            if x.size and (np.abs(x - y) > tolerance * scale + tolerance * (0.1 if dtype in _SHORT else 1e-3)).any():
                return f"{np.max(np.abs(x - y) / np.maximum(scale, 1e-300)):.3g} of the greatest"
    return None


def _static(where: str, want: Any, got: Any) -> Iterator[Difference]:
    if want == got:
        return
    if isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        if len(want) in (3, 4) and isinstance(want[0], str) and isinstance(got[0], str):
            named = [f"{side[0]} ({side[1]})" if len(side) == 4 else side[0] for side in (want, got)]
            if named[0] != named[1]:
                yield Difference("name", where, *named)
            for kind, a, b in zip(("dtype", "static shape"), want[-2:], got[-2:], strict=True):
                if a != b:
                    yield Difference(kind, where, a, b)
            return
        for number, (a, b) in enumerate(zip(want, got, strict=True)):
            yield from _static(f"{where}.{number}", a, b)
        return
    yield Difference("description", where, want, got)


def _runs(number: int, want: dict[str, Any], got: dict[str, Any], exact: bool) -> Iterator[Difference]:
    where = f"run {number}"
    if "error" in want or "error" in got:
        a, b = (side if "error" in side else None for side in (want, got))
        if a is None or b is None or not _same_error(a, b):
            yield Difference("error", where, _said(a), _said(b))
        return
    if len(want["values"]) != len(got["values"]):
        yield Difference("number of values", where, len(want["values"]), len(got["values"]))
        return
    for place, (a, b) in enumerate(zip(want["values"], got["values"], strict=True)):
        here = f"{where}, value {place}"
        if a is None or b is None:
            if a is not b:
                yield Difference("value", here, a, b)
        elif a["dtype"] != b["dtype"]:
            yield Difference("fetched dtype", here, a["dtype"], b["dtype"])
        elif a["shape"] != b["shape"]:
            yield Difference("fetched shape", here, a["shape"], b["shape"])
        else:
            x, y = decode(a), decode(b)
            wrong = values_differ(x, y, a["dtype"], exact)
            if wrong is not None:
                yield Difference("value", f"{here} ({wrong})", x.tolist(), y.tolist())


def _near(slopes: np.ndarray[Any, Any], gradient: np.ndarray[Any, Any]) -> bool:
    scale = max(np.abs(slopes).max(initial=0), 1.0)
    return slopes.shape == gradient.shape and bool((np.abs(slopes - gradient) <= NUMERIC_TOLERANCE * scale).all())


def _slopes(number: int, of: list[int], tensorflow: list[Any], ours: list[Any]) -> Iterator[Difference]:
    """Where our gradients, the last of `of[1]` values of run `of[0]`, are not the slopes, and TensorFlow's are."""
    run, count = of
    if any("error" in side[place] for side in (tensorflow, ours) for place in (run, number)):
        return
    for place in range(count):
        parts = [
            (decode(side[number]["values"][place]), decode(side[run]["values"][place - count]))
            for side in (tensorflow, ours)
        ]
        if _near(*parts[0]) and not _near(*parts[1]):
            yield Difference("slope", f"run {number}, value {place}", parts[0][0].tolist(), parts[1][1].tolist())


def differences(program: dict[str, Any], tensorflow: dict[str, Any], ours: dict[str, Any]) -> list[Difference]:
    """What differs; nothing where TensorFlow itself crashed and ours did not."""
    if "ended" in ours:
        if ours["ended"] == "hang" and tensorflow.get("ended") == "hang":
            return []
        return [Difference("end of the process", "the program", tensorflow.get("ended", "goes on"), ours["ended"])]
    if "ended" in tensorflow:
        return []
    found = []
    a, b = tensorflow["built"], ours["built"]
    functions = {name: function for name, function, _, _ in program["steps"]}
    is_counted = True
    for step, want in tensorflow["static"].items():
        got = ours["static"].get(step)
        if step.endswith(" #"):
            function = functions.get(step[:-2], "")
            if is_counted and got is not None and got != want and function not in _UNCOUNTED:
                found.append(Difference("number of nodes", function, want, got))
            # All that follow differ, too.
            is_counted = is_counted and got == want
        elif step in ours["static"]:
            found += _static(step, want, got)
    if a is not None or b is not None:
        if a is None or b is None or a["step"] != b["step"] or not _same_error(a, b):
            where = "step " + (a or b)["step"]
            # An error that one of the two raises only when the step runs.
            late = [run for run in (tensorflow if a is None else ours)["runs"] if "error" in run]
            later = f" (when run: {_said(late[0])})" if late and (a is None or b is None) else ""
            found.append(
                Difference("build error", where, _said(a) + later * (a is None), _said(b) + later * (b is None))
            )
        return found
    if tensorflow["nodes"] != ours["nodes"]:
        want, got = (dict(map(tuple, side["nodes"])) for side in (tensorflow, ours))
        missing = sorted(set(want.items()) - set(got.items()))
        extra = sorted(set(got.items()) - set(want.items()))
        if missing or extra:
            found.append(Difference("nodes", "the graph", missing, extra))
    has_failed = False
    for number, (run, x, y) in enumerate(zip(program["runs"], tensorflow["runs"], ours["runs"], strict=True)):
        if has_failed:
            # What the run before changed is different since.
            break
        has_failed = "error" in x and "error" not in y
        if program.get("changes_variables", False):
            # TensorFlow changes some rows of a variable before the step fails, and here it is all or none.
            has_failed = "error" in x or "error" in y
        if "differences" in run:
            found += _slopes(number, run["of"], tensorflow["runs"], ours["runs"])
        else:
            found += _runs(number, x, y, program.get("exact", False))
    return found
