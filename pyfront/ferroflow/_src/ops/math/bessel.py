"""Modified Bessel functions of the first kind, of order 0 and 1, as sums of Chebyshev polynomials."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from ferroflow._src.base import dtypes
from ferroflow._src.base.typing import TensorLike
from ferroflow._src.framework.conversion import convert_to_tensor
from ferroflow._src.framework.default_graph import name_scope
from ferroflow._src.framework.handles import Tensor
from ferroflow._src.ops.array.indexing import where
from ferroflow._src.ops.math.arithmetic import maximum, minimum
from ferroflow._src.ops.math.cast import cast
from ferroflow._src.ops.math.comparison import less_equal
from ferroflow._src.ops.math.elementwise import abs as absolute, exp, rsqrt, sign

__all__ = ["bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e"]

# Interpolations at 400 nodes: up to 8 of exp(-x) I0(x) and exp(-x) I1(x) / x by x / 4 - 1, and from 8 on of
# exp(-x) sqrt(x) I(x) by 16 / x - 1.
_BORDER: Final = 8.0
_I0_NEAR: Final = (
    0.3383976372047382,
    -0.30468267234319829,
    0.17162090152220869,
    -0.094901097048047667,
    0.049305284239670712,
    -0.023737414805899464,
    0.010546460394594901,
    -0.0043243099950504432,
    0.0016394756169414338,
    -0.00057637557453845073,
    0.00018850288509579416,
    -5.7541950100759877e-05,
    1.6448448070783035e-05,
    -4.4167383583008653e-06,
    1.1173875390547515e-06,
    -2.6707938533486195e-07,
    6.0469950195541383e-08,
    -1.3000249967694856e-08,
    2.6598237651417731e-09,
    -5.1897939951697358e-10,
    9.6758086083420238e-11,
    -1.726817517817132e-11,
    2.9550553155641483e-12,
    -4.8545541533875675e-13,
    7.6824624003397184e-14,
    -1.1563730958206014e-14,
    1.7899054028995052e-15,
    3.925231146709441e-17,
    -3.1401849173675532e-17,
)
_I1_NEAR: Final = (
    0.12629359322181688,
    -0.17641651835783395,
    0.10264365868984703,
    -0.052945981208095003,
    0.024726449030626506,
    -0.010564084894626208,
    0.0041564229443128396,
    -0.0015135724506311855,
    0.00051228595616861208,
    -0.00016176081582584557,
    4.7815651075499919e-05,
    -1.3273163656032644e-05,
    3.4702513081496873e-06,
    -8.5687202637126752e-07,
    2.003294753440912e-07,
    -4.445059128413675e-08,
    9.3815373907696543e-09,
    -1.8872497222546856e-09,
    3.6255903056353433e-10,
    -6.6634801469854594e-11,
    1.1736205614792422e-11,
    -1.9839295784813521e-12,
    3.2242633685300686e-13,
    -5.0305026395388182e-14,
    7.6699016606702469e-15,
    -1.0416582155580181e-15,
    1.9626155733547206e-16,
    1.481774757882814e-16,
)
_I0_FAR: Final = (
    0.40224520550705467,
    0.0033691164782557194,
    6.8897583469199918e-05,
    2.8913705208645642e-06,
    2.0489185897847472e-07,
    2.2666689937414781e-08,
    3.396232057263335e-09,
    4.9406027056238046e-10,
    1.188917992989203e-11,
    -3.1499133476617732e-11,
    -1.3215783464710305e-11,
    -1.7941450793993263e-12,
    7.1804125231244242e-13,
    3.8530948483675304e-13,
    1.5429782136531519e-14,
    -4.1474848479664895e-14,
    -9.5238200848024071e-15,
    3.8441505908352229e-15,
    1.8058516544330114e-15,
    -3.102159240633804e-16,
    -2.4839353350270673e-16,
    6.697425644072982e-17,
    7.8013969040850129e-17,
    2.4502028798600336e-17,
    2.3060732986917965e-17,
)
_I1_FAR: Final = (
    0.38928811750914011,
    -0.009761097491361467,
    -0.00011058893876261928,
    -3.8825648088780607e-06,
    -2.5122362378404759e-07,
    -2.6314688462938433e-08,
    -3.8353803809973045e-09,
    -5.5897433984976237e-10,
    -1.8974952877951462e-11,
    3.2526042855186744e-11,
    1.4125815249886749e-11,
    2.0356325482030589e-12,
    -7.1984833129019213e-13,
    -4.0835131083065822e-13,
    -2.1009496593655169e-14,
    4.2728664685596393e-14,
    1.0423822150076625e-14,
    -3.8064929045214789e-15,
    -1.8767511420204508e-15,
    3.3683389777700375e-16,
    3.0028018272327218e-16,
    -3.1647176120344859e-17,
    -4.1705580933787804e-17,
)


def bessel_i0e(x: TensorLike, name: str | None = None) -> Any:
    """Returns the modified Bessel function of order 0, times exp(-|x|).

    Args:
        x: Tensor of float32 or float64.
        name: str, name scope of the operations.

    Returns:
        Tensor of that dtype and shape.
    """
    with name_scope(name, "bessel_i0e", [x]):
        return _in_float64(_i0e, x)


def bessel_i1e(x: TensorLike, name: str | None = None) -> Any:
    """Returns the modified Bessel function of order 1, times exp(-|x|).

    Args:
        x: Tensor of float32 or float64.
        name: str, name scope of the operations.

    Returns:
        Tensor of that dtype and shape.
    """
    with name_scope(name, "bessel_i1e", [x]):
        return _in_float64(_i1e, x)


def bessel_i0(x: TensorLike, name: str | None = None) -> Any:
    """Returns the modified Bessel function of order 0.

    Args:
        x: Tensor of float32 or float64.
        name: str, name scope of the operations.

    Returns:
        Tensor of that dtype and shape.
    """
    with name_scope(name, "bessel_i0", [x]):
        return _in_float64(lambda values: exp(absolute(values)) * _i0e(values), x)


def bessel_i1(x: TensorLike, name: str | None = None) -> Any:
    """Returns the modified Bessel function of order 1.

    Args:
        x: Tensor of float32 or float64.
        name: str, name scope of the operations.

    Returns:
        Tensor of that dtype and shape.
    """
    with name_scope(name, "bessel_i1", [x]):
        return _in_float64(lambda values: exp(absolute(values)) * _i1e(values), x)


def _in_float64(function: Callable[[Tensor], Tensor], x: TensorLike) -> Tensor:
    """Returns a function's values for float32 and smaller types, rounded once, or for float64."""
    values = convert_to_tensor(x)
    dtype = values.dtype.base_dtype
    if not dtype.is_floating:
        raise TypeError(f"Bessel functions take float32 or float64, not {dtype.name}: {values}")
    return function(values) if dtype == dtypes.float64 else cast(function(cast(values, dtypes.float64)), dtype)


def _i0e(values: Tensor) -> Tensor:
    size = absolute(values)
    near = _sum(_I0_NEAR, minimum(size, _BORDER) / 4 - 1)
    return where(less_equal(size, _BORDER), near, _far(size, _I0_FAR))


def _i1e(values: Tensor) -> Tensor:
    size = absolute(values)
    near = values * _sum(_I1_NEAR, minimum(size, _BORDER) / 4 - 1)
    return where(less_equal(size, _BORDER), near, sign(values) * _far(size, _I1_FAR))


def _far(size: Any, coefficients: Sequence[float]) -> Any:
    far = maximum(size, _BORDER)
    return _sum(coefficients, 16 / far - 1) * rsqrt(far)


def _sum(coefficients: Sequence[float], x: Any) -> Any:
    """Returns the sum of Chebyshev polynomials at x, by Clenshaw's recurrence."""
    later: Any = 0.0
    latest: Any = 0.0
    for coefficient in coefficients[:0:-1]:
        later, latest = latest, coefficient + 2 * x * latest - later
    return coefficients[0] + x * latest - later
