"""No rest between readings: the tests time nothing worth resting for."""

from __future__ import annotations

import pytest

from benchmarks import harness


@pytest.fixture(autouse=True)
def _no_rest(monkeypatch):
    monkeypatch.setattr(harness, "REST", 0.0)
