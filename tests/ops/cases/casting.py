"""Records of conversions between element types."""

from __future__ import annotations

import numpy as np
from ops.cases.record import ALL_NUMBERS, ANYTHING, Record, Values, call

from ferroflow._src.ops.math.cast import cast


def _record(dtype: str) -> Record:
    return Record(
        name="cast",
        function=lambda x: cast(x, dtype),
        # Complex numbers lose their imaginary part, as in TF.
        reference=lambda x: (x.real if np.iscomplexobj(x) and not dtype.startswith("complex") else x).astype(dtype),
        variants=(call(Values((4, 3), 0, 100)), call(Values((), 0, 1)), call(Values((67,), 0, 100))),
        dtypes=ANYTHING,
        returns=dtype,
        # Differences are taken in double, so only a result in double can be held against them.
        differentiable=(0,) if dtype == "float64" else (),
        shapes="any",
    )


RECORDS = [_record(dtype) for dtype in (*ALL_NUMBERS, "bool")]
