# `make demo` shows what Isonomy does; `make test` proves it. Both set up what they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OLDEST := .venv-oldest
DIST := .venv-dist
LOCKED := .venv-locked

# pip obeys these for packages and for what builds them.
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_BUILD_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# Data of others that lie beside the project are used where they are (see paper/README.md).
export ISONOMY_DATA ?= $(firstword $(wildcard $(CURDIR)/../data $(CURDIR)/../shared/data))

.PHONY: help setup demo test coverage test-long test-oldest lint bench paper paper-quick docs links
.PHONY: pictures dist review fuzz faults mutation sbom hashes locked clean

help:
	@echo "make demo       run Isonomy on its embedded data (sets up what it needs, about a minute)"
	@echo "make test       lint, type-check, test (sets up everything)"
	@echo "make coverage   the tests again, with branch coverage"
	@echo "make test-long  new examples of every property, up to 10,000 each (hours)"
	@echo "make test-oldest  the tests with the oldest versions of every dependency (Python 3.11)"
	@echo "make bench      speed beside the peers, as ratios"
	@echo "make fuzz       hostile inputs for five minutes (MINUTES=300, JOBS=2 for hours);  make faults"
	@echo "make mutation   which wrong lines do tests notice?  SUBJECT=costs SAMPLE=50;  make sbom"
	@echo "make locked     an environment of files with known digests (make hashes writes hashes.txt)"
	@echo "make paper      every table and figure of the paper; paper-quick checks the committed ones"
	@echo "make docs       the site, with its gallery; links also looks whether other sites are there"
	@echo "make dist       wheel and sdist, checked and tried in empty environments; review  of the project"
	@echo "make pictures   draw the README's pictures again"
	@echo "make lint       ruff and mypy;  make setup  only set up;  make clean  remove it"

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Isonomy needs Python 3.11 or newer: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.cli: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/pip install --quiet --editable '.[cli]'
	@touch $@

$(VENV)/.all: pyproject.toml constraints.txt | $(VENV)/bin/python
	@# Groups need a newer pip than many a Python brings.
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet --editable '.[all]' --group dev
	@touch $(VENV)/.cli $@

$(VENV)/.bench: $(VENV)/.all
	$(BIN)/pip install --quiet --group bench
	@touch $@

$(VENV)/.docs: $(VENV)/.all
	$(BIN)/pip install --quiet --group docs
	@touch $@

# The report is tested in a real browser. Where none can be had, its tests skip and say so.
$(VENV)/.browser: | $(VENV)/bin/python
	@command -v chromium >/dev/null && command -v chromedriver >/dev/null \
		|| { apt-get update -qq && apt-get install -y -qq chromium chromium-driver; } >/dev/null 2>&1 \
		|| echo "No chromium here, and apt-get could not install it: tests in the browser will skip."
	@touch $@

# Spark runs on Java. Where none can be had, its tests skip and say so.
$(VENV)/.java: | $(VENV)/bin/python
	@command -v java >/dev/null \
		|| { apt-get update -qq && apt-get install -y -qq openjdk-17-jre-headless; } >/dev/null 2>&1 \
		|| echo "No Java 17 here, and apt-get could not install it: tests of Spark will skip."
	@touch $@

setup: $(VENV)/.all $(VENV)/.browser $(VENV)/.java

demo: $(VENV)/.cli
	@$(BIN)/isonomy demo

lint: $(VENV)/.all
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: lint $(VENV)/.browser $(VENV)/.java
	$(BIN)/pytest --numprocesses 2 --dist worksteal

# Measuring coverage doubles the time. Compiled code is invisible to it, so the tests of kernels run
# once more uncompiled.
OF_KERNELS := $(addprefix tests/, \
	core/kernels core/test_side_words.py core/test_packed_labels.py \
	counting/kernels counting/test_influence.py counting/test_interval_table.py counting/test_ranking.py \
	metrics/test_ndcgs.py metrics/test_partial_aucs.py audit/test_top.py \
	pairsums/kernels pairsums/test_layout.py pairsums/test_swaps.py pairsums/test_tables.py \
	pareto/test_nondominated.py rankers/boosted/test_trees.py)
