#!/usr/bin/env bash
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages the build needs, and only those that are missing; with the name of a make
# target that needs more (results, coverage, formal, fuzz, sanitize, budget, report-test, sweep-test, waves-test,
# python) or of what a test can use (wireshark), its own as well.
set -euo pipefail

packages=(
  g++ cmake ninja-build ccache make python3
  verilator zlib1g-dev libarchive-dev libsqlite3-dev
  libfmt-dev libyaml-cpp-dev libcli11-dev nlohmann-json3-dev libspdlog-dev
  libgtest-dev librapidcheck-dev libbenchmark-dev
  clang-format python3-venv python3-yaml python3-jsonschema
)
case ${1:-} in
  results) packages+=(snakemake python3-matplotlib) ;;
  coverage) packages+=(gcovr) ;;
  formal) packages+=(berkeley-abc) ;;
  fuzz) packages+=(clang-19 libclang-rt-19-dev) ;;  # 14 does not take all of C++20 used here
  sanitize | budget) packages+=(valgrind) ;;
  report-test) packages+=(chromium) ;;
  sweep-test) packages+=(slurm-wlm munge snakemake chromium) ;;
  waves-test) packages+=(gtkwave xvfb xauth) ;;
  wireshark) packages+=(tshark) ;;  # sharkd too, in wireshark-common
  python) packages+=(python3-dev) ;;
esac

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

sudo=
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || {
    echo "deps: missing ${missing[*]}; run as root: apt-get install ${missing[*]}" >&2
    exit 2
  }
  sudo=sudo
fi
export DEBIAN_FRONTEND=noninteractive
echo "deps: installing ${missing[*]}"
$sudo apt-get update -qq
$sudo apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
