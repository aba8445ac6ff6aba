# Everything runs in .venv, made on first use from any Python 3.11 or newer: `make demo`, `make test`.

VENV  := .venv
BIN   := $(VENV)/bin
STAMP := $(VENV)/.installed
WORKERS ?= 4
TOPIC ?= *

# One thread for each test or benchmark process: the workers share the cores.
export OPENBLAS_NUM_THREADS ?= 1
export OMP_NUM_THREADS ?= 1
# Tests start hundreds of processes: compiled code is kept, or each of them compiles everything anew.
unexport PYTHONDONTWRITEBYTECODE
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PYTHON

.DEFAULT_GOAL := help
.PHONY: help demo test quick soak mutants check format update bench docs browser clean

help:  ## show this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | awk -F '\t' '{ printf "  make %-8s %s\n", $$1, $$2 }'

$(STAMP): pyproject.toml tools/find_python.sh
	@python=$$(tools/find_python.sh) && \
	 { test -x $(BIN)/python || { echo "Making $(VENV) with $$python"; "$$python" -m venv $(VENV); }; }
	@echo "Installing Partita and its development tools into $(VENV) (once, a minute or two)"
	@$(BIN)/python -m pip install -qq --editable '.[dev]'
	@touch $@

.PHONY: chromium java
chromium:
	@tools/install_browser.sh
java:
	@tools/install_java.sh

demo: $(STAMP)  ## set up and run the demonstration
	@$(BIN)/partita demo

test: $(STAMP) chromium java  ## set up and run every test, slow ones and doctests included
	@$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal

quick: $(STAMP) chromium java  ## run the tests that are not marked slow
	@$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal -m 'not slow'

soak: $(STAMP)  ## hours: hostile statements, neighbours of whole histories, and the tests of `make test` with far more examples
	@$(BIN)/python tools/soak.py --statements $(or $(STATEMENTS),200000)
	@$(BIN)/python -m tests.laws.second_hand $(or $(NEIGHBOURS),50000)
	@SOAK=1 HYPOTHESIS_PROFILE=explore $(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal -m 'soak or hypothesis'

mutants: $(STAMP)  ## break every rule of what is booked on purpose: the second opinion must notice
	@$(BIN)/python tools/mutants.py

check: $(STAMP)  ## format, lint, types, layers, generated pages and proofs
	@$(BIN)/ruff format --check --quiet . || { echo "Run 'make format' and look at the difference."; exit 1; }
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports --no-cache > $(VENV)/.layers 2>&1 || { cat $(VENV)/.layers; exit 1; }
	@$(BIN)/python tools/architecture.py --check
	@$(BIN)/python tools/error_pages.py --check
	@$(BIN)/python tools/proofs.py --check
	@$(BIN)/python tools/changelog.py --check
	@echo "All checks passed."

format: $(STAMP)  ## format the code and mend what the linter can mend
	@$(BIN)/ruff format --quiet .
	@$(BIN)/ruff check --quiet --fix .

update: $(STAMP)  ## write what is generated anew (ARCHITECTURE.md's tree, docs/errors.md, texts of errors)
	@$(BIN)/python tools/architecture.py
	@$(BIN)/python tools/error_pages.py

$(VENV)-bench/.installed: pyproject.toml tools/find_python.sh
	@python=$$(tools/find_python.sh) && { test -x $(VENV)-bench/bin/python || "$$python" -m venv $(VENV)-bench; }
	@echo "Installing Partita and the libraries it is measured against into $(VENV)-bench"
	@$(VENV)-bench/bin/python -m pip install -qq --editable '.[bench]'
	@touch $@

bench: $(VENV)-bench/.installed  ## measure against peers; one topic with TOPIC=sampling
	@for script in benchmarks/$(TOPIC)/[!_]*.py; do \
	   test -f "$$script" || { echo "No benchmark matches TOPIC=$(TOPIC)."; exit 1; }; \
	   echo "== $$script"; $(VENV)-bench/bin/python "$$script" || exit 1; done

$(VENV)/.docs: $(STAMP)
	@$(BIN)/python -m pip install -qq --editable '.[docs]'
	@touch $@

docs: $(VENV)/.docs  ## build the documentation site into site/
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	@echo "The pages are in site/index.html"

browser: docs  ## look at a report and the built site with Chromium, at the width of a phone and of a desk
	@$(BIN)/python tools/sample_report.py $(VENV)/report.html
	@$(BIN)/python tools/browser.py $(VENV)/report.html site/index.html site/theory/index.html site/book/advanced/index.html \
	  site/reference/mechanisms/index.html site/errors/index.html

clean:  ## remove the environments and everything generated
	@rm -rf $(VENV) $(VENV)-bench* site .mypy_cache .pytest_cache .ruff_cache .hypothesis
