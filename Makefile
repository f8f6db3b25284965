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
ROW ?=

# The position that `make run` solves: endgame #40 of the FFO suite, 20 empty squares; black (X) wins by 38 with a2.
FFO40 := O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X

# Cache of machine code for tests, separate from the user's.
CACHE := $(CURDIR)/.cache

# Tests start hundreds of programs, and each would compile the library's source again where this is set.
unexport PYTHONDONTWRITEBYTECODE

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

# Checks the page's JavaScript.
TYPESCRIPT := 7.0.2

PIP_OPTIONS := --quiet --disable-pip-version-check --no-input
# pip would compile 6,000 modules; Python compiles those that are used, when they are first imported.
INSTALL := -m pip install $(PIP_OPTIONS) --no-compile

# ---- environments: one stamp file each, so that installing is not repeated ------------------------------------

$(BIN)/python:
	$(call find_python,$(VENV))

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	@echo "- installing zermelo and its dependencies"
	@$(BIN)/python $(INSTALL) --editable '.[draw,arena,web]'
	@touch $@

$(VENV)/.pip: | $(BIN)/python
	@$(BIN)/python $(INSTALL) --upgrade 'pip>=25.1'  # the first version with dependency groups
	@touch $@

$(VENV)/.group-%: pyproject.toml $(VENV)/.installed | $(VENV)/.pip
	@echo "- installing the dependency group '$*'"
	@$(BIN)/python $(INSTALL) --group $*
	@touch $@

# Tried once; after `rm .venv/.browser`, again.
$(VENV)/.browser: tests/support/install_chromium.py | $(VENV)/.group-test
	@$(BIN)/python $<
	@touch $@

.PRECIOUS: $(VENV)/.group-%

$(VENV)/.adapters: pyproject.toml $(VENV)/.group-test
	@echo "- installing the extras 'gymnasium', 'pettingzoo', 'openspiel' and 'notebook'"
	@$(BIN)/python $(INSTALL) --editable '.[gymnasium,pettingzoo,openspiel,notebook]'
	@touch $@

$(BENCH)/bin/python:
	$(call find_python,$(BENCH))

$(BENCH)/.installed: pyproject.toml $(wildcard benchmarks/requirements*.txt) | $(BENCH)/bin/python
	@echo "- installing zermelo and the packages it is compared with"
	@$(BENCH)/bin/python $(INSTALL) --editable '.[web]'
	@$(BENCH)/bin/python benchmarks/install.py
	@touch $@

# ---- targets --------------------------------------------------------------------------------------------------

.PHONY: help run serve quick test long adapters lint style types imports scripts screenshots docs wheel bench clean
.PHONY: nightly nightly-interpreted nightly-numba

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

serve: $(VENV)/.installed ## install, then open the web page in the browser
	@$(BIN)/zermelo serve --open $(ARGS)

quick: $(VENV)/.group-test ## run the tests that compile nothing and start no browser (under a minute)
	@NUMBA_DISABLE_JIT=1 ZERMELO_CACHE_DIR="$(CACHE)/quick" $(BIN)/python -m pytest -m "quick and not slow and not nightly and not long" $(ARGS)

test: $(VENV)/.group-test $(VENV)/.browser ## run the tests
	@ZERMELO_CACHE_DIR="$(CACHE)/test" $(BIN)/python -m pytest $(ARGS)

long: $(VENV)/.group-test $(VENV)/.group-fuzz $(VENV)/.browser ## run the longer tests of games, searches and adapters that CI adds to `make test`
	@ZERMELO_CACHE_DIR="$(CACHE)/test" $(BIN)/python -m pytest -m "long and not nightly" $(ARGS)

adapters: $(VENV)/.adapters ## run the tests with Gymnasium, PettingZoo, OpenSpiel and anywidget, which it installs
	@ZERMELO_CACHE_DIR="$(CACHE)/test" $(BIN)/python -m pytest -m "" tests/adapters tests/interactive/test_notebook.py "tests/test_docs.py::test_page_does_what_it_says[docs/adapters.md]" $(ARGS)

