# Everything is installed into .venv; outside the checkout only the demo writes indexes, into the user's data folder.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
STAMP := .venv/.ready
TYPOS ?= $(COLLECTIONS)
ENGLISH ?= $(COLLECTIONS)
TUNED ?= $(COLLECTIONS)
SAMPLE ?= 60
TUNED_SAMPLE ?= 20
HELD_OUT := held-out held-out-2 held-out-3 held-out-4 held-out-5
QUALITY := recipes parts vault words vault-words weights typos student projects project-parts vault-sections $(HELD_OUT)
questions = $$(ls -d $(1:%=benchmarks/projects/%/*/corpus/) | xargs dirname | grep -v $(or $(WITHOUT:%=-e "/%$$"),-e "^$$"))
RECIPES := auto,auto:words,classic,threeway,memory,neighbours,files,deep
EVALUATE := $(BIN)/waymeet eval --keep build/indexes
CHROMIUM ?= $(shell command -v chromium || command -v chromium-browser)
SUDO := $(shell test "$$(id -u)" = 0 || echo sudo)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export UV_PYTHON_DOWNLOADS := never
export UV_SYSTEM_CERTS := true
# Tests and benchmarks start hundreds of processes. Without compiled files, each would compile every module again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test quick check unit page browser bench bench-1m bench-phrases bench-stages bench-first-answer bench-indexing bench-page bench-postgres bench-code bench-models bench-torch quality quality-recipes quality-parts quality-words quality-weights quality-typos quality-student quality-projects torture mcp-official format lock docs pictures page-pictures student projects sections clean

help:  ## Show this help
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /|/' | awk -F'|' '{printf "  make %-12s %s\n", $$1, $$2}'

$(STAMP): requirements-uv.txt requirements-dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Waymeet needs Python 3.11 or newer: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --require-hashes -r requirements-uv.txt
	@$(BIN)/uv pip sync --quiet --python $(BIN)/python --require-hashes requirements-uv.txt requirements-dev.txt
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $@

demo: $(STAMP)  ## Set up, search pages in three languages with vectors, then this repository by words and links
	@$(BIN)/python docs/demo.py

test: check unit page  ## Set up, then every check and every test; the page is tested if there is a Chromium

check: $(STAMP)  ## Format, lint, strict types, import contract
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

unit: $(STAMP)  ## The tests alone, with the ten slowest
	$(BIN)/pytest -n auto --durations=10 --durations-min=0.1 --ignore=tests/browser

page: $(STAMP)  ## The tests of the page, in a Chromium (CHROMIUM, or on the PATH)
	@if test -n "$(CHROMIUM)"; then CHROMIUM="$(CHROMIUM)" $(BIN)/pytest -n auto --dist loadfile -q tests/browser; \
	else echo "The page was NOT tested: there is no Chromium. Install one with make browser, or set CHROMIUM."; fi

browser:  ## Install Chromium from Debian's packages, for the tests of the page
	@command -v chromium >/dev/null || { $(SUDO) apt-get update --quiet && $(SUDO) apt-get install --yes --no-install-recommends chromium fonts-noto-cjk; }

quick: $(STAMP)  ## Format, lint and the fast tests, in about a minute
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pytest -n auto -q -m "not slow" src tests/unit tests/recipes

bench: $(STAMP)  ## Measure start-up, analysis and the engine at 10,000 and 100,000 sections beside rivals, in minutes
	$(BIN)/python benchmarks/run.py

bench-1m: $(STAMP)  ## Measure the engine at 10,000, 100,000 and 1,000,000 sections; takes a quarter of an hour, 8 GB of memory
	$(BIN)/python benchmarks/run.py 1m

bench-phrases: $(STAMP)  ## Measure phrases, prefixes and substrings at 100,000 chunks beside FTS5; takes minutes
	$(BIN)/python benchmarks/run.py phrases

bench-stages: $(STAMP)  ## Measure what the stages of a recipe cost beside retrieval
	$(BIN)/python benchmarks/run.py stages

bench-first-answer: $(STAMP)  ## Measure the first answer by meaning in a new project beside one by words
	$(BIN)/python benchmarks/run.py first-answer

bench-indexing: $(STAMP)  ## Compare indexing by two installations: make bench-indexing FOLDER=… BEFORE=… AFTER=…
	$(BIN)/python benchmarks/indexing.py $(FOLDER) $(BEFORE) $(AFTER)

bench-page: $(STAMP)  ## Measure typing in the page at 100,000 sections and the graph, in a Chromium; takes minutes
	CHROMIUM="$(CHROMIUM)" $(BIN)/python benchmarks/run.py page

bench-postgres: $(STAMP)  ## Measure the PostgreSQL store beside SQLite and plain tsvector + pgvector; takes minutes
	$(BIN)/python benchmarks/run.py postgres

bench-code: $(STAMP)  ## Index real source distributions beside another code indexer; takes minutes, needs npm
	$(BIN)/python benchmarks/run.py code

projects: $(STAMP)  ## Download the projects that benchmarks/projects asks about; needs npm and apt-get
	$(BIN)/python benchmarks/projects/fetch.py

bench-models: $(STAMP)  ## Compare runtimes of the default models
	$(BIN)/python benchmarks/models.py

bench-torch: $(STAMP)  ## Compare the default model with MiniLM on torch, in an environment of its own; a large download
	$(BIN)/python benchmarks/torch_rival.py

sections: $(STAMP)  ## Download files of 85 packages with 9,847 questions about their sections, as collections; needs npm and apt-get
	$(BIN)/python benchmarks/section_questions.py

quality: quality-recipes quality-parts quality-words quality-weights quality-typos quality-student quality-projects  ## Measure ranking quality and write docs/quality.md: make -j2 quality COLLECTIONS="sets/*"
	$(BIN)/python benchmarks/quality.py $(QUALITY:%=build/quality/%.json)

quality-recipes: $(STAMP)
	@mkdir -p build/quality
	$(EVALUATE) $(COLLECTIONS) --plain --recipe $(RECIPES) --report build/quality/recipes.json

quality-parts: $(STAMP)
	@mkdir -p build/quality
	$(EVALUATE) $(COLLECTIONS) --sample $(SAMPLE) --ablate --report build/quality/parts.json
	$(EVALUATE) benchmarks/vault --ablate --report build/quality/vault.json

quality-words: $(STAMP)
	@mkdir -p build/quality
	$(EVALUATE) $(COLLECTIONS) --sample $(SAMPLE) --recipe auto:words --ablate --report build/quality/words.json
	$(EVALUATE) benchmarks/vault --recipe auto:words --ablate --report build/quality/vault-words.json

quality-weights: $(STAMP)
	@mkdir -p build/quality
	$(EVALUATE) $(TUNED) --sample $(TUNED_SAMPLE) --leave-one-out --report build/quality/weights.json

quality-typos: $(STAMP)
	@mkdir -p build/quality
	$(EVALUATE) $(TYPOS) --sample $(SAMPLE) --misspell --ablate --report build/quality/typos.json

quality-student: $(STAMP)
	@mkdir -p build/quality
	$(EVALUATE) $(ENGLISH) --recipe auto:words,auto:student,auto --report build/quality/student.json

quality-projects: $(STAMP) projects
	@mkdir -p build/quality
	$(EVALUATE) $(call questions,open development) --level both --recipe auto,auto:words --report build/quality/projects.json
	$(EVALUATE) $(call questions,open development) --level section --ablate --report build/quality/project-parts.json
	$(EVALUATE) benchmarks/vault --level both --recipe auto,auto:words --report build/quality/vault-sections.json
	for group in $(HELD_OUT); do $(EVALUATE) $(call questions,$$group) --level both --recipe auto,auto:words --report build/quality/$$group.json || exit; done

torture: $(STAMP)  ## Longer property tests; hundreds of crashes, disk errors, bit flips and concurrent processes
	$(BIN)/pytest -n auto --hypothesis-profile=torture tests/properties tests/conformance
	TORTURE=1 $(BIN)/pytest -n auto tests/torture tests/interfaces/test_http_schema.py

mcp-official: $(STAMP)  ## Test the MCP server with the official inspector and conformance suite; needs npm
	npm install --silent --no-audit --no-fund --prefix build/mcp @modelcontextprotocol/inspector@2.12.0 @modelcontextprotocol/conformance@0.2.0-alpha.12 node@22.23.3
	MCP_OFFICIAL=build/mcp $(BIN)/pytest tests/interfaces/test_mcp_official.py

format: $(STAMP)  ## Format and fix what can be fixed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(STAMP)  ## Regenerate the tables and transcripts of the documentation
	$(BIN)/python docs/refresh.py

pictures: $(STAMP)  ## Redraw the pictures of the README from real output
	$(BIN)/python docs/pictures.py

page-pictures: $(STAMP)  ## Take the pictures of the page; needs a Chromium
	CHROMIUM="$(CHROMIUM)" $(BIN)/python docs/page_pictures.py

student: $(STAMP)  ## Train the student of the default model; takes hours, can be continued: make student COLLECTIONS="sets/*"
	$(BIN)/python training/student/fetch.py build/student/downloads
	$(BIN)/python training/student/sections.py build/student --tested $(COLLECTIONS)
	$(BIN)/python training/student/embed.py build/student
	$(BIN)/python training/student/fit.py build/student
	$(BIN)/python training/student/pack.py build/student

lock: $(STAMP)  ## Renew the hash-pinned requirements
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --upgrade --python-version 3.11 requirements-uv.in -o requirements-uv.txt
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --upgrade --python-version 3.11 pyproject.toml -o requirements.txt
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --upgrade --python-version 3.11 --group dev pyproject.toml -c requirements.txt -o requirements-dev.txt

clean:  ## Remove everything the other commands created here
	rm -rf .venv .mypy_cache .ruff_cache .hypothesis build dist
