"""The list of all records."""

from ops.cases import (
    activation,
    arithmetic,
    casting,
    clipping,
    comparison,
    convolution,
    elementwise,
    indexing,
    joining,
    linalg,
    losses,
    making,
    normalization,
    placing,
    pooling,
    reduction,
    segment,
    shaping,
)

FAMILIES = (
    elementwise,
    arithmetic,
    comparison,
    casting,
    reduction,
    linalg,
    shaping,
    joining,
    making,
    indexing,
    activation,
    losses,
    placing,
    clipping,
    segment,
    convolution,
    pooling,
    normalization,
)
RECORDS = [record for family in FAMILIES for record in family.RECORDS]