coverage: $(VENV)/.all $(VENV)/.browser $(VENV)/.java
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest --numprocesses 2 --dist worksteal
	NUMBA_DISABLE_JIT=1 HYPOTHESIS_PROFILE=uncompiled $(BIN)/coverage run -m pytest \
		$(OF_KERNELS)
	$(BIN)/coverage combine --quiet
	@# All three speak, and each can fail the step.
	$(BIN)/coverage json --quiet --fail-under 0 -o coverage.json
	$(BIN)/coverage report; status=$$?; \
		$(BIN)/python .ci/branch_coverage.py coverage.json && exit $$status

test-long: $(VENV)/.all
	HYPOTHESIS_PROFILE=long $(BIN)/pytest --numprocesses 2 --dist worksteal tests/core tests/counting \
		tests/pairsums tests/metrics tests/theory tests/audit tests/boosting tests/partial \
		tests/test_torch.py

# The floors in pyproject.toml are what this proves; wheels that old exist for Python 3.11.
$(OLDEST)/.all: export PIP_CONSTRAINT := $(CURDIR)/constraints-oldest.txt
$(OLDEST)/.all: export PIP_BUILD_CONSTRAINT := $(CURDIR)/constraints-oldest.txt
$(OLDEST)/.all: pyproject.toml constraints-oldest.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' \
		|| { echo "The oldest versions need Python 3.11: make test-oldest PYTHON=python3.11"; exit 1; }
	$(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet --upgrade pip
	$(OLDEST)/bin/pip install --quiet --editable '.[all]' --group dev
	@touch $@

test-oldest: $(OLDEST)/.all
	$(OLDEST)/bin/pytest --numprocesses 2 --dist worksteal

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks

# Hostile inputs; what does harm is kept in fuzz/found with the command that repeats it.
MINUTES ?= 5
JOBS ?= 1
fuzz: $(VENV)/.all
	$(BIN)/python -m fuzz $(TARGET) --minutes $(MINUTES) --jobs $(JOBS)

faults: $(VENV)/.all
	$(BIN)/python -m fuzz.faults

mutation: $(VENV)/.all
	$(BIN)/python -m fuzz.mutation $(SUBJECT) $(if $(SAMPLE),--sample $(SAMPLE))

sbom: $(VENV)/.all
	$(BIN)/python .ci/sbom.py isonomy-sbom.json

# The digests of the pins, from the index that pip asks; then an environment of nothing else. torch,
# of which there are many builds, is held to its version alone.
hashes: $(VENV)/bin/python
	$(BIN)/python .ci/hashes.py

locked: hashes.txt
	$(PYTHON) -m venv $(LOCKED)
	$(LOCKED)/bin/pip install --quiet --require-hashes --no-deps -r hashes.txt
	$(LOCKED)/bin/pip install --quiet --no-deps "$$(grep ^torch== constraints.txt)"
	$(LOCKED)/bin/pip install --quiet --no-deps --no-build-isolation --editable .

paper: $(VENV)/.all
	$(BIN)/python -m paper

paper-quick: $(VENV)/.all
	$(BIN)/python -m paper --quick

# Warnings are errors. Then every link inside of it is followed, and nothing may come from elsewhere.
docs: $(VENV)/.docs
	$(BIN)/sphinx-build -W --keep-going -q -b html -c docs . docs/_build/html
	$(BIN)/python docs/check_site.py docs/_build/html
	@echo "The site: docs/_build/html/index.html"

links: $(VENV)/.docs
	$(BIN)/sphinx-build -q -b linkcheck -D plot_gallery=0 -c docs . docs/_build/linkcheck

pictures: $(VENV)/.docs $(VENV)/.browser
	$(BIN)/python docs/pictures/draw.py

$(DIST)/.tools: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(DIST)
	$(DIST)/bin/python -m pip install --quiet --upgrade pip
	$(DIST)/bin/pip install --quiet --group dist
	@touch $@

dist: $(DIST)/.tools
	rm -rf dist
	$(DIST)/bin/python -m build
	$(DIST)/bin/twine check --strict dist/*
	$(DIST)/bin/check-wheel-contents dist/*.whl
	$(DIST)/bin/python .ci/try_wheel.py

review: $(DIST)/.tools
	$(DIST)/bin/repo-review .

clean:
	rm -rf $(VENV) $(OLDEST) $(DIST) $(LOCKED) dist docs/_build docs/api docs/gallery .coverage .coverage.* coverage.json .mypy_cache .pytest_cache .ruff_cache .hypothesis
