"""How fast, against whom, and how far from the machine's own limit: ``python -m benchmarks --help``.

:mod:`benchmarks.harness` says how to write a benchmark; :mod:`benchmarks.problems` makes the named, seeded data.
"""
