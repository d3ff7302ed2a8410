"""``python -m benchmarks.wild``."""

from benchmarks.wild.study import main

main()
