# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
# Thin front: every target is one or two commands that can be typed by hand.
SCENARIO ?= vadd-znand-sr
ENGINE   ?= cosim
# Sizes of the RTL: default, small, large (configs/rtl), or a file. Each but default has a build of its own.
RTL      ?= default
RTL_NAME := $(notdir $(basename $(RTL)))
BUILD    ?= $(if $(filter default,$(RTL)),build,build/$(RTL_NAME))
OUT      ?= out/$(SCENARIO)-$(ENGINE)$(if $(filter default,$(RTL)),,-$(RTL_NAME))
ARGS     ?=
JOBS     ?= $(shell nproc)
CXLGPU   := $(BUILD)/bin/cxlgpu

.DEFAULT_GOAL := help
.PHONY: help deps configure build sim waves rtl-sizes keys test block docs-check site report report-test timeline-test waves-test sweep-test calibrate results concepts conformance \
  lint format bench budget synth handover python python-test link-soak link-bench media-bench system-soak coverage functional-coverage mutants faults \
  formal fuzz sanitize xprop valgrind soak peer trust clean

help:            ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' Makefile | sort | awk -F'\t' '{printf "  %-20s %s\n", $$1, $$2}'
	@echo "  SCENARIO=<workload>-<media>-<configuration> ENGINE=cosim|rtl|model OUT=folder ARGS='more options'"
	@echo "  RTL=default|small|large|FILE: sizes of the RTL (docs/sizes.md), in a build of its own"

deps:            ## install what is missing (Debian packages; root or sudo)
	@scripts/deps.sh

configure: deps
	@scripts/rtl_sizes.py --arguments $(RTL) >/dev/null
	@grep -qs '^CXLGPU_TESTS:BOOL=ON' $(BUILD)/CMakeCache.txt || cmake --preset release -B $(BUILD) -DCXLGPU_TESTS=ON -DCXLGPU_RTL_CONFIG=$(RTL)

build: deps      ## leaves build/bin/cxlgpu; the tests' tops are verilated when a test is asked for
	@scripts/rtl_sizes.py --arguments $(RTL) >/dev/null  # a bad one in one line, not CMake's ten
	@test -f $(BUILD)/build.ninja || cmake --preset release -B $(BUILD) -DCXLGPU_TESTS=OFF -DCXLGPU_RTL_CONFIG=$(RTL)
	@cmake --build $(BUILD) --target cxlgpu -j $(JOBS)

sim: build       ## make sim SCENARIO=bfs-dram-cxl ENGINE=cosim
	$(CXLGPU) run $(SCENARIO) --engine $(ENGINE) --out $(OUT) $(ARGS)

WINDOW   ?= --waves-to-us 20
waves: ENGINE := rtl
waves: build     ## FST of the first microseconds and files for GTKWave and Surfer; make waves WINDOW="--waves-from-us 30 --waves-to-us 40"
	$(CXLGPU) run $(SCENARIO) --engine rtl --out $(OUT) --waves $(OUT)/waves.fst $(WINDOW) $(ARGS)

rtl-sizes: deps  ## small and large (configs/rtl): each built, and six scenarios in cosim
	@scripts/rtl_scenarios.sh $(ARGS)

report: sim      ## the latency report of a run
	@echo "open $(OUT)/report.html"

report-test: build  ## the report page in headless Chromium: every chart, clicks, keys, a phone; CHROMIUM=FILE for another
	@test -n "$(CHROMIUM)" || scripts/deps.sh report-test
	@venv=$$(scripts/venv.sh browser) && $$venv/bin/python tests/cli/report_browser.py --cxlgpu $(CXLGPU) $(ARGS)

timeline-test: build  ## --timeline, parsed by the schema that Perfetto publishes; ARGS="--trace-processor FILE": opened in that, too
	@venv=$$(scripts/venv.sh perfetto) && $$venv/bin/python tests/cli/timeline_schema.py --cxlgpu $(CXLGPU) $(ARGS)

waves-test: build  ## what GTKWave shows of a run's waves, on a virtual screen
	@scripts/deps.sh waves-test
	@tests/cli/waves_gtkwave.py --cxlgpu $(CXLGPU)

sweep-test: build  ## sweeps on a Slurm of one node, which it starts (root), and their page in headless Chromium
	@scripts/deps.sh sweep-test
	@tests/cli/sweep_slurm.py --cxlgpu $(CXLGPU)
	@venv=$$(scripts/venv.sh browser) && $$venv/bin/python tests/cli/sweep_browser.py --cxlgpu $(CXLGPU) $(ARGS)

calibrate: build ## idle costs of each stage in the RTL, and that the model has the same
	@eval/calibrate.py --cxlgpu $(CXLGPU) $(ARGS)

