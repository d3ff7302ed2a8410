"""``make honesty``: a thousand simulations of every case; see :mod:`benchmarks.risk.honesty`."""

from __future__ import annotations

from benchmarks.risk.honesty import main

main()
