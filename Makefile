# Needs Python 3.11 to 3.14 and nothing else: each target installs what it needs into .venv, once.
# `make help` lists the targets; `make test ARGS="-k othello -x"` passes options to pytest.

.DEFAULT_GOAL := help
.NOTPARALLEL:
.SUFFIXES:
MAKEFLAGS += --no-print-directory

VENV := .venv
BENCH := .venv-bench
BIN := $(VENV)/bin
PYTHON ?=
ARGS ?=

# The position that `make run` solves: endgame #40 of the FFO suite, 20 empty squares; black (X) wins by 38 with a2.
FFO40 := O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X

# Cache of machine code for tests, separate from the user's.
CACHE := $(CURDIR)/.cache

define find_python
	@python=; \
	for each in $(if $(PYTHON),"$(PYTHON)",python3 python3.14 python3.13 python3.12 python3.11 python); do \
		if "$$each" -c 'import sys, ensurepip, venv; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' \
			>/dev/null 2>&1; then python=$$each; break; fi; \
	done; \
	if [ -z "$$python" ]; then \
		echo "No Python 3.11 to 3.14 with the venv module found. Set it: make PYTHON=/path/to/python3" >&2; \
		echo "(On Debian and Ubuntu: apt install python3-venv)" >&2; exit 1; \
	fi; \
	echo "- creating $(1) with $$("$$python" --version)"; \
	"$$python" -m venv $(1)
endef

PIP_OPTIONS := --quiet --disable-pip-version-check --no-input

# ---- environments: one stamp file each, so that installing is not repeated ------------------------------------

$(BIN)/python:
	$(call find_python,$(VENV))

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	@echo "- installing zermelo and its dependencies"
	@$(BIN)/python -m pip install $(PIP_OPTIONS) --editable '.[draw,arena]'
	@touch $@

$(VENV)/.pip: | $(BIN)/python
	@$(BIN)/python -m pip install $(PIP_OPTIONS) --upgrade 'pip>=25.1'  # the first version with dependency groups
	@touch $@

$(VENV)/.group-%: pyproject.toml $(VENV)/.installed | $(VENV)/.pip
	@echo "- installing the dependency group '$*'"
	@$(BIN)/python -m pip install $(PIP_OPTIONS) --group $*
	@touch $@

.PRECIOUS: $(VENV)/.group-%

$(BENCH)/bin/python:
	$(call find_python,$(BENCH))

$(BENCH)/.installed: pyproject.toml $(wildcard benchmarks/requirements*.txt) | $(BENCH)/bin/python
	@echo "- installing zermelo and the packages it is compared with"
	@$(BENCH)/bin/python -m pip install $(PIP_OPTIONS) --editable .
	@$(BENCH)/bin/python benchmarks/install.py
	@touch $@

# ---- targets --------------------------------------------------------------------------------------------------

.PHONY: help run quick test long lint style types imports docs bench clean
.PHONY: nightly nightly-long nightly-bounds nightly-interpreted nightly-numba

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/make \1@\2/p' $(firstword $(MAKEFILE_LIST)) | \
		while IFS=@ read -r target text; do printf '%-26s %s\n' "$$target" "$$text"; done

run: $(VENV)/.installed ## install, then solve an Othello endgame exactly
	@echo "- solving FFO endgame #40: black (X) to move, 20 empty squares"
	@$(BIN)/zermelo analyse othello "$(FFO40)" --exact
	@printf '\nTry next:\n'
	@printf '  %s\n' \
		"$(BIN)/zermelo play connect4" \
		"$(BIN)/zermelo analyse othello --seconds 5" \
		"$(BIN)/zermelo analyse tictactoe --algorithm minimax" \
		"$(BIN)/zermelo tree draw skrentny" \
		"$(BIN)/zermelo games"
	@echo "and docs/ten-minutes.md: write a game of your own."

quick: $(VENV)/.group-test ## run the tests that compile nothing and start no browser (under a minute)
	@NUMBA_DISABLE_JIT=1 ZERMELO_CACHE_DIR="$(CACHE)/quick" $(BIN)/python -m pytest -m "quick and not slow and not nightly and not long" $(ARGS)

test: $(VENV)/.group-test ## run the tests
	@ZERMELO_CACHE_DIR="$(CACHE)/test" $(BIN)/python -m pytest $(ARGS)

long: $(VENV)/.group-test ## run the longer tests of games, searches and adapters that CI adds to `make test`
	@ZERMELO_CACHE_DIR="$(CACHE)/test" $(BIN)/python -m pytest -m long $(ARGS)

lint: style types imports ## check style, types and the import contract

style: $(VENV)/.group-lint
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet . || { $(BIN)/ruff format --check .; exit 1; }

types: $(VENV)/.group-lint
	@$(BIN)/mypy --no-error-summary

imports: $(VENV)/.group-lint
	@$(BIN)/lint-imports --no-logo

docs: $(VENV)/.group-docs ## build the documentation into docs/_build/html; warnings are errors
	@$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --builder html docs docs/_build/html
	@echo "docs/_build/html/index.html"

bench: $(BENCH)/.installed ## measure speed and memory beside other packages (minutes)
	@failed=; for script in peers threads endgames startup trees perft backgammon; do \
		$(BENCH)/bin/python benchmarks/$$script.py || failed="$$failed $$script"; echo; \
	done; if [ -n "$$failed" ]; then echo "failed:$$failed" >&2; exit 1; fi

nightly: $(VENV)/.group-test ## run nightly tests, bounds checks, interpreted tests, and tests with Numba's newest pre-release
	@failed=; for part in long bounds interpreted numba; do \
		$(MAKE) nightly-$$part || failed="$$failed $$part"; \
	done; if [ -n "$$failed" ]; then echo "failed:$$failed" >&2; exit 1; fi

nightly-long: $(VENV)/.group-test
	@echo "- nightly tests"
	@ZERMELO_CACHE_DIR="$(CACHE)/test" $(BIN)/python -m pytest -m "nightly or long" $(ARGS)

nightly-bounds: $(VENV)/.group-test
	@echo "- all tests with array bounds checked"
	@NUMBA_BOUNDSCHECK=1 ZERMELO_CACHE_DIR="$(CACHE)/bounds" $(BIN)/python -m pytest $(ARGS)

nightly-interpreted: $(VENV)/.group-test
	@echo "- the tests that compile nothing"
	@NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -m "quick and not nightly and not long" $(ARGS)

# Warns before a release of Numba breaks the private names that compiled/_numba.py lists.
nightly-numba: | $(BIN)/python
	@echo "- the compiler's tests with the newest pre-release of Numba"
	@rm -rf .venv-numba && $(BIN)/python -m venv .venv-numba
	@.venv-numba/bin/python -m pip install $(PIP_OPTIONS) --upgrade 'pip>=25.1'
	@.venv-numba/bin/python -m pip install $(PIP_OPTIONS) --editable '.[draw,arena]' --group test
	@.venv-numba/bin/python -m pip install $(PIP_OPTIONS) --pre --upgrade numba llvmlite
	@.venv-numba/bin/python -m pip list --disable-pip-version-check 2>/dev/null | grep -iE "^(numba|llvmlite) "
	@ZERMELO_CACHE_DIR="$(CACHE)/numba" .venv-numba/bin/python -m pytest tests/compiled tests/search/test_textbook.py $(ARGS)

clean: ## remove environments, caches and builds
	@rm -rf $(VENV) $(BENCH) .venv-numba .cache .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache build dist docs/_build
	@find src tests benchmarks docs -name __pycache__ -type d -prune -exec rm -rf {} +
