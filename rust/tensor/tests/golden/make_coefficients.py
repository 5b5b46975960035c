"""Prints the minimax polynomial coefficients of rust/tensor/src/vector as Rust constants (needs mpmath).

Each row fits g on [lo, hi] by a polynomial of the given degree, lowest power first, so that the weighted error
|weight * (p - g)| is as small as it can be (Remez exchange); the weight makes it the relative error of the function
that the polynomial serves. The comment after a constant is log2 of the error before rounding the coefficients.
"""

from mpmath import asin, atan, atanh, cos, erf, erfc, exp, log, lu_solve, matrix, mp, mpf, pi, sin, sqrt

mp.dps = 60


def remez(g, weight, lo, hi, degree, rounds=12):
    terms = degree + 2
    nodes = [(lo + hi) / 2 + (hi - lo) / 2 * cos(pi * (terms - 1 - i) / (terms - 1)) for i in range(terms)]
    step = (hi - lo) / 200

    def off_zero(x):
        return x + step if weight(x) < mpf("1e-9") else x

    nodes = [off_zero(x) for x in nodes]
    for _ in range(rounds):
        rows = matrix(terms, terms)
        right = matrix(terms, 1)
        for i, x in enumerate(nodes):
            for k in range(degree + 1):
                rows[i, k] = x**k
            rows[i, degree + 1] = (-1) ** i / weight(x)
            right[i] = g(x)
        solution = lu_solve(rows, right)
        coefficients = [solution[k] for k in range(degree + 1)]

        def error(x, coefficients=coefficients):
            return weight(x) * (sum(c * x**k for k, c in enumerate(coefficients)) - g(x))

        count = 40 * terms
        grid = [lo + (hi - lo) * (1 - cos(pi * i / count)) / 2 for i in range(count + 1)]
        grid = [off_zero(x) for x in grid]
        values = [error(x) for x in grid]
        best = []
        for x, e in zip(grid, values, strict=True):
            if best and (best[-1][1] > 0) == (e > 0):
                if abs(e) > abs(best[-1][1]):
                    best[-1] = (x, e)
            else:
                best.append((x, e))
        while len(best) > terms:
            best.pop(0 if abs(best[0][1]) < abs(best[-1][1]) else -1)
        if len(best) < terms:
            break
        nodes = [x for x, _ in best]
        if max(abs(e) for _, e in best) < min(abs(e) for _, e in best) * mpf("1.01"):
            break
    return coefficients, max(abs(v) for v in values)


def near_zero(direct, series):
    """`direct`, by its Taylor series where the direct formula cancels."""

    def g(x):
        return sum(c * x**k for k, c in enumerate(series)) if abs(x) < mpf("1e-3") else direct(x)

    return g


def factorial_series(shift, alternate=False):
    return [(mpf(-1) ** k if alternate else 1) / mp.factorial(shift + k) for k in range(20)]


half_ln2 = log(2) / 2 * mpf("1.002")
exp_rest = near_zero(lambda r: (exp(r) - 1 - r) / r**2, factorial_series(2))
log_rest = near_zero(lambda f: (log(1 + f) - f + f**2 / 2) / f**3, [mpf(-1) ** k / (k + 3) for k in range(20)])
log_ratio = near_zero(lambda z: 2 * (atanh(sqrt(z)) / sqrt(z) - 1) / z, [mpf(2) / (2 * k + 3) for k in range(20)])
sin_rest = near_zero(
    lambda z: (sin(sqrt(z)) - sqrt(z)) / sqrt(z) ** 3, [mpf(-1) ** (k + 1) / mp.factorial(2 * k + 3) for k in range(20)]
)
cos_rest = near_zero(
    lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, [mpf(-1) ** k / mp.factorial(2 * k + 4) for k in range(20)]
)
atan_rest = near_zero(
    lambda z: (atan(sqrt(z)) / sqrt(z) - 1) / z, [mpf(-1) ** (k + 1) / (2 * k + 3) for k in range(20)]
)
asin_series = [mp.binomial(2 * k, k) / (mpf(4) ** k * (2 * k + 1)) for k in range(1, 21)]
asin_rest = near_zero(lambda z: (asin(sqrt(z)) / sqrt(z) - 1) / z, asin_series)
erf_scale = 2 / sqrt(pi)
erf_rest = near_zero(
    lambda z: erf(sqrt(z)) / sqrt(z) - 1,
    [erf_scale - 1] + [erf_scale * mpf(-1) ** k / (mp.factorial(k) * (2 * k + 1)) for k in range(1, 20)],
)
edge = mpf("0.921875")


def scaled_erfc(v):
    """Returns erfc(a) exp(a^2), where v = (a - 2) / (a + 2)."""
    a = 2 * (1 + v) / (1 - v)
    return erfc(a) * exp(a**2)


ROWS = [
    ("EXP", 32, exp_rest, lambda r: r**2, -half_ln2, half_ln2, 4),
    ("EXPM1", 32, exp_rest, abs, -half_ln2, half_ln2, 5),
    ("LOG", 32, log_rest, lambda f: f**2, sqrt(mpf("0.5")) - 1, sqrt(2) - 1, 8),
    ("ERF_NEAR", 32, erf_rest, lambda z: 1 / (erf(sqrt(z)) / sqrt(z)) if z else mpf(1), mpf(0), edge**2, 6),
    (
        "ERF_FAR",
        32,
        lambda a: log(erfc(a)) / a,
        lambda a: a * erfc(a) / erf(a),
        edge,
        mpf(4),
        8,
    ),
    ("SIN", 32, sin_rest, lambda z: z, mpf(0), (pi / 4 * mpf("1.001")) ** 2, 3),
    ("COS", 32, cos_rest, lambda z: z**2, mpf(0), (pi / 4 * mpf("1.001")) ** 2, 2),
    ("ATAN", 32, atan_rest, lambda z: z, mpf(0), mpf(1), 8),
    ("ASIN", 32, asin_rest, lambda z: z, mpf(0), mpf("0.25"), 5),
    ("EXP", 64, exp_rest, lambda r: r**2, -half_ln2, half_ln2, 9),
    ("EXP_SINGLE", 64, exp_rest, lambda r: r**2, -half_ln2, half_ln2, 6),
    ("LOG_SINGLE", 64, log_ratio, lambda z: z, mpf(0), ((sqrt(2) - 1) / (sqrt(2) + 1)) ** 2 * mpf("1.001"), 3),
    ("EXPM1", 64, exp_rest, abs, -half_ln2, half_ln2, 10),
    ("LOG", 64, log_ratio, lambda z: z, mpf(0), ((sqrt(2) - 1) / (sqrt(2) + 1)) ** 2 * mpf("1.001"), 6),
    ("SCALED_ERFC", 64, scaled_erfc, lambda v: 1 / scaled_erfc(v), mpf(-1), mpf("8.1") / mpf("12.1"), 12),
    ("SIN", 64, sin_rest, lambda z: z, mpf(0), (pi / 4 * mpf("1.001")) ** 2, 5),
    ("COS", 64, cos_rest, lambda z: z**2, mpf(0), (pi / 4 * mpf("1.001")) ** 2, 5),
]

for name, bits, g, weight, lo, hi, degree in ROWS:
    coefficients, worst = remez(g, weight, lo, hi, degree)
    print(f"const {name}_F{bits}: [f{bits}; {degree + 1}] = [ // 2^{float(log(worst, 2)):.1f}")
    for c in coefficients:
        print(f"    {mp.nstr(c, 9 if bits == 32 else 17, min_fixed=0, max_fixed=0)},")
    print("];")