results: build   ## every workload in every configuration: tables and figures of docs/results.md and docs/results/
	@scripts/deps.sh results
	@$(MAKE) --no-print-directory build RTL=eval/results/paper-rtl.yaml
	@snakemake --snakefile eval/results/Snakefile --jobs $(JOBS) --quiet progress --config cxlgpu=$(CXLGPU) out=out/results $(ARGS)
	@eval/sensitivity.py --cxlgpu $(CXLGPU) --jobs $(JOBS) --out out/results/sweeps --json out/results/sensitivity.json --page docs/results/sensitivity.md >/dev/null
	@eval/moe.py --cxlgpu $(CXLGPU) --jobs $(JOBS) --json out/results/hints.json --page docs/results/hints.md >/dev/null
	@eval/direct_storage.py --cxlgpu $(CXLGPU) --jobs $(JOBS) --page docs/results/io.md >/dev/null
	@eval/multipath.py --cxlgpu $(CXLGPU) --jobs $(JOBS) --page docs/results/multipath.md >/dev/null
	@eval/key_value.py --cxlgpu $(CXLGPU) --jobs $(JOBS) --page docs/results/kv.md >/dev/null
	@eval/persistence.py --cxlgpu $(CXLGPU) --jobs $(JOBS) --page docs/results/persistence.md >/dev/null
	@eval/results/report.py --runs out/results

crash-points: build  ## power lost at 10 000 random points of each workload that persists, each recovered; ARGS="ps blk": these alone
	@verify/crash_points.py --cxlgpu $(CXLGPU) --jobs $(JOBS) $(ARGS)

concepts: build  ## docs/concepts.md: its runs, its pictures and the figures of its text; ARGS=--check: only compares
	@scripts/deps.sh results
	@eval/concepts.py --cxlgpu $(CXLGPU) $(ARGS)

keys: build      ## docs/guide/keys.md and configs/schema.json, from the table in sim/config/keys_*.cpp
	@$(CXLGPU) list --keys --markdown > $(BUILD)/keys.md && mv $(BUILD)/keys.md docs/guide/keys.md
	@$(CXLGPU) list --keys --schema > $(BUILD)/schema.json && mv $(BUILD)/schema.json configs/schema.json

test: configure  ## builds and runs every test
	@cmake --build $(BUILD) -j $(JOBS)
	@cd $(BUILD) && ctest --output-on-failure -j $(JOBS)

block: deps      ## builds and runs the tests of one block, and says the seconds: make block BLOCK=io_link
	@scripts/block.py $(BLOCK) --jobs $(JOBS) $(ARGS)

docs-check: deps ## every command of README and docs as written, on a fresh clone of the last commit
	@scripts/deps.sh wireshark
	@scripts/docs_check.py $(ARGS)

site: build      ## the pages of docs/ as a site, build/site/index.html; by tools from PyPI
	@scripts/site.sh $(CXLGPU)

conformance: test ## docs/conformance.md: each requirement, its test, the last result; ARGS=--prove: under each row's fault first
	@verify/conformance.py --build $(BUILD) $(ARGS)

lint: configure  ## Verilator -Wall on every module, clang-format on every C++ file, ruff on Python
	@scripts/lint.sh

synth: deps      ## Yosys on every module: cells and logic depth
	@scripts/synth.sh

format:
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

bench: build     ## cycles/s of rtl and cosim, requests/s and host instructions of model; ARGS="--against REV": in turns
	@scripts/deps.sh budget
	@eval/bench.py --cxlgpu $(CXLGPU) --jobs $(JOBS) $(ARGS)

budget: build    ## host instructions a request of the model are within 3 % of eval/bench.json; ARGS=--renew writes it
	@scripts/deps.sh budget
	@eval/budget.py --cxlgpu $(CXLGPU) $(ARGS)

handover: build  ## what others take: a build without Verilator, the package, file lists, FuseSoC, SystemRDL
	@cmake -S . -B $(BUILD)/nortl -G Ninja -DCXLGPU_RTL=OFF >/dev/null && cmake --build $(BUILD)/nortl -j $(JOBS)
	tests/package/outside.py --no-rtl $(BUILD)/nortl
	tests/package/handover.py --tools

bench-programs = cmake -S . -B $(BUILD) -DCXLGPU_BENCH=ON >/dev/null && cmake --build $(BUILD) -j $(JOBS)

python:          ## the Python package: a wheel in build/dist (docs/guide/python.md)
	@scripts/deps.sh
	@JOBS=$(JOBS) scripts/wheel.sh build

python-test: build python  ## that wheel in a new environment, against the command and the library
	@test ! -d build/dist || scripts/wheel.sh test $(CXLGPU) $(ARGS)

