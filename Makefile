# SPDX-License-Identifier: MIT
# Thin front: a recipe is a line or two; the work is in meson.build and in build/harness/iobench.

BUILD ?= build
SUITES ?=
CORPUS ?=
RESULTS ?=
A ?=
B ?=
ARGS ?=
IOBENCH = $(BUILD)/harness/iobench
RUN_OPTIONS = $(if $(SUITES),--suites '$(SUITES)') $(if $(RESULTS),--results '$(RESULTS)') $(if $(NET_HOST),--net-host '$(NET_HOST)') $(ARGS)

.DEFAULT_GOAL := help
.PHONY: help setup build test check bench quick plots report compare calibrate clean

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 18
	@echo "  variables: SUITES=a,b or SUITES=all (default: the suites of make bench)  CORPUS=64M|4G|auto (default: 1G for bench)  RESULTS=dir"
	@echo "             NET_HOST=name: the network rows use net-sink and net-source on that machine"
	@echo "             ARGS='options of iobench run, calibrate or compare'; build/harness/iobench --help has the rest"

setup: ## install what is missing to build and to measure (Debian; elsewhere it prints the command)
	@harness/setup.sh build

build: setup ## the tools in build/tools/, the harness at build/harness/iobench
	@[ -f $(BUILD)/build.ninja ] || meson setup $(BUILD) $(MESON_ARGS)
	@meson compile -C $(BUILD)

test: ## build and run the tests (a few minutes)
	@harness/setup.sh test && [ ! -f $(BUILD)/build.ninja ] || meson setup --reconfigure $(BUILD) >/dev/null
	@$(MAKE) --no-print-directory build && meson test -C $(BUILD) --print-errorlogs

check: test ## more: linters, all faults, 5 minutes of random rounds, sanitizers, coverage of tools/ (under 45 minutes)
	@harness/setup.sh check && tests/lint.sh $(BUILD) $(if $(QUICK),quick)
	@$(MAKE) --no-print-directory test BUILD=build-sanitize MESON_ARGS='-Doptimization=0 -Db_sanitize=address,undefined -Db_lundef=false'
	@$(if $(QUICK),,IOBENCH_FAULTS=all IOBENCH_PROPERTY_SECONDS=300 meson test -C $(BUILD) --verbose tools-faults property)
	@$(if $(QUICK),,tests/threads.sh $(BUILD) && tests/coverage.sh $(BUILD))

bench: build ## the benchmark: corpus of 1 GiB, its suites (SUITES=all: every one, an hour), tables and plots under results/
	@$(IOBENCH) run --corpus $(or $(CORPUS),1G) $(RUN_OPTIONS)

quick: build ## the same with a corpus of 32 MiB: under three minutes once built
	@$(IOBENCH) run --corpus $(or $(CORPUS),32M) $(RUN_OPTIONS)

report: build ## tables, plots and the report again from RESULTS=dir (default: the newest)
	@$(IOBENCH) report $(RESULTS)

plots: build ## the published figures and those of results/reference, or those of RESULTS=dir
	@$(IOBENCH) plots $(RESULTS)

calibrate: build ## what this machine can tell apart: false positives, effects found (about 10 minutes)
	@$(IOBENCH) calibrate $(if $(CORPUS),--corpus $(CORPUS)) $(if $(RESULTS),--results '$(RESULTS)') $(ARGS)

compare: $(and $(A),$(B),build) ## whether B=dir is faster or slower than A=dir, two results
	@[ -n '$(A)' ] && [ -n '$(B)' ] || { echo 'make compare: name two results: make compare A=dir B=dir' >&2; exit 2; }
	@$(IOBENCH) compare $(ARGS) '$(A)' '$(B)'

clean: ## remove what was built and the corpus; results stay
	@[ ! -x $(IOBENCH) ] || $(IOBENCH) corpus --remove
	@rm -rf build build-sanitize build-thread build-coverage
