# SPDX-License-Identifier: MIT
# Thin front: every recipe is a line or two; the work is in meson.build and in build/harness/iobench.
#   make bench [SUITES=a,b] [CORPUS=4G|auto] [RESULTS=dir] [ARGS='more options of iobench run']

BUILD ?= build
RESULTS ?=
SUITES ?=
CORPUS ?=
ARGS ?=
IOBENCH = $(BUILD)/harness/iobench
RUN = $(IOBENCH) run $(if $(SUITES),--suites $(SUITES)) $(if $(RESULTS),--results $(RESULTS)) $(ARGS)

.DEFAULT_GOAL := help
.PHONY: help setup build test check bench quick report plots clean

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 16

setup: ## install what building and benching need, only what is missing
	@harness/setup.sh build

build: setup ## tools in build/tools/, the harness at build/harness/iobench
	@[ -f $(BUILD)/build.ninja ] || meson setup $(BUILD) $(MESON_ARGS)
	@meson compile -C $(BUILD)
