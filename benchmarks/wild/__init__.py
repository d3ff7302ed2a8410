"""Does the chosen predictor win on real tables? See :mod:`benchmarks.wild.study`."""
