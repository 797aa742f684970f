#!/bin/sh
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
# Lint of everything: Verilator with all warnings on every RTL module, once more with the assertions compiled in, what its
# ports, parameters and assertions say, the C++ format, Python, words, documents, licence headers, rooms, and that what is
# made from regs/ and from the packages is current, the block pages in their form. Silent but for one line; non-zero on any
# finding.
# Usage: scripts/lint.sh   (from anywhere)
set -u
cd "$(dirname "$0")/.." || exit 2

packages=$(ls rtl/pkg/*.sv | sort)
search="-y rtl/common -y rtl/controller -y rtl/cache -y rtl/flex_bus -y rtl/cxl_io -y rtl/root_port -y rtl/host_bridge -y rtl/endpoint -y rtl/top"
# UNUSEDPARAM: a package names the whole protocol; no top uses all of it. MULTITOP: all at once, so that each is elaborated
# once and not with every module above it; as its users set it, and what nothing instantiates as a top. The night has each
# as a top of its own, too (CXLGPU_VOLUME).
verilator="verilator --lint-only -Wall -Wno-UNUSEDPARAM -Wno-MULTITOP $search"
modules=$(ls rtl/*/*.sv | grep -v '^rtl/pkg/' | sort)
failed=0

lint() {  # $1: options; the rest: files
  options=$1
  shift
  # shellcheck disable=SC2086
  $verilator $options $packages "$@" || { echo "lint: Verilator complains ($verilator $options)" >&2; return 1; }
}

# shellcheck disable=SC2086
lint "" $modules || failed=1
# SYNCASYNCNET: `disable iff (!rst_ni)` of an assertion reads the asynchronous reset on purpose.
# shellcheck disable=SC2086
lint "--assert -Wno-SYNCASYNCNET" $modules || failed=1
if [ "${CXLGPU_VOLUME:-1}" != 1 ]; then
  for file in $modules; do
    lint "--top-module $(basename "$file" .sv)" "$file" || failed=1
  done
fi

# A module per file, named like it, and no file-scope import.
for file in $modules; do
  name=$(basename "$file" .sv)
  [ "$(grep -c '^module ' "$file")" = 1 ] && grep -q "^module $name\$\|^module $name[ (#]" "$file" || {
    echo "lint: $file: exactly one module, named $name" >&2; failed=1; }
  grep -n '^import' "$file" >&2 && { echo "lint: $file: import belongs in the module header" >&2; failed=1; }
  LC_ALL=C grep -nP '[^\x00-\x7F]|\t|.{101}| +$' "$file" >&2 && {
    echo "lint: $file: ASCII, no tabs, 100 columns, no space at line ends" >&2; failed=1; }
done

if command -v clang-format >/dev/null; then
  sources=$(find api cli common examples flits model python refmodel sim tb tests verify \( -name '*.hpp' -o -name '*.cpp' \) -print)
  if [ -n "$sources" ]; then
    # shellcheck disable=SC2086
    clang-format --dry-run -Werror $sources || failed=1
  fi
else
  echo "lint: clang-format is missing (make deps)" >&2
  failed=1
fi

# Debian 12 has no ruff: it comes from PyPI, as what reads the mutants does.
ruff=$(command -v ruff || echo build/venv/bin/ruff)
if [ -x "$ruff" ]; then
  "$ruff" check -q . || failed=1
else
  echo "lint: ruff is missing, so the Python is not checked (scripts/venv.sh installs it)" >&2
  [ -z "${CI:-}" ] || failed=1
fi

scripts/words.py || failed=1
scripts/rtl_words.py || failed=1
scripts/pages.py || failed=1
scripts/headers.py || failed=1
scripts/rooms.py >/dev/null || failed=1
scripts/block_pages.py || failed=1
scripts/twins.py --check || failed=1
scripts/regs.py --check || failed=1
scripts/layout.py --check || failed=1
scripts/manifests.py --check || failed=1
scripts/rtl_sizes.py --check || failed=1
verify/conformance.py --check || failed=1

[ "$failed" = 0 ] || exit 1
echo "lint: $(echo "$modules" | wc -l) RTL modules and $(echo "$sources" | wc -w) C++ files clean"
