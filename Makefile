# `make help` lists what there is to do. Every target installs missing system packages first (see `deps`).

SHELL := /bin/bash
SWIFT ?= swift
# The compiler of the C programs; the Swift toolchain brings clang where there is no cc.
CC := $(shell command -v cc || command -v clang || echo cc)
BASELINE := .build/baseline
SWIFT_FILES = find Sources Tests Benchmarks Fuzz Examples Package.swift -name '*.swift' -not -path '*/.build*/*' -print0 2>/dev/null
# Turns the package's trait RocksDB on.
export SETTEE_ROCKSDB := 1
# What tests run is optimised, with its assertions: they take a third of the time. Builds with other settings have folders of
# their own, so that going back and forth rebuilds nothing.
TESTED_ENVIRONMENT := SETTEE_OPTIMIZED=1 SWIFT="$(SWIFT)"
TESTED := $(TESTED_ENVIRONMENT) $(SWIFT)
TESTED_PATH := --scratch-path .build-test
# The suites of `make test` and `make sanitize`: a regular expression.
FILTER ?=
ONLY := $(if $(FILTER),--filter '$(FILTER)')

# Warnings are errors. Without information for debuggers, which takes time to make and to link; `make test` has it.
STRICT_ENVIRONMENT := SETTEE_STRICT=1 $(TESTED_ENVIRONMENT)
STRICT := $(STRICT_ENVIRONMENT) $(SWIFT)
STRICT_PATH := --scratch-path .build-strict -debug-info-format none

# The thread sanitizer wants everything built for it, and nothing optimised: it does not see that reference counts order what
# threads do with an array's memory, and would tell of such races wherever the array's own code is inlined.
SANITIZED := --sanitize=thread --scratch-path .build-sanitized

# The parts of `make stress`, or the test targets for all their parts.
TARGETS ?=

.DEFAULT_GOAL := help
.PHONY: help deps build demo test check lint example clients discovery replication sanitize stress
.PHONY: bench bench-scale bench-listener bench-replication baseline format clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-17s %s\n", $$1, $$2 }' Makefile

deps:  ## install missing system packages (Debian, Ubuntu), or name them
	@Scripts/install-dependencies.sh

build: deps  ## debug build of everything
	$(SWIFT) build
	$(SWIFT) build --product settee-js

demo: deps  ## release build, then a tour that checks what it shows
	$(SWIFT) build -c release --product settee
	$(SWIFT) build -c release --product settee-js
	@Scripts/demo.sh "$$($(SWIFT) build -c release --show-bin-path)/settee"

test: deps  ## build and run all tests in their short forms, or those that match FILTER
	$(TESTED) build $(TESTED_PATH) --build-tests
	@$(TESTED_ENVIRONMENT) Scripts/run-tests.sh $(TESTED_PATH) $(ONLY)

lint:  ## what can be checked without a compiler: format, layers, links, columns
	@$(SWIFT_FILES) | xargs -0 -n 100 -P 2 $(SWIFT) format lint --strict
	@Scripts/check-layers.sh
	@Scripts/check-links.sh
	@Scripts/check-columns.sh

