"""Is a wheel fit to be given away? ``python .ci/smoke.py dist/*.whl``, in an empty environment that this script makes.

The wheel is installed without building anything, then the first ``epee learn``, ``predict`` and ``explain`` of that environment are run and
timed, with no place where compiled code could be kept; then tables of 10,000 rows. Nothing may be compiled.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import venv
import zipfile
from pathlib import Path

STRAY = ("tests/", "benchmarks/", "__pycache__", ".nbi", ".nbc", ".pyc")
BY_HAND = """
import numpy, epee
from epee.kernels.compiling import spent
rng = numpy.random.default_rng(0)
X = rng.normal(size=(1_500, 6))
y = (X[:, 0] + X[:, 1] ** 2 > 1).astype(int)
for model in (epee.DecisionTreeClassifier(), epee.KNeighborsClassifier(), epee.LogisticRegression(), epee.RandomForestClassifier(),
              epee.HistGradientBoostingClassifier()):
    model.fit(X, y).predict(X)
print("compiling: %.2f s" % spent()["compiling"])
assert spent()["compiling"] < 1.0, spent()
"""

TABLES = """
import numpy
rng = numpy.random.default_rng(1)
X = rng.normal(size=(10_000, 20))
scores = X @ rng.normal(size=(20, 3)) + 0.7 * X[:, :3] ** 2 + rng.gumbel(size=(10_000, 3))
value = X @ rng.normal(size=20) + 3 * numpy.sin(2 * X[:, 0]) + rng.normal(size=10_000)
for name, y in (("classes", numpy.array(list("abc"))[scores.argmax(axis=1)]), ("value", value)):
    with open(name + ".csv", "w") as file:
        print(*(f"x{j}" for j in range(20)), "y", sep=",", file=file)
        for x, t in zip(X, y):
            print(*(f"{v:.6g}" for v in x), t, sep=",", file=file)
"""


def main(wheel: Path) -> int:
    """Install, run, and say how long it took."""
    names = zipfile.ZipFile(wheel).namelist()
    stray = [name for name in names if any(part in name for part in STRAY)]
    if stray:
        print(f"{wheel.name} carries what it should not: {stray[:5]}", file=sys.stderr)
        return 1
    ahead = sum(name.endswith(".kernel") for name in names)
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, {len(names)} files, {ahead} compiled kernels")
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        venv.create(here / "env", with_pip=True)
        bin_ = here / "env" / ("Scripts" if os.name == "nt" else "bin")
        pip = [bin_ / "python", "-m", "pip", "install", "--quiet", "--only-binary", ":all:", wheel.resolve()]
        subprocess.run(pip, check=True)
        plain = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        env = {**plain, "EPEE_KERNELS": "none"}  # nothing that is compiled can be kept
        find = [bin_ / "python", "-c", "import epee; print(epee.samples.path('penguins'))"]
        rows = subprocess.run(find, env=env, capture_output=True, text=True, check=True).stdout.strip()
        learn = [bin_ / "epee", "learn", rows, "--target", "species", "-o", "t.epee", "-q"]
        steps = {
            "first learn": learn,
            "second learn": [*learn, "--force"],
            "predict": [bin_ / "epee", "predict", "t.epee", rows, "-o", "out.csv"],
            "explain": [bin_ / "epee", "explain", "E001"],
            "estimators": [bin_ / "python", "-c", BY_HAND],
            "write tables": [bin_ / "python", "-c", TABLES],
            "10,000 x 20, three classes": [bin_ / "epee", "learn", "classes.csv", "--target", "y", "-q"],
            "10,000 x 20, a value": [bin_ / "epee", "learn", "value.csv", "--target", "y", "-q"],
        }
        for name, words in steps.items():
            start, before = time.perf_counter(), os.times()
            done = subprocess.run(words, cwd=here, env=env, capture_output=True, text=True, check=False)
            took, now = time.perf_counter() - start, os.times()
            busy = now.children_user + now.children_system - before.children_user - before.children_system
            said = done.stdout.strip() if name == "estimators" else ""
            print(f"  {name:26} {took:6.2f} s, of the processor {busy:6.2f} s  {said}", flush=True)
            if done.returncode:
                print(done.stdout, done.stderr, sep="\n", file=sys.stderr)
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
