"""Programs of two kinds: functions of strings, sparse tensors, pictures and arrays, and uses of resources."""

from __future__ import annotations

import random
from typing import Any

from differential.surface_functions import function_program
from differential.surface_resources import array_program, queue_program, table_program, variables_program


def program(number: int) -> dict[str, Any]:
    """The program of a number."""
    rng = random.Random(number)
    programs = (*[function_program] * 5, table_program, queue_program, array_program, variables_program)
    return rng.choice(programs)(rng)
