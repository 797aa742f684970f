#!/bin/sh
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
# The Python package (docs/guide/python.md).
# `scripts/wheel.sh build`: build/dist/cxlgpu-*.whl, by tools from PyPI that python/requirements-build.txt pins.
# `scripts/wheel.sh test COMMAND [pytest's options]`: that wheel in a new environment outside of the tree, with nothing
# but what python/requirements-test.txt pins, against COMMAND, a build's cxlgpu.
# Exit status: 0, 1, or 2 when something is missing. When PyPI cannot be reached: 2 with CI set, else a line and 0.
set -u
cd "$(dirname "$0")/.." || exit 2
root=$PWD

unreached() {
  echo "wheel: not all to be had of $1 (no network?); the Python package is left out" >&2
  [ -z "${CI:-}" ] || exit 2
  exit 0
}
environment() {  # $1: folder, $2: requirements, in a file that says the environment has them
  cmp -s "$2" "$1/complete" && return
  rm -rf "$1"
  { python3 -m venv "$1" &&
    "$1/bin/pip" install -q --disable-pip-version-check --only-binary :all: --require-hashes -r "$2" &&
    cp "$2" "$1/complete"; } >&2
}

build() {
  scripts/deps.sh python || exit 2
  tools=$root/build/venv-wheel
  environment "$tools" python/requirements-build.txt || unreached python/requirements-build.txt
  rm -rf build/dist build/dist-raw
  PATH=$tools/bin:$PATH CMAKE_BUILD_PARALLEL_LEVEL=${JOBS:-$(nproc)} "$tools/bin/python" -m pip wheel -q \
    --disable-pip-version-check --no-build-isolation --no-deps --no-index -w build/dist-raw ./python || exit 1
  # fmt, yaml-cpp, zlib and libarchive of this machine go along; the name says which glibc it needs.
  PATH=$tools/bin:$PATH "$tools/bin/python" -m auditwheel -v repair --strip -w build/dist build/dist-raw/cxlgpu-*.whl \
    >build/dist-raw/log 2>&1 || { tail -20 build/dist-raw/log >&2; exit 1; }
  ls build/dist/*.whl
}

check() {
  command=$(realpath "$1") && shift || exit 2
  wheel=$(echo "$root"/build/dist/cxlgpu-*.whl)
  [ -f "$wheel" ] || { echo "wheel: there is none in build/dist; make python" >&2; exit 2; }
  scratch=$(mktemp -d) || exit 2
  trap 'rm -rf "$scratch"' EXIT
  environment "$scratch/venv" python/requirements-test.txt || unreached python/requirements-test.txt
  "$scratch/venv/bin/pip" install -q --disable-pip-version-check --no-deps --no-index "$wheel" || exit 1
  cp -r python/tests "$scratch/tests"
  cd "$scratch/tests" || exit 2
  unset PYTHONPATH CXLGPU_CONFIGS
  CXLGPU_COMMAND=$command CXLGPU_SOURCE=$root CXLGPU_WHEEL=$wheel \
    "$scratch/venv/bin/python" -P -m pytest -q -p no:cacheprovider "$@"
}

case ${1:-} in
  build) build ;;
  test) shift; check "$@" ;;
  *) echo "usage: scripts/wheel.sh build|test COMMAND" >&2; exit 2 ;;
esac