check: deps lint  ## everything CI runs: lint, warnings as errors, tests, documentation, examples
	$(STRICT) build $(STRICT_PATH) --build-tests
	@set -o pipefail; $(STRICT_ENVIRONMENT) Scripts/run-tests.sh $(STRICT_PATH) 2>&1 | Scripts/check-skipped.sh
	@Scripts/check-instructions.sh .build-strict/debug
	@Scripts/check-documentation.sh .build-strict
	@Scripts/check-examples.sh .build-strict
	@Scripts/bench-docs.sh --check .build-strict/debug/settee
	.build-strict/debug/Library
	@for example in Examples/*/; do \
		$(SWIFT) build --package-path $$example --scratch-path .build-example --print-manifest-job-graph >/dev/null || exit; done
	@$(MAKE) --no-print-directory baseline

example:  ## build and run the example app, whose targets have the names of an app's own, and the tests of the smallest engine
	$(SWIFT) run --package-path Examples/Library --scratch-path .build-example
	$(SWIFT) test --package-path Examples/SmallestEngine --scratch-path .build-example

clients: deps  ## clients of CouchDB from PyPI, a page in Chromium and a replicator in Python against settee serve
	$(SWIFT) build -c release --product settee
	$(SWIFT) build -c release --product settee-js
	@Tests/Clients/run.sh "$$($(SWIFT) build -c release --show-bin-path)/settee"

discovery:  ## peers that find each other, in network namespaces with Avahi daemons (Debian, Ubuntu; as root)
	@Scripts/install-dependencies.sh avahi-daemon avahi-browse=avahi-utils dbus-daemon=dbus ip=iproute2
	$(SWIFT) build -c release --product settee
	$(SWIFT) build -c release --product settee-js
	@Tests/Discovery/run.sh "$$($(SWIFT) build -c release --show-bin-path)/settee"

replication: deps  ## settee replicate against servers of CouchDB's protocol, through faults, kills, nginx and haproxy; PARTS
	@PATH="$$PATH:/usr/sbin" Scripts/install-dependencies.sh nginx haproxy
	$(SWIFT) build -c release --product settee
	$(SWIFT) build -c release --product settee-js
	@Tests/Replication/run.sh "$$($(SWIFT) build -c release --show-bin-path)/settee" $(PARTS)

sanitize: deps  ## all tests in their short forms under the thread sanitizer
	$(SWIFT) build --build-tests $(SANITIZED)
	SETTEE_SANITIZED=1 TSAN_OPTIONS="halt_on_error=0 $$TSAN_OPTIONS" $(SWIFT) test --skip-build $(SANITIZED) $(ONLY)

stress: deps  ## the long forms of the tests, optimised, in parts that were not yet passed; TARGETS names some
	@SWIFT="$(SWIFT)" Scripts/stress.sh $(TARGETS)

BASELINE_HEADERS := $(wildcard Benchmarks/baseline/*.h) Benchmarks/baseline/people/people.h
# No fused operations: the random turns are to be the same on every machine, and those of Settee (zipfian.h).
BASELINE_CC = $(CC) -std=gnu11 -O2 -ffp-contract=off -Wall -Wextra -Werror

# They read /proc, and wait with epoll.
LISTENER_PROGRAMS := $(if $(filter Linux,$(shell uname -s)),$(addprefix $(BASELINE)/listener/,load watch bodies))

baseline: $(addprefix $(BASELINE)/,baseline-sqlite baseline-sqlcipher baseline-lmdb baseline-rocksdb baseline-files generate) $(LISTENER_PROGRAMS)

$(BASELINE)/baseline-sqlite: LIBRARY = $$(pkg-config --cflags --libs sqlite3)
$(BASELINE)/baseline-sqlcipher: LIBRARY = $$(pkg-config --cflags --libs sqlcipher)
$(BASELINE)/baseline-sqlcipher: Benchmarks/baseline/sqlite.c
$(BASELINE)/baseline-lmdb: LIBRARY = $$(pkg-config --cflags --libs lmdb)
$(BASELINE)/baseline-rocksdb: LIBRARY = $$(pkg-config --cflags --libs rocksdb)
$(BASELINE)/baseline-%: Benchmarks/baseline/%.c $(BASELINE_HEADERS)
	@mkdir -p $(@D)
	$(BASELINE_CC) $< $(LIBRARY) -lm -o $@

$(BASELINE)/generate: Benchmarks/baseline/generate.c Benchmarks/baseline/people/people.c $(BASELINE_HEADERS)
	@mkdir -p $(@D)
	$(BASELINE_CC) Benchmarks/baseline/generate.c Benchmarks/baseline/people/people.c -o $@

$(BASELINE)/listener/%: Benchmarks/listener/%.c Benchmarks/baseline/people/people.c $(BASELINE_HEADERS) $(wildcard Benchmarks/listener/*.h)
	@mkdir -p $(@D)
	$(BASELINE_CC) $< Benchmarks/baseline/people/people.c -lm -o $@

bench: deps baseline  ## settee bench beside the plain-C baseline; BENCH_OPTIONS are passed on
	$(SWIFT) build -c release --product settee
	SETTEE_COMMIT="$$(git rev-parse --short HEAD 2>/dev/null)" SETTEE_BASELINE="$(CURDIR)/$(BASELINE)" \
		"$$($(SWIFT) build -c release --show-bin-path)/settee" bench $(BENCH_OPTIONS)

bench-scale: deps  ## costs and memory from 10,000 to 10,000,000 documents, and with little memory; SIZES, MEMORY, ROUNDS
	$(SWIFT) build -c release --product settee
	SETTEE_COMMIT="$$(git rev-parse --short HEAD 2>/dev/null)" \
		Scripts/bench-scale.sh "$$($(SWIFT) build -c release --show-bin-path)/settee" .build/bench-scale

BENCHMARKS := --package-path Benchmarks

bench-listener: deps baseline  ## the HTTP listener beside a bare server and local calls; DOCS, ROUNDS, FIGURES (Linux)
	@Scripts/install-dependencies.sh wrk jq
	$(SWIFT) build -c release --product settee
	$(SWIFT) build -c release $(BENCHMARKS) --product Bare
	$(SWIFT) build -c release $(BENCHMARKS) --product Local
	SETTEE_COMMIT="$$(git rev-parse --short HEAD 2>/dev/null)" \
		Scripts/bench-listener.sh "$$($(SWIFT) build -c release --show-bin-path)/settee" \
		"$$($(SWIFT) build -c release $(BENCHMARKS) --show-bin-path)" $(BASELINE)/listener .build/bench-listener

bench-replication: deps baseline  ## settee replicate beside local calls and curl; DOCS, ROUNDS, FIGURES (Linux)
	@Scripts/install-dependencies.sh jq
	$(SWIFT) build -c release --product settee
	$(SWIFT) build -c release $(BENCHMARKS) --product Local
	SETTEE_COMMIT="$$(git rev-parse --short HEAD 2>/dev/null)" \
		Scripts/bench-replication.sh "$$($(SWIFT) build -c release --show-bin-path)/settee" \
		"$$($(SWIFT) build -c release $(BENCHMARKS) --show-bin-path)" $(BASELINE)/listener .build/bench-replication

format:  ## format all Swift files
	@$(SWIFT_FILES) | xargs -0 $(SWIFT) format -i

clean:  ## remove everything that was built
	rm -rf .build .build-test .build-strict .build-stress .build-sanitized .build-example Benchmarks/.build
