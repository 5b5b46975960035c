"""Linear algebra: decompositions, solutions, functions of matrices, contractions."""