link-soak: configure  ## two ports (controller, ARB/MUX) over a faulty link, 10 seeds of 20 million flits each way
	@$(bench-programs) --target link_soak
	$(BUILD)/bin/link_soak $(ARGS)

link-bench: configure  ## two controllers over a clean link: latency, bandwidth, least queue sizes
	@$(bench-programs) --target link_bench
	$(BUILD)/bin/link_bench $(ARGS)

media-bench: configure  ## media models by themselves: requests a second of processor time
	@$(bench-programs) --target media_bench
	$(BUILD)/bin/media_bench $(ARGS)

system-soak: configure  ## four ports, RTL and model side by side: a million stores and loads that look for hazards
	@$(bench-programs) --target system_soak
	$(BUILD)/bin/system_soak $(ARGS)

# What the tests would catch. Each leaves its numbers in docs/trust/; hours, most of them, so apart from `make test`.
N       ?= 1200
SEED    ?= 1
HOURS   ?= 8
MINUTES ?= 10
TARGET  ?=
coverage: configure  ## lines, branches and toggles of rtl/, lines of the C++ rooms: build/coverage/index.html
	@scripts/deps.sh coverage
	@verify/coverage/structural.py --jobs $(JOBS) $(ARGS)

functional-coverage: configure  ## declared situations, each hit or impossible: build/coverage/functional.html
	@cmake --build $(BUILD) -j $(JOBS) --target functional_bins
	@cmake --build $(BUILD) -j $(JOBS) --target $$(verify/coverage/functional.py --build $(BUILD) --list)
	@verify/coverage/functional.py --build $(BUILD) $(ARGS)

mutants: deps    ## faults put into the RTL, and who sees them: make mutants N=1200 SEED=1
	@venv=$$(scripts/venv.sh) && $$venv/bin/python verify/mutation/schemata_test.py && \
	  $$venv/bin/python verify/mutation/mutants.py --sample $(N) --seed $(SEED) \
	  --jobs $(JOBS) --record docs/trust/mutants.json $(ARGS)

faults: deps     ## faults of several lines made by hand (verify/faults/by_hand), and who sees them
	@venv=$$(scripts/venv.sh) && $$venv/bin/python verify/faults/faults.py --set by_hand \
	  --jobs $(JOBS) --record docs/trust/faults.json $(ARGS)

formal: deps     ## proofs of the RTL, the fault that makes each fail, and an SMT solver's second opinion
	@scripts/deps.sh formal
	@venv=$$(scripts/venv.sh) && $$venv/bin/python verify/formal/run.py --jobs $(JOBS) --smt 10 --record docs/trust/proofs.json $(ARGS)

fuzz: deps       ## make fuzz MINUTES=60 TARGET=config
	@scripts/deps.sh fuzz
	@test -f $(BUILD)/fuzz/build.ninja || CC=clang-19 CXX=clang++-19 cmake --preset fuzz
	@cmake --build $(BUILD)/fuzz -j $(JOBS)
	@verify/fuzz/fuzz.py --minutes $(MINUTES) $(if $(TARGET),--target $(TARGET)) $(ARGS)

xprop: configure ## tests with ten sets of values of whatever has no reset
	@cmake --build $(BUILD) -j $(JOBS)
	@verify/sanitize.py x --jobs $(JOBS) $(ARGS)

sanitize: deps   ## every test, verilated code too, with address and undefined-behaviour sanitizers
	@test -f $(BUILD)/asan/build.ninja || cmake --preset asan
	@cmake --build $(BUILD)/asan -j $(JOBS)
	@verify/sanitize.py asan --jobs $(JOBS) $(ARGS)
	@verify/sanitize.py threads

valgrind: configure  ## the short tests
	@scripts/deps.sh sanitize
	@cmake --build $(BUILD) -j $(JOBS)
	@verify/sanitize.py valgrind --jobs $(JOBS) $(ARGS)

soak: configure  ## new seeds for HOURS, going on where the last soak stopped: RTL and model side by side
	@$(bench-programs) --target cxlgpu link_soak system_soak
	@cmake --build $(BUILD) -j $(JOBS)
	@verify/soak.py --hours $(HOURS) --jobs $(JOBS) $(ARGS)

peer: configure  ## RTL against the peer written from the standard: a million requests a knob, hours
	@cmake --build $(BUILD) -j $(JOBS) --target peer_rtl_host_test peer_rtl_device_test
	@verify/peer.py --build $(BUILD) --jobs $(JOBS) $(ARGS)

trust:           ## docs/trust.md, from what these have left
	@verify/trust.py

clean:
	rm -rf $(BUILD) out
