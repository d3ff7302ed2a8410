# Every target makes the .venv it needs: Python 3.11 or later and make are enough.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV   ?= .venv
WORKERS ?= 2
BIN    := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: gpu french help demo spark test test-oldest lint types bench bench-quick faults sbom honesty wild scale clean-tables peer docs kernels wheel

help: ## show the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | awk -F'\t' '{printf "  make %-12s %s\n", $$1, $$2}'

demo: $(VENV)/.epee ## epee learn on a table that ships with the package
	@$(BIN)/epee learn

test: $(VENV)/.test ## all the tests and the examples in docstrings
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup

test-oldest: ## the tests with the oldest versions that pyproject.toml allows, or some: TESTS=tests/kernels
	@test -x $(VENV)-oldest/bin/python || $(PYTHON) -m venv $(VENV)-oldest
	$(PYTHON) .ci/oldest.py > $(VENV)-oldest/oldest.txt
	$(VENV)-oldest/bin/python -m pip install --quiet --disable-pip-version-check -e ".[test-oldest]" -c $(VENV)-oldest/oldest.txt
	$(VENV)-oldest/bin/python -m pytest -n $(WORKERS) --dist loadgroup -W default $(TESTS)

spark: $(VENV)/.spark ## PySpark, for the tests of the Spark engine; they need Java, too

faults: $(VENV)/.test ## damaged files, kills, full disks, forks, a thousand fits; long; result to benchmarks/results/faults.md
	EPEE_FAULTS=1 $(BIN)/python -m pytest -n0 tests/faults
	EPEE_FAULTS=1 $(BIN)/python -m pytest -n0 -m long tests

lint: $(VENV)/.lint ## ruff (rules and format) and the one way of the imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	PYTHONPATH=src $(BIN)/lint-imports

types: $(VENV)/.lint $(VENV)/.epee ## mypy on the package, or on ROOMS="-p epee.table"
	$(BIN)/mypy $(or $(ROOMS),src/epee)

bench: $(VENV)/.bench ## every benchmark; results to benchmarks/results, docs/speed.md and the README
	$(BIN)/python -m benchmarks
	$(BIN)/python -m benchmarks.scale
	$(BIN)/python -m benchmarks.summary

gpu: $(VENV)/.bench ## figures on a graphics card, where there is one with PyTorch; results to benchmarks/results
	$(BIN)/python -m benchmarks.gpu

bench-quick: $(VENV)/.bench ## the quick benchmarks, under three minutes
	$(BIN)/python -m benchmarks --quick

honesty: $(VENV)/.test ## do 90 % intervals cover 90 %? long; figures to benchmarks/results and the site
	$(BIN)/python -m benchmarks.risk.honesty

scale: $(VENV)/.bench ## how cost grows, a cluster on paper, both engines beside their rivals, and a table of 10 GB (made and removed)
	$(BIN)/python -m benchmarks.scale --study
	$(BIN)/python -m benchmarks.scale.engines --save

kernels: $(VENV)/.epee ## compile every kernel now, for this processor; nothing else needs it
	$(BIN)/python -m epee.kernels

wheel: $(VENV)/.build ## a wheel with compiled kernels and an sdist, to dist, tried in an empty environment
	rm -rf dist
	$(BIN)/python -m build --outdir dist
	$(BIN)/python .ci/smoke.py dist/*.whl

wild: $(VENV)/.wild ## does the chosen predictor win on real tables? long, goes on where it stopped; to benchmarks/results/wild.md
	$(BIN)/python -m benchmarks.wild

sbom: $(VENV)/.epee ## licences of all that épée needs, and a CycloneDX list, to build/sbom
	@$(BIN)/python .ci/sbom.py build/sbom

clean-tables: $(VENV)/.test ## how often do findings cry wolf? a hundred tables with nothing wrong
	$(BIN)/python -m benchmarks.report.clean_tables

peer: $(VENV)/.test ## scikit-learn's own tests with our classes; long; shares to benchmarks/results/peer.md
	$(BIN)/python -m benchmarks.peer
	PEER_FUZZ=2000 $(BIN)/python -m pytest -q -n $(WORKERS) tests/agreement/test_fuzz.py tests/agreement/test_fuzz_methods.py

docs: $(VENV)/.docs ## the documentation, to docs/_build/html
	$(BIN)/sphinx-build -W --keep-going -b html docs docs/_build/html
	EPEE_DOCS_LANGUAGE=fr $(BIN)/sphinx-build --keep-going -b html -d docs/_build/doctrees-fr docs docs/_build/html/fr

french: $(VENV)/.docs ## take new sentences of the site over into the French catalogue
	$(BIN)/sphinx-build -q -b gettext -D sphinx_gallery_conf.plot_gallery=False docs docs/_build/gettext
	$(BIN)/python docs/twins.py docs/_build/gettext/site.pot

# A stamp per set of packages: nothing is installed again until pyproject.toml changes.
$(VENV)/pyvenv.cfg:
	@test -n "$(PYTHON)" || { echo "No Python found: install Python 3.11, or say make PYTHON=/path/to/python." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) is older than 3.11: say make PYTHON=/path/to/python." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.epee: pyproject.toml | $(VENV)/pyvenv.cfg
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

# ruff, the import linter and mypy need not the package itself
$(VENV)/.lint: pyproject.toml | $(VENV)/pyvenv.cfg
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "ruff>=0.9" "import-linter>=2.1" "mypy>=1.14"
	@touch $@

$(VENV)/.build: | $(VENV)/pyvenv.cfg
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "build>=1.2"
	@touch $@

$(VENV)/.test $(VENV)/.docs $(VENV)/.bench $(VENV)/.spark $(VENV)/.wild: $(VENV)/.%: pyproject.toml | $(VENV)/pyvenv.cfg
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[$*]"
	@touch $@ $(VENV)/.epee
