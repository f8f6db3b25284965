# Needs Python 3.11 to 3.14 and nothing else: what a target takes is installed into .venv, once.
# `make help` lists the targets; `make test ARGS="-k othello -x"` passes options on to pytest.

.DEFAULT_GOAL := help
.NOTPARALLEL:
.SUFFIXES:
MAKEFLAGS += --no-print-directory

VENV := .venv
BENCH := .venv-bench
BIN := $(VENV)/bin
PYTHON ?=
ARGS ?=

# What a first look solves: endgame #40 of the FFO suite, 20 empty squares, black (X) to move and win by 38 at a2.
FFO40 := O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X

# Tests keep their machine code here, away from the user's cache.
CACHE := $(CURDIR)/.cache

define find_python
	@python=; \
	for each in $(if $(PYTHON),"$(PYTHON)",python3 python3.14 python3.13 python3.12 python3.11 python); do \
		if "$$each" -c 'import sys, ensurepip, venv; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' \
			>/dev/null 2>&1; then python=$$each; break; fi; \
	done; \
	if [ -z "$$python" ]; then \
		echo "No Python 3.11 to 3.14 with its venv module was found. Name one: make PYTHON=/path/to/python3" >&2; \
		echo "(On Debian and Ubuntu the module is a package of its own: apt install python3-venv.)" >&2; exit 1; \
	fi; \
	echo "- making $(1) with $$("$$python" --version)"; \
	"$$python" -m venv $(1)
endef

PIP_OPTIONS := --quiet --disable-pip-version-check --no-input

# ---- environments: a stamp file each, so that setting up is not repeated ------------------------------------

$(BIN)/python:
	$(call find_python,$(VENV))

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	@echo "- installing zermelo and what it runs on"
	@$(BIN)/python -m pip install $(PIP_OPTIONS) --editable '.[draw,arena]'
	@touch $@

$(VENV)/.pip: | $(BIN)/python
	@$(BIN)/python -m pip install $(PIP_OPTIONS) --upgrade 'pip>=25.1'  # the first that knows dependency groups
	@touch $@

$(VENV)/.group-%: pyproject.toml $(VENV)/.installed | $(VENV)/.pip
	@echo "- installing what '$*' takes"
	@$(BIN)/python -m pip install $(PIP_OPTIONS) --group $*
	@touch $@

.PRECIOUS: $(VENV)/.group-%

$(BENCH)/bin/python:
	$(call find_python,$(BENCH))

$(BENCH)/.installed: pyproject.toml $(wildcard benchmarks/requirements*.txt) | $(BENCH)/bin/python
	@echo "- installing zermelo and the peers it is measured against"
	@$(BENCH)/bin/python -m pip install $(PIP_OPTIONS) --editable .
	@$(BENCH)/bin/python benchmarks/install.py
	@touch $@

# ---- targets --------------------------------------------------------------------------------------------------

.PHONY: help run test lint style types imports docs bench nightly nightly-long nightly-bounds nightly-interpreted clean

help: ## what there is
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/make \1@\2/p' $(firstword $(MAKEFILE_LIST)) | \
		while IFS=@ read -r target text; do printf '%-26s %s\n' "$$target" "$$text"; done

run: $(VENV)/.installed ## install, then solve a real Othello endgame exactly
	@echo "- solving FFO endgame #40: black (X) to move, 20 empty squares"
	@$(BIN)/zermelo analyse othello "$(FFO40)" --exact
	@printf '\nTry next:\n'
	@printf '  %s\n' \
		"$(BIN)/zermelo play connect4" \
		"$(BIN)/zermelo analyse othello --seconds 5" \
		"$(BIN)/zermelo analyse tictactoe --algorithm minimax" \
		"$(BIN)/zermelo tree draw skrentny" \
		"$(BIN)/zermelo games"
	@echo "and docs/ten-minutes.md: a game of your own."

test: $(VENV)/.group-test ## the tests, all but the long ones
	@ZERMELO_CACHE_DIR="$(CACHE)/test" $(BIN)/python -m pytest $(ARGS)

lint: style types imports ## style, types and the import contract

style: $(VENV)/.group-lint
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet . || { $(BIN)/ruff format --check .; exit 1; }

types: $(VENV)/.group-lint
	@$(BIN)/mypy --no-error-summary

imports: $(VENV)/.group-lint
	@$(BIN)/lint-imports --no-logo

docs: $(VENV)/.group-docs ## the pages, into docs/_build/html; a warning is an error
	@$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --builder html docs docs/_build/html
	@echo "docs/_build/html/index.html"

bench: $(BENCH)/.installed ## speed and memory, beside other packages (minutes)
	@failed=; for script in peers threads endgames startup trees perft backgammon; do \
		$(BENCH)/bin/python benchmarks/$$script.py || failed="$$failed $$script"; echo; \
	done; if [ -n "$$failed" ]; then echo "failed:$$failed" >&2; exit 1; fi

nightly: $(VENV)/.group-test ## the long tests, then all with bounds checked, then the small ones interpreted
	@failed=; for part in long bounds interpreted; do \
		$(MAKE) nightly-$$part || failed="$$failed $$part"; \
	done; if [ -n "$$failed" ]; then echo "failed:$$failed" >&2; exit 1; fi

nightly-long: $(VENV)/.group-test
	@echo "- the long tests"
	@ZERMELO_CACHE_DIR="$(CACHE)/test" $(BIN)/python -m pytest -m nightly $(ARGS)

nightly-bounds: $(VENV)/.group-test
	@echo "- the tests with every index checked"
	@NUMBA_BOUNDSCHECK=1 ZERMELO_CACHE_DIR="$(CACHE)/bounds" $(BIN)/python -m pytest $(ARGS)

nightly-interpreted: $(VENV)/.group-test
	@echo "- the small tests with nothing compiled"
	@NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -m interpreted $(ARGS)

clean: ## remove all that was made here, the environments too
	@rm -rf $(VENV) $(BENCH) .cache .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache build dist docs/_build
	@find src tests benchmarks docs -name __pycache__ -type d -prune -exec rm -rf {} +