lint: style types imports scripts ## check style, types, the import contract, and types of the page's JavaScript

style: $(VENV)/.group-lint
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet . || { $(BIN)/ruff format --check .; exit 1; }

types: $(VENV)/.group-lint
	@$(BIN)/mypy --no-error-summary

imports: $(VENV)/.group-lint
	@$(BIN)/lint-imports --no-logo

# The page's JavaScript is served without a build step; TypeScript only checks it. Needs Node.js, and the network once.
scripts:
	@if ! command -v npx >/dev/null 2>&1; then \
		echo "- the page's JavaScript is not checked: Node.js is not installed"; \
	elif ! npx --yes --fetch-retries=0 --fetch-timeout=30000 --package typescript@$(TYPESCRIPT) tsc --version >/dev/null 2>&1; then \
		echo "- the page's JavaScript is not checked: TypeScript $(TYPESCRIPT) could not be installed"; \
	else npx --yes --package typescript@$(TYPESCRIPT) tsc --project tsconfig.json; fi

docs: $(VENV)/.group-docs ## build the documentation into docs/_build/html; warnings are errors
	@$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --builder html docs docs/_build/html
	@echo "docs/_build/html/index.html"

wheel: docs ## build the wheel into dist, with the documentation
	@$(BIN)/python -m pip wheel $(PIP_OPTIONS) --no-deps --wheel-dir dist .
	@ls dist/zermelo-*.whl

screenshots: $(VENV)/.group-test $(VENV)/.browser ## take pictures of every page into docs/_build/screenshots
	@ZERMELO_CACHE_DIR="$(CACHE)/test" $(BIN)/python tests/screenshots.py $(ARGS)

bench: $(BENCH)/.installed ## measure speed and memory beside other packages (minutes)
	@failed=; for script in peers mcts interpreted examples threads endgames othello_midgame patterns connect4 startup trees web web_tree perft backgammon equilibria scrabble bridge; do \
		$(BENCH)/bin/python benchmarks/$$script.py || failed="$$failed $$script"; echo; \
	done; if [ -n "$$failed" ]; then echo "failed:$$failed" >&2; exit 1; fi

nightly: $(VENV)/.group-test ## measure the rows of docs/reliability.md (one: ROW=7), resumable; hours for all of them
	@if [ -n "$(ROW)" ]; then exec $(BIN)/python tests/reliability.py $(ROW); fi; \
	failed=; $(BIN)/python tests/reliability.py || failed=" rows"; \
	for part in interpreted numba; do $(MAKE) nightly-$$part || failed="$$failed $$part"; done; \
	if [ -n "$$failed" ]; then echo "failed:$$failed" >&2; exit 1; fi

nightly-interpreted: $(VENV)/.group-test
	@echo "- the tests that compile nothing"
	@NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -m "quick and not nightly and not long" $(ARGS)

# Warns before a release of Numba breaks the private names that compiled/_numba.py lists.
nightly-numba: | $(BIN)/python
	@echo "- the compiler's tests with the newest pre-release of Numba"
	@rm -rf .venv-numba && $(BIN)/python -m venv .venv-numba
	@.venv-numba/bin/python $(INSTALL) --upgrade 'pip>=25.1'
	@.venv-numba/bin/python $(INSTALL) --editable '.[draw,arena,web]' --group test
	@.venv-numba/bin/python $(INSTALL) --pre --upgrade numba llvmlite
	@.venv-numba/bin/python -m pip list --disable-pip-version-check 2>/dev/null | grep -iE "^(numba|llvmlite) "
	@ZERMELO_CACHE_DIR="$(CACHE)/numba" .venv-numba/bin/python -m pytest tests/compiled tests/search/test_textbook.py $(ARGS)

clean: ## remove environments, caches and builds
	@rm -rf $(VENV) $(BENCH) .venv-numba .cache .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache build dist docs/_build
	@find src tests benchmarks docs -name __pycache__ -type d -prune -exec rm -rf {} +
